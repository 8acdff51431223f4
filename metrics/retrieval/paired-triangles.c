/* Triangles among the items that are retrieved across modalities (Cheng, Dai and Sun 2026, section
 * 5.1: "the normalized absolute difference between the triangle counts in the induced Hamming graph
 * of the retrieved items and the ground truth semantic graph").
 *
 * Retrieved are the k items nearest to a query, of equally near ones the first in the database,
 * queries and database as in paired-map.c. H joins two of them whose codes differ in at most
 * `radius` bits, S joins those that share a label; and, as a second meaning, those that the private
 * graph joins. With t for the number of triangles,
 *   sum over queries |t_H - t_S| / sum over queries t_S.
 * What a query does to this ratio is its outcome; where no query has a triangle of S, there is no
 * ratio. */
#include "core/base/parallel.h"
#include "core/graph/edge-array.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"
#include "metrics/retrieval/paired-queries.h"

/* Items of a query are bits of a word. */
#define MOST_ITEMS 64

enum { BY_LABELS, BY_GRAPH, N_MEANINGS };
enum {
  LABELS_TO_TEXT,
  LABELS_TO_IMAGE,
  GRAPH_TO_TEXT,
  GRAPH_TO_IMAGE,
  LEFT_OUT,
  DATABASE,
  QUERY,
  N_SERIES
};

typedef struct {
  gint64 k;
  gint64 radius;
} PairedTriangles;

/* Counts of one query, by what joins its items. */
typedef struct {
  double released;
  double truth[N_MEANINGS];
} Counts;

typedef struct {
  const Retrieval *retrieval;
  const AssayGraph *graph; /* NULL: the truth has none */
  gsize k, radius;
  guint16 *distances; /* of each thread: all items */
  Counts *counts;     /* of each query */
} Counting;

/* ---- Triangles of one query ---- */

/* Of the graph in which the bits of joined[a] above a are its neighbours. */
static double
count_triangles (const guint64 *joined, gsize k)
{
  double count = 0;

  for (gsize a = 0; a < k; a++)
    for (guint64 left = joined[a]; left != 0; left &= left - 1) {
      const gsize b = (gsize) __builtin_ctzll (left);

      count += (double) __builtin_popcountll (joined[a] & joined[b]);
    }
  return count;
}

/* The @k nearest, of equally near ones the first. */
static void
find_nearest (const guint16 *distances, gsize count, gsize bits, gsize k, gsize *ret_items)
{
  gsize found = 0;

  for (gsize d = 0; d <= bits && found < k; d++)
    for (gsize i = 0; i < count && found < k; i++)
      if (distances[i] == d)
        ret_items[found++] = i;
}

static gsize
distance_of (const AssayCodes *codes, gsize a, gsize b)
{
  guint16 distance;

  assay_codes_distances (codes, codes->data + a * codes->words, b, 1, &distance);
  return distance;
}

static void
count_query (gsize query, guint worker, gpointer data)
{
  const Counting *counting = data;
  const Retrieval *retrieval = counting->retrieval;
  const AssayCodes *items = retrieval->database, *queries = retrieval->queries;
  guint16 *distances = counting->distances + worker * items->count;
  const gsize k = counting->k;
  gsize nearest[MOST_ITEMS];
  guint64 released[MOST_ITEMS] = { 0 }, truth[N_MEANINGS][MOST_ITEMS] = { { 0 } };
  Counts *counts = &counting->counts[query];

  assay_codes_distances (items, queries->data + query * queries->words, 0, items->count, distances);
  find_nearest (distances, items->count, items->bits, k, nearest);
  for (gsize a = 0; a < k; a++)
    for (gsize b = a + 1; b < k; b++) {
      const guint64 bit = G_GUINT64_CONSTANT (1) << b;
      const gsize i = nearest[a], j = nearest[b];

      released[a] |= distance_of (items, i, j) <= counting->radius ? bit : 0;
      truth[BY_LABELS][a] |= retrieval_share_label (retrieval, i, j) ? bit : 0;
      if (counting->graph != NULL)
        truth[BY_GRAPH][a]
            |= assay_graph_find (counting->graph, i, j) != ASSAY_GRAPH_NONE ? bit : 0;
    }
  counts->released = count_triangles (released, k);
  for (guint m = 0; m < N_MEANINGS; m++)
    counts->truth[m] = count_triangles (truth[m], k);
}

/* ---- Outcomes ---- */

/* What queries do to sum |t_H - t_S| / sum t_S. */
static void
judge (const Counts *counts, gsize n, guint meaning, guint series, AssayOutcomes *outcomes)
{
  double errors = 0, truth = 0;

  for (gsize q = 0; q < n; q++) {
    errors += ABS (counts[q].released - counts[q].truth[meaning]);
    truth += counts[q].truth[meaning];
  }
  if (truth == 0) {
    metric_leave_out (outcomes, series, series + 1,
                      "no query has a triangle among the items it retrieves");
    return;
  }
  for (gsize q = 0; q < n; q++) {
    const double error = ABS (counts[q].released - counts[q].truth[meaning]);

    outcomes->series[series][q]
        = errors / truth + (error - errors / truth * counts[q].truth[meaning]) * (double) n / truth;
  }
}

