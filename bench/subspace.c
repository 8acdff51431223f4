/* How fast are subspaces scanned? 1,000 subspaces against 200,000 rows of 128 bytes, mapped from a
 * file and scaled to unit length on reading; 100 against 10,000 with --quick.
 *
 *   bench-subspace [--runs N] [--threads N] [--numpy PYTHON --script FILE] [--quick] [--json]
 *
 * For each case it takes turns between the scan, the matrix products that the scan is made of,
 * alone (shapes, loop and threads the same), and the same job on the same data in NumPy, plain and
 * tuned, so that what else the machine does weighs on all alike; and reports minimum and median of
 * each. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "bench/lifted.h"
#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/math/linalg.h"
#include "core/search/scan.h"

#define SEED 1
#define COLS 128

typedef struct {
  gsize dimension;
  gsize k;
} Case;

static const Case cases[] = { { 4, 1 }, { 4, 1010 }, { 16, 1 }, { 16, 1010 } };

typedef struct {
  const MeasureOptions *options;
  gsize n_subspaces;
  gsize n_rows;
  char *folder;
  AssayRows *rows;
} Bench;

/* ---- Products ---- */

/* The products of a scan and nothing else. */
typedef struct {
  gsize n_rows;
  gsize stacked; /* rows of all subspaces */
  gsize block;   /* of them in one product */
  gsize panel;
  const float *stack;
  float **panels; /* one a thread, as is the next */
  float **products;
} Products;

static void
multiply_panel (gsize index, guint worker, gpointer data)
{
  const Products *products = data;
  const gsize panel = MIN (products->panel, products->n_rows - index * products->panel);

  for (gsize first = 0; first < products->stacked; first += products->block)
    assay_linalg_product (ASSAY_NT,
                          assay_view_of (products->stack + first * COLS,
                                         MIN (products->block, products->stacked - first), COLS),
                          assay_view_of (products->panels[worker], panel, COLS),
                          products->products[worker], products->panel);
}

static Products
make_products (const Bench *bench, gsize dimension)
{
  const guint threads = assay_parallel_threads ();
  Products products = { .n_rows = bench->n_rows, .stacked = bench->n_subspaces * (dimension + 1) };
  AssayStream stream = assay_stream (assay_stream_key (SEED, 0, "metric", "bench-subspace"), 0);
  float *stack;

  assay_scan_shape (dimension, COLS, &products.block, &products.panel);
  products.panels = g_new (float *, threads);
  products.products = g_new (float *, threads);
  for (guint i = 0; i < threads; i++) {
    products.panels[i] = assay_alloc (products.panel * COLS, sizeof (float), "panel", NULL);
    products.products[i]
        = assay_alloc (products.block * products.panel, sizeof (float), "products", NULL);
    assay_rows_read (bench->rows, 0, products.panel, ASSAY_SCALE_UNIT, products.panels[i]);
  }
  products.stack = stack = assay_alloc (products.stacked * COLS, sizeof (float), "stack", NULL);
  for (gsize i = 0; i < products.stacked * COLS; i++)
    stack[i] = (float) assay_stream_between (&stream, -0.2, 0.2);
  return products;
}

static void
clear_products (Products *products)
{
  for (guint i = 0; i < assay_parallel_threads (); i++) {
    g_free (products->panels[i]);
    g_free (products->products[i]);
  }
  g_free (products->panels);
  g_free (products->products);
  g_free ((gpointer) products->stack);
}

/* ---- NumPy ---- */

static void
write_file (const Bench *bench, const char *name, const void *data, gsize size)
{
  g_autofree char *path = g_build_filename (bench->folder, name, NULL);
  g_autoptr (GError) error = NULL;

  if (!g_file_set_contents (path, data, (gssize) size, &error))
    measure_stop (path, error);
}

static MeasureScript
start_numpy (const Bench *bench, const AssaySubspaces *subspaces, const AssayNearest *nearest)
{
  const gsize n = bench->n_subspaces, m = subspaces->dimension;
  g_autofree char *sizes
      = g_strdup_printf ("{\"n\": %zu, \"m\": %zu, \"d\": %d, \"k\": %zu, \"rows\": %zu}", n, m,
                         COLS, nearest->k, bench->n_rows);

  write_file (bench, "sizes.json", sizes, strlen (sizes));
  write_file (bench, "translation.f32", subspaces->translation, n * COLS * sizeof (float));
  write_file (bench, "basis.f32", subspaces->basis, n * m * COLS * sizeof (float));
  write_file (bench, "found.i64", nearest->rows, n * nearest->k * sizeof (gsize));
  return measure_script_start (bench->options, (const char *[]){ bench->folder, NULL });
}

