/* Utilities and whole groups of secrets, from the scenario to results and verdicts. */
#include <criterion/criterion.h>
#include <string.h>

#include "report/report.h"
#include "runner/judge/load.h"
#include "runner/plan/claim.h"
#include "runner/plan/planner.h"
#include "runner/run/run.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/find-measurement.h"

#define DATA                                                                                       \
  "[scenario]\ntitle = T\nseed = 5\ntrials = 2\n"                                                  \
  "[dataset]\nplugin = scenes\nprivate_images = 6\npublic_images = 0\ndatabase_images = 2\n"       \
  "per_image = 60\nwidth = 200\nheight = 160\n"
#define GROUPS "secret_groups = 2\n"
#define VIEWS "views = yes\n"
#define DEFENSES                                                                                   \
  "[defense raw]\nplugin = none\n[defense lifting]\nplugin = affine-lifting\ndimension = 2; 4\n"
#define ATTACK "[attack verbatim]\nplugin = verbatim\n"
#define UTILITY "[utility matching]\nplugin = matching\nfilter = mutual-nearest; both\n"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (utilities, .init = set_up, .fini = tear_down);

static AssayPlan *
make_plan (const char *text, GError **error)
{
  g_autofree char *path = fixture_write (folder, "a.scenario", text);
  const AssayPlanOptions options = { 0 };

  return assay_plan_new (path, &options, error);
}

static AssayPlan *
good_plan (const char *text)
{
  GError *error = NULL;
  AssayPlan *plan = make_plan (text, &error);

  cr_assert (plan != NULL, "%s", error->message);
  return plan;
}

static AssayResults *
run (const AssayPlan *plan, AssayStore *store)
{
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  const AssayRunCallbacks callbacks = { 0 };
  AssayRunEnd end;
  GError *error = NULL;
  AssayResults *results;

  cr_assert (assay_run (plan, workspace, store, &callbacks, &end, &error), "%s", error->message);
  results = assay_results_load (plan, store, &error);
  cr_assert (results != NULL, "%s", error->message);
  return results;
}

/* Every trial takes two whole photographs, and no photograph is taken twice. */
Test (utilities, groups_are_drawn_whole)
{
  g_autoptr (AssayPlan) plan = good_plan (DATA GROUPS DEFENSES ATTACK);
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  const AssayDataset *dataset = NULL;
  guint in_pool[6] = { 0 }, taken[6] = { 0 };
  AssayJob job;

  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);
    const gint64 *groups;
    guint seen = 0;

    if (cell->defense != 0)
      continue;
    cr_assert (assay_workspace_cell (workspace, cell, &job, NULL));
    dataset = job.dataset;
    groups = assay_array_int64 (assay_arrays_get (&job.truth->arrays, "groups"));
    for (gsize s = 0; s < assay_release_count (job.release); s++) {
      taken[groups[s]]++;
      seen |= 1u << groups[s];
    }
    cr_assert (__builtin_popcount (seen) == 2, "trial %u", cell->trial);
  }
  for (gsize r = 0; r < assay_rows_count (dataset->secrets); r++)
    in_pool[dataset->groups[r]]++;
  for (guint g = 0, n = 0; g < 6; g++) {
    n += taken[g] > 0;
    cr_assert (taken[g] == 0 || taken[g] == in_pool[g], "group %u: %u of %u", g, taken[g],
               in_pool[g]);
    cr_assert (g < 5 || n == 4);
  }
}

/* Attacks come first, then utilities; a cell has one of the two. */
Test (utilities, cells)
{
  static const char *const names[]
      = { "verbatim", "matching filter=mutual-nearest", "matching filter=both" };
  g_autoptr (AssayPlan) plan = good_plan (DATA GROUPS VIEWS DEFENSES ATTACK UTILITY);

  cr_assert (plan->cells->len == 18, "%u cells", plan->cells->len);
  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);

    cr_assert ((cell->attack == ASSAY_NO_COMPONENT) != (cell->utility == ASSAY_NO_COMPONENT));
    cr_assert_str_eq (assay_plan_attack_or_utility (plan, cell)->name, names[i % 3]);
    cr_assert ((cell->utility != ASSAY_NO_COMPONENT) == (i % 3 > 0));
  }
}

