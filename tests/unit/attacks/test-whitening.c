/* What the attack `whitened` works by: its covariance against all mixtures written out, its scores
 * against naive ones in double. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/whitened/whitened-scores.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

/* ---- Covariance ---- */

/* Expected power sums of a few shares that are as likely as one another. */
static WhiteningMoments
moments_of (gsize n, gsize k, const double *shares)
{
  WhiteningMoments moments = { 0 };

  for (gsize i = 0; i < n; i++) {
    double p2 = 0, p3 = 0, p4 = 0;

    for (gsize j = 0; j < k; j++) {
      p2 += pow (shares[i * k + j], 2);
      p3 += pow (shares[i * k + j], 3);
      p4 += pow (shares[i * k + j], 4);
    }
    moments.second += p2 / (double) n;
    moments.third += p3 / (double) n;
    moments.fourth += p4 / (double) n;
    moments.second_squared += p2 * p2 / (double) n;
  }
  return moments;
}

Test (whitening, covariance_is_that_of_all_mixtures)
{
  enum { M = 4, D = 150, K = 3, SHARES = 2, ALL = SHARES * M * M * M };
  static const double shares[SHARES * K] = { 0.2, 0.3, 0.5, 0.6, 0.3, 0.1 };
  const WhiteningMoments moments = moments_of (SHARES, K, shares);
  g_autoptr (AssayMatrix) images = fixture_normal (M, D, 3);
  g_autofree double *features = g_new0 (double, ALL *D);

  for (gsize i = 0; i < M * D; i++)
    images->data[i] += 0.7f;
  for (guint form = 0; form < 2; form++) {
    g_auto (Whitening) whitening = { 0 };
    double mean[D] = { 0 };

    cr_assert (whitening_learn (assay_matrix_view (images), form, &moments, &whitening, NULL));
    for (gsize i = 0; i < ALL; i++)
      for (gsize a = 0; a < D; a++) {
        const double *l = shares + i / (M * M * M) * K;
        const double z = l[0] * images->data[i % M * D + a] + l[1] * images->data[i / M % M * D + a]
                         + l[2] * images->data[i / (M * M) % M * D + a];

        features[i * D + a] = form == WHITENING_PLAIN ? z : z * z;
        mean[a] += features[i * D + a] / ALL;
      }
    for (gsize a = 0; a < D; a++)
      assert_near (whitening.mean[a], mean[a], 1e-5, "form %u: mean %zu", form, a);
    for (gsize a = 0; a < D; a++)
      for (gsize b = 0; b < D; b++) {
        double sum = 0;

        for (gsize i = 0; i < ALL; i++)
          sum += (features[i * D + a] - mean[a]) * (features[i * D + b] - mean[b]) / ALL;
        /* Sums of four products of float32 numbers, none above 40. */
        assert_near (whitening.covariance[a * D + b], sum, 4e-5, "form %u: %zu, %zu", form, a, b);
      }
  }
}

/* l = U / (U + V) with U and V uniform: E l^2 = 1 - ln 2. */
Test (whitening, moments_of_two_uniform_shares_are_known)
{
  const WhiteningMoments moments = whitening_moments (&(WhiteningShares){ 2, 1 });

  /* Hoeffding: numbers in a range of 1/2, 20,000 draws, 1e-6. */
  assert_near (moments.second, 2 - 2 * G_LN2, 0.0096, "E l^2");
  /* With shares l and 1 - l the others are polynomials of q = l^2 + (1 - l)^2, draw by draw. */
  assert_near (moments.third, (3 * moments.second - 1) / 2, 1e-9, "E l^3");
  assert_near (moments.fourth, (moments.second_squared + 2 * moments.second - 1) / 2, 1e-9,
               "E l^4");
}

Test (whitening, shares_meet_their_bound)
{
  const WhiteningShares shares = { 4, 0.4 };
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "test", ""), 0);

  for (gsize i = 0; i < 1000; i++) {
    double drawn[4], sum = 0;

    whitening_draw_shares (&shares, &stream, drawn);
    for (gsize j = 0; j < 4; j++) {
      cr_assert (drawn[j] <= 0.4);
      sum += drawn[j];
    }
    assert_near (sum, 1, 1e-12, "draw %zu", i);
  }
}

