#include "defenses/graphs/dmp-release.h"

#include "core/base/parallel.h"
#include "core/data/kinds/graph.h"
#include "core/graph/edge-array.h"
#include "core/graph/likeness.h"
#include "defenses/graphs/complete-rows.h"
#include "defenses/graphs/dmp-descent.h"
#include "defenses/graphs/dmp-noise.h"

/* ---- The private graph ---- */

static AssayGraph *
make_graph (const DmpGraph *settings, const AssayDefenseContext *context, gsize n, GError **error)
{
  if (settings->graph == DMP_FEATURES)
    return assay_graph_complete (n, error);
  if (settings->graph == DMP_NONE)
    return assay_graph_new (n, NULL, 0, NULL, error);
  return context->edges != NULL
             ? assay_edge_array_graph (n, context->edges, error)
             : assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                                "expected a dataset with a private graph between the secrets "
                                "(such as interactions), or graph = features");
}

static AssayGraph *
clip (const DmpGraph *settings, const AssayDefenseContext *context, const AssayGraph *graph,
      AssayView items, GError **error)
{
  g_autoptr (AssayMatrix) rows = assay_likeness_rows (
      items, context->first_cols, (AssaySimilarity) settings->similarity, error);
  const AssayClipping clipping = { .rank = (AssayRank) settings->rank,
                                   .pruning = (AssayPruning) settings->pruning,
                                   .bound = (gsize) settings->bound,
                                   .likeness = assay_likeness_of_pair,
                                   .data = rows };

  return rows != NULL ? assay_graph_clip (graph, &clipping, error) : NULL;
}

/* Where features make the graph, what is clipped is the graph that there is. */
static gboolean
take_truth (const DmpGraph *settings, const AssayGraph *clipped, AssayTruth *truth, GError **error)
{
  AssayArray *edges = assay_edge_array_new (clipped, error);

  if (edges == NULL)
    return FALSE;
  if (settings->graph == DMP_FEATURES)
    assay_arrays_take (&truth->arrays, "edges", assay_array_copy (edges));
  assay_arrays_take (&truth->arrays, "clipped-edges", edges);
  return TRUE;
}

/* ---- Its release ---- */

/* The pairs that have weights: all, or the clipped graph. */
typedef struct {
  const DmpGraph *settings;
  const AssayGraph *clipped;
  DmpDescent descent;
  AssayStreamKey stream;
  GraphRows rows;
} Making;

static gsize
row_end (const Making *making, gsize i)
{
  return making->settings->support == DMP_SUPPORT_ALL ? (i + 1) * (making->clipped->n - 1)
                                                      : making->clipped->starts[i + 1];
}

static gboolean
make_rows (Making *making, GError **error)
{
  const AssayGraph *clipped = making->clipped;
  const gsize n = clipped->n;

  if (making->settings->support == DMP_SUPPORT_ALL)
    return graph_rows_complete (n, &making->rows, error);
  if (!graph_rows_alloc (n, assay_graph_slots (clipped), &making->rows, error))
    return FALSE;
  for (gsize s = 0; s < assay_graph_slots (clipped); s++)
    making->rows.indices[s] = clipped->ends[s];
  for (gsize i = 0; i <= n; i++)
    making->rows.indptr[i] = (gint64) clipped->starts[i];
  return TRUE;
}

/* The slot of @i in the row of @j. */
static gsize
twin_of (const Making *making, gsize i, gsize j)
{
  return making->settings->support == DMP_SUPPORT_ALL ? graph_rows_slot (making->clipped->n, j, i)
                                                      : assay_graph_find (making->clipped, j, i);
}

