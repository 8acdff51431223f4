/* From a group of a scenario to the parts of a plan. */
#include "runner/plan/component.h"

#include <string.h>

#include "core/base/text.h"
#include "core/plugin/registry.h"

#define TUNE_PREFIX "tune."
/* More combinations than this in one group are a mistake in a list. */
#define MAX_COMBINATIONS 100000

static const char *const attack_keys[] = { "plugin", "grants", "tune_measure", NULL };
static const char *const other_keys[] = { "plugin", NULL };

/* The plugin that the group names; a metric's label is its plugin unless it says otherwise. */
static const AssayPlugin *
find_plugin (const AssayScenario *scenario, const AssayGroup *group, AssayPluginType type,
             GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "plugin");
  const char *id = entry != NULL ? entry->value : group->label;
  const AssayPlugin *plugin;

  if (entry == NULL && type != ASSAY_PLUGIN_METRIC) {
    assay_fail (error, ASSAY_ERROR_SCENARIO, "'plugin' is missing; 'assay list %ss' shows all",
                assay_plugin_type_name (type));
    assay_scenario_blame (scenario, group, NULL, error);
    return NULL;
  }
  plugin = assay_registry_find (type, id, error);
  if (plugin == NULL)
    assay_scenario_blame (scenario, group, entry, error);
  return plugin;
}

/* One swept key: the values that it takes. */
typedef struct {
  const AssayEntry *entry;
  const char *name; /* the setting's */
  GStrv values;
} Axis;

static void
axis_clear (gpointer data)
{
  g_strfreev (((Axis *) data)->values);
}

/* A key that is neither the group's own nor a setting of its plugin. Where nothing is like it, all
 * are named. */
static gboolean
fail_unknown_key (const AssayPlugin *plugin, const char *key, const char *const *own,
                  const char *const *reserved, gboolean is_tuning, GError **error)
{
  const char *const *const lists[] = { own, reserved };
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *hint = NULL;
  g_autofree char *all = NULL;

  for (const AssayParam *param = plugin->parameters; param != NULL && param->name != NULL; param++)
    g_ptr_array_add (names, g_strconcat (is_tuning ? TUNE_PREFIX : "", param->name, NULL));
  for (guint l = 0; !is_tuning && l < G_N_ELEMENTS (lists); l++)
    for (guint i = 0; lists[l][i] != NULL; i++)
      g_ptr_array_add (names, g_strdup (lists[l][i]));
  g_ptr_array_add (names, NULL);
  hint = assay_text_did_you_mean (key, (const char *const *) names->pdata);
  all = g_strjoinv (", ", (char **) names->pdata);
  if (*hint == '\0' && *all != '\0')
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "unknown key '%s'; expected one of %s", key,
                       all);
  return assay_fail (error, ASSAY_ERROR_SCENARIO, "unknown key '%s'%s", key, hint);
}

/* The group's settings (or, with @is_tuning, its tune.KEY) as axes. */
static GArray *
collect_axes (const AssayScenario *scenario, const AssayGroup *group, const AssayPlugin *plugin,
              const char *const *own, const char *const *reserved, gboolean is_tuning,
              GError **error)
{
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (Axis));

  g_array_set_clear_func (axes, axis_clear);
  ASSAY_FOR_EACH (const AssayEntry, entry, group->entries) {
    const gboolean is_tune = g_str_has_prefix (entry->key, TUNE_PREFIX);
    const char *name = is_tune ? entry->key + strlen (TUNE_PREFIX) : entry->key;
    g_autoptr (AssaySettings) probe = NULL;
    Axis axis;

    if (is_tune != is_tuning)
      continue;
    if (!is_tune && (g_strv_contains (own, name) || g_strv_contains (reserved, name)))
      continue;
    if (!assay_param_exists (plugin->parameters, name)) {
      fail_unknown_key (plugin, entry->key, own, reserved, is_tuning, error);
      assay_scenario_blame (scenario, group, entry, error);
      return NULL;
    }
    axis = (Axis){ entry, name, assay_entry_list (entry, error) };
    if (axis.values == NULL) {
      assay_scenario_blame (scenario, group, entry, error);
      return NULL;
    }
    g_array_append_val (axes, axis);
    probe = assay_settings_new (plugin->parameters, plugin->settings_size);
    for (guint v = 0; axis.values[v] != NULL; v++)
      if (!assay_settings_set (probe, name, axis.values[v], error)) {
        assay_scenario_blame (scenario, group, entry, error);
        return NULL;
      }
  }
  return g_steal_pointer (&axes);
}

