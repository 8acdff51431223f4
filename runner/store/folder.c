/* Output folders.
 *
 * A folder is identified by the hash of its plan. A finished run is replaced by working beside it
 * (PLACE.new) and exchanging the two at the end, so that at any moment PLACE holds one whole run.
 * Serial numbers tell which of two finished runs was there first, when a kill leaves both.
 *
 * The locks are on the folders themselves (flock), so nothing is left behind by a process that is
 * killed. PLACE is held whether the run works in it or beside it, and what is done with the folders
 * is decided again once they are held.
 */
#include "runner/store/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "config.h"
#include "runner/plan/loaded.h"
#include "runner/store/folder-files.h"
#include "runner/store/folder-name.h"
#include "runner/store/manifest.h"
#include "runner/store/seal.h"

#define LOCK_TRIES 10
#define LOCK_WAIT_US 10000

typedef enum {
  FOUND_NOTHING, /* no such folder, or an empty one */
  FOUND_OTHER,   /* something that is not of this plan */
  FOUND_UNFINISHED,
  FOUND_FINISHED,
} Found;

typedef struct {
  Found found;
  guint64 serial;
} State;

void
assay_folder_clear (AssayFolder *folder)
{
  g_clear_pointer (&folder->store, assay_store_close);
  if (folder->place_lock > 0)
    close (folder->place_lock);
  if (folder->beside_lock > 0)
    close (folder->beside_lock);
  folder->place_lock = folder->beside_lock = 0;
  g_clear_pointer (&folder->place, g_free);
  g_clear_pointer (&folder->beside, g_free);
  g_clear_pointer (&folder->work, g_free);
}

/* ---- What is in a folder ---- */

static gboolean
is_empty_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  return dir != NULL && g_dir_read_name (dir) == NULL;
}

/* Whether another process works in the folder. Shared, so that two who ask do not take each other
 * for one who works. */
static gboolean
is_in_use (const char *path)
{
  const int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const gboolean is_held = fd >= 0 && flock (fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

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

/* That an unfinished run may be gone on with: by --resume, and by the program that began it, since
 * numbers of two versions do not belong in one table. */
static gboolean
check_resumable (const AssayFolder *folder, AssayStore *store, const char *path, GError **error)
{
  g_autofree char *version = NULL;

  if (!folder->resume)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "output folder %s holds an unfinished run of this scenario; expected "
                       "--resume to go on with it, or --out with another folder",
                       path);
  if (!assay_store_get (store, ASSAY_META_VERSION, &version, error))
    return FALSE;
  return g_strcmp0 (version, ASSAY_THIS_VERSION) == 0
         || assay_fail (error, ASSAY_ERROR_SCENARIO,
                        "output folder %s holds an unfinished run that Assay %s began, and this is "
                        "%s; expected the same, or --out with another folder",
                        path, version != NULL ? version : "of an unknown version",
                        ASSAY_THIS_VERSION);
}

/* The run in the store of @path, which is ours; @ret_state is set even on failure. */
static gboolean
inspect_store (const AssayFolder *folder, const char *path, State *ret_state, GError **error)
{
  g_autoptr (AssayStore) store = assay_store_open (path, FALSE, error);
  g_autofree char *sha256 = NULL;
  g_autofree char *state = NULL;
  g_autofree char *serial = NULL;
  g_autofree char *text = NULL;

  if (store == NULL || !assay_store_get (store, ASSAY_META_PLAN, &sha256, error)
      || !assay_store_get (store, ASSAY_META_PLAN_TEXT, &text, error)
      || !assay_store_get (store, ASSAY_META_STATE, &state, error)
      || !assay_store_get (store, ASSAY_META_SERIAL, &serial, error))
    return FALSE;
  if (sha256 == NULL) /* killed before it said what it runs */
    return TRUE;
  if (!g_str_equal (sha256, folder->plan->sha256)) {
    g_autofree char *difference
        = text != NULL ? assay_loaded_difference (text, folder->plan->canonical) : NULL;

    ret_state->found = FOUND_OTHER;
    if (difference != NULL)
      return assay_fail (error, ASSAY_ERROR_SCENARIO,
                         "output folder %s: %s; expected --out with another folder", path,
                         difference);
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "output folder %s holds the run of another scenario or of other settings; "
                       "expected --out with another folder",
                       path);
  }
  ret_state->serial = serial != NULL ? g_ascii_strtoull (serial, NULL, 10) : 0;
  ret_state->found = FOUND_FINISHED;
  if (g_strcmp0 (state, ASSAY_META_FINISHED) == 0)
    return TRUE;
  ret_state->found = FOUND_UNFINISHED;
  return check_resumable (folder, store, path, error);
}

