/* Which items a private graph joins, from the weights that were released of it: the pair with the
 * higher weight is the more likely an edge; one without a weight has 0. Weights that noisy mirror
 * descent made of triangle counts (Cheng, Dai and Sun 2026, equation 2) rise with them. */
#include "attacks/graphs/edge-guess.h"
#include "core/plugin/plugin.h"

ASSAY_CONTROL (make_control, edge_case_make, EdgeCase, void, .is_alike = FALSE)

ASSAY_ATTACK (graph_link, "graph-link",
  .summary = "Take pairs with a high released weight as edges of the private graph",
  .reference = { ASSAY_PAPER_DMP_MH, "equation 2" },
  .holds = { .secret_pairs = 2 },
  .reads = ASSAY_RELEASE_GRAPH,
  EDGE_GAME,
  .attack = edge_guess_attack,
  .control = { .says = "edges have the higher weights in triangle counts that are released without "
                       "noise",
               .make = make_control,
               .at_least = 0.9 });
