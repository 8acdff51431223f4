/* Nearest public descriptor to a subspace: the baseline "Nearest" of LDP-FEAT (Pittaluga and
 * Zhuang 2023, section 6.1).
 *
 * Release: subspaces D = t + span (B), t: n x d, B: n x m x d with orthonormal rows; plain vectors
 * are subspaces of dimension 0.
 * Knowledge: public descriptors Z, N x d.
 * Guess for each D: argmin over z in Z of ||(I - B'B)(z - t)||, projected onto D if asked. Under
 * random lifting that projection already lands near the secret.
 * Cost: one matrix product N x d by d x (m + 1) a subspace; memory independent of N. */
#include "attacks/lifting/subspace.h"
#include "core/plugin/plugin.h"
#include "core/search/scan.h"

typedef struct {
  bool project;
} Nearest;

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Nearest *settings = context->settings;
  const AssayScale scale = assay_release_scale (seen->release);
  const AssaySubspaces subspaces = assay_release_subspaces (seen->release);
  g_autoptr (AssayMatrix) estimates = assay_matrix_new (subspaces.count, subspaces.cols, error);
  g_autoptr (AssayNearest) nearest
      = assay_release_nearest (seen->release, seen->public_rows, 1, error);

  if (nearest == NULL || estimates == NULL)
    return FALSE;
  assay_rows_gather (seen->public_rows, nearest->rows, nearest->n, scale, estimates->data);
  for (gsize i = 0; settings->project && i < estimates->rows; i++) {
    float *row = assay_matrix_row (estimates, i);

    subspace_project (&subspaces, i, row, row);
  }
  assay_arrays_take (&ret_guess->arrays, "estimates",
                     assay_array_take_matrix (g_steal_pointer (&estimates)));
  return TRUE;
}

/* Subspaces of dimension 2 in random directions through points of the public set. */
static gboolean
make_control (gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  enum { SECRETS = 16, PUBLIC = 64, COLS = 32 };
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) public_rows = assay_matrix_new (PUBLIC, COLS, error);
  AssayMatrix *secrets;
  AssayView view;

  (void) settings;
  if (public_rows == NULL)
    return FALSE;
  for (gsize i = 0; i < PUBLIC * COLS; i++)
    public_rows->data[i] = (float) assay_stream_normal (&stream);
  view = assay_view_rows (assay_matrix_view (public_rows), 0, SECRETS);
  secrets = assay_matrix_copy (view, error);
  ret_case->release = subspace_control_release (view, NULL, 0, 2, &stream, error);
  ret_case->truth = assay_truth_new ();
  if (secrets != NULL)
    assay_arrays_take (&ret_case->truth->arrays, "secrets", assay_array_take_matrix (secrets));
  ret_case->public_rows = assay_rows_take_matrix (g_steal_pointer (&public_rows));
  return secrets != NULL && ret_case->release != NULL;
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_BOOL (Nearest, project, FALSE,
                    "Project the descriptor that was found onto the subspace"),
  ASSAY_PARAM_END
};

static guint64
memory (gconstpointer settings, const AssayShape *shape)
{
  (void) settings;
  return assay_scan_memory (shape->n_secrets, shape->dimension, shape->cols, 1);
}

ASSAY_ATTACK (nearest, "nearest",
  .summary = "Take the public descriptor nearest to the subspace",
  .reference = { "Pittaluga and Zhuang 2023, LDP-FEAT", "section 6.1" },
  ASSAY_SETTINGS (Nearest, parameters),
  .memory = memory,
  .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_PUBLIC,
  .writes = subspace_guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "a secret that is itself public is found",
               .make = make_control,
               .at_least = 1,
               .within = 1e-4 });
