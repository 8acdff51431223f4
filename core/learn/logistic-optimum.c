/* Nesterov's method for a curvature between the penalty and that plus |x|^2 / 4, which the mean of
 * the loss cannot pass. Its error falls by 1 - sqrt (least / most curvature) a round. */
#include "core/learn/logistic-optimum.h"

#include <math.h>
#include <string.h>

#include "core/base/vectors.h"
#include "core/base/vectorise.h"

#define WANTED_GRADIENT 1e-12
#define MOST_ROUNDS 100000

static inline gsize
number_of (const AssaySignedRows *rows, gsize i)
{
  return rows->chosen != NULL ? rows->chosen[i] : i;
}

/* s f of a row. */
static inline double
factor_of (const AssaySignedRows *rows, gsize number)
{
  const double sign = rows->labels == NULL || rows->labels[number] == rows->positive ? 1 : -1;

  return rows->factors != NULL ? sign * rows->factors[number] : sign;
}

static double
longest_square (const AssaySignedRows *rows)
{
  double longest = 0;

  for (gsize i = 0; i < rows->count; i++) {
    const gsize number = number_of (rows, i);
    const double factor = factor_of (rows, number);

    longest = MAX (longest, factor * factor
                                * assay_lanes_squared_norm (assay_view_row (rows->rows, number),
                                                            rows->rows.cols));
  }
  return longest;
}

ASSAY_VECTORISED static void
subtract_scaled (const float *row, double by, gsize n, double *inout)
{
  for (gsize j = 0; j < n; j++)
    inout[j] -= by * (double) row[j];
}

/* The gradient at @weights. */
static void
gradient_at (const AssaySignedRows *rows, double penalty, const double *weights,
             double *ret_gradient)
{
  const gsize d = rows->rows.cols;

  for (gsize j = 0; j < d; j++)
    ret_gradient[j] = penalty * weights[j];
  for (gsize i = 0; i < rows->count; i++) {
    const gsize number = number_of (rows, i);
    const float *row = assay_view_row (rows->rows, number);
    const double factor = factor_of (rows, number);
    const double margin = factor * assay_lanes_dot_mixed (row, weights, d);

    subtract_scaled (row, factor / (1 + exp (margin)) / (double) rows->count, d, ret_gradient);
  }
}

void
assay_logistic_optimum (const AssaySignedRows *rows, double penalty, double *ret_weights)
{
  const gsize d = rows->rows.cols;
  const double most = penalty + 0.25 * longest_square (rows), ratio = sqrt (penalty / most);
  const double momentum = (1 - ratio) / (1 + ratio);
  g_autofree double *ahead = g_new0 (double, 2 * d);
  double *gradient = ahead + d;

  memset (ret_weights, 0, d * sizeof *ret_weights);
  for (guint round = 0; round < MOST_ROUNDS; round++) {
    double largest = 0;

    gradient_at (rows, penalty, ahead, gradient);
    for (gsize j = 0; j < d; j++) {
      const double next = ahead[j] - gradient[j] / most;

      largest = MAX (largest, fabs (gradient[j]));
      ahead[j] = next + momentum * (next - ret_weights[j]);
      ret_weights[j] = next;
    }
    if (largest * sqrt ((double) d) <= WANTED_GRADIENT)
      return;
  }
}
