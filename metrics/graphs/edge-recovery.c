/* How well the edges of a private graph are told from other pairs of secrets, and how much better
 * than from features, which are public.
 *
 * Over all pairs that the guess scores, and over those of one class: the area A under the ROC
 * curve, and the gain A - A_0 over the floor, the area of the cosines of features (the attack
 * feature-link). Precision: of as many pairs as there are edges, those that score highest, the
 * share that are edges; of equal scores where the line falls a share is taken.
 *
 * Pairs that share a secret are not independent, and neither are areas over one graph: the units
 * are secrets. With a weight w_i of each secret and w_i w_j of a pair, the outcome of secret i is A
 * + n dA / dw_i at w = 1, which for the area is the sum over the pairs of i of what each does to it
 * (score-roc.h). Their mean is A, and intervals over them are to first order those of a bootstrap
 * over nodes. The line of the precision moves with the weights, too: it passes pairs of which the
 * share pi is edges, as it is among those next to it,
 *   dP / dw_i = sum over the pairs of i of (y t - P y + pi (y - t)) / E,
 * y whether it is an edge, t whether it is above the line. */
#include <stdlib.h>

#include "core/base/free.h"
#include "core/games/guesses/edge.h"
#include "core/games/guesses/score-roc.h"
#include "core/graph/likeness.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

enum {
  AREA,
  WITHIN,
  PRECISION,
  FLOOR,
  FLOOR_WITHIN,
  FLOOR_PRECISION,
  GAIN,
  GAIN_WITHIN,
  GAIN_PRECISION,
  N_SERIES,
};
#define N_JUDGED 3 /* of the attack, of the floor, and their difference */

/* Pairs on either side of the line of which pi is the share of edges, at least. */
#define LEAST_WINDOW 50

/* Pairs, their scores by the attack and by features, and those of them that count. */
typedef struct {
  gsize n, count;
  const guint32 *ends;
  const float *scores[2];
  const guint8 *is_edge;
} Pairs;

/* ---- The area ---- */

/* Fills in what secrets do to the area; FALSE: there is none, and @ret_why says so. */
static gboolean
judge_area (const Pairs *pairs, const float *scores, double *influence, double *ret_outcomes,
            GError **error)
{
  const AssayRoc roc = { scores, 1, pairs->is_edge, pairs->count };
  double area;

  if (!assay_roc_area (&roc, &area, influence, error))
    return FALSE;
  for (gsize i = 0; i < pairs->n; i++)
    ret_outcomes[i] = area;
  for (gsize k = 0; k < pairs->count; k++) {
    const double share = influence[k] * (double) pairs->n / (double) pairs->count;

    ret_outcomes[pairs->ends[2 * k]] += share;
    ret_outcomes[pairs->ends[2 * k + 1]] += share;
  }
  return TRUE;
}

/* ---- Precision ---- */

typedef struct {
  float score;
  guint32 pair;
} Ranked;

static int
compare_falling (const void *a, const void *b)
{
  const Ranked *first = a, *second = b;

  if (first->score != second->score)
    return first->score > second->score ? -1 : 1;
  return (first->pair > second->pair) - (first->pair < second->pair);
}

/* The share of edges among the pairs next to the line behind the first @edges. */
static double
share_at_line (const Pairs *pairs, const Ranked *order, gsize edges)
{
  const gsize window = MAX (LEAST_WINDOW, edges / 50);
  const gsize first = edges - MIN (edges, window), end = MIN (pairs->count, edges + window);
  gsize found = 0;

  for (gsize k = first; k < end; k++)
    found += pairs->is_edge[order[k].pair];
  return (double) found / (double) (end - first);
}

static gboolean
judge_precision (const Pairs *pairs, const float *scores, double *ret_outcomes, GError **error)
{
  g_autofree Ranked *order = assay_alloc (MAX (pairs->count, 1), sizeof (Ranked), "pairs", error);
  gsize edges = 0, above = 0, on = 0;
  double precision = 0, share, pi;
  float line;

  if (order == NULL)
    return FALSE;
  for (gsize k = 0; k < pairs->count; k++) {
    order[k] = (Ranked){ scores[k], (guint32) k };
    edges += pairs->is_edge[k];
  }
  qsort (order, pairs->count, sizeof *order, compare_falling);
  line = order[edges - 1].score;
  for (gsize k = 0; k < pairs->count; k++) {
    above += scores[k] > line;
    on += scores[k] == line;
  }
  share = (double) (edges - above) / (double) on;
  for (gsize k = 0; k < pairs->count; k++)
    if (pairs->is_edge[k])
      precision += (scores[k] > line ? 1 : scores[k] == line ? share : 0) / (double) edges;
  pi = share_at_line (pairs, order, edges);
  for (gsize i = 0; i < pairs->n; i++)
    ret_outcomes[i] = precision;
  for (gsize k = 0; k < pairs->count; k++) {
    const double taken = scores[k] > line ? 1 : scores[k] == line ? share : 0;
    const double y = pairs->is_edge[k];
    const double change
        = (y * taken - precision * y + pi * (y - taken)) * (double) pairs->n / (double) edges;

    ret_outcomes[pairs->ends[2 * k]] += change;
    ret_outcomes[pairs->ends[2 * k + 1]] += change;
  }
  return TRUE;
}

