/* From a group of a scenario to the components of a plan. */
#include "runner/plan/component.h"

#include <string.h>

#include "core/base/text.h"
#include "core/plugin/registry.h"
#include "runner/plan/own-rows.h"

#define TUNE_PREFIX "tune."
/* Of a program's text of settings, NAME=VALUE: set.NAME = VALUE. */
#define NAMED_PREFIX "set."
#define NAMED_IN "settings"
/* More combinations than this in one group are a mistake in a list. */
#define MAX_COMBINATIONS 100000

static const char *const attack_keys[]
    = { "plugin",     "grants",         "where",          "tune_measure",   "pairs",
        "known_rows", "mechanism_runs", "mechanism_rows", "mechanism_time", NULL };
static const char *const other_keys[] = { "plugin", NULL };

/* What the components of a group are made of. */
typedef struct {
  const AssayGroup *group;
  const AssayPlugin *plugin;
  const char *const *own;      /* keys of every such group */
  const char *const *reserved; /* keys that are left to the caller */
  GArray *axes, *tuned;        /* Axis: of settings, of tune.SETTING */
  guint grants;
  AssayOwnTerms terms;
  const char *tune_measure;
} Source;

/* One swept key: the values that it takes. */
typedef struct {
  const AssayEntry *entry;
  const char *name;  /* the setting's */
  gboolean is_named; /* ... in the text of settings */
  GStrv values;
} Axis;

static ASSAY_CLEAR_FUNC (Axis, axis_clear, g_strfreev (self->values))

ASSAY_LOCAL_CLEAR (Source, source_clear, g_array_unref (self->axes), g_array_unref (self->tuned),
                   assay_own_terms_clear (&self->terms))

/* The plugin that the group names; a metric's label is its plugin unless it says otherwise. */
static gboolean
find_plugin (Source *source, AssayPluginType type, GError **error)
{
  const AssayGroup *group = source->group;
  const AssayEntry *entry = assay_group_find (group, "plugin");

  if (entry == NULL && type != ASSAY_PLUGIN_METRIC && type != ASSAY_PLUGIN_UTILITY)
    return assay_group_fail (group, NULL, error, ASSAY_ERROR_SCENARIO,
                             "'plugin' is missing; 'assay list %ss' shows all",
                             assay_plugin_type_name (type));
  source->plugin = assay_registry_find (type, entry != NULL ? entry->value : group->label, error);
  return source->plugin != NULL || assay_group_blame (group, entry, error);
}

/* A key that is neither the group's own nor a setting of its plugin. Where nothing is like it, all
 * are named. */
static gboolean
fail_unknown_key (const Source *source, const AssayEntry *entry, gboolean is_tuning, GError **error)
{
  const char *const *const lists[] = { source->own, source->reserved };
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *hint = NULL;
  g_autofree char *all = NULL;

  ASSAY_FOR_EACH_PARAM (param, source->plugin->parameters)
    g_ptr_array_add (names, g_strconcat (is_tuning ? TUNE_PREFIX : "", param->name, NULL));
  for (guint l = 0; !is_tuning && l < G_N_ELEMENTS (lists); l++)
    for (guint i = 0; lists[l][i] != NULL; i++)
      g_ptr_array_add (names, g_strdup (lists[l][i]));
  hint = assay_names_hint (names, entry->key);
  if (*hint == '\0' && !is_tuning && assay_param_exists (source->plugin->parameters, NAMED_IN))
    return assay_group_fail (source->group, entry, error, ASSAY_ERROR_SCENARIO,
                             "unknown key '%s'; a setting of the program's own is "
                             NAMED_PREFIX "%s, which it gets as request[\"set\"]; 'assay describe "
                             "%s' shows the others",
                             entry->key, entry->key, source->plugin->id);
  all = g_strjoinv (", ", (char **) names->pdata);
  if (*hint == '\0' && *all != '\0')
    return assay_group_fail (source->group, entry, error, ASSAY_ERROR_SCENARIO,
                             "unknown key '%s'; expected one of %s", entry->key, all);
  return assay_group_fail (source->group, entry, error, ASSAY_ERROR_SCENARIO, "unknown key '%s'%s",
                           entry->key, hint);
}

