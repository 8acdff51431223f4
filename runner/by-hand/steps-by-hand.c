/* The three steps by hand. */
#include "runner/by-hand/steps-by-hand.h"

AssaySettings *
assay_by_hand_settings (const AssayPlugin *plugin, const char *const *assignments, const char *from,
                        GError **error)
{
  g_autoptr (AssaySettings) settings
      = assay_settings_new (plugin->parameters, plugin->settings_size);

  for (; assignments != NULL && *assignments != NULL; assignments++) {
    g_auto (GStrv) pair = g_strsplit (*assignments, "=", 2);

    if (g_strv_length (pair) != 2)
      return assay_fail_null (error, ASSAY_ERROR_PARAMETER, "%s%s: '%s': expected SETTING=VALUE",
                              from, plugin->id, *assignments);
    if (!assay_settings_set (settings, g_strstrip (pair[0]), g_strstrip (pair[1]), error))
      return assay_prefix_null (error, "%s%s: ", from, plugin->id);
  }
  return assay_settings_check_complete (settings, error) ? g_steal_pointer (&settings) : NULL;
}

AssayStreamKey
assay_by_hand_stream (guint64 seed, const char *role, const char *name,
                      const AssaySettings *settings)
{
  g_autofree char *canonical = assay_settings_canonical (settings);
  g_autofree char *own = g_strconcat (name, "\n", canonical, NULL);

  return assay_stream_key (seed, 0, role, own);
}

static AssayShape
shape_of (const AssayGranted *granted)
{
  const AssayKnowledge *known = granted->knowledge;

  return (AssayShape){
    .n_secrets = assay_release_count (granted->release),
    .cols = assay_release_cols (granted->release),
    .n_database = known->database != NULL ? assay_rows_count (known->database) : 0,
    .n_public = known->public_rows != NULL ? assay_rows_count (known->public_rows) : 0,
  };
}

gboolean
assay_by_hand_attack (const AssayPlugin *plugin, const AssaySettings *settings,
                      AssayStreamKey stream, const AssayGranted *granted, AssayGuess **ret_guess,
                      GError **error)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  const AssayShape shape = shape_of (granted);

  if (attack == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "attack '%s' plays with the defense itself, not with a release; expected a "
                       "scenario ('assay run')",
                       plugin->id);
  if (plugin->check != NULL && !plugin->check (settings->values, &shape, error))
    return FALSE;
  return assay_step_attack (attack, settings, stream, granted, ret_guess, error);
}

gboolean
assay_by_hand_measure (const AssayMetric *metric, const AssayMetricContext *context,
                       const AssayTruth *truth, const AssayGuess *guess, AssayPool *ret_pool,
                       GError **error)
{
  const AssayArray *groups = assay_arrays_get (&truth->arrays, "groups");
  AssayOutcomes outcomes = { 0 };
  gboolean is_ok;

  if (!assay_step_measure (metric, context, truth, guess, &outcomes, error))
    return FALSE;
  is_ok = assay_pool_fill_one (ret_pool, &metric->measuring, &outcomes, assay_truth_groups (truth),
                               groups != NULL ? groups->shape[0] : 0, error);
  if (!is_ok)
    assay_pool_clear (ret_pool);
  assay_outcomes_clear (&outcomes);
  return is_ok;
}

void
assay_by_hand_write (AssayJson *json, const AssayMeasure *measure, const AssayInterval *interval,
                     double confidence, const AssaySettings *settings)
{
  assay_json_write (json, "{measure %s estimate %g lower %g upper %g confidence %g n %zu",
                    measure->name, interval->estimate, interval->lower, interval->upper, confidence,
                    interval->n);
  assay_json_write (json, "method %s unit %s settings", interval->method, measure->unit);
  assay_json_settings (json, settings);
  assay_json_end_object (json);
}
