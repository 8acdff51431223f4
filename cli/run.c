/* assay run: scenarios in, results out. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/selftest/mutants.h"
#include "cli/options.h"
#include "cli/witness.h"
#include "cli/workers.h"
#include "core/base/parallel.h"
#include "core/base/shared-work.h"
#include "core/base/text.h"
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

typedef struct {
  CliPlanOptions plan;
  char *out;
  char *witness;
  char *baseline;
  char *cache_memory; /* as it was given; NULL: it was not */
  guint64 cache_bytes;
  guint64 data_owner; /* scenarios of one command share data */
  gint jobs;
  gint workers;
  AssayTransport *ranks; /* of MPI; NULL: there are none */
  gboolean accepts_changed_claims;
  gboolean resume;
  gboolean quiet;
  gboolean verbose;
  gboolean json;
} RunOptions;

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
  is_inconclusive |= baseline != NULL && baseline->n_uncompared + baseline->n_silent > 0;
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
  return *ret_baseline != NULL
         && assay_report_write_baseline (*ret_baseline, folder->work, error);
}

static void
print_place (const AssayResults *results, const AssayFolder *folder,
             const AssayBaseline *baseline)
{
  g_autofree char *changes = baseline != NULL ? assay_report_baseline (baseline) : g_strdup ("");
  g_autofree char *sheets = assay_report_contact_sheets (results, folder->place);

  printf ("%s\n%sresults in %s: report.html, results.json, results.csv, claims.xml, summary.md, "
          "run.json, %s\n",
          changes, sheets, folder->place, ASSAY_STORE_FILE);
}

/* Writes the exports, puts the folder in its place and prints the table. */
static int
finish (const AssayPlan *plan, AssayFolder *folder, const RunOptions *options, gint64 started,
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
  text = options->json ? assay_report_json (results, error)
                       : assay_report_table (results, cli_terminal_width ());
  /* From here on the store is closed. */
  if (text == NULL || !assay_folder_finish (folder, error))
    return EXIT_UNFINISHED;
  if (options->json) {
    fputs (text, stdout);
  } else {
    cli_print (text);
    print_place (results, folder, baseline);
  }
  return judge (results, baseline);
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
  gsize done = 0;

  assay_store_count_done (folder->store, &done, NULL);
  g_printerr ("assay: interrupted after %zu of %u cells; what is done is kept in %s\n", done,
              plan->cells->len, folder->work);
  say_how_to_resume ();
  return EXIT_INTERRUPTED;
}

/* One scenario that is run. */
typedef struct {
  const AssayPlan *plan;
  const RunOptions *options;
  AssayWorkspace *workspace;
  AssayTransport *workers; /* NULL: this process runs the cells */
} Running;

