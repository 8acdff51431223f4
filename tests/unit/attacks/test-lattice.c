/* The lattice attack: LLL, its control, what each grant leaves, and what is no lattice. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/lifting/subspace-control.h"
#include "core/base/parallel.h"
#include "core/games/control-case.h"
#include "core/games/control.h"
#include "core/math/lattice.h"

extern const AssayAttack assay_attack_lattice;
extern const AssayAttack assay_attack_verbatim;

enum { SECRETS = 10, COLS = 48, THROUGH = 2, DIMENSION = 4, ROWS = 4 };

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

/* ---- A release of integers, laid through two of four rows of a database ---- */

typedef struct {
  AssayMatrix *secrets;
  AssayRows *database;
  AssayRelease *release;
} Case;

/* What is lifted of the secrets: numbers with noise of at most @dither, on those of
 * @lengths that they were before they were scaled. */
static AssayMatrix *
dithered (const AssayMatrix *secrets, const double *lengths, double dither, AssayStream *stream)
{
  AssayMatrix *lifted = assay_matrix_copy (assay_matrix_view (secrets), NULL);

  for (gsize i = 0; i < SECRETS; i++) {
    float *row = assay_matrix_row (lifted, i);
    double square = 0;

    for (gsize j = 0; j < COLS; j++) {
      row[j] = (float) (row[j] * lengths[i] + assay_stream_between (stream, -dither, dither));
      square += (double) row[j] * row[j];
    }
    for (gsize j = 0; j < COLS; j++)
      row[j] = (float) (row[j] / sqrt (square));
  }
  return lifted;
}

static void
make_dithered (gboolean is_integer, gboolean is_secret_integer, double dither, Case *ret_case)
{
  AssayStream stream = assay_stream ((AssayStreamKey){ { 7 } }, 0);
  AssayMatrix *rows = assay_control_normals (SECRETS + ROWS, COLS, &stream, NULL);
  g_autofree float *others = g_new (float, SECRETS *THROUGH *COLS);
  double lengths[SECRETS + ROWS];
  g_autoptr (AssayMatrix) lifted = NULL;

  for (gsize i = 0; i < rows->rows; i++) {
    float *row = assay_matrix_row (rows, i);
    double square = 0;

    for (gsize j = 0; j < COLS; j++) {
      row[j] = (i < SECRETS ? is_secret_integer : is_integer) ? rintf (60 * fabsf (row[j]))
                                                              : fabsf (row[j]);
      square += (double) row[j] * row[j];
    }
    lengths[i] = sqrt (square);
    for (gsize j = 0; j < COLS; j++)
      row[j] = (float) (row[j] / lengths[i]);
  }
  for (gsize i = 0; i < SECRETS * THROUGH; i++)
    memcpy (others + i * COLS, assay_matrix_row (rows, SECRETS + (i + i / ROWS) % ROWS),
            COLS * sizeof (float));
  ret_case->secrets
      = assay_matrix_copy (assay_view_rows (assay_matrix_view (rows), 0, SECRETS), NULL);
  lifted = dither > 0 ? dithered (ret_case->secrets, lengths, dither, &stream)
                      : assay_matrix_copy (assay_matrix_view (ret_case->secrets), NULL);
  ret_case->release = subspace_control_release (assay_matrix_view (lifted), others,
                                                THROUGH, DIMENSION, &stream, NULL);
  {
    g_autoptr (AssayMatrix) database
        = assay_matrix_copy (assay_view_rows (assay_matrix_view (rows), SECRETS, ROWS), NULL);

    ret_case->database = assay_rows_take_matrix (g_steal_pointer (&database));
  }
  assay_matrix_free (rows);
}

static void
make_case (gboolean is_integer, gboolean is_secret_integer, Case *ret_case)
{
  make_dithered (is_integer, is_secret_integer, 0, ret_case);
}

static void
clear_case (Case *one)
{
  assay_matrix_free (one->secrets);
  assay_rows_unref (one->database);
  assay_release_free (one->release);
}

static AssayGuess *
attack (const AssayObservation *seen)
{
  g_autoptr (AssaySettings) settings
      = assay_settings_new (assay_attack_lattice.parameters, assay_attack_lattice.settings_size);
  const AssayAttackContext context = { .settings = settings->values };
  AssayGuess *guess = assay_guess_new ();

  cr_assert (assay_attack_run (&assay_attack_lattice, &context, seen, guess, NULL));
  return guess;
}

