/* assay run: scenarios in, results out. */
#include <stdio.h>
#include <unistd.h>

#include "cli/cells.h"
#include "cli/cli.h"
#include "cli/environment.h"
#include "cli/run-scenario.h"
#include "cli/witness.h"
#include "cli/workers.h"
#include "core/base/parallel.h"
#include "core/base/shared-work.h"
#include "core/base/text.h"
#include "runner/compare/baseline.h"
#include "runner/store/folder.h"

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

/* A run that got worse would be what the next one is compared with. */
static gboolean
check_baseline (const CliRunOptions *options, const char *place, GError **error)
{
  const gboolean is_store
      = options->baseline != NULL && g_str_has_suffix (options->baseline, ASSAY_STORE_FILE);
  g_autofree char *folder
      = is_store ? g_path_get_dirname (options->baseline) : g_strdup (options->baseline);
  g_autofree char *then = folder != NULL ? assay_folder_canonical (folder) : NULL;
  g_autofree char *now = assay_folder_canonical (place);

  return g_strcmp0 (then, now) != 0
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "--baseline %s: the results would go there and replace what they are "
                        "compared with; expected another folder for them with --out",
                        options->baseline);
}

static int
run_all (char **scenarios, guint n, const CliRunOptions *options)
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
    if (!cli_cells_check (plan, options->cells, &error))
      return cli_fail_early (error);
    if (options->baseline != NULL) {
      assay_folder_hide_run (options->baseline);
      if (!assay_baseline_check (plan, options->baseline, &error))
        return cli_fail_early (error);
    }
    place = choose_place (plan, options->out, n == 1);
    g_ptr_array_add (places, assay_folder_canonical (place));
    if (!check_apart (plans, places, &error) || !check_baseline (options, place, &error)
        || (options->witness == NULL && !assay_folder_check (plan, place, options->resume, &error)))
      return cli_fail_early (error);
  }
  if (!cli_run_set_budget (plans, options, &problem))
    return cli_fail_early (problem);
  for (guint i = 0; i < plans->len; i++) {
    const AssayPlan *plan = plans->pdata[i];
    g_autofree char *place = choose_place (plan, options->out, n == 1);
    int code;

    if (options->ranks != NULL)
      options->ranks->plan = i;
    code = options->witness != NULL ? cli_witness (plan, place, options->witness)
                                    : cli_run_plan (plan, place, options);
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
why_not (const CliRunOptions *options)
{
  if (options->jobs != CLI_NOT_GIVEN && (options->jobs < 1 || options->jobs > 4096))
    return "--jobs: expected 1 to 4096";
  if (options->workers < 0 || options->workers > 1024)
    return "--workers: expected 1 to 1024";
  if (options->out != NULL && *options->out == '\0')
    return "--out: expected a folder";
  if (options->cells != NULL && (options->baseline != NULL || options->witness != NULL))
    return "--cells does not go with --baseline and --witness, which are about whole runs";
  if (options->accepts_changed_claims && !options->resume)
    return "--accept-changed-claims goes with --resume: a new run seals its claims anew";
  return NULL;
}

/* NULL, or what is wrong with --cache-memory, whose bytes it reads. */
static char *
read_cache_memory (CliRunOptions *options)
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
set_budget_of_rank (const CliProcess *process, const CliRunOptions *options)
{
  const guint n = MAX (process->mpi.n_beside, 1);

  assay_shared_set_budget (options->cache_memory != NULL ? options->cache_bytes
                                                         : assay_shared_default_budget () / n);
}

/* Each rank would draw a seed of its own, and so would a run that is gone on with. */
static gboolean
settle_seed (const CliProcess *process, CliRunOptions *options, GError **error)
{
  g_autofree char *before = g_strdup (options->plan.seed);

  if (!cli_seed_settle (&options->plan.seed, error))
    return FALSE;
  return g_strcmp0 (before, options->plan.seed) == 0
         || (!options->resume && options->witness == NULL && process->mpi.size <= 1)
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "--seed %s: expected a number with --resume, --witness and MPI: that of "
                        "the run, which its report has",
                        before);
}

