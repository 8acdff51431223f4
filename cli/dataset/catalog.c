/* The catalogue of data sets. A parser of its own for the reasons of scenario.h: GKeyFile
 * has no line numbers and lets the last of two equal keys win, here the wrong sha256. */
#include "cli/dataset/catalog.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"

#define MAX_BYTES (1024 * 1024)
#define SHA256_LENGTH 64

static void
file_free (CatalogFile *file)
{
  g_free (file->name);
  g_free (file->url);
  g_free (file->sha256);
  g_strfreev (file->unpack);
  g_free (file);
}

static void
set_free (CatalogSet *set)
{
  g_free (set->name);
  g_free (set->title);
  g_free (set->page);
  g_free (set->licence);
  g_free (set->citation);
  g_free (set->note);
  g_free (set->folder);
  g_ptr_array_unref (set->files);
  g_free (set);
}

void
cli_catalog_free (Catalog *catalog)
{
  if (catalog == NULL)
    return;
  g_ptr_array_unref (catalog->sets);
  g_free (catalog);
}

/* ---- Values ---- */

/* A name that cannot lead out of its folder, nor be hidden in it. */
static gboolean
is_plain_name (const char *name)
{
  if (!g_ascii_isalnum (*name))
    return FALSE;
  for (; *name != '\0'; name++)
    if (!g_ascii_isalnum (*name) && strchr ("-_.+", *name) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
is_sha256 (const char *text)
{
  return strlen (text) == SHA256_LENGTH && strspn (text, "0123456789abcdefABCDEF") == SHA256_LENGTH;
}

static gboolean
set_text (char **slot, const char *key, const char *value, GError **error)
{
  if (*slot != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "key '%s' stands twice in its group", key);
  *slot = g_strdup (value);
  return TRUE;
}

static gboolean
set_unpack (CatalogFile *file, const char *value, GError **error)
{
  if (file->unpack != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "key 'unpack' stands twice in its group");
  if (!g_str_has_suffix (file->name, ".tar.gz"))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "unpack: expected a file whose name ends in "
                       ".tar.gz");
  file->unpack = g_strsplit (value, ";", -1);
  for (guint i = 0; file->unpack[i] != NULL; i++) {
    g_autofree char *base = g_path_get_basename (g_strstrip (file->unpack[i]));

    if (!is_plain_name (base) || g_str_has_suffix (file->unpack[i], "/"))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "unpack: '%s': expected members as FOLDER/NAME, NAME of letters, digits, "
                         "-, _, . and +",
                         file->unpack[i]);
    for (guint j = 0; j < i; j++) {
      g_autofree char *before = g_path_get_basename (file->unpack[j]);

      if (g_str_equal (before, base))
        return assay_fail (error, ASSAY_ERROR_DATA, "unpack: two members would be called %s", base);
    }
  }
  return TRUE;
}

static gboolean
set_file_key (CatalogFile *file, const char *key, const char *value, GError **error)
{
  if (g_str_equal (key, "url")) {
    if (!g_str_has_prefix (value, "https://") && !g_str_has_prefix (value, "http://")
        && !g_str_has_prefix (value, "ftp://"))
      return assay_fail (error, ASSAY_ERROR_DATA, "url = %s: expected https://, http:// or ftp://",
                         value);
    return set_text (&file->url, key, value, error);
  }
  if (g_str_equal (key, "sha256")) {
    if (!is_sha256 (value))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "sha256 = %s: expected 64 hexadecimal digits; leave the key out where it "
                         "is not known",
                         value);
    if (!set_text (&file->sha256, key, value, error))
      return FALSE;
    for (char *digit = file->sha256; *digit != '\0'; digit++)
      *digit = g_ascii_tolower (*digit);
    return TRUE;
  }
  if (g_str_equal (key, "size")) {
    if (file->size != 0)
      return assay_fail (error, ASSAY_ERROR_DATA, "key 'size' stands twice in its group");
    return g_ascii_string_to_unsigned (value, 10, 1, G_MAXINT64, &file->size, NULL)
           || assay_fail (error, ASSAY_ERROR_DATA, "size = %s: expected a number of bytes", value);
  }
  if (g_str_equal (key, "unpack"))
    return set_unpack (file, value, error);
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "unknown key '%s'; expected url, size, sha256 or unpack", key);
}

