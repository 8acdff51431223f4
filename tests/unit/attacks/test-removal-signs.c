/* `whitened-removal` where nothing can be removed: signs over images that are not mixed (k = 1). */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/mixtures/mixture-control.h"
#include "core/data/kinds/mixtures.h"
#include "core/games/control.h"
#include "tests/reference/fixtures.h"

extern const AssayAttack assay_attack_whitened_removal;

enum { N = 70, SIDE = 20 };

/* @n smooth images whose pixels have a mean of .8 and a deviation of 1. */
static AssayMatrix *
make_images (gsize n)
{
  const MixtureControl smooth = { .n_secrets = 2,
                                  .n_public = n,
                                  .side = SIDE,
                                  .n_sources = 2,
                                  .n_partners = 2,
                                  .window = 7,
                                  .is_single = TRUE };
  AssayControlCase of = { 0 };
  AssayMatrix *rows;

  cr_assert (mixture_control_make (&smooth, assay_stream_key (5, 0, "case", ""), &of, NULL));
  rows = assay_rows_matrix (of.public_rows, ASSAY_SCALE_NONE, NULL);
  for (gsize i = 0; i < rows->rows * rows->cols; i++)
    rows->data[i] += 0.8F;
  assay_control_case_clear (&of);
  return rows;
}

/* The first images of @rows, each number with a sign by chance where @has_mask. */
static AssayRelease *
release_images (const AssayMatrix *rows, gboolean has_mask)
{
  AssayStream stream = assay_stream (assay_stream_key (7, 0, "signs", ""), 0);
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_MIXTURES, "test");
  AssayMatrix *images
      = assay_matrix_copy ((AssayView){ N, rows->cols, rows->cols, rows->data }, NULL);

  for (gsize i = 0; i < N * rows->cols && has_mask; i++)
    images->data[i] *= assay_stream_below (&stream, 2) == 1 ? -1 : 1;
  release->geometry = (AssayGeometry){ .height = SIDE, .width = SIDE, .channels = 1 };
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k, 1);
  assay_arrays_take_matrix (&release->arrays, "images", &images);
  return release;
}

/* The squared error of what the attack finds of them, as a share of that of |x|. */
static double
play (const char *assignments, gboolean has_mask)
{
  const AssayAttack *attack = &assay_attack_whitened_removal;
  g_autoptr (AssayMatrix) rows = make_images (600);
  g_autoptr (AssayRows) public_rows = fixture_rows (rows);
  g_autoptr (AssayRelease) release = release_images (rows, has_mask);
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (GError) error = NULL;
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (9, 0, "attack", "") };
  const AssayObservation seen = { .release = release, .public_rows = public_rows };
  const float *estimates;
  double own = 0, absolute = 0;

  cr_assert (assay_attack_run (attack, &context, &seen, guess, &error), "%s: %s", assignments,
             error != NULL ? error->message : "");
  estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates")).data;
  for (gsize i = 0; i < N * rows->cols; i++) {
    const double x = rows->data[i];

    own += pow ((double) estimates[i] - x, 2);
    absolute += pow (fabs (x) - x, 2);
  }
  return own / absolute;
}

/* |x| has 4 in 5 signs right; what neighbours tell of one another leaves less than half of its
 * error. Windows, of which there are none, change nothing. */
Test (removal_signs, neighbours_tell_them)
{
  const double share = play ("", TRUE);

  cr_log_info ("squared error: %g of that of |x|", share);
  cr_assert (share < 0.5, "%g", share);
  cr_assert (play ("all_windows=yes", TRUE) == share);
}

Test (removal_signs, images_without_a_mask_are_left_as_they_are)
{
  const double share = play ("transform=plain", FALSE);

  cr_assert (share < 1e-6, "%g", share);
}
