/* core/math/logistic.c against Newton's method and against what holds at an optimum. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/math/linalg.h"
#include "core/math/logistic.h"
#include "tests/unit/assert-near.h"

typedef struct {
  gsize n, d;
  float *features;
  guint8 *labels;
} Sample;

static void
free_sample (Sample *sample)
{
  g_free (sample->features);
  g_free (sample->labels);
  g_free (sample);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sample, free_sample)

/* Normal features of several scales, labels from a logistic model. */
static Sample *
make_sample (gsize n, gsize d)
{
  AssayStream stream = assay_stream (assay_stream_key (n, d, "logistic", ""), 0);
  Sample *sample = g_new (Sample, 1);

  *sample = (Sample){ n, d, g_new (float, n * d + 1), g_new (guint8, n) };
  for (gsize i = 0; i < n; i++) {
    double s = 0.3;

    for (gsize j = 0; j < d; j++) {
      const double x = assay_stream_normal (&stream) * (1 + (double) (j % 3));

      sample->features[i * d + j] = (float) x;
      s += x * ((double) (j % 5) - 2) / 4;
    }
    sample->labels[i] = assay_stream_uniform (&stream) < 1 / (1 + exp (-s));
  }
  return sample;
}

/* Gradient and, if @ret_hessian is not NULL, Hessian of the penalised mean loss, term by term. */
static void
naive_derivatives (const Sample *sample, double penalty, const double *w, double *ret_gradient,
                   double *ret_hessian)
{
  const gsize d = sample->d, k = d + 1;

  memset (ret_gradient, 0, k * sizeof (double));
  if (ret_hessian != NULL)
    memset (ret_hessian, 0, k * k * sizeof (double));
  for (gsize i = 0; i < sample->n; i++) {
    const float *x = sample->features + i * d;
    double s = w[d], q;

    for (gsize j = 0; j < d; j++)
      s += w[j] * x[j];
    q = 1 / (1 + exp (-s));
    for (gsize a = 0; a < k; a++) {
      const double xa = a < d ? x[a] : 1;

      ret_gradient[a] += (q - sample->labels[i]) * xa / (double) sample->n;
      for (gsize b = 0; ret_hessian != NULL && b < k; b++)
        ret_hessian[a * k + b] += q * (1 - q) * xa * (b < d ? x[b] : 1) / (double) sample->n;
    }
  }
  for (gsize j = 0; j < d; j++) {
    ret_gradient[j] += penalty * w[j];
    if (ret_hessian != NULL)
      ret_hessian[j * k + j] += penalty;
  }
}

/* Solves A x = b in place by Gauss with the largest pivot; x is in @b. */
static void
naive_solve (double *a, double *b, gsize k)
{
  for (gsize c = 0; c < k; c++) {
    gsize pivot = c;

    for (gsize r = c + 1; r < k; r++)
      if (fabs (a[r * k + c]) > fabs (a[pivot * k + c]))
        pivot = r;
    for (gsize j = 0; j <= k; j++) {
      double *one = j < k ? &a[c * k + j] : &b[c], *other = j < k ? &a[pivot * k + j] : &b[pivot];
      const double held = *one;

      *one = *other;
      *other = held;
    }
    for (gsize r = 0; r < k; r++) {
      const double factor = a[r * k + c] / a[c * k + c];

      for (gsize j = c; r != c && j < k; j++)
        a[r * k + j] -= factor * a[c * k + j];
      if (r != c)
        b[r] -= factor * b[c];
    }
  }
  for (gsize c = 0; c < k; c++)
    b[c] /= a[c * k + c];
}

/* Newton's method (iteratively reweighted least squares) from 0. */
static void
naive_fit (const Sample *sample, double penalty, double *ret_weights)
{
  const gsize k = sample->d + 1;
  g_autofree double *hessian = g_new (double, k * k);
  g_autofree double *step = g_new (double, k);

  memset (ret_weights, 0, k * sizeof (double));
  for (guint iteration = 0; iteration < 50; iteration++) {
    naive_derivatives (sample, penalty, ret_weights, step, hessian);
    naive_solve (hessian, step, k);
    for (gsize j = 0; j < k; j++)
      ret_weights[j] -= step[j];
  }
}

/* The search ends at a gradient of 1e-7 max (1, |w|) with |w| under 10, and these samples have no
 * curvature below 1e-2: that makes 1e-4 of distance from the optimum. What is promised is a
 * gradient of 1e-6 max (1, |w|). */
Test (logistic, agrees_with_newton)
{
  static const gsize sizes[][2] = { { 40, 1 }, { 200, 3 }, { 500, 7 }, { 3000, 12 }, { 60, 0 } };
  static const double penalties[] = { 1e-3, 0.1, 2 };

  for (gsize c = 0; c < G_N_ELEMENTS (sizes); c++)
    for (gsize p = 0; p < G_N_ELEMENTS (penalties); p++) {
      const gsize n = sizes[c][0], d = sizes[c][1];
      g_autoptr (Sample) sample = make_sample (n, d);
      double found[16], expected[16], gradient[16], slope = 0, length = 0;
      g_autoptr (GError) error = NULL;

      cr_assert (assay_logistic_fit (assay_view_of (sample->features, n, d), sample->labels,
                                     penalties[p], found, &error),
                 "%s", error != NULL ? error->message : "");
      naive_fit (sample, penalties[p], expected);
      naive_derivatives (sample, penalties[p], found, gradient, NULL);
      for (gsize j = 0; j <= d; j++) {
        slope += gradient[j] * gradient[j];
        length += found[j] * found[j];
        assert_near (found[j], expected[j], 1e-4, "n %zu, d %zu, penalty %g: weight %zu", n, d,
                     penalties[p], j);
      }
      cr_assert (sqrt (slope) <= 1e-6 * fmax (1, sqrt (length)), "n %zu, d %zu, penalty %g: %g", n,
                 d, penalties[p], sqrt (slope));
    }
}

