/* How fast is retrieval with hash codes? Whole rankings of a database for each query with all that
 * the utility `map` reads off them, counts alone (pr-curve), and the same by NumPy (bench/codes.py,
 * same codes, same run); and learning ITQ.
 *
 *   bench-codes [--runs N] [--threads N] [--numpy PYTHON --script FILE]
 *
 * Codes are those of ten classes: a random code for each, of whose bits a quarter is flipped at
 * random. NumPy ranks the first NUMPY_QUERIES queries and its time is scaled to all; its mean
 * average precision of these must be that of map-stable-order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/parallel.h"
#include "core/rng.h"
#include "defenses/hash-learning.h"
#include "metrics/ranking.h"

#define SEED 1
#define CLASSES 10
#define NUMPY_QUERIES 50
#define MAP_K 1000

typedef struct {
  gsize queries;
  gsize items;
  gsize bits;
  double wanted; /* seconds; 0: as they come */
} Case;

static const Case cases[] = { { 10000, 60000, 48, 2 },
                              { 1000, 1000000, 64, 3 },
                              { 10000, 60000, 12, 0 },
                              { 1000, 60000, 256, 0 } };

typedef struct {
  AssayArray *packed;
  AssayCodes *codes;
  guint64 *labels;
} Coded;

typedef struct {
  double *expected; /* one a query */
  double *stable;
  double *others;
} Figures;

static void
stop (const GError *error)
{
  fprintf (stderr, "bench-codes: %s\n", error->message);
  exit (1);
}

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* ---- Material ---- */

static void
draw_bits (AssayStream *stream, gsize bits, guint8 *ret_code)
{
  for (gsize j = 0; j < bits; j++)
    ret_code[j / 8] |= (guint8) ((assay_stream_u32 (stream) & 1) << j % 8);
}

static Coded
make_codes (gsize n, gsize bits, const char *role)
{
  const AssayStreamKey centres = assay_stream_key (SEED, 0, "centres", "bench-codes");
  const AssayStreamKey key = assay_stream_key (SEED, 0, role, "bench-codes");
  const gsize bytes = assay_code_bytes (bits);
  guint8 *data = g_malloc0 (n * bytes);
  Coded coded = { .labels = g_new (guint64, n) };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i), centre;

    coded.labels[i] = assay_stream_below (&stream, CLASSES);
    centre = assay_stream (centres, coded.labels[i]);
    draw_bits (&centre, bits, data + i * bytes);
    for (gsize j = 0; j < bits; j++)
      data[i * bytes + j / 8] ^= (guint8) ((assay_stream_u32 (&stream) < G_MAXUINT32 / 4) << j % 8);
  }
  coded.packed = assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ n, bytes }, data);
  coded.codes = assay_codes_new (coded.packed, bits, &error);
  if (coded.codes == NULL)
    stop (error);
  return coded;
}

static void
coded_clear (Coded *coded)
{
  assay_array_free (coded->packed);
  assay_codes_free (coded->codes);
  g_free (coded->labels);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Coded, coded_clear)

/* ---- Ranking ---- */

static void
judge (gsize query, const Ranking *ranking, gpointer data)
{
  const Figures *figures = data;

  figures->expected[query] = ranking_average_precision (ranking);
  figures->stable[query] = ranking->stable_precision;
  figures->others[query]
      = ranking_average_precision_at (ranking, MAP_K) + ranking_found (ranking, MAP_K);
}

static double
mean (const double *values, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i];
  return sum / (double) n;
}

/* The least time of @runs, in seconds. */
static double
time_ranking (const Coded *items, const Coded *queries, gboolean has_stable, guint runs,
              Figures *figures, double *ret_median)
{
  const RankingLabels labels = { .items = items->labels, .queries = queries->labels };
  g_autofree double *seconds = g_new (double, runs);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < runs; i++) {
    const gint64 start = g_get_monotonic_time ();

    if (!ranking_for_each (items->codes, queries->codes, &labels, has_stable, judge, figures,
                           &error))
      stop (error);
    seconds[i] = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  }
  qsort (seconds, runs, sizeof *seconds, compare_doubles);
  *ret_median = seconds[runs / 2];
  return seconds[0];
}

/* ---- NumPy ---- */

static void
write_coded (const char *folder, const char *name, const Coded *coded, gsize n)
{
  const gsize bytes = coded->packed->shape[1];
  g_autofree char *codes = g_strdup_printf ("%s/%s.codes", folder, name);
  g_autofree char *labels = g_strdup_printf ("%s/%s.labels", folder, name);
  g_autoptr (GError) error = NULL;

  if (!g_file_set_contents (codes, (const char *) coded->packed->data, (gssize) (n * bytes), &error)
      || !g_file_set_contents (labels, (const char *) coded->labels,
                               (gssize) (n * sizeof *coded->labels), &error))
    stop (error);
}

static void
remove_coded (const char *folder, const char *name)
{
  g_autofree char *codes = g_strdup_printf ("%s/%s.codes", folder, name);
  g_autofree char *labels = g_strdup_printf ("%s/%s.labels", folder, name);

  remove (codes);
  remove (labels);
}

