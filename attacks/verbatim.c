/* The released numbers themselves as the guess.
 *
 * Against plain vectors this is the whole attack, and the upper end of every comparison ("raw" in
 * LDP-FEAT, table 1). Against subspaces it guesses the translation, and so shows whether a
 * re-parameterisation that forgot to move it gave the secret away. */
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
make_control (gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  enum { SECRETS = 8, COLS = 16 };
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) secrets = assay_matrix_new (SECRETS, COLS, error);
  AssayMatrix *released;

  (void) settings;
  if (secrets == NULL)
    return FALSE;
  for (gsize i = 0; i < SECRETS * COLS; i++)
    secrets->data[i] = (float) assay_stream_normal (&stream);
  released = assay_matrix_copy (assay_matrix_view (secrets), error);
  if (released == NULL)
    return FALSE;
  ret_case->release = assay_release_new (ASSAY_RELEASE_VECTORS, "control");
  assay_arrays_take (&ret_case->release->arrays, "vectors", assay_array_take_matrix (released));
  ret_case->truth = assay_truth_new ();
  assay_arrays_take (&ret_case->truth->arrays, "secrets",
                     assay_array_take_matrix (g_steal_pointer (&secrets)));
  return TRUE;
}

ASSAY_ATTACK (verbatim, "verbatim",
  .summary = "Take the released numbers as the secret: vectors, or the translation of a subspace",
  .reference = { "Pittaluga and Zhuang 2023, LDP-FEAT", "table 1, row Raw" },
  .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_NONE,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "an unprotected secret is read off",
               .make = make_control,
               .at_least = 1,
               .within = 1e-6 });
