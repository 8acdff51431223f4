/* What does ruling rows out gain a scan, and what does a scan of ten million rows take?
 *
 *   bench-scan-pruned [--sift FOLDER] [--subspaces N] [--rows N --file PATH] [--short]
 *                     [--runs N] [--threads N] [--quick] [--json]
 *
 * The rows are the descriptors of five files of real SIFT in FOLDER (by default sift in
 * ASSAY_DATA), scaled to unit length; with --rows as many rows as that, which are those
 * descriptors again and again, each value jittered by up to 3, generated into PATH (128 bytes a
 * row; removed afterwards) and mapped. The subspaces go through descriptors of private
 * photographs, half of their m directions lead to rows drawn at random and the others are random,
 * as in affine lifting's hybrid variant.
 *
 * For each m and k it takes turns between brute force, the scan as it is (scan-prune.c), and
 * the matrix products that brute force is made of, alone (shapes and number the same). Shares and
 * ratios are of the processor's time, so that other work of the machine weighs less. `same`: both
 * scans found the same, to the bit; MiB: the most anonymous memory of the process during the scan
 * (RssAnon, looked at every 10 ms). --quick takes a tenth of the subspaces and m = 4 alone. */
#include <glib/gstdio.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "bench/lifted.h"
#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/math/linalg.h"
#include "core/search/scan.h"

#define SEED 1
#define COLS LIFTED_SIFT_COLS
#define JITTER 3
#define CHUNK 4096

typedef struct {
  gsize dimension;
  gsize k;
} Case;

static const Case cases[] = { { 4, 1 }, { 4, 1010 }, { 16, 1 }, { 16, 1010 } };

typedef struct {
  int runs;
  int subspaces;
  gint64 wanted; /* rows; 0: the real ones */
  char *folder;
  char *file;
  AssayRows *rows;
  AssayRows *secrets;
} Bench;

typedef struct {
  Samples samples;
  gint64 anonymous;
  AssayScanWork work;
  AssayNearest *nearest;
} Outcome;

/* ---- Data ---- */

typedef struct {
  const AssayRows *real;
  gsize first;
  gsize count;
  guint8 *bytes; /* CHUNK x COLS */
} Jittering;

static void
jitter_row (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Jittering *jittering = data;
  const gsize row = jittering->first + index;
  AssayStream stream = assay_stream (assay_stream_key (SEED, 0, "data", "bench-scan-pruned"), row);
  float values[COLS];

  assay_rows_read (jittering->real, row % assay_rows_count (jittering->real), 1, ASSAY_SCALE_NONE,
                   values);
  for (gsize j = 0; j < COLS; j++) {
    const gint jitter = (gint) assay_stream_below_u32 (&stream, 2 * JITTER + 1) - JITTER;

    jittering->bytes[index * COLS + j] = (guint8) CLAMP ((gint) values[j] + jitter, 0, 255);
  }
}

static AssayRows *
generate_rows (const Bench *bench)
{
  g_autofree guint8 *bytes = g_malloc (CHUNK * COLS);
  Jittering jittering = { .real = bench->rows, .bytes = bytes };
  AssayRows *rows = assay_rows_new (COLS);
  const gsize wanted = (gsize) bench->wanted;
  FILE *file = fopen (bench->file, "wxb"); /* never over a file that is there */
  g_autoptr (GMappedFile) mapped = NULL;
  g_autoptr (GBytes) mapped_bytes = NULL;

  if (file == NULL)
    measure_stop (bench->file, NULL);
  for (; jittering.first < wanted; jittering.first += jittering.count) {
    jittering.count = MIN (CHUNK, wanted - jittering.first);
    assay_parallel_for (jittering.count, jitter_row, &jittering);
    if (fwrite (bytes, COLS, jittering.count, file) != jittering.count)
      measure_stop (bench->file, NULL);
  }
  if (fclose (file) != 0 || (mapped = g_mapped_file_new (bench->file, FALSE, NULL)) == NULL)
    measure_stop (bench->file, NULL);
  mapped_bytes = g_mapped_file_get_bytes (mapped);
  assay_rows_append (rows, mapped_bytes, g_bytes_get_data (mapped_bytes, NULL), ASSAY_UINT8, COLS,
                     wanted);
  return rows;
}

