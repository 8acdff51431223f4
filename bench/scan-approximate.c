/* Does it pay to look at some lists of rows only? On the rows of five files of real SIFT, scaled to
 * unit length, and subspaces of affine lifting (its hybrid variant) through descriptors of private
 * photographs: for each m and k brute force, the exact scan as it is (scan-prune.c), and the
 * approximate scan (core/search/scan-approximate.c) with more and more probes.
 *
 *   bench-scan-approximate [--sift FOLDER] [--lists N] [--subspaces N] [--runs N] [--threads N]
 *                          [--quick] [--json]
 *
 * FOLDER is by default the folder sift of the folder of data (ASSAY_DATA). Recall is counted over
 * all subspaces: of the k nearest rows; and of the m / 2 nearest, which the attack `database` takes
 * for adversarial. `gain` is the processor's time of the exact scan over that of this one, without
 * what making the lists took, which is done once for a set of rows. */
#include <stdlib.h>
#include <string.h>

#include "bench/lifted.h"
#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/plugin/plugin.h"
#include "core/search/scan-approximate.h"

#define SEED 1

typedef struct {
  gsize dimension;
  gsize k;
} Case;

static const Case cases[] = { { 4, 102 }, { 4, 1002 }, { 16, 108 } };
static const gsize shares[] = { 256, 64, 32, 16, 8, 4, 2 }; /* one in so many lists is read */

typedef struct {
  const MeasureOptions *options;
  gsize lists;
  gsize n_subspaces;
  AssayRows *rows;
  AssayRows *secrets;
} Bench;

static AssayRelease *
make_release (const Bench *bench, gsize dimension)
{
  const AssayDefense *lifting
      = (const AssayDefense *) measure_plugin (ASSAY_PLUGIN_DEFENSE, "affine-lifting");
  g_autofree char *assignments = g_strdup_printf ("dimension=%zu", dimension);
  g_autoptr (AssaySettings) settings = measure_settings (&lifting->plugin, assignments);
  const AssayDefenseContext context
      = { .settings = settings->values,
          .stream = assay_stream_key (SEED, 0, "defense", "bench-scan-approximate"),
          .database = bench->rows };
  AssayRelease *release = assay_release_new (lifting->produces, lifting->plugin.id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayMatrix) secrets
      = assay_matrix_new (bench->n_subspaces, assay_rows_cols (bench->rows), NULL);
  g_autoptr (GError) error = NULL;

  assay_rows_read (bench->secrets, 0, bench->n_subspaces, ASSAY_SCALE_NONE, secrets->data);
  assay_arrays_take (
      &truth->arrays, "secrets",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (secrets), NULL)));
  if (!lifting->protect (&context, assay_matrix_view (secrets), release, truth, &error))
    measure_stop ("affine-lifting", error);
  return release;
}

/* Share of the @first nearest rows of each subspace, by the exact scan, that were found. */
static double
recall_of (const AssayNearest *exact, const AssayNearest *found, gsize first)
{
  gsize common = 0;

  for (gsize i = 0; i < exact->n; i++)
    for (gsize a = 0; a < first; a++)
      for (gsize b = 0; b < found->k; b++)
        common += exact->rows[i * exact->k + a] == found->rows[i * found->k + b];
  return (double) common / (double) (exact->n * first);
}

static AssayNearest *
scan_exactly (const Bench *bench, AssayScanMethod method, const AssaySubspaces *subspaces, gsize k,
              Samples *samples)
{
  const Moment start = measure_moment ();
  g_autoptr (GError) error = NULL;
  AssayNearest *nearest = assay_scan_subspaces_by (
      method, subspaces, &(AssaySearchSet){ .rows = bench->rows, .scale = ASSAY_SCALE_UNIT }, k,
      NULL, &error);

  if (nearest == NULL)
    measure_stop ("scan", error);
  measure_add (samples, start);
  return nearest;
}

static void
run_probes (Report *report, const Bench *bench, const Case *c, const AssaySubspaces *subspaces,
            const AssayNearest *exact, double exact_cpu, gsize probes)
{
  const AssayProbing probing = { bench->lists, probes };
  const gsize n_first = c->dimension / 2;
  Samples samples = { 0 };
  AssayProbingWork work;
  g_autoptr (AssayNearest) found = NULL;
  g_autoptr (GError) error = NULL;

  for (int run = 0; run < bench->options->runs; run++) {
    const Moment start = measure_moment ();

    assay_nearest_free (found);
    found = assay_scan_approximately (
        &probing, subspaces, &(AssaySearchSet){ .rows = bench->rows, .scale = ASSAY_SCALE_UNIT },
        c->k, &work, &error);
    if (found == NULL)
      measure_stop ("approximate scan", error);
    measure_add (&samples, start);
  }
  report_case (report, "m %zu k %zu probes %zu", c->dimension, c->k, probes);
  report_times (report, "s", measure_times (&samples));
  report_number (report, "CPU s", measure_times (&samples).cpu, 3);
  report_number (report, "gain", exact_cpu / measure_times (&samples).cpu, 2);
  report_number (report, "looked at %", 100 * (double) work.looked / (double) work.pairs, 2);
  report_number (report, "recall", recall_of (exact, found, c->k), 4);
  report_number (report, "recall of m / 2", recall_of (exact, found, n_first), 4);
}