static const AssayMeasurement *
measured (const AssayResults *results, const char *defense, const char *player, const char *name)
{
  for (guint i = 0; i < results->pooled->len; i++) {
    const AssayResultCell *cell = results->pooled->pdata[i];

    if (g_str_equal (cell->defense->name, defense)
        && g_str_equal (cell->attack_or_utility->name, player))
      return find_measurement (cell, name);
  }
  return NULL;
}

#define CLAIMS                                                                                     \
  "[claim useful]\nmeasure = matching-score\nat-least = 0.01\nutility = matching\n"                \
  "where = utility.filter = both, defense.dimension = 2\n"                                         \
  "[claim everything]\nmeasure = matching-precision\nat-least = 0.1\n"                             \
  "[claim hidden]\nmeasure = recovery-rate\nat-most = 0.5\n"

/* Units are photographs; an attack has no precision of matches, and a utility recovers nothing. */
Test (utilities, results_and_claims)
{
  g_autoptr (AssayPlan) plan = good_plan (DATA GROUPS VIEWS DEFENSES ATTACK UTILITY CLAIMS);
  g_autoptr (AssayStore) store = assay_store_open (folder, TRUE, NULL);
  g_autoptr (AssayResults) results = run (plan, store);
  static const guint hypotheses[] = { 1, 6, 3 };
  const AssayMeasurement *precision
      = measured (results, "raw", "matching filter=mutual-nearest", "matching-precision");
  g_autofree char *json = assay_report_json (results, NULL);
  g_autofree char *csv = assay_report_csv (results);

  cr_assert (precision != NULL && precision->interval.n == 4);
  cr_assert (precision->interval.estimate > 0.2, "%g", precision->interval.estimate);
  cr_assert (measured (results, "raw", "verbatim", "matching-precision") == NULL);
  cr_assert (measured (results, "raw", "matching filter=both", "recovery-rate") == NULL);
  cr_assert (measured (results, "raw", "verbatim", "recovery-rate")->interval.estimate == 1);
  for (guint c = 0; c < G_N_ELEMENTS (hypotheses); c++) {
    const AssayResultClaim *claim = results->claims->pdata[c];

    cr_assert (claim->hypotheses->len == hypotheses[c], "claim %u: %u", c, claim->hypotheses->len);
    for (guint h = 0; h < claim->hypotheses->len; h++)
      cr_assert (g_array_index (claim->hypotheses, AssayResultHypothesis, h).cell->is_utility
                 == (c < 2));
  }
  cr_assert (strstr (json, "\"utility\": {") != NULL && strstr (json, "\"attack\": {") != NULL);
  cr_assert (strstr (csv, "utility.label,utility,utility.mode") != NULL);
}

/* A violated claim about a utility has the worst photograph as its witness, whatever metrics there
 * are beside it. */
Test (utilities, witness)
{
  static const char *const texts[]
      = { DATA GROUPS VIEWS DEFENSES UTILITY, DATA GROUPS VIEWS DEFENSES ATTACK UTILITY };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *text = g_strconcat (
        texts[i],
        "[claim c]\nmeasure = homography-within-10px\nat-least = 1\nwhere = utility.filter = both\n"
        "[claim p]\nmeasure = matching-score\nat-least = 0.999\nwhere = utility.filter = both\n",
        NULL);
    g_autofree char *place = g_strdup_printf ("%s/%zu", folder, i);
    g_autoptr (AssayPlan) plan = good_plan (text);
    g_autoptr (AssayStore) store = NULL;
    g_autoptr (AssayResults) results = NULL;

    cr_assert (g_mkdir_with_parents (place, 0700) == 0);
    store = assay_store_open (place, TRUE, NULL);
    results = run (plan, store);
    for (guint c = 0; c < 2; c++) {
      const AssayResultClaim *claim = results->claims->pdata[c];

      cr_assert (claim->witness.is_set == (claim->verdict == ASSAY_VERDICT_VIOLATED));
      cr_assert (!claim->witness.is_set
                 || (claim->witness.secret < 2 && claim->witness.outcome < 1));
    }
  }
}

/* Drawn one by one, secrets of two trials come from the same six photographs: these are the units,
 * and too few to decide anything but a rate. */