/* D C D' of the leading components is diagonal, and P (C + ridge t I) is I. */
Test (whitening, inverse_and_directions_whiten)
{
  enum { M = 60, D = 40, COUNT = 15 };
  const double ridge = 0.05;
  const WhiteningMoments moments = whitening_moments (&(WhiteningShares){ 4, 0.65 });
  g_autoptr (AssayMatrix) images = fixture_normal (M, D, 4);
  g_autoptr (AssayMatrix) inverse = assay_matrix_new (D, D, NULL);
  g_autoptr (AssayMatrix) directions = NULL;
  g_auto (Whitening) whitening = { 0 };
  double trace = 0;

  cr_assert (
      whitening_learn (assay_matrix_view (images), WHITENING_SQUARED, &moments, &whitening, NULL));
  cr_assert (whitening_inverse (&whitening, ridge, inverse->data, NULL));
  directions = whitening_directions (&whitening, COUNT, ridge, NULL);
  cr_assert (directions != NULL);
  for (gsize a = 0; a < D; a++)
    trace += whitening.covariance[a * D + a] / D;
  for (gsize a = 0; a < D; a++)
    for (gsize b = 0; b < D; b++) {
      double sum = ridge * trace * inverse->data[a * D + b];

      for (gsize c = 0; c < D; c++)
        sum += (double) inverse->data[a * D + c] * whitening.covariance[c * D + b];
      assert_near (sum, a == b, 1e-4, "P C: %zu, %zu", a, b);
    }
  for (gsize i = 0; i < COUNT; i++)
    for (gsize j = 0; j < COUNT; j++) {
      const float *left = assay_matrix_row (directions, i);
      const float *right = assay_matrix_row (directions, j);
      double sum = 0;

      for (gsize a = 0; a < D; a++)
        for (gsize b = 0; b < D; b++)
          sum += left[a] * (whitening.covariance[a * D + b] + (a == b ? ridge * trace : 0.0))
                 * right[b];
      assert_near (sum, i == j, 1e-4, "D C D': %zu, %zu", i, j);
    }
}

/* ---- Scores ---- */

/* Solves A x = b by Gauss-Jordan elimination; both are spoilt. */
static void
naive_solve (gsize n, double *a, double *b)
{
  for (gsize i = 0; i < n; i++) {
    for (gsize r = 0; r < n; r++) {
      const double factor = r == i ? 0 : a[r * n + i] / a[i * n + i];

      for (gsize c = 0; c < n; c++)
        a[r * n + c] -= factor * a[i * n + c];
      b[r] -= factor * b[i];
    }
  }
  for (gsize i = 0; i < n; i++)
    b[i] /= a[i * n + i];
}

/* <x, (C + ridge t I)^-1 y>. */
static double
naive_metric (const Whitening *whitening, double ridge, const double *x, const double *y)
{
  const gsize d = whitening->cols;
  g_autofree double *a = g_memdup2 (whitening->covariance, d * d * sizeof (double));
  g_autofree double *b = g_memdup2 (y, d * sizeof (double));
  double trace = 0, sum = 0;

  for (gsize i = 0; i < d; i++)
    trace += a[i * d + i] / (double) d;
  for (gsize i = 0; i < d; i++)
    a[i * d + i] += ridge * trace;
  naive_solve (d, a, b);
  for (gsize i = 0; i < d; i++)
    sum += x[i] * b[i];
  return sum;
}

enum { TINY_D = 10, TINY_M = 9 };

typedef struct {
  WhitenedOptions options;
  Whitening whitening;
  double c[TINY_M][TINY_D];
  double v[TINY_D];
} Tiny;

static double
naive_score (const Tiny *tiny, const float *mixture, gsize s)
{
  const gboolean is_plain = tiny->options.form == WHITENING_PLAIN;
  double y[TINY_D], t[TINY_D], best = -INFINITY;

  for (gsize a = 0; a < TINY_D; a++)
    y[a] = (is_plain ? (double) mixture[a] : (double) mixture[a] * mixture[a])
           - tiny->whitening.mean[a];
  for (guint step = 1; step <= 13; step++) {
    const double l = 0.05 * step;

    for (gsize a = 0; a < TINY_D; a++) {
      const double c = tiny->c[s][a], square = l * l * (c * c - tiny->v[a]);

      t[a] = is_plain ? l * c
             : tiny->options.template == WHITENED_SQUARES
                 ? square
                 : square + 2 * l * tiny->whitening.image[a] * c;
    }
    best = fmax (best, naive_metric (&tiny->whitening, tiny->options.ridge, y, t)
                           / sqrt (naive_metric (&tiny->whitening, tiny->options.ridge, t, t)));
  }
  return best;
}

static void
tiny_make (Tiny *tiny, const WhitenedOptions *options, const AssayMatrix *images)
{
  const WhiteningMoments moments = whitening_moments (&options->shares);

  *tiny = (Tiny){ .options = *options };
  cr_assert (whitening_learn (assay_matrix_view (images), options->form, &moments, &tiny->whitening,
                              NULL));
  for (gsize s = 0; s < TINY_M; s++)
    for (gsize a = 0; a < TINY_D; a++) {
      tiny->c[s][a] = images->data[s * TINY_D + a] - tiny->whitening.image[a];
      tiny->v[a] += tiny->c[s][a] * tiny->c[s][a] / TINY_M;
    }
}