/* Seconds a query: as it is mostly written, and with what NumPy is fastest at; 0 without NumPy. */
static void
ask_numpy (const char *python, const char *script, gsize bits, const Coded *items,
           const Coded *queries, double stable, double ret_seconds[2])
{
  g_autofree char *folder = g_dir_make_tmp ("bench-codes-XXXXXX", NULL);
  g_autofree char *text = g_strdup_printf ("%" G_GSIZE_FORMAT, bits);
  const char *argv[] = { python, script, folder, text, NULL };
  g_autofree char *out = NULL;
  g_auto (GStrv) words = NULL;
  int status;

  ret_seconds[0] = ret_seconds[1] = 0;
  if (python == NULL || folder == NULL)
    return;
  write_coded (folder, "items", items, items->codes->count);
  write_coded (folder, "queries", queries, NUMPY_QUERIES);
  if (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status,
                    NULL)
      && status == 0) {
    words = g_strsplit_set (g_strstrip (out), " \n", -1);
    for (guint i = 0; i < 2; i++) {
      const double found = g_ascii_strtod (words[2 * i + 1], NULL);

      ret_seconds[i] = g_ascii_strtod (words[2 * i], NULL);
      if (!(fabs (found - stable) < 1e-9))
        fprintf (stderr, "bench-codes: NumPy finds %.12f instead of %.12f\n", found, stable);
    }
  }
  remove_coded (folder, "items");
  remove_coded (folder, "queries");
  remove (folder);
}

static void
run_case (const Case *c, const char *python, const char *script, guint runs)
{
  g_auto (Coded) items = make_codes (c->items, c->bits, "items");
  g_auto (Coded) queries = make_codes (c->queries, c->bits, "queries");
  g_autofree double *memory = g_new0 (double, 3 * c->queries);
  Figures figures = { memory, memory + c->queries, memory + 2 * c->queries };
  double median, counted_median, numpy[2];
  const double counted = time_ranking (&items, &queries, FALSE, runs, &figures, &counted_median);
  const double best = time_ranking (&items, &queries, TRUE, runs, &figures, &median);

  ask_numpy (python, script, c->bits, &items, &queries, mean (figures.stable, NUMPY_QUERIES),
             numpy);
  printf ("| %zu x %zu, %zu bits | %.4f | %.4f | %.3f | %.3f | %.3f | ", c->queries, c->items,
          c->bits, mean (figures.expected, c->queries), mean (figures.stable, c->queries), counted,
          best, median);
  if (c->wanted > 0)
    printf ("under %g s%s ", c->wanted, best < c->wanted ? "" : " MISSED");
  printf ("|");
  for (guint i = 0; i < 2; i++)
    if (numpy[i] > 0)
      printf (" %.1f | %.0f |", numpy[i] * (double) c->queries,
              numpy[i] * (double) c->queries / best);
    else
      printf (" | |");
  printf ("\n");
  fflush (stdout);
}

/* ---- Learning ---- */

/* Rows of which the first columns vary most, as pixels' principal components do. */
static void
time_itq (gsize n, gsize cols, gint64 bits)
{
  const AssayStreamKey key = assay_stream_key (SEED, 0, "rows", "bench-codes");
  const HashSettings settings = { .bits = bits, .iterations = 50 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMatrix) rows = assay_matrix_new (n, cols, &error);
  g_autofree double *normals = g_new (double, cols);
  g_autoptr (AssayHashFunction) function = NULL;
  HashTraining training = { .stream = key };
  gint64 start;

  if (rows == NULL)
    stop (error);
  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i);

    assay_stream_fill_normal (&stream, cols, normals);
    for (gsize j = 0; j < cols; j++)
      assay_matrix_row (rows, i)[j] = (float) (normals[j] / sqrt (1 + (double) j));
  }
  training.rows = assay_matrix_view (rows);
  start = g_get_monotonic_time ();
  function = itq_learn (&training, &settings, &error);
  if (function == NULL)
    stop (error);
  printf ("\nITQ, %zu x %zu, %d bits, 50 iterations: %.2f s (wanted: under 10 s)\n", n, cols,
          (int) bits, (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  const char *python = NULL, *script = NULL;
  int runs = 5, threads = 0;
  const GOptionEntry entries[]
      = { { "runs", 0, 0, G_OPTION_ARG_INT, &runs, "Runs of each case (5)", "N" },
          { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "Threads (one per processor)", "N" },
          { "numpy", 0, 0, G_OPTION_ARG_FILENAME, &python, "A Python that has NumPy", "PYTHON" },
          { "script", 0, 0, G_OPTION_ARG_FILENAME, &script, "bench/codes.py", "FILE" },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) options = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (options, entries, NULL);
  if (!g_option_context_parse (options, &argc, &argv, &error))
    stop (error);
  if (runs < 1 || threads < 0 || (python != NULL && script == NULL)) {
    fprintf (stderr, "bench-codes: --runs from 1, --threads from 0, --numpy with --script\n");
    return 2;
  }
  assay_parallel_set_threads ((guint) threads);
  printf ("Queries x codes on %u threads, best and median of %d; seed %d. NumPy: scaled from %d "
          "queries.\n\n"
          "| case | map | stable | counts s | best s | median s | wanted | NumPy plain s | times | "
          "tuned s | times |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |\n",
          assay_parallel_threads (), runs, SEED, NUMPY_QUERIES);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (&cases[i], python, script, (guint) runs);
  time_itq (60000, 784, 48);
  return 0;
}
