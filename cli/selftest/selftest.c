/* assay selftest: every attack against its own control, with its default settings; and an audit
 * against mutants of its own defenses. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/selftest/mutants.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/games/control.h"
#include "core/plugin/registry.h"

static gboolean
play_control (const AssayPlugin *attack, const AssaySettings *settings, guint64 seed,
              gboolean is_quiet, AssayControlOutcome *ret_outcome, GError **error)
{
  g_autofree char *doing = g_strdup_printf ("control of %s", attack->id);
  CliProgress *progress = cli_progress_of_step (is_quiet, doing);
  const gboolean is_ok = assay_control_play (attack, settings, seed, ret_outcome, error);

  cli_progress_free (progress);
  return is_ok;
}

/* FALSE where the control was lost or could not be played. An attack with a setting that must be
 * given (a program to run) has no control of its own. */
static gboolean
play (const AssayPlugin *attack, guint64 seed, gboolean is_quiet)
{
  const AssayControlTerms control = assay_control_terms (attack);
  g_autoptr (AssaySettings) settings
      = assay_settings_new (attack->parameters, attack->settings_size);
  g_autoptr (GError) error = NULL;
  AssayControlOutcome outcome = { 0 };

  if (!assay_settings_check_complete (settings, &error)) {
    printf ("none   %-16s %s\n", attack->id, error->message);
    return TRUE;
  }
  if (!control.is_there) {
    printf ("none   %-16s %s\n", attack->id, control.says);
    return TRUE;
  }
  if (!play_control (attack, settings, seed, is_quiet, &outcome, &error)) {
    printf ("error  %-16s %s\n", attack->id, error->message);
    return FALSE;
  }
  printf ("%s   %-16s %s: %.0f %% of %zu (at least %.0f %%)\n", outcome.is_won ? "won " : "LOST",
          attack->id, control.says, 100 * outcome.share, outcome.n, 100 * control.at_least);
  return outcome.is_won;
}

static CliMutantsOptions options = { .jobs = CLI_NOT_GIVEN };
static char *scenario;

static const GOptionEntry entries[] = {
  { "mutants", 0, 0, G_OPTION_ARG_FILENAME, &scenario,
    "Put known mistakes into this scenario's defenses: which would its audit see?", "SCENARIO" },
  { "out", 'o', 0, G_OPTION_ARG_FILENAME, &options.out,
    "With --mutants: keep the result beside the scenario's run, whose reports show it", "FOLDER" },
  CLI_PLAN_OPTIONS (options.plan),
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &options.jobs,
    "Threads to use (default: one per processor); results do not depend on it", "N" },
  { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "No progress", NULL },
  G_OPTION_ENTRY_NULL
};

/* Every attack's control. */
static int
play_controls (guint64 seed)
{
  g_autoptr (GPtrArray) attacks = assay_registry_offers (ASSAY_PLUGIN_ATTACK);
  gboolean is_won = TRUE;

  for (guint i = 0; i < attacks->len; i++)
    is_won &= play (attacks->pdata[i], seed, options.quiet);
  return is_won ? EXIT_OK : EXIT_INCONCLUSIVE;
}

static int
selftest (G_GNUC_UNUSED int n, G_GNUC_UNUSED char **words)
{
  gint64 seed = 1;

  if (scenario != NULL)
    return cli_mutants (scenario, &options);
  if (options.out != NULL || options.plan.assignments != NULL || options.plan.trials != NULL)
    return cli_refuse ("%s goes with --mutants", options.out != NULL                ? "--out"
                                                 : options.plan.assignments != NULL ? "--set"
                                                                                    : "--trials");
  if (options.plan.seed != NULL
      && (!assay_text_to_int (options.plan.seed, &seed) || seed < 0))
    return cli_refuse ("--seed %s: expected a whole number of at least 0", options.plan.seed);
  if (options.jobs != CLI_NOT_GIVEN && (options.jobs < 1 || options.jobs > 4096))
    return cli_refuse ("--jobs: expected 1 to 4096");
  assay_parallel_set_threads ((guint) MAX (options.jobs, 0));
  return play_controls ((guint64) seed);
}

const CliUsage cli_selftest = {
  .parameters = "",
  .summary = "Plays the control of every attack: a case whose outcome is known. An attack\n"
             "that loses it on this machine proves nothing by losing elsewhere.\n"
             "With --mutants: puts known mistakes into the defenses of a scenario, one at a\n"
             "time, plays its audit on each, and says which of them it sees, and what would\n"
             "see the others. Takes some twenty times as long as the scenario.",
  .description = "Example:\n  assay selftest\n",
  .entries = entries,
  .run = selftest,
};
