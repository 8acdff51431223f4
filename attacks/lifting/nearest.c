/* Nearest public descriptor to a subspace: the baseline "Nearest" of LDP-FEAT (Pittaluga and
 * Zhuang 2023, section 6.1).
 *
 * Release: subspaces D = t + span (B), t: n x d, B: n x m x d with orthonormal rows; plain vectors
 * are subspaces of dimension 0.
 * Knowledge: public descriptors Z, N x d.
 * Of vectors with another number of columns (a projection, a thumbnail), the public rows as the
 * defense protects them (grant `mechanism`): the row whose release is nearest to the item, in the
 * space of the release.
 * Guess for each D: argmin over z in Z of ||(I - B'B)(z - t)||, projected onto D if asked. Under
 * random lifting that projection already lands near the secret.
 * Cost: one matrix product N x d by d x (m + 1) a subspace; memory independent of N. */
#include "attacks/lifting/subspace-control.h"
#include "attacks/lifting/subspace.h"

typedef struct {
  bool project;
} Nearest;

/* ---- In the space of the release ---- */

static gboolean
is_in_another_space (const AssayObservation *seen)
{
  return seen->pairs != NULL
         && assay_rows_cols (seen->public_rows) != assay_release_cols (seen->release);
}

static gboolean
attack_in_another_space (const AssayObservation *seen, AssayGuess *ret_guess, GError **error)
{
  g_autoptr (AssayRows) rows = NULL;
  g_autoptr (AssayRows) released = NULL;
  g_autoptr (AssayNearest) nearest = NULL;
  const gsize cols = assay_own_rows (assay_pairs_get (seen->pairs, 0)).cols;
  AssayMatrix *estimates;

  if (!assay_pairs_gather (seen->pairs, &rows, &released, error))
    return FALSE;
  nearest = assay_release_nearest (seen->release, released, 1, error);
  estimates = nearest != NULL ? assay_matrix_new (nearest->n, cols, error) : NULL;
  if (estimates == NULL)
    return FALSE;
  assay_rows_gather (rows, nearest->rows, nearest->n, ASSAY_SCALE_NONE, estimates->data);
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  ret_guess->says = g_strdup_printf ("compared what was released with what the defense makes of "
                                     "%zu public rows, of %zu columns",
                                     assay_pairs_count (seen->pairs),
                                     assay_release_cols (seen->release));
  return TRUE;
}

/* ---- In the space of the secrets ---- */

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Nearest *settings = context->settings;
  const AssaySubspaces subspaces = assay_release_subspaces (seen->release);
  g_autoptr (AssayNearest) nearest = NULL;
  float *estimates;

  if (is_in_another_space (seen))
    return attack_in_another_space (seen, ret_guess, error);
  nearest = assay_release_nearest (seen->release, seen->public_rows, 1, error);
  estimates = nearest != NULL ? subspace_guess (&subspaces, ret_guess, error) : NULL;
  if (estimates == NULL)
    return FALSE;
  assay_rows_gather (seen->public_rows, nearest->rows, nearest->n,
                     assay_release_scale (seen->release), estimates);
  for (gsize i = 0; settings->project && i < subspaces.count; i++)
    subspace_project (&subspaces, i, estimates + i * subspaces.cols,
                      estimates + i * subspaces.cols);
  return TRUE;
}

ASSAY_CONTROL (make_control, subspace_control_make, SubspaceControl, void, .n_secrets = 16,
               .n_public = 64, .cols = 32, .dimension = 2)

ASSAY_ATTACK (nearest, "nearest",
  .summary = "Take the public descriptor nearest to the subspace",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 6.1" },
  ASSAY_SETTINGS (Nearest,
    ASSAY_PARAM_BOOL (Nearest, project, FALSE,
                      "Whether the descriptor that was found is projected onto the subspace")),
  .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_PUBLIC,
  .writes = subspace_guess_arrays,
  .is_generic = TRUE,
  .wants_pairs = TRUE,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "a secret that is itself public is found",
               .make = make_control,
               .at_least = 1,
               .within = 1e-4 });
