/* The mean of the K nearest public rows, projected onto the subspace (docs/writing-a-plugin.md).
 * Release: subspaces t + span (B), B: m x d with orthonormal rows. Knowledge: public rows. With c
 * the mean of the K rows nearest to a subspace, the guess is its point t + B'B (c - t). */
#include "attacks/lifting/subspace-control.h"
#include "attacks/lifting/subspace.h"

typedef struct {
  gint64 rows;
} Centroid;

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const AssayRows *rows = seen->public_rows;
  const AssaySubspaces subspaces = assay_release_subspaces (seen->release);
  const gint64 wanted = ((const Centroid *) context->settings)->rows;
  const gsize k = MIN ((gsize) wanted, assay_rows_count (rows)), d = subspaces.cols;
  g_autoptr (AssayNearest) found = assay_release_nearest (seen->release, rows, k, error);
  g_autofree float *near = assay_alloc (k, d * sizeof (float), "nearest rows", error);
  float *guess = subspace_guess (&subspaces, ret_guess, error);

  if (found == NULL || near == NULL || guess == NULL)
    return FALSE;
  for (gsize i = 0; i < subspaces.count; i++, guess += d) {
    assay_rows_gather (rows, found->rows + i * k, k, assay_release_scale (seen->release), near);
    subspace_weighted_centre (near, NULL, k, d, guess);
    subspace_project (&subspaces, i, guess, guess);
  }
  return TRUE;
}

static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const SubspaceClusters clusters = { .n_secrets = 16, .cols = 32, .dimension = 2,
                                      .own = (gsize) ((const Centroid *) data)->rows };

  return subspace_clusters_make (&clusters, key, ret_case, error);
}

ASSAY_ATTACK (centroid, "centroid",
  .summary = "Project the mean of the nearest public rows onto the subspace",
  .reference = { "an example", "docs/writing-a-plugin.md" },
  ASSAY_SETTINGS (Centroid,
    ASSAY_PARAM_INT (Centroid, rows, 10, 1, 10000, "rows", "K: public rows that are averaged")),
  .reads = ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_PUBLIC,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { "the centre of the public rows nearest to a subspace is found", make_control,
               .at_least = 1, .within = 0.1 });