/* Secrets that the guess has to the last digits of float32. */
static gsize
count_exact (const Case *one, const AssayGuess *guess)
{
  const AssayView estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  gsize exact = 0;

  for (gsize i = 0; i < SECRETS; i++) {
    double most = 0;

    for (gsize j = 0; j < COLS; j++)
      most = MAX (most, fabs ((double) assay_view_row (estimates, i)[j]
                              - assay_matrix_row (one->secrets, i)[j]));
    exact += most < 1e-6;
  }
  return exact;
}

static const gint64 *
numbers (const AssayGuess *guess, const char *name)
{
  return assay_array_int64 (assay_arrays_get (&guess->arrays, name));
}

Test (lattice, knowledge)
{
  Case one;

  make_case (TRUE, TRUE, &one);
  {
    g_autoptr (AssayGuess) alone = attack (&(AssayObservation){ .release = one.release });
    g_autoptr (AssayGuess) granted
        = attack (&(AssayObservation){ .release = one.release, .database = one.database });
    g_autoptr (AssayGuess) others
        = attack (&(AssayObservation){ .release = one.release, .other_releases = one.release });

    for (gsize i = 0; i < SECRETS; i++) {
      cr_assert_eq (numbers (alone, "possible")[i], THROUGH + 1);
      cr_assert_eq (numbers (alone, "remaining")[i], THROUGH + 1);
      cr_assert_eq (numbers (granted, "remaining")[i], 1);
      cr_assert_eq (numbers (others, "remaining")[i], 1);
    }
    cr_assert_lt (count_exact (&one, alone), SECRETS);
    cr_assert_eq (count_exact (&one, granted), SECRETS);
    cr_assert_eq (count_exact (&one, others), SECRETS);
    cr_assert_eq (granted->confidence, 1);
  }
  clear_case (&one);
}

Test (lattice, not_integers)
{
  Case one;

  make_case (FALSE, FALSE, &one);
  {
    g_autoptr (AssayGuess) guess
        = attack (&(AssayObservation){ .release = one.release, .database = one.database });

    cr_assert_not_null (strstr (guess->says, "are not integers"), "%s", guess->says);
    cr_assert_eq (guess->confidence, 0);
    cr_assert_eq (numbers (guess, "possible")[0], 0);
  }
  clear_case (&one);
}

/* Only the database's rows are integers: all that is found is struck out, and it does not pass for
 * the secret. */
Test (lattice, rows_alone)
{
  Case one;

  make_case (TRUE, FALSE, &one);
  {
    g_autoptr (AssayGuess) guess
        = attack (&(AssayObservation){ .release = one.release, .database = one.database });

    for (gsize i = 0; i < SECRETS; i++) {
      cr_assert_eq (numbers (guess, "possible")[i], THROUGH);
      cr_assert_eq (numbers (guess, "remaining")[i], 0);
    }
    cr_assert_eq (guess->confidence, 0);
  }
  clear_case (&one);
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
    Case one;

    make_dithered (TRUE, TRUE, cases[c].dither, &one);
    {
      g_autoptr (AssayGuess) guess
          = attack (&(AssayObservation){ .release = one.release, .database = one.database });
      const gsize exact = count_exact (&one, guess);

      cr_assert (exact >= cases[c].least && exact <= cases[c].most, "dither %g: %zu; %s",
                 cases[c].dither, exact, guess->says);
      cr_assert ((strstr (guess->says, "beside exact ones") != NULL)
                     == (exact > 0 && cases[c].dither > 0.01),
                 "%s", guess->says);
    }
    clear_case (&one);
  }
}

Test (lattice, threads)
{
  Case one;

  make_case (TRUE, TRUE, &one);
  {
    const AssayObservation seen = { .release = one.release, .database = one.database };
    g_autoptr (AssayGuess) first = NULL, second = NULL;

    assay_parallel_set_threads (1);
    first = attack (&seen);
    assay_parallel_set_threads (3);
    second = attack (&seen);
    assay_parallel_set_threads (0);
    for (const char *const *name = (const char *const[]){ "estimates", "considered", NULL }; *name;
         name++) {
      const AssayArray *a = assay_arrays_get (&first->arrays, *name);
      const AssayArray *b = assay_arrays_get (&second->arrays, *name);

      cr_assert_eq (memcmp (a->data, b->data, SECRETS * COLS * sizeof (float)), 0);
    }
    cr_assert_str_eq (first->says, second->says);
  }
  clear_case (&one);
}