/* Subspace @index, as affine lifting's hybrid variant makes it. */
static void
make_subspace (const Bench *bench, gsize index, gsize m, float *translation, float *ret_basis)
{
  AssayStream stream
      = assay_stream (assay_stream_key (SEED, 0, "defense", "bench-scan-pruned"), index);
  g_autofree double *basis = g_new (double, m *COLS);
  g_autoptr (GError) error = NULL;
  float row[COLS];

  assay_rows_read (bench->secrets, index % assay_rows_count (bench->secrets), 1, ASSAY_SCALE_UNIT,
                   translation);
  for (gsize j = 0; j < m; j++) {
    if (j < m / 2)
      assay_rows_read (bench->rows, assay_stream_below (&stream, assay_rows_count (bench->rows)), 1,
                       ASSAY_SCALE_UNIT, row);
    for (gsize c = 0; c < COLS; c++)
      basis[j * COLS + c]
          = j < m / 2 ? (double) row[c] - (double) translation[c] : assay_stream_normal (&stream);
  }
  if (!assay_linalg_orthonormalize (basis, m, COLS, &error))
    measure_stop ("basis", error);
  for (gsize j = 0; j < m; j++) {
    const double part = assay_stream_normal (&stream);

    for (gsize c = 0; c < COLS; c++) {
      ret_basis[j * COLS + c] = (float) basis[j * COLS + c];
      translation[c] += (float) (part * basis[j * COLS + c]);
    }
  }
}

/* ---- Measuring ---- */

typedef struct {
  gint is_over;
  gint64 most;
} Watch;

static gpointer
watch_memory (gpointer data)
{
  Watch *watch = data;

  while (!g_atomic_int_get (&watch->is_over)) {
    watch->most = MAX (watch->most, measure_status ("RssAnon:"));
    g_usleep (10000);
  }
  return NULL;
}

static void
scan_once (const Bench *bench, const AssaySubspaces *subspaces, gsize k, AssayScanMethod method,
           Outcome *outcome)
{
  Watch watch = { 0 };
  GThread *thread = g_thread_new ("memory", watch_memory, &watch);
  const Moment start = measure_moment ();
  g_autoptr (GError) error = NULL;

  assay_nearest_free (outcome->nearest);
  outcome->nearest = assay_scan_subspaces_by (
      method, subspaces, &(AssaySearchSet){ .rows = bench->rows, .scale = ASSAY_SCALE_UNIT }, k,
      &outcome->work, &error);
  if (outcome->nearest == NULL)
    measure_stop ("scan", error);
  measure_add (&outcome->samples, start);
  g_atomic_int_set (&watch.is_over, TRUE);
  g_thread_join (thread);
  outcome->anonymous = MAX (outcome->anonymous, watch.most);
}

/* Processor time of the products of brute force and nothing else: one panel against all blocks, as
 * often as there are panels, but no longer than some seconds, which are extrapolated. */
static double
multiply_all (const Bench *bench, gsize dimension)
{
  enum { MOST_PANELS = 600 };
  const gsize stacked = (gsize) bench->subspaces * (dimension + 1);
  const gsize n_rows = assay_rows_count (bench->rows);
  AssayStream stream = assay_stream (assay_stream_key (SEED, 0, "metric", "bench-scan-pruned"), 0);
  g_autofree float *stack = g_new (float, stacked *COLS);
  g_autofree float *values = NULL;
  g_autofree float *products = NULL;
  gsize block, panel, n_panels;
  double start;

  assay_scan_shape (dimension, COLS, &block, &panel);
  n_panels = MIN (MOST_PANELS, n_rows / panel);
  values = g_new (float, panel *COLS);
  products = g_new0 (float, block *panel);
  assay_rows_read (bench->rows, 0, panel, ASSAY_SCALE_UNIT, values);
  for (gsize i = 0; i < stacked * COLS; i++)
    stack[i] = (float) assay_stream_between (&stream, -0.2, 0.2);
  start = measure_moment ().cpu;
  for (gsize i = 0; i < n_panels; i++)
    for (gsize first = 0; first < stacked; first += block)
      assay_linalg_product (
          ASSAY_NT, assay_view_of (stack + first * COLS, MIN (block, stacked - first), COLS),
          assay_view_of (values, panel, COLS), products, panel);
  return (measure_moment ().cpu - start) * (double) n_rows / (double) (n_panels * panel);
}

static gboolean
is_same (const AssayNearest *a, const AssayNearest *b, gsize count)
{
  return memcmp (a->rows, b->rows, count * sizeof (gsize)) == 0
         && memcmp (a->distances, b->distances, count * sizeof (float)) == 0;
}