Test (utilities, photographs_count_once)
{
  g_autoptr (AssayPlan) plan = good_plan (
      DATA "secrets = 150\n" VIEWS DEFENSES UTILITY
           "[claim c]\nmeasure = matching-score\nat-least = 0.9\ndefense = raw\n");
  g_autoptr (AssayStore) store = assay_store_open (folder, TRUE, NULL);
  g_autoptr (AssayResults) results = run (plan, store);
  const AssayMeasurement *score
      = measured (results, "raw", "matching filter=both", "matching-score");
  const AssayResultClaim *claim = results->claims->pdata[0];

  cr_assert (score->interval.n == 12 && score->interval.n_groups == 6, "%zu in %zu",
             score->interval.n, score->interval.n_groups);
  cr_assert (claim->verdict == ASSAY_VERDICT_INCONCLUSIVE && strstr (claim->reason, "6 groups"),
             "%s", claim->reason);
}

/* What a utility draws depends on the cell alone: no thread, no order, no attack beside it. */
Test (utilities, results_do_not_depend_on_attacks)
{
  g_autoptr (AssayPlan) with = good_plan (DATA GROUPS VIEWS DEFENSES ATTACK UTILITY);
  g_autoptr (AssayPlan) without = NULL;
  g_autoptr (AssayStore) store = assay_store_open (folder, TRUE, NULL);
  g_autoptr (AssayResults) both = run (with, store);
  g_autoptr (AssayResults) alone = NULL;
  g_autofree char *other = g_build_filename (folder, "other", NULL);
  g_autoptr (AssayStore) second = NULL;

  without = good_plan (DATA GROUPS VIEWS DEFENSES UTILITY);
  cr_assert (g_mkdir_with_parents (other, 0700) == 0);
  second = assay_store_open (other, TRUE, NULL);
  alone = run (without, second);
  for (guint i = 0; i < alone->pooled->len; i++) {
    const AssayResultCell *cell = alone->pooled->pdata[i];
    const AssayMeasurement *now = find_measurement (cell, "corner-error-median");
    const AssayMeasurement *then = measured (both, cell->defense->name,
                                             cell->attack_or_utility->name, "corner-error-median");

    cr_assert (now->interval.estimate == then->interval.estimate
               && now->interval.upper == then->interval.upper);
  }
}

Test (utilities, refusals)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
    { DATA GROUPS DEFENSES UTILITY,
      "@/a.scenario:19: [utility matching] needs keypoint frames and photographs of the secrets, "
      "second views of the photographs with their homographies, which the dataset does not have" },
    { DATA "secret_groups = 4\n" DEFENSES ATTACK,
      "@/a.scenario:5: [dataset] the plan takes 8 distinct groups (2 trials x 4), but the dataset "
      "has 6" },
    { DATA GROUPS VIEWS DEFENSES "[utility clustering]\nplugin = recovery-rate\n",
      "@/a.scenario:20: [utility clustering] 'recovery-rate' measures guesses: expected it as "
      "[metric recovery-rate]" },
    { DATA GROUPS VIEWS DEFENSES ATTACK "[metric matching]\nplugin = matching\n",
      "@/a.scenario:22: [metric matching] 'matching' is a utility: expected it as [utility "
      "matching]" },
    { DATA GROUPS VIEWS DEFENSES ATTACK "[claim c]\nmeasure = matching-score\nat-least = 0.5\n",
      "@/a.scenario:23: [claim c] unknown measure 'matching-score'" },
    { DATA GROUPS VIEWS DEFENSES ATTACK UTILITY
      "[claim c]\nmeasure = matching-score\nat-least = 0.5\nattack = verbatim\n",
      "@/a.scenario:25: [claim c] is about no cell of the scenario: defense, attack, utility and "
      "where exclude all of them" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayPlan) plan = make_plan (cases[i].text, &error);
    g_auto (GStrv) parts = g_strsplit (cases[i].message, "@", -1);
    g_autofree char *expected = g_strjoinv (folder, parts);

    cr_assert (plan == NULL, "case %zu", i);
    cr_assert (g_str_has_prefix (error->message, expected), "case %zu: %s", i, error->message);
  }
}