/* Whatever this process is: the scheduler, or a worker. */
static int
play_role (guint n, char **scenarios, CliRunOptions *options)
{
  CliProcess process = cli_process_join ();
  g_autoptr (GError) problem = NULL;
  int code = EXIT_OK;

  assay_parallel_set_threads (options->jobs > 0 ? (guint) options->jobs : process.mpi.threads);
  cli_catch_interrupts ();
  options->ranks = process.ranks;
  if (!settle_seed (&process, options, &problem)) {
    code = cli_fail_early (problem);
  } else if (process.scheduler != NULL) {
    set_budget_of_rank (&process, options);
    cli_process_work (&process, scenarios, n, options);
  } else {
    code = run_all (scenarios, n, options);
  }
  if (options->verbose)
    say_shared (&process);
  cli_process_leave (&process);
  return code;
}

static CliRunOptions given = { .jobs = CLI_NOT_GIVEN };

static const GOptionEntry entries[] = {
  CLI_PLAN_OPTIONS (given.plan),
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
  { "portable", 0, 0, G_OPTION_ARG_NONE, &given.is_portable,
    "Use the same kernels of linear algebra and networks on every processor with AVX2 and FMA: the "
    "same results to the bit, not always as fast",
    NULL },
  { "cells", 'k', 0, G_OPTION_ARG_STRING, &given.cells,
    "Run only cells with these words in the name of their dataset, defense, attack or utility; "
    "--resume runs the others",
    "WORDS" },
  { "resume", 0, 0, G_OPTION_ARG_NONE, &given.resume, "Go on with an interrupted run", NULL },
  { "quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet, "No progress", NULL },
  { "verbose", 0, 0, G_OPTION_ARG_NONE, &given.verbose,
    "Say at the end how much work was shared between cells", NULL },
  { "baseline", 0, 0, G_OPTION_ARG_FILENAME, &given.baseline,
    "Compare with this earlier run; exit 1 where anything leaks more than in it", "DIR" },
  { "accept-changed-claims", 0, 0, G_OPTION_ARG_NONE, &given.accepts_changed_claims,
    "With --resume: judge by claims that were changed after cells had run; the verdicts say so",
    NULL },
  { "witness", 0, 0, G_OPTION_ARG_STRING, &given.witness,
    "Play again the case that shows best that this claim is violated; needs the finished run",
    "CLAIM" },
  { "json", 0, 0, G_OPTION_ARG_NONE, &given.json, "Print results.json instead of the table", NULL },
  G_OPTION_ENTRY_NULL
};

static int
run_scenarios (int n, char **scenarios)
{
  g_autofree char *bad_size = read_cache_memory (&given);
  g_autofree char *not_portable = given.is_portable ? cli_why_not_portable () : NULL;
  const char *problem = why_not (&given);

  if (problem == NULL)
    problem = bad_size != NULL ? bad_size : not_portable;
  if (problem != NULL)
    return cli_refuse ("%s", problem);
  given.data_owner = assay_shared_owner ();
  return play_role ((guint) n, scenarios, &given);
}

const CliUsage cli_run = {
  .parameters = "SCENARIO...",
  .summary
  = "Plays each scenario: protects secrets with its defenses, attacks what they release with\n"
    "the knowledge that is granted, measures what came back, and judges the claims. Prints\n"
    "a table, and writes report.html and other results into a folder.",
  .description
  = "Example:\n  assay run scenarios/quickstart.scenario --out quickstart\n"
    "  assay run scenarios/quickstart.scenario --set \"defense lifting.dimension=2;16\"\n",
  .entries = entries,
  .min_words = 1,
  .max_words = CLI_ANY_NUMBER,
  .expected = "a scenario file; 'assay run --help' explains",
  .run = run_scenarios,
};