/* What stands at @path, and that it may be used; writes nothing. @lock: of this process, or 0. */
static gboolean
inspect (const AssayFolder *folder, const char *path, int lock, State *ret_state, GError **error)
{
  g_autofree char *store_path = g_build_filename (path, ASSAY_STORE_FILE, NULL);

  *ret_state = (State){ .found = FOUND_NOTHING };
  if (!g_file_test (path, G_FILE_TEST_EXISTS) || is_empty_folder (path))
    return TRUE;
  if (lock <= 0 && is_in_use (path))
    return fail_in_use (path, error);
  if (!g_file_test (path, G_FILE_TEST_IS_DIR)) {
    ret_state->found = FOUND_OTHER;
    return assay_fail (error, ASSAY_ERROR_SCENARIO, "output %s is not a folder", path);
  }
  /* A link that a stranger left would be written through. */
  if (!g_file_test (store_path, G_FILE_TEST_IS_REGULAR)
      || g_file_test (store_path, G_FILE_TEST_IS_SYMLINK)) {
    ret_state->found = FOUND_OTHER;
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "output folder %s holds other files and no run; expected a new folder, an "
                       "empty one, or one of this scenario",
                       path);
  }
  if (assay_folder_holds_only_store (path) && assay_store_is_blank (path))
    return TRUE;
  return inspect_store (folder, path, ret_state, error);
}

/* ---- Where to work ---- */

