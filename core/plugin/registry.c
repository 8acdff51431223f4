/* Looking up plugins by type and id, and adding to them. */
#include "core/plugin/registry.h"

#include <string.h>

#include "core/base/each.h"
#include "core/base/text.h"

static const char *const type_names[ASSAY_N_PLUGIN_TYPES] = {
  [ASSAY_PLUGIN_NONE] = "plugin",     [ASSAY_PLUGIN_DATASET] = "dataset",
  [ASSAY_PLUGIN_DEFENSE] = "defense", [ASSAY_PLUGIN_ATTACK] = "attack",
  [ASSAY_PLUGIN_AUDITOR] = "attack",  [ASSAY_PLUGIN_METRIC] = "metric",
  [ASSAY_PLUGIN_UTILITY] = "utility",
};

/* Of plugins that were loaded, which never go: where they came from (AssayPluginOrigin), and the
 * lists with them, NULL for types of which none was loaded. */
static GHashTable *origins;
static GPtrArray *longer[ASSAY_N_PLUGIN_TYPES];

const char *
assay_plugin_type_name (AssayPluginType type)
{
  return type_names[type];
}

/* The type that users name the same way; its own where there is none. */
static AssayPluginType
twin_of (AssayPluginType type)
{
  switch (type) {
  case ASSAY_PLUGIN_ATTACK:
    return ASSAY_PLUGIN_AUDITOR;
  case ASSAY_PLUGIN_AUDITOR:
    return ASSAY_PLUGIN_ATTACK;
  case ASSAY_PLUGIN_METRIC:
    return ASSAY_PLUGIN_UTILITY;
  case ASSAY_PLUGIN_UTILITY:
    return ASSAY_PLUGIN_METRIC;
  default:
    return type;
  }
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const AssayPlugin *const *) a)->id, (*(const AssayPlugin *const *) b)->id);
}

GPtrArray *
assay_registry_offers (AssayPluginType type)
{
  const AssayPluginType types[] = { type, twin_of (type) };
  GPtrArray *offers = g_ptr_array_new ();

  for (guint t = 0; t < (types[1] == type ? 1 : 2); t++)
    for (const AssayPlugin *const *plugin = assay_plugin_lists[types[t]]; *plugin != NULL; plugin++)
      g_ptr_array_add (offers, (gpointer) *plugin);
  g_ptr_array_sort (offers, compare_ids);
  return offers;
}

const AssayPlugin *
assay_registry_find (AssayPluginType type, const char *id, GError **error)
{
  g_autoptr (GPtrArray) offers = assay_registry_offers (type);
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  g_autofree char *hint = NULL;
  g_autofree char *lists = NULL;

  ASSAY_FOR_EACH (const AssayPlugin, plugin, offers) {
    if (g_str_equal (plugin->id, id))
      return plugin;
    g_ptr_array_add (ids, (gpointer) plugin->id);
  }
  hint = assay_names_hint (ids, id);
  lists = g_strdup_printf ("%ss", type_names[type]);
  return assay_fail_null (error, ASSAY_ERROR_UNKNOWN_PLUGIN,
                          "unknown %s '%s'%s; 'assay list %s' shows all", type_names[type], id,
                          hint, type == ASSAY_PLUGIN_UTILITY ? "utilities" : lists);
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
check_measures (const AssayMeasuring *measuring, GError **error)
{
  g_autoptr (GPtrArray) others = assay_registry_offers (ASSAY_PLUGIN_METRIC);

  ASSAY_FOR_EACH (const AssayMeasuring, other, others) {
    for (const AssayMeasure *theirs = other->measures; theirs->name != NULL; theirs++)
      for (const AssayMeasure *own = measuring->measures; own->name != NULL; own++)
        if (g_str_equal (own->name, theirs->name))
          return assay_fail (error, ASSAY_ERROR_DATA,
                             "the %s '%s' has a measure '%s', and so has '%s' (%s)",
                             type_names[measuring->type], measuring->id, own->name, other->id,
                             whence (&other->plugin));
  }
  return TRUE;
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
assay_registry_add (const AssayPlugin *plugin, const AssayPluginOrigin *origin, GError **error)
{
  const AssayPluginType type = plugin->type;
  const AssayPlugin *const *list = assay_plugin_lists[type];
  const AssayPlugin *same = assay_registry_find (type, plugin->id, NULL);
  const AssayMeasuring *measuring = assay_measuring_of (plugin);

  if (same != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "there is another %s '%s' already (%s)",
                       type_names[same->type], plugin->id, whence (same));
  if (measuring != NULL && !check_measures (measuring, error))
    return FALSE;
  if (longer[type] == NULL) {
    longer[type] = g_ptr_array_new_null_terminated (0, NULL, TRUE);
    for (guint i = 0; list[i] != NULL; i++)
      g_ptr_array_add (longer[type], (gpointer) list[i]);
  }
  g_ptr_array_add (longer[type], (gpointer) plugin);
  g_ptr_array_sort (longer[type], compare_ids);
  assay_plugin_lists[type] = (const AssayPlugin *const *) longer[type]->pdata;
  if (origins == NULL)
    origins = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (origins, (gpointer) plugin, origin_copy (origin));
  return TRUE;
}
