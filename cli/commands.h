/* The subcommands as a table: help, shell completion and the manual page are made of it. */
#pragma once

#include "cli/cli.h"

typedef struct {
  const char *name;
  const CliUsage *usage; /* NULL: `dataset`, whose subcommands have theirs */
  const char *help;      /* one line */
} CliCommand;

extern const CliCommand cli_commands[];         /* the last has no name */
extern const CliCommand cli_dataset_commands[]; /* of `assay dataset` */

int cli_dataset (int argc, char **argv);

/* The command called @name; NULL, with " (did you mean 'x'?)" or "". */
const CliCommand *cli_find_command (const CliCommand *commands, const char *name, char **ret_hint);

/* Every command that takes options, subcommands of `dataset` in its place: @name is "dataset info".
 */
typedef void (*CliCommandFunc) (const char *name, const CliUsage *usage, gpointer data);
void cli_foreach_command (CliCommandFunc func, gpointer data);

/* ---- What a placeholder stands for: "SCENARIO...", "DIR", "FILE[a:b]" ---- */

typedef enum {
  CLI_WORD_ANY, /* nothing can be offered */
  CLI_WORD_FILE,
  CLI_WORD_FOLDER,
  CLI_WORD_SCENARIO,
  CLI_WORD_PLUGIN, /* of any type */
  CLI_WORD_DEFENSE,
  CLI_WORD_ATTACK,
  CLI_WORD_METRIC,
  CLI_WORD_SETTING, /* of the plugin that another option names */
  CLI_WORD_KEY,     /* of the scenario that another word names */
  CLI_WORD_CHOICE,  /* "bash|zsh|fish" */
} CliWord;

/* @option is the long name of the option, or NULL for words. */
CliWord cli_word_of (const char *placeholder, const char *option);
/* "[a|b]" as "a b". */
char *cli_word_choices (const char *placeholder);
