/* assay selftest: every attack against its own control, with its default settings. */
#include <stdio.h>

#include "cli/cli.h"
#include "core/games/control.h"
#include "core/plugin/registry.h"

/* FALSE where the control was lost or could not be played. An attack with a setting that must be
 * given (a program to run) has no control of its own. */
static gboolean
play (const AssayAttack *attack, guint64 seed)
{
  g_autoptr (AssaySettings) settings
      = assay_settings_new (attack->parameters, attack->settings_size);
  g_autoptr (GError) error = NULL;
  AssayControlOutcome outcome = { 0 };

  if (!assay_settings_check_complete (settings, &error)) {
    printf ("none   %-16s %s\n", attack->id, error->message);
    return TRUE;
  }
  if (!assay_attack_has_control (attack)) {
    printf ("none   %-16s %s\n", attack->id, attack->control.says);
    return TRUE;
  }
  if (!assay_control_run (attack, settings, seed, &outcome, &error)) {
    printf ("error  %-16s %s\n", attack->id, error->message);
    return FALSE;
  }
  printf ("%s   %-16s %s: %.0f %% of %zu (at least %.0f %%)\n", outcome.is_won ? "won " : "LOST",
          attack->id, attack->control.says, 100 * outcome.share, outcome.n,
          100 * attack->control.at_least);
  return outcome.is_won;
}

static gint64 seed = 1;

static const GOptionEntry entries[]
    = { { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "Seed of the cases (default 1)", "N" },
        G_OPTION_ENTRY_NULL };

static int
selftest (G_GNUC_UNUSED int n, G_GNUC_UNUSED char **words)
{
  gboolean is_won = TRUE;

  for (guint i = 0; assay_attacks[i] != NULL; i++)
    is_won &= play (assay_attacks[i], (guint64) seed);
  return is_won ? EXIT_OK : EXIT_INCONCLUSIVE;
}

const CliUsage cli_selftest = {
  .parameters = "",
  .summary = "Plays the control of every attack: a case whose outcome is known. An attack\n"
             "that loses it on this machine proves nothing by losing elsewhere.",
  .entries = entries,
  .run = selftest,
};