/* ---- Pairs of one class ---- */

typedef struct {
  guint32 *ends;
  float *scores[2];
  guint8 *is_edge;
} Part;

ASSAY_LOCAL_CLEAR (Part, part_clear, g_free (self->ends), g_free (self->scores[0]),
                   g_free (self->scores[1]), g_free (self->is_edge))

static gboolean
take_part (const Pairs *all, const gint64 *labels, Part *part, Pairs *ret_pairs, GError **error)
{
  gsize count = 0;

  part->ends = assay_alloc (all->count, 2 * sizeof (guint32), "pairs", error);
  part->is_edge = part->ends != NULL ? assay_alloc (all->count, 1, "pairs", error) : NULL;
  for (guint s = 0; s < 2 && part->is_edge != NULL; s++) {
    part->scores[s] = assay_alloc (all->count, sizeof (float), "pairs", error);
    if (part->scores[s] == NULL)
      return FALSE;
  }
  if (part->is_edge == NULL)
    return FALSE;
  for (gsize k = 0; k < all->count; k++) {
    const guint32 *ends = all->ends + 2 * k;

    if (labels[ends[0]] != labels[ends[1]])
      continue;
    part->ends[2 * count] = ends[0];
    part->ends[2 * count + 1] = ends[1];
    part->is_edge[count] = all->is_edge[k];
    for (guint s = 0; s < 2; s++)
      part->scores[s][count] = all->scores[s][k];
    count++;
  }
  *ret_pairs = (Pairs){ .n = all->n,
                        .count = count,
                        .ends = part->ends,
                        .scores = { part->scores[0], part->scores[1] },
                        .is_edge = part->is_edge };
  return TRUE;
}

/* ---- The metric ---- */

static void
omit (AssayOutcomes *outcomes, guint series, const char *why)
{
  for (guint s = series; s < N_SERIES; s += N_JUDGED)
    metric_leave_out (outcomes, s, s + 1, "%s", why);
}

/* Series @series of the attack, of the floor, and the gain. */
static void
take_gain (AssayOutcomes *outcomes, guint series)
{
  const double *attack = outcomes->series[series];
  const double *floor = outcomes->series[series + N_JUDGED];

  for (gsize i = 0; i < outcomes->n; i++)
    outcomes->series[series + 2 * N_JUDGED][i] = attack[i] - floor[i];
}

static gboolean
judge_areas (const Pairs *pairs, guint series, const char *which, AssayOutcomes *outcomes,
             GError **error)
{
  g_autofree double *influence
      = assay_alloc (MAX (pairs->count, 1), sizeof (double), "pairs", error);
  g_autofree char *why
      = g_strdup_printf ("%s there are only edges, or none: expected some of either", which);
  gsize edges = 0;

  if (influence == NULL)
    return FALSE;
  for (gsize k = 0; k < pairs->count; k++)
    edges += pairs->is_edge[k];
  if (edges == 0 || edges == pairs->count) {
    omit (outcomes, series, why);
    return TRUE;
  }
  for (guint s = 0; s < 2; s++)
    if (!judge_area (pairs, pairs->scores[s], influence, outcomes->series[series + s * N_JUDGED],
                     error))
      return FALSE;
  take_gain (outcomes, series);
  return TRUE;
}

