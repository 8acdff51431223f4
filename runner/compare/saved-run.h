/* A run that was made before, finished or not, from its folder alone. */
#pragma once

#include "runner/judge/results.h"
#include "runner/store/manifest.h"

typedef struct {
  char *folder;
  char *version; /* of the program that began it */
  AssayRunTimes times;
  gboolean is_finished;
  int lock;
  AssayStore *store;
  AssayPlan *plan;
  AssayResults *results;
} AssaySavedRun;

/* Loads the run in @folder, and keeps other processes from working in it, and unless @to_read from
 * reading it.
 * ASSAY_ERROR_DATA: no folder, no run in it, damaged, or of another version. ASSAY_ERROR_SCENARIO:
 * a process works in it. */
AssaySavedRun *assay_saved_run_open (const char *folder, gboolean to_read, GError **error);
ASSAY_DECLARE_FREE (AssaySavedRun, assay_saved_run_close)
