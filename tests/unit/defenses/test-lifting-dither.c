/* Noise that affine lifting adds to secrets before it lifts them. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-scan.h"
#include "tests/unit/assert-near.h"

extern const AssayDefense assay_defense_affine_lifting;

static AssayRelease *
lift (const char *assignments, AssayView secrets, AssayTruth **ret_truth)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_affine_lifting.plugin, assignments);
  AssayRelease *release = NULL;

  cr_assert (fixture_protect (&assay_defense_affine_lifting, settings,
                              assay_stream_key (7, 0, "defense", "test"), secrets, NULL, &release,
                              ret_truth, NULL));
  return release;
}

/* What is lifted is within the dither of the secret in each number, and the truth is the secret; it
 * depends on the secret's number and not on how many there are. */
Test (lifting_dither, noise_is_uniform)
{
  enum { N = 128, SECRETS = 40 };
  static const double dithers[] = { 0.001, 0.1, 0.5 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, N, 1);
  const AssayView all = assay_matrix_view (secrets);

  for (gsize c = 0; c < G_N_ELEMENTS (dithers); c++) {
    g_autofree char *text
        = g_strdup_printf ("variant=random dimension=1 normalize=no dither=%g", dithers[c]);
    g_autoptr (AssayTruth) truth = NULL;
    g_autoptr (AssayTruth) other = NULL;
    g_autoptr (AssayRelease) release = lift (text, all, &truth);
    g_autoptr (AssayRelease) few = lift (text, assay_view_rows (all, 0, 5), &other);
    const AssaySubspaces subspaces = assay_release_subspaces (release);
    double sum = 0;

    cr_assert (memcmp (assay_release_subspaces (few).translation, subspaces.translation,
                       5 * N * sizeof (float))
               == 0);
    cr_assert (memcmp (assay_arrays_get (&truth->arrays, "secrets")->data, secrets->data,
                       SECRETS * N * sizeof (float))
               == 0);
    for (gsize s = 0; s < SECRETS; s++) {
      const double gap = naive_scan_distance (&subspaces, s, assay_matrix_row (secrets, s));

      cr_assert (gap > 0 && gap <= dithers[c] * sqrt (N), "%s, secret %zu: %g", text, s, gap);
      sum += gap * gap / (N - 1);
    }
    /* Of uniform noise: dither^2 / 3, of which the mean over 40 x 127 numbers is 1.3 % off. */
    assert_near (sum / SECRETS, dithers[c] * dithers[c] / 3, 0.07 * dithers[c] * dithers[c] / 3,
                 "%s", text);
  }
}

/* The lifting itself draws the same: adversarial rows, directions and translations. */
Test (lifting_dither, nothing_else_moves)
{
  enum { N = 24, SECRETS = 6 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, N, 1);
  g_autoptr (AssayTruth) truth = NULL;
  g_autoptr (AssayTruth) other = NULL;
  g_autoptr (AssayRelease) plain
      = lift ("variant=random dimension=3", assay_matrix_view (secrets), &truth);
  g_autoptr (AssayRelease) noisy
      = lift ("variant=random dimension=3 dither=1e-6", assay_matrix_view (secrets), &other);
  const AssaySubspaces a = assay_release_subspaces (plain), b = assay_release_subspaces (noisy);

  for (gsize i = 0; i < SECRETS * 3 * N; i++)
    assert_near (a.basis[i], b.basis[i], 1e-5, "number %zu", i);
}
