/* Logistic regression by L-BFGS (Liu and Nocedal 1989) from liblbfgs.
 *
 * With s_i = x_i . w + b and labels y_i in {0, 1} the function that is minimised is
 *   f (w, b) = 1/n sum_i (ln (1 + exp (s_i)) - y_i s_i) + penalty |w|^2 / 2,
 * which is convex; its gradient is 1/n sum_i (q_i - y_i) (x_i, 1) + (penalty w, 0) with
 * q_i = 1 / (1 + exp (-s_i)). Loss and gradient are summed within blocks of rows and then over the
 * blocks in their order, so that the number of threads changes no bit. */
#include "core/math/logistic.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/data/matrix.h"

#define BLOCK_ROWS 2048
#define MAX_ITERATIONS 2000
#define CORRECTIONS 20 /* steps from which the curvature is estimated */

/* Where |gradient| <= this times max (1, |w, b|), the search ends. Its line search may find no
 * lower double before that; a point with a gradient under the second number is then good enough. */
#define WANTED_GRADIENT 1e-7
#define ENOUGH_GRADIENT 1e-6

/* x . w, in four sums that the processor can work on at once. */
static double
dot (const float *x, const double *w, gsize d)
{
  double sum[4] = { 0, 0, 0, 0 };
  gsize j = 0;

  for (; j + 4 <= d; j += 4)
    for (gsize k = 0; k < 4; k++)
      sum[k] += (double) x[j + k] * w[j + k];
  for (; j < d; j++)
    sum[0] += (double) x[j] * w[j];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The same of a row of which @k entries are given. */
static double
dot_sparse (const guint32 *columns, const float *x, const double *w, gsize k)
{
  double sum = 0;

  for (gsize e = 0; e < k; e++)
    sum += (double) x[e] * w[columns[e]];
  return sum;
}

typedef struct {
  const float *features;  /* n x d, or n x k with their columns */
  const guint32 *columns; /* n x k; NULL: all */
  const guint8 *labels;
  gsize n, d, k;
  double penalty;
  const double *weights; /* where the function is asked for */
  double *sums;          /* n_blocks x (d + 2): gradient, then loss */
} Problem;

static gsize
count_blocks (gsize n)
{
  return (n + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

static void
sum_block (gsize block, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Problem *problem = data;
  const gsize d = problem->d, k = problem->k, first = block * BLOCK_ROWS;
  const gsize end = MIN (first + BLOCK_ROWS, problem->n);
  double *gradient = problem->sums + block * (d + 2);

  memset (gradient, 0, (d + 2) * sizeof (double));
  for (gsize i = first; i < end; i++) {
    const float *x = problem->features + i * k;
    const guint32 *columns = problem->columns != NULL ? problem->columns + i * k : NULL;
    const double label = problem->labels[i] != 0;
    const double s = problem->weights[d]
                     + (columns != NULL ? dot_sparse (columns, x, problem->weights, k)
                                        : dot (x, problem->weights, d));
    const double small = exp (-fabs (s)); /* never overflows */
    const double q = (s >= 0 ? 1 : small) / (1 + small);

    if (columns != NULL)
      for (gsize e = 0; e < k; e++)
        gradient[columns[e]] += (q - label) * (double) x[e];
    else
      for (gsize j = 0; j < d; j++)
        gradient[j] += (q - label) * (double) x[j];
    gradient[d] += q - label;
    gradient[d + 1] += fmax (s, 0) + log1p (small) - label * s;
  }
}

static lbfgsfloatval_t
evaluate (void *instance, const lbfgsfloatval_t *weights, lbfgsfloatval_t *ret_gradient,
          const int n_weights, G_GNUC_UNUSED const lbfgsfloatval_t step)
{
  Problem *problem = instance;
  const gsize d = problem->d, n_blocks = count_blocks (problem->n);
  double loss = 0;

  problem->weights = weights;
  assay_parallel_for (n_blocks, sum_block, problem);
  memset (ret_gradient, 0, (gsize) n_weights * sizeof (double));
  for (gsize block = 0; block < n_blocks; block++) {
    const double *sums = problem->sums + block * (d + 2);

    for (gsize j = 0; j <= d; j++)
      ret_gradient[j] += sums[j];
    loss += sums[d + 1];
  }
  loss /= (double) problem->n;
  for (gsize j = 0; j <= d; j++)
    ret_gradient[j] /= (double) problem->n;
  for (gsize j = 0; j < d; j++) {
    ret_gradient[j] += problem->penalty * weights[j];
    loss += problem->penalty * weights[j] * weights[j] / 2;
  }
  return loss;
}

/* Both labels are there and every feature is a number. */
static gboolean
check_sample (AssayView features, const guint8 *labels, GError **error)
{
  const gsize n = features.rows;
  gsize ones = 0;

  for (gsize i = 0; i < n; i++)
    ones += labels[i] != 0;
  if (ones == 0 || ones == n)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "logistic regression: %zu of %zu labels are 1; expected some of both", ones,
                       n);
  return assay_view_check_finite (features, "logistic regression: feature", error);
}

/* From 0 to the minimum, in @inout_weights. */
static gboolean
minimise (Problem *problem, double *inout_weights, double *gradient, GError **error)
{
  const int n_weights = (int) problem->d + 1;
  lbfgs_parameter_t parameters;
  double square = 0, slope = 0;
  int status;

  lbfgs_parameter_init (&parameters);
  parameters.m = CORRECTIONS;
  parameters.epsilon = WANTED_GRADIENT;
  parameters.max_iterations = MAX_ITERATIONS;
  status = lbfgs (n_weights, inout_weights, NULL, evaluate, NULL, problem, &parameters);

  evaluate (problem, inout_weights, gradient, n_weights, 0);
  for (int j = 0; j < n_weights; j++) {
    square += inout_weights[j] * inout_weights[j];
    slope += gradient[j] * gradient[j];
  }
  /* Also false for NaN. */
  if (isfinite (square) && sqrt (slope) <= ENOUGH_GRADIENT * fmax (1, sqrt (square)))
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_NUMERIC,
                     "logistic regression did not converge: gradient %g at weights of length %g "
                     "(liblbfgs status %d)",
                     sqrt (slope), sqrt (square), status);
}

/* Fits the @inout_problem, whose features @view has, in any order. */
static gboolean
fit (Problem *inout_problem, AssayView view, double *ret_weights, GError **error)
{
  const gsize n = inout_problem->n, d = inout_problem->d;
  g_autofree double *sums = NULL;
  g_autofree double *gradient = NULL;
  lbfgsfloatval_t *weights;
  gboolean is_ok;

  if (!check_sample (view, inout_problem->labels, error))
    return FALSE;
  sums = assay_alloc (count_blocks (n), (d + 2) * sizeof (double), "logistic regression", error);
  gradient = assay_alloc (d + 1, sizeof (double), "logistic regression", error);
  if (sums == NULL || gradient == NULL)
    return FALSE;
  weights = lbfgs_malloc ((int) d + 1);
  if (weights == NULL)
    return assay_fail (error, ASSAY_ERROR_MEMORY, "logistic regression: no memory for %zu weights",
                       d + 1);
  memset (weights, 0, (d + 1) * sizeof (double));
  inout_problem->sums = sums;
  is_ok = minimise (inout_problem, weights, gradient, error);
  if (is_ok)
    memcpy (ret_weights, weights, (d + 1) * sizeof (double));
  lbfgs_free (weights);
  return is_ok;
}

gboolean
assay_logistic_fit (AssayView features, const guint8 *labels, double penalty, double *ret_weights,
                    GError **error)
{
  Problem problem = { .features = features.data,
                      .labels = labels,
                      .n = features.rows,
                      .d = features.cols,
                      .k = features.cols,
                      .penalty = penalty };

  g_return_val_if_fail (penalty >= 0 && problem.d < G_MAXINT - 16, FALSE);
  return fit (&problem, features, ret_weights, error);
}

gboolean
assay_logistic_fit_sparse (const AssaySparseRows *rows, const guint8 *labels, double penalty,
                           double *ret_weights, GError **error)
{
  Problem problem = { .features = rows->values,
                      .columns = rows->columns,
                      .labels = labels,
                      .n = rows->n,
                      .d = rows->d,
                      .k = rows->k,
                      .penalty = penalty };
  const AssayView values = { rows->n, rows->k, rows->k, rows->values };

  g_return_val_if_fail (penalty >= 0 && problem.d < G_MAXINT - 16, FALSE);
  for (gsize e = 0; e < rows->n * rows->k; e++)
    g_return_val_if_fail (rows->columns[e] < rows->d, FALSE);
  return fit (&problem, values, ret_weights, error);
}
