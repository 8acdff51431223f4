/* Phase 1 of DMP-MH (Cheng, Dai and Sun 2026): a private graph on public items, clipped, turned
 * into triangles at each edge, and released as weights that noisy mirror descent found.
 *   1. Clip: each node lists `bound` = D of its neighbours; `pruning` says which edges stay: A.
 *   2. Motif: tau_ij = A_ij (A^2)_ij, the triangles that an edge is in.
 *   3. Descent from W = `start`: T rounds of g = grad L + sigma z, one normal a pair, with
 *      L = 1/2 ||W - tau||^2 + lambda ||W - A||^2 (dmp-descent.h). Equation 2 calls what comes of
 *      it noisy triangle counts; this reading of L is convex, and its gradient has the sensitivity
 *      of theorem 1. The default step is 1 / (T sigma_1), sigma_1 the sigma of T = 1.
 *   4. W^ = ln (1 + max (0, W)), divided by its maximum (equation 2).
 * Noise: sigma = Delta2 sqrt (T) / mu, mu the distance at which two normal distributions have
 * epsilon at delta; `calibration = paper-1` and `paper-2` c Delta2 sqrt (T ln (1 / delta)) /
 * epsilon with c = 1 and sqrt (2), as theorem 1 leaves c open. The paper has Delta2 = D, as an edge
 * is in at most D triangles (`sensitivity = degree`); the gradient is not the number of triangles
 * but a number for each pair (dmp-noise.c), and an edge of the input displaces two others.
 *
 * Items are the secrets, and known to everybody; private are the edges, which come with the
 * dataset. `graph = features` is algorithm 1, line 4, to the letter: all pairs are edges, so that
 * what is clipped follows from features alone, and nothing in it is private. */

#include "core/base/parallel.h"
#include "core/data/kinds/graph.h"
#include "core/graph/edge-array.h"
#include "core/graph/likeness.h"
#include "core/plugin/plugin.h"
#include "defenses/graphs/dmp-descent.h"
#include "defenses/graphs/dmp-mechanism.h"
#include "defenses/graphs/dmp-noise.h"
#include "defenses/graphs/dmp-pairs.h"

static const char *const mirrors[] = { "kl", "euclidean", NULL };
static const char *const supports[] = { "all", "private", NULL };
static const char *const calibrations[] = { "exact", "paper-1", "paper-2", NULL };
static const char *const sensitivities[] = { "degree", "clipped", "input", "local", NULL };
static const char *const relations[] = { "graph", "clipped", NULL };
static const char *const audiences[] = { "touched", "all", NULL };
static const char *const sources[] = { "dataset", "features", NULL };

/* ---- The private graph ---- */

static AssayGraph *
complete_graph (gsize n, GError **error)
{
  g_autofree AssayLink *links
      = assay_alloc (MAX (assay_pair_count (n), 1), sizeof (AssayLink), "pairs", error);

  if (links == NULL)
    return NULL;
  for (guint32 i = 0; i < n; i++)
    for (guint32 j = i + 1; j < n; j++)
      links[assay_pair_number (n, i, j)] = (AssayLink){ i, j };
  return assay_graph_new (n, links, assay_pair_count (n), NULL, error);
}

static AssayGraph *
make_graph (const AssayDefenseContext *context, gsize n, GError **error)
{
  const DmpGraph *settings = context->settings;

  if (settings->graph == DMP_FEATURES)
    return complete_graph (n, error);
  return context->edges != NULL
             ? assay_edge_array_graph (n, context->edges, error)
             : assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                                "expected a dataset with a private graph between the secrets "
                                "(such as interactions), or graph = features");
}

static AssayGraph *
clip (const AssayDefenseContext *context, const AssayGraph *graph, AssayView items, GError **error)
{
  const DmpGraph *settings = context->settings;
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
  gint64 *indptr, *indices;
  float *weights;
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
  const gsize n = clipped->n, slots = row_end (making, n - 1);
  gsize s = 0;

  making->indptr = assay_alloc (n + 1, sizeof (gint64), "rows of the graph", error);
  making->indices = making->indptr != NULL
                        ? assay_alloc (MAX (slots, 1), sizeof (gint64), "pairs", error)
                        : NULL;
  making->weights = making->indices != NULL
                        ? assay_alloc (MAX (slots, 1), sizeof (float), "weights", error)
                        : NULL;
  if (making->weights == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    if (making->settings->support == DMP_SUPPORT_PRIVATE)
      for (; s < clipped->starts[i + 1]; s++)
        making->indices[s] = clipped->ends[s];
    else
      for (gsize j = 0; j < n; j++)
        if (j != i)
          making->indices[s++] = (gint64) j;
    making->indptr[i + 1] = (gint64) s;
  }
  return TRUE;
}

