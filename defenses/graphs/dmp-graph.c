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
 * what is clipped follows from features alone, and nothing in it is private. `graph = none` is the
 * control: what is released where nobody is joined to anybody. */

#include "core/plugin/plugin.h"
#include "defenses/graphs/dmp-mechanism.h"
#include "defenses/graphs/dmp-pairs.h"
#include "defenses/graphs/dmp-release.h"

static gboolean
protect (const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  return dmp_release_make (context->settings, context, items, ret_release, ret_truth, error);
}

ASSAY_MEMORY (memory, DmpGraph, dmp_release_memory (settings, shape))

static gboolean
check (gconstpointer settings, const AssayShape *shape, GError **error)
{
  return dmp_pair_check (settings, shape, error);
}

ASSAY_DEFENSE (dmp_graph, "dmp-graph",
  .summary = "Release a private graph as weights: noisy triangle counts, by mirror descent",
  .reference = { ASSAY_PAPER_DMP_MH, "sections 3.3 and 3.4, theorem 1, algorithm 1" },
  ASSAY_SETTINGS (DmpGraph,
    DMP_GRAPH_PARAMETERS),
  .check = check,
  .memory = memory,
  .produces = ASSAY_RELEASE_GRAPH,
  .claim = "(epsilon, delta)-differential privacy of the graph, between graphs that differ in one "
           "edge",
  .mechanism = &dmp_mechanism,
  .protect = protect);
