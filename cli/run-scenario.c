/* One scenario that is run. */
#include "cli/run-scenario.h"

#include <stdio.h>

#include "cli/cells.h"
#include "cli/selftest/mutants.h"
#include "cli/workers.h"
#include "core/base/parallel.h"
#include "core/base/shared-work.h"
#include "report/report.h"
#include "runner/compare/baseline.h"
#include "runner/judge/load.h"
#include "runner/plan/estimate.h"
#include "runner/run/inputs.h"
#include "runner/run/run.h"
#include "runner/store/folder.h"
#include "runner/store/manifest.h"
#include "runner/store/seal.h"
#include "runner/workers/scheduler.h"

static void
on_progress (const AssayProgress *progress, gpointer data)
{
  cli_progress_update (data, progress->done, progress->resumed, progress->total, progress->doing);
}

static gboolean
on_is_cancelled (G_GNUC_UNUSED gpointer data)
{
  return cli_is_interrupted ();
}

static gboolean
has_bad_cell (const AssayResults *results)
{
  return results->bad->len > 0 || results->n_missing > 0;
}

/* The exit code that the verdicts and the cells ask for. */
static int
judge (const AssayResults *results, const AssayBaseline *baseline)
{
  gboolean is_inconclusive = FALSE;

  if (baseline != NULL && baseline->n_worse > 0)
    return EXIT_VIOLATED;

  ASSAY_FOR_EACH (const AssayResultClaim, claim, results->claims) {
    if (claim->verdict == ASSAY_VERDICT_VIOLATED)
      return EXIT_VIOLATED;
    is_inconclusive |= claim->verdict == ASSAY_VERDICT_INCONCLUSIVE;
  }
  is_inconclusive |= baseline != NULL && baseline->n_uncompared + baseline->n_no_evidence > 0;
  return is_inconclusive || has_bad_cell (results) ? EXIT_INCONCLUSIVE : EXIT_OK;
}

/* What changed since the baseline, where one was named. */
static gboolean
compare (const AssayResults *results, const AssayPlan *plan, const AssayFolder *folder,
         const char *place, AssayBaseline **ret_baseline, GError **error)
{
  if (place == NULL)
    return TRUE;
  *ret_baseline = assay_baseline_compare (results, plan, folder->store, place, error);
  return *ret_baseline != NULL && assay_report_write_baseline (*ret_baseline, folder->work, error);
}

static void
print_place (const AssayResults *results, const AssayFolder *folder, const AssayBaseline *baseline)
{
  g_autofree char *changes = baseline != NULL ? assay_report_baseline (baseline) : g_strdup ("");
  g_autofree char *place = cli_shown_path (folder->place);
  g_autofree char *sheets = assay_report_contact_sheets (results, place);

  printf ("%s\n%sresults in %s: report.html, results.json, results.csv, claims.xml, summary.md, "
          "run.json, %s\n",
          changes, sheets, place, ASSAY_STORE_FILE);
}

/* Writes the exports, puts the folder in its place and prints the table. */
static int
finish (const AssayPlan *plan, AssayFolder *folder, const CliRunOptions *options, gint64 started,
        GError **error)
{
  g_autoptr (AssayResults) results = assay_results_load (plan, folder->store, error);
  g_autoptr (AssayBaseline) baseline = NULL;
  const AssayRunTimes times = { .threads = assay_parallel_threads (),
                                .started_us = started,
                                .ended_us = g_get_real_time () };
  const AssayReportRun about = { times.threads, times.started_us, times.ended_us };
  g_autofree char *text = NULL;

  if (results == NULL || !cli_keep_mutants (results, folder->place, folder->work, error)
      || !assay_manifest_set_times (folder->store, &times, error)
      || !assay_report_write (results, folder->work, &about, NULL, error)
      || !compare (results, plan, folder, options->baseline, &baseline, error))
    return EXIT_UNFINISHED;
  if (options->out != NULL) {
    g_autofree char *place = g_shell_quote (folder->place);

    results->replay_with = g_strconcat (" --out ", place, NULL);
  }
  text = options->json ? assay_report_json (results, error)
                       : assay_report_table (results, cli_terminal_width ());
  /* From here on the store is closed. */
  if (text == NULL || !assay_folder_finish (folder, error))
    return EXIT_UNFINISHED;
  if (options->is_silent)
    ;
  else if (options->json) {
    fputs (text, stdout);
  } else {
    cli_print (text);
    print_place (results, folder, baseline);
  }
  return judge (results, baseline);
}

