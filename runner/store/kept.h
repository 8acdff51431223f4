/* What a run keeps of where it came from, and the run made again of it: so that reports need
 * neither the scenario's file nor the data. */
#pragma once

#include "runner/judge/results.h"
#include "runner/plan/plan.h"
#include "runner/store/store.h"

G_BEGIN_DECLS

/* Writes the scenario's text, what --set, --seed and --trials changed, and the sizes of the
 * datasets into the store, where they are not there already. */
gboolean assay_kept_store (const AssayPlan *plan, AssayStore *store, GError **error);

/* What run.json says and results do not. */
typedef struct {
  guint threads;
  gint64 started_us, ended_us; /* 0: not yet, or not known */
} AssayKeptTimes;

gboolean assay_kept_set_times (AssayStore *store, const AssayKeptTimes *times, GError **error);

typedef struct {
  char *folder;
  char *version; /* of the program that began it */
  AssayKeptTimes times;
  gboolean is_finished;
  int lock;
  AssayStore *store;
  AssayPlan *plan;
  AssayResults *results;
} AssayKeptRun;

/* Loads the run in @folder, finished or not, and keeps other processes from working in it, and
 * unless @to_read from reading it.
 * ASSAY_ERROR_DATA: no folder, no run in it, damaged, of a newer version, or of one that kept no
 * scenario. ASSAY_ERROR_SCENARIO: a process works in it. */
AssayKeptRun *assay_kept_run_open (const char *folder, gboolean to_read, GError **error);
void assay_kept_run_close (AssayKeptRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayKeptRun, assay_kept_run_close)

G_END_DECLS
