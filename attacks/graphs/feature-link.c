/* Which items a private graph joins, from their features alone, which are public: the more likely,
 * the more alike they are. It does not look at the release, so that what it finds is no leak of it:
 * it is the floor beside which other attacks on the graph stand. */
#include "attacks/graphs/edge-guess.h"
#include "core/graph/graph.h"
#include "core/graph/likeness.h"
#include "core/plugin/plugin.h"

typedef struct {
  guint similarity;
} FeatureLink;

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const FeatureLink *settings = context->settings;
  g_autoptr (AssayMatrix) rows = assay_likeness_rows (
      *seen->features, seen->first_cols, (AssaySimilarity) settings->similarity, error);
  const gsize n = seen->features->rows;
  float *scores = rows != NULL ? edge_guess_scores (n, error) : NULL;

  if (scores == NULL)
    return FALSE;
  assay_likeness_fill (rows, scores);
  edge_guess_take (ret_guess, assay_pair_count (n), scores, NULL);
  return TRUE;
}

ASSAY_CONTROL (make_control, edge_case_make, EdgeCase, void, .is_alike = TRUE)

ASSAY_ATTACK (feature_link, "feature-link",
  .summary = "Guess from features alone, without the release, which items are joined: a baseline",
  .reference = { "Assay", "core/graph/likeness.h" },
  ASSAY_SETTINGS (FeatureLink,
    ASSAY_PARAM_CHOICE (FeatureLink, similarity, ASSAY_SIMILARITY_JOINT, assay_similarities,
                        "Similarity of items of two modalities: the mean of both cosines, or the "
                        "cosine of one")),
  .holds = { .items = 1, .secret_pairs = 2 },
  .reads = ASSAY_RELEASE_GRAPH | ASSAY_RELEASE_PAIRED_CODES,
  .needs = ASSAY_GRANT_FEATURES,
  EDGE_GAME,
  .attack = attack,
  .control = { .says = "items that are joined where their cosine is above 0.5 are found",
               .make = make_control,
               .at_least = 0.8 });