/* Of a run whose other cells were not asked for: what there is, in the folder of what is not
 * finished. No verdict of it ends in 0. */
static int
finish_part (const AssayPlan *plan, AssayFolder *folder, const CliRunOptions *options,
             gint64 started, GError **error)
{
  g_autoptr (AssayResults) results = assay_results_load (plan, folder->store, error);
  const AssayReportRun about = { assay_parallel_threads (), started, g_get_real_time () };
  g_autofree char *text = NULL;
  g_autofree char *again = cli_resume_command ();

  if (results == NULL || !assay_report_write (results, folder->work, &about, NULL, error))
    return EXIT_UNFINISHED;
  text = options->json ? assay_report_json (results, error)
                       : assay_report_table (results, cli_terminal_width ());
  if (text == NULL)
    return EXIT_UNFINISHED;
  if (options->json) {
    fputs (text, stdout);
  } else {
    g_autofree char *work = cli_shown_path (folder->work);

    cli_print (text);
    printf ("\nunfinished: %zu of %u cells were not asked for; what is done is kept in %s, with a "
            "report.html\nAll of them:\n  %s\n",
            results->n_missing, plan->cells->len, work, again);
  }
  return judge (results, NULL);
}

static void
say_how_to_resume (void)
{
  g_autofree char *again = cli_resume_command ();

  g_printerr ("Go on with:\n  %s\n", again);
}

static int
say_interrupted (const AssayPlan *plan, AssayFolder *folder)
{
  g_autofree char *work = cli_shown_path (folder->work);
  gsize done = 0;

  assay_store_count_done (folder->store, &done, NULL);
  g_printerr ("assay: %s after %zu of %u cells; what is done is kept in %s\n",
              cli_is_out_of_time () ? "the time is over" : "interrupted", done, plan->cells->len,
              work);
  say_how_to_resume ();
  return EXIT_INTERRUPTED;
}

/* One scenario that is run. */
typedef struct {
  const AssayPlan *plan;
  const CliRunOptions *options;
  AssayWorkspace *workspace;
  const char *place;       /* of its results */
  AssayTransport *workers; /* NULL: this process runs the cells */
} Running;

static gboolean
start_workers (Running *running, GError **error)
{
  const guint n = (guint) running->options->workers;

  if (running->workers == NULL && n > 1)
    running->workers = cli_workers_new (running->plan, running->place, running->options, error);
  return running->workers != NULL || n < 2;
}

/* The ranks that this process was started with stay for the next plan. */
static void
dismiss_workers (Running *running)
{
  if (running->workers != NULL && running->workers != running->options->ranks)
    running->workers->free (running->workers);
  running->workers = running->options->ranks;
}

/* By this process, by workers that it starts, or by the ranks that it was started with. */
static gboolean
run_cells (Running *running, AssayStore *store, const AssayRunCallbacks *callbacks,
           AssayRunEnd *ret_end, GError **error)
{
  gboolean is_ok;

  if (!start_workers (running, error))
    return FALSE;
  if (running->workers == NULL)
    return assay_run (running->plan, running->workspace, store, callbacks, ret_end, error);
  is_ok
      = assay_run_with_workers (running->plan, store, running->workers, callbacks, ret_end, error);
  dismiss_workers (running);
  return is_ok;
}

/* Cells of one run should be made with the same kernels of linear algebra. */
static gboolean
add_kernels (AssayStore *store, GError **error)
{
  gboolean has_others;

  if (!assay_manifest_add_kernels (store, &has_others, error))
    return FALSE;
  if (has_others)
    g_printerr ("assay: warning: this run was begun with other kernels of linear algebra, on "
                "another processor or with or without --portable; its results may differ in their "
                "last digits from those of a run that was not interrupted\n");
  return TRUE;
}

