/* One scenario that is run. */
#include "cli/run-scenario.h"

#include <stdio.h>

#include "cli/cells.h"
#include "cli/selftest/mutants.h"
#include "cli/workers.h"
#include "lib/run-flow.h"
#include "report/report.h"
#include "runner/compare/baseline.h"
#include "runner/judge/kept-baseline.h"

static gboolean
has_bad_cell (const AssayResults *results)
{
  return results->bad->len > 0 || results->n_missing > 0;
}

/* The exit code that the verdicts and the cells ask for. */
static int
judge (const AssayResults *results, const AssayBaseline *baseline)
{
  gboolean is_inconclusive = results->has_lost_claims;

  if (baseline != NULL && baseline->n_worse > 0)
    return EXIT_VIOLATED;

  ASSAY_FOR_EACH (const AssayResultClaim, claim, results->claims) {
    if (claim->verdict == ASSAY_VERDICT_VIOLATED)
      return EXIT_VIOLATED;
    is_inconclusive |= claim->verdict == ASSAY_VERDICT_INCONCLUSIVE;
  }
  /* Who plays an attack no more, or with fewer secrets, has not shown that it finds no more. */
  is_inconclusive |= baseline != NULL
                     && (baseline->n_uncompared + baseline->n_no_evidence > 0
                         || baseline->n_lost + baseline->n_lost_metrics > 0
                         || baseline->less != NULL);
  return is_inconclusive || has_bad_cell (results) ? EXIT_INCONCLUSIVE : EXIT_OK;
}

/* What changed since the baseline, where one was named: kept for the exports, which are written
 * behind it. What an earlier command compared is forgotten: its exit code is not this one's. */
static gboolean
compare (AssayResults *results, const AssayPlan *plan, const AssayFolder *folder, const char *place,
         AssayBaseline **ret_baseline, GError **error)
{
  g_clear_pointer (&results->baseline, assay_result_baseline_free);
  if (place != NULL) {
    *ret_baseline = assay_baseline_compare (results, plan, folder->store, place, error);
    if (*ret_baseline == NULL || !assay_report_write_baseline (*ret_baseline, folder->work, error))
      return FALSE;
    results->baseline = assay_report_baseline_result (*ret_baseline);
  }
  return assay_baseline_keep (folder->store, results->baseline, error);
}

static void
print_place (const AssayResults *results, const AssayFolder *folder, const AssayBaseline *baseline)
{
  g_autofree char *changes = baseline != NULL ? assay_report_baseline (baseline) : g_strdup ("");
  g_autofree char *place = cli_shown_path (folder->place);
  g_autofree char *sheets = assay_report_contact_sheets (results, place);

  printf ("%s\n%sresults in %s: report.html, results.json, results.csv, claims.xml, summary.md, "
          "run.json, %s\n%s",
          changes, sheets, place, ASSAY_STORE_FILE,
          baseline != NULL && baseline->n_worse > 0 ? CLI_SAYS_WORSE : "");
}

static char *
make_text (const AssayResults *results, const CliRunOptions *options, GError **error)
{
  return options->json ? assay_report_json (results, error)
                       : assay_report_table (results, cli_terminal_width ());
}