static gboolean
start_workers (Running *running, GError **error)
{
  const guint n = (guint) running->options->workers;

  if (running->workers == NULL && n > 1)
    running->workers = cli_workers_new (running->plan, &running->options->plan, n,
                                        running->options->verbose, error);
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

static int
run_in_folder (Running *running, AssayFolder *folder)
{
  const AssayPlan *plan = running->plan;
  const RunOptions *options = running->options;
  CliProgress *progress = cli_progress_new (options->quiet);
  const AssayRunCallbacks callbacks
      = { .is_cancelled = on_is_cancelled, .progress = on_progress, .data = progress };
  const gint64 started = g_get_real_time ();
  g_autoptr (GError) error = NULL;
  AssayRunEnd end = ASSAY_RUN_FINISHED;
  const gboolean is_ok
      = (!running->options->accepts_changed_claims
         || assay_seal_accept (folder->store, plan, &error))
        && assay_inputs_check (plan, running->workspace, folder->store, folder->is_finished, &error)
        && (folder->is_finished || run_cells (running, folder->store, &callbacks, &end, &error));
  int code;

  cli_progress_free (progress);
  if (is_ok && end == ASSAY_RUN_INTERRUPTED)
    return say_interrupted (plan, folder);
  code = is_ok ? finish (plan, folder, options, started, &error) : EXIT_UNFINISHED;
  if (error != NULL) {
    code = cli_fail (error);
    if (code == EXIT_UNFINISHED) {
      g_printerr ("What is done is kept in %s\n", folder->work);
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
  const RunOptions *options = running->options;
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
static int
run_plan (const AssayPlan *plan, const char *place, const RunOptions *options)
{
  g_autoptr (GError) error = NULL;
  Running running = { .plan = plan, .options = options, .workers = options->ranks };
  int code;

  if (!options->resume && !start_workers (&running, &error))
    return cli_fail_early (error);
  code = run_plan_with (&running, place);
  dismiss_workers (&running);
  return code;
}

/* With several scenarios --out is the folder of their folders. */
static char *
choose_place (const AssayPlan *plan, const char *out, gboolean is_one)
{
  g_autofree char *own = assay_folder_default (plan);
  g_autofree char *base = NULL;

  if (out == NULL)
    return g_steal_pointer (&own);
  if (is_one)
    return g_strdup (out);
  base = g_path_get_basename (own);
  return g_build_filename (out, base, NULL);
}

/* That no two scenarios of one command have one folder: the second would replace the first. */
static gboolean
check_apart (const GPtrArray *plans, const GPtrArray *places, GError **error)
{
  for (guint i = 0; i + 1 < places->len; i++)
    if (g_str_equal (places->pdata[i], places->pdata[places->len - 1]))
      return assay_fail (error, ASSAY_ERROR_SCENARIO,
                         "%s and %s would both have their results in %s; expected another file "
                         "name for one of them, or two commands with --out",
                         ((const AssayPlan *) plans->pdata[i])->scenario,
                         ((const AssayPlan *) plans->pdata[places->len - 1])->scenario,
                         (const char *) places->pdata[i]);
  return TRUE;
}

/* How much shared work may take beside the cells of each of the plans, one after another: what was
 * asked for, or what there is room for. */
static gboolean
set_budget (const GPtrArray *plans, const RunOptions *options, GError **error)
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

static int
run_all (char **scenarios, guint n, const RunOptions *options)
{
  g_autoptr (GPtrArray) plans = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_plan_free);
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func (g_free); /* canonical */
  g_autoptr (GError) problem = NULL;
  int worst = EXIT_OK;

  /* What is wrong with any of them is told before the first begins. */
  for (guint i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *place = NULL;
    AssayPlan *plan = cli_plan_new (scenarios[i], &options->plan, &error);

    if (plan == NULL)
      return cli_fail_early (error);
    g_ptr_array_add (plans, plan);
    if (options->baseline != NULL && !assay_baseline_check (plan, options->baseline, &error))
      return cli_fail_early (error);
    place = choose_place (plan, options->out, n == 1);
    g_ptr_array_add (places, assay_folder_canonical (place));
    if (!check_apart (plans, places, &error)
        || (options->witness == NULL && !assay_folder_check (plan, place, options->resume, &error)))
      return cli_fail_early (error);
  }
  if (!set_budget (plans, options, &problem))
    return cli_fail_early (problem);
  for (guint i = 0; i < plans->len; i++) {
    const AssayPlan *plan = plans->pdata[i];
    g_autofree char *place = choose_place (plan, options->out, n == 1);
    int code;

    if (options->ranks != NULL)
      options->ranks->plan = i;
    code = options->witness != NULL ? cli_witness (plan, place, options->witness)
                                    : run_plan (plan, place, options);
    if (code != EXIT_OK && code != EXIT_VIOLATED && code != EXIT_INCONCLUSIVE)
      return code;
    /* A violated claim says more than an inconclusive one. */
    if (worst == EXIT_OK || code == EXIT_VIOLATED)
      worst = code;
  }
  return worst;
}

/* NULL, or what is wrong with the words and numbers of the command. */
static const char *
why_not (const RunOptions *options)
{
  if (options->jobs < 0 || options->jobs > 4096)
    return "--jobs: expected 1 to 4096";
  if (options->workers < 0 || options->workers > 1024)
    return "--workers: expected 1 to 1024";
  if (options->out != NULL && *options->out == '\0')
    return "--out: expected a folder";
  if (options->accepts_changed_claims && !options->resume)
    return "--accept-changed-claims goes with --resume: a new run seals its claims anew";
  return NULL;
}

/* NULL, or what is wrong with --cache-memory, whose bytes it reads. */
static char *
read_cache_memory (RunOptions *options)
{
  const guint64 machine = (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);
  g_autofree char *present = assay_text_bytes (machine);

  if (options->cache_memory == NULL)
    return NULL;
  if (!assay_text_to_bytes (options->cache_memory, &options->cache_bytes))
    return g_strdup_printf ("--cache-memory %s: expected a size such as 512MiB or 2GiB; 0 keeps "
                            "nothing",
                            options->cache_memory);
  if (options->cache_bytes > machine)
    return g_strdup_printf ("--cache-memory %s: expected at most %s, the memory of the machine",
                            options->cache_memory, present);
  return NULL;
}

/* What was shared, to whoever asks: no result depends on it. */
static void
say_shared (const CliProcess *process)
{
  g_autofree char *shared = assay_shared_describe ();

  g_printerr ("%s: shared work: %s\n", process->name, shared);
}

/* Ranks of one machine share it. */
static void
set_budget_of_rank (const CliProcess *process, const RunOptions *options)
{
  const guint n = MAX (process->mpi.n_beside, 1);

  assay_shared_set_budget (options->cache_memory != NULL ? options->cache_bytes
                                                         : assay_shared_default_budget () / n);
}

/* Whatever this process is: the scheduler, or a worker. */
static int
play_role (guint n, char **scenarios, RunOptions *options)
{
  CliProcess process = cli_process_join ();
  int code = EXIT_OK;

  assay_parallel_set_threads (options->jobs > 0 ? (guint) options->jobs : process.mpi.threads);
  cli_catch_interrupts ();
  options->ranks = process.ranks;
  if (process.scheduler != NULL) {
    set_budget_of_rank (&process, options);
    cli_process_work (&process, scenarios, n, &options->plan, !options->resume);
  } else {
    code = run_all (scenarios, n, options);
  }
  if (options->verbose)
    say_shared (&process);
  cli_process_leave (&process);
  return code;
}

static RunOptions given;

static const GOptionEntry entries[]
    = { CLI_PLAN_OPTIONS (given.plan),
        { "out", 'o', 0, G_OPTION_ARG_FILENAME, &given.out,
          "Where results go (default: assay-out/SCENARIO-HASH)", "DIR" },
        { "jobs", 'j', 0, G_OPTION_ARG_INT, &given.jobs,
          "Threads to use (default: one per processor); results do not depend on it", "N" },
        { "workers", 'w', 0, G_OPTION_ARG_INT, &given.workers,
          "Processes that run cells side by side and share the threads (default 1: one cell at a "
          "time); results do not depend on it",
          "N" },
        { "cache-memory", 0, 0, G_OPTION_ARG_STRING, &given.cache_memory,
          "Memory for what cells share: data, dictionaries, releases, scans (default: a quarter "
          "of the machine's, at most 4 GiB); results do not depend on it",
          "SIZE" },
        { "resume", 0, 0, G_OPTION_ARG_NONE, &given.resume, "Go on with an interrupted run", NULL },
        { "quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet, "No progress", NULL },
        { "verbose", 0, 0, G_OPTION_ARG_NONE, &given.verbose,
          "Say at the end what of the shared work was found and made", NULL },
        { "baseline", 0, 0, G_OPTION_ARG_FILENAME, &given.baseline,
          "An earlier run of the same scenario: exit 1 where anything leaks more", "DIR" },
        { "accept-changed-claims", 0, 0, G_OPTION_ARG_NONE, &given.accepts_changed_claims,
          "With --resume: judge by claims that were changed after cells had run; verdicts say so",
          NULL },
        { "witness", 0, 0, G_OPTION_ARG_STRING, &given.witness,
          "Play the witness of a violated claim again, from the finished run", "CLAIM" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &given.json, "Print results.json instead of the table",
          NULL },
        G_OPTION_ENTRY_NULL };

static int
run_scenarios (int n, char **scenarios)
{
  g_autofree char *bad_size = read_cache_memory (&given);
  const char *problem = why_not (&given);

  if (problem != NULL || bad_size != NULL)
    return cli_refuse ("%s", problem != NULL ? problem : bad_size);
  given.data_owner = assay_shared_owner ();
  return play_role ((guint) n, scenarios, &given);
}

const CliUsage cli_run = {
  .parameters = "SCENARIO...",
  .summary = "Runs the audit of each scenario.",
  .description = "Example:\n  assay run scenarios/quickstart.scenario "
                 "--set \"defense lifting.dimension=4;8\"\n",
  .entries = entries,
  .min_words = 1,
  .max_words = CLI_ANY_NUMBER,
  .expected = "a scenario file; 'assay run --help' explains",
  .run = run_scenarios,
};
