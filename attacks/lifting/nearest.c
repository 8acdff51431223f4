/* Nearest public descriptor to a subspace: the baseline "Nearest" of LDP-FEAT (Pittaluga and
 * Zhuang 2023, section 6.1).
 *
 * Release: subspaces D = t + span (B), t: n x d, B: n x m x d with orthonormal rows; plain vectors
 * are subspaces of dimension 0.
 * Knowledge: public descriptors Z, N x d.
 * Guess for each D: argmin over z in Z of ||(I - B'B)(z - t)||, projected onto D if asked. Under
 * random lifting that projection already lands near the secret.
 * Cost: one matrix product N x d by d x (m + 1) a subspace; memory independent of N. */
#include "attacks/lifting/subspace-control.h"
#include "attacks/lifting/subspace.h"

typedef struct {
  bool project;
} Nearest;

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Nearest *settings = context->settings;
  const AssaySubspaces subspaces = assay_release_subspaces (seen->release);
  g_autoptr (AssayNearest) nearest
      = assay_release_nearest (seen->release, seen->public_rows, 1, error);
  float *estimates = nearest != NULL ? subspace_guess (&subspaces, ret_guess, error) : NULL;

  if (estimates == NULL)
    return FALSE;
  assay_rows_gather (seen->public_rows, nearest->rows, nearest->n,
                     assay_release_scale (seen->release), estimates);
  for (gsize i = 0; settings->project && i < subspaces.count; i++)
    subspace_project (&subspaces, i, estimates + i * subspaces.cols,
                      estimates + i * subspaces.cols);
  return TRUE;
}

static gboolean
make_control (G_GNUC_UNUSED gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  static const SubspaceControl control
      = { .n_secrets = 16, .n_public = 64, .cols = 32, .dimension = 2 };

  return subspace_control_make (&control, key, ret_case, error);
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_BOOL (Nearest, project, FALSE,
                    "Project the descriptor that was found onto the subspace"),
  ASSAY_PARAM_END
};

ASSAY_ATTACK (nearest, "nearest",
  .summary = "Take the public descriptor nearest to the subspace",
  .reference = { "Pittaluga and Zhuang 2023, LDP-FEAT", "section 6.1" },
  ASSAY_SETTINGS (Nearest, parameters),
  .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_PUBLIC,
  .writes = subspace_guess_arrays,
  .is_generic = TRUE,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "a secret that is itself public is found",
               .make = make_control,
               .at_least = 1,
               .within = 1e-4 });