/* Writes the exports, puts the folder in its place and prints the table. */
static int
finish (AssayRunFlow *flow, const CliRunOptions *options, GError **error)
{
  AssayFolder *folder = &flow->folder;
  g_autoptr (AssayResults) results = assay_run_flow_judge (flow, error);
  g_autoptr (AssayBaseline) baseline = NULL;
  g_autofree char *text = NULL;

  if (results == NULL || !cli_keep_mutants (results, folder->place, folder->work, error)
      || !compare (results, flow->terms.plan, folder, options->baseline, &baseline, error)
      || !assay_run_flow_write (flow, results, TRUE, error))
    return EXIT_UNFINISHED;
  if (options->out != NULL) {
    g_autofree char *place = g_shell_quote (folder->place);

    results->replay_with = g_strconcat (" --out ", place, NULL);
  }
  text = make_text (results, options, error);
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
finish_part (AssayRunFlow *flow, const CliRunOptions *options, GError **error)
{
  g_autoptr (AssayResults) results = assay_run_flow_judge (flow, error);
  g_autofree char *text = NULL;
  g_autofree char *again = cli_resume_command ();

  if (results == NULL || !assay_run_flow_write (flow, results, FALSE, error))
    return EXIT_UNFINISHED;
  text = make_text (results, options, error);
  if (text == NULL)
    return EXIT_UNFINISHED;
  if (options->json) {
    fputs (text, stdout);
  } else {
    g_autofree char *work = cli_shown_path (flow->folder.work);

    cli_print (text);
    printf ("\nunfinished: %zu of %u cells were not asked for; what is done is kept in %s, with a "
            "report.html\nAll of them:\n  %s\n",
            results->n_missing, flow->terms.plan->cells->len, work, again);
  }
  return judge (results, NULL);
}

static void
say_how_to_resume (void)
{
  g_autofree char *again = cli_resume_command ();

  g_printerr ("Go on with:\n  %s\n", again);
}

/* The report of what is done, as far as one can be made. */
static gboolean
write_part (AssayRunFlow *flow)
{
  const int held = cli_interrupt_hold ();
  g_autoptr (AssayResults) results = assay_run_flow_judge (flow, NULL);
  const gboolean is_written = results != NULL && assay_run_flow_write (flow, results, FALSE, NULL);

  cli_interrupt_release (held);
  return is_written;
}

static int
say_interrupted (AssayRunFlow *flow)
{
  const guint n = flow->terms.plan->cells->len;
  g_autofree char *work = cli_shown_path (flow->folder.work);
  gsize done = 0;

  assay_store_count_done (flow->folder.store, &done, NULL);
  g_printerr ("assay: %s after %zu of %u cells; what is done is kept in %s%s\n",
              cli_is_out_of_time () ? "the time is over" : "interrupted", done, n, work,
              done > 0 && write_part (flow) ? ", with a report.html" : "");
  say_how_to_resume ();
  return EXIT_INTERRUPTED;
}

/* One scenario that is run. */
typedef struct {
  AssayRunFlow flow;
  const CliRunOptions *options;
  AssayTransport *workers; /* NULL: this process runs the cells */
} Running;

static gboolean
start_workers (Running *running, GError **error)
{
  const guint n = (guint) running->options->workers;

  if (running->workers == NULL && n > 1)
    running->workers = cli_workers_new (running->flow.terms.plan, running->flow.terms.place,
                                        running->options, error);
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
run_cells (Running *running, const AssayRunCallbacks *callbacks, AssayRunEnd *ret_end,
           GError **error)
{
  gboolean is_ok;

  if (running->flow.has_other_kernels)
    g_printerr ("assay: warning: this run was begun with other kernels of linear algebra or "
                "networks, on another processor or with or without --portable; its results may "
                "differ in their last digits from those of a run that was not interrupted\n");
  if (running->flow.folder.is_finished)
    return TRUE;
  is_ok = start_workers (running, error)
          && assay_run_flow_cells (&running->flow, running->workers, callbacks, ret_end, error);
  dismiss_workers (running);
  return is_ok;
}

static int
fail_and_say_how_to_resume (const Running *running, const GError *error)
{
  const int code = cli_fail (error);

  if (code == EXIT_UNFINISHED) {
    g_autofree char *work = cli_shown_path (running->flow.folder.work);

    g_printerr ("What is done is kept in %s\n", work);
    say_how_to_resume ();
  }
  return code;
}

static int
run_in_folder (Running *running)
{
  AssayRunFlow *flow = &running->flow;
  const AssayPlan *plan = flow->terms.plan;
  CliProgress *progress = cli_progress_new (running->options->quiet);
  g_autofree gboolean *wanted = cli_cells_choose (plan, running->options->cells);
  const AssayRunCallbacks callbacks = { .is_cancelled = cli_is_cancelled,
                                        .progress = cli_progress_update,
                                        .data = progress,
                                        .part_us = CLI_PROGRESS_US,
                                        .wanted = wanted,
                                        .deadline = running->options->deadline };
  g_autoptr (GError) error = NULL;
  AssayRunEnd end = ASSAY_RUN_FINISHED;
  const gboolean is_ok = assay_run_flow_begin (flow, &error)
                         && run_cells (running, &callbacks, &end, &error);
  gsize n_done = 0;
  int code = EXIT_UNFINISHED;

  cli_progress_free (progress);
  if (is_ok && end == ASSAY_RUN_INTERRUPTED)
    return say_interrupted (flow);
  if (is_ok && assay_store_count_done (flow->folder.store, &n_done, &error))
    code = n_done < plan->cells->len ? finish_part (flow, running->options, &error)
                                     : finish (flow, running->options, &error);
  return error != NULL ? fail_and_say_how_to_resume (running, error) : code;
}

/* Everything that can go wrong before something is written goes wrong here first. Workers open the
 * dataset while this process does. */
static int
run_plan_with (Running *running)
{
  const AssayPlan *plan = running->flow.terms.plan;
  const CliRunOptions *options = running->options;
  g_autoptr (GError) error = NULL;
  const char *sha256;

  if (!options->resume && !start_workers (running, &error))
    return cli_fail_early (error);
  if (!options->resume && !options->quiet)
    g_printerr ("opening the dataset\n");
  if (!assay_run_flow_open_data (&running->flow, &sha256, &error))
    return cli_fail_early (error);
  if (!options->resume && options->baseline != NULL
      && !assay_baseline_check_data (plan, options->baseline, 0, sha256, &error))
    return cli_fail_early (error);
  if (!assay_run_flow_open_folder (&running->flow, &error))
    return cli_fail (error);
  return run_in_folder (running);
}

int
cli_run_plan (const AssayPlan *plan, const char *place, const CliRunOptions *options)
{
  const AssayRunTerms terms = { .plan = plan,
                                .out = options->out,
                                .place = place,
                                .data_owner = options->data_owner,
                                .resume = options->resume,
                                .accepts_changed_claims = options->accepts_changed_claims };
  Running running = { .options = options, .workers = options->ranks };
  int code;

  assay_run_flow_init (&terms, &running.flow);
  code = run_plan_with (&running);
  assay_run_flow_clear (&running.flow);
  dismiss_workers (&running);
  return code;
}

gboolean
cli_run_set_budget (const GPtrArray *plans, const CliRunOptions *options, GError **error)
{
  return assay_run_set_budget (
      plans, (guint) MAX (options->workers, 1),
      options->cache_memory != NULL ? options->cache_bytes : G_MAXUINT64, error);
}
