/* Looking up plugins by type and id. */
#include "core/registry.h"

#include "core/text.h"

static const char *const type_names[] = {
  [ASSAY_PLUGIN_DEFENSE] = "defense",
  [ASSAY_PLUGIN_ATTACK] = "attack",
  [ASSAY_PLUGIN_METRIC] = "metric",
  [ASSAY_PLUGIN_DATASET] = "dataset",
};

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
