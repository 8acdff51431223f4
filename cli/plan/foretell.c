/* How long a run would take. */
#include "cli/plan/foretell.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/base/shared-work.h"
#include "runner/foretell/foretell.h"
#include "runner/plan/estimate.h"
#include "runner/store/folder-name.h"

static gboolean is_stuck;

typedef struct {
  const AssayPlan *plan;
  const CliPlanOptions *options;
} Foretelling;

static AssayPlan *
make_part (char **assignments, gsize trials, gpointer data)
{
  const Foretelling *foretelling = data;
  char **given = foretelling->options->assignments;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) all = NULL;
  g_autofree char *n = g_strdup_printf ("%zu", trials);
  CliPlanOptions options = { .seed = foretelling->options->seed, .trials = n };
  AssayPlan *part;

  if (given != NULL)
    g_strv_builder_addv (builder, (const char **) given);
  g_strv_builder_addv (builder, (const char **) assignments);
  all = options.assignments = g_strv_builder_end (builder);
  part = cli_plan_new (foretelling->plan->scenario, &options, NULL);
  if (part != NULL)
    assay_folder_hide_results (part, NULL);
  return part;
}

/* Warnings about data, which the run gives. */
static void
drop_warning (G_GNUC_UNUSED const char *domain, G_GNUC_UNUSED GLogLevelFlags level,
              G_GNUC_UNUSED const char *message, G_GNUC_UNUSED gpointer data)
{
}

char *
cli_foretell (const AssayPlan *plan, const CliPlanOptions *options, double seconds)
{
  Foretelling foretelling = { plan, options };
  AssayForetold foretold;
  char *text;

  if (is_stuck)
    return g_strdup ("not known: parts of the scenario before have not ended");
  cli_catch_interrupts ();
  g_log_set_handler (NULL, G_LOG_LEVEL_WARNING, drop_warning, NULL);
  assay_folder_hide_results (plan, NULL);
  assay_shared_set_budget (assay_plan_shared_budget (plan, 1));
  is_stuck = !assay_foretell (&(AssayForetelling){ .plan = plan,
                                                   .seconds = seconds,
                                                   .make = make_part,
                                                   .is_cancelled = cli_is_interrupted,
                                                   .data = &foretelling },
                              &foretold);
  text = assay_foretold_describe (&foretold);
  assay_foretold_clear (&foretold);
  return text;
}

void
cli_foretell_end (int code)
{
  if (!is_stuck)
    return;
  fflush (NULL);
  _exit (code);
}
