/* What could stand where a word is being typed: for completion, which all shells ask for alike. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help/completion.h"
#include "core/base/each.h"
#include "core/plugin/registry.h"

static void
offer (const char *word, const char *about)
{
  printf ("%s\t%s\n", word, about);
}

static void
offer_commands (const CliCommand *command)
{
  for (; command->name != NULL; command++)
    offer (command->name, command->help);
}

static void
offer_plugins (AssayPluginType type)
{
  g_autoptr (GPtrArray) plugins = assay_registry_offers (type);

  ASSAY_FOR_EACH (const AssayPlugin, plugin, plugins)
    offer (plugin->id, plugin->summary);
}

static void
offer_options (const CliUsage *usage)
{
  offer ("--help", "Show help");
  for (const GOptionEntry *entry = usage->entries; entry->long_name != NULL; entry++) {
    printf ("--%s\t%s\n", entry->long_name, entry->description);
    if (entry->short_name != '\0')
      printf ("-%c\t%s\n", entry->short_name, entry->description);
  }
}

/* The option that @word names, as "--out", "--out=..." or "-o", if it takes a value; or NULL. */
static const GOptionEntry *
option_of (const CliUsage *usage, const char *word)
{
  for (const GOptionEntry *entry = usage->entries; entry->long_name != NULL; entry++) {
    const gsize length = strlen (entry->long_name);
    const gboolean is_long = g_str_has_prefix (word, "--")
                             && strncmp (word + 2, entry->long_name, length) == 0
                             && (word[2 + length] == '\0' || word[2 + length] == '=');
    const gboolean is_short
        = word[0] == '-' && word[1] != '\0' && word[1] == entry->short_name && word[2] == '\0';

    if ((is_long || is_short) && entry->arg != G_OPTION_ARG_NONE)
      return entry;
  }
  return NULL;
}

/* The settings of the plugin that another option names. */
static void
offer_settings (const CliUsage *usage, char **words)
{
  static const AssayPluginType types[] = { [CLI_WORD_DEFENSE] = ASSAY_PLUGIN_DEFENSE,
                                           [CLI_WORD_ATTACK] = ASSAY_PLUGIN_ATTACK,
                                           [CLI_WORD_METRIC] = ASSAY_PLUGIN_METRIC };

  for (; words[0] != NULL && words[1] != NULL; words++) {
    const GOptionEntry *option = option_of (usage, words[0]);
    const char *equals = strchr (words[0], '=');
    const CliWord word
        = option != NULL ? cli_word_of (option->arg_description, option->long_name) : CLI_WORD_ANY;
    const AssayPlugin *plugin
        = word < G_N_ELEMENTS (types) && types[word] != ASSAY_PLUGIN_NONE
              ? assay_registry_find (types[word], equals != NULL ? equals + 1 : words[1], NULL)
              : NULL;

    if (plugin == NULL)
      continue;
    ASSAY_FOR_EACH_PARAM (param, plugin->parameters)
      printf ("%s=\t%s\n", param->name, param->help);
    return;
  }
}

/* What --set can change in the scenario that stands on the line. */
static void
offer_keys (char **words)
{
  for (; *words != NULL; words++)
    if (g_file_test (*words, G_FILE_TEST_IS_REGULAR)) {
      cli_print_keys (*words);
      return;
    }
}

/* What stands for @placeholder, of @option or, where that is NULL, of a word beside the options. */
static void
offer_values (const CliUsage *usage, char **words, const char *placeholder, const char *option)
{
  const CliWord word = cli_word_of (placeholder, option);
  g_autofree char *choices = NULL;

  /* How the shell goes about it; settings and keys are followed by no blank. */
  puts (word == CLI_WORD_FILE       ? "file"
        : word == CLI_WORD_FOLDER   ? "folder"
        : word == CLI_WORD_SCENARIO ? "scenario"
        : word == CLI_WORD_SETTING  ? "assignments"
        : word == CLI_WORD_KEY      ? "assignments"
                                    : "words");
  if (word == CLI_WORD_CHOICE)
    puts (g_strdelimit (choices = cli_word_choices (placeholder), " ", '\n'));
  if (word == CLI_WORD_DEFENSE || word == CLI_WORD_PLUGIN)
    offer_plugins (ASSAY_PLUGIN_DEFENSE);
  if (word == CLI_WORD_ATTACK || word == CLI_WORD_PLUGIN)
    offer_plugins (ASSAY_PLUGIN_ATTACK);
  if (word == CLI_WORD_METRIC || word == CLI_WORD_PLUGIN)
    offer_plugins (ASSAY_PLUGIN_METRIC);
  if (word == CLI_WORD_PLUGIN)
    offer_plugins (ASSAY_PLUGIN_DATASET);
  if (word == CLI_WORD_SETTING)
    offer_settings (usage, words);
  if (word == CLI_WORD_KEY)
    offer_keys (words);
}

void
cli_print_offers (guint n, char **words)
{
  const CliCommand *commands = cli_commands, *command;
  const char *last = n > 0 ? words[n - 1] : "", *before = n > 1 ? words[n - 2] : "";
  const GOptionEntry *option;
  guint at = 0;

  for (; commands != NULL && at + 1 < n; at++) {
    g_autofree char *hint = NULL;

    command = cli_find_command (commands, words[at], &hint);
    if (command == NULL)
      return;
    if (command->usage != NULL)
      break;
    commands = cli_dataset_commands;
  }
  if (at + 1 >= n) {
    puts ("words\n--help\tShow help");
    if (commands == cli_commands)
      offer ("--version", "Show the version");
    offer_commands (commands);
    return;
  }
  option = g_str_has_prefix (last, "--") && strchr (last, '=') != NULL
               ? option_of (command->usage, last)
           : strchr (before, '=') == NULL ? option_of (command->usage, before)
                                          : NULL;
  if (option != NULL) {
    offer_values (command->usage, words, option->arg_description, option->long_name);
  } else if (*last == '-') {
    puts ("words");
    offer_options (command->usage);
  } else {
    offer_values (command->usage, words, command->usage->parameters, NULL);
  }
}
