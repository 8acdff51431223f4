/* What is left of a private graph's triangles and cuts in a release of it (Cheng, Dai and Sun 2026,
 * sections 5.1 and 6.2), with G the private graph, A what clipping leaves of it, tau_ij = A_ij
 * (A^2)_ij the triangles that an edge is in, and t the number of triangles:
 *   triangles lost by clipping       |t (A) - t (G)| / t (G)
 *   triangle error of the release    the same of the |A| pairs with the largest weights (of equal
 *                                    ones the first), taken for edges
 *   cut error                        |cut (W) - cut (tau)|, cut (W) half of the weight between the
 *                                    two parts of the nodes
 * for parts that have nothing to do with the graph, the first half of the nodes and the rest, and
 * for those that err most: the signs of the leading eigenvector of W - tau. W are the weights
 * before they were made logarithms and divided by the largest, which the release says
 * (`largest`).
 *
 * All are sums over nodes, or ratios of such sums, and the outcome of a node is what its weight
 * does to it; a cut, to which two nodes contribute, counts both. */
#include <math.h>
#include <stdlib.h>

#include "core/data/kinds/graph.h"
#include "core/graph/edge-array.h"
#include "core/graph/motifs.h"
#include "core/graph/triangles.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

enum { BY_CLIPPING, BY_RELEASE, HALVES, LEADING, N_SERIES };

/* Steps of the power method, and the change of the vector at which it ends. */
#define MOST_STEPS 300
#define LEAST_CHANGE 1e-9

typedef struct {
  gsize n;
  AssayWeightedGraph weights; /* of the release */
  const AssayGraph *graph, *clipped;
} Compared;

/* ---- Triangles ---- */

/* Of each node. */
static gboolean
count_triangles (const AssayGraph *graph, double *ret_counts, GError **error)
{
  g_autofree guint32 *slots
      = assay_alloc (MAX (assay_graph_slots (graph), 1), sizeof (guint32), "edges", error);
  guint64 total;

  if (slots == NULL || !assay_graph_triangles (graph, slots, &total, error))
    return FALSE;
  for (gsize i = 0; i < graph->n; i++) {
    ret_counts[i] = 0;
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++)
      ret_counts[i] += (double) slots[s] / 2;
  }
  return TRUE;
}

static double
sum_of (const double *values, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i];
  return sum;
}

/* What nodes do to |t - t (G)| / t (G). */
static void
judge_triangles (const double *counts, const double *of_graph, gsize n, double *ret_outcomes)
{
  const double all = sum_of (of_graph, n), ratio = sum_of (counts, n) / all;
  const double sign = ratio < 1 ? -1 : 1;

  for (gsize i = 0; i < n; i++)
    ret_outcomes[i] = sign * (ratio - 1 + (counts[i] - ratio * of_graph[i]) * (double) n / all);
}

typedef struct {
  float weight;
  guint32 i, j;
} Weighed;

static int
compare_falling (const void *a, const void *b)
{
  const Weighed *first = a, *second = b;

  if (first->weight != second->weight)
    return first->weight > second->weight ? -1 : 1;
  if (first->i != second->i)
    return first->i < second->i ? -1 : 1;
  return (first->j > second->j) - (first->j < second->j);
}

/* The graph of the @edges pairs with the largest weights. */
static AssayGraph *
largest_pairs (const AssayWeightedGraph *weights, gsize edges, GError **error)
{
  const gsize pairs = (gsize) weights->indptr[weights->n] / 2;
  g_autofree Weighed *order = assay_alloc (MAX (pairs, 1), sizeof (Weighed), "pairs", error);
  g_autofree AssayLink *links
      = order != NULL ? assay_alloc (MAX (edges, 1), sizeof (AssayLink), "edges", error) : NULL;
  gsize filled = 0;

  if (links == NULL)
    return NULL;
  for (gsize i = 0; i < weights->n; i++)
    for (gint64 s = weights->indptr[i]; s < weights->indptr[i + 1]; s++)
      if (weights->indices[s] > (gint64) i)
        order[filled++]
            = (Weighed){ weights->weights[s], (guint32) i, (guint32) weights->indices[s] };
  qsort (order, filled, sizeof *order, compare_falling);
  edges = MIN (edges, filled);
  for (gsize k = 0; k < edges; k++)
    links[k] = (AssayLink){ order[k].i, order[k].j };
  return assay_graph_new (weights->n, links, edges, NULL, error);
}

static gboolean
judge_all_triangles (const Compared *compared, AssayOutcomes *outcomes, GError **error)
{
  const gsize n = compared->n;
  g_autofree double *of_graph = g_new (double, n), *counts = g_new (double, n);
  g_autoptr (AssayGraph) largest
      = largest_pairs (&compared->weights, assay_graph_edges (compared->clipped), error);

  if (largest == NULL || !count_triangles (compared->graph, of_graph, error))
    return FALSE;
  for (guint s = BY_CLIPPING; s <= BY_RELEASE; s++) {
    if (!count_triangles (s == BY_CLIPPING ? compared->clipped : largest, counts, error))
      return FALSE;
    if (sum_of (of_graph, n) > 0)
      judge_triangles (counts, of_graph, n, outcomes->series[s]);
    else
      metric_leave_out (outcomes, s, s + 1, "the private graph has no triangles");
  }
  return TRUE;
}

/* ---- Cuts ---- */

