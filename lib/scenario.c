/* Runs of scenarios, and their results. */
#include "core/base/error.h"
#include "core/base/shared-work.h"
#include "lib/assay.h"
#include "lib/run-flow.h"
#include "lib/status.h"
#include "report/report.h"
#include "runner/compare/saved-run.h"
#include "runner/plan/planner.h"

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

/* To the finished folder. */
static gboolean
take_steps (AssayRunFlow *flow, const AssayApiRun *run, GError **error)
{
  Caller caller = { .run = run };
  const AssayRunCallbacks callbacks
      = { .is_cancelled = is_cancelled, .progress = on_progress, .data = &caller };
  g_autoptr (AssayResults) results = NULL;
  AssayRunEnd end;
  const char *sha256;

  if (!assay_run_flow_open_data (flow, &sha256, error) || !assay_run_flow_open_folder (flow, error)
      || !assay_run_flow_begin (flow, error)
      || !assay_run_flow_cells (flow, NULL, &callbacks, &end, error))
    return FALSE;
  if (end == ASSAY_RUN_INTERRUPTED)
    return assay_fail (error, ASSAY_ERROR_CANCELLED,
                       "stopped: what is done is kept in %s, and the run can be resumed",
                       flow->folder.work);
  results = assay_run_flow_judge (flow, error);
  return results != NULL && assay_run_flow_write (flow, results, TRUE, error)
         && assay_folder_finish (&flow->folder, error);
}

static gboolean
run_scenario (const char *scenario, const AssayApiRun *run, char **ret_folder, GError **error)
{
  const AssayPlanOptions options = { .assignments = run->assignments };
  g_autoptr (GPtrArray) plans = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_plan_free);
  AssayRunTerms terms
      = { .out = run->out, .data_owner = assay_shared_owner (), .resume = run->resume };
  g_autofree char *place = NULL;
  AssayPlan *plan = assay_plan_new (scenario, &options, error);
  g_auto (AssayRunFlow) flow = { 0 };

  if (plan == NULL)
    return FALSE;
  g_ptr_array_add (plans, plan);
  place = run->out != NULL ? g_strdup (run->out) : assay_folder_default (plan);
  terms.plan = plan;
  terms.place = place;
  assay_run_flow_init (&terms, &flow);
  if (!assay_folder_check (plan, place, run->resume, error)
      || !assay_run_set_budget (plans, 1, G_MAXUINT64, error) || !take_steps (&flow, run, error))
    return FALSE;
  *ret_folder = g_steal_pointer (&place);
  return TRUE;
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
