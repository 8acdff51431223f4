/* assay report: every export of a run, made again from its store. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/selftest/mutants.h"
#include "report/report.h"
#include "runner/compare/saved-run.h"

static struct {
  char *out;
  char *forms; /* of plots */
  gboolean quiet;
  gboolean json;
  gboolean opens;
  gboolean has_durations;
} options;

static const GOptionEntry entries[]
    = { { "out", 'o', 0, G_OPTION_ARG_FILENAME, &options.out, "Where the reports go (default: DIR)",
          "FOLDER" },
        { "plots", 0, 0, G_OPTION_ARG_STRING, &options.forms,
          "Also draw the plots as pdf, png or both", "pdf,png" },
        { "durations", 0, 0, G_OPTION_ARG_NONE, &options.has_durations,
          "Also write the time that each claim's cells took into claims.xml", NULL },
        { "open", 0, 0, G_OPTION_ARG_NONE, &options.opens,
          "Show report.html in the browser (xdg-open)", NULL },
        { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Print no table", NULL },
        { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print results.json instead of the table",
          NULL },
        G_OPTION_ENTRY_NULL };

static gboolean
write_again (const AssaySavedRun *run, const char *place, const AssayPlotOptions *plots,
             GError **error)
{
  const AssayReportRun about = { .threads = run->times.threads,
                                 .started_us = run->times.started_us,
                                 .ended_us = run->times.ended_us,
                                 .has_durations = options.has_durations };

  return assay_report_write (run->results, place, &about, plots, error);
}

static void
print_results (const AssaySavedRun *run, const char *place)
{
  g_autofree char *folder = g_shell_quote (run->folder);
  g_autofree char *sheets = assay_report_contact_sheets (run->results, place);
  g_autofree char *text = NULL;

  run->results->replay_with = g_strconcat (" --out ", folder, NULL);
  text = assay_report_table (run->results, cli_terminal_width ());
  cli_print (text);
  if (!run->is_finished)
    printf ("\nunfinished: %zu of %u cells were not run; '%s run %s --out %s --resume' goes on\n",
            run->results->n_missing, run->plan->cells->len, cli_name (), run->plan->scenario,
            run->folder);
  printf ("\n%sreports in %s\n", sheets, place);
}

/* The browser goes on by itself. */
static gboolean
open_report (const char *place, GError **error)
{
  g_autofree char *canonical = g_canonicalize_filename (place, NULL);
  g_autofree char *page = g_build_filename (canonical, "report.html", NULL);
  char *words[] = { (char *) "xdg-open", page, NULL };

  return g_spawn_async (NULL, words, NULL,
                        G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL
                            | G_SPAWN_STDERR_TO_DEV_NULL,
                        NULL, NULL, NULL, error)
         || assay_prefix (error, "--open: %s is written, but no browser was found: ", page);
}

static int
report (G_GNUC_UNUSED int n, char **words)
{
  const char *folder = words[0];
  const char *place = options.out != NULL ? options.out : folder;
  const char *hint = options.out != NULL ? "" : "; expected --out with another folder";
  g_autoptr (AssaySavedRun) run = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *json = NULL;
  AssayPlotOptions plots = { 0 };

  if (options.out != NULL && *options.out == '\0')
    return cli_refuse ("--out: expected a folder");
  if (options.forms != NULL && !assay_plot_options_parse (options.forms, &plots, &error)) {
    g_prefix_error (&error, "--plots: ");
    return cli_fail_early (error);
  }
  run = assay_saved_run_open (folder, FALSE, &error);
  if (run == NULL || !cli_make_folder (place, "", hint, &error))
    return cli_fail_early (error);
  cli_load_mutants (run->results, folder);
  if (!write_again (run, place, &plots, &error))
    return cli_fail (error);
  if (options.json) {
    json = assay_report_json (run->results, &error);
    if (json == NULL)
      return cli_fail (error);
    fputs (json, stdout);
  } else if (!options.quiet) {
    print_results (run, place);
  }
  if (options.opens && !open_report (place, &error))
    return cli_fail_early (error);
  return EXIT_OK;
}

const CliUsage cli_report = {
  .parameters = "DIR",
  .summary = "Writes the reports and results of the run in DIR again, from its run.sqlite alone:\n"
             "neither the scenario's file nor the data is needed. Of a run that did not end, they\n"
             "say so.",
  .description = "Example:\n  assay run scenarios/quickstart.scenario --out quickstart\n"
                 "  assay report quickstart --plots=png\n",
  .entries = entries,
  .min_words = 1,
  .max_words = 1,
  .expected = "the output folder of a run; 'assay report --help' explains",
  .run = report,
};
