/* What output folders are called. */
#include "runner/store/folder-name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/secret-paths.h"
#include "runner/store/store.h"

char *
assay_folder_default (const AssayPlan *plan)
{
  g_autofree char *base = g_path_get_basename (plan->scenario);
  char *dot = strrchr (base, '.');

  if (dot != NULL && dot != base)
    *dot = '\0';
  return g_strdup_printf ("assay-out/%s-%.8s", base, plan->sha256);
}

char *
assay_folder_canonical (const char *place)
{
  g_autofree char *head = g_strdup (place);
  g_autofree char *tail = g_strdup ("");
  g_autofree char *real = NULL;
  g_autofree char *joined = NULL;

  while ((real = realpath (head, NULL)) == NULL) {
    char *base = g_path_get_basename (head);
    char *parent = g_path_get_dirname (head);
    char *longer = g_build_filename (base, tail, NULL);
    const gboolean is_end = g_str_equal (parent, head);

    g_free (base);
    g_free (tail);
    g_free (head);
    tail = longer;
    head = parent;
    if (is_end) /* the working folder is gone */
      return g_canonicalize_filename (place, NULL);
  }
  joined = g_build_filename (real, tail, NULL);
  return g_canonicalize_filename (joined, "/");
}

gboolean
assay_folder_resolve (const char *place, char **ret_place, GError **error)
{
  g_autofree char *plain = g_strdup (place);
  g_autofree char *base = NULL;

  /* "out/" and "out" are one folder, and PLACE.new stands beside it. */
  while (strlen (plain) > 1 && g_str_has_suffix (plain, "/"))
    plain[strlen (plain) - 1] = '\0';
  base = g_path_get_basename (plain);
  if (!g_file_test (plain, G_FILE_TEST_IS_SYMLINK) && !g_str_equal (base, ".")
      && !g_str_equal (base, "..")) {
    *ret_place = g_steal_pointer (&plain);
    return TRUE;
  }
  *ret_place = realpath (plain, NULL);
  return *ret_place != NULL
         || assay_fail (error, ASSAY_ERROR_SCENARIO, "output folder %s leads nowhere: %s", plain,
                        g_strerror (errno));
}

void
assay_folder_hide_results (const AssayPlan *plan, const char *out)
{
  g_autofree char *given = out != NULL ? NULL : assay_folder_default (plan);
  g_autofree char *parent = out != NULL ? NULL : g_path_get_dirname (given);
  g_autofree char *place = assay_folder_canonical (out != NULL ? out : parent);
  g_autofree char *beside = g_strconcat (place, ".new", NULL);

  assay_secret_path_add (place);
  assay_secret_path_add (beside);
}

void
assay_folder_hide_run (const char *place)
{
  g_autofree char *folder
      = g_str_has_suffix (place, ASSAY_STORE_FILE) ? g_path_get_dirname (place) : g_strdup (place);

  assay_secret_path_add (folder);
}