static void
run_case (Report *report, const Bench *bench, const Case *c)
{
  g_autoptr (AssayRelease) release = make_release (bench, c->dimension);
  const AssaySubspaces subspaces = assay_release_subspaces (release);
  Samples brute = { 0 }, pruned = { 0 };
  g_autoptr (AssayNearest) exact = NULL;
  double cpu;

  for (int run = 0; run < bench->options->runs; run++) {
    AssayNearest *slow = scan_exactly (bench, ASSAY_SCAN_BRUTE, &subspaces, c->k, &brute);

    assay_nearest_free (slow);
    assay_nearest_free (exact);
    exact = scan_exactly (bench, ASSAY_SCAN_AUTO, &subspaces, c->k, &pruned);
  }
  cpu = measure_times (&pruned).cpu;
  for (guint i = 0; i < 2; i++) {
    const Times times = measure_times (i == 0 ? &brute : &pruned);

    report_case (report, "m %zu k %zu %s", c->dimension, c->k, i == 0 ? "brute force" : "exact");
    report_times (report, "s", times);
    report_number (report, "CPU s", times.cpu, 3);
    report_number (report, "gain", cpu / times.cpu, 2);
    report_number (report, "looked at %", 100, 2);
    report_number (report, "recall", 1, 4);
    report_number (report, "recall of m / 2", 1, 4);
  }
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++)
    run_probes (report, bench, c, &subspaces, exact, cpu, MAX (1, bench->lists / shares[i]));
}

/* Lists are kept with the rows. */
static void
make_lists (Report *report, const Bench *bench)
{
  const Moment start = measure_moment ();
  Samples samples = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayLists) lists
      = assay_lists_new (bench->rows, ASSAY_SCALE_UNIT, bench->lists, &error);

  if (lists == NULL)
    measure_stop ("lists", error);
  measure_add (&samples, start);
  report_case (report, "%zu lists of %zu rows", lists->count, assay_rows_count (bench->rows));
  report_times (report, "s", measure_times (&samples));
  report_number (report, "CPU s", measure_times (&samples).cpu, 3);
  report_number (report, "longest list", (double) lists->longest, 0);
  report_next_table (report);
}

int
main (int argc, char **argv)
{
  Bench bench = { 0 };
  int n_subspaces = 1000, n_lists = 0;
  g_autofree char *folder = NULL;
  const GOptionEntry own[]
      = { { "sift", 0, 0, G_OPTION_ARG_FILENAME, &folder, "Where the .bvecs files are", "FOLDER" },
          { "lists", 0, 0, G_OPTION_ARG_INT, &n_lists, "0: as the attack has it", "N" },
          { "subspaces", 0, 0, G_OPTION_ARG_INT, &n_subspaces, "1000; 100 with --quick", "N" },
          G_OPTION_ENTRY_NULL };
  g_auto (MeasureOptions) options = measure_options ("scan-approximate", 3, own, argc, argv);
  g_autoptr (Report) report
      = report_new (&options, SEED,
                    "Some lists of rows instead of all rows, on real SIFT; recall over subspaces");

  g_setenv ("ASSAY_CACHE", "", TRUE); /* lists are made, not found on disk */
  bench.options = &options;
  lifted_open_sift (folder, &bench.rows, &bench.secrets);
  bench.n_subspaces = MIN ((gsize) MAX (n_subspaces, 1), assay_rows_count (bench.secrets));
  if (options.is_quick)
    bench.n_subspaces = MIN (bench.n_subspaces, 100);
  bench.lists = n_lists > 0 ? (gsize) n_lists : assay_lists_count (assay_rows_count (bench.rows));
  make_lists (report, &bench);
  for (gsize i = 0; i < (options.is_quick ? 1 : G_N_ELEMENTS (cases)); i++)
    run_case (report, &bench, &cases[i]);
  assay_rows_unref (bench.rows);
  assay_rows_unref (bench.secrets);
  return 0;
}
