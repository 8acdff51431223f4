/* The tables of completion scripts, in the words of each shell. */
#include <string.h>

#include "cli/commands.h"
#include "cli/help/completion.h"
#include "core/base/each.h"
#include "core/plugin/registry.h"

#define N_TYPES 4

static const AssayPluginType types[N_TYPES]
    = { ASSAY_PLUGIN_DEFENSE, ASSAY_PLUGIN_ATTACK, ASSAY_PLUGIN_METRIC, ASSAY_PLUGIN_DATASET };

/* By what kind of word, as the scripts call it. */
static const char *const kinds[] = {
  [CLI_WORD_ANY] = "any",           [CLI_WORD_FILE] = "file",     [CLI_WORD_FOLDER] = "folder",
  [CLI_WORD_SCENARIO] = "scenario", [CLI_WORD_PLUGIN] = "plugin", [CLI_WORD_DEFENSE] = "defense",
  [CLI_WORD_ATTACK] = "attack",     [CLI_WORD_METRIC] = "metric", [CLI_WORD_SETTING] = "setting",
  [CLI_WORD_KEY] = "key",           [CLI_WORD_CHOICE] = "choice",
};

/* @text within single quotes: of sh and zsh where @escape is "'\\''", of fish "\\'". */
static char *
quoted (const char *text, const char *escape)
{
  g_auto (GStrv) parts = g_strsplit (text, "'", -1);
  g_autofree char *joined = g_strjoinv (escape, parts);

  return g_strconcat ("'", joined, "'", NULL);
}

static gboolean
takes_value (const GOptionEntry *entry)
{
  return entry->arg != G_OPTION_ARG_NONE;
}

/* Calls @func with every plugin of @n types from @first on: two types may share a name. */
static void
foreach_plugin (GString *text, guint first, guint n,
                void (*func) (GString *text, AssayPluginType type, const AssayPlugin *plugin))
{
  for (guint t = first; t < first + n; t++) {
    g_autoptr (GPtrArray) offers = assay_registry_offers (types[t]);

    ASSAY_FOR_EACH (const AssayPlugin, plugin, offers)
      func (text, types[t], plugin);
  }
}

/* @prefix, and "NAME=" of each setting with blanks between, and @suffix; nothing of a plugin that
 * has none. */
static void
append_settings (GString *text, const char *prefix, const AssayPlugin *plugin, const char *suffix)
{
  const AssayParam *const first = plugin->parameters;

  if (first == NULL || first->name == NULL)
    return;
  g_string_append (text, prefix);
  for (const AssayParam *param = first; param->name != NULL; param++)
    g_string_append_printf (text, "%s%s=", param > first ? " " : "", param->name);
  g_string_append (text, suffix);
}

/* ---- bash ---- */

static void
append_bash_kind (GString *text, const char *placeholder, const char *option)
{
  const CliWord word = cli_word_of (placeholder, option);

  g_string_append_printf (text, "printf '%%s\\n' '%s", kinds[word]);
  if (word == CLI_WORD_CHOICE) {
    g_autofree char *choices = cli_word_choices (placeholder);

    g_string_append_printf (text, " %s", choices);
  }
  g_string_append (text, "' ;;\n");
}

static void
add_bash_values (const char *name, const CliUsage *usage, gpointer data)
{
  GString *text = data;

  for (const GOptionEntry *entry = usage->entries; entry->long_name != NULL; entry++) {
    if (!takes_value (entry))
      continue;
    g_string_append_printf (text, "  '%s --%s'", name, entry->long_name);
    if (entry->short_name != '\0')
      g_string_append_printf (text, " | '%s -%c'", name, entry->short_name);
    g_string_append (text, ") ");
    append_bash_kind (text, entry->arg_description, entry->long_name);
  }
}

static void
add_bash_word (const char *name, const CliUsage *usage, gpointer data)
{
  g_string_append_printf (data, "  '%s') ", name);
  append_bash_kind (data, usage->parameters, NULL);
}

