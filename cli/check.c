/* assay check: scenarios, without running them. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/lint.h"
#include "cli/options.h"

static CliPlanOptions options;
static gboolean is_strict;

static const GOptionEntry entries[]
    = { CLI_PLAN_OPTIONS (options),
        { "strict", 0, 0, G_OPTION_ARG_NONE, &is_strict, "Exit 2 after a warning, too", NULL },
        G_OPTION_ENTRY_NULL };

/* One line of standard output; what is wrong or doubtful goes to standard error. TRUE: nothing is
 * wrong, and @ret_n_doubts is how much is doubtful. */
static gboolean
check (const char *path, guint *ret_n_doubts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = cli_plan_new (path, &options, &error);
  g_autoptr (GPtrArray) doubts = plan != NULL ? assay_lint (plan) : NULL;

  if (plan == NULL) {
    cli_fail_early (error);
    printf ("%s: refused\n", path);
    return FALSE;
  }
  for (guint i = 0; i < doubts->len; i++)
    g_printerr ("assay: warning: %s: %s\n", path, (const char *) doubts->pdata[i]);
  printf ("%s: fine, %u cell%s, %u claim%s", path, plan->cells->len,
          plan->cells->len == 1 ? "" : "s", plan->claims->len, plan->claims->len == 1 ? "" : "s");
  if (doubts->len > 0)
    printf (", %u warning%s", doubts->len, doubts->len == 1 ? "" : "s");
  printf ("\n");
  *ret_n_doubts = doubts->len;
  return TRUE;
}

static int
check_all (int n, char **paths)
{
  int code = EXIT_OK;

  for (int i = 0; i < n; i++) {
    guint n_doubts = 0;

    if (!check (paths[i], &n_doubts) || (is_strict && n_doubts > 0))
      code = EXIT_BAD_INPUT;
  }
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