static void
judge_all (const Counting *counting, AssayPairedSide query, AssayOutcomes *outcomes)
{
  const gsize n = counting->retrieval->queries->count;
  const gboolean is_image = query == ASSAY_PAIRED_IMAGE;
  const guint by_graph = is_image ? GRAPH_TO_TEXT : GRAPH_TO_IMAGE;

  judge (counting->counts, n, BY_LABELS, is_image ? LABELS_TO_TEXT : LABELS_TO_IMAGE, outcomes);
  if (counting->graph != NULL)
    judge (counting->counts, n, BY_GRAPH, by_graph, outcomes);
  else
    metric_leave_out (outcomes, by_graph, by_graph + 1, "the dataset has no private graph");
}

static gboolean
assess_from (AssayPairedSide side, const AssayGraph *graph, const AssayUtilityContext *context,
             const AssayReceived *received, AssayOutcomes *outcomes, GError **error)
{
  const PairedTriangles *settings = context->settings;
  const gsize bits = received->release->bits;
  g_auto (Retrieval) retrieval = { 0 };
  g_autofree Counts *counts = NULL;
  g_autofree guint16 *distances = NULL;
  Counting counting = { .retrieval = &retrieval, .graph = graph };

  if (!paired_queries_init (side, context, received, &retrieval, error)
      || !paired_queries_alloc (&retrieval, N_SERIES, outcomes, error))
    return FALSE;
  counts = g_new0 (Counts, retrieval.queries->count);
  distances
      = assay_alloc (assay_parallel_threads (),
                     MAX (retrieval.database->count, 1) * sizeof (guint16), "distances", error);
  if (distances == NULL)
    return FALSE;
  counting.k = MIN ((gsize) settings->k, retrieval.database->count);
  counting.radius = settings->radius > 0 ? (gsize) settings->radius : bits / 4;
  counting.distances = distances;
  counting.counts = counts;
  assay_parallel_for (retrieval.queries->count, count_query, &counting);
  judge_all (&counting, side, outcomes);
  return TRUE;
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayArray *edges = assay_arrays_get (&received->truth->arrays, "edges");
  g_autoptr (AssayGraph) graph = NULL;

  if (!paired_queries_check (context->dataset, error))
    return FALSE;
  if (edges != NULL) {
    graph = assay_edge_array_graph (assay_release_count (received->release), edges, error);
    if (graph == NULL)
      return FALSE;
  }
  return assess_from (ASSAY_PAIRED_IMAGE, graph, context, received, ret_outcomes, error)
         && assess_from (ASSAY_PAIRED_TEXT, graph, context, received, ret_outcomes, error);
}

ASSAY_UTILITY (paired_triangles, "paired-triangles",
  .summary = "Triangles of near codes among retrieved items, against those of labels or a graph",
  .reference = { ASSAY_PAPER_DMP_MH, "section 5.1" },
  ASSAY_SETTINGS (PairedTriangles,
    ASSAY_PARAM_INT (PairedTriangles, k, 50, 3, MOST_ITEMS, "items",
                     "Nearest items that are looked at; all, where there are fewer"),
    ASSAY_PARAM_INT (PairedTriangles, radius, 0, 0, ASSAY_CODE_MAX_BITS, "bits",
                     "Items whose codes differ in at most so many bits are joined; 0: a quarter of "
                     "the bits")),
  .holds = { .items = 2, .per_thread = 1 << 20 },
  .reads = ASSAY_RELEASE_PAIRED_CODES,
  .reads_arrays = paired_queries_reads,
  .needs = ASSAY_HAS_LABELS | ASSAY_HAS_TEST_LABELS | ASSAY_HAS_MODALITIES,
  .has_own_units = TRUE,
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (LABELS_TO_TEXT, "image-to-text-triangles", MEAN, 0, G_MAXDOUBLE,
                   "share of triangles",
                   "Relative error of triangles of near codes against triangles of one label, "
                   "among the texts nearest to the image of a test row",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (LABELS_TO_IMAGE, "text-to-image-triangles", MEAN, 0, G_MAXDOUBLE,
                   "share of triangles", "The same among the images nearest to its text",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (GRAPH_TO_TEXT, "image-to-text-graph-triangles", MEAN, 0, G_MAXDOUBLE,
                   "share of triangles",
                   "The same against triangles of the private graph, among these texts",
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (GRAPH_TO_IMAGE, "text-to-image-graph-triangles", MEAN, 0, G_MAXDOUBLE,
                   "share of triangles",
                   "The same against triangles of the private graph, among these images",
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    RETRIEVAL_MEASURES (N_SERIES, "triangles-without-relevant", "triangles-database")),
  .assess = assess);