/* W - tau, n x n, from the weights as they were released and the largest logarithm. */
static double *
find_errors (const Compared *compared, double largest, GError **error)
{
  const gsize n = compared->n;
  const AssayWeightedGraph *graph = &compared->weights;
  double *errors = assay_alloc (n, n * sizeof (double), "pairs", error);

  if (errors == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    for (gint64 s = graph->indptr[i]; s < graph->indptr[i + 1]; s++)
      errors[i * n + (gsize) graph->indices[s]] = expm1 (largest * (double) graph->weights[s]);
  for (gsize i = 0; i < n; i++)
    for (gsize s = compared->clipped->starts[i]; s < compared->clipped->starts[i + 1]; s++) {
      const gsize j = compared->clipped->ends[s];

      errors[i * n + j] -= assay_motif_of_pair (compared->clipped, ASSAY_MOTIF_TRIANGLES, 0, i, j);
    }
  return errors;
}

/* ret = errors x vector, of length 1. */
static void
multiply (const double *errors, gsize n, const double *vector, double *ret_product)
{
  double square = 0;

  for (gsize i = 0; i < n; i++) {
    double sum = 0;

    for (gsize j = 0; j < n; j++)
      sum += errors[i * n + j] * vector[j];
    ret_product[i] = sum;
    square += sum * sum;
  }
  for (gsize i = 0; i < n && square > 0; i++)
    ret_product[i] /= sqrt (square);
}

/* The signs of the leading eigenvector, by the power method from a vector that rises. */
static void
split_by_errors (const double *errors, gsize n, guint8 *ret_sides)
{
  g_autofree double *vector = g_new (double, n), *next = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    vector[i] = 1 + (double) i / (double) n;
  for (guint step = 0; step < MOST_STEPS; step++) {
    double change = 0;

    /* Twice, so that a negative eigenvalue does not turn it. */
    multiply (errors, n, vector, next);
    for (gsize i = 0; i < n; i++)
      change = MAX (change, MIN (fabs (next[i] - vector[i]), fabs (next[i] + vector[i])));
    multiply (errors, n, next, vector);
    if (change < LEAST_CHANGE)
      break;
  }
  for (gsize i = 0; i < n; i++)
    ret_sides[i] = vector[i] > 0;
}

/* What nodes do to the half of the error between the sides. */
static void
judge_cut (const double *errors, gsize n, const guint8 *sides, double *ret_outcomes)
{
  double cut = 0;

  for (gsize i = 0; i < n; i++) {
    ret_outcomes[i] = 0;
    for (gsize j = 0; j < n; j++)
      if (sides[i] != sides[j])
        ret_outcomes[i] += errors[i * n + j] / 4;
    cut += ret_outcomes[i];
  }
  for (gsize i = 0; i < n; i++)
    ret_outcomes[i] = (cut < 0 ? -1 : 1) * (2 * (double) n * ret_outcomes[i] - cut);
}

static gboolean
judge_cuts (const Compared *compared, const double *largest, AssayOutcomes *outcomes,
            GError **error)
{
  const gsize n = compared->n;
  g_autofree double *errors = NULL;
  g_autofree guint8 *sides = g_new (guint8, n);

  if (largest == NULL) {
    metric_leave_out (outcomes, HALVES, LEADING + 1,
                      "the release does not say its largest weight");
    return TRUE;
  }
  errors = find_errors (compared, *largest, error);
  if (errors == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    sides[i] = i < n / 2;
  judge_cut (errors, n, sides, outcomes->series[HALVES]);
  split_by_errors (errors, n, sides);
  judge_cut (errors, n, sides, outcomes->series[LEADING]);
  return TRUE;
}

/* ---- The utility ---- */

static gboolean
assess (G_GNUC_UNUSED const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayArray *edges = assay_arrays_get (&received->truth->arrays, "edges");
  const AssayArray *left = assay_arrays_get (&received->truth->arrays, "clipped-edges");
  const gsize n = assay_release_graph (received->release).n;
  g_autoptr (AssayGraph) graph = NULL, clipped = NULL;
  Compared compared = { .n = n, .weights = assay_release_graph (received->release) };

  if (edges == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "expected a truth with the private edges");
  graph = assay_edge_array_graph (n, edges, error);
  clipped = graph != NULL ? assay_edge_array_graph (n, left != NULL ? left : edges, error) : NULL;
  if (clipped == NULL || !assay_outcomes_alloc (ret_outcomes, N_SERIES, n, error))
    return FALSE;
  compared.graph = graph;
  compared.clipped = clipped;
  return judge_all_triangles (&compared, ret_outcomes, error)
         && judge_cuts (&compared,
                        ASSAY_PARAMETER (received->release, AssayGraphParameters, largest),
                        ret_outcomes, error);
}

ASSAY_UTILITY (graph_error, "graph-error",
  .summary = "How wrong the triangles and cuts of a private graph are in its release",
  .reference = { ASSAY_PAPER_DMP_MH, "sections 5.1 and 6.2" },
  .holds = { .secret_pairs = 14 },
  .reads = ASSAY_RELEASE_GRAPH,
  .needs = ASSAY_HAS_GRAPH,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (BY_CLIPPING, "tce-clipping", MEAN, 0, 1, "share of triangles",
                   "Triangles of the private graph that are lost by clipping", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (BY_RELEASE, "tce-release", MEAN, 0, G_MAXDOUBLE, "share of triangles",
                   "Relative error of the number of triangles, with the pairs of largest weight "
                   "taken for edges",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (HALVES, "cut-error", MEAN, 0, G_MAXDOUBLE, "weight",
                   "Error of the cut (half of the weight) between the first half of the nodes and "
                   "the rest",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (LEADING, "cut-error-leading", MEAN, 0, G_MAXDOUBLE, "weight",
                   "Error of the cut between the parts for which it is largest",
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE)),
  .assess = assess);
