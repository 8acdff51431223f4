/* assay check: scenarios, without running them. */
#include <stdio.h>

#include "cli/check/lint.h"
#include "cli/cli.h"
#include "cli/options.h"

static CliPlanOptions options;
static gboolean is_strict, is_auditor, has_no_controls, starts_programs;
static char *out;

static const GOptionEntry entries[]
    = { CLI_PLAN_OPTIONS (options),
        { "strict", 0, 0, G_OPTION_ARG_NONE, &is_strict, "Exit with 2 after a warning, too", NULL },
        { "auditor", 0, 0, G_OPTION_ARG_NONE, &is_auditor,
          "Exit with 2 where no result of the run could make a claim hold, too; says more of each "
          "claim",
          NULL },
        { "no-controls", 0, 0, G_OPTION_ARG_NONE, &has_no_controls,
          "Do not play the controls of attacks: quicker where they train networks", NULL },
        { "programs", 0, 0, G_OPTION_ARG_NONE, &starts_programs,
          "Play the controls of attacks that are programs, too: each is started once or twice for "
          "each defense",
          NULL },
        { "out", 'o', 0, G_OPTION_ARG_FILENAME, &out,
          "With --auditor: the folder of the run that must have begun with these claims (default: "
          "assay-out/SCENARIO-HASH)",
          "DIR" },
        G_OPTION_ENTRY_NULL };

static void
warn (const char *path, const GPtrArray *doubts)
{
  for (guint i = 0; i < doubts->len; i++)
    g_printerr ("assay: warning: %s: %s\n", path, (const char *) doubts->pdata[i]);
}

/* Claims of which --auditor tells more than the @n_told that were told. */
static void
print_untold (const AssayPlan *plan, guint n_told)
{
  g_autoptr (GPtrArray) all = assay_lint_claims (plan, TRUE);
  const guint n = is_auditor || all->len < n_told ? 0 : all->len - n_told;

  if (n > 0)
    printf (", %u doubt%s about claims that --auditor tells", n, n == 1 ? "" : "s");
}

static void
print_unplayed (const AssayPlan *plan)
{
  const guint n
      = has_no_controls || starts_programs ? 0 : assay_lint_program_controls_count (plan);

  if (n > 0)
    printf (", %u control%s of programs that the run plays (here: --programs)", n,
            n == 1 ? "" : "s");
}

/* What can be told only by playing it. */
static gboolean
play_controls (const AssayPlan *plan, GPtrArray *doubts, GPtrArray *of_claims, GError **error)
{
  if (has_no_controls)
    return TRUE;
  assay_lint_controls (plan, doubts, of_claims);
  return !starts_programs || assay_lint_program_controls (plan, doubts, of_claims, error);
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
  const guint n_told = of_claims != NULL ? of_claims->len : 0;
  guint n_doubts;

  if (plan == NULL || !assay_lint_files (plan, &error)
      || (is_auditor
          && (!assay_lint_units (plan, of_claims, &error)
              || !assay_lint_repeats (plan, of_claims, &error)
              || !assay_lint_seal (plan, out, of_claims, &error)))
      || !play_controls (plan, doubts, of_claims, &error)) {
    cli_fail_early (error);
    printf ("%s: refused\n", path);
    return FALSE;
  }
  if (is_auditor) {
    assay_lint_programs (plan, of_claims);
    assay_lint_seed (plan, options.seed != NULL, doubts);
  }
  warn (path, doubts);
  warn (path, of_claims);
  n_doubts = doubts->len + of_claims->len;
  printf ("%s: fine, %u cell%s, %u claim%s", path, plan->cells->len,
          plan->cells->len == 1 ? "" : "s", plan->claims->len, plan->claims->len == 1 ? "" : "s");
  if (n_doubts > 0)
    printf (", %u warning%s", n_doubts, n_doubts == 1 ? "" : "s");
  print_untold (plan, n_told);
  print_unplayed (plan);
  printf ("\n");
  return !(is_strict && n_doubts > 0) && !(is_auditor && of_claims->len > 0);
}

static int
check_all (int n, char **paths)
{
  g_autoptr (GError) problem = NULL;
  int code = EXIT_OK;

  if (!cli_seed_settle (&options.seed, &problem))
    return cli_fail_early (problem);
  for (int i = 0; i < n; i++)
    if (!check (paths[i]))
      code = EXIT_BAD_INPUT;
  return code;
}

const CliUsage cli_check = {
  .parameters = "SCENARIO...",
  .summary = "Finds what is wrong with scenarios, and warns of what is doubtful: claims that so\n"
             "few secrets cannot decide, for one, or a program that is not there. Nothing is\n"
             "attacked. Photographs are read, as one without a keypoint cannot be used. Each\n"
             "attack plays its control, a case whose outcome is known: where it loses that, no\n"
             "claim can be upheld by it. Attacks that are programs do so with --programs. With\n"
             "--auditor, each defense that is a program is started twice.",
  .description = "Example:\n  assay check scenarios/quickstart.scenario\n",
  .entries = entries,
  .min_words = 1,
  .max_words = CLI_ANY_NUMBER,
  .expected = "a scenario file; 'assay check --help' explains",
  .run = check_all,
};
