/* How fast is retrieval with hash codes? Whole rankings of a database for each query with all that
 * the utility `map` reads off them, counts alone (pr-curve), and the same by NumPy (bench/codes.py,
 * same codes, same run); and learning ITQ.
 *
 *   bench-codes [--only CASE] [--runs N] [--threads N] [--numpy PYTHON --script FILE] [--quick]
 *               [--json]
 *
 * Codes are those of ten classes: a random code for each, of whose bits a quarter is flipped at
 * random. NumPy ranks the first NUMPY_QUERIES queries and its time is scaled to all; its mean
 * average precision of these must be that of map-stable-order. --quick takes a twentieth of the
 * items and queries; --only takes the rankings whose name begins so, such as "693 x 2173", and does
 * not learn. */
#include <math.h>
#include <stdio.h>

#include "bench/measure.h"
#include "core/base/rng.h"
#include "defenses/codes/hash-learning.h"
#include "metrics/retrieval/ranking.h"

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
                              { 1000, 60000, 256, 0 },
                              { 693, 2173, 32, 0.01 } };

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
    measure_stop ("codes", error);
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

static Times
time_ranking (const Report *report, const Coded *items, const Coded *queries, gboolean has_stable,
              Figures *figures)
{
  const RankingTask task = { .items = items->codes,
                             .queries = queries->codes,
                             .item_labels = items->labels,
                             .query_labels = queries->labels,
                             .has_stable = has_stable };
  g_autoptr (GError) error = NULL;
  Samples samples = { 0 };

  for (int i = 0; i < report->options->runs; i++) {
    const Moment start = measure_moment ();

    if (!ranking_for_each (&task, judge, figures, &error))
      measure_stop ("ranking", error);
    measure_add (&samples, start);
  }
  return measure_times (&samples);
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
    measure_stop ("codes", error);
}

/* Seconds a query: as it is mostly written, and with what NumPy is fastest at; NAN: no NumPy. */
static void
ask_numpy (const MeasureOptions *options, gsize bits, const Coded *items, const Coded *queries,
           double stable, double ret_seconds[2])
{
  g_auto (MeasureFolder) folder = NULL;
  g_autofree char *text = g_strdup_printf ("%" G_GSIZE_FORMAT, bits);
  g_autofree char *out = NULL;
  g_auto (GStrv) words = NULL;

  ret_seconds[0] = ret_seconds[1] = NAN;
  if (options->python == NULL)
    return;
  folder = measure_folder_new ();
  write_coded (folder, "items", items, items->codes->count);
  write_coded (folder, "queries", queries, NUMPY_QUERIES);
  out = measure_ask_python (options, (const char *[]){ folder, text, NULL });
  words = g_strsplit_set (out == NULL ? "" : g_strstrip (out), " \n", -1);
  for (guint i = 0; g_strv_length (words) == 4 && i < 2; i++) {
    const double found = g_ascii_strtod (words[2 * i + 1], NULL);

    ret_seconds[i] = g_ascii_strtod (words[2 * i], NULL);
    if (!(fabs (found - stable) < 1e-9))
      fprintf (stderr, "bench-codes: NumPy finds %.12f instead of %.12f\n", found, stable);
  }
}

static void
run_case (Report *report, const Case *c)
{
  const gsize part = report->options->is_quick ? 20 : 1;
  const gsize n_items = c->items / part, n_queries = c->queries / part;
  g_auto (Coded) items = make_codes (n_items, c->bits, "items");
  g_auto (Coded) queries = make_codes (n_queries, c->bits, "queries");
  g_autofree double *memory = g_new0 (double, 3 * n_queries);
  Figures figures = { memory, memory + n_queries, memory + 2 * n_queries };
  const Times counted = time_ranking (report, &items, &queries, FALSE, &figures);
  const Times ranked = time_ranking (report, &items, &queries, TRUE, &figures);
  double numpy[2];

  ask_numpy (report->options, c->bits, &items, &queries, mean (figures.stable, NUMPY_QUERIES),
             numpy);
  report_case (report, "%zu x %zu, %zu bits", n_queries, n_items, c->bits);
  report_number (report, "map", mean (figures.expected, n_queries), 4);
  report_number (report, "stable", mean (figures.stable, n_queries), 4);
  report_times (report, "counts s", counted);
  report_times (report, "ranks s", ranked);
  report_number (report, "ranks, CPU s", ranked.cpu, 4);
  report_number (report, "wanted s", c->wanted > 0 ? c->wanted : NAN, c->wanted < 1 ? 2 : 0);
  for (guint i = 0; i < 2; i++) {
    const double seconds = numpy[i] * (double) n_queries;

    report_number (report, i == 0 ? "NumPy, plain s" : "NumPy, tuned s", seconds, 1);
    report_number (report, i == 0 ? "plain / ranks" : "tuned / ranks", seconds / ranked.minimum, 0);
  }
}

/* ---- Learning ---- */

/* Rows of which the first columns vary most, as pixels' principal components do. */
static void
time_itq (Report *report, gsize n, gsize cols, gint64 bits)
{
  const AssayStreamKey key = assay_stream_key (SEED, 0, "rows", "bench-codes");
  const HashSettings settings = { .bits = bits, .iterations = 50 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMatrix) rows = assay_matrix_new (n, cols, &error);
  g_autofree double *normals = g_new (double, cols);
  g_autoptr (AssayHashFunction) function = NULL;
  HashTraining training = { .stream = key };
  Moment start;

  if (rows == NULL)
    measure_stop ("codes", error);
  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i);

    assay_stream_fast_normals (&stream, cols, normals);
    for (gsize j = 0; j < cols; j++)
      assay_matrix_row (rows, i)[j] = (float) (normals[j] / sqrt (1 + (double) j));
  }
  training.rows = assay_matrix_view (rows);
  start = measure_moment ();
  function = itq_learn (&training, &settings, &error);
  if (function == NULL)
    measure_stop ("codes", error);
  report_next_table (report);
  report_case (report, "ITQ, %zu x %zu, %d bits, 50 iterations", n, cols, (int) bits);
  report_times (report, "s", measure_once (start));
  report_number (report, "wanted s", 10, 0);
}

int
main (int argc, char **argv)
{
  g_autofree char *only = NULL;
  const GOptionEntry entries[]
      = { { "only", 0, 0, G_OPTION_ARG_STRING, &only, "Rank this case alone", "CASE" },
          G_OPTION_ENTRY_NULL };
  g_auto (MeasureOptions) options = measure_options ("codes", 5, entries, argc, argv);
  g_autofree char *about
      = g_strdup_printf ("Queries x codes; NumPy scaled from %d queries", NUMPY_QUERIES);
  g_autoptr (Report) report = report_new (&options, SEED, about);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *name = g_strdup_printf ("%zu x %zu", cases[i].queries, cases[i].items);

    if (only == NULL || g_str_has_prefix (name, only))
      run_case (report, &cases[i]);
  }
  if (only == NULL)
    time_itq (report, options.is_quick ? 3000 : 60000, 784, 48);
  return 0;
}
