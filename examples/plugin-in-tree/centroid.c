/* The mean of the public rows, moved onto the subspace: the least that an attacker can do who knows
 * what such rows look like on average. An example for docs/writing-a-plugin.md.
 *
 * Release: subspaces D = t + span (B), t: n x d, B: n x m x d with orthonormal rows.
 * Knowledge: public rows Z, N x d. With c their mean, the guess for each D is the point of D
 * nearest to c: t + B'B (c - t). */
#include "attacks/lifting/subspace.h"
#include "core/plugin/plugin.h"

typedef struct {
  gint64 rows;
} Centroid;

/* The mean of the first @count of @rows, summed in double, a panel at a time. */
static gboolean
mean_of_rows (const AssayRows *rows, gsize count, AssayScale scale, float *ret_mean,
              GError **error)
{
  enum { PANEL = 1024 };
  const gsize cols = assay_rows_cols (rows);
  g_autofree double *sum = assay_alloc (cols, sizeof (double), "mean", error);
  g_autofree float *panel = assay_alloc (PANEL, cols * sizeof (float), "panel of rows", error);

  if (sum == NULL || panel == NULL)
    return FALSE;
  for (gsize first = 0; first < count; first += PANEL) {
    const gsize n = MIN (PANEL, count - first);

    assay_rows_read (rows, first, n, scale, panel);
    for (gsize i = 0; i < n * cols; i++)
      sum[i % cols] += panel[i];
  }
  for (gsize j = 0; j < cols; j++)
    ret_mean[j] = (float) (sum[j] / (double) count);
  return TRUE;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Centroid *settings = context->settings;
  const AssaySubspaces subspaces = assay_release_subspaces (seen->release);
  const gsize count = MIN ((gsize) settings->rows, assay_rows_count (seen->public_rows));
  g_autoptr (AssayMatrix) estimates = assay_matrix_new (subspaces.count, subspaces.cols, error);
  g_autofree float *mean = assay_alloc (subspaces.cols, sizeof (float), "mean", error);

  if (estimates == NULL || mean == NULL
      || !mean_of_rows (seen->public_rows, count, assay_release_scale (seen->release), mean, error))
    return FALSE;
  for (gsize i = 0; i < subspaces.count; i++)
    subspace_project (&subspaces, i, mean, assay_matrix_row (estimates, i));
  assay_arrays_take (&ret_guess->arrays, "estimates",
                     assay_array_take_matrix (g_steal_pointer (&estimates)));
  return TRUE;
}

/* Secrets and public rows all beside one point: their mean is near every secret. */
static gboolean
make_control (gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  enum { SECRETS = 16, PUBLIC = 64, COLS = 32 };
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) secrets = assay_matrix_new (SECRETS, COLS, error);
  g_autoptr (AssayMatrix) public_rows = assay_matrix_new (PUBLIC, COLS, error);

  (void) settings;
  if (secrets == NULL || public_rows == NULL)
    return FALSE;
  for (gsize i = 0; i < SECRETS * COLS; i++)
    secrets->data[i] = 0.2f + 0.01f * (float) assay_stream_normal (&stream);
  for (gsize i = 0; i < PUBLIC * COLS; i++)
    public_rows->data[i] = 0.2f + 0.01f * (float) assay_stream_normal (&stream);
  ret_case->release
      = subspace_control_release (assay_matrix_view (secrets), NULL, 0, 4, &stream, error);
  ret_case->truth = assay_truth_new ();
  assay_arrays_take (&ret_case->truth->arrays, "secrets",
                     assay_array_take_matrix (g_steal_pointer (&secrets)));
  ret_case->public_rows = assay_rows_take_matrix (g_steal_pointer (&public_rows));
  return ret_case->release != NULL;
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_INT (Centroid, rows, 100000, 1, 1000000000, "rows",
                   "How many public rows are averaged at most, from the first on"),
  ASSAY_PARAM_END
};

ASSAY_ATTACK (centroid, "centroid",
  .summary = "Move the mean of the public rows onto the subspace",
  .reference = { "an example", "docs/writing-a-plugin.md" },
  ASSAY_SETTINGS (Centroid, parameters),
  .reads = ASSAY_RELEASE_SUBSPACES,
  .needs = ASSAY_GRANT_PUBLIC,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "secrets beside the mean of the public rows are found",
               .make = make_control,
               .at_least = 1,
               .within = 0.1 });