/* The slot of @i in the row of @j. */
static gsize
twin_of (const Making *making, gsize i, gsize j)
{
  return making->settings->support == DMP_SUPPORT_ALL ? j * (making->clipped->n - 1) + i
                                                      : assay_graph_find (making->clipped, j, i);
}

/* The weights from @i to higher nodes, from a stream of its own. */
static void
descend_row (gsize i, guint worker, gpointer data)
{
  const Making *making = data;
  const DmpGraph *settings = making->settings;
  const gsize end = row_end (making, i);
  AssayStream stream = assay_stream (making->stream, i);
  gsize first = i > 0 ? row_end (making, i - 1) : 0;
  g_autofree double *motifs = NULL, *weights = NULL;

  (void) worker;
  while (first < end && making->indices[first] < (gint64) i)
    first++;
  motifs = g_new (double, end - first + 1);
  weights = g_new (double, end - first + 1);
  for (gsize s = first; s < end; s++) {
    motifs[s - first]
        = assay_motif_of_pair (making->clipped, (AssayMotif) settings->statistic,
                               2 * settings->convexity, i, (gsize) making->indices[s]);
    weights[s - first] = settings->start;
  }
  dmp_descend (&making->descent, motifs, end - first, &stream, weights);
  for (gsize s = first; s < end; s++)
    making->weights[s] = making->weights[twin_of (making, i, (gsize) making->indices[s])]
        = (float) weights[s - first];
}

static gboolean
release_graph (Making *making, AssayRelease *ret_release, GError **error)
{
  const gsize n = making->clipped->n, slots = row_end (making, n - 1);
  const gboolean is_ok = make_rows (making, error);

  if (is_ok) {
    assay_parallel_for (n, descend_row, making);
    dmp_log_normalise (making->weights, slots);
    assay_arrays_take (&ret_release->arrays, "indptr",
                       assay_array_take (ASSAY_INT64, 1, &(gsize){ n + 1 }, making->indptr));
    assay_arrays_take (&ret_release->arrays, "indices",
                       assay_array_take (ASSAY_INT64, 1, &slots, making->indices));
    assay_arrays_take (&ret_release->arrays, "weights",
                       assay_array_take (ASSAY_FLOAT32, 1, &slots, making->weights));
  } else {
    g_free (making->indptr);
    g_free (making->indices);
    g_free (making->weights);
  }
  return is_ok;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const DmpGraph *settings = context->settings;
  g_autoptr (AssayGraph) graph = make_graph (context, items.rows, error);
  g_autoptr (AssayGraph) clipped = graph != NULL ? clip (context, graph, items, error) : NULL;
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

/* ---- Descriptor ---- */

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const DmpGraph *settings = data;
  const gsize least = dmp_pair_least_nodes (settings);

  if (settings->sensitivity == DMP_LOCAL && settings->statistic == ASSAY_MOTIF_CODEGREE)
    return assay_fail (
        error, ASSAY_ERROR_PARAMETER,
        "sensitivity = local: expected statistic = triangles, for which it is known");
  if (settings->nodes > 0 && (gsize) settings->nodes < least)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "nodes = %" G_GINT64_FORMAT ": expected at least %zu, which the pair that "
                       "leaks most needs with bound = %" G_GINT64_FORMAT ", or 0",
                       settings->nodes, least, settings->bound);
  if (dmp_pair_nodes (settings) > 5000)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "an audit with bound = %" G_GINT64_FORMAT " needs graphs of %zu nodes; "
                       "expected at most 5000: give fewer nodes, or a lower bound",
                       settings->bound, dmp_pair_nodes (settings));
  return shape->n_secrets != 1
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "secrets = 1: expected at least 2, which a graph can join");
}

