/* The catalogue of data sets, in the syntax of scenarios. */
#include "cli/dataset/catalog.h"

#include "core/base/error.h"
#include "core/data/row-file.h"

/* A name that cannot lead out of its folder, nor be hidden in it. */
#define NAME "[A-Za-z0-9][A-Za-z0-9_.+-]*"
#define NAME_LETTERS "of letters, digits, -, _, . and +"
#define MEMBER "([^;]*/)?" NAME

typedef struct {
  const char *name;
  const char *pattern;
  const char *expected;
  gboolean is_optional;
} Key;

static const Key set_keys[] = { { "title", ".", "a text", FALSE },
                                { "page", ".", "an address", FALSE },
                                { "licence", ".", "a text", FALSE },
                                { "citation", ".", "a text", FALSE },
                                { "note", ".", "a text", TRUE },
                                { "folder", "^" NAME "$", "a name " NAME_LETTERS, TRUE },
                                { .name = NULL } };

static const Key file_keys[]
    = { { "url", "^(https?|ftp)://", "https://, http:// or ftp://", FALSE },
        { "size", "^[1-9][0-9]{0,17}$", "a number of bytes", FALSE },
        { "sha256", "^[0-9a-f]{64}$",
          "64 hexadecimal digits in lower case; leave the key out where it is not known", TRUE },
        { "unpack", "^" MEMBER "( *; *" MEMBER ")*$",
          "members as FOLDER/NAME, each NAME " NAME_LETTERS, TRUE },
        { .name = NULL } };

const char *
cli_catalog_text (const AssayGroup *group, const char *key)
{
  const AssayEntry *entry = assay_group_find (group, key);

  return entry != NULL ? entry->value : NULL;
}

GPtrArray *
cli_catalog_files (const AssayGroup *set)
{
  GPtrArray *files = g_ptr_array_new ();

  ASSAY_FOR_EACH (AssayGroup, group, set->scenario->groups)
    if (g_str_equal (group->kind, set->kind) && *group->label != '\0')
      g_ptr_array_add (files, group);
  return files;
}

CatalogFile
cli_catalog_file (const AssayGroup *group)
{
  return (CatalogFile){ .name = group->label,
                        .url = cli_catalog_text (group, "url"),
                        .sha256 = cli_catalog_text (group, "sha256"),
                        .size = g_ascii_strtoull (cli_catalog_text (group, "size"), NULL, 10) };
}

char **
cli_catalog_members (const AssayGroup *group)
{
  const AssayEntry *entry = assay_group_find (group, "unpack");

  return entry != NULL ? assay_entry_list (entry, NULL) : NULL;
}

static gboolean
check_name (const char *name, const char *kind, const char *label, GError **error)
{
  return (g_regex_match_simple ("^" NAME "$", kind, 0, 0)
          && (*label == '\0' || g_regex_match_simple ("^" NAME "$", label, 0, 0)))
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "group [%s]: expected [NAME] or [NAME FILE] " NAME_LETTERS, name);
}

/* Members go by their base names into one folder. */
static gboolean
check_members (const AssayGroup *group, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "unpack");
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) members = cli_catalog_members (group);

  if (members == NULL)
    return entry == NULL
           || assay_group_fail (group, entry, error, ASSAY_ERROR_DATA,
                                "unpack: expected different members");
  if (!g_str_has_suffix (group->label, ".tar.gz"))
    return assay_group_fail (group, entry, error, ASSAY_ERROR_DATA,
                             "unpack: expected a file whose name ends in .tar.gz");
  for (guint i = 0; members[i] != NULL; i++)
    if (!g_hash_table_add (names, g_path_get_basename (members[i])))
      return assay_group_fail (group, entry, error, ASSAY_ERROR_DATA,
                               "unpack: two members would have the name of '%s'", members[i]);
  return TRUE;
}

static gboolean
check_group (const AssayScenario *catalog, const AssayGroup *group, GError **error)
{
  const gboolean is_set = *group->label == '\0';
  g_autoptr (GPtrArray) files = cli_catalog_files (group);
  const char *names[G_N_ELEMENTS (set_keys)] = { NULL };
  guint n = 0;

  if (!is_set && assay_scenario_find (catalog, group->kind, "") == NULL)
    return assay_group_fail (group, NULL, error, ASSAY_ERROR_DATA, "there is no [%s]", group->kind);
  for (const Key *key = is_set ? set_keys : file_keys; key->name != NULL; key++) {
    const AssayEntry *entry = assay_group_find (group, key->name);
    const char *value = entry != NULL ? entry->value : "";

    if ((entry != NULL || !key->is_optional) && !g_regex_match_simple (key->pattern, value, 0, 0))
      return assay_group_fail (group, entry, error, ASSAY_ERROR_DATA, "%s '%s': expected %s",
                               key->name, value, key->expected);
    names[n++] = key->name;
  }
  if (files->len == 0)
    return assay_group_fail (group, NULL, error, ASSAY_ERROR_DATA,
                             "has no files; expected [%s FILE]", group->kind);
  return assay_group_check_keys (group, names, error) && (is_set || check_members (group, error));
}

AssayScenario *
cli_catalog_load (const char *path, GError **error)
{
  g_autoptr (AssayScenario) catalog
      = path != NULL ? assay_key_file_load (path, check_name, error)
                     : assay_key_file_parse ("catalog.ini", assay_published_ini, check_name, error);

  if (catalog == NULL)
    return NULL;
  ASSAY_FOR_EACH (const AssayGroup, group, catalog->groups)
    if (!check_group (catalog, group, error))
      return NULL;
  if (catalog->groups->len == 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s: names no data set; expected [NAME] and [NAME FILE]", path);
  return g_steal_pointer (&catalog);
}
