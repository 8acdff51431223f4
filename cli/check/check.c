/* assay check: scenarios, without running them. */
#include <stdio.h>

#include "cli/check/lint.h"
#include "cli/cli.h"
#include "cli/options.h"

static CliPlanOptions options;
static gboolean is_strict, is_auditor;
static char *out;

static const GOptionEntry entries[]
    = { CLI_PLAN_OPTIONS (options),
        { "strict", 0, 0, G_OPTION_ARG_NONE, &is_strict, "Exit 2 after a warning, too", NULL },
        { "auditor", 0, 0, G_OPTION_ARG_NONE, &is_auditor,
          "Exit 2 where a claim could not end in exit code 0, whatever a run shows; tells more of "
          "them",
          NULL },
        { "out", 'o', 0, G_OPTION_ARG_FILENAME, &out,
          "With --auditor: where the run is that the claims must have begun (default: "
          "assay-out/SCENARIO-HASH)",
          "DIR" },
        G_OPTION_ENTRY_NULL };

static void
warn (const char *path, const GPtrArray *doubts)
{
  for (guint i = 0; i < doubts->len; i++)
    g_printerr ("assay: warning: %s: %s\n", path, (const char *) doubts->pdata[i]);
}

/* Claims of which --auditor tells more than was told. */
static void
print_untold (const AssayPlan *plan, const GPtrArray *told)
{
  g_autoptr (GPtrArray) all = assay_lint_claims (plan, TRUE);
  const guint n = is_auditor || all->len < told->len ? 0 : all->len - told->len;

  if (n > 0)
    printf (", %u doubt%s about claims that --auditor tells", n, n == 1 ? "" : "s");
}

/* One line of standard output; what is wrong or doubtful goes to standard error. FALSE: something
 * is wrong, or doubtful where that is asked for. */
static gboolean
check (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = cli_plan_new (path, &options, &error);
  g_autoptr (GPtrArray) doubts = plan != NULL ? assay_lint (plan) : NULL;
  g_autoptr (GPtrArray) of_claims = plan != NULL ? assay_lint_claims (plan, is_auditor) : NULL;
  guint n_doubts;

  if (plan == NULL
      || (is_auditor
          && (!assay_lint_units (plan, of_claims, &error)
              || !assay_lint_seal (plan, out, of_claims, &error)))) {
    cli_fail_early (error);
    printf ("%s: refused\n", path);
    return FALSE;
  }
  if (is_auditor)
    assay_lint_programs (plan, of_claims);
  warn (path, doubts);
  warn (path, of_claims);
  n_doubts = doubts->len + of_claims->len;
  printf ("%s: fine, %u cell%s, %u claim%s", path, plan->cells->len,
          plan->cells->len == 1 ? "" : "s", plan->claims->len, plan->claims->len == 1 ? "" : "s");
  if (n_doubts > 0)
    printf (", %u warning%s", n_doubts, n_doubts == 1 ? "" : "s");
  print_untold (plan, of_claims);
  printf ("\n");
  return !(is_strict && n_doubts > 0) && !(is_auditor && of_claims->len > 0);
}

static int
check_all (int n, char **paths)
{
  int code = EXIT_OK;

  for (int i = 0; i < n; i++)
    if (!check (paths[i]))
      code = EXIT_BAD_INPUT;
  return code;
}

const CliUsage cli_check = {
  .parameters = "SCENARIO...",
  .summary = "Tells what is wrong with scenarios, as 'assay plan' finds it, and warns of what\n"
             "is doubtful: claims that so few secrets cannot decide, for one, or a program\n"
             "that is not there. Nothing is run, and every scenario is looked at.",
  .entries = entries,
  .min_words = 1,
  .max_words = CLI_ANY_NUMBER,
  .expected = "a scenario file; 'assay check --help' explains",
  .run = check_all,
};
