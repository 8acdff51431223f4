/* Integers laid through two of four rows of a database, and how many of them a guess has. */
#include "tests/unit/attacks/lattice-case.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/lifting/subspace-control.h"
#include "core/games/control-case.h"
#include "core/games/control.h"
#include "tests/reference/fixtures.h"

extern const AssayAttack assay_attack_lattice;

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

void
lattice_case_make (LatticeDraw draw, LatticeCase *ret_case)
{
  AssayStream stream = assay_stream ((AssayStreamKey){ { draw.seed } }, 0);
  AssayMatrix *rows = assay_control_normals (SECRETS + ROWS, COLS, &stream, NULL);
  g_autofree float *others = g_new (float, SECRETS *THROUGH *COLS);
  double lengths[SECRETS + ROWS];
  g_autoptr (AssayMatrix) lifted = NULL;

  for (gsize i = 0; i < rows->rows; i++) {
    float *row = assay_matrix_row (rows, i);
    double square = 0;

    for (gsize j = 0; j < COLS; j++) {
      row[j] = (i < SECRETS ? draw.is_secret_integer : draw.is_integer)
                   ? rintf (60 * fabsf (row[j]))
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
  lifted = draw.dither > 0 ? dithered (ret_case->secrets, lengths, draw.dither, &stream)
                           : assay_matrix_copy (assay_matrix_view (ret_case->secrets), NULL);
  ret_case->release
      = subspace_control_release (assay_matrix_view (lifted), others, THROUGH,
                                  draw.dimension > 0 ? draw.dimension : DIMENSION, &stream, NULL);
  {
    g_autoptr (AssayMatrix) database
        = assay_matrix_copy (assay_view_rows (assay_matrix_view (rows), SECRETS, ROWS), NULL);

    ret_case->database = assay_rows_take_matrix (g_steal_pointer (&database));
  }
  assay_matrix_free (rows);
}

void
lattice_case_relay (AssayRows *database, LatticeCase *inout_case)
{
  AssayStream stream = assay_stream ((AssayStreamKey){ { 11 } }, 0);
  g_autofree float *rows = g_new (float, ROWS *COLS);
  g_autofree float *others = g_new (float, SECRETS *THROUGH *COLS);

  assay_rows_read (database, 0, ROWS, ASSAY_SCALE_NONE, rows);
  for (gsize i = 0; i < SECRETS * THROUGH; i++)
    memcpy (others + i * COLS, rows + (i + i / ROWS) % ROWS * COLS, COLS * sizeof (float));
  assay_release_free (inout_case->release);
  inout_case->release = subspace_control_release (assay_matrix_view (inout_case->secrets), others,
                                                  THROUGH, DIMENSION, &stream, NULL);
}

void
lattice_case_clear (LatticeCase *one)
{
  assay_matrix_free (one->secrets);
  assay_rows_unref (one->database);
  assay_release_free (one->release);
}

AssayGuess *
lattice_attack (const char *assignments, const AssayObservation *seen)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_attack_lattice.plugin, assignments);
  const AssayAttackContext context = { .settings = settings->values };
  AssayGuess *guess = assay_guess_new ();

  cr_assert (assay_attack_run (&assay_attack_lattice, &context, seen, guess, NULL));
  return guess;
}

gsize
lattice_count_exact (const LatticeCase *one, const AssayGuess *guess)
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

const gint64 *
lattice_numbers (const AssayGuess *guess, const char *name)
{
  return assay_array_int64 (assay_arrays_get (&guess->arrays, name));
}
