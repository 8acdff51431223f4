/* The catalogue of data sets, in the syntax of scenarios. */
#include "cli/dataset/catalog.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/file-map.h"

#define MAX_BYTES (1024 * 1024)
#define SHA256_LENGTH 64

static void
file_free (CatalogFile *file)
{
  g_free (file->sha256);
  g_strfreev (file->unpack);
  g_free (file);
}

static void
set_free (CatalogSet *set)
{
  g_ptr_array_unref (set->files);
  g_free (set);
}

void
cli_catalog_free (Catalog *catalog)
{
  if (catalog == NULL)
    return;
  g_clear_pointer (&catalog->sets, g_ptr_array_unref);
  assay_scenario_free (catalog->text);
  g_free (catalog);
}

/* ---- Names and values ---- */

/* A name that cannot lead out of its folder, nor be hidden in it. */
static gboolean
is_plain_name (const char *name)
{
  return g_ascii_isalnum (*name)
         && strspn (name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_.+") == strlen (name);
}

static gboolean
check_group (const char *name, const char *kind, const char *label, GError **error)
{
  return (is_plain_name (kind) && (*label == '\0' || is_plain_name (label)))
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "group [%s]: expected [NAME] or [NAME FILE] of letters, digits, -, _, . "
                        "and +",
                        name);
}

/* Reads "FOLDER/NAME; ..." into @file. */
static gboolean
set_unpack (CatalogFile *file, const char *value, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (!g_str_has_suffix (file->name, ".tar.gz"))
    return assay_fail (error, ASSAY_ERROR_DATA, "expected a file whose name ends in .tar.gz");
  file->unpack = g_strsplit (value, ";", -1);
  for (char **member = file->unpack; *member != NULL; member++) {
    g_autofree char *name = g_path_get_basename (g_strstrip (*member));

    if (!is_plain_name (name) || g_str_has_suffix (*member, "/"))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "'%s': expected members as FOLDER/NAME, NAME of letters, digits, -, _, . "
                         "and +",
                         *member);
    if (g_hash_table_contains (names, name))
      return assay_fail (error, ASSAY_ERROR_DATA, "two members would be called %s", name);
    g_hash_table_add (names, g_steal_pointer (&name));
  }
  return TRUE;
}

static gboolean
set_file_key (CatalogFile *file, const char *key, const char *value, GError **error)
{
  if (g_str_equal (key, "url")) {
    file->url = value;
    return g_str_has_prefix (value, "https://") || g_str_has_prefix (value, "http://")
           || g_str_has_prefix (value, "ftp://")
           || assay_fail (error, ASSAY_ERROR_DATA, "'%s': expected https://, http:// or ftp://",
                          value);
  }
  if (g_str_equal (key, "size"))
    return g_ascii_string_to_unsigned (value, 10, 1, G_MAXINT64, &file->size, NULL)
           || assay_fail (error, ASSAY_ERROR_DATA, "'%s': expected a number of bytes", value);
  if (g_str_equal (key, "sha256")) {
    file->sha256 = g_ascii_strdown (value, -1);
    return (strlen (value) == SHA256_LENGTH
            && strspn (file->sha256, "0123456789abcdef") == SHA256_LENGTH)
           || assay_fail (error, ASSAY_ERROR_DATA,
                          "'%s': expected 64 hexadecimal digits; leave the key out where it is not "
                          "known",
                          value);
  }
  if (g_str_equal (key, "unpack"))
    return set_unpack (file, value, error);
  return assay_fail (error, ASSAY_ERROR_DATA, "is unknown; expected url, size, sha256 or unpack");
}

static gboolean
set_set_key (CatalogSet *set, const char *key, const char *value, GError **error)
{
  const char **slot = g_str_equal (key, "title")      ? &set->title
                      : g_str_equal (key, "page")     ? &set->page
                      : g_str_equal (key, "licence")  ? &set->licence
                      : g_str_equal (key, "citation") ? &set->citation
                      : g_str_equal (key, "note")     ? &set->note
                      : g_str_equal (key, "folder")   ? &set->folder
                                                      : NULL;

  if (slot == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "is unknown; expected title, page, licence, citation, note or folder");
  if (slot == &set->folder && !is_plain_name (value))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "'%s': expected a name of letters, digits, -, _, . and +", value);
  *slot = value;
  return TRUE;
}

/* ---- Groups ---- */