/* Words of a text cannot hold what stands between them. */
static gboolean
check_named (const Source *source, const AssayEntry *entry, const char *name, char **values,
             GError **error)
{
  const char *const *const all[]
      = { (const char *const[]){ name, NULL }, (const char *const *) values };

  for (guint l = 0; l < G_N_ELEMENTS (all); l++)
    for (guint i = 0; all[l][i] != NULL; i++)
      if (all[l][i][0] == '\0' || strpbrk (all[l][i], " \t=") != NULL)
        return assay_group_fail (source->group, entry, error, ASSAY_ERROR_SCENARIO,
                                 "'%s': expected a name and values without blanks and '=', which "
                                 "stand between them in the program's settings",
                                 all[l][i]);
  return TRUE;
}

/* Adds the key set.@name with its values, each of which is a word of the text of settings. */
static gboolean
add_named (const Source *source, const AssayEntry *entry, const char *name, GArray *axes,
           GError **error)
{
  const Axis axis = { entry, name, TRUE, assay_entry_list (entry, error) };

  if (axis.values == NULL)
    return assay_group_blame (source->group, entry, error);
  g_array_append_val (axes, axis);
  return check_named (source, entry, name, axis.values, error);
}

static gboolean
is_named (const Source *source, const AssayEntry *entry)
{
  return g_str_has_prefix (entry->key, NAMED_PREFIX)
         && assay_param_exists (source->plugin->parameters, NAMED_IN);
}

/* Adds the key of a setting @name with its values, each of which must be one that it can have. */
static gboolean
add_axis (const Source *source, const AssayEntry *entry, const char *name, GArray *axes,
          GError **error)
{
  const AssayPlugin *plugin = source->plugin;
  g_autoptr (AssaySettings) probe = assay_settings_new (plugin->parameters, plugin->settings_size);
  const Axis axis = { entry, name, FALSE, assay_entry_list (entry, error) };

  if (axis.values == NULL)
    return assay_group_blame (source->group, entry, error);
  g_array_append_val (axes, axis);
  for (guint v = 0; axis.values[v] != NULL; v++)
    if (!assay_settings_set (probe, name, axis.values[v], error))
      return assay_group_blame (source->group, entry, error);
  return TRUE;
}

/* Whether @name is a key of every such group: a plugin's setting of that name is the plugin's. */
static gboolean
is_of_group (const Source *source, const char *name)
{
  return (g_strv_contains (source->own, name) || g_strv_contains (source->reserved, name))
         && !assay_param_exists (source->plugin->parameters, name);
}

/* The group's settings or, with @is_tuning, its tune.SETTING. */
static gboolean
collect_axes (const Source *source, gboolean is_tuning, GArray *axes, GError **error)
{
  ASSAY_FOR_EACH (const AssayEntry, entry, source->group->entries) {
    const gboolean is_tune = g_str_has_prefix (entry->key, TUNE_PREFIX);
    const char *name = is_tune ? entry->key + strlen (TUNE_PREFIX) : entry->key;

    if (is_tune != is_tuning || (!is_tune && is_of_group (source, name)))
      continue;
    if (!is_tuning && is_named (source, entry)) {
      if (!add_named (source, entry, entry->key + strlen (NAMED_PREFIX), axes, error))
        return FALSE;
    } else if (assay_param_exists (source->plugin->parameters, name)
                   ? !add_axis (source, entry, name, axes, error)
                   : !fail_unknown_key (source, entry, is_tuning, error)) {
      return FALSE;
    }
  }
  return TRUE;
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

/* Adds "NAME=VALUE" to the text of settings. */
static gboolean
append_named (AssaySettings *settings, const char *name, const char *value, GError **error)
{
  const AssayParam *param = assay_param_find (settings->table, NAMED_IN);
  g_autofree char *before = assay_settings_get (settings, param);
  g_autofree char *text
      = g_strdup_printf ("%s%s%s=%s", before, *before != '\0' ? " " : "", name, value);

  return assay_settings_set (settings, NAMED_IN, text, error);
}

/* The place of each axis' value in combination @i. */
static void
find_places (const GArray *axes, gsize i, gsize *ret_places)
{
  for (guint a = axes->len; a > 0; a--) {
    const gsize length = g_strv_length (g_array_index (axes, Axis, a - 1).values);

    ret_places[a - 1] = i % length;
    i /= length;
  }
}

/* Every combination of the axes on top of @base; the last axis varies fastest. What is named comes
 * behind the text that other settings give. */
static GPtrArray *
multiply_out (const AssaySettings *base, const GArray *axes, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_settings_free);
  g_autofree gsize *places = g_new (gsize, axes->len + 1);
  gsize count = 1;

  for (guint a = 0; a < axes->len; a++) {
    count *= g_strv_length (g_array_index (axes, Axis, a).values);
    if (count > MAX_COMBINATIONS)
      return assay_fail_null (error, ASSAY_ERROR_SCENARIO, "more than %d combinations of settings",
                              MAX_COMBINATIONS);
  }
  for (gsize i = 0; i < count; i++) {
    AssaySettings *settings = assay_settings_copy (base);

    g_ptr_array_add (all, settings);
    find_places (axes, i, places);
    for (guint pass = 0; pass < 2; pass++)
      for (guint a = 0; a < axes->len; a++) {
        const Axis *axis = &g_array_index (axes, Axis, a);
        const char *value = axis->values[places[a]];

        if (axis->is_named == (pass == 1)
            && !(axis->is_named ? append_named (settings, axis->name, value, error)
                                : assay_settings_set (settings, axis->name, value, error)))
          return NULL;
      }
  }
  return check_distinct (all, error) ? g_steal_pointer (&all) : NULL;
}

