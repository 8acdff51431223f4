/* Which items a private graph joins, from the weights that were released of it: the pair with the
 * higher weight is the rather an edge; one without a weight has 0. Weights that noisy mirror
 * descent made of triangle counts (Cheng, Dai and Sun 2026, equation 2) rise with them. */
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
  return edge_case_make (&(EdgeCase){ .key = key }, ret_case, error);
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

ASSAY_ATTACK (graph_link, "graph-link",
  .summary = "Take pairs with a higher released weight for edges of the private graph",
  .reference = { "Cheng, Dai and Sun 2026, Differentially Private Motif-Preserving Multi-modal "
                 "Hashing",
                 "equation 2" },
  .memory = memory,
  .reads = ASSAY_RELEASE_GRAPH,
  .wants = wants,
  .game = ASSAY_GAME_EDGE,
  .attack = attack,
  .control = { .says = "edges of a graph whose triangle counts are released without noise have the "
                       "higher weights",
               .make = make_control,
               .at_least = 0.9 });
