/* How a learner did on rows that it did not see. */
#include "core/learn/expectation.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/vectors.h"

#define SIGNIFICANT 3.0

static double
median (double *values, gsize n)
{
  qsort (values, n, sizeof *values, assay_compare_doubles);
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Whether the sums of the differences are above 0 in every part. */
static gboolean
is_better_in_parts (const double *differences, const guint *parts, gsize n)
{
  g_autofree double *sums = NULL;
  guint first = G_MAXUINT, last = 0;
  gboolean is_better = TRUE;

  if (parts == NULL)
    return TRUE;
  for (gsize i = 0; i < n; i++) {
    first = MIN (first, parts[i]);
    last = MAX (last, parts[i]);
  }
  sums = g_new0 (double, last - first + 1);
  for (gsize i = 0; i < n; i++)
    sums[parts[i] - first] += differences[i];
  for (guint p = 0; p <= last - first; p++)
    is_better &= sums[p] > 0;
  return is_better;
}

static gboolean
is_significant (const double *differences, gsize n)
{
  double mean = 0, squares = 0;

  for (gsize i = 0; i < n; i++)
    mean += differences[i] / (double) n;
  for (gsize i = 0; i < n; i++)
    squares += pow (differences[i] - mean, 2);
  return mean > SIGNIFICANT * sqrt (squares / (double) MAX (n - 1, 1) / (double) n);
}

gboolean
assay_expectation_find (const AssayHeldRows *held, AssayExpectation *ret_expects, GError **error)
{
  const gsize n = held->outputs.rows, q = held->outputs.cols;
  g_autofree double *errors = assay_alloc (n, sizeof (double), "errors", error);
  g_autofree double *constant_errors = assay_alloc (n, sizeof (double), "errors", error);
  g_autofree double *differences = assay_alloc (n, sizeof (double), "errors", error);
  double of_learner = 0, of_constant = 0;

  if (errors == NULL || constant_errors == NULL || differences == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const float *wanted = assay_view_row (held->outputs, i);
    const double length = sqrt (assay_squared_norm (wanted, q));
    const double own = assay_squared_distance (assay_view_row (held->predictions, i), wanted, q);
    double constant = 0;

    for (gsize j = 0; j < q; j++)
      constant += pow ((double) wanted[j] - held->mean[j], 2);
    of_learner += own;
    of_constant += constant;
    differences[i] = constant - own;
    errors[i] = length > 0 ? sqrt (own) / length : 0;
    constant_errors[i] = length > 0 ? sqrt (constant) / length : 0;
  }
  ret_expects->n_held = n;
  ret_expects->error = median (errors, n);
  ret_expects->constant_error = median (constant_errors, n);
  ret_expects->explained = of_constant > 0 ? 1 - of_learner / of_constant : 0;
  ret_expects->has_learned = n >= 2 && is_significant (differences, n)
                             && is_better_in_parts (differences, held->parts, n);
  return TRUE;
}

double
assay_mean_squared_error (AssayView predicted, AssayView wanted)
{
  double sum = 0;

  for (gsize i = 0; i < wanted.rows; i++)
    sum += assay_squared_distance (assay_view_row (predicted, i), assay_view_row (wanted, i),
                                   wanted.cols);
  return sum / (double) wanted.rows;
}

double
assay_rows_variance (AssayView rows)
{
  double squares = 0, of_mean = 0;

  for (gsize j = 0; j < rows.cols; j++) {
    double sum = 0;

    for (gsize i = 0; i < rows.rows; i++) {
      const double value = (double) assay_view_row (rows, i)[j];

      sum += value;
      squares += value * value;
    }
    of_mean += sum * sum / (double) rows.rows;
  }
  return (squares - of_mean) / (double) rows.rows;
}
