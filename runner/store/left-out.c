/* Reasons for series that were left out, as texts of the store. */
#include "runner/store/left-out.h"

static char *
key_of (gsize index, guint metric, guint series)
{
  return g_strdup_printf ("left out %" G_GSIZE_FORMAT " %u %u", index, metric, series);
}

gboolean
assay_left_out_store (AssayStore *store, gsize index, const AssayOutcomes *outcomes,
                      guint n_metrics, GError **error)
{
  for (guint m = 0; m < n_metrics; m++)
    for (guint s = 0; s < ASSAY_MAX_SERIES; s++) {
      g_autofree char *key = key_of (index, m, s);

      if (outcomes[m].left_out[s] != NULL
          && !assay_store_set (store, key, outcomes[m].left_out[s], error))
        return FALSE;
    }
  return TRUE;
}

gboolean
assay_left_out_load (AssayStore *store, gsize index, guint metric, guint n_series,
                     AssayOutcomes *inout_outcomes, GError **error)
{
  for (guint s = 0; inout_outcomes->n > 0 && s < n_series; s++) {
    g_autofree char *key = key_of (index, metric, s);

    if (inout_outcomes->series[s] != NULL)
      continue;
    if (!assay_store_get (store, key, &inout_outcomes->left_out[s], error))
      return FALSE;
    if (inout_outcomes->left_out[s] == NULL)
      inout_outcomes->left_out[s] = g_strdup ("the run store has no outcomes of it");
  }
  return TRUE;
}
