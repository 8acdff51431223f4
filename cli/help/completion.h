/* Completion of commands: scripts in the words of three shells, with tables made from those of the
 * program. */
#pragma once

#include <glib.h>

/* cli/completion.bash and its like, in which a line "# @tables@" stands for the tables. */
extern const char cli_completion_bash[];
extern const char cli_completion_zsh[];
extern const char cli_completion_fish[];
/* The frame of the manual page, in which a line ".\" @commands@" stands for the commands. */
extern const char cli_manual[];

void cli_append_bash (GString *text);
void cli_append_zsh (GString *text);
void cli_append_fish (GString *text);

/* @frame with the line that has @mark in it replaced by what @append adds. */
char *cli_fill_frame (const char *frame, const char *mark, void (*append) (GString *text));
