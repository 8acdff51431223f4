/* Which edges a clipped graph has, from features alone: every item lists the `bound` = D items
 * that are most like it, and those that list each other are joined (Cheng, Dai and Sun 2026,
 * algorithm 1, line 4, to the letter: the graph is made of features, so that whoever has them has
 * the graph). Among these a pair with more triangles scores higher. D is a public parameter of the
 * release.
 * Where the private graph is one of interactions, it says what features alone tell of it. */
#include "attacks/graphs/edge-guess.h"
#include "core/data/kinds/graph.h"
#include "core/graph/clipping.h"
#include "core/graph/likeness.h"
#include "core/graph/motifs.h"
#include "core/plugin/plugin.h"

#define ASSUMED_BOUND 100

typedef struct {
  gint64 bound;
  guint similarity;
} Recompute;

/* Of the release, unless the setting says otherwise. */
static gsize
bound_of (const Recompute *settings, const AssayRelease *release)
{
  const gint64 *said;

  if (settings->bound > 0)
    return (gsize) settings->bound;
  if (release->kind != ASSAY_RELEASE_GRAPH)
    return ASSUMED_BOUND;
  said = ASSAY_PARAMETER (release, AssayGraphParameters, bound);
  return said != NULL && *said > 0 ? (gsize) *said : ASSUMED_BOUND;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Recompute *settings = context->settings;
  const gsize n = seen->features->rows, bound = bound_of (settings, seen->release);
  g_autoptr (AssayMatrix) rows = assay_likeness_rows (
      *seen->features, seen->first_cols, (AssaySimilarity) settings->similarity, error);
  const AssayClipping clipping
      = { ASSAY_RANK_COSINE, ASSAY_PRUNE_MUTUAL, bound, assay_likeness_of_pair, rows };
  g_autoptr (AssayGraph) all = rows != NULL ? assay_graph_complete (n, error) : NULL;
  g_autoptr (AssayGraph) clipped = all != NULL ? assay_graph_clip (all, &clipping, error) : NULL;
  float *scores = clipped != NULL ? edge_guess_scores (n, error) : NULL;

  if (scores == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize s = clipped->starts[i]; s < clipped->starts[i + 1]; s++)
      if (clipped->ends[s] > i)
        scores[assay_pair_number (n, i, clipped->ends[s])]
            = (float) assay_motif_of_pair (clipped, ASSAY_MOTIF_TRIANGLES, 1, i, clipped->ends[s]);
  ret_guess->says = g_strdup_printf ("%zu mutual neighbours among %zu nearest",
                                     assay_graph_edges (clipped), bound);
  edge_guess_take (ret_guess, assay_pair_count (n), scores, NULL);
  return TRUE;
}

ASSAY_CONTROL (make_control, edge_case_make, EdgeCase, void, .is_alike = TRUE)

ASSAY_ATTACK (recompute, "recompute",
  .summary = "Clip all pairs by features alone, as a defense would that builds its graph from them",
  .reference = { ASSAY_PAPER_DMP_MH, "algorithm 1, line 4" },
  ASSAY_SETTINGS (Recompute,
    ASSAY_PARAM_INT (Recompute, bound, 0, 0, 100000, "neighbours",
                     "D; 0: what the release says, or else 100"),
    ASSAY_PARAM_CHOICE (Recompute, similarity, ASSAY_SIMILARITY_JOINT, assay_similarities,
                        "Similarity of items of two modalities: the mean of both cosines, or the "
                        "cosine of one")),
  .holds = { .secret_pairs = 24 },
  .reads = ASSAY_RELEASE_GRAPH | ASSAY_RELEASE_PAIRED_CODES,
  .needs = ASSAY_GRANT_FEATURES,
  EDGE_GAME,
  .attack = attack,
  .control = { .says = "items that are joined where their cosine is above 0.5 list each other",
               .make = make_control,
               .at_least = 0.75 });
