/* Which items a private graph joins, from codes of two modalities that hash functions trained on
 * the graph give them: a pair is the more likely an edge, the less its codes differ, of image and
 * image, text and text, and image and text both ways. */
#include "attacks/graphs/edge-guess.h"
#include "core/plugin/plugin.h"

ASSAY_CONTROL (make_control, edge_case_make, EdgeCase, void, .has_codes = TRUE)

ASSAY_ATTACK (code_link, "code-link",
  .summary = "Guess that items are joined where their codes of both modalities differ least",
  .reference = { "Assay", "Hamming distances of paired codes" },
  .holds = { .secret_pairs = 2 },
  .reads = ASSAY_RELEASE_PAIRED_CODES,
  EDGE_GAME,
  .attack = edge_guess_attack,
  .control = { .says = "edges of a graph are found from codes that are signs of its leading "
                       "eigenvectors",
               .make = make_control,
               .at_least = 0.7 });
