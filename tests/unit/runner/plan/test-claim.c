/* Claims: what [claim ID] may say, which cells it is about, and what is refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "runner/plan/claim.h"
#include "runner/plan/planner.h"
#include "tests/reference/fixtures.h"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
  fixture_write_normal (folder, "private.npy", 40, 8, 40);
  fixture_write_normal (folder, "public.npy", 30, 8, 30);
  fixture_write_normal (folder, "database.npy", 50, 8, 50);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (claim, .init = set_up, .fini = tear_down);

#define HEAD                                                                                       \
  "[scenario]\nconfidence = 0.9\n[dataset]\nplugin = vectors\nprivate = private.npy\n"             \
  "public = public.npy\ndatabase = database.npy\nsecrets = 5\n"                                    \
  "[defense lifting]\nplugin = affine-lifting\ndimension = 2; 4; 6\nvariant = hybrid; random\n"    \
  "[defense plain]\nplugin = none\n"                                                               \
  "[attack verbatim]\nplugin = verbatim\n"                                                         \
  "[attack nearest]\nplugin = nearest\ngrants = public\nproject = yes; no\n"
#define TWO_METRICS "[metric strict]\nplugin = recovery-rate\ntau = 0.1\n"                         \
                    "[metric lax]\nplugin = recovery-rate\ntau = 0.3; 0.5\n"
#define CLAIM "[claim hidden]\nmeasure = recovery-rate\nat-most = 0.1\n"

static AssayPlan *
make_plan (const char *text, GError **error)
{
  const AssayPlanOptions options = { 0 };
  g_autofree char *path = fixture_write (folder, "a.scenario", text);

  return assay_plan_new (path, &options, error);
}

/* How many of the plan's cells the claim is about: of 7 defense parts and 3 attack parts. */
static guint
count_cells (const char *lines)
{
  g_autofree char *text = g_strconcat (HEAD CLAIM, lines, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = make_plan (text, &error);
  guint n = 0;

  cr_assert (plan != NULL, "%s: %s", lines, error->message);
  cr_assert (plan->claims->len == 1 && plan->cells->len == 21, "%u cells", plan->cells->len);
  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);

    n += assay_claim_selects (plan, plan->claims->pdata[0], cell,
                              assay_plan_component (plan->attacks, cell->attack)->settings);
  }
  return n;
}

