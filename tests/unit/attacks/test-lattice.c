/* The lattice attack: LLL, its control, what is less precise, and what is no lattice. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/lifting/subspace-control.h"
#include "core/base/parallel.h"
#include "core/games/control-case.h"
#include "core/games/control.h"
#include "core/math/lattice.h"
#include "tests/unit/attacks/lattice-case.h"
#include "tests/unit/seeds.h"

extern const AssayAttack assay_attack_lattice;
extern const AssayAttack assay_attack_verbatim;

/* [1 0 0 1345; 0 1 0 35; 0 0 1 154] has the shortest vectors (0, 9, -2, 7) and others of squared
 * length under 150, which LLL finds up to their sign. */
Test (lattice, reduction)
{
  gint64 rows[] = { 1, 0, 0, 1345, 0, 1, 0, 35, 0, 0, 1, 154 };

  cr_assert (assay_lattice_reduce (rows, 3, 4, NULL));
  for (gsize i = 0; i < 3; i++) {
    const gint64 *row = rows + 4 * i;

    cr_assert (row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3] < 150);
    cr_assert_eq (row[3], 1345 * row[0] + 35 * row[1] + 154 * row[2]);
  }
}

Test (lattice, control)
{
  AssayAttack blind = assay_attack_lattice;
  g_autoptr (AssaySettings) settings
      = assay_settings_new (assay_attack_lattice.parameters, assay_attack_lattice.settings_size);
  AssayControlOutcome outcome;

  for (guint64 seed = 1; seed <= 3; seed++) {
    cr_assert (assay_control_run (&assay_attack_lattice, settings, seed, &outcome, NULL));
    cr_assert (outcome.is_won && outcome.share == 1, "seed %d: %g", (int) seed, outcome.share);
  }
  blind.attack = assay_attack_verbatim.attack;
  cr_assert (assay_control_run (&blind, settings, 1, &outcome, NULL));
  cr_assert (!outcome.is_won && outcome.share == 0);
}

/* As float16 holds it, with 11 bits. */
static void
round_to_half (const AssayRelease *release, const char *name)
{
  const AssayArray *array = assay_arrays_get (&release->arrays, name);
  float *data = (float *) (gpointer) array->data;

  for (gsize i = 0; i < assay_array_count (array); i++) {
    int exponent;
    const float fraction = frexpf (data[i], &exponent);

    data[i] = ldexpf (rintf (ldexpf (fraction, 11)), exponent - 11);
  }
}

