/* The released numbers themselves as the guess.
 *
 * Against plain vectors this is the whole attack, and the upper end of every comparison ("raw" in
 * LDP-FEAT, table 1). Against subspaces it guesses the translation, and so shows whether a
 * re-parameterisation that forgot to move it gave the secret away. */
#include "core/games/control-case.h"
#include "core/plugin/plugin.h"

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const AssaySubspaces released = assay_release_subspaces (seen->release);
  const AssayView points = { .rows = released.count,
                             .cols = released.cols,
                             .stride = released.cols,
                             .data = released.translation };
  AssayMatrix *estimates = assay_matrix_copy (points, error);

  (void) context;
  if (estimates == NULL)
    return FALSE;
  assay_arrays_take (&ret_guess->arrays, "estimates", assay_array_take_matrix (estimates));
  return TRUE;
}

/* Secrets that were released unprotected. */
static gboolean
make_control (G_GNUC_UNUSED gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  AssayMatrix *secrets = assay_control_normals (8, 16, &stream, error);

  return secrets != NULL
         && assay_control_take (
             ret_case, assay_control_vectors (assay_matrix_view (secrets), error), secrets);
}

ASSAY_ATTACK (verbatim, "verbatim",
  .summary = "Take the released numbers as the secret: vectors, or the translation of a subspace",
  .reference = { ASSAY_PAPER_LDP_FEAT, "table 1, row Raw" },
  .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_NONE,
  .is_generic = TRUE,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "an unprotected secret is read as it is",
               .make = make_control,
               .at_least = 1,
               .within = 1e-6 });