static int
run_in_folder (Running *running, AssayFolder *folder)
{
  const AssayPlan *plan = running->plan;
  const CliRunOptions *options = running->options;
  CliProgress *progress = cli_progress_new (options->quiet);
  g_autofree gboolean *wanted = cli_cells_choose (plan, options->cells);
  const AssayRunCallbacks callbacks = { .is_cancelled = on_is_cancelled,
                                        .progress = on_progress,
                                        .data = progress,
                                        .wanted = wanted };
  const gint64 started = g_get_real_time ();
  g_autoptr (GError) error = NULL;
  AssayRunEnd end = ASSAY_RUN_FINISHED;
  const gboolean is_ok
      = (!running->options->accepts_changed_claims
         || assay_seal_accept (folder->store, plan, &error))
        && assay_inputs_check (plan, running->workspace, folder->store, folder->is_finished, &error)
        && (folder->is_finished || assay_manifest_add_confinement (plan, folder->store, &error))
        && (folder->is_finished || add_kernels (folder->store, &error))
        && (folder->is_finished || run_cells (running, folder->store, &callbacks, &end, &error));
  gsize n_done = 0;
  int code = EXIT_UNFINISHED;

  cli_progress_free (progress);
  if (is_ok && end == ASSAY_RUN_INTERRUPTED)
    return say_interrupted (plan, folder);
  if (is_ok && assay_store_count_done (folder->store, &n_done, &error))
    code = n_done < plan->cells->len ? finish_part (plan, folder, options, started, &error)
                                     : finish (plan, folder, options, started, &error);
  if (error != NULL) {
    code = cli_fail (error);
    if (code == EXIT_UNFINISHED) {
      g_autofree char *work = cli_shown_path (folder->work);

      g_printerr ("What is done is kept in %s\n", work);
      say_how_to_resume ();
    }
  }
  return code;
}

/* Everything that can go wrong before something is written goes wrong here first. */
static int
run_plan_with (Running *running, const char *place)
{
  const AssayPlan *plan = running->plan;
  const CliRunOptions *options = running->options;
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  g_autoptr (GError) error = NULL;
  AssayFolder folder = { 0 };
  const char *sha256;
  int code;

  running->workspace = workspace;
  assay_workspace_share_data (workspace, options->data_owner);
  if (!options->resume && !options->quiet)
    g_printerr ("opening the dataset\n");
  if (!options->resume && !assay_workspace_dataset (workspace, 0, &sha256, &error)) {
    g_prefix_error (&error, "%s: ", plan->scenario);
    return cli_fail_early (error);
  }
  if (!options->resume && options->baseline != NULL
      && !assay_baseline_check_data (plan, options->baseline, 0, sha256, &error))
    return cli_fail_early (error);
  if (!assay_folder_open (plan, place, options->resume, &folder, &error))
    return cli_fail (error);
  code = run_in_folder (running, &folder);
  assay_folder_clear (&folder);
  return code;
}

/* Workers open the dataset while this process does. A run that goes on may need none. */
int
cli_run_plan (const AssayPlan *plan, const char *place, const CliRunOptions *options)
{
  g_autoptr (GError) error = NULL;
  Running running = { .plan = plan, .options = options, .place = place, .workers = options->ranks };
  int code;

  assay_folder_hide_results (plan, options->out);

  if (!options->resume && !start_workers (&running, &error))
    return cli_fail_early (error);
  code = run_plan_with (&running, place);
  dismiss_workers (&running);
  return code;
}

/* ---- Memory ---- */

gboolean
cli_run_set_budget (const GPtrArray *plans, const CliRunOptions *options, GError **error)
{
  const guint n = (guint) MAX (options->workers, 1);
  guint64 budget = options->cache_memory != NULL ? options->cache_bytes : G_MAXUINT64;

  for (guint i = 0; i < plans->len; i++)
    if (options->cache_memory == NULL)
      budget = MIN (budget, assay_plan_shared_budget (plans->pdata[i], n));
  for (guint i = 0; i < plans->len; i++)
    if (!assay_plan_check_budget (plans->pdata[i], n, budget, error))
      return FALSE;
  assay_shared_set_budget (budget);
  return TRUE;
}
