/* assay completion: what shells offer while a command is typed. */
#include "cli/help/completion.h"

#include <stdio.h>

#include "cli/cli.h"
#include "core/plugin/registry.h"
#include "runner/plan/scenario.h"

/* ---- Keys of a scenario ---- */

/* The keys that a kind of group has beside the settings of its plugin. Those of groups that are
 * found by their label alone (claims, pictures) are seldom changed by --set. */
static const struct {
  const char *kind;
  const char *keys[6];
} own_keys[] = {
  { "scenario", { "seed", "trials", "confidence", "starts", "title", NULL } },
  { "dataset", { "secrets", "secret_groups", "tune_secrets", NULL } },
  { "defense", { NULL } },
  { "attack", { "grants", NULL } },
  { "metric", { NULL } },
  { "utility", { NULL } },
};

static AssayPluginType
type_of (const char *kind)
{
  return g_str_equal (kind, "dataset")   ? ASSAY_PLUGIN_DATASET
         : g_str_equal (kind, "defense") ? ASSAY_PLUGIN_DEFENSE
         : g_str_equal (kind, "attack")  ? ASSAY_PLUGIN_ATTACK
                                         : ASSAY_PLUGIN_METRIC;
}

static void
print_group_keys (const AssayGroup *group, const char *const *keys)
{
  g_autofree char *name = assay_group_name (group);
  const AssayEntry *entry = assay_group_find (group, "plugin");
  g_autofree char *id = entry != NULL ? assay_entry_text (entry, NULL) : g_strdup (group->label);
  const AssayPlugin *plugin
      = id != NULL ? assay_registry_find (type_of (group->kind), id, NULL) : NULL;

  for (guint i = 0; keys[i] != NULL; i++)
    printf ("%s.%s=\n", name, keys[i]);
  if (g_str_equal (group->kind, "scenario") || plugin == NULL)
    return;
  ASSAY_FOR_EACH_PARAM (param, plugin->parameters)
    printf ("%s.%s=\n", name, param->name);
}

int
cli_print_keys (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayScenario) scenario = assay_scenario_load (path, &error);

  if (scenario == NULL)
    return cli_fail_early (error);
  ASSAY_FOR_EACH (const AssayGroup, group, scenario->groups) {
    for (guint i = 0; i < G_N_ELEMENTS (own_keys); i++)
      if (g_str_equal (group->kind, own_keys[i].kind))
        print_group_keys (group, own_keys[i].keys);
  }
  return EXIT_OK;
}

/* ---- The command ---- */

static int
print_script (const char *shell)
{
  const char *script = g_str_equal (shell, "bash")   ? cli_completion_bash
                       : g_str_equal (shell, "zsh")  ? cli_completion_zsh
                       : g_str_equal (shell, "fish") ? cli_completion_fish
                                                     : NULL;

  if (script == NULL)
    return cli_refuse ("'%s': expected bash, zsh or fish", shell);
  fputs (script, stdout);
  return EXIT_OK;
}

static gboolean is_asked;
static char *keys_of;

static const GOptionEntry entries[] = {
  { "keys-of", 0, 0, G_OPTION_ARG_FILENAME, &keys_of,
    "Instead: every GROUP.KEY= that --set can change in a scenario, a line each", "SCENARIO" },
  { "offers", 0, 0, G_OPTION_ARG_NONE, &is_asked,
    "Instead: what could stand for the last of the words behind --, as the script asks", NULL },
  G_OPTION_ENTRY_NULL
};

static int
complete (int n, char **words)
{
  const int most = keys_of != NULL ? 0 : 1;

  if (is_asked) {
    const int first = n > 0 && g_str_equal (words[0], "--");

    cli_print_offers ((guint) (n - first), words + first);
    return EXIT_OK;
  }
  if (n > most)
    return cli_refuse ("unexpected '%s'; 'assay completion --help' explains", words[most]);
  if (keys_of != NULL)
    return cli_print_keys (keys_of);
  if (n == 0)
    return cli_refuse ("expected bash, zsh or fish; 'assay completion --help' explains");
  return print_script (words[0]);
}

const CliUsage cli_completion = {
  .parameters = "bash|zsh|fish",
  .summary = "Prints a script by which the shell completes commands, options, plugins and\n"
             "settings. It asks the program, and so knows every plugin that it has.",
  .description = "For this shell alone:\n"
                 "  source <(assay completion bash)\n"
                 "For every one to come:\n"
                 "  mkdir -p ~/.local/share/bash-completion/completions\n"
                 "  assay completion bash > ~/.local/share/bash-completion/completions/assay\n"
                 "In a folder of zsh's $fpath:\n"
                 "  assay completion zsh > _assay\n"
                 "For fish:\n"
                 "  mkdir -p ~/.config/fish/completions\n"
                 "  assay completion fish > ~/.config/fish/completions/assay.fish\n",
  .entries = entries,
  .max_words = CLI_ANY_NUMBER,
  .run = complete,
};
