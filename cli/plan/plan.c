/* assay plan: what a scenario would run. */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "core/base/shared-work.h"
#include "core/base/text.h"
#include "runner/foretell/foretell.h"
#include "runner/judge/describe.h"
#include "runner/plan/estimate.h"
#include "runner/store/folder-name.h"

static CliPlanOptions options;
static double time_limit;
/* What was played to foretell the time goes on in a thread, with which the process cannot end as
 * usual. */
static gboolean is_stuck;

static void
append_parts (GString *text, const char *kind, const GPtrArray *components)
{
  ASSAY_FOR_EACH (const AssayComponent, component, components) {
    g_autofree char *canonical = assay_settings_canonical (component->settings);
    g_autofree char *grants = assay_grants_describe (component->grants);
    g_autofree char *settings = NULL;
    g_auto (GStrv) lines = g_strsplit (g_strchomp (canonical), "\n", -1);

    settings = g_strjoinv (", ", lines);
    g_string_append_printf (text, "  %s %s%s%s%s%s%s%s\n", kind, component->label,
                            *component->label != '\0' ? " = " : "", component->plugin->id,
                            *settings != '\0' ? ": " : "", settings,
                            *grants != '\0' ? "; granted: " : "", grants);
    if (component->tuned_keys != NULL)
      g_string_append_printf (text, "    tuned by %s over %u candidates: %s\n",
                              component->tune_measure, component->candidates->len,
                              component->tuned_keys);
  }
}

static void
append_sheets (GString *text, const AssayPlan *plan)
{
  ASSAY_FOR_EACH (const AssayContactSheet, sheet, plan->sheets) {
    g_string_append_printf (text, "  pictures %s: count=%zu, metric=%s, released=%s\n", sheet->name,
                            sheet->count,
                            assay_plan_component (plan->metrics, sheet->metric)->label,
                            sheet->has_released ? "yes" : "no");
  }
}

static void
append_probe (GString *text, const AssayPlan *plan, guint index)
{
  const AssayProbe *probe = &plan->probes[index];
  g_autofree char *secrets = assay_text_count (probe->n_secrets);
  g_autofree char *database = assay_text_count (probe->n_database);
  g_autofree char *public_rows = assay_text_count (probe->n_public);

  g_string_append_printf (text, "  rows: %s%s secrets, %s database, %s public; %zu columns",
                          probe->is_estimate ? "at most " : "", secrets, database, public_rows,
                          probe->cols);
  if (probe->n_groups > 0)
    g_string_append_printf (text, "; secrets come in %zu groups", probe->n_groups);
  if (*probe->remark != '\0')
    g_string_append_printf (text, "\n  %s", probe->remark);
  g_string_append_printf (text, "\n");
}

static void
print_plan (const AssayPlan *plan)
{
  g_autofree char *memory = assay_text_bytes (plan->memory);
  g_autofree char *shared = assay_text_bytes (assay_plan_shared_budget (plan, 1));
  const gboolean takes_groups = plan->secret_groups > 0;
  g_autofree char *needed = assay_text_count (takes_groups ? plan->trials * plan->secret_groups
                                                           : assay_plan_secrets_needed (plan));
  g_autofree char *distinct
      = g_strdup_printf ("%s distinct %s in all", needed, takes_groups ? "groups" : "secrets");
  g_autofree char *size = assay_plan_describe_size (plan);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "%s\n", plan->title);
  append_parts (text, "dataset", plan->datasets);
  for (guint i = 0; i < plan->datasets->len; i++)
    append_probe (text, plan, i);
  append_parts (text, "defense", plan->defenses);
  append_parts (text, "attack", plan->attacks);
  append_parts (text, "utility", plan->utilities);
  append_parts (text, "metric", plan->metrics);
  append_sheets (text, plan);

  g_string_append_printf (
      text, "cells: %u (seed %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " trial%s%s; %s)\n",
      plan->cells->len, plan->seed, plan->trials, plan->trials == 1 ? "" : "s", size, distinct);
  ASSAY_FOR_EACH (const AssaySkip, skip, plan->skipped) {
    g_string_append_printf (text, "skipped: %s against %s: %s\n", skip->attack, skip->defense,
                            skip->reason);
  }
  g_string_append_printf (
      text, "memory: about %s, and at most %s of what cells share ('assay run --cache-memory')\n",
      memory, shared);
  cli_print (text->str);
}

