/* Running an audit within a time.
 *
 * All claims share the secrets of a trial, so that trials are what narrows every interval, the
 * widest by most. One trial is run first (look 1). Where a claim is open then and time is left, the
 * scenario is run again with as many trials as fit, the first among them (look 2), and that look
 * has the verdict. Looking twice gives a wrong verdict two chances: each claim is therefore judged
 * at half of its error in both (Bonferroni), which holds however the looks depend on each other.
 * How many trials look 2 has comes from the time of look 1 alone, never from what it found. What is
 * cut off by the end of the time is kept, and the verdict is that of look 1. */
#include <math.h>
#include <stdio.h>

#include "cli/audit/audit.h"
#include "cli/cli.h"
#include "cli/run-scenario.h"
#include "core/base/shared-work.h"
#include "report/report.h"
#include "runner/compare/saved-run.h"
#include "runner/store/folder.h"

/* Of the time that is left, what a look is planned to take. */
#define PLANNED_SHARE 0.8

/* ---- One look ---- */

typedef struct {
  const CliAudit *audit;
  guint number; /* 1 or 2 */
  gsize trials;
  gboolean is_quiet;
  gint64 deadline; /* of the audit (monotonic) */
  double seconds; /* that it took */
} Look;

static char *
place_of (const CliAudit *audit, guint number)
{
  g_autofree char *name = g_strdup_printf ("look-%u", number);

  return g_build_filename (audit->folder, name, NULL);
}

/* What to type to do the same by hand, for messages on how to go on. */
static void
remember (const Look *look, const char *place)
{
  g_autofree char *trials = g_strdup_printf ("%zu", look->trials);
  const char *words[] = { cli_name (), "run", look->audit->scenario,
                          "--out",     place, look->trials > 1 ? "--trials" : NULL,
                          trials,      NULL };

  cli_remember_command ((int) g_strv_length ((char **) words), (char **) words);
}

static int
run_look (const Look *look)
{
  g_autofree char *place = place_of (look->audit, look->number);
  g_autofree char *trials = g_strdup_printf ("%zu", look->trials);
  g_autoptr (GPtrArray) plans = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_plan_free);
  g_autoptr (GError) error = NULL;
  const CliRunOptions options = { .plan = { .trials = trials },
                                  .data_owner = assay_shared_owner (),
                                  .quiet = look->is_quiet,
                                  .deadline = look->deadline,
                                  .is_silent = TRUE };
  AssayPlan *plan = cli_plan_new (look->audit->scenario, &options.plan, &error);

  if (plan == NULL)
    return cli_fail_early (error);
  g_ptr_array_add (plans, plan);
  remember (look, place);
  if (!assay_folder_check (plan, place, FALSE, &error)
      || !cli_run_set_budget (plans, &options, &error))
    return cli_fail_early (error);
  return cli_run_plan (plan, place, &options);
}

static gboolean
is_judged (int code)
{
  return code == EXIT_OK || code == EXIT_VIOLATED || code == EXIT_INCONCLUSIVE;
}

/* ---- Between the looks ---- */

/* As many trials as fit into the time that is left, the first again among them. */
static gsize
choose_trials (const CliAudit *audit, gint64 began, gint64 deadline)
{
  const gint64 now = g_get_monotonic_time ();
  const double left = PLANNED_SHARE * (double) (deadline - now);
  const double fit = left / MAX ((double) (now - began), 1);

  return (gsize) MIN (fit, (double) audit->most_trials);
}

/* Whether further trials could decide a claim that is open. */
static gboolean
is_open (const char *place)
{
  g_autoptr (AssaySavedRun) run = assay_saved_run_open (place, TRUE, NULL);

  return run != NULL && assay_results_count (run->results, ASSAY_VERDICT_INCONCLUSIVE) > 0;
}

/* ---- The end ---- */

/* The most units in all that an open claim would be decided with, at its present estimate; 0: more
 * of them decide none. */
static double
units_wanted (const AssayResults *results)
{
  double most = 0;

  ASSAY_FOR_EACH (const AssayResultClaim, claim, results->claims) {
    const AssayResultHypothesis *one = assay_result_decisive (claim);

    if (claim->verdict == ASSAY_VERDICT_INCONCLUSIVE && one != NULL
        && isfinite (one->units_needed))
      most = MAX (most, one->units_needed);
  }
  return most;
}

