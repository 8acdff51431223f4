/* Which items a private graph joins, from their features and the release together, by an attacker
 * who knows the graph among half of the items: logistic regression on the pairs of these,
 *   P (edge) = 1 / (1 + exp (-(w_1 cos_ij + w_2 s_ij + b))),
 * s_ij the rank among all pairs of what the release says of the pair, and cos_ij that of their
 * cosine, both from 0 to 1. The pairs of the other half are scored, which share no item with those
 * that it learns from. With `release = no` there is no s: the floor of this attacker.
 *
 * Ranks, since the scale of weights with noise has no meaning, and equal ones (the many pairs of
 * weight 0) are one rank. Of the pairs without an edge as many are learned from as there are with
 * one, times ten, drawn at random. */
#include <stdlib.h>

#include "attacks/graphs/edge-guess.h"
#include "core/base/free.h"
#include "core/graph/edge-array.h"
#include "core/graph/likeness.h"
#include "core/math/logistic.h"
#include "core/plugin/plugin.h"

#define OTHERS 10 /* pairs without an edge for each with one */
#define PENALTY 1e-4

typedef struct {
  bool release;
  guint similarity;
} CombinedLink;

/* ---- Ranks ---- */

typedef struct {
  float value;
  guint32 pair;
} Ranked;

static int
compare_ranked (const void *a, const void *b)
{
  const Ranked *first = a, *second = b;

  if (first->value != second->value)
    return first->value < second->value ? -1 : 1;
  return (first->pair > second->pair) - (first->pair < second->pair);
}

/* Values become the share of pairs below them, equal ones counted half. */
static gboolean
to_ranks (float *inout_values, gsize count, GError **error)
{
  g_autofree Ranked *order = assay_alloc (MAX (count, 1), sizeof (Ranked), "pairs", error);

  if (order == NULL)
    return FALSE;
  for (gsize k = 0; k < count; k++)
    order[k] = (Ranked){ inout_values[k], (guint32) k };
  qsort (order, count, sizeof *order, compare_ranked);
  for (gsize first = 0, end = 0; first < count; first = end) {
    while (end < count && order[end].value == order[first].value)
      end++;
    for (gsize k = first; k < end; k++)
      inout_values[order[k].pair] = (float) (0.5 * (double) (first + end) / (double) count);
  }
  return TRUE;
}

/* ---- What is learned from ---- */

typedef struct {
  gsize n, half;
  const float *columns[2]; /* ranks of cosines and scores of all pairs; the latter may be NULL */
  guint n_columns;
} Pairs;

typedef struct {
  AssayMatrix *features;
  guint8 *labels;
} Examples;

ASSAY_LOCAL_CLEAR (Examples, examples_clear, assay_drop (self->features, assay_matrix_free),
                   assay_drop (self->labels, g_free))

static void
add_example (const Pairs *pairs, gsize i, gsize j, gboolean is_edge, Examples *examples)
{
  const gsize at = examples->features->rows++;
  const gsize pair = assay_pair_number (pairs->n, i, j);

  for (guint c = 0; c < pairs->n_columns; c++)
    assay_matrix_row (examples->features, at)[c] = pairs->columns[c][pair];
  examples->labels[at] = (guint8) is_edge;
}

static gboolean
gather (const Pairs *pairs, const AssayGraph *known, AssayStream *stream, Examples *examples,
        GError **error)
{
  const gsize edges = assay_graph_edges (known), all = assay_pair_count (pairs->half);
  const double share = MIN (1, OTHERS * (double) edges / (double) MAX (all - edges, 1));

  examples->features = assay_matrix_new (all, pairs->n_columns, error);
  examples->labels = assay_alloc (all, 1, "pairs", error);
  if (examples->features == NULL || examples->labels == NULL)
    return FALSE;
  examples->features->rows = 0;
  for (gsize i = 0; i < pairs->half; i++)
    for (gsize j = i + 1; j < pairs->half; j++) {
      const gboolean is_edge = assay_graph_find (known, i, j) != ASSAY_GRAPH_NONE;

      if (is_edge || assay_stream_uniform (stream) < share)
        add_example (pairs, i, j, is_edge, examples);
    }
  return TRUE;
}

/* ---- The attack ---- */

