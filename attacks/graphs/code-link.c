/* Which items a private graph joins, from codes of two modalities that hash functions trained on
 * the graph give them: a pair is the rather an edge, the less its codes differ, of image and image,
 * text and text, and image and text both ways. */
#include "attacks/graphs/edge-guess.h"
#include "core/plugin/plugin.h"

static gboolean
attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
        AssayGuess *ret_guess, GError **error)
{
  gsize count;
  float *scores = edge_guess_of_release (seen->release, &count, error);

  if (scores == NULL)
    return FALSE;
  edge_guess_take (ret_guess, count, scores, NULL);
  return TRUE;
}

static gboolean
make_control (G_GNUC_UNUSED gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  return edge_case_make (&(EdgeCase){ .key = key, .has_codes = TRUE }, ret_case, error);
}

static guint64
memory (G_GNUC_UNUSED gconstpointer settings, const AssayShape *shape)
{
  return (guint64) shape->n_secrets * shape->n_secrets / 2 * sizeof (float);
}

static guint
wants (G_GNUC_UNUSED gconstpointer settings)
{
  return ASSAY_HAS_GRAPH;
}

ASSAY_ATTACK (code_link, "code-link",
  .summary = "Take items whose codes of both modalities differ least for joined",
  .reference = { "Assay", "Hamming distances of paired codes" },
  .memory = memory,
  .reads = ASSAY_RELEASE_PAIRED_CODES,
  .wants = wants,
  .game = ASSAY_GAME_EDGE,
  .attack = attack,
  .control = { .says = "edges of a graph are told by codes that are signs of its leading "
                       "eigenvectors",
               .make = make_control,
               .at_least = 0.7 });
