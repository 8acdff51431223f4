/* Reading keys of a group that are not a plugin's settings. */
#include "runner/plan/group.h"

#include "core/base/error.h"
#include "core/base/text.h"

gboolean
assay_group_check_keys (const AssayScenario *scenario, const AssayGroup *group,
                        const char *const *keys, GError **error)
{
  ASSAY_FOR_EACH (const AssayEntry, entry, group->entries) {
    g_autofree char *hint = NULL;

    if (g_strv_contains (keys, entry->key))
      continue;
    hint = assay_text_did_you_mean (entry->key, keys);
    assay_fail (error, ASSAY_ERROR_SCENARIO, "unknown key '%s'%s", entry->key, hint);
    return assay_scenario_blame (scenario, group, entry, error);
  }
  return TRUE;
}

gboolean
assay_group_text (const AssayScenario *scenario, const AssayGroup *group, const char *key,
                  char **ret_text, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, key);

  *ret_text = entry != NULL ? assay_entry_text (entry, error) : NULL;
  return entry == NULL || *ret_text != NULL || assay_scenario_blame (scenario, group, entry, error);
}

gboolean
assay_group_integer (const AssayScenario *scenario, const AssayGroup *group, const char *key,
                     gint64 low, gint64 high, gint64 *inout_value, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, key);
  gint64 value;

  if (entry == NULL)
    return TRUE;
  if (!assay_text_to_int (entry->value, &value) || value < low || value > high) {
    assay_fail (error, ASSAY_ERROR_PARAMETER,
                "%s = '%s': expected a whole number, %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                key, entry->value, low, high);
    return assay_scenario_blame (scenario, group, entry, error);
  }
  *inout_value = value;
  return TRUE;
}

gboolean
assay_group_confidence (const AssayScenario *scenario, const AssayGroup *group,
                        double *inout_value, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "confidence");
  double value;

  if (entry == NULL)
    return TRUE;
  if (!assay_text_to_double (entry->value, &value) || value < 0.5 || value > 0.999999) {
    assay_fail (error, ASSAY_ERROR_PARAMETER,
                "confidence = '%s': expected a number, 0.5 to 0.999999", entry->value);
    return assay_scenario_blame (scenario, group, entry, error);
  }
  *inout_value = value;
  return TRUE;
}