static void
add_bash_options (const char *name, const CliUsage *usage, gpointer data)
{
  g_string_append_printf (data, "  'options %s') printf '%%s\\n' --help", name);
  for (const GOptionEntry *entry = usage->entries; entry->long_name != NULL; entry++)
    g_string_append_printf (data, " --%s", entry->long_name);
  g_string_append (data, " ;;\n");
}

static void
append_bash_id (GString *text, G_GNUC_UNUSED AssayPluginType type, const AssayPlugin *plugin)
{
  g_string_append_printf (text, " %s", plugin->id);
}

static void
append_bash_settings (GString *text, AssayPluginType type, const AssayPlugin *plugin)
{
  g_autofree char *prefix = g_strdup_printf ("  'settings %s %s') printf '%%s\\n' ",
                                             assay_plugin_type_name (type), plugin->id);

  append_settings (text, prefix, plugin, " ;;\n");
}

static void
append_bash_commands (GString *text, const char *kind, const CliCommand *command)
{
  g_string_append_printf (text, "  %s) printf '%%s\\n' --help%s", kind,
                          command == cli_commands ? " --version" : "");
  for (; command->name != NULL; command++)
    g_string_append_printf (text, " %s", command->name);
  g_string_append (text, " ;;\n");
}

void
cli_append_bash (GString *text)
{
  g_string_append (text, "# What stands behind an option: _assay_value COMMAND OPTION\n"
                         "_assay_value ()\n{\n  case \"$1 $2\" in\n");
  cli_foreach_command (add_bash_values, text);
  g_string_append (text, "  esac\n}\n\n# What other words of a command are.\n"
                         "_assay_word ()\n{\n  case $1 in\n");
  cli_foreach_command (add_bash_word, text);
  g_string_append (text, "  esac\n}\n\n_assay_offers ()\n{\n  case $1 in\n");
  append_bash_commands (text, "commands", cli_commands);
  append_bash_commands (text, "dataset", cli_dataset_commands);
  cli_foreach_command (add_bash_options, text);
  for (guint t = 0; t < N_TYPES; t++) {
    g_string_append_printf (text, "  %s) printf '%%s\\n'", assay_plugin_type_name (types[t]));
    foreach_plugin (text, t, 1, append_bash_id);
    g_string_append (text, " ;;\n");
  }
  g_string_append (text, "  plugin) printf '%s\\n'");
  foreach_plugin (text, 0, N_TYPES, append_bash_id);
  g_string_append (text, " ;;\n");
  foreach_plugin (text, 0, N_TYPES, append_bash_settings);
  g_string_append (text, "  esac\n}\n");
}

/* ---- zsh ---- */

/* "name:what it is" for _describe; a colon in the text is escaped. */
static void
append_zsh_offer (GString *text, const char *name, const char *about)
{
  g_auto (GStrv) parts = g_strsplit (about, ":", -1);
  g_autofree char *plain = g_strjoinv ("\\:", parts);
  g_autofree char *offer = g_strconcat (name, ":", plain, NULL);
  g_autofree char *word = quoted (offer, "'\\''");

  g_string_append_printf (text, "    %s\n", word);
}

static void
append_zsh_commands (GString *text, const char *function, const CliCommand *command)
{
  g_string_append_printf (text, "%s ()\n{\n  local -a offers=(\n", function);
  for (; command->name != NULL; command++)
    append_zsh_offer (text, command->name, command->help);
  g_string_append (text, "  )\n  _describe -t commands command offers\n}\n\n");
}

static void
append_zsh_plugin (GString *text, G_GNUC_UNUSED AssayPluginType type, const AssayPlugin *plugin)
{
  append_zsh_offer (text, plugin->id, plugin->summary);
}

static void
append_zsh_plugins (GString *text, const char *kind, guint first, guint count)
{
  g_string_append_printf (text, "_assay_%s ()\n{\n  local -a offers=(\n", kind);
  foreach_plugin (text, first, count, append_zsh_plugin);
  g_string_append_printf (text, "  )\n  _describe -t %s %s offers\n}\n\n", kind, kind);
}

