/* Which items a private graph joins, from codes of two modalities that hash functions trained on
 * the graph give them: a pair is the rather an edge, the less its codes differ, of image and image,
 * text and text, and image and text both ways. */
#include "attacks/graphs/edge-guess.h"
#include "core/plugin/plugin.h"

static gboolean
make_control (G_GNUC_UNUSED gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  return edge_case_make (&(EdgeCase){ .key = key, .has_codes = TRUE }, ret_case, error);
}

ASSAY_ATTACK (code_link, "code-link",
  .summary = "Take items whose codes of both modalities differ least for joined",
  .reference = { "Assay", "Hamming distances of paired codes" },
  .memory = edge_guess_memory,
  .reads = ASSAY_RELEASE_PAIRED_CODES,
  EDGE_GAME,
  .attack = edge_guess_attack,
  .control = { .says = "edges of a graph are told by codes that are signs of its leading "
                       "eigenvectors",
               .make = make_control,
               .at_least = 0.7 });