static gboolean
parse_grants (Source *source, GError **error)
{
  const AssayEntry *entry = assay_group_find (source->group, "grants");
  g_auto (GStrv) values = entry != NULL ? assay_entry_list (entry, error) : NULL;

  if (values == NULL)
    return entry == NULL || assay_group_blame (source->group, entry, error);
  for (guint v = 0; values[v] != NULL; v++) {
    guint grant = 0;

    if (!assay_grant_named (values[v], &grant)) {
      g_autofree char *hint = assay_text_did_you_mean (values[v], assay_grant_names);
      g_autofree char *all = g_strjoinv (", ", (char **) assay_grant_names);

      return assay_group_fail (source->group, entry, error, ASSAY_ERROR_PARAMETER,
                               "unknown grant '%s'%s; expected some of %s", values[v], hint, all);
    }
    source->grants |= grant;
  }
  return TRUE;
}

/* That the measure is one of guesses: an audit chooses its event itself. */
static gboolean
check_measure (const AssayGroup *group, const AssayEntry *entry, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;
  g_autofree char *all = NULL;

  for (guint i = 0; assay_metrics[i] != NULL; i++)
    for (const AssayMeasure *m = assay_metrics[i]->measures; m->name != NULL; m++)
      if (assay_metrics[i]->measure != NULL)
        g_ptr_array_add (names, (gpointer) m->name);
  if (assay_names_have (names, entry->value))
    return TRUE;
  hint = assay_names_hint (names, entry->value);
  all = g_strjoinv (", ", (char **) names->pdata);
  return assay_group_fail (group, entry, error, ASSAY_ERROR_PARAMETER,
                           "unknown measure '%s'%s; expected one of %s", entry->value, hint, all);
}

/* tune_measure, which stands exactly where something is tuned. */
static gboolean
parse_tune_measure (Source *source, GError **error)
{
  const AssayEntry *entry = assay_group_find (source->group, "tune_measure");
  const gboolean is_tuned = source->tuned->len > 0;

  if (entry == NULL)
    return !is_tuned
           || assay_group_fail (source->group, NULL, error, ASSAY_ERROR_SCENARIO,
                                "'tune_measure' is missing: the measure by which a setting is "
                                "chosen");
  source->tune_measure = entry->value;
  return is_tuned ? check_measure (source->group, entry, error)
                  : assay_group_fail (source->group, entry, error, ASSAY_ERROR_SCENARIO,
                                      "nothing is tuned; expected tune.SETTING = a; b; c");
}

