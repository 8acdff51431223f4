/* Noise as large as the share of a secret that it takes the place of. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/plugin/plugin.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"

#define ALPHA 1e-6
#define DEVIATIONS 5.0 /* of a normal: exceeded with chance 6e-7 */

extern const AssayDefense assay_defense_additive_noise;

enum { SECRETS = 60, COLS = 701, COUNT = SECRETS * COLS };

static AssayRelease *
make (const char *assignments, const AssayMatrix *secrets, GError **error)
{
  const AssayDefense *defense = &assay_defense_additive_noise;
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  g_autoptr (AssayRelease) release = assay_release_new (defense->produces, defense->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  const AssayDefenseContext context
      = { .settings = settings->values, .stream = assay_stream_key (4, 0, "noise", "") };

  if (!defense->protect (&context, assay_matrix_view (secrets), release, truth, error)
      || !assay_release_check (release, error))
    return NULL;
  return g_steal_pointer (&release);
}

static const float *
vectors_of (const AssayRelease *release)
{
  return assay_array_view (assay_arrays_get (&release->arrays, "vectors")).data;
}

/* What was added to (1 - a) x. */
static double *
noise_of (const AssayRelease *release, const AssayMatrix *secrets, double share)
{
  double *noise = g_new (double, COUNT);

  for (gsize i = 0; i < COUNT; i++)
    noise[i] = (double) vectors_of (release)[i] - (1 - share) * (double) secrets->data[i];
  return noise;
}

static double
laplace_cdf (double x)
{
  return x < 0 ? exp (x) / 2 : 1 - exp (-x) / 2;
}

/* E |e_c| = a M for both, where |e_c| has the deviation b (Laplace), sigma sqrt (1 - 2 / pi)
 * (Gaussian); and the shape is that of the distribution. */
Test (additive_noise, is_as_large_as_what_it_replaces)
{
  static const double shares[] = { 0.1, 0.5, 0.9 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 1);
  double magnitude = 0;

  for (gsize i = 0; i < COUNT; i++) {
    secrets->data[i] += (float) (i % 3);
    magnitude += fabs ((double) secrets->data[i]) / COUNT;
  }
  for (gsize s = 0; s < G_N_ELEMENTS (shares); s++)
    for (gboolean is_gaussian = FALSE; is_gaussian <= TRUE; is_gaussian++) {
      const double expected = shares[s] * magnitude;
      const double scale = is_gaussian ? expected * sqrt (G_PI / 2) : expected;
      const double deviation = is_gaussian ? scale * sqrt (1 - 2 / G_PI) : scale;
      g_autofree char *assignments = g_strdup_printf ("share=%g distribution=%s", shares[s],
                                                      is_gaussian ? "gaussian" : "laplace");
      g_autoptr (AssayRelease) release = make (assignments, secrets, NULL);
      g_autofree double *noise = noise_of (release, secrets, shares[s]);
      double mean = 0;

      for (gsize i = 0; i < COUNT; i++) {
        mean += fabs (noise[i]) / COUNT;
        noise[i] /= scale;
      }
      assert_near (mean, expected, DEVIATIONS * deviation / sqrt (COUNT), "%s", assignments);
      cr_assert (sample_ks_distance (noise, COUNT, is_gaussian ? sample_normal_cdf : laplace_cdf)
                     < sample_ks_bound (COUNT, ALPHA),
                 "%s", assignments);
    }
}

Test (additive_noise, without_a_share_is_the_secret)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 1);
  g_autoptr (AssayRelease) release = make ("share=0", secrets, NULL);

  cr_assert_arr_eq (vectors_of (release), secrets->data, COUNT * sizeof (float));
}

/* The noise of two secrets has nothing in common, and threads do not matter. */
Test (additive_noise, is_of_each_secret_alone)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 1);
  g_autoptr (AssayRelease) one = NULL;
  g_autoptr (AssayRelease) three = NULL;
  g_autofree double *noise = NULL;
  double product = 0, square = 0;

  assay_parallel_set_threads (1);
  one = make ("", secrets, NULL);
  assay_parallel_set_threads (3);
  three = make ("", secrets, NULL);
  cr_assert_arr_eq (vectors_of (one), vectors_of (three), COUNT * sizeof (float));
  noise = noise_of (one, secrets, 0.5);
  for (gsize i = 0; i < COUNT; i++) {
    square += noise[i] * noise[i] / COUNT;
    if (i >= COLS)
      product += noise[i] * noise[i - COLS] / (COUNT - COLS);
  }
  assert_near (product / square, 0, DEVIATIONS / sqrt (COUNT - COLS), "neighbouring secrets");
}

Test (additive_noise, needs_a_secret_that_is_not_zero)
{
  g_autoptr (AssayMatrix) zeros = assay_matrix_new (3, 5, NULL);
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (make ("", zeros, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA,
                               "all secrets are zero: expected some that are not, because the "
                               "noise is scaled to their mean magnitude",
                               NULL, &why),
             "%s", why);
}