static gboolean
is_mount_point (const char *path)
{
  struct statx about;

  return statx (AT_FDCWD, path, 0, STATX_TYPE, &about) == 0
         && (about.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/* That a finished run can be exchanged for another one, which is told before any work. */
static gboolean
check_replaceable (const AssayFolder *folder, GError **error)
{
  const char *path = folder->place;
  g_autofree char *canonical = assay_folder_canonical (path);
  g_autofree char *here = assay_folder_canonical (".");
  const char *reason = g_str_equal (canonical, here) ? "the working folder"
                       : is_mount_point (path)       ? "a mount point"
                                                     : NULL;

  if (reason != NULL)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "output folder %s holds a finished run and cannot be replaced: it "
                       "is %s; expected --resume to show it, or --out with another folder",
                       path, reason);
  return assay_folder_check_files (folder->plan, path, ASSAY_ERROR_SCENARIO, error);
}

/* What is not of this plan does not stand in the way of showing a finished run. */
static gboolean
inspect_beside (const AssayFolder *folder, State *ret_state, GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (inspect (folder, folder->beside, folder->beside_lock, ret_state, &problem))
    return TRUE;
  if (folder->resume && ret_state->found == FOUND_OTHER)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

/* Decides where to work; touches nothing. */
static gboolean
choose_work (AssayFolder *folder, GError **error)
{
  State at_place, at_beside;
  gboolean is_newer;

  if (!inspect (folder, folder->place, folder->place_lock, &at_place, error))
    return FALSE;
  folder->serial = at_place.serial + 1;
  if (at_place.found != FOUND_FINISHED) {
    folder->work = g_strdup (folder->place);
    folder->is_new = at_place.found == FOUND_NOTHING;
    return TRUE;
  }
  if (!inspect_beside (folder, &at_beside, error))
    return FALSE;
  is_newer = at_beside.found == FOUND_UNFINISHED
             || (at_beside.found == FOUND_FINISHED && at_beside.serial > at_place.serial);
  folder->is_new = !folder->resume;
  folder->is_finished = folder->resume && !is_newer;
  /* Or a run that was killed before it began or when it had been taken away but for its folder. */
  folder->has_leftover = (at_beside.found == FOUND_FINISHED && !is_newer)
                         || (folder->is_finished && at_beside.found == FOUND_NOTHING
                             && g_file_test (folder->beside, G_FILE_TEST_IS_DIR));
  folder->work = g_strdup (folder->is_finished ? folder->place : folder->beside);
  return folder->is_finished
         || (check_replaceable (folder, error)
             && assay_folder_check_files (folder->plan, folder->beside, ASSAY_ERROR_SCENARIO,
                                          error));
}

/* That the folder can be written or, where it is not there yet, made: told before any work. */
static gboolean
check_writable (const AssayFolder *folder, GError **error)
{
  g_autofree char *path = g_strdup (folder->work);
  const gboolean is_there = g_file_test (path, G_FILE_TEST_EXISTS);
  gboolean is_writable;

  while (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    char *parent = g_path_get_dirname (path);

    g_free (path);
    path = parent;
  }
  is_writable = access (path, W_OK | X_OK) == 0;
  if (!g_file_test (path, G_FILE_TEST_IS_DIR)) {
    is_writable = FALSE;
    errno = ENOTDIR;
  } else if (is_writable && is_there && !g_str_equal (folder->work, folder->place)) {
    /* The exchange changes the folder that both stand in. */
    g_autofree char *parent = g_path_get_dirname (path);

    is_writable = access (parent, W_OK | X_OK) == 0;
  }
  return is_writable
         || assay_fail (error, ASSAY_ERROR_SCENARIO, "output folder %s cannot be %s: %s",
                        folder->work, is_there ? "written" : "created", g_strerror (errno));
}

/* SQLite opens no longer path, and says no more than that it is unable to. */
#define LONGEST_STORE 500
#define STORE_ENDING "-journal"

static gboolean
check_length (const AssayFolder *folder, GError **error)
{
  g_autofree char *whole = assay_folder_canonical (folder->beside);
  const gsize length = strlen (whole) + strlen ("/" ASSAY_STORE_FILE STORE_ENDING);

  return length <= LONGEST_STORE
         || assay_fail (error, ASSAY_ERROR_SCENARIO,
                        "output folder %s: the path of its run store has %zu bytes; expected at "
                        "most %d, which is all that SQLite opens: choose a shorter --out",
                        folder->place, length, LONGEST_STORE);
}

/* Where the run will be and work; nothing is opened yet. */
static gboolean
folder_init (const AssayPlan *plan, const char *place, gboolean resume, AssayFolder *folder,
             GError **error)
{
  *folder = (AssayFolder){ .plan = plan, .resume = resume };
  if (!assay_folder_resolve (place, &folder->place, error))
    return FALSE;
  folder->beside = g_strconcat (folder->place, ".new", NULL);
  return check_length (folder, error) && choose_work (folder, error);
}

gboolean
assay_folder_check (const AssayPlan *plan, const char *place, gboolean resume, GError **error)
{
  AssayFolder folder;
  const gboolean is_ok = folder_init (plan, place, resume, &folder, error)
                         && (folder.is_finished || check_writable (&folder, error));

  assay_folder_clear (&folder);
  return is_ok;
}

/* ---- Opening ---- */

/* That the folder which is held is the one that has the name now. */
static gboolean
is_still_there (const char *path, int lock)
{
  struct stat named, held;

  return stat (path, &named) == 0 && fstat (lock, &held) == 0 && named.st_dev == held.st_dev
         && named.st_ino == held.st_ino;
}

gboolean
assay_folder_hold (const char *path, gboolean to_read, int *ret_lock, GError **error)
{
  const int lock = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (lock < 0)
    return assay_fail (error, ASSAY_ERROR_IO, "output folder %s: %s", path, g_strerror (errno));
  *ret_lock = lock;
  /* Others look whether the folder is in use by taking the lock for a moment. */
  for (guint try = 0; flock (lock, (to_read ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0; try++) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return assay_fail (error, ASSAY_ERROR_IO, "output folder %s cannot be locked: %s", path,
                         g_strerror (errno));
    if (try == LOCK_TRIES)
      return fail_in_use (path, error);
    g_usleep (LOCK_WAIT_US);
  }
  return is_still_there (path, lock) || fail_in_use (path, error);
}

/* @ret_is_made: by this process, which may then take it away again. */
static gboolean
make_folder (const char *path, gboolean *ret_is_made, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);

  if (g_mkdir_with_parents (parent, 0777) == 0) {
    *ret_is_made = g_mkdir (path, 0777) == 0;
    if (*ret_is_made || errno == EEXIST)
      return TRUE;
  }
  return assay_fail (error, errno == ENOSPC ? ASSAY_ERROR_IO : ASSAY_ERROR_SCENARIO,
                     "output folder %s cannot be created: %s", path, g_strerror (errno));
}

/* Makes the folder to work in, and holds it and the one it will replace. */
static gboolean
hold_folders (AssayFolder *folder, gboolean *ret_is_made, GError **error)
{
  const gboolean is_beside = !g_str_equal (folder->work, folder->place);

  if (is_beside && !assay_folder_hold (folder->place, FALSE, &folder->place_lock, error))
    return FALSE;
  if (!make_folder (folder->work, ret_is_made, error))
    return FALSE;
  if (!is_beside && !assay_folder_hold (folder->place, FALSE, &folder->place_lock, error)) {
    *ret_is_made = FALSE; /* it is another's by now */
    return FALSE;
  }
  return (!is_beside && !folder->has_leftover)
         || assay_folder_hold (folder->beside, FALSE, &folder->beside_lock, error);
}

/* What was decided before the folders were held must still be right. */
static gboolean
choose_again (const AssayFolder *folder, GError **error)
{
  AssayFolder again = { .plan = folder->plan,
                        .resume = folder->resume,
                        .place = folder->place,
                        .beside = folder->beside,
                        .place_lock = folder->place_lock,
                        .beside_lock = folder->beside_lock };
  const gboolean is_ok = choose_work (&again, error);
  g_autofree char *work = again.work;

  return is_ok
         && ((g_str_equal (work, folder->work) && again.serial == folder->serial
              && again.is_new == folder->is_new && again.is_finished == folder->is_finished
              && again.has_leftover == folder->has_leftover)
             || fail_in_use (folder->place, error));
}

/* The plan's hash goes last: without it nothing has been run. */
static gboolean
describe_run (AssayFolder *folder, GError **error)
{
  const AssayPlan *plan = folder->plan;
  g_autofree char *serial = g_strdup_printf ("%" G_GUINT64_FORMAT, folder->serial);

  return assay_store_set (folder->store, ASSAY_META_VERSION, ASSAY_THIS_VERSION, error)
         && assay_store_set (folder->store, ASSAY_META_SERIAL, serial, error)
         && assay_store_set (folder->store, ASSAY_META_PLAN_TEXT, plan->canonical, error)
         && assay_manifest_store (plan, folder->store, error)
         && assay_seal_set (folder->store, plan, error)
         && assay_store_set (folder->store, ASSAY_META_PLAN, plan->sha256, error);
}

/* What stands in a folder that is new to the plan is what a kill left: half a store, or beside a
 * finished run one that it had replaced. */
static gboolean
set_up (AssayFolder *folder, GError **error)
{
  const AssayPlan *plan = folder->plan;

  if (folder->is_new)
    assay_folder_remove_files (plan, folder->work);
  if (folder->is_finished && folder->has_leftover) {
    assay_folder_remove_files (plan, folder->beside);
    g_rmdir (folder->beside);
  }
  folder->store = assay_store_open (folder->work, TRUE, error);
  /* Claims may have changed since a run that is gone on with was begun. */
  if (folder->store != NULL
      && (folder->is_new ? describe_run (folder, error)
                         : assay_manifest_store (plan, folder->store, error)
                               && assay_seal_set (folder->store, plan, error)))
    return TRUE;
  g_clear_pointer (&folder->store, assay_store_close);
  if (folder->is_new)
    assay_folder_remove_files (plan, folder->work);
  return FALSE;
}

gboolean
assay_folder_open (const AssayPlan *plan, const char *place, gboolean resume,
                   AssayFolder *ret_folder, GError **error)
{
  AssayFolder folder;
  gboolean is_made = FALSE;

  if (folder_init (plan, place, resume, &folder, error) && check_writable (&folder, error)
      && hold_folders (&folder, &is_made, error) && choose_again (&folder, error)
      && set_up (&folder, error)) {
    *ret_folder = folder;
    return TRUE;
  }
  if (is_made)
    g_rmdir (folder.work);
  assay_folder_clear (&folder);
  return FALSE;
}

gboolean
assay_folder_finish (AssayFolder *folder, GError **error)
{
  /* A power cut must not leave a store that says more than the files beside it hold. */
  if (!assay_folder_sync (folder->work, error)
      || !assay_store_set (folder->store, ASSAY_META_STATE, ASSAY_META_FINISHED, error)
      || !assay_store_settle (folder->store, error))
    return FALSE;
  g_clear_pointer (&folder->store, assay_store_close);
  if (g_str_equal (folder->work, folder->place))
    return TRUE;
  /* A file that came while the run was under way; the run is exchanged on resume. */
  if (!assay_folder_check_files (folder->plan, folder->place, ASSAY_ERROR_IO, error))
    return FALSE;
  if (renameat2 (AT_FDCWD, folder->work, AT_FDCWD, folder->place, RENAME_EXCHANGE) != 0)
    return assay_fail (error, ASSAY_ERROR_IO,
                       "the run is whole in %s but cannot take the place of %s: %s", folder->work,
                       folder->place, g_strerror (errno));
  /* The old run goes once the new one is in its place on the disk, too. */
  if (!assay_folder_sync (folder->place, error))
    return FALSE;
  assay_folder_remove_files (folder->plan, folder->work);
  g_rmdir (folder->work);
  return TRUE;
}
