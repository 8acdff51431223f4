/* What a run reads beside its plan. Of each component with files of its own (the programs of
 * others) the store has a line "SHA256 PATH" for each file. */
#include "runner/run/inputs.h"

#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "runner/store/manifest.h"

#define BLOCK (1024 * 1024)

/* A file that cannot be read, as a program may be that can only be started, has no hash. */
static char *
hash_file (const char *path)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *block = g_malloc (BLOCK);
  FILE *file = fopen (path, "rbe");
  gsize n;

  if (file == NULL)
    return g_strdup ("unreadable");
  while ((n = fread (block, 1, BLOCK, file)) > 0)
    g_checksum_update (checksum, block, (gssize) n);
  fclose (file);
  return g_strdup (g_checksum_get_string (checksum));
}

/* Many components name the same files: @hashes knows those that were read. */
static void
describe_settings (const AssayPlugin *plugin, const AssaySettings *settings, GHashTable *hashes,
                   GString *text)
{
  g_autoptr (GPtrArray) files = assay_plugin_external (plugin)->files (settings->values);

  ASSAY_FOR_EACH (const char, path, files) {
    g_autofree char *name = g_filename_display_name (path); /* any bytes; a store has text alone */
    g_autofree char *plain = assay_text_plain (name);

    if (!g_hash_table_contains (hashes, path))
      g_hash_table_insert (hashes, g_strdup (path), hash_file (path));
    g_string_append_printf (text, "%s %s\n", (const char *) g_hash_table_lookup (hashes, path),
                            plain);
  }
}

static char *
describe_component (const AssayComponent *component, GHashTable *hashes)
{
  GString *text = g_string_new (NULL);
  const guint n = component->candidates != NULL ? component->candidates->len : 0;

  describe_settings (component->plugin, component->settings, hashes, text);
  for (guint i = 0; i < n; i++)
    describe_settings (component->plugin, component->candidates->pdata[i], hashes, text);
  return g_string_free (text, FALSE);
}

/* Paths may be others where the run is gone on with from another folder: hashes are compared. */
static gboolean
compare (const char *known, const char *now, GError **error)
{
  g_auto (GStrv) before = g_strsplit (known, "\n", -1);
  g_auto (GStrv) after = g_strsplit (now, "\n", -1);
  const guint n_before = g_strv_length (before), n_after = g_strv_length (after);

  for (guint i = 0; i < MAX (n_before, n_after); i++) {
    const char *was = i < n_before ? before[i] : "";
    const char *is = i < n_after ? after[i] : "";
    const gsize length = strcspn (was, " ");
    const char *path = was + length + (was[length] == ' ');

    if (strncmp (was, is, length + 1) == 0)
      continue;
    if (*is == '\0')
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "file %s, with which the run began, is not there any more; expected it, "
                         "or a new run with --out",
                         path);
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "file %s changed since the run began (sha256 %.12s, now %.12s); expected "
                       "a new run with --out",
                       *was != '\0' ? path : strchr (is, ' ') + 1, *was != '\0' ? was : "unknown",
                       is);
  }
  return TRUE;
}

static gboolean
check_components (const GPtrArray *components, AssayStore *store, gboolean is_new,
                  GHashTable *hashes, GError **error)
{
  for (guint i = 0; i < components->len; i++) {
    const AssayComponent *component = assay_plan_component (components, i);
    const AssayExternal *external = assay_plugin_external (component->plugin);
    g_autofree char *known = NULL;
    g_autofree char *now = NULL;

    if (external == NULL || external->files == NULL)
      continue;
    now = describe_component (component, hashes);
    if (!assay_programs_of (store, component, i, &known, error))
      return FALSE;
    if (known != NULL ? !compare (known, now, error)
                      : is_new && !assay_programs_keep (store, component, i, now, error))
      return assay_prefix (error, "%s %s: ", component->kind, component->label);
  }
  return TRUE;
}

gboolean
assay_inputs_check_programs (const AssayPlan *plan, AssayStore *store, gboolean is_new,
                             GError **error)
{
  g_autoptr (GHashTable) hashes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  return check_components (plan->defenses, store, is_new, hashes, error)
         && check_components (plan->attacks, store, is_new, hashes, error);
}

/* That @now is the hash that the store knows by @key. Where it knows none, @now is taken down
 * (@is_new). */
static gboolean
check_hash (AssayStore *store, const char *key, const char *now, gboolean is_new,
            const char *changed, GError **error)
{
  g_autofree char *known = NULL;

  if (!assay_store_get (store, key, &known, error))
    return FALSE;
  if (known == NULL && is_new)
    return assay_store_set (store, key, now, error);
  return g_strcmp0 (known, now) == 0
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s (sha256 %.12s, now %.12s); expected a new run with --out", changed,
                        known != NULL ? known : "unknown", now);
}

gboolean
assay_inputs_check_data (AssayWorkspace *workspace, AssayStore *store, guint index, gboolean is_new,
                         GError **error)
{
  g_autofree char *key = assay_store_dataset_key (index);
  const char *sha256;

  return assay_workspace_dataset (workspace, index, &sha256, error)
         && check_hash (store, key, sha256, is_new, "the data of the run changed since it began",
                        error);
}

gboolean
assay_inputs_check (const AssayPlan *plan, AssayWorkspace *workspace, AssayStore *store,
                    gboolean is_finished, GError **error)
{
  for (guint i = 0; i < plan->datasets->len; i++) {
    g_autofree char *known = NULL;

    if (!assay_store_dataset (store, i, &known, error))
      return FALSE;
    if ((known != NULL || is_finished)
        && !assay_inputs_check_data (workspace, store, i, FALSE, error))
      return FALSE;
  }
  return assay_inputs_check_programs (plan, store, !is_finished, error)
         && (plan->external == NULL
             || check_hash (store, ASSAY_META_EXTERNAL, plan->external, TRUE,
                            "the external releases or guesses changed since the run began", error));
}
