/* assay selftest --mutants: the audit of the audit. */
#include "cli/selftest/mutants.h"

#include <glib/gstdio.h>
#include <stdio.h>

#include "cli/cli.h"
#include "core/base/parallel.h"
#include "report/report.h"
#include "runner/compare/saved-run.h"
#include "runner/judge/mutants.h"
#include "runner/mutants/play.h"

void
cli_load_mutants (AssayResults *results, const char *folder)
{
  g_autoptr (GError) error = NULL;

  if (!assay_mutants_load (results, folder, &error))
    g_printerr ("assay: warning: %s\n", error->message);
}

gboolean
cli_keep_mutants (AssayResults *results, const char *place, const char *work, GError **error)
{
  cli_load_mutants (results, place);
  if (results->mutants == NULL || g_str_equal (place, work))
    return TRUE;
  if (results->mutants->is_stale) {
    g_clear_pointer (&results->mutants, assay_result_mutants_free);
    return TRUE;
  }
  return assay_report_write_mutants (results->mutants, work, error);
}

/* That @folder holds a finished run of @plan with the same claims, before anything is played. */
static AssaySavedRun *
open_run (const AssayPlan *plan, const char *folder, GError **error)
{
  g_autoptr (AssaySavedRun) run = assay_saved_run_open (folder, FALSE, error);

  if (run == NULL)
    return NULL;
  if (!run->is_finished)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH, "--out %s: expected a finished run of %s",
                            folder, plan->scenario);
  if (!g_str_equal (run->plan->sha256, plan->sha256))
    return assay_fail_null (
        error, ASSAY_ERROR_MISMATCH,
        "--out %s: is the run of another scenario or of other settings; expected one of %s "
        "as it is now",
        folder, plan->scenario);
  return g_steal_pointer (&run);
}

/* Beside the run, and in its reports. */
static gboolean
keep (AssaySavedRun *run, const AssayResultMutants *mutants, GError **error)
{
  const AssayReportRun about = { .threads = run->times.threads,
                                 .started_us = run->times.started_us,
                                 .ended_us = run->times.ended_us };

  if (!assay_report_write_mutants (mutants, run->folder, error))
    return FALSE;
  cli_load_mutants (run->results, run->folder);
  return assay_report_write (run->results, run->folder, &about, NULL, error);
}

static gboolean
on_save (const AssayResultMutants *mutants, gpointer data, GError **error)
{
  return assay_report_write_mutants_part (mutants, ((const AssaySavedRun *) data)->folder, error);
}

static int
play (const AssayPlan *plan, AssaySavedRun *run, const CliMutantsOptions *options)
{
  CliProgress *progress = cli_progress_new (options->quiet);
  const AssayRunCallbacks callbacks = { .is_cancelled = cli_is_cancelled,
                                        .progress = cli_progress_update,
                                        .data = progress,
                                        .part_us = CLI_PROGRESS_US };
  g_autoptr (AssayResultMutants) mutants = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autofree char *path
      = run != NULL ? g_build_filename (run->folder, ASSAY_MUTANTS_PART_FILE, NULL) : NULL;
  const AssayUnfinishedMutants unfinished = { path, on_save, run };
  const gboolean is_ok = assay_mutants_play (plan, &unfinished, &callbacks, &mutants, &error);

  cli_progress_free (progress);
  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED)) {
    g_printerr (run != NULL ? "assay: interrupted; the same command goes on where it stopped\n"
                            : "assay: interrupted; nothing of the mutants is kept (--out keeps "
                              "them)\n");
    return EXIT_INTERRUPTED;
  }
  if (!is_ok && g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MISMATCH)) {
    g_printerr ("assay: %s\n", error->message);
    return EXIT_INCONCLUSIVE;
  }
  if (!is_ok)
    return cli_fail (error);
  text = assay_report_mutants (mutants);
  cli_print (text);
  if (run != NULL && !keep (run, mutants, &error))
    return cli_fail (error);
  if (run != NULL)
    g_unlink (path);
  if (run != NULL)
    printf ("kept in %s: %s; its reports were written again\n", run->folder, ASSAY_MUTANTS_FILE);
  return mutants->n_counted > 0 ? EXIT_OK : EXIT_INCONCLUSIVE;
}

int
cli_mutants (const char *scenario, const CliMutantsOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = NULL;
  g_autoptr (AssaySavedRun) run = NULL;

  if (options->out != NULL && *options->out == '\0')
    return cli_refuse ("--out: expected a folder");
  if (options->jobs != CLI_NOT_GIVEN && (options->jobs < 1 || options->jobs > 4096))
    return cli_refuse ("--jobs: expected 1 to 4096");
  plan = cli_plan_new (scenario, &options->plan, &error);
  if (plan != NULL && options->out != NULL)
    run = open_run (plan, options->out, &error);
  if (plan == NULL || (options->out != NULL && run == NULL))
    return cli_fail_early (error);
  assay_parallel_set_threads ((guint) MAX (options->jobs, 0));
  cli_catch_interrupts ();
  return play (plan, run, options);
}
