/* Runs of a defense on the same rows under two keys. */
#include "attacks/adaptive/cross-runs.h"

GPtrArray *
cross_runs_make (const AssayObservation *seen, GError **error)
{
  const AssayStreamKey key = assay_shadow_choice (seen->shadow);
  const gsize n_public = assay_rows_count (seen->public_rows);
  const gsize n = MIN (assay_shadow_secrets (seen->shadow), n_public);
  const guint64 n_pairs = assay_shadow_left (seen->shadow) / 2;
  g_autofree gsize *chosen = assay_alloc (n, sizeof (gsize), "rows", error);
  g_autoptr (AssayMatrix) rows = assay_matrix_new (n, assay_rows_cols (seen->public_rows), error);
  g_autoptr (GPtrArray) releases
      = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_own_release_free);

  if (chosen == NULL || rows == NULL)
    return NULL;
  for (guint64 r = 0; r < 2 * n_pairs; r++) {
    const AssayOwnRows own = { .rows = assay_matrix_view (rows), .numbers = chosen };
    AssayOwnRelease *release;

    if (r % 2 == 0) {
      AssayStream stream = assay_stream (key, r);

      assay_stream_sample (&stream, n_public, n, chosen);
      assay_rows_gather (seen->public_rows, chosen, n, ASSAY_SCALE_NONE, rows->data);
    }
    release = assay_shadow_run (seen->shadow, r, &own, error);
    if (release == NULL)
      return NULL;
    g_ptr_array_add (releases, release);
  }
  return g_steal_pointer (&releases);
}
