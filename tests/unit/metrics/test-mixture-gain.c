/* What attacks show beyond mixtures, against likenesses taken one by one. */
#include <criterion/criterion.h>

#include "core/base/vectors.h"
#include "metrics/images/likeness.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/measurement.h"

extern const AssayMetric assay_metric_mixture_gain;

enum { SIDE = 12, N = 6, D = SIDE * SIDE };

static void
take (AssayArrays *arrays, const char *name, AssayMatrix *rows)
{
  assay_arrays_take (arrays, name,
                     assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (rows), NULL)));
}

/* @share of secret i and the rest of noise, in row (i + @turn) % N. */
static AssayMatrix *
blend (AssayMatrix *secrets, double share, guint64 seed, gsize turn)
{
  AssayMatrix *rows = fixture_normal (N, D, seed);

  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < D; j++) {
      float *number = assay_matrix_row (rows, (i + turn) % N) + j;

      *number = (float) (share * (double) assay_matrix_row (secrets, i)[j]
                         + (1 - share) * (double) *number);
    }
  return rows;
}

static Measurement
make_case (AssayMatrix *secrets, AssayMatrix *mixtures, AssayMatrix *estimates)
{
  Measurement measured = measurement_new ();

  measured.truth->geometry
      = (AssayGeometry){ .height = SIDE, .width = SIDE, .channels = 1, .black = -3, .white = 3 };
  take (&measured.truth->arrays, "secrets", secrets);
  if (mixtures != NULL)
    take (&measured.truth->arrays, "mixtures", mixtures);
  take (&measured.guess->arrays, "estimates", estimates);
  return measured;
}

static ImageLikeness
like (const Measurement *measured, AssayMatrix *secrets, AssayMatrix *rows, gsize i, gsize row)
{
  float room[2 * D];
  ImageLikeness likeness;

  cr_assert (image_likeness (&measured->truth->geometry, assay_matrix_row (secrets, i),
                             assay_matrix_row (rows, row), room, &likeness, NULL));
  return likeness;
}

/* Each secret's estimate, at row (i + @turn) % N, less its own mixture. */
static void
assert_gains (const Measurement *measured, AssayMatrix *secrets, AssayMatrix *mixtures,
              AssayMatrix *estimates, gsize turn)
{
  const AssayMetric *metric = &assay_metric_mixture_gain;
  const double *ssim = measurement_series (metric, "mixture-gain-ssim", measured);
  const double *correlation = measurement_series (metric, "mixture-gain-correlation", measured);
  const double *mixed_ssim = measurement_series (metric, "mixture-ssim", measured);
  const double *mixed_correlation = measurement_series (metric, "mixture-correlation", measured);

  cr_assert (measured->outcomes.n == N);
  for (gsize i = 0; i < N; i++) {
    const ImageLikeness found = like (measured, secrets, estimates, i, (i + turn) % N);
    const ImageLikeness mixed = like (measured, secrets, mixtures, i, i);

    assert_near (ssim[i], found.ssim - mixed.ssim, 1e-12, "SSIM of secret %zu", i);
    assert_near (correlation[i], found.correlation - mixed.correlation, 1e-12, "secret %zu", i);
    assert_near (mixed_ssim[i], mixed.ssim, 1e-12, "SSIM of mixture %zu", i);
    assert_near (mixed_correlation[i], mixed.correlation, 1e-12, "mixture %zu", i);
    cr_assert (ssim[i] > 0.1 && correlation[i] > 0.1, "%zu: %g, %g", i, ssim[i], correlation[i]);
  }
}

Test (mixture_gain, secrets_are_compared_with_their_own_mixtures)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, D, 1);
  g_autoptr (AssayMatrix) mixtures = blend (secrets, 0.4, 2, 0);
  g_autoptr (AssayMatrix) estimates = blend (secrets, 0.8, 3, 0);
  g_auto (Measurement) measured = make_case (secrets, mixtures, estimates);

  measurement_take (&assay_metric_mixture_gain, "", &measured);
  assert_gains (&measured, secrets, mixtures, estimates, 0);
}

