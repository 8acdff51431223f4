/* How fast are subspaces scanned? 1,000 subspaces against 200,000 rows of 128 bytes, mapped from a
 * file and scaled to unit length on reading.
 *
 *   bench-subspace [--runs N] [--threads N] [--numpy PYTHON --script FILE] [--json]
 *
 * For each case it takes turns between the scan, the matrix products that the scan is made of,
 * alone (shapes, loop and threads the same), and the same job on the same data in NumPy, plain and
 * tuned, so that what else the machine does weighs on all alike; and reports minimum and median of
 * each. */
#include <glib/gstdio.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/linalg.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/scan.h"

#define SEED 1
#define N_SUBSPACES 1000
#define N_ROWS 200000
#define COLS 128

typedef struct {
  gsize dimension;
  gsize k;
} Case;

static const Case cases[] = { { 4, 1 }, { 4, 1010 }, { 16, 1 }, { 16, 1010 } };

typedef struct {
  double minimum;
  double median;
} Times; /* seconds */

typedef struct {
  const Case *c;
  Times scan;
  Times product;
  Times plain; /* NumPy, as is the next */
  Times tuned;
  gint64 held; /* bytes that the scan held at most, its result included */
  gint64 result;
  gint64 resident; /* peak of the process */
  gboolean has_numpy;
  double same; /* share of the rows found that NumPy found too */
} Outcome;

typedef struct {
  int runs;
  int threads;
  gboolean is_json;
  char *python;
  char *script;
  char *folder;
  AssayRows *rows;
} Bench;

static void
stop (const char *what, GError *error)
{
  fprintf (stderr, "bench-subspace: %s: %s\n", what, error == NULL ? "failed" : error->message);
  exit (2);
}

/* ---- Data ---- */

/* Gradient histograms, roughly: few large values, none above 255, many small ones. */
static void
draw_row (AssayStream *stream, guint8 *ret_row)
{
  for (gsize j = 0; j < COLS; j++) {
    const double u = assay_stream_uniform (stream);

    ret_row[j] = (guint8) MIN (255.0, -40 * log (1 - u));
  }
}

static AssayRows *
make_rows (const char *folder)
{
  const AssayStreamKey key = assay_stream_key (SEED, 0, "data", "bench-subspace");
  g_autofree char *path = g_build_filename (folder, "rows.u8", NULL);
  g_autofree guint8 *block = g_malloc ((gsize) N_ROWS * COLS);
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GBytes) bytes = NULL;
  AssayRows *rows = assay_rows_new (COLS);

  for (gsize i = 0; i < N_ROWS; i++) {
    AssayStream stream = assay_stream (key, i);

    draw_row (&stream, block + i * COLS);
  }
  if (!g_file_set_contents (path, (const char *) block, (gssize) N_ROWS * COLS, &error))
    stop (path, error);
  file = g_mapped_file_new (path, FALSE, &error);
  if (file == NULL)
    stop (path, error);
  bytes = g_mapped_file_get_bytes (file);
  assay_rows_append (rows, bytes, g_bytes_get_data (bytes, NULL), ASSAY_UINT8, COLS, N_ROWS);
  return rows;
}

/* Subspace i goes through row 7 i and is otherwise random, as affine lifting makes them. */
static void
make_subspaces (const AssayRows *rows, gsize m, float *ret_translation, float *ret_basis)
{
  const AssayStreamKey key = assay_stream_key (SEED, 0, "defense", "bench-subspace");
  g_autofree double *basis = g_new (double, m *COLS);

  for (gsize i = 0; i < N_SUBSPACES; i++) {
    AssayStream stream = assay_stream (key, i);
    const gsize row = 7 * i;
    float *translation = ret_translation + i * COLS;
    g_autoptr (GError) error = NULL;

    for (gsize j = 0; j < m * COLS; j++)
      basis[j] = assay_stream_normal (&stream);
    if (!assay_linalg_orthonormalize (basis, m, COLS, &error))
      stop ("basis", error);
    assay_rows_gather (rows, &row, 1, ASSAY_SCALE_UNIT, translation);
    for (gsize j = 0; j < m; j++) {
      const double part = assay_stream_normal (&stream);

      for (gsize c = 0; c < COLS; c++) {
        ret_basis[(i * m + j) * COLS + c] = (float) basis[j * COLS + c];
        translation[c] += (float) (part * basis[j * COLS + c]);
      }
    }
  }
}

/* ---- Measuring ---- */

static double
seconds_now (void)
{
  return (double) g_get_monotonic_time () * 1e-6;
}

