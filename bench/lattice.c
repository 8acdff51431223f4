/* How long does the lattice attack take for one subspace, and how many secrets has it then?
 *
 *   bench-lattice [--runs N] [--threads N] [--quick] [--json]
 *
 * Vectors of 128 integers of length about 512, as SIFT has, half of them near 0, are lifted through
 * m/2 others for m = 2, 4, 8, 16; the others are granted as a database. --threads 1 is what "a
 * second of one core" means. 32 subspaces, 8 with --quick. */
#include <math.h>
#include <string.h>

#include "attacks/lifting/subspace-control.h"
#include "bench/measure.h"
#include "core/base/vectors.h"
#include "core/games/control.h"

#define SEED 1
#define SUBSPACES 32
#define COLS 128
#define LENGTH 512.0

/* Rows of integers, scaled to length 1. */
static AssayMatrix *
draw_rows (gsize n, AssayStream *stream)
{
  g_autoptr (GError) error = NULL;
  AssayMatrix *rows = assay_matrix_new (n, COLS, &error);

  if (rows == NULL)
    measure_stop ("rows", error);
  for (gsize i = 0; i < n; i++) {
    float *row = assay_matrix_row (rows, i);
    double length;

    for (gsize j = 0; j < COLS; j++)
      row[j] = (float) pow (assay_stream_uniform (stream), 3);
    length = sqrt (assay_squared_norm (row, COLS));
    for (gsize j = 0; j < COLS; j++)
      row[j] = (float) rint (row[j] * LENGTH / length);
    length = sqrt (assay_squared_norm (row, COLS));
    for (gsize j = 0; j < COLS; j++)
      row[j] = (float) (row[j] / length);
  }
  return rows;
}

static gsize
count_exact (const AssayMatrix *secrets, const AssayGuess *guess)
{
  const AssayView estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  gsize exact = 0;

  for (gsize i = 0; i < secrets->rows; i++)
    exact += assay_lanes_squared_distance_float (assay_view_row (estimates, i),
                                                 secrets->data + i * COLS, COLS)
             < 1e-10F;
  return exact;
}

static void
run_dimension (Report *report, const MeasureOptions *options, gsize n, gsize m)
{
  const AssayAttack *attack = assay_attack_of (measure_plugin (ASSAY_PLUGIN_ATTACK, "lattice"));
  g_autoptr (AssaySettings) settings = measure_settings (&attack->plugin, "");
  const AssayAttackContext context
      = { .settings = settings->values,
          .stream = assay_stream_key (SEED, 0, "attack", "bench-lattice") };
  AssayStream stream = assay_stream (assay_stream_key (SEED, 0, "data", "bench-lattice"), m);
  g_autoptr (AssayMatrix) secrets = draw_rows (n, &stream);
  g_autoptr (AssayMatrix) others = draw_rows (n * m / 2, &stream);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRelease) release = subspace_control_release (
      assay_matrix_view (secrets), others->data, m / 2, m, &stream, &error);
  AssayMatrix *copy = assay_matrix_copy (assay_matrix_view (others), NULL);
  g_autoptr (AssayRows) database = assay_rows_take_matrix (copy);
  const AssayObservation seen = { .release = release, .database = database };
  Samples samples = { 0 };
  gsize exact = 0;

  if (release == NULL)
    measure_stop ("release", error);
  for (int run = 0; run < options->runs; run++) {
    g_autoptr (AssayGuess) guess = assay_guess_new ();
    const Moment start = measure_moment ();

    if (!assay_attack_run (attack, &context, &seen, guess, &error))
      measure_stop ("attack", error);
    measure_add (&samples, start);
    exact = count_exact (secrets, guess);
  }
  report_case (report, "m = %zu", m);
  report_times (report, "all s", measure_times (&samples));
  report_number (report, "processor ms a subspace", 1e3 * measure_times (&samples).cpu / (double) n,
                 1);
  report_number (report, "exact %", 100 * (double) exact / (double) n, 1);
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("lattice", 3, NULL, argc, argv);
  const gsize n = options.is_quick ? SUBSPACES / 4 : SUBSPACES;
  g_autofree char *about
      = g_strdup_printf ("%zu subspaces in %d columns, database granted", n, COLS);
  g_autoptr (Report) report = report_new (&options, SEED, about);

  for (gsize m = 2; m <= 16; m *= 2)
    run_dimension (report, &options, n, m);
  return 0;
}
