/* Output folders: where a run works, what it may replace, and that only one process is in it. */
#pragma once

#include "runner/plan.h"
#include "runner/store.h"

G_BEGIN_DECLS

/* What the store of a run says of itself. */
#define ASSAY_META_PLAN "plan_sha256"
#define ASSAY_META_PLAN_TEXT "plan"
#define ASSAY_META_STATE "state"
#define ASSAY_META_FINISHED "finished"

typedef struct {
  char *place;     /* where the results will be */
  char *work;      /* where the run works: place, or beside it when a finished run is replaced */
  int lock;        /* an open descriptor that holds the folder */
  gboolean is_new; /* nothing has been run in it yet */
  gboolean is_finished; /* --resume of a run that is already whole */
  AssayStore *store;
} AssayFolder;

/* Opens the folder for @plan. A folder of another plan, of something else than a run, in use by
 * another process, unfinished without @resume or not writable is ASSAY_ERROR_SCENARIO; a full disk
 * is ASSAY_ERROR_IO. Nothing is created on failure. */
gboolean assay_folder_open (const AssayPlan *plan, const char *place, gboolean resume,
                            AssayFolder *ret_folder, GError **error);

/* The same checks, without opening or creating anything: so that a folder which cannot be used is
 * told before the data is generated. */
gboolean assay_folder_check (const AssayPlan *plan, const char *place, gboolean resume,
                             GError **error);

/* Marks the run as finished and, where it replaces an older one, puts it in its place in one step.
 */
gboolean assay_folder_finish (AssayFolder *folder, GError **error);

void assay_folder_clear (AssayFolder *folder);

/* The folder for a plan that names none: assay-out/SCENARIO-HASH. */
char *assay_folder_default (const AssayPlan *plan);

G_END_DECLS