static char *
canonical_text (const AssayComponent *component)
{
  g_autofree char *settings = assay_settings_canonical (component->settings);
  g_autofree char *grants = assay_grants_describe (component->grants);
  g_autofree char *own = assay_own_terms_canonical (&component->own, component->grants);

  return g_strdup_printf ("%s\n%s\n%sgrants=%s\n%stuned=%s by %s\n", component->label,
                          component->plugin->id, settings, grants, own,
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
check_disjoint (const Source *source, GError **error)
{
  for (guint t = 0; t < source->tuned->len; t++)
    for (guint a = 0; a < source->axes->len; a++) {
      const Axis *tuned = &g_array_index (source->tuned, Axis, t);

      if (g_str_equal (g_array_index (source->axes, Axis, a).name, tuned->name))
        return assay_group_fail (source->group, tuned->entry, error, ASSAY_ERROR_SCENARIO,
                                 "%s: the setting is also given a value in this group",
                                 tuned->entry->key);
    }
  return TRUE;
}

/* Every setting at its default, for a scenario that stands in a folder. */
static AssaySettings *
new_settings (const AssayScenario *scenario, const AssayPlugin *plugin)
{
  AssaySettings *settings = assay_settings_new (plugin->parameters, plugin->settings_size);
  g_autofree char *folder = g_path_get_dirname (scenario->path);
  const AssayExternal *external = assay_plugin_external (plugin);

  if (external != NULL && external->locate != NULL)
    external->locate (settings->values, folder);
  return settings;
}

static gboolean
add_components (const Source *source, GPtrArray *ret_components, GError **error)
{
  g_autoptr (AssaySettings) defaults = new_settings (source->group->scenario, source->plugin);
  g_autoptr (GPtrArray) all = multiply_out (defaults, source->axes, error);

  if (all == NULL)
    return FALSE;
  ASSAY_FOR_EACH (const AssaySettings, settings, all) {
    AssayComponent *component = assay_component_new (
        source->group->kind, source->group->label, source->plugin, assay_settings_copy (settings));

    g_ptr_array_add (ret_components, component);
    component->line = source->group->line;
    component->grants = source->grants;
    component->own = assay_own_terms_copy (&source->terms);
    if (source->tuned->len > 0) {
      component->candidates = multiply_out (settings, source->tuned, error);
      if (component->candidates == NULL)
        return FALSE;
      component->tuned_keys = describe_axes (source->tuned);
      component->tune_measure = g_strdup (source->tune_measure);
    }
    component->canonical = canonical_text (component);
    if (!assay_settings_check_complete (settings, error))
      return FALSE;
  }
  return TRUE;
}

static GArray *
new_axes (void)
{
  GArray *axes = g_array_new (FALSE, FALSE, sizeof (Axis));

  g_array_set_clear_func (axes, (GDestroyNotify) axis_clear);
  return axes;
}

gboolean
assay_component_from_group (const AssayGroup *group, AssayPluginType type,
                            const char *const *reserved, GPtrArray *ret_components, GError **error)
{
  const gboolean is_attack = type == ASSAY_PLUGIN_ATTACK;
  g_auto (Source) source = { .group = group,
                             .own = is_attack ? attack_keys : other_keys,
                             .reserved = reserved,
                             .axes = new_axes (),
                             .tuned = new_axes () };

  if (!find_plugin (&source, type, error) || !collect_axes (&source, FALSE, source.axes, error)
      || !collect_axes (&source, TRUE, source.tuned, error))
    return FALSE;
  if (!is_attack && source.tuned->len > 0)
    return assay_group_fail (group, g_array_index (source.tuned, Axis, 0).entry, error,
                             ASSAY_ERROR_SCENARIO, "only settings of an attack can be tuned");
  if (is_attack
      && (!parse_grants (&source, error)
          || !assay_own_rows_parse (group, source.plugin, source.grants, &source.terms, error)
          || !parse_tune_measure (&source, error) || !check_disjoint (&source, error)))
    return FALSE;
  return add_components (&source, ret_components, error) || assay_group_blame (group, NULL, error);
}

/* ---- Names ---- */

/* Whether @param differs among the components @first to @end - 1. */
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

/* The components @first to @end - 1 are those of one group. */
static void
set_names (GPtrArray *components, guint first, guint end)
{
  const AssayComponent *one = assay_plan_component (components, first);

  for (guint i = first; i < end; i++) {
    AssayComponent *component = components->pdata[i];

    component->name = g_strdup (component->label);
  }
  ASSAY_FOR_EACH_PARAM (param, one->settings->table) {
    if (!varies (components, first, end, param))
      continue;
    for (guint i = first; i < end; i++) {
      AssayComponent *component = components->pdata[i];
      g_autofree char *value = assay_settings_get (component->settings, param);
      g_autofree char *plain = assay_text_plain (value);
      char *longer = g_strdup_printf ("%s %s=%s", component->name, param->name, plain);

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
