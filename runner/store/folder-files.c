/* Which files in an output folder are those of a run. */
#include "runner/store/folder-files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "runner/plan/folders.h"
#include "runner/store/store.h"

/* All that a run writes into its folder beside pictures/ and plots/, and these with ".tmp". */
static const char *const own_files[] = {
  "results.json", "results.csv", "claims.xml", "summary.md", "report.html", "run.json",
  "baseline.json", "mutants.json", "mutants.part.json", NULL
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

  ASSAY_FOR_EACH (const AssayContactSheet, sheet, plan->sheets) {
    g_autofree char *picture = g_strconcat (sheet->name, ".png", NULL);
    g_autofree char *legend = g_strconcat (sheet->name, ".json", NULL);

    if (g_str_equal (plain, picture) || g_str_equal (plain, legend))
      return TRUE;
  }
  return FALSE;
}

/* A file in plots/: NAME-vs-NAME.svg, NAME-over-NAME.csv. Which there are depends on results. */
static gboolean
is_own_plot (G_GNUC_UNUSED const AssayPlan *plan, const char *name)
{
  static const char *const forms[] = { ".csv", ".gp", ".svg", ".pdf", ".png", NULL };
  g_autofree char *plain = without_tmp (name);

  for (guint i = 0; forms[i] != NULL; i++)
    if (g_str_has_suffix (plain, forms[i]))
      return strstr (plain, "-vs-") != NULL || strstr (plain, "-over-") != NULL;
  return FALSE;
}

/* The folders within that of a run. */
typedef struct {
  const char *name;
  gboolean (*is_own) (const AssayPlan *plan, const char *name);
} OwnFolder;

static const OwnFolder own_folders[] = {
  { ASSAY_PICTURE_FOLDER, is_own_picture },
  { ASSAY_PLOT_FOLDER, is_own_plot },
  { "figures", is_own_plot }, /* where they were before */
};

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

/* A folder that is not there has nothing to lose. Some file systems do not sync folders. */
static gboolean
sync_one (const char *path, GError **error)
{
  const int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const gboolean is_synced = fd < 0 || fsync (fd) == 0 || errno == EINVAL || errno == ENOTSUP;
  const int cause = errno;

  if (fd >= 0)
    close (fd);
  return is_synced
         || assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written: %s", path,
                        g_strerror (cause));
}

gboolean
assay_folder_sync (const char *path, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);

  for (guint i = 0; i < G_N_ELEMENTS (own_folders); i++) {
    g_autofree char *place = g_build_filename (path, own_folders[i].name, NULL);

    if (!sync_one (place, error))
      return FALSE;
  }
  return sync_one (path, error) && sync_one (parent, error);
}

/* Adds the names of the files in a folder that is there, each behind @before. FALSE: it is none. */
static gboolean
add_names (const char *path, const char *before, GPtrArray *names)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strconcat (before, name, NULL));
  return dir != NULL;
}

/* The files in the folder of a run, and those in its own folders by "FOLDER/NAME". */
static GPtrArray *
list_files (const char *path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  add_names (path, "", names);
  for (guint i = 0; i < G_N_ELEMENTS (own_folders); i++) {
    g_autofree char *place = g_build_filename (path, own_folders[i].name, NULL);
    g_autofree char *before = g_strconcat (own_folders[i].name, "/", NULL);
    guint at;

    if (add_names (place, before, names)
        && g_ptr_array_find_with_equal_func (names, own_folders[i].name, g_str_equal, &at))
      g_ptr_array_remove_index (names, at);
  }
  return names;
}

static gboolean
is_own (const AssayPlan *plan, const char *name)
{
  const char *slash = strchr (name, '/');

  for (guint i = 0; slash != NULL && i < G_N_ELEMENTS (own_folders); i++)
    if (g_str_has_prefix (name, own_folders[i].name))
      return own_folders[i].is_own (plan, slash + 1);
  return is_own_file (name);
}

gboolean
assay_folder_check_files (const AssayPlan *plan, const char *path, gint code, GError **error)
{
  g_autoptr (GPtrArray) names = list_files (path);

  ASSAY_FOR_EACH (const char, name, names)
    if (!is_own (plan, name))
      return assay_fail (error, code,
                         "output folder %s cannot be replaced by a new run: it holds '%s', which "
                         "is not of the run; expected that elsewhere, or --out with another folder",
                         path, name);
  return TRUE;
}

void
assay_folder_remove_files (const AssayPlan *plan, const char *path)
{
  g_autoptr (GPtrArray) names = list_files (path);
  g_autofree char *store = g_build_filename (path, ASSAY_STORE_FILE, NULL);

  ASSAY_FOR_EACH (const char, name, names) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    if (is_own (plan, name) && !g_str_equal (name, ASSAY_STORE_FILE))
      g_unlink (child);
  }
  for (guint i = 0; i < G_N_ELEMENTS (own_folders); i++) {
    g_autofree char *place = g_build_filename (path, own_folders[i].name, NULL);

    g_rmdir (place);
  }
  g_unlink (store);
}