static void
run_numpy (MeasureScript *numpy, Samples *plain, Samples *tuned)
{
  measure_script_go (numpy);
  measure_add_seconds (plain, measure_script_number (numpy), NAN);
  measure_add_seconds (tuned, measure_script_number (numpy), NAN);
}

/* Share of the rows found that NumPy found too. */
static double
stop_numpy (MeasureScript *numpy)
{
  double same;

  measure_script_finish (numpy);
  same = measure_script_number (numpy);
  measure_script_clear (numpy);
  return same;
}

/* ---- Cases ---- */

static AssayNearest *
scan_once (const Bench *bench, const AssaySubspaces *subspaces, gsize k)
{
  g_autoptr (GError) error = NULL;
  AssayNearest *nearest
      = assay_scan_subspaces (subspaces, bench->rows, ASSAY_SCALE_UNIT, k, &error);

  if (nearest == NULL)
    measure_stop ("scan", error);
  return nearest;
}

static double
gigaflops (const Bench *bench, const Case *c, double seconds)
{
  return 2e-9 * (double) (bench->n_subspaces * (c->dimension + 1)) * (double) bench->n_rows * COLS
         / seconds;
}

static void
run_case (const Bench *bench, Report *report, const Case *c)
{
  const gsize n = bench->n_subspaces, m = c->dimension;
  const gboolean has_numpy = bench->options->python != NULL;
  g_autofree float *translation = g_new (float, n *COLS);
  g_autofree float *basis = g_new (float, n *m *COLS);
  const AssaySubspaces subspaces
      = { .count = n, .dimension = m, .cols = COLS, .translation = translation, .basis = basis };
  Samples scans = { 0 }, products = { 0 }, plain = { 0 }, tuned = { 0 };
  g_autoptr (AssayNearest) nearest = NULL;
  Times scan, product;
  Products alone;
  MeasureScript numpy;
  gint64 held;

  lifted_subspaces (bench->rows, n, m, SEED, translation, basis);
  held = lifted_settle (bench->rows);
  nearest = scan_once (bench, &subspaces, c->k);
  held = measure_status ("VmHWM:") - held;
  alone = make_products (bench, m);
  if (has_numpy)
    numpy = start_numpy (bench, &subspaces, nearest);
  for (int run = 0; run < bench->options->runs; run++) {
    Moment start = measure_moment ();

    assay_nearest_free (scan_once (bench, &subspaces, c->k));
    measure_add (&scans, start);
    start = measure_moment ();
    assay_parallel_for ((bench->n_rows + alone.panel - 1) / alone.panel, multiply_panel, &alone);
    measure_add (&products, start);
    if (has_numpy)
      run_numpy (&numpy, &plain, &tuned);
  }
  clear_products (&alone);
  scan = measure_times (&scans);
  product = measure_times (&products);
  report_case (report, "m = %zu, k = %zu", m, c->k);
  report_times (report, "scan s", scan);
  report_number (report, "GFLOP/s", gigaflops (bench, c, scan.minimum), 1);
  report_number (report, "GFLOP/s and CPU second", gigaflops (bench, c, scan.cpu), 1);
  report_times (report, "products s", product);
  report_number (report, "products GFLOP/s", gigaflops (bench, c, product.minimum), 1);
  report_number (report, "share", product.minimum / scan.minimum, 3);
  report_number (report, "share, CPU", product.cpu / scan.cpu, 3);
  report_number (report, "held MiB", (double) held / (1 << 20), 1);
  if (!has_numpy)
    return;
  report_times (report, "NumPy, plain s", measure_times (&plain));
  report_number (report, "plain / scan", measure_times (&plain).minimum / scan.minimum, 1);
  report_times (report, "NumPy, tuned s", measure_times (&tuned));
  report_number (report, "tuned / scan", measure_times (&tuned).minimum / scan.minimum, 1);
  report_number (report, "same", stop_numpy (&numpy), 3);
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("subspace", 5, NULL, argc, argv);
  Bench bench = { .options = &options,
                  .n_subspaces = options.is_quick ? 100 : 1000,
                  .n_rows = options.is_quick ? 10000 : 200000 };
  g_autofree char *about = g_strdup_printf ("%zu subspaces against %zu rows of %d bytes",
                                            bench.n_subspaces, bench.n_rows, COLS);
  g_auto (MeasureFolder) folder = measure_folder_new ();
  g_autofree char *path = NULL;
  g_autoptr (Report) report = NULL;

  bench.folder = folder;
  path = g_build_filename (folder, "rows.u8", NULL);
  bench.rows = lifted_rows (path, bench.n_rows, COLS, SEED);
  report = report_new (&options, SEED, about);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (&bench, report, &cases[i]);
  assay_rows_unref (bench.rows);
  return 0;
}