/* What would decide the claims that are open for want of trials: more time, or more rows. */
static void
print_advice (const Look *look, const AssayResults *results)
{
  const double units = units_wanted (results);
  const double trials = ceil (units / (double) look->audit->n_secrets);
  const double seconds = look->seconds / (double) look->trials * (trials + 1) / PLANNED_SHARE;

  if (trials <= (double) look->trials || results->n_missing > 0)
    return;
  if (trials <= look->audit->most_trials)
    printf ("more:     a claim is open for want of trials: about %.0f would decide it if the "
            "estimate stays, --time %.0fs\n",
            trials, seconds);
  else
    printf ("more:     a claim is open for want of rows: about %.0f private ones would decide it "
            "if the estimate stays, and there are %zu\n",
            units, look->audit->n_private);
}

static int
print_look (const Look *look, int code)
{
  g_autofree char *place = place_of (look->audit, look->number);
  g_autofree char *report = g_build_filename (place, "report.html", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySavedRun) run = assay_saved_run_open (place, TRUE, &error);
  g_autofree char *quoted = NULL;
  g_autofree char *text = NULL;

  if (run == NULL)
    return cli_fail (error);
  quoted = g_shell_quote (place);
  run->results->replay_with
      = look->trials > 1 ? g_strdup_printf (" --out %s --trials %zu", quoted, look->trials)
                         : g_strdup_printf (" --out %s", quoted);
  text = assay_report_table (run->results, cli_terminal_width ());
  cli_print (text);
  printf ("\nscenario: %s\nreport:   %s\n", look->audit->scenario, report);
  if (look->trials > 1)
    printf ("again:    %s run %s --trials %zu\n", cli_name (), look->audit->scenario, look->trials);
  print_advice (look, run->results);
  return code;
}

/* What was done before the time was over: a claim that is violated by it is violated, and no other
 * has a verdict. */
static int
print_part (const Look *look)
{
  g_autofree char *place = place_of (look->audit, look->number);
  g_autoptr (AssaySavedRun) run = NULL;
  int code = EXIT_UNFINISHED;

  cli_interrupt_hold ();
  run = assay_saved_run_open (place, TRUE, NULL);
  if (run == NULL || run->results->n_missing == run->plan->cells->len)
    return EXIT_UNFINISHED;
  if (assay_results_count (run->results, ASSAY_VERDICT_VIOLATED) > 0)
    code = EXIT_VIOLATED;
  g_clear_pointer (&run, assay_saved_run_close);
  return print_look (look, code);
}

static void say (const Look *look, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
say (const Look *look, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  if (look->is_quiet)
    return;
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_printerr ("%s\n", text);
}

/* The second look's exit code, or that of the first where it was cut off. */
static int
look_again (const Look *first, int code, gsize trials)
{
  const gint64 began = g_get_monotonic_time ();
  Look second = { .audit = first->audit,
                  .number = 2,
                  .trials = trials,
                  .is_quiet = first->is_quiet,
                  .deadline = first->deadline };
  int again;

  say (&second, "look 2: %zu trials", trials);
  again = run_look (&second);
  second.seconds = (double) (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
  if (is_judged (again))
    return print_look (&second, again);
  if (!cli_is_out_of_time ())
    return again;
  g_printerr ("The verdict is that of the first look:\n");
  return print_look (first, code);
}

int
cli_audit_look (const CliAudit *audit, gint64 started, gboolean is_quiet)
{
  const gint64 deadline = started + (gint64) (audit->seconds * G_USEC_PER_SEC);
  const gint64 began = g_get_monotonic_time ();
  Look first = { .audit = audit,
                 .number = 1,
                 .trials = 1,
                 .is_quiet = is_quiet,
                 .deadline = deadline };
  g_autofree char *place = place_of (audit, 1);
  gsize trials;
  int code;

  cli_interrupt_after (MAX ((double) (deadline - began) / G_USEC_PER_SEC, 0.1));
  say (&first, "look 1: %zu secrets", audit->n_secrets);
  code = run_look (&first);
  first.seconds = (double) (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
  if (!is_judged (code))
    return cli_is_out_of_time () ? print_part (&first) : code;
  if (!is_open (place) || audit->most_trials < 2)
    return print_look (&first, code);
  trials = choose_trials (audit, began, deadline);
  if (trials >= 2)
    return look_again (&first, code, trials);
  say (&first,
       "claims are open, and a look at 2 trials does not fit into the time; expected --time "
       "%.0fs or more",
       ceil (3 / PLANNED_SHARE * (double) (g_get_monotonic_time () - began) / G_USEC_PER_SEC));
  return print_look (&first, code);
}