/* Rows of which two entries of each are given, some of them in one column, are the dense rows that
 * they add up to. */
Test (logistic, sparse_rows_are_the_dense_ones)
{
  enum { N = 600, D = 8, K = 3 };
  g_autoptr (Sample) sample = make_sample (N, D);
  guint32 columns[N * K];
  float values[N * K];
  double sparse[D + 1], dense[D + 1];

  memset (sample->features, 0, N * D * sizeof (float));
  for (guint i = 0; i < N; i++)
    for (guint e = 0; e < K; e++) {
      columns[i * K + e] = e == 2 ? columns[i * K] : (i * (e + 3) + e) % D;
      values[i * K + e] = (float) ((int) (i * 7 + e * 5) % 11 - 5) / 4;
      sample->features[i * D + columns[i * K + e]] += values[i * K + e];
    }
  cr_assert (assay_logistic_fit (assay_view_of (sample->features, N, D), sample->labels, 1e-2,
                                 dense, NULL));
  cr_assert (assay_logistic_fit_sparse (&(AssaySparseRows){ N, D, K, columns, values },
                                        sample->labels, 1e-2, sparse, NULL));
  for (gsize j = 0; j <= D; j++)
    assert_near (sparse[j], dense[j], 1e-5, "weight %zu", j);
  cr_assert (fabs (dense[0]) > 1e-3, "%g", dense[0]);
}

/* With no features the optimum is the log odds of the labels. */
Test (logistic, intercept_alone_is_the_log_odds)
{
  guint8 labels[100] = { 0 };
  double b;

  memset (labels, 1, 20);
  cr_assert (
      assay_logistic_fit (assay_view_of ((const float[]){ 0 }, 100, 0), labels, 1, &b, NULL));
  assert_near (b, log (20.0 / 80), 1e-5, "b");
}

/* x = +-1 with labels to match: the weight w has penalty * w = 1 / (1 + exp (w)), b is 0. */
Test (logistic, penalty_keeps_separable_data_finite)
{
  static const double penalties[] = { 1e-8, 1e-4, 0.1 };
  static const float features[] = { -1, -1, 1, 1 };
  static const guint8 labels[] = { 0, 0, 1, 1 };

  for (gsize p = 0; p < G_N_ELEMENTS (penalties); p++) {
    double weights[2], low = 0, high = 40;

    while (high - low > 1e-12) {
      const double middle = (low + high) / 2;

      *(penalties[p] * middle < 1 / (1 + exp (middle)) ? &low : &high) = middle;
    }
    cr_assert (
        assay_logistic_fit (assay_view_of (features, 4, 1), labels, penalties[p], weights, NULL));
    assert_near (weights[1], 0, 1e-6, "b at penalty %g", penalties[p]);
    if (penalties[p] > 1e-6)
      assert_near (weights[0], low, 1e-2, "w at penalty %g", penalties[p]);
    else
      cr_assert (weights[0] > 10 && weights[0] < 40, "%g instead of %g", weights[0], low);
  }
}

Test (logistic, threads_change_no_bit)
{
  enum { N = 9000, D = 9 };
  g_autoptr (Sample) sample = make_sample (N, D);
  double one[D + 1], more[D + 1];

  assay_parallel_set_threads (1);
  cr_assert (
      assay_logistic_fit (assay_view_of (sample->features, N, D), sample->labels, 1e-3, one, NULL));
  for (guint threads = 2; threads <= 5; threads++) {
    assay_parallel_set_threads (threads);
    cr_assert (assay_logistic_fit (assay_view_of (sample->features, N, D), sample->labels, 1e-3,
                                   more, NULL));
    cr_assert_eq (memcmp (one, more, sizeof one), 0, "%u threads", threads);
  }
}

Test (logistic, bad_input)
{
  float features[] = { 1, 2, 3, 4 };
  const guint8 ones[] = { 1, 1, 1, 1 }, zeros[] = { 0, 0, 0, 0 }, both[] = { 0, 1, 0, 1 };
  const guint8 split[] = { 0, 0, 1, 1 };
  double weights[2] = { 7, 7 };
  g_autoptr (GError) error = NULL;

  cr_assert_not (assay_logistic_fit (assay_view_of (features, 4, 1), ones, 1, weights, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
  cr_assert_str_eq (error->message,
                    "logistic regression: 4 of 4 labels are 1; expected some of both");
  g_clear_error (&error);
  cr_assert_not (assay_logistic_fit (assay_view_of (features, 4, 1), zeros, 1, weights, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
  g_clear_error (&error);

  features[2] = NAN;
  cr_assert_not (assay_logistic_fit (assay_view_of (features, 4, 1), both, 1, weights, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC));
  cr_assert (strstr (error->message, "row 2, column 0") != NULL, "%s", error->message);
  g_clear_error (&error);
  features[2] = INFINITY;
  cr_assert_not (assay_logistic_fit (assay_view_of (features, 4, 1), both, 1, weights, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC));
  cr_assert (weights[0] == 7 && weights[1] == 7, "weights were touched");

  /* Finite features, but their squares overflow what the search adds up. */
  g_clear_error (&error);
  features[2] = 3e38f;
  features[3] = 3.4e38f;
  if (!assay_logistic_fit (assay_view_of (features, 4, 1), split, 0, weights, &error))
    cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC));
  else
    cr_assert (isfinite (weights[0]) && isfinite (weights[1]));
}
