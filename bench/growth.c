/* How does the cost of a scan grow? The nearest row to each of 1,000 subspaces of dimension m = 4
 * among 200,000 rows of 128 bytes, and from there along one axis at a time: rows, columns,
 * subspaces, dimension of the subspaces.
 *
 *   bench-growth [--axis rows|cols|subspaces|dimension] [--runs N] [--threads N] [--quick] [--json]
 *
 * Time by the clock and of the processor; `held` is the peak of the process over what it held
 * before. */
#include <glib/gstdio.h>

#include "bench/lifted.h"
#include "bench/measure.h"
#include "core/search/scan.h"

#define SEED 1

typedef struct {
  const char *axis;
  gsize rows;
  gsize cols;
  gsize subspaces;
  gsize dimension;
} Case;

static const Case cases[] = {
  { "rows", 50000, 128, 1000, 4 },       { "rows", 100000, 128, 1000, 4 },
  { "rows", 200000, 128, 1000, 4 },      { "rows", 400000, 128, 1000, 4 },
  { "cols", 200000, 32, 1000, 4 },       { "cols", 200000, 64, 1000, 4 },
  { "cols", 200000, 128, 1000, 4 },      { "cols", 200000, 256, 1000, 4 },
  { "subspaces", 200000, 128, 100, 4 },  { "subspaces", 200000, 128, 500, 4 },
  { "subspaces", 200000, 128, 1000, 4 }, { "subspaces", 200000, 128, 2000, 4 },
  { "dimension", 200000, 128, 1000, 2 }, { "dimension", 200000, 128, 1000, 4 },
  { "dimension", 200000, 128, 1000, 8 }, { "dimension", 200000, 128, 1000, 16 },
};

static gsize
size_of (const Case *c)
{
  if (g_str_equal (c->axis, "rows"))
    return c->rows;
  if (g_str_equal (c->axis, "cols"))
    return c->cols;
  return g_str_equal (c->axis, "subspaces") ? c->subspaces : c->dimension;
}

static void
run_case (Report *report, const Case *whole, const char *folder)
{
  const gsize part = report->options->is_quick ? 10 : 1;
  const gsize n = whole->subspaces / part, m = whole->dimension, cols = whole->cols;
  g_autofree char *path = g_build_filename (folder, "rows.u8", NULL);
  g_autoptr (AssayRows) rows = lifted_rows (path, whole->rows / part, cols, SEED);
  g_autofree float *translation = g_new (float, n *cols);
  g_autofree float *basis = g_new (float, n *m *cols);
  const AssaySubspaces subspaces
      = { .count = n, .dimension = m, .cols = cols, .translation = translation, .basis = basis };
  Samples samples = { 0 };
  const double operations
      = 2e-9 * (double) (n * (m + 1)) * (double) assay_rows_count (rows) * (double) cols;
  gint64 before;
  Times times;

  lifted_subspaces (rows, n, m, SEED, translation, basis);
  before = lifted_settle (rows);
  for (int run = 0; run < report->options->runs; run++) {
    const Moment start = measure_moment ();
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayNearest) nearest
        = assay_scan_subspaces (&subspaces, rows, ASSAY_SCALE_UNIT, 1, &error);

    if (nearest == NULL)
      measure_stop ("scan", error);
    measure_add (&samples, start);
  }
  times = measure_times (&samples);
  report_case (report, "%s %zu", whole->axis,
               size_of (whole)
                   / (g_str_equal (whole->axis, "rows") || g_str_equal (whole->axis, "subspaces")
                          ? part
                          : 1));
  report_times (report, "s", times);
  report_number (report, "CPU s", times.cpu, 3);
  report_number (report, "GFLOP/s and CPU second", operations / times.cpu, 1);
  report_number (report, "held MiB", (double) (measure_status ("VmHWM:") - before) / (1 << 20), 1);
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  g_autofree char *axis = NULL;
  const GOptionEntry own[] = { { "axis", 0, 0, G_OPTION_ARG_STRING, &axis,
                                 "rows, cols, subspaces or dimension (all)", "NAME" },
                               G_OPTION_ENTRY_NULL };
  g_auto (MeasureOptions) options = measure_options ("growth", 3, own, argc, argv);
  g_auto (MeasureFolder) folder = measure_folder_new ();
  g_autoptr (Report) report = NULL;
  guint n_run = 0;

  report = report_new (&options, SEED, "How the cost of a scan grows, k = 1");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    if (axis == NULL || g_str_equal (axis, cases[i].axis)) {
      run_case (report, &cases[i], folder);
      n_run++;
    }
  if (n_run == 0)
    measure_stop ("--axis: expected rows, cols, subspaces or dimension", NULL);
  return 0;
}