static CatalogSet *
find_set (const Catalog *catalog, const char *name)
{
  ASSAY_FOR_EACH (CatalogSet, set, catalog->sets) {
    if (g_str_equal (set->name, name))
      return set;
  }
  return NULL;
}

static gboolean
read_keys (const AssayGroup *group, gpointer set_or_file, GError **error)
{
  ASSAY_FOR_EACH (const AssayEntry, entry, group->entries) {
    const gboolean is_ok
        = *entry->value == '\0' ? assay_fail (error, ASSAY_ERROR_DATA, "has no value")
          : *group->label != '\0'
              ? set_file_key (set_or_file, entry->key, entry->value, error)
              : set_set_key (set_or_file, entry->key, entry->value, error);

    if (!is_ok) {
      g_prefix_error (error, "%s: ", entry->key);
      return assay_group_blame (group, entry, error);
    }
  }
  return TRUE;
}

static gboolean
read_set (Catalog *catalog, const AssayGroup *group, GError **error)
{
  CatalogSet *set = g_new0 (CatalogSet, 1);

  *set = (CatalogSet){ .name = group->kind, .folder = group->kind };
  set->files = g_ptr_array_new_with_free_func ((GDestroyNotify) file_free);
  g_ptr_array_add (catalog->sets, set);
  if (!read_keys (group, set, error))
    return FALSE;
  if (set->title != NULL && set->page != NULL && set->licence != NULL && set->citation != NULL)
    return TRUE;
  return assay_group_fail (group, NULL, error, ASSAY_ERROR_DATA,
                           "expected title, page, licence and citation");
}

static gboolean
read_file (Catalog *catalog, const AssayGroup *group, GError **error)
{
  CatalogSet *set = find_set (catalog, group->kind);
  CatalogFile *file;

  if (set == NULL)
    return assay_group_fail (group, NULL, error, ASSAY_ERROR_DATA, "expected [%s] before it",
                             group->kind);
  file = g_new0 (CatalogFile, 1);
  file->name = group->label;
  g_ptr_array_add (set->files, file);
  if (!read_keys (group, file, error))
    return FALSE;
  if (file->url != NULL && file->size > 0)
    return TRUE;
  return assay_group_fail (group, NULL, error, ASSAY_ERROR_DATA, "expected url and size");
}

Catalog *
cli_catalog_parse (const char *path, const char *text, GError **error)
{
  g_autoptr (Catalog) catalog = g_new0 (Catalog, 1);

  catalog->sets = g_ptr_array_new_with_free_func ((GDestroyNotify) set_free);
  catalog->text = assay_key_file_parse (path, text, check_group, error);
  for (guint i = 0; catalog->text != NULL && i < catalog->text->groups->len; i++) {
    const AssayGroup *group = catalog->text->groups->pdata[i];

    if (!(*group->label == '\0' ? read_set : read_file) (catalog, group, error))
      return NULL;
  }
  ASSAY_FOR_EACH (const CatalogSet, set, catalog->sets) {
    if (set->files->len == 0)
      return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: [%s] has no files; expected [%s FILE]",
                              path, set->name, set->name);
  }
  if (catalog->text != NULL && catalog->sets->len == 0)
    assay_fail (error, ASSAY_ERROR_DATA, "%s: names no data set; expected [NAME] and [NAME FILE]",
                path);
  return catalog->sets->len > 0 ? g_steal_pointer (&catalog) : NULL;
}

Catalog *
cli_catalog_load (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map (path, error);
  g_autofree char *text = NULL;
  gsize length = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (bytes == NULL)
    return NULL;
  text = g_strndup (length > 0 ? data : "", length);
  if (length <= MAX_BYTES && g_utf8_validate_len (text, length, NULL))
    return cli_catalog_parse (path, text, error);
  return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: expected UTF-8 text of at most 1 MiB",
                          path);
}

const CatalogSet *
cli_catalog_find (const Catalog *catalog, const char *name, GError **error)
{
  const CatalogSet *set = find_set (catalog, name);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  ASSAY_FOR_EACH (const CatalogSet, one, catalog->sets)
    g_ptr_array_add (names, (gpointer) one->name);
  hint = assay_names_hint (names, name);
  if (set == NULL)
    assay_fail (error, ASSAY_ERROR_DATA,
                "the catalogue has no '%s'%s; 'assay dataset fetch' lists what it has", name, hint);
  return set;
}
