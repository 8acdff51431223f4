/* Which files in an output folder are those of a run: nothing else is ever deleted. */
#pragma once

#include "runner/plan/plan.h"

/* Forces to the disk what files stand in the folder of a run and in its own folders, and that it
 * stands where it does: what is renamed into a folder lasts with the folder. ASSAY_ERROR_IO. */
gboolean assay_folder_sync (const char *path, GError **error);

/* Nothing but a store: what is left of a run that was killed before it wrote anything else. */
gboolean assay_folder_holds_only_store (const char *path);

/* That nothing would be lost with the folder of a run of @plan; otherwise an error of @code that
 * names the file. */
gboolean assay_folder_check_files (const AssayPlan *plan, const char *path, gint code,
                                   GError **error);

/* Removes what a run of @plan writes. The store goes last, so that what a kill leaves is still
 * known as a run. */
void assay_folder_remove_files (const AssayPlan *plan, const char *path);
