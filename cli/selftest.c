/* assay selftest: every attack against its own control, with its default settings. */
#include <stdio.h>

#include "cli/cli.h"
#include "core/games/control.h"
#include "core/plugin/registry.h"

/* FALSE where the control was lost or could not be played. An attack with a setting that must be
 * given (a program to run) has no control of its own. */
static gboolean
play (const AssayPlugin *attack, guint64 seed)
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
  if (!assay_control_play (attack, settings, seed, &outcome, &error)) {
    printf ("error  %-16s %s\n", attack->id, error->message);
    return FALSE;
  }
  printf ("%s   %-16s %s: %.0f %% of %zu (at least %.0f %%)\n", outcome.is_won ? "won " : "LOST",
          attack->id, control.says, 100 * outcome.share, outcome.n, 100 * control.at_least);
  return outcome.is_won;
}

static gint64 seed = 1;

static const GOptionEntry entries[]
    = { { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "Seed of the cases (default 1)", "N" },
        G_OPTION_ENTRY_NULL };

static int
selftest (G_GNUC_UNUSED int n, G_GNUC_UNUSED char **words)
{
  g_autoptr (GPtrArray) attacks = assay_registry_offers (ASSAY_PLUGIN_ATTACK);
  gboolean is_won = TRUE;

  for (guint i = 0; i < attacks->len; i++)
    is_won &= play (attacks->pdata[i], (guint64) seed);
  return is_won ? EXIT_OK : EXIT_INCONCLUSIVE;
}

const CliUsage cli_selftest = {
  .parameters = "",
  .summary = "Plays the control of every attack: a case whose outcome is known. An attack\n"
             "that loses it on this machine proves nothing by losing elsewhere.",
  .entries = entries,
  .run = selftest,
};
