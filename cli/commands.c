/* The subcommands as a table. */
#include "cli/commands.h"

#include <string.h>

#include "core/base/text.h"

const CliCommand cli_commands[] = {
  { "audit", &cli_audit, "Audit a defense on your own data: scenario, run, verdict, report" },
  { "init", &cli_init, "Write a scenario to begin with, for one defense" },
  { "check", &cli_check, "Tell what is wrong with scenarios, and what is doubtful" },
  { "run", &cli_run, "Run the audit of a scenario" },
  { "plan", &cli_plan, "Show what a scenario would run: cells, skipped pairs, memory" },
  { "list", &cli_list, "List defenses, attacks, metrics, utilities and datasets" },
  { "describe", &cli_describe, "Explain one of them and its settings" },
  { "protect", &cli_protect, "Step 1 by hand: secrets -> release folder, truth folder" },
  { "attack", &cli_attack, "Step 2 by hand: release folder and granted knowledge -> guess folder" },
  { "measure", &cli_measure, "Step 3 by hand: truth and guess -> measurements" },
  { "export", &cli_export, "Write what one attack of a run saw, guessed, and should have found" },
  { "report", &cli_report, "Write the reports of a run again, from what it stored" },
  { "compare", &cli_compare, "Compare the defenses of several runs" },
  { "dataset", NULL, "Data files: what is in them, other formats, SIFT of photographs" },
  { "selftest", &cli_selftest, "Test every attack on a case whose outcome is known" },
  { "completion", &cli_completion, "Print the completion of commands for bash, zsh or fish" },
  { "man", &cli_man, "Print the manual page: assay man | man -l -" },
  { NULL, NULL, NULL },
};

const CliCommand *
cli_find_command (const CliCommand *commands, const char *name, char **ret_hint)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (const CliCommand *command = commands; command->name != NULL; command++) {
    if (g_str_equal (command->name, name))
      return command;
    g_ptr_array_add (names, (gpointer) command->name);
  }
  *ret_hint = assay_names_hint (names, name);
  return NULL;
}

void
cli_foreach_command (CliCommandFunc func, gpointer data)
{
  for (const CliCommand *command = cli_commands; command->name != NULL; command++)
    if (command->usage != NULL)
      func (command->name, command->usage, data);
    else
      for (const CliCommand *inner = cli_dataset_commands; inner->name != NULL; inner++) {
        g_autofree char *name = g_strconcat (command->name, " ", inner->name, NULL);

        func (name, inner->usage, data);
      }
}

/* ---- Placeholders ---- */

/* What a placeholder begins with, of options and of words alike. */
static const struct {
  const char *begin;
  CliWord word;
} placeholders[] = {
  { "SCENARIO", CLI_WORD_SCENARIO }, { "DIR", CLI_WORD_FOLDER },
  { "FOLDER", CLI_WORD_FOLDER },     { "FILE", CLI_WORD_FILE },
  { "IN", CLI_WORD_FILE },           { "OUT", CLI_WORD_FILE },
  { "DEFENSE", CLI_WORD_DEFENSE },   { "SETTING=", CLI_WORD_SETTING },
  { "GROUP.KEY", CLI_WORD_KEY },
};

CliWord
cli_word_of (const char *placeholder, const char *option)
{
  const char *text = placeholder != NULL ? placeholder : "";

  if (*text == '[')
    text++;
  if (strchr (text, '|') != NULL)
    return CLI_WORD_CHOICE;
  if (g_str_has_prefix (text, "NAME"))
    return option == NULL                    ? CLI_WORD_PLUGIN
           : g_str_equal (option, "defense") ? CLI_WORD_DEFENSE
           : g_str_equal (option, "attack")  ? CLI_WORD_ATTACK
           : g_str_equal (option, "metric")  ? CLI_WORD_METRIC
                                             : CLI_WORD_ANY;
  for (gsize i = 0; i < G_N_ELEMENTS (placeholders); i++)
    if (g_str_has_prefix (text, placeholders[i].begin))
      return placeholders[i].word;
  return CLI_WORD_ANY;
}

char *
cli_word_choices (const char *placeholder)
{
  return g_strstrip (g_strdelimit (g_strdup (placeholder), "[]|", ' '));
}
