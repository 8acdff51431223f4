/* What is left to do of a plan. */
#include "runner/run/pending.h"

GArray *
assay_run_pending (const AssayPlan *plan, AssayStore *store, const gboolean *wanted,
                   AssayProgress *ret_progress, GError **error)
{
  g_autoptr (GArray) pending = g_array_new (FALSE, FALSE, sizeof (gsize));
  gsize total = 0;

  for (gsize i = 0; i < plan->cells->len; i++) {
    AssayCellRecord record = { 0 };

    if (wanted != NULL && !wanted[i])
      continue;
    if (!assay_store_cell (store, i, &record, error))
      return NULL;
    g_free (record.message);
    if (record.status == ASSAY_CELL_PENDING)
      g_array_append_val (pending, i);
    total++;
  }
  *ret_progress = (AssayProgress){
    .done = total - pending->len, .resumed = total - pending->len, .total = total, .doing = ""
  };
  return g_steal_pointer (&pending);
}
