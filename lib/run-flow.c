/* The steps of a run. */
#include "lib/run-flow.h"

#include "core/base/parallel.h"
#include "core/base/shared-work.h"
#include "core/plugin/modules/module-loader.h"
#include "report/report.h"
#include "runner/judge/load.h"
#include "runner/plan/estimate.h"
#include "runner/run/inputs.h"
#include "runner/store/manifest.h"
#include "runner/store/seal.h"
#include "runner/workers/scheduler.h"

gboolean
assay_run_set_budget (const GPtrArray *plans, guint n_processes, guint64 wanted, GError **error)
{
  guint64 budget = wanted;

  for (guint i = 0; wanted == G_MAXUINT64 && i < plans->len; i++)
    budget = MIN (budget, assay_plan_shared_budget (plans->pdata[i], n_processes));
  for (guint i = 0; i < plans->len; i++)
    if (!assay_plan_check_budget (plans->pdata[i], n_processes, budget, error))
      return FALSE;
  assay_shared_set_budget (budget);
  return TRUE;
}

void
assay_run_flow_init (const AssayRunTerms *terms, AssayRunFlow *flow)
{
  *flow = (AssayRunFlow){ .terms = *terms };
  assay_folder_hide_results (terms->plan, terms->out);
}

void
assay_run_flow_clear (AssayRunFlow *flow)
{
  assay_folder_clear (&flow->folder);
  g_clear_pointer (&flow->workspace, assay_workspace_free);
}

gboolean
assay_run_flow_open_data (AssayRunFlow *flow, const char **ret_sha256, GError **error)
{
  const AssayRunTerms *terms = &flow->terms;

  flow->workspace = assay_workspace_new (terms->plan);
  assay_workspace_share_data (flow->workspace, terms->data_owner);
  *ret_sha256 = NULL;
  return terms->resume || assay_workspace_dataset (flow->workspace, 0, ret_sha256, error)
         || assay_prefix (error, "%s: ", terms->plan->scenario);
}

gboolean
assay_run_flow_open_folder (AssayRunFlow *flow, GError **error)
{
  return assay_folder_open (flow->terms.plan, flow->terms.place, flow->terms.resume, &flow->folder,
                            error);
}

gboolean
assay_run_flow_begin (AssayRunFlow *flow, GError **error)
{
  const AssayPlan *plan = flow->terms.plan;
  AssayStore *store = flow->folder.store;
  const gboolean is_finished = flow->folder.is_finished;

  flow->started_us = g_get_real_time ();
  return (!flow->terms.accepts_changed_claims || assay_seal_accept (store, plan, error))
         && assay_inputs_check (plan, flow->workspace, store, is_finished, error)
         && (is_finished
             || (assay_manifest_add_confinement (plan, store, error)
                 && assay_manifest_set_remarks (plan, store, error)
                 && assay_manifest_add_modules (store, assay_modules_loaded (), error)
                 && assay_manifest_add_kernels (store, &flow->has_other_kernels, error)));
}

gboolean
assay_run_flow_cells (AssayRunFlow *flow, AssayTransport *workers,
                      const AssayRunCallbacks *callbacks, AssayRunEnd *ret_end, GError **error)
{
  const AssayPlan *plan = flow->terms.plan;
  AssayStore *store = flow->folder.store;

  *ret_end = ASSAY_RUN_FINISHED;
  if (flow->folder.is_finished)
    return TRUE;
  /* What is written next are files beside the store. A power cut that keeps them and loses the
   * store's log would leave what no run is known by. */
  return (workers != NULL ? assay_run_with_workers (plan, store, workers, callbacks, ret_end, error)
                          : assay_run (plan, flow->workspace, store, callbacks, ret_end, error))
         && assay_store_settle (store, error);
}

AssayResults *
assay_run_flow_judge (const AssayRunFlow *flow, GError **error)
{
  return assay_results_load (flow->terms.plan, flow->folder.store, error);
}

gboolean
assay_run_flow_write (AssayRunFlow *flow, const AssayResults *results, gboolean is_whole,
                      GError **error)
{
  const AssayRunTimes times = { .threads = assay_parallel_threads (),
                                .started_us = flow->started_us,
                                .ended_us = g_get_real_time () };
  const AssayReportRun about
      = { .threads = times.threads, .started_us = times.started_us, .ended_us = times.ended_us };

  return (!is_whole || assay_manifest_set_times (flow->folder.store, &times, error))
         && assay_report_write (results, flow->folder.work, &about, NULL, error);
}
