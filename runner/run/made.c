/* What a defense made of secrets. */
#include "runner/run/made.h"

void
made_free (gpointer data)
{
  Made *made = data;

  assay_release_free (made->release);
  assay_truth_free (made->truth);
  g_clear_pointer (&made->repeats, g_ptr_array_unref);
  assay_own_store_free (made->own);
  g_clear_pointer (&made->records, assay_rows_unref);
  assay_role_data_clear (&made->record_data);
  assay_release_free (made->crossed);
  assay_own_release_free (made->known);
  g_clear_error (&made->error);
  g_free (made);
}

gsize
made_bytes (const Made *made)
{
  gsize bytes = sizeof *made + assay_own_store_bytes (made->own);

  if (made->release != NULL)
    bytes += assay_arrays_bytes (&made->release->arrays);
  if (made->truth != NULL)
    bytes += assay_arrays_bytes (&made->truth->arrays);
  if (made->known != NULL)
    bytes += assay_arrays_bytes (&made->known->release->arrays)
             + assay_arrays_bytes (&made->known->known);
  if (made->crossed != NULL)
    bytes += assay_arrays_bytes (&made->crossed->arrays);
  for (guint i = 0; made->repeats != NULL && i < made->repeats->len; i++)
    bytes += assay_arrays_bytes (&((const AssayRelease *) made->repeats->pdata[i])->arrays);
  return bytes;
}

AssayRunPosition
made_position (const AssayPlan *plan, const AssayCell *cell, gboolean is_tuning, gsize repeat)
{
  return (AssayRunPosition){ .folders = (const char *const *) plan->folders,
                             .trial = is_tuning ? 0 : cell->trial,
                             .repeat = repeat,
                             .defense = assay_plan_defense (plan, cell)->name,
                             .is_tuning = is_tuning };
}

gboolean
made_protect (const MadeTerms *terms, gsize repeat, Made *made, GError **error)
{
  const AssayPlan *plan = terms->plan;
  const AssayComponent *component = assay_plan_defense (plan, terms->cell);
  const char *tuning = terms->is_tuning ? "tune-" : "";
  AssaySecrets secrets = *terms->secrets;
  AssayCell keyed = *terms->cell;
  g_autofree char *common = g_strdup_printf ("%sdefense", tuning);
  g_autofree char *role = NULL;
  AssayProtecting how;

  secrets.position = made_position (plan, terms->cell, terms->is_tuning, repeat);
  if (terms->is_tuning)
    keyed.trial = 0;
  role = repeat > 0 ? g_strdup_printf ("%sdefense-repeat-%zu", tuning, repeat)
                    : g_strdup_printf ("%sdefense", tuning);
  how = (AssayProtecting){ .settings = component->settings,
                           .stream = assay_plan_stream (plan, &keyed, role, NULL),
                           .common = assay_plan_stream (plan, &keyed, common, NULL),
                           .knowledge = terms->knowledge };
  return terms->known > 0 ? made_protect_known (terms, &how, &secrets, made, error)
                          : assay_step_protect (component->defense, &how, &secrets, &made->release,
                                                &made->truth, error);
}