/* "4; 04" and "yes; true" are one setting twice: its cells would be counted twice. */
static gboolean
check_distinct (const GPtrArray *all, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < all->len; i++) {
    char *canonical = assay_settings_canonical (all->pdata[i]);

    if (!g_hash_table_add (seen, canonical))
      return assay_fail (error, ASSAY_ERROR_SCENARIO,
                         "a list holds the same value twice, written in two ways");
  }
  return TRUE;
}

/* Every combination of the axes on top of @base; the last axis varies fastest. */
static GPtrArray *
multiply_out (const AssaySettings *base, const GArray *axes, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_settings_free);
  gsize count = 1;

  for (guint a = 0; a < axes->len; a++) {
    count *= g_strv_length (g_array_index (axes, Axis, a).values);
    if (count > MAX_COMBINATIONS) {
      assay_fail (error, ASSAY_ERROR_SCENARIO, "more than %d combinations of settings",
                  MAX_COMBINATIONS);
      return NULL;
    }
  }
  for (gsize i = 0; i < count; i++) {
    AssaySettings *settings = assay_settings_copy (base);
    gsize rest = i;

    g_ptr_array_add (all, settings);
    for (guint a = axes->len; a > 0; a--) {
      const Axis *axis = &g_array_index (axes, Axis, a - 1);
      const gsize length = g_strv_length (axis->values);

      if (!assay_settings_set (settings, axis->name, axis->values[rest % length], error))
        return NULL;
      rest /= length;
    }
  }
  return check_distinct (all, error) ? g_steal_pointer (&all) : NULL;
}

static gboolean
parse_grants (const AssayScenario *scenario, const AssayGroup *group, guint *ret_grants,
              GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "grants");
  g_auto (GStrv) values = NULL;
  guint grants = 0;

  if (entry == NULL)
    return TRUE;
  values = assay_entry_list (entry, error);
  if (values == NULL)
    return assay_scenario_blame (scenario, group, entry, error);
  for (guint v = 0; values[v] != NULL; v++) {
    guint bit = 0;

    while (assay_grant_names[bit] != NULL && !g_str_equal (assay_grant_names[bit], values[v]))
      bit++;
    if (assay_grant_names[bit] == NULL) {
      g_autofree char *hint = assay_text_did_you_mean (values[v], assay_grant_names);
      g_autofree char *all = g_strjoinv (", ", (char **) assay_grant_names);

      assay_fail (error, ASSAY_ERROR_PARAMETER, "unknown grant '%s'%s; expected some of %s",
                  values[v], hint, all);
      return assay_scenario_blame (scenario, group, entry, error);
    }
    grants |= 1u << bit;
  }
  *ret_grants = grants;
  return TRUE;
}

/* Measures of guesses: an audit chooses its event itself. */
static gboolean
is_known_measure (const char *name)
{
  for (guint i = 0; assay_metrics[i] != NULL; i++)
    for (const AssayMeasure *measure = assay_metrics[i]->measures; measure->name != NULL; measure++)
      if (assay_metrics[i]->measure != NULL && g_str_equal (measure->name, name))
        return TRUE;
  return FALSE;
}