static void
append_zsh_settings (GString *text, AssayPluginType type, const AssayPlugin *plugin)
{
  g_autofree char *prefix = g_strdup_printf ("  (%s) offers+=(", plugin->id);

  if (type != ASSAY_PLUGIN_DATASET)
    append_settings (text, prefix, plugin, ") ;|\n");
}

/* ":PLACEHOLDER:ACTION" of _arguments. */
static void
append_zsh_action (GString *text, const char *placeholder, const char *option)
{
  const CliWord word = cli_word_of (placeholder, option);
  g_autofree char *message = g_strdup (placeholder);

  g_strdelimit (message, ":'", ' ');
  g_string_append_printf (text, ":%s:", message);
  if (word == CLI_WORD_FILE)
    g_string_append (text, "_files");
  else if (word == CLI_WORD_FOLDER)
    g_string_append (text, "_files -/");
  else if (word == CLI_WORD_CHOICE) {
    g_autofree char *choices = cli_word_choices (placeholder);

    g_string_append_printf (text, "(%s)", choices);
  } else if (word != CLI_WORD_ANY)
    g_string_append_printf (text, "_assay_%s", kinds[word]);
  else
    g_string_append_c (text, ' ');
}

static void
append_zsh_option (GString *text, const GOptionEntry *entry)
{
  const char *equals = takes_value (entry) ? "=" : "";
  const char *star = entry->arg == G_OPTION_ARG_STRING_ARRAY ? "*" : "";
  g_autoptr (GString) rest = g_string_new ("[");
  g_autofree char *word = NULL;

  for (const char *at = entry->description; *at != '\0'; at++) {
    if (strchr ("[]:", *at) != NULL)
      g_string_append_c (rest, '\\');
    g_string_append_c (rest, *at);
  }
  g_string_append_c (rest, ']');
  if (takes_value (entry))
    append_zsh_action (rest, entry->arg_description, entry->long_name);
  word = quoted (rest->str, "'\\''");
  if (entry->short_name != '\0')
    g_string_append_printf (text, " \\\n      '%s'{-%c,--%s%s}%s", star, entry->short_name,
                            entry->long_name, equals, word);
  else
    g_string_append_printf (text, " \\\n      '%s--%s%s'%s", star, entry->long_name, equals, word);
}

static void
add_zsh_arguments (const char *name, const CliUsage *usage, gpointer data)
{
  GString *text = data;

  g_string_append_printf (text, "  ('%s')\n    _arguments -S '(- *)'{-h,--help}'[Show help]'",
                          name);
  for (const GOptionEntry *entry = usage->entries; entry->long_name != NULL; entry++)
    append_zsh_option (text, entry);
  if (*usage->parameters != '\0') {
    g_string_append (text, " \\\n      '*");
    append_zsh_action (text, usage->parameters, NULL);
    g_string_append_c (text, '\'');
  }
  g_string_append (text, "\n    ;;\n");
}

void
cli_append_zsh (GString *text)
{
  append_zsh_commands (text, "_assay_commands", cli_commands);
  append_zsh_commands (text, "_assay_dataset", cli_dataset_commands);
  for (guint t = 0; t < N_TYPES; t++)
    if (types[t] != ASSAY_PLUGIN_DATASET)
      append_zsh_plugins (text, assay_plugin_type_name (types[t]), t, 1);
  append_zsh_plugins (text, "plugin", 0, N_TYPES);
  g_string_append (text, "_assay_settings ()\n{\n  case $1 in\n");
  foreach_plugin (text, 0, N_TYPES, append_zsh_settings);
  g_string_append (text, "  esac\n}\n\n_assay_arguments ()\n{\n  case $1 in\n");
  cli_foreach_command (add_zsh_arguments, text);
  g_string_append (text, "  esac\n}\n");
}

/* ---- fish ---- */

static void
append_fish_offer (GString *text, const char *condition, const char *name, const char *about)
{
  g_autofree char *said = quoted (about, "\\'");

  g_string_append_printf (text, "complete -c assay -n '%s' -a '%s' -d %s\n", condition, name, said);
}