static gboolean
set_set_key (CatalogSet *set, const char *key, const char *value, GError **error)
{
  const struct {
    const char *key;
    char **slot;
  } slots[]
      = { { "title", &set->title },       { "page", &set->page }, { "licence", &set->licence },
          { "citation", &set->citation }, { "note", &set->note }, { "folder", &set->folder } };

  if (g_str_equal (key, "folder") && !is_plain_name (value))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "folder = %s: expected a name of letters, digits, -, _, . and +", value);
  for (guint i = 0; i < G_N_ELEMENTS (slots); i++)
    if (g_str_equal (slots[i].key, key))
      return set_text (slots[i].slot, key, value, error);
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "unknown key '%s'; expected title, page, licence, citation, note or folder",
                     key);
}

/* ---- Groups ---- */

static CatalogSet *
find_set (const Catalog *catalog, const char *name)
{
  for (guint i = 0; i < catalog->sets->len; i++) {
    CatalogSet *set = catalog->sets->pdata[i];

    if (g_str_equal (set->name, name))
      return set;
  }
  return NULL;
}

static CatalogFile *
find_file (const CatalogSet *set, const char *name)
{
  for (guint i = 0; i < set->files->len; i++) {
    CatalogFile *file = set->files->pdata[i];

    if (g_str_equal (file->name, name))
      return file;
  }
  return NULL;
}

static gboolean
begin_set (Catalog *catalog, const char *name, guint line, CatalogSet **ret_set, GError **error)
{
  CatalogSet *set = find_set (catalog, name);

  if (set != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "group [%s] stands already on line %u", name,
                       set->line);
  set = g_new0 (CatalogSet, 1);
  set->name = g_strdup (name);
  set->line = line;
  set->files = g_ptr_array_new_with_free_func ((GDestroyNotify) file_free);
  g_ptr_array_add (catalog->sets, set);
  *ret_set = set;
  return TRUE;
}

static gboolean
begin_file (Catalog *catalog, const char *set_name, const char *name, guint line,
            CatalogFile **ret_file, GError **error)
{
  CatalogSet *set = find_set (catalog, set_name);
  CatalogFile *file;

  if (set == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "group [%s %s]: expected [%s] before it", set_name,
                       name, set_name);
  file = find_file (set, name);
  if (file != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "group [%s %s] stands already on line %u", set_name,
                       name, file->line);
  file = g_new0 (CatalogFile, 1);
  file->name = g_strdup (name);
  file->line = line;
  g_ptr_array_add (set->files, file);
  *ret_file = file;
  return TRUE;
}

/* "[NAME]" or "[NAME FILE]". One of @ret_set and @ret_file is set, the other NULL. */
static gboolean
begin_group (Catalog *catalog, char *text, guint line, CatalogSet **ret_set, CatalogFile **ret_file,
             GError **error)
{
  char *end = strchr (text, ']');
  g_auto (GStrv) words = NULL;
  guint n_words;

  if (end == NULL || end[1] != '\0')
    return assay_fail (error, ASSAY_ERROR_DATA, "'%s': expected [NAME] or [NAME FILE]", text);
  *end = '\0';
  words = g_strsplit (g_strstrip (text + 1), " ", -1);
  n_words = g_strv_length (words);
  if (n_words < 1 || n_words > 2 || !is_plain_name (words[0])
      || (n_words == 2 && !is_plain_name (words[1])))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "group [%s]: expected [NAME] or [NAME FILE] of letters, digits, -, _, . "
                       "and +",
                       text + 1);
  *ret_set = NULL;
  *ret_file = NULL;
  return n_words == 1 ? begin_set (catalog, words[0], line, ret_set, error)
                      : begin_file (catalog, words[0], words[1], line, ret_file, error);
}