/* Scores of the pairs of which no item is known. */
static gboolean
score_others (const Pairs *pairs, const double *weights, AssayGuess *guess, GError **error)
{
  const gsize count = assay_pair_count (pairs->n - pairs->half);
  float *scores = assay_alloc (MAX (count, 1), sizeof (float), "pairs", error);
  gint64 *ends
      = scores != NULL ? assay_alloc (MAX (count, 1), 2 * sizeof (gint64), "pairs", error) : NULL;
  gsize at = 0;

  if (ends == NULL) {
    g_free (scores);
    return FALSE;
  }
  for (gsize i = pairs->half; i < pairs->n; i++)
    for (gsize j = i + 1; j < pairs->n; j++, at++) {
      const gsize pair = assay_pair_number (pairs->n, i, j);
      double sum = 0;

      for (guint c = 0; c < pairs->n_columns; c++)
        sum += weights[c] * (double) pairs->columns[c][pair];
      scores[at] = (float) sum;
      ends[2 * at] = (gint64) i;
      ends[2 * at + 1] = (gint64) j;
    }
  edge_guess_take (guess, count, scores, ends);
  return TRUE;
}

static gboolean
learn (const AssayAttackContext *context, const Pairs *pairs, const AssayArray *edges,
       double *ret_weights, GError **error)
{
  AssayStream stream = assay_stream (context->stream, 0);
  g_autoptr (AssayGraph) known = assay_edge_array_graph (pairs->half, edges, error);
  g_auto (Examples) examples = { 0 };

  if (known == NULL)
    return FALSE;
  if (assay_graph_edges (known) == 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "there is no edge between the %zu secrets of which edges are known; "
                       "expected some to learn from",
                       pairs->half);
  return gather (pairs, known, &stream, &examples, error)
         && assay_logistic_fit (assay_matrix_view (examples.features), examples.labels, PENALTY,
                                ret_weights, error);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const CombinedLink *settings = context->settings;
  const gsize n = seen->features->rows;
  gsize count = assay_pair_count (n);
  g_autoptr (AssayMatrix) rows = assay_likeness_rows (
      *seen->features, seen->first_cols, (AssaySimilarity) settings->similarity, error);
  g_autofree float *cosines = rows != NULL ? edge_guess_scores (n, error) : NULL;
  g_autofree float *released = cosines != NULL && settings->release
                                   ? edge_guess_of_release (seen->release, &count, error)
                                   : NULL;
  const Pairs pairs = {
    .n = n, .half = n / 2, .columns = { cosines, released }, .n_columns = settings->release ? 2 : 1
  };
  double weights[3] = { 0 };

  if (cosines == NULL || (settings->release && released == NULL))
    return FALSE;
  assay_likeness_fill (rows, cosines);
  if (!to_ranks (cosines, count, error) || (released != NULL && !to_ranks (released, count, error))
      || !learn (context, &pairs, seen->known_edges, weights, error))
    return FALSE;
  if (settings->release)
    ret_guess->says = g_strdup_printf ("weights %.2f of the cosine and %.2f of the release",
                                       weights[0], weights[1]);
  return score_others (&pairs, weights, ret_guess, error);
}

ASSAY_CONTROL (make_control, edge_case_make, EdgeCase, CombinedLink,
               .is_alike = !settings->release)

ASSAY_ATTACK (combined_link, "combined-link",
  .summary = "Learn from known edges how features and release show edges, and predict the others",
  .reference = { "Assay", "logistic regression on ranks of pairs" },
  ASSAY_SETTINGS (CombinedLink,
    ASSAY_PARAM_BOOL (CombinedLink, release, TRUE,
                      "Whether it learns from the release and features, or from features alone"),
    ASSAY_PARAM_CHOICE (CombinedLink, similarity, ASSAY_SIMILARITY_JOINT, assay_similarities,
                        "Similarity of items of two modalities: the mean of both cosines, or the "
                        "cosine of one")),
  .holds = { .secret_pairs = 20 },
  .reads = ASSAY_RELEASE_GRAPH | ASSAY_RELEASE_PAIRED_CODES,
  .needs = ASSAY_GRANT_FEATURES | ASSAY_GRANT_KNOWN_EDGES,
  EDGE_GAME,
  .attack = attack,
  .control = { .says = "edges between items without a known edge are found from triangle counts "
                       "without noise and, without a release, from cosines",
               .make = make_control,
               .at_least = 0.8 });