/* An attack that does not know which estimate is of which secret; mixtures are assigned as its
 * estimates are, by what they look like. */
Test (mixture_gain, both_are_assigned_where_the_order_is_not_known)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, D, 1);
  g_autoptr (AssayMatrix) mixtures = blend (secrets, 0.4, 2, 0);
  g_autoptr (AssayMatrix) turned = blend (secrets, 0.4, 2, 3);
  g_autoptr (AssayMatrix) estimates = blend (secrets, 0.8, 3, 2);
  g_auto (Measurement) measured = make_case (secrets, turned, estimates);
  const double *correlation;

  measured.guess->is_unordered = TRUE;
  measurement_take (&assay_metric_mixture_gain, "", &measured);
  correlation = measurement_series (&assay_metric_mixture_gain, "mixture-correlation", &measured);
  for (gsize i = 0; i < N; i++)
    assert_near (correlation[i], like (&measured, secrets, turned, i, (i + 3) % N).correlation,
                 1e-12, "secret %zu", i);
  take (&measured.truth->arrays, "mixtures", mixtures);
  measurement_take (&assay_metric_mixture_gain, "", &measured);
  assert_gains (&measured, secrets, mixtures, estimates, 2);
}

Test (mixture_gain, mixtures_themselves_gain_nothing)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, D, 1);
  g_autoptr (AssayMatrix) mixtures = blend (secrets, 0.4, 2, 0);
  g_auto (Measurement) measured = make_case (secrets, mixtures, mixtures);
  const double *ssim, *correlation;

  measurement_take (&assay_metric_mixture_gain, "", &measured);
  ssim = measurement_series (&assay_metric_mixture_gain, "mixture-gain-ssim", &measured);
  correlation
      = measurement_series (&assay_metric_mixture_gain, "mixture-gain-correlation", &measured);
  for (gsize i = 0; i < N; i++)
    cr_assert (ssim[i] == 0 && correlation[i] == 0, "secret %zu", i);
}

/* An attack that finds one picture for several secrets, such as their mean: the secret that it is
 * most like has it, and the others a grey one. */
Test (mixture_gain, secrets_without_an_estimate_have_a_grey_picture)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, D, 1);
  g_autoptr (AssayMatrix) mixtures = blend (secrets, 0.4, 2, 0);
  g_autoptr (AssayMatrix) third
      = assay_matrix_copy ((AssayView){ 1, D, D, secrets->data + 3 * D }, NULL);
  g_auto (Measurement) measured = make_case (secrets, mixtures, third);
  const double *correlation;

  measurement_take (&assay_metric_mixture_gain, "", &measured);
  correlation
      = measurement_series (&assay_metric_mixture_gain, "mixture-gain-correlation", &measured);
  for (gsize i = 0; i < N; i++)
    assert_near (correlation[i], (i == 3) - like (&measured, secrets, mixtures, i, i).correlation,
                 1e-9, "secret %zu", i);
}

Test (mixture_gain, what_does_not_fit_is_refused)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, D, 1);
  g_autoptr (AssayMatrix) fewer = fixture_normal (N - 1, D, 2);
  g_auto (Measurement) without = make_case (secrets, NULL, secrets);
  g_auto (Measurement) short_of = make_case (secrets, fewer, secrets);

  measurement_refused (&assay_metric_mixture_gain, "", &without, ASSAY_ERROR_MISMATCH,
                       "the truth has no mixtures; expected those that were released, or that "
                       "gradients are of");
  measurement_refused (&assay_metric_mixture_gain, "", &short_of, ASSAY_ERROR_MISMATCH,
                       "estimates have 144 columns, and mixtures are 5 x 144; expected as many "
                       "columns as secrets have, and a mixture for each: 6 x 144");
}
