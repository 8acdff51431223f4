/* Looking up plugins by type and id, and adding to them. */
#include "core/plugin/registry.h"

#include <string.h>

#include "core/base/text.h"

static const char *const type_names[] = {
  [ASSAY_PLUGIN_DEFENSE] = "defense",
  [ASSAY_PLUGIN_ATTACK] = "attack",
  [ASSAY_PLUGIN_METRIC] = "metric",
  [ASSAY_PLUGIN_DATASET] = "dataset",
};

/* Of plugins that were loaded, which never go: where they came from (AssayPluginOrigin), and the
 * lists with them, NULL for types of which none was loaded. */
static GHashTable *origins;
static GPtrArray *longer[ASSAY_PLUGIN_DATASET + 1];

const char *
assay_plugin_type_name (AssayPluginType type)
{
  return type_names[type];
}

/* Each descriptor begins with the members of AssayPlugin, so a table of descriptors reads as a
 * table of plugins. */
const AssayPlugin *const *
assay_registry_list (AssayPluginType type)
{
  switch (type) {
  case ASSAY_PLUGIN_DEFENSE:
    return (const AssayPlugin *const *) assay_defenses;
  case ASSAY_PLUGIN_ATTACK:
    return (const AssayPlugin *const *) assay_attacks;
  case ASSAY_PLUGIN_METRIC:
    return (const AssayPlugin *const *) assay_metrics;
  case ASSAY_PLUGIN_DATASET:
    break;
  }
  return (const AssayPlugin *const *) assay_datasets;
}

const AssayPlugin *
assay_registry_find (AssayPluginType type, const char *id, GError **error)
{
  const AssayPlugin *const *list = assay_registry_list (type);
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  for (guint i = 0; list[i] != NULL; i++) {
    if (g_str_equal (list[i]->id, id))
      return list[i];
    g_ptr_array_add (ids, (gpointer) list[i]->id);
  }
  g_ptr_array_add (ids, NULL);
  hint = assay_text_did_you_mean (id, (const char *const *) ids->pdata);
  assay_fail (error, ASSAY_ERROR_UNKNOWN_PLUGIN, "unknown %s '%s'%s; 'assay list %ss' shows all",
              type_names[type], id, hint, type_names[type]);
  return NULL;
}

/* Of what is there when it is first asked for, which loading comes before. */
const AssayArraySpec *const *
assay_registry_guess_arrays (void)
{
  static GPtrArray *lists;

  if (g_once_init_enter (&lists)) {
    GPtrArray *found = g_ptr_array_new ();

    for (guint i = 0; assay_attacks[i] != NULL; i++)
      if (assay_attacks[i]->writes != NULL
          && !g_ptr_array_find (found, assay_attacks[i]->writes, NULL))
        g_ptr_array_add (found, (gpointer) assay_attacks[i]->writes);
    g_ptr_array_add (found, NULL);
    g_once_init_leave (&lists, found);
  }
  return (const AssayArraySpec *const *) lists->pdata;
}

/* ---- What was loaded ---- */

const AssayPluginOrigin *
assay_registry_origin (const AssayPlugin *plugin)
{
  return origins != NULL ? g_hash_table_lookup (origins, plugin) : NULL;
}

gboolean
assay_metric_on_request (const AssayMetric *metric)
{
  return metric->on_request || assay_registry_origin (&metric->plugin) != NULL;
}

static const char *
whence (const AssayPlugin *plugin)
{
  const AssayPluginOrigin *origin = assay_registry_origin (plugin);

  return origin != NULL ? origin->path : "built in";
}

/* Claims and results name measures without their metric. */
static gboolean
check_measures (const AssayMetric *metric, GError **error)
{
  for (guint i = 0; assay_metrics[i] != NULL; i++)
    for (const AssayMeasure *other = assay_metrics[i]->measures; other->name != NULL; other++)
      for (const AssayMeasure *own = metric->measures; own->name != NULL; own++)
        if (g_str_equal (own->name, other->name))
          return assay_fail (error, ASSAY_ERROR_DATA,
                             "the metric '%s' has a measure '%s', and so has '%s' (%s)", metric->id,
                             own->name, assay_metrics[i]->id, whence (&assay_metrics[i]->plugin));
  return TRUE;
}

static void
set_list (AssayPluginType type, gpointer *list)
{
  switch (type) {
  case ASSAY_PLUGIN_DEFENSE:
    assay_defenses = (const AssayDefense *const *) list;
    break;
  case ASSAY_PLUGIN_ATTACK:
    assay_attacks = (const AssayAttack *const *) list;
    break;
  case ASSAY_PLUGIN_METRIC:
    assay_metrics = (const AssayMetric *const *) list;
    break;
  case ASSAY_PLUGIN_DATASET:
    assay_datasets = (const AssayDatasetPlugin *const *) list;
    break;
  }
}

static AssayPluginOrigin *
origin_copy (const AssayPluginOrigin *origin)
{
  AssayPluginOrigin *copy = g_new (AssayPluginOrigin, 1);

  copy->path = g_strdup (origin->path);
  copy->sha256 = g_strdup (origin->sha256);
  return copy;
}

gboolean
assay_registry_add (AssayPluginType type, const AssayPlugin *plugin,
                    const AssayPluginOrigin *origin, GError **error)
{
  const AssayPlugin *const *list = assay_registry_list (type);
  guint place = 0;

  for (guint i = 0; list[i] != NULL; i++)
    if (g_str_equal (list[i]->id, plugin->id))
      return assay_fail (error, ASSAY_ERROR_DATA, "there is another %s '%s' already (%s)",
                         type_names[type], plugin->id, whence (list[i]));
  if (type == ASSAY_PLUGIN_METRIC && !check_measures ((const AssayMetric *) plugin, error))
    return FALSE;
  if (longer[type] == NULL) {
    longer[type] = g_ptr_array_new ();
    for (guint i = 0; list[i] != NULL; i++)
      g_ptr_array_add (longer[type], (gpointer) list[i]);
    g_ptr_array_add (longer[type], NULL);
  }
  while (list[place] != NULL && strcmp (list[place]->id, plugin->id) < 0)
    place++;
  g_ptr_array_insert (longer[type], (int) place, (gpointer) plugin);
  set_list (type, longer[type]->pdata);
  if (origins == NULL)
    origins = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (origins, (gpointer) plugin, origin_copy (origin));
  return TRUE;
}
