/* The game edge. */
#include "core/games/guesses/edge.h"

#include "core/base/error.h"
#include "core/data/kinds/graph.h"
#include "core/games/guesses/score-roc.h"
#include "core/graph/edge-array.h"

gsize
assay_edge_count_nodes (const AssayRelease *release)
{
  return release->kind == ASSAY_RELEASE_GRAPH ? assay_release_graph (release).n
                                              : assay_release_count (release);
}

static gboolean
check_pairs (const AssayArray *pairs, gsize n, GError **error)
{
  for (gsize k = 0; k < pairs->shape[0]; k++) {
    const gint64 *ends = assay_array_int64 (pairs) + 2 * k;

    if (ends[0] < 0 || ends[1] <= ends[0] || (guint64) ends[1] >= n)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "pair %zu of edge-pairs is of secrets %" G_GINT64_FORMAT
                         " and %" G_GINT64_FORMAT "; expected two of %zu, the lower one first",
                         k, ends[0], ends[1], n);
  }
  return TRUE;
}

/* That the guess scores pairs of @n secrets. */
static gboolean
check_scores (const AssayGuess *guess, gsize n, GError **error)
{
  const AssayArray *scores = assay_arrays_get (&guess->arrays, "edge-scores");
  const AssayArray *pairs = assay_arrays_get (&guess->arrays, "edge-pairs");
  const gsize expected = pairs != NULL ? pairs->shape[0] : assay_pair_count (n);

  if (scores == NULL || scores->shape[0] != expected || (pairs != NULL && pairs->shape[1] != 2))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected edge-scores of all %zu pairs of %zu secrets, or as many as there "
                       "are edge-pairs (e x 2); found %zu",
                       assay_pair_count (n), n, scores != NULL ? scores->shape[0] : 0);
  return pairs == NULL || check_pairs (pairs, n, error);
}

gboolean
assay_edge_check (const AssayObservation *seen, const AssayGuess *guess, GError **error)
{
  return check_scores (guess, assay_edge_count_nodes (seen->release), error);
}

ASSAY_CLEAR_FUNC (AssayEdgeScores, assay_edge_scores_clear, assay_drop (self->ends, g_free),
                  assay_drop (self->is_edge, g_free))

static void
fill_ends (const AssayArray *pairs, gsize n, AssayEdgeScores *scores)
{
  guint32 *ends = scores->ends;

  if (pairs != NULL) {
    for (gsize k = 0; k < 2 * scores->count; k++)
      ends[k] = (guint32) assay_array_int64 (pairs)[k];
    return;
  }
  for (guint32 i = 0; i < n; i++)
    for (guint32 j = i + 1; j < n; j++) {
      *ends++ = i;
      *ends++ = j;
    }
}

gboolean
assay_edge_scores_of (const AssayTruth *truth, const AssayGuess *guess, AssayEdgeScores *ret_scores,
                      GError **error)
{
  const gsize n = assay_arrays_get (&truth->arrays, "secrets")->shape[0];
  const AssayArray *scores = assay_arrays_get (&guess->arrays, "edge-scores");
  g_auto (AssayEdgeScores) made = { 0 };
  g_autoptr (AssayGraph) graph = NULL;

  if (!check_scores (guess, n, error))
    return FALSE;
  graph = assay_edge_array_graph (n, assay_arrays_get (&truth->arrays, "edges"), error);
  if (graph == NULL)
    return FALSE;
  made.count = scores->shape[0];
  made.scores = assay_array_view (scores).data;
  made.ends = assay_alloc (MAX (made.count, 1), 2 * sizeof (guint32), "pairs", error);
  made.is_edge = made.ends != NULL ? assay_alloc (MAX (made.count, 1), 1, "pairs", error) : NULL;
  if (made.is_edge == NULL)
    return FALSE;
  fill_ends (assay_arrays_get (&guess->arrays, "edge-pairs"), n, &made);
  for (gsize k = 0; k < made.count; k++)
    made.is_edge[k]
        = assay_graph_find (graph, made.ends[2 * k], made.ends[2 * k + 1]) != ASSAY_GRAPH_NONE;
  *ret_scores = made;
  made = (AssayEdgeScores){ 0 };
  return TRUE;
}

gboolean
assay_edge_judge (const AssayTruth *truth, const AssayGuess *guess,
                  AssayControlOutcome *ret_outcome, GError **error)
{
  g_auto (AssayEdgeScores) scores = { 0 };
  AssayRoc roc;

  if (!assay_edge_scores_of (truth, guess, &scores, error))
    return FALSE;
  roc = (AssayRoc){ scores.scores, 1, scores.is_edge, scores.count };
  ret_outcome->n = 0;
  for (gsize k = 0; k < scores.count; k++)
    ret_outcome->n += scores.is_edge[k];
  return assay_roc_area (&roc, &ret_outcome->share, NULL, error);
}
