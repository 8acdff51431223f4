/* assay compare: the defenses of several runs on common axes, and a gate for what got worse. */
#include <stdio.h>

#include "cli/cli.h"
#include "core/base/text.h"
#include "report/report.h"
#include "runner/compare/baseline.h"
#include "runner/compare/compare.h"
#include "runner/compare/saved-run.h"

#define DEFAULT_MARGIN 0.01

static struct {
  char *out;
  char *margin;
  char **gates;
} options;

static const GOptionEntry entries[] = {
  { "out", 'o', 0, G_OPTION_ARG_FILENAME, &options.out,
    "Also write comparison.html, comparison.csv and dominance.csv there", "FOLDER" },
  { "margin", 0, 0, G_OPTION_ARG_STRING, &options.margin,
    "Count as equally useful what differs by at most this share of a measure's range (default: "
    "0.01)",
    "SHARE" },
  { "fail-if-worse", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.gates,
    "Exit with 1 where this measure is worse than in the first run, with 3 where that cannot be "
    "said; may be given several times",
    "MEASURE" },
  G_OPTION_ENTRY_NULL
};

static gboolean
parse_margin (const char *text, double *ret_margin, GError **error)
{
  *ret_margin = DEFAULT_MARGIN;
  if (text == NULL)
    return TRUE;
  return (assay_text_to_double (text, ret_margin) && *ret_margin >= 0 && *ret_margin < 1)
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "--margin '%s': expected a share of a measure's range, from 0 to below 1",
                        text);
}

/* Whether what is gated got worse from the first run to each of the others. */
static int
judge (const GPtrArray *runs)
{
  int code = EXIT_OK;

  for (guint i = 1; options.gates != NULL && i < runs->len; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayBaseline) gate = assay_baseline_compare_runs (
        runs->pdata[i], runs->pdata[0], (const char *const *) options.gates, &error);
    g_autofree char *text = NULL;

    if (gate == NULL)
      return cli_fail (error);
    text = assay_report_baseline (gate);
    cli_print (text);
    if (gate->n_worse > 0)
      code = EXIT_VIOLATED;
    else if (code == EXIT_OK
             && (gate->comparisons->len == 0 || gate->n_uncompared + gate->n_no_evidence > 0
                 || gate->n_lost > 0 || gate->less != NULL))
      code = EXIT_INCONCLUSIVE;
  }
  if (code == EXIT_VIOLATED)
    cli_print (CLI_SAYS_WORSE);
  return code;
}

/* Measures are looked for before anything is compared. */
static gboolean
check_gates (const GPtrArray *runs, GError **error)
{
  for (guint i = 1; options.gates != NULL && i < runs->len; i++)
    for (guint g = 0; options.gates[g] != NULL; g++) {
      if (*options.gates[g] == '\0')
        return assay_fail (error, ASSAY_ERROR_PARAMETER,
                           "--fail-if-worse: expected the name of a measure");
      if (!assay_baseline_check_measure (runs->pdata[i], runs->pdata[0], options.gates[g], error))
        return assay_prefix (error, "--fail-if-worse: ");
    }
  return TRUE;
}

static int
compare (int n, char **folders)
{
  g_autoptr (GPtrArray) runs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_saved_run_close);
  g_autoptr (AssayCompared) compared = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  double margin;

  if (options.out != NULL && *options.out == '\0')
    return cli_refuse ("--out: expected a folder");
  if (!parse_margin (options.margin, &margin, &error)
      || (options.out != NULL && !cli_make_folder (options.out, "--out ", "", &error)))
    return cli_fail_early (error);
  for (int i = 0; i < n; i++) {
    AssaySavedRun *run = assay_saved_run_open (folders[i], TRUE, &error);

    if (run == NULL)
      return cli_fail_early (error);
    g_ptr_array_add (runs, run);
  }
  if (!check_gates (runs, &error))
    return cli_fail_early (error);
  compared = assay_compare (runs, margin, &error);
  if (compared == NULL)
    return cli_fail (error);
  if (options.out != NULL && !assay_compared_write (compared, options.out, &error))
    return cli_fail (error);
  text = assay_compared_table (compared);
  cli_print (text);
  if (options.out != NULL)
    printf ("\ncomparison in %s: comparison.html, comparison.csv, dominance.csv\n", options.out);
  return judge (runs);
}

const CliUsage cli_compare = {
  .parameters = "DIR DIR...",
  .summary
  = "Puts the defenses of several finished runs into one table, and says which of them leaks\n"
    "less and is at least as useful, where that is shown. The runs must have the same data,\n"
    "secrets, seed, trials, and settings of metrics. With --fail-if-worse the first run is\n"
    "the one that the others must not be worse than.",
  .description
  = "Example:\n"
    "  assay run scenarios/quickstart.scenario --set \"defense lifting.dimension=2;8\" "
    "--out first\n"
    "  assay run scenarios/quickstart.scenario --set \"defense lifting.dimension=2;16\" "
    "--out second\n"
    "  assay compare first second\n",
  .entries = entries,
  .min_words = 2,
  .max_words = CLI_ANY_NUMBER,
  .expected = "the output folders of two runs or more; 'assay compare --help' explains",
  .run = compare,
};