/* All pairs, in both rows; and as many links where features make the graph. */
static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const DmpGraph *settings = data;
  const guint64 n = shape->n_secrets, pairs = n * n;

  return (settings->support == DMP_SUPPORT_ALL ? 12 * pairs : 0)
         + (settings->graph == DMP_FEATURES ? 32 * pairs : 0) + 100 * n;
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_REAL (DmpGraph, epsilon, 2, 1e-4, 60, "nats", "Privacy budget that is claimed"),
  ASSAY_PARAM_REAL (DmpGraph, delta, 1e-5, 1e-30, 0.999999, "",
                    "Probability mass for which epsilon need not hold"),
  ASSAY_PARAM_INT (DmpGraph, bound, 100, 2, 100000, "neighbours",
                   "D: how many neighbours a node lists"),
  ASSAY_PARAM_CHOICE (DmpGraph, pruning, ASSAY_PRUNE_MUTUAL, assay_prunings,
                      "Edges that stay: those that both ends list; or those that either does, in "
                      "order of preference while both have room; or all of these"),
  ASSAY_PARAM_CHOICE (
      DmpGraph, rank, ASSAY_RANK_COSINE, assay_ranks,
      "Which neighbours are listed first: those with the higher cosine of features, "
      "the lower hash of the pair, or the higher number, which are public; or, by "
      "mistake, the higher cosine of rows of the private graph"),
  ASSAY_PARAM_CHOICE (
      DmpGraph, statistic, ASSAY_MOTIF_TRIANGLES, assay_motifs,
      "What is released: triangles at each edge, or common neighbours of each pair"),
  ASSAY_PARAM_REAL (DmpGraph, convexity, 0, 0, 1e6, "",
                    "lambda: weight of ||W - A||^2 (theorem 2), which no sensitivity here covers"),
  ASSAY_PARAM_CHOICE (DmpGraph, mirror, DMP_MIRROR_KL, mirrors,
                      "The distance that a step keeps small"),
  ASSAY_PARAM_INT (DmpGraph, rounds, 0, 0, 100000, "", "T; 0: 10, or without noise 100"),
  ASSAY_PARAM_REAL (DmpGraph, step, 0, 0, 1e6, "",
                    "eta; 0: 1 / (T sigma_1), or without noise 1 / D"),
  ASSAY_PARAM_REAL (DmpGraph, start, 1, 1e-9, 1e9, "", "Weight of every pair at first"),
  ASSAY_PARAM_CHOICE (
      DmpGraph, support, DMP_SUPPORT_ALL, supports,
      "Pairs that have a weight: all, or by mistake the edges of the clipped graph"),
  ASSAY_PARAM_BOOL (DmpGraph, noise, TRUE, "Whether there is noise; without it nothing is claimed"),
  ASSAY_PARAM_CHOICE (DmpGraph, calibration, DMP_EXACT, calibrations,
                      "sigma: the smallest for which the claim holds; or c Delta2 sqrt (T ln (1 / "
                      "delta)) / epsilon with c = 1 or the root of 2"),
  ASSAY_PARAM_BOOL (DmpGraph, composition, TRUE,
                    "Whether sigma grows with the root of T; without it each round has the whole "
                    "budget"),
  ASSAY_PARAM_CHOICE (DmpGraph, sensitivity, DMP_INPUT, sensitivities,
                      "Delta2: D, as published; for one edge of the clipped graph; for one edge of "
                      "the graph before it is clipped; or by mistake that of the very graph"),
  ASSAY_PARAM_CHOICE (DmpGraph, graph, DMP_PRIVATE, sources,
                      "What is clipped: the dataset's private graph, or all pairs (nothing is "
                      "private)"),
  ASSAY_PARAM_CHOICE (DmpGraph, similarity, ASSAY_SIMILARITY_JOINT, assay_similarities,
                      "Of items of two modalities: the mean of their cosines, or that of one"),
  ASSAY_PARAM_CHOICE (DmpGraph, relation, DMP_EDGE_OF_GRAPH, relations,
                      "Neighbours of an audit: one edge of the graph, or of the clipped graph"),
  ASSAY_PARAM_INT (DmpGraph, nodes, 0, 0, 5000, "",
                   "Of the graphs of an audit; 0: as many as the pair that leaks most needs"),
  ASSAY_PARAM_CHOICE (DmpGraph, audited, DMP_TOUCHED, audiences,
                      "Pairs of nodes that an audit looks at: those that the two graphs touch, "
                      "which tell as much as all"),
  ASSAY_PARAM_END
};

ASSAY_DEFENSE (dmp_graph, "dmp-graph",
  .summary = "Release a private graph as noisy triangle counts that mirror descent makes of it",
  .reference = { "Cheng, Dai and Sun 2026, Differentially Private Motif-Preserving Multi-modal "
                 "Hashing",
                 "sections 3.3 and 3.4, theorem 1, algorithm 1" },
  ASSAY_SETTINGS (DmpGraph, parameters),
  .check = check,
  .memory = memory,
  .produces = ASSAY_RELEASE_GRAPH,
  .claim = "(epsilon, delta)-differential privacy of the graph, between graphs with one edge more "
           "or less",
  .mechanism = &dmp_mechanism,
  .protect = protect);
