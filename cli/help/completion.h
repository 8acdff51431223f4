/* Completion of commands: a script for each shell, which asks the program for what it offers. */
#pragma once

#include <glib.h>

/* cli/completion.bash and its like. */
extern const char cli_completion_bash[];
extern const char cli_completion_zsh[];
extern const char cli_completion_fish[];
/* The frame of the manual page, in which a line ".\" @commands@" stands for the commands. */
extern const char cli_manual[];

/* What could stand for the last of @words, which are those behind "assay" up to where is typed.
 * First a line that says how the shell goes about it: file, folder or scenario, which are its own;
 * words, or assignments, behind which comes no blank. Then a line for each: the word, and behind a
 * tab what it is. Nothing where there is no such command. */
void cli_print_offers (guint n, char **words);

/* "GROUP.KEY=" for all that --set can change in a scenario, a line each. The exit code. */
int cli_print_keys (const char *path);
