/* What does ruling rows out gain a scan, and what does a scan of ten million rows take?
 *
 *   bench-scan-pruned --sift FOLDER [--subspaces N] [--runs N] [--threads N]
 *                     [--rows N --file PATH]
 *
 * The rows are the descriptors of five files of real SIFT in FOLDER, scaled to unit length; with
 * --rows as many rows as that, which are those descriptors again and again, each value jittered by
 * up to 3, generated into PATH (128 bytes a row; removed afterwards) and mapped. The subspaces go
 * through descriptors of private photographs, half of their m directions lead to rows drawn at
 * random and the others are random, as in affine lifting's hybrid variant.
 *
 * For each m and k it takes turns between brute force, the scan as it is (core/scan-prune.c), and
 * the matrix products that brute force is made of, alone (shapes and number the same), and reports
 * the least processor time of each, so that other work of the machine weighs less; whether both
 * scans found the same, to the bit; and the most anonymous memory of the process during the scan
 * (RssAnon, looked at every 10 ms). */
#include <glib/gstdio.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/linalg.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/row-file.h"
#include "core/scan.h"

#define SEED 1
#define COLS 128
#define JITTER 3
#define CHUNK 4096

static const char ROWS[] = "sift_places_public.bvecs,homography_sift.bvecs,sacre_coeur_sift.bvecs,"
                           "sceaux_castle_sift.bvecs,bigann10k.bvecs";
static const char SECRETS[] = "sift_private_queries.bvecs";

typedef struct {
  gsize dimension;
  gsize k;
} Case;

static const Case cases[] = { { 4, 1 }, { 4, 1010 }, { 16, 1 }, { 16, 1010 } };

typedef struct {
  int runs;
  int threads;
  int subspaces;
  gint64 wanted; /* rows; 0: the real ones */
  char *folder;
  char *file;
  AssayRows *rows;
  AssayRows *secrets;
} Bench;

typedef struct {
  double seconds; /* of processor time, least of all runs */
  gint64 anonymous;
  AssayScanWork work;
  AssayNearest *nearest;
} Outcome;

static void
stop (const char *what, GError *error)
{
  fprintf (stderr, "bench-scan-pruned: %s: %s\n", what, error == NULL ? "failed" : error->message);
  exit (2);
}

/* ---- Data ---- */

static AssayRows *
open_rows (const char *specification, const char *folder)
{
  const char *const folders[] = { folder, NULL };
  g_autoptr (GError) error = NULL;
  AssayRowFiles *files = assay_row_files_open (specification, folders, &error);
  AssayRows *rows;

  if (files == NULL)
    stop (specification, error);
  rows = assay_rows_ref (files->rows);
  assay_row_files_free (files);
  if (assay_rows_cols (rows) != COLS)
    stop ("expected rows of 128 columns", NULL);
  return rows;
}

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
    stop (bench->file, NULL);
  for (; jittering.first < wanted; jittering.first += jittering.count) {
    jittering.count = MIN (CHUNK, wanted - jittering.first);
    assay_parallel_for (jittering.count, jitter_row, &jittering);
    if (fwrite (bytes, COLS, jittering.count, file) != jittering.count)
      stop (bench->file, NULL);
  }
  if (fclose (file) != 0 || (mapped = g_mapped_file_new (bench->file, FALSE, NULL)) == NULL)
    stop (bench->file, NULL);
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
    stop ("basis", error);
  for (gsize j = 0; j < m; j++) {
    const double part = assay_stream_normal (&stream);

    for (gsize c = 0; c < COLS; c++) {
      ret_basis[j * COLS + c] = (float) basis[j * COLS + c];
      translation[c] += (float) (part * basis[j * COLS + c]);
    }
  }
}

/* ---- Measuring ---- */

static double
processor_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
         + 1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static gint64