/* tune_measure, which stands exactly where something is tuned. */
static gboolean
parse_tune_measure (const AssayScenario *scenario, const AssayGroup *group, gboolean is_tuned,
                    char **ret_measure, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "tune_measure");

  if (!is_tuned && entry != NULL) {
    assay_fail (error, ASSAY_ERROR_SCENARIO, "nothing is tuned; expected tune.SETTING = a; b; c");
    return assay_scenario_blame (scenario, group, entry, error);
  }
  if (!is_tuned)
    return TRUE;
  if (entry == NULL) {
    assay_fail (error, ASSAY_ERROR_SCENARIO,
                "'tune_measure' is missing: the measure by which a setting is chosen");
    return assay_scenario_blame (scenario, group, NULL, error);
  }
  if (!is_known_measure (entry->value)) {
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    g_autofree char *hint = NULL;
    g_autofree char *all = NULL;

    for (guint i = 0; assay_metrics[i] != NULL; i++)
      for (const AssayMeasure *m = assay_metrics[i]->measures; m->name != NULL; m++)
        if (assay_metrics[i]->measure != NULL)
          g_ptr_array_add (names, (gpointer) m->name);
    g_ptr_array_add (names, NULL);
    hint = assay_text_did_you_mean (entry->value, (const char *const *) names->pdata);
    all = g_strjoinv (", ", (char **) names->pdata);
    assay_fail (error, ASSAY_ERROR_PARAMETER, "unknown measure '%s'%s; expected one of %s",
                entry->value, hint, all);
    return assay_scenario_blame (scenario, group, entry, error);
  }
  *ret_measure = g_strdup (entry->value);
  return TRUE;
}

static char *
canonical_part (const AssayComponent *component)
{
  g_autofree char *settings = assay_settings_canonical (component->settings);
  g_autofree char *grants = assay_grants_describe (component->grants);

  return g_strdup_printf ("%s\n%s\n%sgrants=%s\ntuned=%s by %s\n", component->label,
                          component->plugin->id, settings, grants,
                          component->tuned_keys != NULL ? component->tuned_keys : "",
                          component->tune_measure != NULL ? component->tune_measure : "");
}

/* "neighbours=100;1000 averaged=3;10" */
static char *
describe_axes (const GArray *axes)
{
  GString *text = g_string_new (NULL);

  for (guint a = 0; a < axes->len; a++) {
    const Axis *axis = &g_array_index (axes, Axis, a);
    g_autofree char *values = g_strjoinv (";", axis->values);

    g_string_append_printf (text, "%s%s=%s", a > 0 ? " " : "", axis->name, values);
  }
  return g_string_free (text, FALSE);
}

/* A setting that is both given and tuned contradicts itself. */
static gboolean
check_disjoint (const AssayScenario *scenario, const AssayGroup *group, const GArray *axes,
                const GArray *tuned, GError **error)
{
  for (guint t = 0; t < tuned->len; t++)
    for (guint a = 0; a < axes->len; a++)
      if (g_str_equal (g_array_index (axes, Axis, a).name, g_array_index (tuned, Axis, t).name)) {
        const AssayEntry *entry = g_array_index (tuned, Axis, t).entry;

        assay_fail (error, ASSAY_ERROR_SCENARIO,
                    "%s: the setting is also given a value in this group", entry->key);
        return assay_scenario_blame (scenario, group, entry, error);
      }
  return TRUE;
}

/* Every setting at its default, for a scenario that stands in a folder. */
static AssaySettings *
new_settings (const AssayScenario *scenario, const AssayPlugin *plugin)
{
  AssaySettings *settings = assay_settings_new (plugin->parameters, plugin->settings_size);
  g_autofree char *folder = g_path_get_dirname (scenario->path);

  if (plugin->external != NULL && plugin->external->locate != NULL)
    plugin->external->locate (settings->values, folder);
  return settings;
}