static gboolean
judge (const Pairs *pairs, const gint64 *labels, AssayOutcomes *outcomes, GError **error)
{
  g_auto (Part) part = { 0 };
  Pairs within;

  if (!judge_areas (pairs, AREA, "of the pairs that are scored", outcomes, error))
    return FALSE;
  if (outcomes->series[AREA] == NULL) {
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DATA, "%s", outcomes->omitted[AREA]);
    return FALSE;
  }
  for (guint s = 0; s < 2; s++)
    if (!judge_precision (pairs, pairs->scores[s], outcomes->series[PRECISION + s * N_JUDGED],
                          error))
      return FALSE;
  take_gain (outcomes, PRECISION);
  if (labels == NULL) {
    omit (outcomes, WITHIN, "the secrets have no classes");
    return TRUE;
  }
  return take_part (pairs, labels, &part, &within, error)
         && judge_areas (&within, WITHIN, "inside classes", outcomes, error);
}

/* The similarity of each pair's features. */
static float *
floor_of (const AssayTruth *truth, const AssayEdgeScores *scores, GError **error)
{
  const AssayArray *secrets = assay_arrays_get (&truth->arrays, "secrets");
  g_autoptr (AssayMatrix) rows = assay_likeness_rows (
      assay_array_view (secrets), assay_truth_first_cols (truth), ASSAY_SIMILARITY_JOINT, error);
  float *floor
      = rows != NULL ? assay_alloc (MAX (scores->count, 1), sizeof (float), "pairs", error) : NULL;

  for (gsize k = 0; floor != NULL && k < scores->count; k++)
    floor[k] = (float) assay_likeness_of_pair (rows, scores->ends[2 * k], scores->ends[2 * k + 1]);
  return floor;
}

static gboolean
measure (G_GNUC_UNUSED const AssayMetricContext *context, const AssayTruth *truth,
         const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  const gsize n = assay_arrays_get (&truth->arrays, "secrets")->shape[0];
  const AssayArray *labels = assay_arrays_get (&truth->arrays, "labels");
  g_auto (AssayEdgeScores) scores = { 0 };
  g_autofree float *floor = NULL;

  if (!assay_edge_scores_of (truth, guess, &scores, error))
    return FALSE;
  floor = floor_of (truth, &scores, error);
  return floor != NULL && assay_outcomes_alloc (ret_outcomes, N_SERIES, n, error)
         && judge (&(Pairs){ .n = n,
                             .count = scores.count,
                             .ends = scores.ends,
                             .scores = { scores.scores, floor },
                             .is_edge = scores.is_edge },
                   labels != NULL ? assay_array_int64 (labels) : NULL, ret_outcomes, error);
}

#define AREA_UNIT "area under the ROC curve"

ASSAY_METRIC (edge_recovery, "edge-recovery",
  .summary = "How well edges of a private graph are found, and how much better than from features",
  .reference = { "Hanley and McNeil 1982, The Meaning and Use of the Area under a Receiver "
                 "Operating Characteristic (ROC) Curve; Hoeffding 1948",
                 "the area; influence of nodes" },
  .reads_truth = ASSAY_ARRAY_NAMES ("edges"),
  .reads_guess = ASSAY_ARRAY_NAMES ("edge-scores"),
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (AREA, "edge-auc", MEAN, 0, 1, AREA_UNIT,
                   "Probability that an edge scores above a pair without one", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (WITHIN, "edge-auc-within", MEAN, 0, 1, AREA_UNIT,
                   "The same among pairs of one class", ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE,
                   .is_influence = TRUE),
    ASSAY_MEASURE (PRECISION, "edge-precision", MEAN, 0, 1, "share of pairs",
                   "Edges among the pairs that score highest, as many pairs as there are edges",
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (FLOOR, "edge-floor", MEAN, 0, 1, AREA_UNIT,
                   "Without the release: probability that the items of an edge are more alike, by "
                   "their features, than those of a pair without one",
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (FLOOR_WITHIN, "edge-floor-within", MEAN, 0, 1, AREA_UNIT,
                   "The same among pairs of one class", ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE,
                   ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (FLOOR_PRECISION, "edge-floor-precision", MEAN, 0, 1, "share of pairs",
                   "Edges among the pairs whose items are most alike, as many pairs as there are "
                   "edges",
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (GAIN, "edge-gain", MEAN, -1, 1, AREA_UNIT,
                   "edge-auc less edge-floor: what the release shows beyond features",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (GAIN_WITHIN, "edge-gain-within", MEAN, -1, 1, AREA_UNIT,
                   "The same among pairs of one class", ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE,
                   .is_influence = TRUE),
    ASSAY_MEASURE (GAIN_PRECISION, "edge-gain-precision", MEAN, -1, 1, "share of pairs",
                   "edge-precision less edge-floor-precision", ASSAY_HIGHER_IS_WORSE,
                   .is_influence = TRUE)),
  .measure = measure);
