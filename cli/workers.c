/* Processes that share a run. */
#include "cli/workers.h"

#include "cli/cli.h"
#include "core/base/parallel.h"
#include "core/base/shared-work.h"
#include "runner/store/folder-name.h"
#include "runner/workers/local.h"
#include "runner/workers/worker.h"

CliProcess
cli_process_join (void)
{
  CliProcess process = { .scheduler = assay_local_scheduler_new (), .name = "assay" };

  if (process.scheduler != NULL) {
    process.name = "a worker";
    return process;
  }
  process.mpi = assay_mpi_join ();
  if (process.mpi.is_running && process.mpi.size > 1) {
    if (process.mpi.rank > 0)
      process.name = process.mpi.name;
    *(process.mpi.rank > 0 ? &process.scheduler : &process.ranks)
        = assay_mpi_transport_new (&process.mpi);
  }
  return process;
}

void
cli_process_leave (CliProcess *process)
{
  if (process->ranks != NULL)
    process->ranks->free (process->ranks);
  if (process->scheduler != NULL)
    process->scheduler->free (process->scheduler);
  assay_mpi_leave (&process->mpi);
}

void
cli_process_work (const CliProcess *process, char **scenarios, guint n,
                  const CliRunOptions *options)
{
  g_autoptr (GPtrArray) plans = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_plan_free);
  AssayWorkOptions work = { .name = process->name,
                            .is_silent = options->quiet,
                            .opens_ahead = !options->resume,
                            .is_cancelled = cli_is_cancelled };

  cli_drop_warnings (); /* about data, which the scheduler gives too */
  for (guint i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = NULL;
    AssayPlan *plan = cli_plan_new (scenarios[i], &options->plan, &error);

    if (plan != NULL) {
      assay_folder_hide_results (plan, options->out);
      if (options->baseline != NULL)
        assay_folder_hide_run (options->baseline);
      g_ptr_array_add (plans, plan);
      continue;
    }
    text = g_strdup_printf ("%s: %s", process->name, error->message);
    assay_transport_send_text (process->scheduler, 0, ASSAY_MESSAGE_FAILED, (guint64) error->code,
                               text, NULL);
    break;
  }
  work.plans = (const AssayPlan *const *) plans->pdata;
  work.n_plans = plans->len;
  assay_work (&work, process->scheduler);
}

/* The same command for one scenario, without what only the process that writes needs. */
static GPtrArray *
worker_arguments (const AssayPlan *plan, const char *place, const CliRunOptions *options)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  const guint n = (guint) options->workers;

  g_ptr_array_add (words, g_strdup ("/proc/self/exe"));
  g_ptr_array_add (words, g_strdup ("run"));
  g_ptr_array_add (words, g_strdup_printf ("--jobs=%u", MAX (assay_parallel_threads () / n, 1)));
  g_ptr_array_add (
      words, g_strdup_printf ("--cache-memory=%" G_GUINT64_FORMAT, assay_shared_budget () / n));
  if (options->verbose)
    g_ptr_array_add (words, g_strdup ("--verbose"));
  if (options->quiet)
    g_ptr_array_add (words, g_strdup ("--quiet"));
  for (char **given = options->plan.assignments; given != NULL && *given != NULL; given++)
    g_ptr_array_add (words, g_strconcat ("--set=", *given, NULL));
  if (options->plan.seed != NULL)
    g_ptr_array_add (words, g_strconcat ("--seed=", options->plan.seed, NULL));
  if (options->plan.trials != NULL)
    g_ptr_array_add (words, g_strconcat ("--trials=", options->plan.trials, NULL));
  /* It writes nothing there; programs that it starts are not to look there. */
  g_ptr_array_add (words, g_strconcat ("--out=", place, NULL));
  if (options->baseline != NULL)
    g_ptr_array_add (words, g_strconcat ("--baseline=", options->baseline, NULL));
  g_ptr_array_add (words, g_strdup (plan->scenario));
  g_ptr_array_add (words, NULL);
  return words;
}

AssayTransport *
cli_workers_new (const AssayPlan *plan, const char *place, const CliRunOptions *options,
                 GError **error)
{
  g_autoptr (GPtrArray) words = worker_arguments (plan, place, options);

  return assay_local_workers_new ((guint) options->workers, (const char *const *) words->pdata,
                                  error);
}
