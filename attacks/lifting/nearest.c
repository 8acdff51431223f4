/* Nearest public descriptor to a subspace: the baseline "Nearest" of LDP-FEAT (Pittaluga and
 * Zhuang 2023, section 6.1).
 *
 * Release: subspaces D = t + span (B), t: n x d, B: n x m x d with orthonormal rows; plain vectors
 * are subspaces of dimension 0.
 * Knowledge: public descriptors Z, N x d.
 * Of vectors in a space of their own (a projection, a thumbnail, numbers on another scale), the
 * public rows as the defense protects them (grant `mechanism`): the row whose release is nearest to
 * the item, in the space of the release. With as many columns as the secrets, the space is chosen
 * in which the nearest row is nearer beside rows at random: noise is twice between two releases.
 * Guess for each D: argmin over z in Z of ||(I - B'B)(z - t)||, projected onto D if asked. Under
 * random lifting that projection already lands near the secret.
 * Cost: one matrix product N x d by d x (m + 1) a subspace; memory independent of N. */
#include <math.h>

#include "attacks/lifting/subspace-control.h"
#include "attacks/lifting/subspace.h"
#include "core/base/vectors.h"

#define MOST_COMPARED (gsize) 64 /* rows, of which the usual distance is taken */

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

/* How far the nearest row is, by how far rows are that are taken evenly: the mean over items. */
static gboolean
measure_distance (const AssayRelease *release, const AssayRows *rows, AssayScale scale,
                  const AssayNearest *nearest, double *ret_distance, GError **error)
{
  const AssayView items = assay_array_view (assay_arrays_get (&release->arrays, "vectors"));
  gsize compared[MOST_COMPARED];
  const gsize n = MIN (assay_rows_count (rows), MOST_COMPARED);
  g_autoptr (AssayMatrix) others = assay_matrix_new (n, items.cols, error);
  double sum = 0;

  if (others == NULL)
    return FALSE;
  for (gsize k = 0; k < n; k++)
    compared[k] = k * assay_rows_count (rows) / n;
  assay_rows_gather (rows, compared, n, scale, others->data);
  for (gsize i = 0; i < items.rows; i++) {
    double usual = 0;

    for (gsize k = 0; k < n; k++)
      usual += sqrt (assay_squared_distance (assay_view_row (items, i),
                                             assay_matrix_row (others, k), items.cols))
               / (double) n;
    sum += usual > 0 ? (double) nearest->distances[i] / usual : 1;
  }
  *ret_distance = sum / (double) items.rows;
  return TRUE;
}

/* Among what the defense makes of public rows. Where the release has the columns of the secrets,
 * @beside is how far the nearest row itself is; untouched unless the release's space is better. */
static gboolean
attack_in_another_space (const AssayObservation *seen, double beside, AssayGuess *ret_guess,
                         GError **error)
{
  g_autoptr (AssayRows) rows = NULL;
  g_autoptr (AssayRows) released = NULL;
  g_autoptr (AssayNearest) nearest = NULL;
  const gsize cols = assay_own_rows (assay_pairs_get (seen->pairs, 0)).cols;
  double distance = 0;
  AssayMatrix *estimates;

  if (!assay_pairs_gather (seen->pairs, &rows, &released, error))
    return FALSE;
  nearest = assay_release_nearest (seen->release, released, 1, error);
  if (nearest == NULL
      || (isfinite (beside)
          && !measure_distance (seen->release, released, ASSAY_SCALE_NONE, nearest, &distance,
                                error)))
    return FALSE;
  if (isfinite (beside) && distance >= beside)
    return TRUE;
  estimates = nearest != NULL ? assay_matrix_new (nearest->n, cols, error) : NULL;
  if (estimates == NULL)
    return FALSE;
  assay_rows_gather (rows, nearest->rows, nearest->n, ASSAY_SCALE_NONE, estimates->data);
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  ret_guess->says
      = g_strdup_printf ("compared what was released with what the defense makes of "
                         "%zu public rows, of %zu columns",
                         assay_pairs_count (seen->pairs), assay_release_cols (seen->release));
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
  double distance;
  float *estimates;

  if (is_in_another_space (seen))
    return attack_in_another_space (seen, INFINITY, ret_guess, error);
  nearest = assay_release_nearest (seen->release, seen->public_rows, 1, error);
  if (nearest != NULL && seen->pairs != NULL && seen->release->kind == ASSAY_RELEASE_VECTORS
      && (!measure_distance (seen->release, seen->public_rows, assay_release_scale (seen->release),
                             nearest, &distance, error)
          || !attack_in_another_space (seen, distance, ret_guess, error)))
    return FALSE;
  if (assay_arrays_get (&ret_guess->arrays, "estimates") != NULL)
    return TRUE;
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
  .summary = "Take the public row nearest to what was released",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 6.1" },
  ASSAY_SETTINGS (Nearest,
    ASSAY_PARAM_BOOL (Nearest, project, FALSE,
                      "Of subspaces: project the row that was found onto the subspace")),
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
