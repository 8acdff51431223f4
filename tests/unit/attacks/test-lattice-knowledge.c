/* The lattice attack: what grants tell its candidates apart by, records that are linked, and the
 * clock. */
#include <criterion/criterion.h>
#include <string.h>

#include "attacks/lifting/subspace-control.h"
#include "core/games/control-case.h"
#include "core/games/control.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/attacks/lattice-case.h"

extern const AssayAttack assay_attack_lattice;

Test (lattice_knowledge, knowledge)
{
  LatticeCase one;

  lattice_case_make ((LatticeDraw){ .seed = 7, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &one);
  {
    g_autoptr (AssayGuess) alone
        = lattice_attack ("", &(AssayObservation){ .release = one.release });
    g_autoptr (AssayGuess) granted = lattice_attack (
        "", &(AssayObservation){ .release = one.release, .database = one.database });
    g_autoptr (AssayGuess) others = lattice_attack (
        "", &(AssayObservation){ .release = one.release, .other_releases = one.release });

    for (gsize i = 0; i < SECRETS; i++) {
      cr_assert_eq (lattice_numbers (alone, "possible")[i], THROUGH + 1);
      cr_assert_eq (lattice_numbers (alone, "remaining")[i], THROUGH + 1);
      cr_assert_eq (lattice_numbers (granted, "remaining")[i], 1);
      cr_assert_eq (lattice_numbers (others, "remaining")[i], 1);
    }
    cr_assert_lt (lattice_count_exact (&one, alone), SECRETS);
    cr_assert_eq (lattice_count_exact (&one, granted), SECRETS);
    cr_assert_eq (lattice_count_exact (&one, others), SECRETS);
    cr_assert_eq (granted->confidence, 1);
  }
  lattice_case_clear (&one);
}

/* A database of other rows strikes nothing out: what is left is not passed for the secret. */
Test (lattice_knowledge, another_database)
{
  LatticeCase one, other;

  lattice_case_make ((LatticeDraw){ .seed = 7, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &one);
  lattice_case_make ((LatticeDraw){ .seed = 8, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &other);
  {
    g_autoptr (AssayGuess) alone
        = lattice_attack ("", &(AssayObservation){ .release = one.release });
    g_autoptr (AssayGuess) wrong = lattice_attack (
        "", &(AssayObservation){ .release = one.release, .database = other.database });

    for (gsize i = 0; i < SECRETS; i++) {
      cr_assert_eq (lattice_numbers (wrong, "possible")[i], THROUGH + 1);
      cr_assert_eq (lattice_numbers (wrong, "remaining")[i], THROUGH + 1, "%s", wrong->says);
    }
    cr_assert_eq (lattice_count_exact (&one, wrong), lattice_count_exact (&one, alone));
    cr_assert_lt (lattice_count_exact (&one, wrong), SECRETS);
  }
  lattice_case_clear (&one);
  lattice_case_clear (&other);
}

/* Other releases need not be those of the cell: of the same database they tell its rows, of
 * another they tell nothing, and the guess says so. */
Test (lattice_knowledge, other_releases)
{
  LatticeCase one, same, other;

  lattice_case_make ((LatticeDraw){ .seed = 7, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &one);
  lattice_case_make ((LatticeDraw){ .seed = 8, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &other);
  lattice_case_make ((LatticeDraw){ .seed = 9, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &same);
  lattice_case_relay (one.database, &same);
  {
    g_autoptr (AssayGuess) alone
        = lattice_attack ("", &(AssayObservation){ .release = one.release });
    g_autoptr (AssayGuess) told = lattice_attack (
        "", &(AssayObservation){ .release = one.release, .other_releases = same.release });
    g_autoptr (AssayGuess) untold = lattice_attack (
        "", &(AssayObservation){ .release = one.release, .other_releases = other.release });

    for (gsize i = 0; i < SECRETS; i++) {
      cr_assert_eq (lattice_numbers (told, "remaining")[i], 1, "%s", told->says);
      cr_assert_eq (lattice_numbers (untold, "remaining")[i], THROUGH + 1, "%s", untold->says);
    }
    cr_assert_eq (lattice_count_exact (&one, told), SECRETS);
    cr_assert_eq (lattice_count_exact (&one, untold), lattice_count_exact (&one, alone));
    cr_assert_null (strstr (told->says, "another release"), "%s", told->says);
    cr_assert_not_null (strstr (untold->says, "none of them stands in another release"), "%s",
                        untold->says);
  }
  lattice_case_clear (&one);
  lattice_case_clear (&same);
  lattice_case_clear (&other);
}

Test (lattice_knowledge, other_releases_of_other_columns)
{
  LatticeCase one;
  AssayStream stream = assay_stream ((AssayStreamKey){ { 1 } }, 0);
  g_autoptr (AssayMatrix) narrow = assay_control_normals (2, COLS - 8, &stream, NULL);
  g_autoptr (AssayRelease) other = subspace_control_release (
      assay_matrix_view (narrow), assay_matrix_row (narrow, 0), 0, DIMENSION, &stream, NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_attack_lattice.plugin, "");
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (GError) error = NULL;

  lattice_case_make ((LatticeDraw){ .seed = 7, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &one);
  cr_assert (!assay_attack_run (
      &assay_attack_lattice, &(AssayAttackContext){ .settings = settings->values },
      &(AssayObservation){ .release = one.release, .other_releases = other }, guess, &error));
  cr_assert_str_eq (error->message, "attack lattice: other releases have 40 columns, expected 48");
  lattice_case_clear (&one);
}

/* ---- The game link ---- */

/* Public rows: the @database, strangers, then records of the secrets in the opposite order, off by
 * @noise in each number. */
static AssayRows *
records_of (const LatticeCase *one, double noise, AssayRows *database)
{
  AssayStream stream = assay_stream ((AssayStreamKey){ { 21 } }, 0);
  AssayMatrix *rows = assay_control_normals (3 * SECRETS + ROWS, COLS, &stream, NULL);

  for (gsize i = 0; i < SECRETS; i++)
    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (rows, ROWS + 3 * SECRETS - 1 - i)[j]
          = (float) (assay_matrix_row (one->secrets, i)[j]
                     + assay_stream_between (&stream, -noise, noise));
  assay_rows_read (database, 0, ROWS, ASSAY_SCALE_NONE, assay_matrix_row (rows, 0));
  return assay_rows_take_matrix (rows);
}

/* Secrets whose record is named first. */
static gsize
count_linked (const AssayGuess *guess, gsize keep)
{
  gsize linked = 0;

  for (gsize i = 0; i < SECRETS; i++)
    linked
        += lattice_numbers (guess, "candidates")[i * keep] == (gint64) (ROWS + 3 * SECRETS - 1 - i);
  return linked;
}

/* With nothing known of them database rows pass for the secret, whose records are public here, too;
 * with the database granted they do not. A record that is off by a tenth of a row's length is the
 * nearest all the same. */
Test (lattice_knowledge, link)
{
  LatticeCase one;

  lattice_case_make ((LatticeDraw){ .seed = 7, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &one);
  for (gsize c = 0; c < 2; c++) {
    AssayRows *records = records_of (&one, c * 0.02, one.database);
    const AssayObservation seen = { .release = one.release, .public_rows = records };
    AssayObservation granted = seen;
    g_autoptr (AssayGuess) alone = lattice_attack ("game=link candidates=5", &seen);
    g_autoptr (AssayGuess) known = NULL;

    granted.database = one.database;
    known = lattice_attack ("game=link candidates=5", &granted);
    cr_assert_eq (count_linked (known, 5), SECRETS, "%zu: %s", count_linked (known, 5),
                  known->says);
    cr_assert_lt (count_linked (alone, 5), SECRETS);
    cr_assert_null (assay_arrays_get (&known->arrays, "estimates"));
    assay_rows_unref (records);
  }
  lattice_case_clear (&one);
}

/* Where no candidate is left, the record nearest to the subspace is named: it lies in it. */
Test (lattice_knowledge, link_without_candidates)
{
  LatticeCase one;
  AssayRows *records;

  lattice_case_make ((LatticeDraw){ .seed = 7 }, &one);
  records = records_of (&one, 0, one.database);
  {
    g_autoptr (AssayGuess) guess = lattice_attack (
        "game=link", &(AssayObservation){ .release = one.release, .public_rows = records });
    const gsize keep = 3 * SECRETS + ROWS;

    cr_assert_eq (lattice_numbers (guess, "possible")[0], 0);
    cr_assert_eq (guess->confidence, 0);
    for (gsize i = 0; i < SECRETS; i++) {
      gboolean is_named = FALSE;

      for (gsize r = 0; r < THROUGH + 1; r++)
        is_named |= lattice_numbers (guess, "candidates")[i * keep + r]
                    == (gint64) (ROWS + 3 * SECRETS - 1 - i);
      cr_assert (is_named);
    }
  }
  assay_rows_unref (records);
  lattice_case_clear (&one);
}

Test (lattice_knowledge, link_control)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_attack_lattice.plugin, "game=link");
  AssayControlOutcome outcome;

  cr_assert (assay_control_run (&assay_attack_lattice, settings, 1, &outcome, NULL));
  cr_assert (outcome.is_won && outcome.share == 1, "%g", outcome.share);
}

/* ---- The clock ---- */

/* What is found before the time is up is guessed by, and the guess says that a clock had a part in
 * it; without the setting there is none. */
Test (lattice_knowledge, seconds)
{
  LatticeCase one;

  lattice_case_make ((LatticeDraw){ .seed = 7, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &one);
  {
    const AssayObservation seen = { .release = one.release, .database = one.database };
    g_autoptr (AssayGuess) all = lattice_attack ("", &seen);
    g_autoptr (AssayGuess) none = lattice_attack ("seconds=1e-9", &seen);
    g_autoptr (AssayGuess) enough = lattice_attack ("seconds=1000", &seen);

    cr_assert_null (strstr (all->says, "clock"));
    cr_assert_not_null (strstr (none->says, "was up before it was known"), "%s", none->says);
    cr_assert_eq (none->confidence, 0);
    cr_assert_eq (lattice_numbers (none, "possible")[0], 0);
    cr_assert_not_null (strstr (enough->says, "by the clock (seconds = 1000), within which 10 of "
                                              "10 subspaces were searched to the end"),
                        "%s", enough->says);
    cr_assert_eq (lattice_count_exact (&one, enough), SECRETS);
  }
  lattice_case_clear (&one);
}