Test (claim, selectors_and_conditions)
{
  static const struct {
    const char *lines;
    guint cells;
  } cases[] = {
    { "", 21 },
    { "defense = lifting\n", 18 },
    { "attack = verbatim\n", 7 },
    { "defense = plain\nattack = nearest\n", 2 },
    { "where = defense.dimension >= 4\n", 12 },
    { "where = defense.dimension>4\n", 6 },
    { "where = defense.dimension < 4.5\n", 12 },
    { "where = defense.dimension <= 4, defense.variant = random\n", 6 },
    { "where = defense.dimension != 4\n", 12 }, /* not the plain cells: they have no dimension */
    { "where = defense.dimension == 4.0\n", 6 },
    { "where = defense.variant != hybrid\n", 9 },
    { "where = attack.project = yes\n", 7 },
    { "where = attack.project != true\n", 7 }, /* true is yes */
    { "where = attack.project = no, defense.dimension = 2,defense.variant=hybrid\n", 1 },
    { "where = dataset.private = private.npy\n", 21 },
    { "where = dataset.private != a<=b\n", 21 },
    { "where = defense.normalize = true\nattack = verbatim\n", 6 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    cr_assert (count_cells (cases[i].lines) == cases[i].cells, "%s: %u cells, expected %u",
               cases[i].lines, count_cells (cases[i].lines), cases[i].cells);
}

Test (claim, what_it_says)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = make_plan (
      HEAD TWO_METRICS "[claim a]\nsays = Hidden; for \\ngood\nsource = A paper\nmetric = strict\n"
                       "measure = recovery-rate\nat-most = 0\nconfidence = 0.99\n"
                       "[claim b]\nmeasure = relative-error-median\nat-least = 0.5\n",
      &error);
  const AssayClaim *a, *b;

  cr_assert (plan != NULL, "%s", error->message);
  a = plan->claims->pdata[0];
  b = plan->claims->pdata[1];
  cr_assert_str_eq (a->id, "a");
  cr_assert_str_eq (a->says, "Hidden; for \ngood");
  cr_assert_str_eq (a->source, "A paper");
  cr_assert_str_eq (assay_plan_component (plan->metrics, a->metric)->label, "strict");
  cr_assert (a->is_at_most && a->bound == 0 && a->confidence == 0.99);
  cr_assert_str_eq (b->measure->name, "relative-error-median");
  cr_assert (!b->is_at_most && b->bound == 0.5 && b->confidence == 0.9 && b->says == NULL);
}

/* A condition on a tuned setting is decided by what tuning chooses; any candidate does before. */
Test (claim, conditions_on_tuned_settings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = make_plan (
      HEAD "[attack db]\nplugin = database\ngrants = database\ntune.neighbours = 10; 20\n"
           "averaged = 2\ntune_measure = recovery-rate\n" CLAIM "where = attack.neighbours = 20\n",
      &error);

  cr_assert (plan != NULL, "%s", error->message);
  g_clear_pointer (&plan, assay_plan_free);
  plan = make_plan (HEAD "[attack db]\nplugin = database\ngrants = database\n"
                         "tune.neighbours = 10; 20\naveraged = 2\ntune_measure = recovery-rate\n"
                         CLAIM "where = attack.neighbours = 30\n",
                    &error);
  cr_assert (plan == NULL && strstr (error->message, "is about no cell") != NULL);
}

/* Claims judge what is stored: they do not change which run a folder belongs to. */
Test (claim, not_part_of_the_identity_of_a_run)
{
  g_autoptr (AssayPlan) without = make_plan (HEAD, NULL);
  g_autoptr (AssayPlan) with = make_plan (HEAD CLAIM, NULL);

  cr_assert_str_eq (without->sha256, with->sha256);
}

#define AT(line) "@/a.scenario:" line ": [claim hidden] "

/* What stands after HEAD (of 20 lines), and what is said of it. */
static const struct {
  const char *text;
  gint code;
  const char *message;
} refused[] = {
  { CLAIM "bound = 1\n", ASSAY_ERROR_SCENARIO, AT ("24") "unknown key 'bound'" },
  { CLAIM "at_least = 1\n", ASSAY_ERROR_SCENARIO,
    AT ("24") "unknown key 'at_least' (did you mean 'at-least'?)" },
  { "[claim hidden]\nat-most = 0.1\n", ASSAY_ERROR_SCENARIO,
    AT ("21") "'measure' is missing: what the claim bounds" },
  { "[claim hidden]\nmeasure = recovery-rat\nat-most = 0.1\n", ASSAY_ERROR_SCENARIO,
    AT ("22") "unknown measure 'recovery-rat' (did you mean 'recovery-rate'?)" },
  { "[claim hidden]\nmeasure = epsilon\nat-most = 1\n", ASSAY_ERROR_SCENARIO,
    AT ("22") "unknown measure 'epsilon'" },
  { "[claim hidden]\nmeasure = recovery-rate\n", ASSAY_ERROR_SCENARIO,
    AT ("21") "expected either at-most or at-least" },
  { CLAIM "at-least = 0.1\n", ASSAY_ERROR_SCENARIO,
    AT ("21") "expected either at-most or at-least" },
  { "[claim hidden]\nmeasure = recovery-rate\nat-most = 1.5\n", ASSAY_ERROR_PARAMETER,
    AT ("23") "at-most = '1.5': expected a number, 0 to 1, because recovery-rate has no "
              "other values (did you mean 0.015, which is 1.5 %?)" },
  { "[claim hidden]\nmeasure = recovery-rate\nat-least = -0.1\n", ASSAY_ERROR_PARAMETER,
    AT ("23") "at-least = '-0.1': expected a number, 0 to 1, because recovery-rate has "
              "no other values" },
  { "[claim hidden]\nmeasure = recovery-rate\nat-most = nan\n", ASSAY_ERROR_PARAMETER,
    AT ("23") "at-most = 'nan': expected a number, 0 to 1, because recovery-rate has no "
              "other values" },
  { "[claim hidden]\nmeasure = recovery-rate\nat-most = 0.1; 0.2\n", ASSAY_ERROR_PARAMETER,
    AT ("23") "at-most = '0.1; 0.2': expected a number, 0 to 1, because recovery-rate "
              "has no other values" },
  { "[claim hidden]\nmeasure = relative-error-median\nat-least = -1\n", ASSAY_ERROR_PARAMETER,
    AT ("23") "at-least = '-1': expected a number, 0 to any number, because "
              "relative-error-median has no other values" },
  { CLAIM "confidence = 0\n", ASSAY_ERROR_PARAMETER,
    AT ("24") "confidence = '0': expected a number, 0.5 to 0.999999" },
  { CLAIM "confidence = 1\n", ASSAY_ERROR_PARAMETER,
    AT ("24") "confidence = '1': expected a number, 0.5 to 0.999999" },
  { CLAIM "confidence = high\n", ASSAY_ERROR_PARAMETER,
    AT ("24") "confidence = 'high': expected a number, 0.5 to 0.999999" },
  { CLAIM "defense = liftin\n", ASSAY_ERROR_SCENARIO,
    AT ("24") "the scenario has no [defense liftin] (did you mean 'lifting'?)" },
  { CLAIM "attack = affine-lifting\n", ASSAY_ERROR_SCENARIO,
    AT ("24") "the scenario has no [attack affine-lifting]" },
  { CLAIM "where =\n", ASSAY_ERROR_SCENARIO, AT ("24") "where: the value is empty" },
  { CLAIM "where = dimension >= 8\n", ASSAY_ERROR_SCENARIO,
    AT ("24") "'dimension >= 8': expected defense.KEY OP value (or attack., utility., dataset.), "
              "OP one of = != < <= > >=" },
  { CLAIM "where = defense.dimension\n", ASSAY_ERROR_SCENARIO,
    AT ("24") "'defense.dimension': expected defense.KEY OP value (or attack., utility., "
              "dataset.), OP one of = != < <= > >=" },
  { CLAIM "where = defense.dimension >=\n", ASSAY_ERROR_SCENARIO,
    AT ("24") "'defense.dimension >=': expected defense.KEY OP value (or attack., utility., "
              "dataset.), OP one of = != < <= > >=" },
  { CLAIM "where = defense.dimension = 2,\n", ASSAY_ERROR_SCENARIO,
    AT ("24") "'': expected defense.KEY OP value (or attack., utility., dataset.), "
              "OP one of = != < <= > >=" },
  { CLAIM "where = metric.tau = 2\n", ASSAY_ERROR_SCENARIO,
    AT ("24") "'metric.tau = 2': expected defense.KEY OP value (or attack., utility., dataset.), "
              "OP one of = != < <= > >=" },
  { CLAIM "where = defense.dimensions >= 4\n", ASSAY_ERROR_SCENARIO,
    AT ("24") "no defense of the scenario has a setting 'dimensions' (did you mean "
              "'dimension'?)" },
  { CLAIM "where = attack.dimension != 4\n", ASSAY_ERROR_SCENARIO,
    AT ("24") "no attack of the scenario has a setting 'dimension'" },
  { CLAIM "where = defense.dimension >= many\n", ASSAY_ERROR_PARAMETER,
    AT ("24") "defense.dimension is a number, 'many' is not" },
  { CLAIM "where = defense.variant >= hybrid\n", ASSAY_ERROR_PARAMETER,
    AT ("24") "defense.variant is no number: expected = or !=" },
  { CLAIM "where = defense.variant != hybird\n", ASSAY_ERROR_PARAMETER,
    AT ("24") "variant = 'hybird': expected one of random, adversarial, hybrid, "
              "sub-hybrid (did you mean 'hybrid'?)" },
  { CLAIM "where = defense.dimension >= 8\n", ASSAY_ERROR_SCENARIO,
    "@/a.scenario:21: [claim hidden] is about no cell of the scenario: defense, attack, utility "
    "and where exclude all of them" },
  { CLAIM "defense = plain\nwhere = defense.dimension = 2\n", ASSAY_ERROR_SCENARIO,
    "@/a.scenario:21: [claim hidden] is about no cell of the scenario: defense, attack, utility "
    "and where exclude all of them" },
  { TWO_METRICS CLAIM, ASSAY_ERROR_SCENARIO,
    AT ("28") "measure 'recovery-rate' is measured by several [metric]s; expected metric "
              "= NAME" },
  { TWO_METRICS CLAIM "metric = lax\n", ASSAY_ERROR_SCENARIO,
    AT ("28") "measure 'recovery-rate' has several settings in [metric lax]; expected a "
              "[metric] of its own for the one that is meant" },
  { TWO_METRICS CLAIM "metric = stric\n", ASSAY_ERROR_SCENARIO,
    AT ("30") "unknown metric 'stric' (did you mean 'strict'?)" },
  { CLAIM "metric = relative-error\n", ASSAY_ERROR_SCENARIO,
    AT ("22") "unknown measure 'recovery-rate'" },
  { CLAIM CLAIM, ASSAY_ERROR_SCENARIO,
    "@/a.scenario:24: group [claim hidden] is already on line 21" },
};

Test (claim, refusals)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_autofree char *text = g_strconcat (HEAD, refused[i].text, NULL);
    g_autofree char *why = NULL;
    GError *error = NULL;
    g_autoptr (AssayPlan) plan = make_plan (text, &error);

    cr_expect (plan == NULL, "%s", refused[i].text);
    cr_expect (fixture_error_is (&error, refused[i].code, refused[i].message, folder, &why),
               "%s: %s", refused[i].text, why);
  }
}
