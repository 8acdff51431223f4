#include "core/data/formats/file-pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/secret-paths.h"

gboolean
assay_is_file_pattern (const char *name)
{
  return strchr (name, '*') != NULL;
}

/* Runs of digits by their value, all else by bytes. */
static gint
compare_names (gconstpointer a, gconstpointer b)
{
  const char *one = *(const char *const *) a, *other = *(const char *const *) b;

  while (*one != '\0' && *other != '\0') {
    if (g_ascii_isdigit (*one) && g_ascii_isdigit (*other)) {
      gsize length, other_length;
      gint order;

      one += strspn (one, "0");
      other += strspn (other, "0");
      length = strspn (one, "0123456789");
      other_length = strspn (other, "0123456789");
      order = length != other_length ? (length > other_length) - (length < other_length)
                                     : strncmp (one, other, length);
      if (order != 0)
        return order;
      one += length;
      other += length;
    } else if (*one != *other) {
      return (guchar) *one < (guchar) *other ? -1 : 1;
    } else {
      one++;
      other++;
    }
  }
  if (*one != *other)
    return (guchar) *one < (guchar) *other ? -1 : 1;
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
assay_file_pattern_list (const char *folder, const char *pattern, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = NULL;
  GError *problem = NULL;
  const char *entry;

  dir = g_dir_open (folder, 0, &problem);
  if (dir == NULL) {
    assay_error_set (error, ASSAY_ERROR_DATA, "%s: %s", folder, problem->message);
    g_error_free (problem);
    return NULL;
  }
  while ((entry = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, entry, NULL);

    if (fnmatch (pattern, entry, FNM_PERIOD) == 0 && g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
      /* One by one: their folder may be that of the program, too, which cannot be hidden. */
      assay_secret_path_add (path);
      g_ptr_array_add (paths, g_steal_pointer (&path));
    }
  }
  if (paths->len == 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s has no file '%s'", folder, pattern);
  g_ptr_array_sort (paths, compare_names);
  return g_steal_pointer (&paths);
}