Test (whitening, scores_are_those_of_the_naive_form)
{
  enum { N = 5 };
  g_autoptr (AssayMatrix) images = fixture_normal (TINY_M, TINY_D, 5);
  g_autoptr (AssayMatrix) mixtures = fixture_normal (N, TINY_D, 6);

  for (gsize i = 0; i < TINY_M * TINY_D; i++)
    images->data[i] += 0.4f;
  for (guint form = 0; form < 2; form++)
    for (guint template = 0; template <2; template ++) {
      const WhitenedOptions options
          = { .form = form, .template = template, .ridge = 0.1, .shares = { 4, 0.65 } };
      float scores[N * TINY_M];
      Tiny tiny;

      tiny_make (&tiny, &options, images);
      cr_assert (whitened_scores (&options, assay_matrix_view (images),
                                  assay_matrix_view (mixtures), scores, NULL));
      for (gsize i = 0; i < N; i++)
        for (gsize s = 0; s < TINY_M; s++)
          assert_near (scores[i * TINY_M + s],
                       naive_score (&tiny, assay_matrix_row (mixtures, i), s), 2e-4,
                       "form %u, template %u: mixture %zu, image %zu", form, template, i, s);
      whitening_clear (&tiny.whitening);
    }
}

static void
naive_standardise (double *values)
{
  double mean = 0, square = 0;

  for (gsize s = 0; s < TINY_M; s++)
    mean += values[s] / TINY_M;
  for (gsize s = 0; s < TINY_M; s++)
    square += pow (values[s] - mean, 2) / TINY_M;
  for (gsize s = 0; s < TINY_M; s++)
    values[s] = (values[s] - mean) / sqrt (square);
}

/* One image of a mixture found, and all others judged by the signs that it tells. */
static void
naive_refine (const Tiny *tiny, const Whitening *plain, double p2, const float *mixture,
              double *ret_scores)
{
  const double ridge = 0.1;
  double first[TINY_M], later[TINY_M], rest[TINY_D], w = 0.25, most = -INFINITY;
  gsize best = 0;

  for (gsize s = 0; s < TINY_M; s++) {
    first[s] = naive_score (tiny, mixture, s);
    best = first[s] > first[best] ? s : best;
  }
  for (guint round = 0; round <= 8; round++) {
    const double left = fmax (p2 - w * w, 0.25 * p2);

    for (gsize a = 0; a < TINY_D; a++) {
      const double q = plain->image[a] + w * tiny->c[best][a], e = fabs ((double) mixture[a]);

      rest[a] = e * tanh (e * q / (left * tiny->v[a])) - q;
    }
    if (round < 8)
      w = fmin (
          fmax (w
                    + naive_metric (plain, ridge, tiny->c[best], rest)
                          / (1.001 * naive_metric (plain, ridge, tiny->c[best], tiny->c[best])),
                0.02),
          0.65);
  }
  for (gsize s = 0; s < TINY_M; s++)
    later[s] = naive_metric (plain, ridge, tiny->c[s], rest)
               / sqrt (naive_metric (plain, ridge, tiny->c[s], tiny->c[s]));
  naive_standardise (first);
  naive_standardise (later);
  for (gsize s = 0; s < TINY_M; s++) {
    ret_scores[s] = first[s] + later[s];
    most = fmax (most, ret_scores[s]);
  }
  ret_scores[best] = most + 1;
}

Test (whitening, refinement_is_that_of_the_naive_form)
{
  enum { N = 20 };
  const WhiteningMoments single = { 1, 1, 1, 1 };
  const WhitenedOptions options = { .form = WHITENING_SQUARED,
                                    .template = WHITENED_SHARES,
                                    .ridge = 0.1,
                                    .refine = 1,
                                    .shares = { 4, 0.65 } };
  const double p2 = whitening_moments (&options.shares).second;
  g_autoptr (AssayMatrix) images = fixture_normal (TINY_M, TINY_D, 7);
  g_autoptr (AssayMatrix) mixtures = fixture_normal (N, TINY_D, 8);
  g_auto (Whitening) plain = { 0 };
  float scores[N * TINY_M];
  Tiny tiny;

  tiny_make (&tiny, &options, images);
  cr_assert (whitening_learn (assay_matrix_view (images), WHITENING_PLAIN, &single, &plain, NULL));
  cr_assert (whitened_scores (&options, assay_matrix_view (images), assay_matrix_view (mixtures),
                              scores, NULL));
  for (gsize i = 0; i < N; i++) {
    double expected[TINY_M];

    naive_refine (&tiny, &plain, p2, assay_matrix_row (mixtures, i), expected);
    for (gsize s = 0; s < TINY_M; s++)
      assert_near (scores[i * TINY_M + s], expected[s], 2e-3, "mixture %zu, image %zu", i, s);
  }
  whitening_clear (&tiny.whitening);
}