/* What -a takes for a placeholder; files are what fish offers by itself (-F). */
static void
append_fish_offers (GString *text, const char *placeholder, const char *option)
{
  const CliWord word = cli_word_of (placeholder, option);

  if (word == CLI_WORD_FILE)
    g_string_append (text, " -F");
  else if (word == CLI_WORD_FOLDER)
    g_string_append (text, " -a '(__fish_complete_directories)'");
  else if (word == CLI_WORD_SCENARIO)
    g_string_append (text, " -a '(__fish_complete_suffix .scenario)'");
  else if (word == CLI_WORD_CHOICE) {
    g_autofree char *choices = cli_word_choices (placeholder);

    g_string_append_printf (text, " -a '%s'", choices);
  } else if (word != CLI_WORD_ANY)
    g_string_append_printf (text, " -a '(__assay_%s)'", kinds[word]);
}

static void
add_fish_arguments (const char *name, const CliUsage *usage, gpointer data)
{
  GString *text = data;

  for (const GOptionEntry *entry = usage->entries; entry->long_name != NULL; entry++) {
    const gboolean is_file
        = cli_word_of (entry->arg_description, entry->long_name) == CLI_WORD_FILE;
    g_autofree char *said = quoted (entry->description, "\\'");

    g_string_append_printf (text, "complete -c assay -n '__assay_is %s' -l %s", name,
                            entry->long_name);
    if (entry->short_name != '\0')
      g_string_append_printf (text, " -s %c", entry->short_name);
    if (takes_value (entry)) {
      g_string_append (text, is_file ? "" : " -x");
      append_fish_offers (text, entry->arg_description, entry->long_name);
      g_string_append (text, is_file ? " -r" : "");
    }
    g_string_append_printf (text, " -d %s\n", said);
  }
  if (cli_word_of (usage->parameters, NULL) == CLI_WORD_ANY)
    return;
  g_string_append_printf (text, "complete -c assay -n '__assay_is %s'", name);
  append_fish_offers (text, usage->parameters, NULL);
  g_string_append_c (text, '\n');
}

static void
append_fish_plugin (GString *text, G_GNUC_UNUSED AssayPluginType type, const AssayPlugin *plugin)
{
  g_autofree char *said = quoted (plugin->summary, "\\'");

  /* A tab parts a word from what is said of it. */
  g_string_append_printf (text, "    printf '%%s\\t%%s\\n' '%s' %s\n", plugin->id, said);
}

static void
append_fish_settings (GString *text, AssayPluginType type, const AssayPlugin *plugin)
{
  g_autofree char *prefix
      = g_strdup_printf ("    test $argv[1] = '%s'; and printf '%%s\\n' ", plugin->id);

  if (type != ASSAY_PLUGIN_DATASET)
    append_settings (text, prefix, plugin, "\n");
}

static void
append_fish_plugins (GString *text, const char *kind, guint first, guint count)
{
  g_string_append_printf (text, "\nfunction __assay_%s\n", kind);
  foreach_plugin (text, first, count, append_fish_plugin);
  g_string_append (text, "end\n");
}

void
cli_append_fish (GString *text)
{
  for (guint t = 0; t < N_TYPES; t++)
    if (types[t] != ASSAY_PLUGIN_DATASET)
      append_fish_plugins (text, assay_plugin_type_name (types[t]), t, 1);
  append_fish_plugins (text, "plugin", 0, N_TYPES);
  g_string_append (text, "\nfunction __assay_settings\n");
  foreach_plugin (text, 0, N_TYPES, append_fish_settings);
  g_string_append (text, "end\n\n");
  for (const CliCommand *command = cli_commands; command->name != NULL; command++)
    append_fish_offer (text, "__assay_words 1", command->name, command->help);
  for (const CliCommand *command = cli_dataset_commands; command->name != NULL; command++)
    append_fish_offer (text, "__assay_is dataset; and __assay_words 2", command->name,
                       command->help);
  cli_foreach_command (add_fish_arguments, text);
}
