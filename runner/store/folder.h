/* Output folders: where a run works, what it may replace, and that only one process is in it. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/store/folder-name.h"
#include "runner/store/store.h"

typedef struct {
  const AssayPlan *plan;
  gboolean resume;
  char *place; /* where the results will be; of a link, what it leads to */
  char *beside; /* PLACE.new */
  char *work;  /* where the run works: place, or beside it when a finished run is replaced */
  int place_lock, beside_lock; /* open descriptors that hold the folders; 0: not held */
  guint64 serial;              /* of a run that is new */
  gboolean is_new;             /* nothing has been run in it yet */
  gboolean is_finished;        /* --resume of a run that is already whole */
  gboolean has_leftover; /* a process that was killed left something beside it: the run that it had
                            replaced, or a folder without a run */
  AssayStore *store;
} AssayFolder;

/* Opens the folder for @plan. ASSAY_ERROR_SCENARIO: a folder of another plan, of something else
 * than a run, in use by another process or not writable; an unfinished run without @resume, or
 * begun by another version; a finished one that cannot be replaced, because it holds a file that is
 * not of the run, is the working folder or a mount point. A full disk is ASSAY_ERROR_IO. Nothing is
 * created on failure. */
gboolean assay_folder_open (const AssayPlan *plan, const char *place, gboolean resume,
                            AssayFolder *ret_folder, GError **error);

/* The same checks, without opening or creating anything: so that a folder which cannot be used is
 * told before the data is generated. A finished run that is resumed need not be writable. */
gboolean assay_folder_check (const AssayPlan *plan, const char *place, gboolean resume,
                             GError **error);

/* Marks the run as finished and, where it replaces an older one, puts it in its place in one step.
 */
gboolean assay_folder_finish (AssayFolder *folder, GError **error);

void assay_folder_clear (AssayFolder *folder);

/* Locks the folder at @path, which is there, until the descriptor @ret_lock is closed; @to_read:
 * along with others who read. ASSAY_ERROR_SCENARIO: another process works in it. */
gboolean assay_folder_hold (const char *path, gboolean to_read, int *ret_lock, GError **error);
