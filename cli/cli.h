/* The command line: one file a subcommand. Results go to stdout, everything else to stderr. */
#pragma once

#include <glib.h>

#include "core/plugin/plugin.h"
#include "runner/run/pending.h"

/* Exit codes: a contract (docs/scenarios.md). */
typedef enum {
  EXIT_OK = 0,
  EXIT_VIOLATED = 1,
  EXIT_BAD_INPUT = 2,
  EXIT_INCONCLUSIVE = 3,
  EXIT_UNFINISHED = 4,
  EXIT_INTERRUPTED = 130,
} ExitCode;

/* The last line of what ends in EXIT_VIOLATED because of a baseline: claims may all be upheld. */
#define CLI_SAYS_WORSE "exit 1: worse than the baseline\n"

/* What a subcommand takes, and does with it. Its options are static variables of its file, because
 * a process plays one command; what they hold is freed after it. */
typedef struct {
  const char *parameters; /* "SCENARIO..."; "": no words beside the options */
  const char *summary;
  const char *description; /* below the options; NULL: nothing */
  const GOptionEntry *entries;
  int min_words, max_words;
  const char *expected; /* "a scenario file": said where there are fewer words */
  /* With the words beside the options, and NULL. The exit code. */
  int (*run) (int n, char **words);
} CliUsage;

#define CLI_ANY_NUMBER G_MAXINT
#define CLI_NOT_GIVEN G_MININT /* an option of a whole number */

extern const GOptionEntry cli_no_options[];

extern const CliUsage cli_run, cli_plan, cli_list, cli_describe, cli_protect, cli_attack,
    cli_measure, cli_report, cli_compare, cli_selftest, cli_init, cli_check, cli_completion,
    cli_man, cli_export, cli_audit;

/* Parses the options behind argv[0], "assay NAME", and runs the command; --help prints and exits.
 * The exit code; what is wrong with the words is told here. */
int cli_play (const CliUsage *usage, int argc, char **argv);

/* "PROGRAM: MESSAGE" to stderr, of the words that were given. Returns EXIT_BAD_INPUT. */
int cli_refuse (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Prints "assay: MESSAGE" to stderr and returns the exit code that fits the error. */
int cli_fail (const GError *error);
/* The same for errors met before anything was begun: always bad input. */
int cli_fail_early (const GError *error);

/* @text with colours for the words that its lines begin with ("violated:"), and the same printed to
 * standard output, in colours where that is a terminal and nothing speaks against it. */
char *cli_coloured (const char *text);
void cli_print (const char *text);
/* @path in UTF-8 and without what would steer the terminal: files have the names of others. */
char *cli_shown_path (const char *path);

/* Columns of the terminal: COLUMNS, what the terminal says, or 100. */
guint cli_terminal_width (void);

/* How the program was called: "assay", or "build/assay" before it is installed. */
void cli_remember_name (const char *name);
const char *cli_name (void);
/* @text, in which every "assay " begins a command, with that name in its place: commands that can
 * be typed as they stand. */
char *cli_as_called (const char *text);

/* The command as it was given, and what to type to go on with it, with all its cells. */
void cli_remember_command (int argc, char **argv);
char *cli_resume_command (void);

/* Whether both name one file or folder. */
gboolean cli_is_one_place (const char *a, const char *b);
/* Makes the folder @place for results, before anything is read: what cannot be written is bad input
 * here, not a run that could not be finished. ASSAY_ERROR_SCENARIO, with @before and @hint. */
gboolean cli_make_folder (const char *place, const char *before, const char *hint, GError **error);

/* Rows of "FILE[a:b]" (.npy, .fvecs, .bvecs, .ivecs; images of CIFAR's .bin and of IDX files as
 * numbers from 0 to 1), checked; relative to the working directory or ASSAY_DATA. NULL
 * @specification gives NULL without an error. */
gboolean cli_open_rows (const char *specification, const char *option, AssayRows **ret_rows,
                        GError **error);
/* The same beside a release of images: those of image files are brought to the scale of @geometry,
 * where it says its channels' means and deviations (datasets/images/file-rows.h). */
gboolean cli_open_rows_as (const char *specification, const char *option,
                           const AssayGeometry *geometry, AssayRows **ret_rows, GError **error);

/* Whole numbers, one for each of @n, from a file of one column; NULL @place leaves @ret_numbers as
 * it is. */
gboolean cli_read_numbers (const char *place, const char *option, gsize n, gint64 **ret_numbers,
                           GError **error);

/* ---- Progress ---- */

typedef struct _CliProgress CliProgress;

CliProgress *cli_progress_new (gboolean is_quiet);
/* For AssayRunCallbacks; @progress is a CliProgress. What happens within cells it wants to hear as
 * often as this. */
#define CLI_PROGRESS_US (G_USEC_PER_SEC / 10)
void cli_progress_update (const AssayProgress *run, gpointer progress);
/* Of what has no cells, such as a step by hand: from here until it is freed it hears of the loops
 * of this thread, and says how far @doing ("knn") is. */
CliProgress *cli_progress_of_step (gboolean is_quiet, const char *doing);
gboolean cli_is_cancelled (gpointer data);
void cli_progress_free (CliProgress *progress); /* clears the bar */

/* From then on Ctrl-C and SIGTERM only set a flag, which also ends a program of others that runs; a
 * second one ends the process at once. */
void cli_catch_interrupts (void);
gboolean cli_is_interrupted (void);
/* For what other processes, or the run itself, tell people. */
void cli_drop_warnings (void);
/* The same request, made by a clock; and whether it was the clock. */
void cli_interrupt_after (double seconds);
gboolean cli_is_out_of_time (void);
/* What is done once the work has stopped, such as the report of a part, would be cancelled as well:
 * between these two nothing is. What the first returns is for the second. */
int cli_interrupt_hold (void);
void cli_interrupt_release (int held);
