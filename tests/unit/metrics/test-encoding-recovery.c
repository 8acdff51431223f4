/* Pictures of single mixtures, by the definitions of the challenge. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/math/image-quality.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-image-quality.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/measurement.h"

extern const AssayMetric assay_metric_encoding_recovery;

enum { SIDE = 14, D = SIDE * SIDE, SECRETS = 4, MIXTURES = 5, PAIR = 2 };

static const AssayImageShape shape = { SIDE, SIDE, 1 };
static const gint64 sources[MIXTURES * PAIR] = { 0, 1, 1, 2, 2, 3, 3, 0, 0, 2 };
static const char *const names[]
    = { "encoding-ssim-max", "encoding-ssim-mean", "encoding-l2-max", "encoding-l2-mean" };
/* Pixels lie from -4 to 4. */
#define BLACK -4.0
#define RANGE 8.0

static AssayArray *
numbers (gsize rows, const gint64 *values)
{
  return assay_array_take (ASSAY_INT64, 2, (const gsize[]){ rows, PAIR },
                           g_memdup2 (values, rows * PAIR * sizeof *values));
}

static void
naive (const float *secret, const float *picture, double *ret_ssim, double *ret_distance)
{
  float a[D], b[D];

  *ret_distance = 0;
  for (gsize j = 0; j < D; j++) {
    a[j] = (float) ((double) secret[j] - BLACK);
    b[j] = (float) ((double) picture[j] - BLACK);
    *ret_distance += ((double) a[j] - b[j]) * ((double) a[j] - b[j]) / (RANGE * RANGE);
  }
  *ret_distance = sqrt (*ret_distance);
  *ret_ssim = naive_ssim (shape, RANGE, a, b);
}

static void
assert_outcomes (const Measurement *measured, const AssayMatrix *secrets,
                 const AssayMatrix *pictures)
{
  cr_assert (measured->outcomes.n == MIXTURES);
  for (gsize t = 0; t < MIXTURES; t++) {
    double ssim[PAIR], distance[PAIR];
    double values[G_N_ELEMENTS (names)];

    for (gsize i = 0; i < PAIR; i++)
      naive (secrets->data + sources[t * PAIR + i] * D, pictures->data + t * D, &ssim[i],
             &distance[i]);
    values[0] = fmax (ssim[0], ssim[1]);
    values[1] = (ssim[0] + ssim[1]) / 2;
    values[2] = fmax (distance[0], distance[1]);
    values[3] = (distance[0] + distance[1]) / 2;
    for (gsize e = 0; e < G_N_ELEMENTS (names); e++)
      assert_near (measurement_series (&assay_metric_encoding_recovery, names[e], measured)[t],
                   values[e], 1e-6, "%s of mixture %zu", names[e], t);
  }
}

Test (encoding_recovery, is_that_of_the_definitions)
{
  static const gint64 found[MIXTURES * PAIR] = { 1, 0, 2, 1, 3, 2, 0, 3, 0, 2 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, D, 1);
  g_autoptr (AssayMatrix) pictures = fixture_normal (MIXTURES, D, 2);
  g_autoptr (AssayMatrix) estimates = fixture_normal (SECRETS, D, 3);
  g_auto (Measurement) measured = measurement_new ();

  measured.truth->geometry = (AssayGeometry){
    .height = SIDE, .width = SIDE, .channels = 1, .black = BLACK, .white = BLACK + RANGE
  };
  assay_arrays_take (
      &measured.truth->arrays, "secrets",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (secrets), NULL)));
  assay_arrays_take (&measured.truth->arrays, "sources", numbers (MIXTURES, sources));
  /* One picture for each mixture. */
  assay_arrays_take (
      &measured.guess->arrays, "estimates",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (pictures), NULL)));
  measurement_take (&assay_metric_encoding_recovery, "sign=known", &measured);
  assert_outcomes (&measured, secrets, pictures);
  /* One for each secret, of which the attack says the mixtures. */
  assay_arrays_take (
      &measured.guess->arrays, "estimates",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (estimates), NULL)));
  measurement_refused (&assay_metric_encoding_recovery, "", &measured, ASSAY_ERROR_MISMATCH,
                       "4 estimates for 5 mixtures; expected one for each, or an attack that says "
                       "which are in each (mixture-estimates)");
  assay_arrays_take (&measured.guess->arrays, "mixture-estimates", numbers (MIXTURES, found));
  measurement_take (&assay_metric_encoding_recovery, "sign=known", &measured);
  for (gsize t = 0; t < MIXTURES; t++)
    memcpy (pictures->data + t * D, estimates->data + found[t * PAIR] * D, D * sizeof (float));
  assert_outcomes (&measured, secrets, pictures);
}

/* Negated, the picture is exact where signs are free. */
Test (encoding_recovery, signs_may_be_free)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, D, 1);
  g_autoptr (AssayMatrix) pictures = fixture_normal (MIXTURES, D, 2);
  g_auto (Measurement) measured = measurement_new ();

  for (gsize t = 0; t < MIXTURES; t++)
    for (gsize j = 0; j < D; j++)
      pictures->data[t * D + j] = -secrets->data[(gsize) sources[t * PAIR] * D + j];
  measured.truth->geometry = (AssayGeometry){
    .height = SIDE, .width = SIDE, .channels = 1, .black = BLACK, .white = BLACK + RANGE
  };
  assay_arrays_take_matrix (&measured.truth->arrays, "secrets", &secrets);
  assay_arrays_take (&measured.truth->arrays, "sources", numbers (MIXTURES, sources));
  assay_arrays_take_matrix (&measured.guess->arrays, "estimates", &pictures);
  measurement_take (&assay_metric_encoding_recovery, "sign=free", &measured);
  for (gsize t = 0; t < MIXTURES; t++)
    assert_near (
        measurement_series (&assay_metric_encoding_recovery, "encoding-ssim-max", &measured)[t], 1,
        1e-12, "mixture %zu", t);
}
