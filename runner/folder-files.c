/* Which files in an output folder are those of a run. */
#include "runner/folder-files.h"

#include <string.h>

#include <glib/gstdio.h>

#include "core/error.h"
#include "runner/sheet.h"
#include "runner/store.h"

/* All that a run writes into its folder beside pictures/, and these with ".tmp". */
static const char *const own_files[] = {
  "results.json", "results.csv", "claims.xml", "summary.md", "run.json", "baseline.json", NULL
};
static const char *const store_files[]
    = { ASSAY_STORE_FILE, ASSAY_STORE_FILE "-wal", ASSAY_STORE_FILE "-shm",
        ASSAY_STORE_FILE "-journal", NULL };

/* @name without ".tmp", the name of a file on its way to its place. */
static char *
without_tmp (const char *name)
{
  return g_str_has_suffix (name, ".tmp") ? g_strndup (name, strlen (name) - strlen (".tmp"))
                                         : g_strdup (name);
}

static gboolean
is_own_file (const char *name)
{
  g_autofree char *plain = without_tmp (name);

  return g_strv_contains (store_files, name) || g_strv_contains (own_files, plain);
}

/* A file in pictures/. */
static gboolean
is_own_picture (const AssayPlan *plan, const char *name)
{
  g_autofree char *plain = without_tmp (name);

  for (guint i = 0; i < plan->sheets->len; i++) {
    const AssaySheet *sheet = plan->sheets->pdata[i];
    g_autofree char *picture = g_strconcat (sheet->name, ".png", NULL);
    g_autofree char *legend = g_strconcat (sheet->name, ".json", NULL);

    if (g_str_equal (plain, picture) || g_str_equal (plain, legend))
      return TRUE;
  }
  return FALSE;
}

gboolean
assay_folder_holds_only_store (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (!g_strv_contains (store_files, name))
      return FALSE;
  return dir != NULL;
}

static gboolean
fail_foreign (const char *path, const char *name, gint code, GError **error)
{
  return assay_fail (error, code,
                     "output folder %s cannot be replaced by a new run: it holds '%s', which is "
                     "not of the run; expected that elsewhere, or --out with another folder",
                     path, name);
}

static gboolean
check_pictures (const AssayPlan *plan, const char *path, const char *pictures, gint code,
                GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (pictures, 0, NULL);
  const char *name;

  if (dir == NULL || plan->sheets->len == 0)
    return fail_foreign (path, ASSAY_SHEET_FOLDER, code, error);
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *shown = g_build_filename (ASSAY_SHEET_FOLDER, name, NULL);

    if (!is_own_picture (plan, name))
      return fail_foreign (path, shown, code, error);
  }
  return TRUE;
}

gboolean
assay_folder_check_files (const AssayPlan *plan, const char *path, gint code, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    if (g_str_equal (name, ASSAY_SHEET_FOLDER)) {
      if (!check_pictures (plan, path, child, code, error))
        return FALSE;
    } else if (!is_own_file (name)) {
      return fail_foreign (path, name, code, error);
    }
  }
  return TRUE;
}

static void
remove_pictures (const AssayPlan *plan, const char *path)
{
  g_autofree char *pictures = g_build_filename (path, ASSAY_SHEET_FOLDER, NULL);
  g_autoptr (GDir) dir = g_dir_open (pictures, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (pictures, name, NULL);

    if (is_own_picture (plan, name))
      g_unlink (child);
  }
  g_rmdir (pictures);
}

void
assay_folder_remove_files (const AssayPlan *plan, const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autofree char *store = g_build_filename (path, ASSAY_STORE_FILE, NULL);
  const char *name;

  if (plan->sheets->len > 0)
    remove_pictures (plan, path);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    if (is_own_file (name) && !g_str_equal (name, ASSAY_STORE_FILE))
      g_unlink (child);
  }
  g_unlink (store);
}
