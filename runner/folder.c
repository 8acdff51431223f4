/* Output folders.
 *
 * A folder is identified by the hash of its plan. A finished run is replaced by working beside it
 * (PLACE.new) and exchanging the two at the end, so that at any moment PLACE holds one whole run.
 * The lock is on the folder itself (flock), so nothing is left behind by a process that is killed.
 */
#include "runner/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define LOCK_TRIES 10
#define LOCK_WAIT_US 10000

typedef enum {
  FOUND_NOTHING, /* no such folder, or an empty one */
  FOUND_UNFINISHED,
  FOUND_FINISHED,
} Found;

char *
assay_folder_default (const AssayPlan *plan)
{
  g_autofree char *base = g_path_get_basename (plan->scenario);
  char *dot = strrchr (base, '.');

  if (dot != NULL && dot != base)
    *dot = '\0';
  return g_strdup_printf ("assay-out/%s-%.8s", base, plan->sha256);
}

void
assay_folder_clear (AssayFolder *folder)
{
  g_clear_pointer (&folder->store, assay_store_close);
  if (folder->lock > 0)
    close (folder->lock);
  folder->lock = 0;
  g_clear_pointer (&folder->place, g_free);
  g_clear_pointer (&folder->work, g_free);
}

static gboolean
is_empty_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  return dir != NULL && g_dir_read_name (dir) == NULL;
}

/* Nothing but a store: what is left of a run that was killed before it wrote anything else. */
static gboolean
holds_only_store (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (!g_str_has_prefix (name, ASSAY_STORE_FILE))
      return FALSE;
  return dir != NULL;
}

/* Whether another process works in the folder. */
static gboolean
is_in_use (const char *path)
{
  const int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const gboolean is_held = fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;

  if (fd >= 0)
    close (fd);
  return is_held;
}

static gboolean
fail_in_use (const char *path, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_SCENARIO,
                     "output folder %s is in use by another process; expected it to end first, or "
                     "--out with another folder",
                     path);
}

/* What stands at @path, and that it belongs to this plan. */
static gboolean
look (const AssayPlan *plan, const char *path, Found *ret_found, GError **error)
{
  g_autofree char *store_path = g_build_filename (path, ASSAY_STORE_FILE, NULL);
  g_autoptr (AssayStore) store = NULL;
  g_autofree char *sha256 = NULL;
  g_autofree char *state = NULL;

  *ret_found = FOUND_NOTHING;
  if (!g_file_test (path, G_FILE_TEST_EXISTS) || is_empty_folder (path))
    return TRUE;
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "output %s is not a folder", path);
  if (is_in_use (path))
    return fail_in_use (path, error);
  if (!g_file_test (store_path, G_FILE_TEST_EXISTS))
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "output folder %s holds other files and no run; expected a new folder, an "
                       "empty one, or one of this scenario",
                       path);
  store = assay_store_open (path, holds_only_store (path), error);
  if (store == NULL || !assay_store_get (store, ASSAY_META_PLAN, &sha256, error)
      || !assay_store_get (store, ASSAY_META_STATE, &state, error))
    return FALSE;
  if (sha256 == NULL) /* killed before it said what it runs */
    return TRUE;
  if (!g_str_equal (sha256, plan->sha256))
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "output folder %s holds the run of another scenario or of other settings; "
                       "expected --out with another folder",
                       path);
  *ret_found = g_strcmp0 (state, ASSAY_META_FINISHED) == 0 ? FOUND_FINISHED : FOUND_UNFINISHED;
  return TRUE;
}

static gboolean
fail_unfinished (const char *path, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_SCENARIO,
                     "output folder %s holds an unfinished run of this scenario; expected --resume "
                     "to go on with it, or --out with another folder",
                     path);
}

/* Decides where to work; touches nothing. */
static gboolean
choose_work (const AssayPlan *plan, gboolean resume, AssayFolder *folder, GError **error)
{
  g_autofree char *beside = g_strconcat (folder->place, ".new", NULL);
  Found at_place, at_beside;

  if (!look (plan, folder->place, &at_place, error) || !look (plan, beside, &at_beside, error))
    return FALSE;
  if (at_place == FOUND_UNFINISHED && !resume)
    return fail_unfinished (folder->place, error);
  if (at_place != FOUND_FINISHED) {
    folder->work = g_strdup (folder->place);
    folder->is_new = at_place == FOUND_NOTHING;
    return TRUE;
  }
  if (at_beside == FOUND_UNFINISHED && !resume)
    return fail_unfinished (beside, error);
  folder->is_finished = resume && at_beside == FOUND_NOTHING;
  folder->is_new = !resume;
  folder->work = folder->is_finished ? g_strdup (folder->place) : g_steal_pointer (&beside);
  return TRUE;
}