/* ---- How long it would take ---- */

static AssayPlan *
make_part (char **assignments, gsize trials, gpointer plan)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) all = NULL;
  g_autofree char *n = g_strdup_printf ("%zu", trials);
  CliPlanOptions smaller = { .seed = options.seed, .trials = n };
  AssayPlan *part;

  if (options.assignments != NULL)
    g_strv_builder_addv (builder, (const char **) options.assignments);
  g_strv_builder_addv (builder, (const char **) assignments);
  all = smaller.assignments = g_strv_builder_end (builder);
  part = cli_plan_new (((const AssayPlan *) plan)->scenario, &smaller, NULL);
  if (part != NULL)
    assay_folder_hide_results (part, NULL);
  return part;
}

static char *
foretell (AssayPlan *plan)
{
  AssayForetold foretold;
  char *text;

  if (is_stuck)
    return g_strdup ("not known: parts of the scenario before have not ended");
  cli_catch_interrupts ();
  cli_drop_warnings (); /* about data, which the run gives */
  assay_folder_hide_results (plan, NULL);
  assay_shared_set_budget (assay_plan_shared_budget (plan, 1));
  is_stuck = !assay_foretell (&(AssayForetelling){ .plan = plan,
                                                   .seconds = time_limit,
                                                   .make = make_part,
                                                   .is_cancelled = cli_is_interrupted,
                                                   .data = plan },
                              &foretold);
  text = assay_foretold_describe (&foretold);
  assay_foretold_clear (&foretold);
  return text;
}

static void
print_time (AssayPlan *plan)
{
  g_autofree char *foretold = NULL;

  if (time_limit <= 0) {
    printf ("time: 'assay plan --time 20' plays small parts of it for at most 20 s, and foretells "
            "it\n");
    return;
  }
  fflush (stdout);
  foretold = foretell (plan);
  printf ("time: %s\n", foretold);
}

static const GOptionEntry entries[]
    = { CLI_PLAN_OPTIONS (options),
        { "time", 't', 0, G_OPTION_ARG_DOUBLE, &time_limit,
          "Foretell how long the run takes: plays small parts of it, for at most so long",
          "SECONDS" },
        G_OPTION_ENTRY_NULL };

static int
plan_all (int n, char **paths)
{
  g_autoptr (GError) problem = NULL;
  int code = EXIT_OK;

  if (!cli_seed_settle (&options.seed, &problem))
    return cli_fail_early (problem);
  for (int i = 0; i < n && code == EXIT_OK; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayPlan) plan = cli_plan_new (paths[i], &options, &error);

    if (plan == NULL)
      return cli_fail_early (error);
    print_plan (plan);
    print_time (plan);
    if (cli_is_interrupted ())
      code = EXIT_INTERRUPTED;
  }
  if (is_stuck) {
    fflush (NULL);
    _exit (code);
  }
  return code;
}

const CliUsage cli_plan = {
  .parameters = "SCENARIO...",
  .summary
  = "Loads and checks each scenario, and shows what 'assay run' would do: settings, number of\n"
    "cells (one defense, one attack or utility, one trial), what cannot be combined, memory.",
  .description = "Example:\n  assay plan scenarios/quickstart.scenario --time 20\n",
  .entries = entries,
  .min_words = 1,
  .max_words = CLI_ANY_NUMBER,
  .expected = "a scenario file; 'assay plan --help' explains",
  .run = plan_all,
};
