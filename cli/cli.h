/* The command line: one file a subcommand. Results go to stdout, everything else to stderr. */
#pragma once

#include <glib.h>

#include "core/plugin/plugin.h"

/* Exit codes: a contract (docs/scenarios.md). */
typedef enum {
  EXIT_OK = 0,
  EXIT_VIOLATED = 1,
  EXIT_BAD_INPUT = 2,
  EXIT_INCONCLUSIVE = 3,
  EXIT_UNFINISHED = 4,
  EXIT_INTERRUPTED = 130,
} ExitCode;

/* A subcommand gets the arguments after its own name, argv[0] being "assay NAME". */
int cli_run (int argc, char **argv);
int cli_plan (int argc, char **argv);
int cli_list (int argc, char **argv);
int cli_describe (int argc, char **argv);
int cli_protect (int argc, char **argv);
int cli_attack (int argc, char **argv);
int cli_measure (int argc, char **argv);
int cli_report (int argc, char **argv);
int cli_compare (int argc, char **argv);
int cli_selftest (int argc, char **argv);
int cli_dataset (int argc, char **argv);
int cli_init (int argc, char **argv);
int cli_check (int argc, char **argv);
int cli_completion (int argc, char **argv);
int cli_man (int argc, char **argv);
int cli_export (int argc, char **argv);

/* As cli_parse is given it; valid during the call alone. */
typedef struct {
  const char *parameters;  /* "SCENARIO..." */
  const char *summary;     /* may be NULL */
  const char *description; /* may be NULL */
  const GOptionEntry *entries;
} CliUsage;

typedef void (*CliUsageFunc) (const CliUsage *usage, gpointer data);

/* Parses options; --help prints and exits. FALSE: bad usage, already reported. Arguments that are
 * left stand in argv. */
gboolean cli_parse (int *argc, char ***argv, const char *parameters, const char *summary,
                    const char *description, const GOptionEntry *entries);

/* From then on cli_parse parses nothing: it calls @func with what it was given, and answers FALSE,
 * with which a command ends. NULL: it parses again. See cli/commands.h. */
void cli_parse_instead (CliUsageFunc func, gpointer data);

/* That at most @most words are left after the options; FALSE: more, already reported. */
gboolean cli_check_words (int argc, char **argv, int most);

/* Prints "assay: MESSAGE" to stderr and returns the exit code that fits the error. */
int cli_fail (const GError *error);
/* The same for errors met before anything was begun: always bad input. */
int cli_fail_early (const GError *error);

/* @text with colours for the words that its lines begin with ("violated:"), and the same printed to
 * standard output, in colours where that is a terminal and nothing speaks against it. */
char *cli_coloured (const char *text);
void cli_print (const char *text);

/* Columns of the terminal: COLUMNS, what the terminal says, or 100. */
guint cli_terminal_width (void);

/* The command as it was given, and what to type to go on with it. */
void cli_remember_command (int argc, char **argv);
char *cli_resume_command (void);

/* Settings of @plugin with every "KEY=VALUE" of @assignments (NULL-terminated, or NULL) applied. */
AssaySettings *cli_settings (const AssayPlugin *plugin, char **assignments, GError **error);

/* Rows of "FILE[a:b]" (.npy, .fvecs, .bvecs, .ivecs), checked; relative to the working directory
 * or ASSAY_DATA. NULL @specification gives NULL without an error. */
gboolean cli_open_rows (const char *specification, const char *option, AssayRows **ret_rows,
                        GError **error);

/* Whole numbers, one for each of @n, from a file of one column; NULL @place leaves @ret_numbers as
 * it is. */
gboolean cli_read_numbers (const char *place, const char *option, gsize n, gint64 **ret_numbers,
                           GError **error);

/* ---- Progress ---- */

typedef struct _CliProgress CliProgress;

CliProgress *cli_progress_new (gboolean is_quiet);
void cli_progress_update (CliProgress *progress, gsize done, gsize resumed, gsize total,
                          const char *doing);
void cli_progress_free (CliProgress *progress); /* clears the bar */

/* From then on Ctrl-C and SIGTERM only set a flag, which also ends a program of others that runs; a
 * second one ends the process at once. */
void cli_catch_interrupts (void);
gboolean cli_is_interrupted (void);
