/* What a run keeps beside outcomes. */
#include "runner/store/records.h"

#include "core/base/error.h"

/* ---- Audits ---- */

void
assay_audit_record_free (AssayAuditRecord *record)
{
  if (record == NULL)
    return;
  g_free (record->says);
  g_free (record);
}

static char *
audit_key (gsize cell)
{
  return g_strdup_printf ("audit.%zu", cell);
}

gboolean
assay_audit_store (AssayStore *store, gsize cell, const AssayAuditRecord *record, GError **error)
{
  g_autofree char *key = audit_key (cell);
  g_autofree char *text = g_strdup_printf ("%u %d %" G_GUINT64_FORMAT " %s", record->pair,
                                           record->is_swapped, record->trained_on, record->says);

  return assay_store_set (store, key, text, error);
}

gboolean
assay_audit_load (AssayStore *store, gsize cell, AssayAuditRecord **ret_record, GError **error)
{
  g_autofree char *key = audit_key (cell);
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;
  AssayAuditRecord *record;

  if (!assay_store_get (store, key, &text, error))
    return FALSE;
  *ret_record = NULL;
  words = text != NULL ? g_strsplit (text, " ", 4) : NULL;
  if (words == NULL || g_strv_length (words) != 4)
    return TRUE;
  record = g_new0 (AssayAuditRecord, 1);
  record->pair = (guint) g_ascii_strtoull (words[0], NULL, 10);
  record->is_swapped = g_str_equal (words[1], "1");
  record->trained_on = g_ascii_strtoull (words[2], NULL, 10);
  record->says = g_strdup (words[3]);
  *ret_record = record;
  return TRUE;
}

/* ---- Attacks ---- */

gboolean
assay_run_attack_settings (const AssayPlan *plan, AssayStore *store, const AssayCell *cell,
                           const AssaySettings **ret_settings, guint *ret_candidate, GError **error)
{
  const AssayComponent *component = assay_plan_attack_or_utility (plan, cell);
  g_autofree double *estimates = NULL;
  AssayTuning tuning;

  *ret_candidate = 0;
  *ret_settings = component->settings;
  if (component->candidates == NULL)
    return TRUE;
  if (!assay_store_tuning (store, cell, &tuning, error))
    return FALSE;
  estimates = tuning.estimates;
  *ret_candidate = tuning.chosen;
  if (estimates != NULL && tuning.n != component->candidates->len)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "attack %s: the run store has estimates of %u candidates; expected %u",
                       component->label, tuning.n, component->candidates->len);
  *ret_settings = estimates != NULL ? component->candidates->pdata[*ret_candidate] : NULL;
  return TRUE;
}

char *
assay_run_control_key (guint attack, guint candidate)
{
  return g_strdup_printf ("control.%u.%u", attack, candidate);
}

/* ---- Data ---- */

char *
assay_store_dataset_key (guint index)
{
  return g_strdup_printf ("dataset.%u.sha256", index);
}

gboolean
assay_store_dataset (AssayStore *store, guint index, char **ret_sha256, GError **error)
{
  g_autofree char *key = assay_store_dataset_key (index);

  return assay_store_get (store, key, ret_sha256, error);
}
