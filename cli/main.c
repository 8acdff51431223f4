/* assay: the subcommands. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/environment.h"
#include "config.h"
#include "core/base/text.h"
#include "core/external/confine.h"
#include "core/network/kernels.h"
#include "core/plugin/modules/module-loader.h"
#include "core/plugin/registry.h"

static void
print_help (void)
{
  g_autofree char *first
      = cli_as_called ("  assay init ldp-feat && assay run ldp-feat.scenario\n\n");

  g_print ("Usage: assay COMMAND [OPTION...]\n\n"
           "Assay audits privacy defenses: it protects secrets, attacks the release, and measures\n"
           "what was recovered.\n\nCommands:\n");
  for (const CliCommand *command = cli_commands; command->name != NULL; command++)
    g_print ("  %-11s %s\n", command->name, command->help);
  g_print ("\n'assay COMMAND --help' explains a command. To begin:\n%s"
           "Exit codes:\n"
           "  0    everything ran, and no claim is violated\n"
           "  1    a claim is violated, or something leaks more than in the baseline\n"
           "  2    bad usage, scenario or input: nothing was begun\n"
           "  3    inconclusive: a claim could not be decided, a cell ended in an error, or an\n"
           "       attack lost its control\n"
           "  4    the run could not be finished; what is done is kept\n"
           "  130  interrupted; --resume goes on\n",
           first);
}

/* @is_verbose: what a report of a mistake should name. */
static void
print_version (gboolean is_verbose)
{
  g_autofree char *by = NULL;

  g_print ("assay %s (%s)\n%s\n", ASSAY_VERSION, ASSAY_COMMIT, assay_kernels_describe ());
  if (!is_verbose)
    return;
  by = assay_confine_describe (ASSAY_CONFINE_AUTO);
  g_print ("\ncompiled with %s and\n%s\n\nprograms of others: %s\n", ASSAY_COMPILER,
           ASSAY_LIBRARIES, by);
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

/* A file beyond the user's limit (ulimit -f) is an error like a full disk, which names the file,
 * and not a signal that ends the program without a word. */
static void
take_full_files_for_errors (void)
{
  signal (SIGXFSZ, SIG_IGN);
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
on_warning (G_GNUC_UNUSED const char *domain, G_GNUC_UNUSED GLogLevelFlags level,
            const char *message, G_GNUC_UNUSED gpointer data)
{
  g_autofree char *plain = assay_text_plain_lines (message);

  g_printerr ("assay: warning: %s\n", plain);
}

/* Plugins that were compiled elsewhere, before anything looks for one. All that is wrong is said at
 * once. */
static gboolean
load_plugins (void)
{
  g_autofree char *installed = assay_modules_installed_folder (ASSAY_BINDIR, ASSAY_LIBDIR);
  g_auto (GStrv) refusals = assay_modules_load (g_getenv ("ASSAY_PLUGIN_PATH"), installed);

  for (guint i = 0; refusals != NULL && refusals[i] != NULL; i++) {
    g_autofree char *plain = assay_text_plain_lines (refusals[i]);

    g_printerr ("assay: plugin refused: %s\n", plain);
  }
  ASSAY_FOR_EACH (const AssayPluginOrigin, file, assay_modules_loaded ()) {
    g_autofree char *shown = cli_shown_path (file->path);

    if (refusals == NULL)
      g_printerr ("assay: plugin file loaded: %s (sha256 %.12s); it can do what Assay can\n", shown,
                  file->sha256);
  }
  return refusals == NULL;
}

static int run_command (int argc, char **argv);

/* "assay help run" as "assay run --help". */
static int
help_of (int argc, char **argv)
{
  g_autofree char **words = g_new0 (char *, (gsize) argc + 1);

  words[0] = argv[0];
  for (int i = 2; i < argc; i++)
    words[i - 1] = argv[i];
  words[argc - 1] = (char *) "--help";
  return run_command (argc, words);
}

static int
run_command (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL;
  const CliCommand *command;
  g_autofree char *program = NULL;
  g_autofree char *hint = NULL;

  if (name == NULL) {
    print_help ();
    return EXIT_BAD_INPUT;
  }
  if (g_str_equal (name, "help") && argc > 2)
    return help_of (argc, argv);
  if (g_str_equal (name, "--help") || g_str_equal (name, "-h") || g_str_equal (name, "help")) {
    print_help ();
    return EXIT_OK;
  }
  if (g_str_equal (name, "--version")) {
    print_version (argc > 2 && g_str_equal (argv[2], "--verbose"));
    return EXIT_OK;
  }
  command = cli_find_command (cli_commands, name, &hint);
  if (command == NULL) {
    g_printerr ("assay: unknown command '%s'%s; 'assay --help' lists them\n", name, hint);
    return EXIT_BAD_INPUT;
  }
  program = g_strconcat ("assay ", name, NULL);
  argv[1] = program;
  g_set_prgname (program);
  /* Help is given whatever is wrong with plugins. */
  if (!cli_has_option (argv, "--help") && !cli_has_option (argv, "-h") && !load_plugins ())
    return EXIT_BAD_INPUT;
  return command->usage != NULL ? cli_play (command->usage, argc - 1, argv + 1)
                                : cli_dataset (argc - 1, argv + 1);
}

int
main (int argc, char **argv)
{
  cli_settle_environment (argv);
  setlocale (LC_CTYPE, "");
  keep_standard_streams ();
  take_full_files_for_errors ();
  g_log_set_handler (NULL, G_LOG_LEVEL_MESSAGE, on_warning, NULL);
  if (argc > 0)
    cli_remember_name (argv[0]);
  cli_remember_command (argc, argv);
  /* At the exit, because --help ends the process by itself. */
  atexit (check_output);
  return run_command (argc, argv);
}