/* Those of the slots from @first to before @end in the row of @i, of higher nodes. */
static void
fill_motifs (const Making *making, gsize i, gsize first, gsize end, double *ret_motifs)
{
  const DmpGraph *settings = making->settings;
  const AssayMotif motif = (AssayMotif) settings->statistic;

  if (settings->support == DMP_SUPPORT_ALL) {
    g_autofree guint32 *paths = g_new (guint32, making->clipped->n);

    assay_motif_fill_row (making->clipped, motif, 2 * settings->convexity, i, paths, ret_motifs);
    return;
  }
  for (gsize s = first; s < end; s++)
    ret_motifs[s - first] = assay_motif_of_pair (making->clipped, motif, 2 * settings->convexity, i,
                                                 (gsize) making->rows.indices[s]);
}

/* The weights from @i to higher nodes, from a stream of its own. */
static void
descend_row (gsize i, guint worker, gpointer data)
{
  const Making *making = data;
  const gsize end = row_end (making, i);
  AssayStream stream = assay_stream (making->stream, i);
  gsize first = i > 0 ? row_end (making, i - 1) : 0;
  g_autofree double *motifs = NULL, *weights = NULL;

  (void) worker;
  while (first < end && making->rows.indices[first] < (gint64) i)
    first++;
  motifs = g_new (double, end - first + 1);
  weights = g_new (double, end - first + 1);
  fill_motifs (making, i, first, end, motifs);
  for (gsize s = first; s < end; s++)
    weights[s - first] = making->settings->start;
  dmp_descend (&making->descent, motifs, end - first, &stream, weights);
  for (gsize s = first; s < end; s++)
    making->rows.weights[s]
        = making->rows.weights[twin_of (making, i, (gsize) making->rows.indices[s])]
        = (float) weights[s - first];
}

static gboolean
release_graph (Making *making, AssayRelease *ret_release, GError **error)
{
  const gsize n = making->clipped->n;

  if (!make_rows (making, error))
    return FALSE;
  assay_parallel_for (n, descend_row, making);
  ASSAY_SET_PARAMETER (ret_release, AssayGraphParameters, largest,
                       dmp_log_normalise (making->rows.weights, row_end (making, n - 1)));
  graph_rows_take (&making->rows, ret_release);
  return TRUE;
}

gboolean
dmp_release_make (const DmpGraph *settings, const AssayDefenseContext *context, AssayView items,
                  AssayRelease *ret_release, AssayTruth *ret_truth, GError **error)
{
  g_autoptr (AssayGraph) graph = make_graph (settings, context, items.rows, error);
  g_autoptr (AssayGraph) clipped
      = graph != NULL ? clip (settings, context, graph, items, error) : NULL;
  Making making = { .settings = settings, .clipped = clipped, .stream = context->stream };
  gsize codegree = 0;

  if (clipped == NULL
      || (settings->sensitivity == DMP_LOCAL
          && !assay_motif_largest_codegree (clipped, &codegree, error)))
    return FALSE;
  making.descent = (DmpDescent){
    .mirror = (DmpMirror) settings->mirror,
    .rounds = dmp_rounds (settings),
    .step = dmp_step (settings, codegree),
    .sigma = settings->noise ? dmp_sigma (settings, settings->epsilon, codegree) : 0,
    .convexity = settings->convexity,
  };
  ASSAY_SET_PARAMETER (ret_release, AssayGraphParameters, bound,
                       settings->pruning == ASSAY_PRUNE_NONE ? 0 : settings->bound);
  ASSAY_SET_PARAMETER (ret_release, AssayGraphParameters, rounds, (gint64) making.descent.rounds);
  ASSAY_SET_PARAMETER (ret_release, AssayGraphParameters, scale, making.descent.sigma);
  return take_truth (settings, clipped, ret_truth, error)
         && release_graph (&making, ret_release, error);
}

/* All pairs, in both rows; and as many links where features make the graph. */
guint64
dmp_release_memory (const DmpGraph *settings, const AssayShape *shape)
{
  const guint64 n = shape->n_secrets, pairs = n * n;

  return (settings->support == DMP_SUPPORT_ALL ? 12 * pairs : 0)
         + (settings->graph == DMP_FEATURES ? 32 * pairs : 0) + 100 * n;
}