static gboolean
parse_key (char *text, CatalogSet *set, CatalogFile *file, GError **error)
{
  char *equals = strchr (text, '=');
  const char *key, *value;

  if (equals == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "'%s': expected KEY = VALUE or [NAME]", text);
  if (set == NULL && file == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "'%s': expected [NAME] before the first key", text);
  *equals = '\0';
  key = g_strstrip (text);
  value = g_strstrip (equals + 1);
  if (*value == '\0')
    return assay_fail (error, ASSAY_ERROR_DATA, "key '%s' has no value", key);
  return file != NULL ? set_file_key (file, key, value, error)
                      : set_set_key (set, key, value, error);
}

/* ---- The whole ---- */

/* What must be there, and the default of what need not. @ret_line tells where it lacks. */
static gboolean
complete_set (CatalogSet *set, guint *ret_line, GError **error)
{
  *ret_line = set->line;
  if (set->title == NULL || set->page == NULL || set->licence == NULL || set->citation == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "group [%s]: expected title, page, licence and citation", set->name);
  if (set->files->len == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "group [%s]: has no files; expected [%s FILE]",
                       set->name, set->name);
  if (set->folder == NULL)
    set->folder = g_strdup (set->name);
  for (guint i = 0; i < set->files->len; i++) {
    const CatalogFile *file = set->files->pdata[i];

    *ret_line = file->line;
    if (file->url == NULL || file->size == 0)
      return assay_fail (error, ASSAY_ERROR_DATA, "group [%s %s]: expected url and size", set->name,
                         file->name);
  }
  return TRUE;
}

Catalog *
cli_catalog_parse (const char *path, const char *text, GError **error)
{
  g_autoptr (Catalog) catalog = g_new0 (Catalog, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  CatalogSet *set = NULL;
  CatalogFile *file = NULL;
  guint number = 0;
  gboolean is_ok = TRUE;

  catalog->sets = g_ptr_array_new_with_free_func ((GDestroyNotify) set_free);
  for (; lines[number] != NULL && is_ok; number++) {
    char *line = g_strstrip (lines[number]);

    if (*line == '[')
      is_ok = begin_group (catalog, line, number + 1, &set, &file, error);
    else if (*line != '\0' && *line != '#')
      is_ok = parse_key (line, set, file, error);
  }
  for (guint i = 0; i < catalog->sets->len && is_ok; i++)
    is_ok = complete_set (catalog->sets->pdata[i], &number, error);
  if (!is_ok) {
    g_prefix_error (error, "%s:%u: ", path, number);
    return NULL;
  }
  if (catalog->sets->len == 0) {
    assay_fail (error, ASSAY_ERROR_DATA, "%s: names no data set; expected [NAME] and [NAME FILE]",
                path);
    return NULL;
  }
  return g_steal_pointer (&catalog);
}

Catalog *
cli_catalog_load (const char *path, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *text = NULL;
  gsize length;

  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    assay_fail (error, ASSAY_ERROR_DATA, "--catalog: %s: is no plain file", path);
    return NULL;
  }
  if (!g_file_get_contents (path, &text, &length, &cause)) {
    assay_fail (error, ASSAY_ERROR_DATA, "--catalog: %s", cause->message);
    return NULL;
  }
  if (length > MAX_BYTES || memchr (text, '\0', length) != NULL
      || !g_utf8_validate_len (text, length, NULL)) {
    assay_fail (error, ASSAY_ERROR_DATA, "--catalog: %s: expected UTF-8 text of at most 1 MiB",
                path);
    return NULL;
  }
  return cli_catalog_parse (path, text, error);
}

const CatalogSet *
cli_catalog_find (const Catalog *catalog, const char *name, GError **error)
{
  const CatalogSet *set = find_set (catalog, name);
  g_autofree const char **names = NULL;
  g_autofree char *hint = NULL;

  if (set != NULL)
    return set;
  names = g_new0 (const char *, catalog->sets->len + 1);
  for (guint i = 0; i < catalog->sets->len; i++)
    names[i] = ((const CatalogSet *) catalog->sets->pdata[i])->name;
  hint = assay_text_did_you_mean (name, names);
  assay_fail (error, ASSAY_ERROR_DATA,
              "the catalogue has no '%s'%s; 'assay dataset fetch' lists what it has", name, hint);
  return NULL;
}