static gboolean
add_parts (const AssayScenario *scenario, const AssayGroup *group, const AssayPlugin *plugin,
           const GArray *axes, const GArray *tuned, guint grants, const char *tune_measure,
           GPtrArray *ret_components, GError **error)
{
  g_autoptr (AssaySettings) defaults = new_settings (scenario, plugin);
  g_autoptr (GPtrArray) all = multiply_out (defaults, axes, error);

  if (all == NULL)
    return FALSE;
  for (guint i = 0; i < all->len; i++) {
    AssayComponent *component = g_new0 (AssayComponent, 1);

    g_ptr_array_add (ret_components, component);
    component->label = g_strdup (group->label);
    component->plugin = plugin;
    component->line = group->line;
    component->grants = grants;
    component->settings = assay_settings_copy (all->pdata[i]);
    if (tuned->len > 0) {
      component->candidates = multiply_out (component->settings, tuned, error);
      if (component->candidates == NULL)
        return FALSE;
      component->tuned_keys = describe_axes (tuned);
      component->tune_measure = g_strdup (tune_measure);
    }
    component->canonical = canonical_part (component);
    if (!assay_settings_check_complete (component->settings, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
assay_component_from_group (const AssayScenario *scenario, const AssayGroup *group,
                            AssayPluginType type, const char *const *reserved,
                            GPtrArray *ret_components, GError **error)
{
  const gboolean is_attack = type == ASSAY_PLUGIN_ATTACK;
  const char *const *own = is_attack ? attack_keys : other_keys;
  const AssayPlugin *plugin = find_plugin (scenario, group, type, error);
  g_autoptr (GArray) axes = NULL;
  g_autoptr (GArray) tuned = NULL;
  g_autofree char *tune_measure = NULL;
  guint grants = 0;

  if (plugin == NULL)
    return FALSE;
  axes = collect_axes (scenario, group, plugin, own, reserved, FALSE, error);
  if (axes == NULL)
    return FALSE;
  tuned = collect_axes (scenario, group, plugin, own, reserved, TRUE, error);
  if (tuned == NULL)
    return FALSE;
  if (!is_attack && tuned->len > 0) {
    assay_fail (error, ASSAY_ERROR_SCENARIO, "only settings of an attack can be tuned");
    return assay_scenario_blame (scenario, group, g_array_index (tuned, Axis, 0).entry, error);
  }
  if (is_attack
      && (!parse_grants (scenario, group, &grants, error)
          || !parse_tune_measure (scenario, group, tuned->len > 0, &tune_measure, error)
          || !check_disjoint (scenario, group, axes, tuned, error)))
    return FALSE;
  if (!add_parts (scenario, group, plugin, axes, tuned, grants, tune_measure, ret_components,
                  error))
    return assay_scenario_blame (scenario, group, NULL, error);
  return TRUE;
}

/* ---- Names ---- */

/* Whether @param differs among the parts @first to @end - 1. */
static gboolean
varies (const GPtrArray *components, guint first, guint end, const AssayParam *param)
{
  g_autofree char *value
      = assay_settings_get (assay_plan_component (components, first)->settings, param);

  for (guint i = first + 1; i < end; i++) {
    g_autofree char *other
        = assay_settings_get (assay_plan_component (components, i)->settings, param);

    if (!g_str_equal (other, value))
      return TRUE;
  }
  return FALSE;
}

/* The parts @first to @end - 1 are those of one group. */
static void
set_names (GPtrArray *components, guint first, guint end)
{
  const AssayComponent *one = assay_plan_component (components, first);

  for (guint i = first; i < end; i++) {
    AssayComponent *component = components->pdata[i];

    component->name = g_strdup (component->label);
  }
  for (const AssayParam *param = one->settings->table; param != NULL && param->name != NULL;
       param++) {
    if (!varies (components, first, end, param))
      continue;
    for (guint i = first; i < end; i++) {
      AssayComponent *component = components->pdata[i];
      g_autofree char *value = assay_settings_get (component->settings, param);
      char *longer = g_strdup_printf ("%s %s=%s", component->name, param->name, value);

      g_free (component->name);
      component->name = longer;
    }
  }
}

void
assay_component_set_names (GPtrArray *components)
{
  guint first = 0;

  for (guint end = 1; end <= components->len; end++)
    if (end == components->len
        || !g_str_equal (assay_plan_component (components, end)->label,
                         assay_plan_component (components, first)->label)) {
      set_names (components, first, end);
      first = end;
    }
}
