/* Runs of scenarios, and their results. */
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/shared-work.h"
#include "lib/assay.h"
#include "lib/status.h"
#include "report/report.h"
#include "runner/compare/saved-run.h"
#include "runner/judge/load.h"
#include "runner/plan/estimate.h"
#include "runner/plan/planner.h"
#include "runner/run/inputs.h"
#include "runner/run/run.h"
#include "runner/store/folder.h"
#include "runner/store/manifest.h"

typedef struct {
  const AssayApiRun *run;
  gboolean is_cancelled;
} Caller;

static void
on_progress (const AssayProgress *progress, gpointer data)
{
  Caller *caller = data;

  if (caller->run->progress != NULL
      && caller->run->progress (progress->done, progress->total, progress->doing, caller->run->data)
             != 0)
    caller->is_cancelled = TRUE;
}

static gboolean
is_cancelled (gpointer data)
{
  return ((const Caller *) data)->is_cancelled;
}

/* Writes the reports, and puts the folder in its place. */
static gboolean
finish (const AssayPlan *plan, AssayFolder *folder, gint64 started, GError **error)
{
  const AssayRunTimes times = { .threads = assay_parallel_threads (),
                                .started_us = started,
                                .ended_us = g_get_real_time () };
  const AssayReportRun about = { times.threads, times.started_us, times.ended_us };
  g_autoptr (AssayResults) results = assay_results_load (plan, folder->store, error);

  return results != NULL && assay_manifest_set_times (folder->store, &times, error)
         && assay_report_write (results, folder->work, &about, NULL, error)
         && assay_folder_finish (folder, error);
}

static gboolean
run_in_folder (const AssayPlan *plan, AssayWorkspace *workspace, AssayFolder *folder,
               const AssayApiRun *run, GError **error)
{
  Caller caller = { .run = run };
  const AssayRunCallbacks callbacks
      = { .is_cancelled = is_cancelled, .progress = on_progress, .data = &caller };
  const gint64 started = g_get_real_time ();
  AssayRunEnd end = ASSAY_RUN_FINISHED;
  gboolean has_others; /* of which the program warns */

  if (!assay_inputs_check (plan, workspace, folder->store, folder->is_finished, error)
      || (!folder->is_finished
          && (!assay_manifest_add_confinement (plan, folder->store, error)
              || !assay_manifest_add_kernels (folder->store, &has_others, error)))
      || (!folder->is_finished
          && !assay_run (plan, workspace, folder->store, &callbacks, &end, error)))
    return FALSE;
  if (end == ASSAY_RUN_INTERRUPTED)
    return assay_fail (error, ASSAY_ERROR_CANCELLED,
                       "stopped: what is done is kept in %s, and the run can be resumed",
                       folder->work);
  return finish (plan, folder, started, error);
}

static gboolean
run_scenario (const char *scenario, const AssayApiRun *run, char **ret_folder, GError **error)
{
  const AssayPlanOptions options = { .assignments = run->assignments };
  g_autoptr (AssayPlan) plan = assay_plan_new (scenario, &options, error);
  g_autoptr (AssayWorkspace) workspace = NULL;
  g_autofree char *place = NULL;
  AssayFolder folder = { 0 };
  const char *sha256;
  guint64 budget;
  gboolean is_ok;

  if (plan == NULL)
    return FALSE;
  place = run->out != NULL ? g_strdup (run->out) : assay_folder_default (plan);
  assay_folder_hide_results (plan, run->out);
  budget = assay_plan_shared_budget (plan, 1);
  if (!assay_folder_check (plan, place, run->resume, error)
      || !assay_plan_check_budget (plan, 1, budget, error))
    return FALSE;
  assay_shared_set_budget (budget);
  workspace = assay_workspace_new (plan);
  assay_workspace_share_data (workspace, assay_shared_owner ());
  /* What is wrong with the data is told before a folder is made. */
  if ((!run->resume && !assay_workspace_dataset (workspace, 0, &sha256, error))
      || !assay_folder_open (plan, place, run->resume, &folder, error))
    return FALSE;
  is_ok = run_in_folder (plan, workspace, &folder, run, error);
  assay_folder_clear (&folder);
  if (is_ok)
    *ret_folder = g_steal_pointer (&place);
  return is_ok;
}

int
assay_api_run (const char *scenario, const AssayApiRun *run, char **ret_folder)
{
  static const AssayApiRun as_usual = { 0 };
  GError *error = NULL;

  assay_lib_begin ();
  return run_scenario (scenario, run != NULL ? run : &as_usual, ret_folder, &error)
             ? ASSAY_API_OK
             : assay_lib_fail (error);
}

int
assay_api_results (const char *folder, char **ret_json)
{
  GError *error = NULL;
  g_autoptr (AssaySavedRun) run = NULL;
  char *json;

  assay_lib_begin ();
  run = assay_saved_run_open (folder, TRUE, &error);
  json = run != NULL ? assay_report_json (run->results, &error) : NULL;
  if (json == NULL)
    return assay_lib_fail (error);
  *ret_json = json;
  return ASSAY_API_OK;
}