static void
run_case (const Bench *bench, const Case *c, Report *report)
{
  const gsize n = (gsize) bench->subspaces;
  const gsize m = c->dimension;
  g_autofree float *translation = g_new (float, n *COLS);
  g_autofree float *basis = g_new (float, n *m *COLS);
  const AssaySubspaces subspaces
      = { .count = n, .dimension = m, .cols = COLS, .translation = translation, .basis = basis };
  g_autofree Outcome *brute = g_new0 (Outcome, 1), *pruned = g_new0 (Outcome, 1);
  double products = G_MAXDOUBLE;
  Times brute_times, pruned_times;

  for (gsize i = 0; i < n; i++)
    make_subspace (bench, i, m, translation + i * COLS, basis + i * m * COLS);
  malloc_trim (0);
  for (int run = 0; run < bench->runs; run++) {
    scan_once (bench, &subspaces, c->k, ASSAY_SCAN_BRUTE, brute);
    scan_once (bench, &subspaces, c->k, ASSAY_SCAN_AUTO, pruned);
    products = MIN (products, multiply_all (bench, m));
  }
  brute_times = measure_times (&brute->samples);
  pruned_times = measure_times (&pruned->samples);
  report_case (report, "m = %zu, k = %zu", m, c->k);
  report_times (report, "brute s", brute_times);
  report_number (report, "brute CPU s", brute_times.cpu, 3);
  report_number (report, "products CPU s", products, 3);
  report_number (report, "share %", 100 * products / brute_times.cpu, 1);
  report_times (report, "pruned s", pruned_times);
  report_number (report, "pruned CPU s", pruned_times.cpu, 3);
  report_number (report, "ratio", brute_times.cpu / pruned_times.cpu, 2);
  report_text (report, "same", is_same (brute->nearest, pruned->nearest, n * c->k) ? "yes" : "NO");
  report_number (report, "coarse %",
                 100 * (double) pruned->work.coarse / (double) pruned->work.pairs, 2);
  report_number (report, "left %",
                 100 * (double) pruned->work.left / (double) MAX (pruned->work.coarse, 1), 3);
  report_number (report, "brute MiB", (double) brute->anonymous / (1 << 20), 1);
  report_number (report, "pruned MiB", (double) pruned->anonymous / (1 << 20), 1);
  assay_nearest_free (brute->nearest);
  assay_nearest_free (pruned->nearest);
}

int
main (int argc, char **argv)
{
  Bench bench = { .subspaces = 0 };
  gboolean is_short = FALSE;
  const GOptionEntry entries[] = {
    { "sift", 0, 0, G_OPTION_ARG_FILENAME, &bench.folder, "Where the .bvecs files are", "FOLDER" },
    { "subspaces", 0, 0, G_OPTION_ARG_INT, &bench.subspaces, "1000", "N" },
    { "rows", 0, 0, G_OPTION_ARG_INT64, &bench.wanted, "Rows, generated (the real ones)", "N" },
    { "file", 0, 0, G_OPTION_ARG_FILENAME, &bench.file, "Where to", "PATH" },
    { "short", 0, 0, G_OPTION_ARG_NONE, &is_short, "m = 4 alone", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_auto (MeasureOptions) options = measure_options ("scan-pruned", 3, entries, argc, argv);
  g_autoptr (Report) report = NULL;
  g_autofree char *about = NULL;

  bench.runs = options.runs;
  if (bench.subspaces == 0)
    bench.subspaces = options.is_quick ? 100 : 1000;
  if (bench.subspaces < 1 || (bench.wanted > 0) != (bench.file != NULL)
      || (bench.wanted != 0 && bench.wanted < 2000))
    measure_stop ("expected --subspaces from 1, --rows from 2000 with --file", NULL);
  lifted_open_sift (bench.folder, &bench.rows, &bench.secrets);
  if (bench.wanted > 0) {
    AssayRows *rows = generate_rows (&bench);

    assay_rows_unref (bench.rows);
    bench.rows = rows;
  }
  about = g_strdup_printf ("%d subspaces among %zu rows of real SIFT, by brute force and as it is",
                           bench.subspaces, assay_rows_count (bench.rows));
  report = report_new (&options, SEED, about);
  for (gsize i = 0; i < (is_short || options.is_quick ? 2 : G_N_ELEMENTS (cases)); i++)
    run_case (&bench, &cases[i], report);
  if (bench.file != NULL)
    g_unlink (bench.file);
  assay_rows_unref (bench.rows);
  assay_rows_unref (bench.secrets);
  g_free (bench.folder);
  g_free (bench.file);
  return 0;
}