/* A third of a thousandth of a row's length is lost, and no integer is. */
Test (lattice, half_precision)
{
  LatticeCase one;

  lattice_case_make ((LatticeDraw){ .seed = 7, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &one);
  round_to_half (one.release, "basis");
  round_to_half (one.release, "translation");
  {
    g_autoptr (AssayGuess) guess = lattice_attack (
        "", &(AssayObservation){ .release = one.release, .database = one.database });

    cr_assert_eq (lattice_count_exact (&one, guess), SECRETS, "%s", guess->says);
    cr_assert_eq (guess->confidence, 1);
    cr_assert_not_null (strstr (guess->says, "they stand in the release to 0.0003"), "%s",
                        guess->says);
  }
  lattice_case_clear (&one);
}

Test (lattice, not_integers)
{
  LatticeCase one;

  lattice_case_make ((LatticeDraw){ .seed = 7 }, &one);
  {
    g_autoptr (AssayGuess) guess = lattice_attack (
        "", &(AssayObservation){ .release = one.release, .database = one.database });

    cr_assert_not_null (strstr (guess->says, "are not integers"), "%s", guess->says);
    cr_assert_eq (guess->confidence, 0);
    cr_assert_eq (lattice_numbers (guess, "possible")[0], 0);
  }
  lattice_case_clear (&one);
}

/* In a span of 45 of 48 dimensions LLL finds no integers although they are there, and the guess
 * does not say that there are none. */
Test (lattice, too_wide)
{
  LatticeCase one;

  lattice_case_make (
      (LatticeDraw){ .seed = 7, .is_integer = TRUE, .is_secret_integer = TRUE, .dimension = 44 },
      &one);
  {
    g_autoptr (AssayGuess) guess
        = lattice_attack ("", &(AssayObservation){ .release = one.release });

    cr_assert_not_null (strstr (guess->says, "span 45 of 48 dimensions"), "%s", guess->says);
    cr_assert_null (strstr (guess->says, "are not integers"), "%s", guess->says);
    cr_assert_eq (guess->confidence, 0);
  }
  lattice_case_clear (&one);
}

/* Only the database's rows are integers: all that is found is struck out, and it does not pass for
 * the secret. */
Test (lattice, rows_alone)
{
  LatticeCase one;

  lattice_case_make ((LatticeDraw){ .seed = 7, .is_integer = TRUE }, &one);
  {
    g_autoptr (AssayGuess) guess = lattice_attack (
        "", &(AssayObservation){ .release = one.release, .database = one.database });

    for (gsize i = 0; i < SECRETS; i++) {
      cr_assert_eq (lattice_numbers (guess, "possible")[i], THROUGH);
      cr_assert_eq (lattice_numbers (guess, "remaining")[i], 0);
    }
    cr_assert_eq (guess->confidence, 0);
  }
  lattice_case_clear (&one);
}

/* Secrets that were dithered stand in the release less precisely than the rows beside them, and are
 * found all the same, to the last digit, until chance would do as much. */
Test (lattice, dither)
{
  static const struct {
    double dither;
    gsize least, most;
  } cases[] = { { 0.003, SECRETS - 1, SECRETS },
                { 0.03, SECRETS - 1, SECRETS },
                { 0.08, SECRETS / 2, SECRETS },
                { 0.5, 0, 0 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    LatticeCase one;

    lattice_case_make (
        (LatticeDraw){
            .seed = 7, .is_integer = TRUE, .is_secret_integer = TRUE, .dither = cases[c].dither },
        &one);
    {
      g_autoptr (AssayGuess) guess = lattice_attack (
          "", &(AssayObservation){ .release = one.release, .database = one.database });
      const gsize exact = lattice_count_exact (&one, guess);

      cr_assert (exact >= cases[c].least && exact <= cases[c].most, "dither %g: %zu; %s",
                 cases[c].dither, exact, guess->says);
      cr_assert ((strstr (guess->says, "beside exact ones") != NULL)
                     == (exact > 0 && cases[c].dither > 0.01),
                 "%s", guess->says);
    }
    lattice_case_clear (&one);
  }
}

/* Up to m = 2 the rows of an adversarial lifting, m of them, are as many points as a hybrid one has
 * with its secret: the dithered secret is looked for all the same. */
Test (lattice, dithered_adversarial)
{
  LatticeCase one;

  lattice_case_make ((LatticeDraw){ .seed = 7,
                                    .is_integer = TRUE,
                                    .is_secret_integer = TRUE,
                                    .dither = 0.05,
                                    .dimension = 2 },
                     &one);
  {
    g_autoptr (AssayGuess) guess = lattice_attack (
        "", &(AssayObservation){ .release = one.release, .database = one.database });

    cr_assert_eq (lattice_count_exact (&one, guess), SECRETS, "%s", guess->says);
    cr_assert_eq (lattice_numbers (guess, "possible")[0], THROUGH + 1);
    cr_assert_eq (guess->confidence, 1);
  }
  lattice_case_clear (&one);
}

Test (lattice, threads)
{
  TEST_OF_RESULTS ();

  LatticeCase one;

  lattice_case_make ((LatticeDraw){ .seed = 7, .is_integer = TRUE, .is_secret_integer = TRUE },
                     &one);
  {
    const AssayObservation seen = { .release = one.release, .database = one.database };
    g_autoptr (AssayGuess) first = NULL, second = NULL;

    assay_parallel_set_threads (1);
    first = lattice_attack ("", &seen);
    assay_parallel_set_threads (3);
    second = lattice_attack ("", &seen);
    assay_parallel_set_threads (0);
    for (const char *const *name = (const char *const[]){ "estimates", "considered", NULL }; *name;
         name++) {
      const AssayArray *a = assay_arrays_get (&first->arrays, *name);
      const AssayArray *b = assay_arrays_get (&second->arrays, *name);

      cr_assert_eq (memcmp (a->data, b->data, SECRETS * COLS * sizeof (float)), 0);
    }
    cr_assert_str_eq (first->says, second->says);
  }
  lattice_case_clear (&one);
}
