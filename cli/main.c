/* assay: the subcommands. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "config.h"
#include "core/linalg.h"
#include "core/text.h"

typedef struct {
  const char *name;
  int (*run) (int argc, char **argv);
  const char *help;
} Command;

static const Command commands[] = {
  { "run", cli_run, "Run the audit of a scenario" },
  { "plan", cli_plan, "Show what a scenario would run: cells, skipped pairs, memory" },
  { "list", cli_list, "List defenses, attacks, metrics and datasets" },
  { "describe", cli_describe, "Explain one of them and its settings" },
  { "protect", cli_protect, "Step 1 alone: secrets -> release folder, truth kept apart" },
  { "attack", cli_attack, "Step 2 alone: release folder and granted knowledge -> guess folder" },
  { "measure", cli_measure, "Step 3 alone: truth and guess -> measurements" },
  { "report", cli_report, "Write every export of a run again, from its run store" },
  { "compare", cli_compare, "Put the defenses of several runs on common axes" },
  { "dataset", cli_dataset, "Data files: what is in them, other formats, SIFT of photographs" },
  { "selftest", cli_selftest, "Play the control of every attack" },
};

static void
print_help (void)
{
  g_print ("Usage: assay COMMAND [OPTION...]\n\n"
           "Assay audits privacy defenses: it protects secrets, attacks the release, and measures\n"
           "what was recovered.\n\nCommands:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_print ("  %-10s %s\n", commands[i].name, commands[i].help);
  g_print ("\n'assay COMMAND --help' explains a command. To begin:\n"
           "  assay run scenarios/quickstart.scenario\n\n"
           "Exit codes: 0 everything ran; 1 a claim was violated; 2 bad usage, scenario or input;\n"
           "3 a cell ended in an error or a control was lost; 4 the run could not be finished;\n"
           "130 interrupted, go on with --resume.\n");
}

static int
fail_unknown (const char *name)
{
  const char *names[G_N_ELEMENTS (commands) + 1] = { NULL };
  g_autofree char *hint = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    names[i] = commands[i].name;
  hint = assay_text_did_you_mean (name, names);
  g_printerr ("assay: unknown command '%s'%s; 'assay --help' lists them\n", name, hint);
  return EXIT_BAD_INPUT;
}

/* A standard stream that is closed would give its number to the next file that is opened, and what
 * is printed would go there. /dev/null the wrong way round takes the place: using it fails. */
static void
keep_standard_streams (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0)
      open ("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Results that did not arrive are no success. */
static void
check_output (void)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return;
  g_printerr ("assay: standard output cannot be written: %s\n", g_strerror (errno));
  _exit (EXIT_UNFINISHED);
}

/* What the library has to say that is no error: photographs that were skipped. */
static void
on_warning (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  (void) domain;
  (void) level;
  (void) data;
  g_printerr ("assay: warning: %s\n", message);
}

static int
run_command (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL;
  g_autofree char *program = NULL;

  if (name == NULL) {
    print_help ();
    return EXIT_BAD_INPUT;
  }
  if (g_str_equal (name, "--help") || g_str_equal (name, "-h") || g_str_equal (name, "help")) {
    print_help ();
    return EXIT_OK;
  }
  if (g_str_equal (name, "--version")) {
    g_print ("assay %s (%s)\n%s\n", ASSAY_VERSION, ASSAY_COMMIT, assay_linalg_describe ());
    return EXIT_OK;
  }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (commands[i].name, name)) {
      program = g_strconcat ("assay ", name, NULL);
      argv[1] = program;
      g_set_prgname (program);
      return commands[i].run (argc - 1, argv + 1);
    }
  return fail_unknown (name);
}

int
main (int argc, char **argv)
{
  setlocale (LC_CTYPE, "");
  keep_standard_streams ();
  g_log_set_handler (NULL, G_LOG_LEVEL_WARNING, on_warning, NULL);
  cli_remember_command (argc, argv);
  /* At the exit, because --help ends the process by itself. */
  atexit (check_output);
  return run_command (argc, argv);
}