static int
compare_seconds (const void *a, const void *b)
{
  const double x = *(const double *) a;
  const double y = *(const double *) b;

  return (x > y) - (x < y);
}

static Times
summarise (double *seconds, gsize count)
{
  qsort (seconds, count, sizeof (double), compare_seconds);
  return (Times){ .minimum = seconds[0],
                  .median = (seconds[(count - 1) / 2] + seconds[count / 2]) / 2 };
}

static gint64
read_status (const char *name)
{
  g_autofree char *text = NULL;
  const char *line = NULL;

  if (g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    line = strstr (text, name);
  return line == NULL ? 0 : g_ascii_strtoll (line + strlen (name), NULL, 10) * 1024;
}

/* Sets VmHWM back to what is held now: proc(5), clear_refs. */
static void
reset_peak (void)
{
  FILE *file = fopen ("/proc/self/clear_refs", "w");

  if (file != NULL) {
    fputs ("5", file);
    fclose (file);
  }
}

/* The products of a scan and nothing else. */
typedef struct {
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
  const gsize panel = MIN (products->panel, N_ROWS - index * products->panel);

  for (gsize first = 0; first < products->stacked; first += products->block)
    assay_linalg_product_nt (MIN (products->block, products->stacked - first), panel, COLS,
                             products->stack + first * COLS, COLS, products->panels[worker], COLS,
                             products->products[worker], products->panel);
}

static Products
make_products (const Bench *bench, gsize dimension)
{
  const guint threads = assay_parallel_threads ();
  Products products = { .stacked = N_SUBSPACES * (dimension + 1) };
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

static AssayNearest *
scan_once (const Bench *bench, const AssaySubspaces *subspaces, gsize k, double *ret_seconds)
{
  const double start = seconds_now ();
  g_autoptr (GError) error = NULL;
  AssayNearest *nearest
      = assay_scan_subspaces (subspaces, bench->rows, ASSAY_SCALE_UNIT, k, &error);

  if (nearest == NULL)
    stop ("scan", error);
  *ret_seconds = seconds_now () - start;
  return nearest;
}

static AssayNearest *
measure_memory (const Bench *bench, const AssaySubspaces *subspaces, Outcome *outcome)
{
  const gsize k = outcome->c->k;
  g_autofree float *row = g_new (float, COLS);
  double unused;
  gint64 before;
  AssayNearest *nearest;

  for (gsize i = 0; i < N_ROWS; i++) /* has the file in memory, which is not of the scan */
    assay_rows_read (bench->rows, i, 1, ASSAY_SCALE_NONE, row);
  malloc_trim (0);
  reset_peak ();
  before = read_status ("VmRSS:");
  nearest = scan_once (bench, subspaces, k, &unused);
  outcome->resident = read_status ("VmHWM:");
  outcome->held = outcome->resident - before;
  outcome->result = (gint64) (N_SUBSPACES * k * (sizeof (gsize) + sizeof (float)));
  return nearest;
}

/* ---- NumPy ---- */

static void
write_file (const Bench *bench, const char *name, const void *data, gsize size)
{
  g_autofree char *path = g_build_filename (bench->folder, name, NULL);
  g_autoptr (GError) error = NULL;

  if (!g_file_set_contents (path, data, (gssize) size, &error))
    stop (path, error);
}

/* bench/subspace.py at work: a line to it, a number from it. */
typedef struct {
  FILE *to;
  FILE *from;
} NumPy;

static double
read_number (NumPy *numpy)
{
  double number;

  if (fscanf (numpy->from, "%lf", &number) != 1)
    stop ("bench/subspace.py", NULL);
  return number;
}

static NumPy
start_numpy (const Bench *bench, const AssaySubspaces *subspaces, const AssayNearest *nearest)
{
  const gsize m = subspaces->dimension;
  g_autofree char *sizes
      = g_strdup_printf ("{\"n\": %d, \"m\": %zu, \"d\": %d, \"k\": %zu, \"rows\": %d}",
                         N_SUBSPACES, m, COLS, nearest->k, N_ROWS);
  char *arguments[] = { bench->python, bench->script, bench->folder, NULL };
  g_autoptr (GError) error = NULL;
  gint to, from;
  NumPy numpy;

  write_file (bench, "sizes.json", sizes, strlen (sizes));
  write_file (bench, "translation.f32", subspaces->translation,
              N_SUBSPACES * COLS * sizeof (float));
  write_file (bench, "basis.f32", subspaces->basis, N_SUBSPACES * m * COLS * sizeof (float));
  write_file (bench, "found.i64", nearest->rows, N_SUBSPACES * nearest->k * sizeof (gsize));
  if (!g_spawn_async_with_pipes (NULL, arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &to,
                                 &from, NULL, &error))
    stop (bench->python, error);
  numpy = (NumPy){ .to = fdopen (to, "w"), .from = fdopen (from, "r") };
  read_number (&numpy); /* it is ready */
  return numpy;
}

static void
run_numpy (NumPy *numpy, double *ret_plain, double *ret_tuned)
{
  fputs ("\n", numpy->to);
  fflush (numpy->to);
  *ret_plain = read_number (numpy);
  *ret_tuned = read_number (numpy);
}

/* Share of the rows found that NumPy found too. */
static double
stop_numpy (NumPy *numpy)
{
  double same;

  fclose (numpy->to);
  same = read_number (numpy);
  fclose (numpy->from);
  return same;
}

/* ---- A case ---- */

static Outcome
run_case (const Bench *bench, const Case *c)
{
  const gsize m = c->dimension;
  g_autofree float *translation = g_new (float, N_SUBSPACES *COLS);
  g_autofree float *basis = g_new (float, N_SUBSPACES *m *COLS);
  g_autofree double *scans = g_new (double, bench->runs);
  g_autofree double *products = g_new (double, bench->runs);
  g_autofree double *plain = g_new (double, bench->runs);
  g_autofree double *tuned = g_new (double, bench->runs);
  const AssaySubspaces subspaces = {
    .count = N_SUBSPACES, .dimension = m, .cols = COLS, .translation = translation, .basis = basis
  };
  Outcome outcome = { .c = c, .has_numpy = bench->python != NULL };
  g_autoptr (AssayNearest) nearest = NULL;
  Products alone;
  NumPy numpy;

  make_subspaces (bench->rows, m, translation, basis);
  nearest = measure_memory (bench, &subspaces, &outcome);
  alone = make_products (bench, m);
  if (outcome.has_numpy)
    numpy = start_numpy (bench, &subspaces, nearest);
  for (int run = 0; run < bench->runs; run++) {
    double start;

    assay_nearest_free (scan_once (bench, &subspaces, c->k, scans + run));
    start = seconds_now ();
    assay_parallel_for ((N_ROWS + alone.panel - 1) / alone.panel, multiply_panel, &alone);
    products[run] = seconds_now () - start;
    if (outcome.has_numpy)
      run_numpy (&numpy, plain + run, tuned + run);
  }
  clear_products (&alone);
  outcome.scan = summarise (scans, (gsize) bench->runs);
  outcome.product = summarise (products, (gsize) bench->runs);
  if (outcome.has_numpy) {
    outcome.plain = summarise (plain, (gsize) bench->runs);
    outcome.tuned = summarise (tuned, (gsize) bench->runs);
    outcome.same = stop_numpy (&numpy);
  }
  return outcome;
}

static double
gigaflops (const Case *c, double seconds)
{
  return 2e-9 * N_SUBSPACES * (double) (c->dimension + 1) * N_ROWS * COLS / seconds;
}

/* ---- Reports ---- */

static char *
processor_name (void)
{
  g_autofree char *text = NULL;
  const char *line = NULL;
  const char *end;

  if (g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    line = strstr (text, "model name");
  if (line == NULL || (line = strchr (line, ':')) == NULL)
    return g_strdup ("unknown processor");
  end = strchrnul (line, '\n');
  return g_strstrip (g_strndup (line + 1, (gsize) (end - line - 1)));
}

static void
print_head (const Bench *bench)
{
  g_autofree char *processor = processor_name ();

  printf ("%s, %u threads, %s\n", processor, assay_parallel_threads (), assay_linalg_describe ());
  printf ("%d subspaces, %d rows x %d bytes, seed %d; %d runs: minimum (median)\n", N_SUBSPACES,
          N_ROWS, COLS, SEED, bench->runs);
  printf ("%3s %5s  %-15s %7s  %-15s %7s %6s  %8s  %-15s %5s  %-15s %5s  %6s\n", "m", "k", "scan s",
          "GFLOP/s", "products s", "GFLOP/s", "share", "held MiB", "NumPy, plain s", "ratio",
          "NumPy, tuned s", "ratio", "same");
}

static void
print_outcome (const Outcome *o)
{
  const Case *c = o->c;

  printf ("%3zu %5zu  %6.3f (%6.3f) %7.1f  %6.3f (%6.3f) %7.1f %5.1f%%  %8.1f", c->dimension, c->k,
          o->scan.minimum, o->scan.median, gigaflops (c, o->scan.minimum), o->product.minimum,
          o->product.median, gigaflops (c, o->product.minimum),
          100 * o->product.minimum / o->scan.minimum, (double) o->held / (1 << 20));
  if (o->has_numpy)
    printf ("  %6.3f (%6.3f) %5.1f  %6.3f (%6.3f) %5.1f  %5.1f%%", o->plain.minimum,
            o->plain.median, o->plain.minimum / o->scan.minimum, o->tuned.minimum, o->tuned.median,
            o->tuned.minimum / o->scan.minimum, 100 * o->same);
  printf ("\n");
  fflush (stdout);
}

static void
write_times (AssayJson *json, const char *key, Times times)
{
  assay_json_key (json, key);
  assay_json_begin_object (json);
  assay_json_member_double (json, "minimum", times.minimum);
  assay_json_member_double (json, "median", times.median);
  assay_json_end_object (json);
}

static void
write_outcome (AssayJson *json, const Outcome *o)
{
  assay_json_begin_object (json);
  assay_json_member_int (json, "dimension", (gint64) o->c->dimension);
  assay_json_member_int (json, "k", (gint64) o->c->k);
  write_times (json, "scan_seconds", o->scan);
  write_times (json, "product_seconds", o->product);
  assay_json_member_double (json, "scan_gflops", gigaflops (o->c, o->scan.minimum));
  assay_json_member_double (json, "product_gflops", gigaflops (o->c, o->product.minimum));
  assay_json_member_double (json, "share", o->product.minimum / o->scan.minimum);
  assay_json_member_int (json, "held_bytes", o->held);
  assay_json_member_int (json, "result_bytes", o->result);
  assay_json_member_int (json, "peak_resident_bytes", o->resident);
  if (o->has_numpy) {
    write_times (json, "numpy_plain_seconds", o->plain);
    write_times (json, "numpy_tuned_seconds", o->tuned);
    assay_json_member_double (json, "numpy_same_rows", o->same);
  }
  assay_json_end_object (json);
}

static void
run_cases (const Bench *bench)
{
  AssayJson *json = assay_json_new ();
  g_autofree char *processor = processor_name ();
  g_autofree char *text = NULL;

  assay_json_begin_object (json);
  assay_json_member_string (json, "processor", processor);
  assay_json_member_int (json, "threads", assay_parallel_threads ());
  assay_json_member_string (json, "blas", assay_linalg_describe ());
  assay_json_member_int (json, "seed", SEED);
  assay_json_member_int (json, "runs", bench->runs);
  assay_json_member_int (json, "subspaces", N_SUBSPACES);
  assay_json_member_int (json, "rows", N_ROWS);
  assay_json_member_int (json, "cols", COLS);
  assay_json_key (json, "cases");
  assay_json_begin_array (json);
  if (!bench->is_json)
    print_head (bench);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Outcome outcome = run_case (bench, &cases[i]);

    write_outcome (json, &outcome);
    if (!bench->is_json)
      print_outcome (&outcome);
  }
  assay_json_end_array (json);
  assay_json_end_object (json);
  text = assay_json_finish (json);
  if (bench->is_json)
    fputs (text, stdout);
}

static void
remove_folder (const char *folder)
{
  static const char *const names[]
      = { "rows.u8", "translation.f32", "basis.f32", "found.i64", "sizes.json" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);

    g_unlink (path);
  }
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  Bench bench = { .runs = 5 };
  const GOptionEntry entries[]
      = { { "runs", 0, 0, G_OPTION_ARG_INT, &bench.runs, "Runs of each case (5)", "N" },
          { "threads", 0, 0, G_OPTION_ARG_INT, &bench.threads, "0: one per processor", "N" },
          { "numpy", 0, 0, G_OPTION_ARG_FILENAME, &bench.python, "A Python that has NumPy",
            "PYTHON" },
          { "script", 0, 0, G_OPTION_ARG_FILENAME, &bench.script, "bench/subspace.py", "FILE" },
          { "json", 0, 0, G_OPTION_ARG_NONE, &bench.is_json, "Print JSON", NULL },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    stop ("options", error);
  if (bench.runs < 1 || bench.threads < 0 || (bench.python != NULL && bench.script == NULL)) {
    fprintf (stderr, "bench-subspace: --runs from 1, --threads from 0, --numpy with --script\n");
    return 2;
  }
  bench.folder = g_dir_make_tmp ("assay-bench-XXXXXX", &error);
  if (bench.folder == NULL)
    stop ("temporary folder", error);
  assay_parallel_set_threads ((guint) bench.threads);
  bench.rows = make_rows (bench.folder);
  run_cases (&bench);
  remove_folder (bench.folder);
  assay_rows_unref (bench.rows);
  g_free (bench.folder);
  g_free (bench.python);
  g_free (bench.script);
  return 0;
}