read_anonymous (void)
{
  g_autofree char *text = NULL;
  const char *line = NULL;

  if (g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    line = strstr (text, "RssAnon:");
  return line == NULL ? 0 : g_ascii_strtoll (line + strlen ("RssAnon:"), NULL, 10) * 1024;
}

typedef struct {
  gint is_over;
  gint64 most;
} Watch;

static gpointer
watch_memory (gpointer data)
{
  Watch *watch = data;

  while (!g_atomic_int_get (&watch->is_over)) {
    watch->most = MAX (watch->most, read_anonymous ());
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
  const double start = processor_seconds ();
  g_autoptr (GError) error = NULL;

  assay_nearest_free (outcome->nearest);
  outcome->nearest = assay_scan_subspaces_by (method, subspaces, bench->rows, ASSAY_SCALE_UNIT, k,
                                              &outcome->work, &error);
  if (outcome->nearest == NULL)
    stop ("scan", error);
  outcome->seconds = MIN (outcome->seconds, processor_seconds () - start);
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
  start = processor_seconds ();
  for (gsize i = 0; i < n_panels; i++)
    for (gsize first = 0; first < stacked; first += block)
      assay_linalg_product_nt (MIN (block, stacked - first), panel, COLS, stack + first * COLS,
                               COLS, values, COLS, products, panel);
  return (processor_seconds () - start) * (double) n_rows / (double) (n_panels * panel);
}

static void
run_case (const Bench *bench, const Case *c)
{
  const gsize n = (gsize) bench->subspaces;
  const gsize m = c->dimension;
  g_autofree float *translation = g_new (float, n *COLS);
  g_autofree float *basis = g_new (float, n *m *COLS);
  const AssaySubspaces subspaces
      = { .count = n, .dimension = m, .cols = COLS, .translation = translation, .basis = basis };
  Outcome brute = { .seconds = G_MAXDOUBLE }, pruned = brute;
  double products = G_MAXDOUBLE;
  gboolean is_same;

  for (gsize i = 0; i < n; i++)
    make_subspace (bench, i, m, translation + i * COLS, basis + i * m * COLS);
  malloc_trim (0);
  for (int run = 0; run < bench->runs; run++) {
    scan_once (bench, &subspaces, c->k, ASSAY_SCAN_BRUTE, &brute);
    scan_once (bench, &subspaces, c->k, ASSAY_SCAN_AUTO, &pruned);
    products = MIN (products, multiply_all (bench, m));
  }
  is_same
      = memcmp (brute.nearest->rows, pruned.nearest->rows, n * c->k * sizeof (gsize)) == 0
        && memcmp (brute.nearest->distances, pruned.nearest->distances, n * c->k * sizeof (float))
               == 0;
  printf ("%3zu %5zu  %8.3f  %8.3f %6.1f%%  %8.3f %6.2f  %5s  %6.2f%% %7.3f%%  %6.1f  %6.1f\n", m,
          c->k, brute.seconds, products, 100 * products / brute.seconds, pruned.seconds,
          brute.seconds / pruned.seconds, is_same ? "yes" : "NO",
          100 * (double) pruned.work.coarse / (double) pruned.work.pairs,
          100 * (double) pruned.work.left / (double) MAX (pruned.work.coarse, 1),
          (double) brute.anonymous / (1 << 20), (double) pruned.anonymous / (1 << 20));
  fflush (stdout);
  assay_nearest_free (brute.nearest);
  assay_nearest_free (pruned.nearest);
}

int
main (int argc, char **argv)
{
  Bench bench = { .runs = 3, .subspaces = 1000 };
  gboolean is_short = FALSE;
  const GOptionEntry entries[] = {
    { "sift", 0, 0, G_OPTION_ARG_FILENAME, &bench.folder, "Where the .bvecs files are", "FOLDER" },
    { "subspaces", 0, 0, G_OPTION_ARG_INT, &bench.subspaces, "1000", "N" },
    { "runs", 0, 0, G_OPTION_ARG_INT, &bench.runs, "Runs of each case (3)", "N" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &bench.threads, "0: one per processor", "N" },
    { "rows", 0, 0, G_OPTION_ARG_INT64, &bench.wanted, "Rows, generated (the real ones)", "N" },
    { "file", 0, 0, G_OPTION_ARG_FILENAME, &bench.file, "Where to", "PATH" },
    { "short", 0, 0, G_OPTION_ARG_NONE, &is_short, "m = 4 alone", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    stop ("options", error);
  if (bench.folder == NULL || bench.runs < 1 || bench.threads < 0 || bench.subspaces < 1
      || (bench.wanted > 0) != (bench.file != NULL) || (bench.wanted != 0 && bench.wanted < 2000)) {
    fprintf (stderr, "bench-scan-pruned: --sift FOLDER, --runs and --subspaces from 1, --threads "
                     "from 0, --rows from 2000 with --file\n");
    return 2;
  }
  assay_parallel_set_threads ((guint) bench.threads);
  bench.rows = open_rows (ROWS, bench.folder);
  bench.secrets = open_rows (SECRETS, bench.folder);
  if (bench.wanted > 0) {
    AssayRows *rows = generate_rows (&bench);

    assay_rows_unref (bench.rows);
    bench.rows = rows;
  }
  printf ("%d subspaces, %zu rows, %u threads, %s; least processor seconds of %d runs\n",
          bench.subspaces, assay_rows_count (bench.rows), assay_parallel_threads (),
          assay_linalg_describe (), bench.runs);
  printf ("%3s %5s  %8s  %8s %7s  %8s %6s  %5s  %7s %8s  %6s  %6s\n", "m", "k", "brute s",
          "products", "share", "pruned s", "ratio", "same", "coarse", "left", "anon", "MiB");
  for (gsize i = 0; i < (is_short ? 2 : G_N_ELEMENTS (cases)); i++)
    run_case (&bench, &cases[i]);
  if (bench.file != NULL)
    g_unlink (bench.file);
  assay_rows_unref (bench.rows);
  assay_rows_unref (bench.secrets);
  g_free (bench.folder);
  g_free (bench.file);
  return 0;
}
