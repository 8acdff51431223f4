/* The plugins of a plan that were not built in. */
#include "runner/plan/loaded.h"

#include <string.h>

#include "core/plugin/registry.h"

#define PREFIX "loaded "

static void
add_parts (GPtrArray *all, AssayPluginType type, const GPtrArray *components)
{
  for (guint i = 0; i < components->len; i++) {
    const AssayPlugin *plugin = assay_plan_component (components, i)->plugin;
    const AssayPluginOrigin *origin = assay_registry_origin (plugin);
    AssayLoaded *loaded;
    gboolean is_there = FALSE;

    for (guint k = 0; k < all->len; k++)
      is_there |= ((const AssayLoaded *) all->pdata[k])->id == plugin->id;
    if (origin == NULL || is_there)
      continue;
    loaded = g_new (AssayLoaded, 1);
    *loaded
        = (AssayLoaded){ assay_plugin_type_name (type), plugin->id, origin->path, origin->sha256 };
    g_ptr_array_add (all, loaded);
  }
}

GPtrArray *
assay_loaded_list (const AssayPlan *plan)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (g_free);

  add_parts (all, ASSAY_PLUGIN_DATASET, plan->datasets);
  add_parts (all, ASSAY_PLUGIN_DEFENSE, plan->defenses);
  add_parts (all, ASSAY_PLUGIN_ATTACK, plan->attacks);
  add_parts (all, ASSAY_PLUGIN_METRIC, plan->metrics);
  add_parts (all, ASSAY_PLUGIN_METRIC, plan->utilities);
  return all;
}

char *
assay_loaded_canonical (const AssayPlan *plan)
{
  g_autoptr (GPtrArray) all = assay_loaded_list (plan);
  GString *text = g_string_new (NULL);

  ASSAY_FOR_EACH (const AssayLoaded, loaded, all) {
    g_string_append_printf (text, PREFIX "%s %s %s\n", loaded->type, loaded->id, loaded->sha256);
  }
  return g_string_free (text, FALSE);
}

/* @text without its lines on plugins, which go into @ret_loaded: "TYPE ID" to the hash. */
static char *
split (const char *text, GHashTable *ret_loaded)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *rest = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++) {
    char *space = strrchr (lines[i], ' ');

    if (!g_str_has_prefix (lines[i], PREFIX)) {
      g_string_append_printf (rest, "%s\n", lines[i]);
      continue;
    }
    *space = '\0';
    g_hash_table_insert (ret_loaded, g_strdup (lines[i] + strlen (PREFIX)), g_strdup (space + 1));
  }
  return g_string_free (rest, FALSE);
}

char *
assay_loaded_difference (const char *kept, const char *now)
{
  g_autoptr (GHashTable) before = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) after = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree char *rest_before = split (kept, before);
  g_autofree char *rest_after = split (now, after);
  GHashTableIter iter;
  gpointer name, was;

  if (!g_str_equal (rest_before, rest_after))
    return NULL;
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &name, &was)) {
    const char *is = g_hash_table_lookup (after, name);

    if (is == NULL)
      return g_strdup_printf ("the %s was a loaded plugin (sha256 %.12s) and is built in now",
                              (char *) name, (char *) was);
    if (!g_str_equal (is, was))
      return g_strdup_printf ("the %s was another build (sha256 %.12s, now %.12s)", (char *) name,
                              (char *) was, is);
  }
  g_hash_table_iter_init (&iter, after);
  while (g_hash_table_iter_next (&iter, &name, &was))
    if (!g_hash_table_contains (before, name))
      return g_strdup_printf ("the %s was built in and is a loaded plugin now (sha256 %.12s)",
                              (char *) name, (char *) was);
  return NULL;
}
