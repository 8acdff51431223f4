/* The example of docs/writing-a-plugin.md: its guess in a case that can be done by hand, and its
 * control. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/games/control.h"
#include "core/plugin/plugin.h"

extern const AssayAttack assay_attack_centroid;
extern const AssayAttack assay_attack_verbatim;

static AssayArray *
array_of (const float *values, guint n_dimensions, const gsize *shape)
{
  gsize count = 1;

  for (guint i = 0; i < n_dimensions; i++)
    count *= shape[i];
  return assay_array_take (ASSAY_FLOAT32, n_dimensions, shape,
                           g_memdup2 (values, count * sizeof (float)));
}

/* The line (x, 0, 2) and the public rows (2, 4, 5) and (4, 5, 5), whose mean is (3, 4.5, 5): the
 * nearest point of the line is (3, 0, 2). With rows = 1 it is that of the nearer row, the first. */
Test (centroid, guess_by_hand)
{
  const float translation[] = { -1, 0, 2 }, basis[] = { 1, 0, 0 };
  const float known[] = { 2, 4, 5, 4, 5, 5 };
  g_autoptr (AssayArray) public_array = array_of (known, 2, (const gsize[]){ 2, 3 });
  g_autoptr (AssayRows) public_rows = assay_rows_from_array (public_array);
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_SUBSPACES, "by hand");
  g_autoptr (AssaySettings) settings = assay_settings_new (assay_attack_centroid.parameters,
                                                           assay_attack_centroid.settings_size);
  const AssayObservation seen = { .release = release, .public_rows = public_rows };
  const AssayAttackContext context = { .settings = settings->values };

  assay_arrays_take (&release->arrays, "translation",
                     array_of (translation, 2, (const gsize[]){ 1, 3 }));
  assay_arrays_take (&release->arrays, "basis", array_of (basis, 3, (const gsize[]){ 1, 1, 3 }));
  for (guint rows = 2; rows >= 1; rows--) {
    const float expected[] = { rows == 2 ? 3 : 2, 0, 2 };
    g_autofree char *text = g_strdup_printf ("%u", rows);
    g_autoptr (AssayGuess) guess = assay_guess_new ();
    const AssayArray *estimates;

    cr_assert (assay_settings_set (settings, "rows", text, NULL));
    cr_assert (assay_attack_run (&assay_attack_centroid, &context, &seen, guess, NULL));
    estimates = assay_arrays_get (&guess->arrays, "estimates");
    cr_assert (memcmp (estimates->data, expected, sizeof expected) == 0, "rows = %u", rows);
  }
}

/* The control is won by the attack, and lost by one that does not look at the public rows. */
Test (centroid, control)
{
  AssayAttack blind = assay_attack_centroid;
  g_autoptr (AssaySettings) settings = assay_settings_new (assay_attack_centroid.parameters,
                                                           assay_attack_centroid.settings_size);
  AssayControlOutcome outcome;

  for (guint64 seed = 1; seed <= 5; seed++) {
    cr_assert (assay_control_run (&assay_attack_centroid, settings, seed, &outcome, NULL));
    cr_assert (outcome.is_won && outcome.share == 1 && outcome.n == 16, "seed %d", (int) seed);
    blind.attack = assay_attack_verbatim.attack;
    cr_assert (assay_control_run (&blind, settings, seed, &outcome, NULL));
    cr_assert (!outcome.is_won && outcome.share < 0.5, "seed %d: share %g", (int) seed,
               outcome.share);
  }
}