static gboolean
lock_folder (AssayFolder *folder, GError **error)
{
  folder->lock = open (folder->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder->lock < 0) {
    folder->lock = 0;
    return assay_fail (error, ASSAY_ERROR_IO, "output folder %s: %s", folder->work,
                       g_strerror (errno));
  }
  /* Others look whether the folder is in use by taking the lock for a moment. */
  for (guint try = 0; flock (folder->lock, LOCK_EX | LOCK_NB) != 0; try++) {
    if (try == LOCK_TRIES)
      return fail_in_use (folder->work, error);
    g_usleep (LOCK_WAIT_US);
  }
  return TRUE;
}

/* That the folder can be written or, where it is not there yet, made: told before any work. */
static gboolean
check_writable (const AssayFolder *folder, GError **error)
{
  g_autofree char *path = g_strdup (folder->work);
  const gboolean is_there = g_file_test (path, G_FILE_TEST_EXISTS);

  while (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    char *parent = g_path_get_dirname (path);

    g_free (path);
    path = parent;
  }
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    errno = ENOTDIR;
  else if (access (path, W_OK | X_OK) == 0)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_SCENARIO, "output folder %s cannot be %s: %s", folder->work,
                     is_there ? "written" : "created", g_strerror (errno));
}

/* The store goes last, so that what a kill leaves is still known as a run. */
static void
empty_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autofree char *store = g_build_filename (path, ASSAY_STORE_FILE, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    if (g_file_test (child, G_FILE_TEST_IS_DIR) && !g_file_test (child, G_FILE_TEST_IS_SYMLINK)) {
      empty_folder (child);
      g_rmdir (child);
    } else if (!g_str_equal (child, store)) {
      g_unlink (child);
    }
  }
  g_unlink (store);
}

/* What stands in a folder that is new to the plan is what a kill left: half a store, or beside a
 * finished run one that had taken its place. */
static gboolean
set_up (const AssayPlan *plan, AssayFolder *folder, GError **error)
{
  const gboolean was_there = g_file_test (folder->work, G_FILE_TEST_EXISTS);

  if (g_mkdir_with_parents (folder->work, 0777) != 0)
    return assay_fail (error, errno == ENOSPC ? ASSAY_ERROR_IO : ASSAY_ERROR_SCENARIO,
                       "output folder %s cannot be created: %s", folder->work, g_strerror (errno));
  if (!lock_folder (folder, error))
    return FALSE;
  if (folder->is_new)
    empty_folder (folder->work);
  folder->store = assay_store_open (folder->work, TRUE, error);
  if (folder->store != NULL
      && (!folder->is_new
          || (assay_store_set (folder->store, ASSAY_META_PLAN_TEXT, plan->canonical, error)
              && assay_store_set (folder->store, ASSAY_META_PLAN, plan->sha256, error))))
    return TRUE;
  g_clear_pointer (&folder->store, assay_store_close);
  if (folder->is_new)
    empty_folder (folder->work);
  if (!was_there)
    g_rmdir (folder->work);
  return FALSE;
}

/* Where the run will be and work; nothing is opened yet. */
static gboolean
folder_init (const AssayPlan *plan, const char *place, gboolean resume, AssayFolder *folder,
             GError **error)
{
  *folder = (AssayFolder){ .place = g_strdup (place) };
  /* "out/" and "out" are one folder, and PLACE.new stands beside it. */
  while (strlen (folder->place) > 1 && g_str_has_suffix (folder->place, "/"))
    folder->place[strlen (folder->place) - 1] = '\0';
  return choose_work (plan, resume, folder, error) && check_writable (folder, error);
}

gboolean
assay_folder_check (const AssayPlan *plan, const char *place, gboolean resume, GError **error)
{
  AssayFolder folder;
  const gboolean is_ok = folder_init (plan, place, resume, &folder, error);

  assay_folder_clear (&folder);
  return is_ok;
}

gboolean
assay_folder_open (const AssayPlan *plan, const char *place, gboolean resume,
                   AssayFolder *ret_folder, GError **error)
{
  AssayFolder folder;

  if (!folder_init (plan, place, resume, &folder, error) || !set_up (plan, &folder, error)) {
    assay_folder_clear (&folder);
    return FALSE;
  }
  *ret_folder = folder;
  return TRUE;
}

gboolean
assay_folder_finish (AssayFolder *folder, GError **error)
{
  if (!assay_store_set (folder->store, ASSAY_META_STATE, ASSAY_META_FINISHED, error))
    return FALSE;
  g_clear_pointer (&folder->store, assay_store_close);
  if (g_str_equal (folder->work, folder->place))
    return TRUE;
  if (renameat2 (AT_FDCWD, folder->work, AT_FDCWD, folder->place, RENAME_EXCHANGE) != 0)
    return assay_fail (error, ASSAY_ERROR_IO,
                       "the run is whole in %s but cannot take the place of %s: %s", folder->work,
                       folder->place, g_strerror (errno));
  empty_folder (folder->work);
  g_rmdir (folder->work);
  return TRUE;
}
