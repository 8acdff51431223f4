/* Finding the folders of external releases and guesses. */
#include "core/external/external-folder.h"

#include <string.h>

#include "core/base/error.h"
#include "core/data/secret-paths.h"

/* Text in position of the word at @word; NULL: no such word. */
static char *
value_of (const char *word, gsize length, const AssayRunPosition *position)
{
  if (strncmp (word, ASSAY_FOLDER_TRIAL, length) == 0 && length == strlen (ASSAY_FOLDER_TRIAL))
    return g_strdup_printf ("%u", position->trial);
  if (strncmp (word, ASSAY_FOLDER_REPEAT, length) == 0 && length == strlen (ASSAY_FOLDER_REPEAT))
    return g_strdup_printf ("%zu", position->repeat);
  if (strncmp (word, ASSAY_FOLDER_DEFENSE, length) == 0 && length == strlen (ASSAY_FOLDER_DEFENSE))
    return g_strdelimit (g_strdup (position->defense != NULL ? position->defense : ""), "/", '_');
  return NULL;
}

static char *
fill_in (const char *folder, const AssayRunPosition *position, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  while (*folder != '\0') {
    const char *end = *folder == '{' ? strchr (folder, '}') : NULL;
    const gsize length = end != NULL ? (gsize) (end + 1 - folder) : 1;
    g_autofree char *value = end != NULL ? value_of (folder, length, position) : NULL;

    if (end != NULL && value == NULL)
      return assay_fail_null (
          error, ASSAY_ERROR_DATA, "'%.*s' has no meaning; expected %s, %s or %s", (int) length,
          folder, ASSAY_FOLDER_TRIAL, ASSAY_FOLDER_REPEAT, ASSAY_FOLDER_DEFENSE);
    g_string_append_len (text, value != NULL ? value : folder,
                         (gssize) (value != NULL ? strlen (value) : length));
    folder += length;
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
look_in (const char *name, const char *const *folders, GError **error)
{
  static const char *const here[] = { ".", NULL };
  g_autoptr (GString) tried = g_string_new (NULL);

  if (g_path_is_absolute (name)) {
    if (g_file_test (name, G_FILE_TEST_IS_DIR))
      return g_strdup (name);
    assay_fail (error, ASSAY_ERROR_DATA, "%s: there is no such folder", name);
    return NULL;
  }
  for (const char *const *folder = folders != NULL ? folders : here; *folder != NULL; folder++) {
    g_autofree char *path
        = g_str_equal (*folder, ".") ? g_strdup (name) : g_build_filename (*folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR))
      return g_steal_pointer (&path);
    g_string_append_printf (tried, "%s%s", tried->len > 0 ? ", " : "", path);
  }
  return assay_fail_null (error, ASSAY_ERROR_DATA, "there is no folder '%s'; looked for %s", name,
                          tried->str);
}

char *
assay_external_folder_find (const char *folder, const AssayRunPosition *position, GError **error)
{
  g_autofree char *name = NULL;
  char *path;

  if (position->is_tuning)
    return assay_fail_null (
        error, ASSAY_ERROR_MISMATCH,
        "external releases are not of the secrets set apart for tuning; expected "
        "attacks without tune.SETTING");
  if (position->repeat > 0 && strstr (folder, ASSAY_FOLDER_REPEAT) == NULL)
    return assay_fail_null (
        error, ASSAY_ERROR_MISMATCH,
        "'%s' is one release, but an attack needs %zu more of the same secrets; expected "
        "%s in the name of the folder",
        folder, position->repeat, ASSAY_FOLDER_REPEAT);
  name = fill_in (folder, position, error);
  path = name != NULL ? look_in (name, position->folders, error) : NULL;
  if (path != NULL) {
    assay_secret_path_add (path);
    assay_secret_links_add (path);
  }
  return path;
}

void
assay_external_hash (GChecksum *checksum, const char *what, const AssayArrays *arrays)
{
  g_checksum_update (checksum, (const guchar *) what, -1);
  for (guint i = 0; i < arrays->names->len; i++) {
    const AssayArray *array = arrays->arrays->pdata[i];
    g_autofree char *about = assay_array_describe (array);
    g_autofree char *line = g_strdup_printf ("\n%s %s\n", (char *) arrays->names->pdata[i], about);

    g_checksum_update (checksum, (const guchar *) line, -1);
    g_checksum_update (checksum, array->data,
                       (gssize) (assay_array_count (array) * assay_type_size (array->type)));
  }
}
