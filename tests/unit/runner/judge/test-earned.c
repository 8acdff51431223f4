/* What exit 0 must have earned, on stores that are written by hand: what a vendor who wants to pass
 * would leave out of a scenario. */
#include <criterion/criterion.h>
#include <string.h>
#include <glib/gstdio.h>

#include "core/data/npy.h"
#include "runner/judge/load.h"
#include "runner/plan/planner.h"
#include "runner/store/outcomes.h"
#include "runner/store/seal.h"
#include "tests/reference/fixtures.h"

static char *folder;

static void
set_up (void)
{
  static const char *const names[] = { "private.npy", "database.npy" };

  folder = fixture_folder ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    g_autoptr (AssayArray) array = assay_array_take_matrix (fixture_normal (200, 8, i + 1));

    cr_assert (assay_npy_write (path, array, NULL));
  }
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (earned, .init = set_up, .fini = tear_down);

enum { SECRETS = 100, CELLS = 4, DATABASE_ON_STRONG = 1 };

/* Cells: `verbatim`, which is generic, and `database` against `strong`, then against `weak`. */
#define DATA                                                                                       \
  "[scenario]\n[dataset]\nplugin = vectors\nprivate = private.npy\ndatabase = database.npy\n"      \
  "secrets = 100\n"
#define DEFENSES                                                                                   \
  "[defense strong]\nplugin = affine-lifting\ndimension = 4\n"                                     \
  "[defense weak]\nplugin = affine-lifting\ndimension = 2\n"
#define SWEPT "[defense lifting]\nplugin = affine-lifting\ndimension = 4; 2\n"
#define ATTACKS                                                                                    \
  "[attack verbatim]\nplugin = verbatim\n"                                                         \
  "[attack database]\nplugin = database\ngrants = database\nneighbours = 20\naveraged = 3\n"
#define CLAIM "[claim c]\nmeasure = recovery-rate\nat-most = 0.2\n"

static const char *defenses = DEFENSES;

static AssayPlan *
make_plan (const char *claim, GError **error)
{
  const AssayPlanOptions options = { 0 };
  g_autofree char *text = g_strconcat (DATA, defenses, ATTACKS, claim, NULL);
  g_autofree char *path = fixture_write (folder, "a.scenario", text);

  return assay_plan_new (path, &options, error);
}

/* How many secrets the guesses of `database` against `strong` point at; -1: not measured. */
static gint identified = -1;

static gboolean
is_metric (const AssayPlan *plan, guint index, const char *id)
{
  return g_str_equal (assay_plan_component (plan->metrics, index)->plugin->id, id);
}

/* A cell in which @share of the secrets were recovered. */
static void
finish_cell (const AssayPlan *plan, AssayStore *store, gsize index, double share)
{
  const AssayCellRecord record
      = { .status = ASSAY_CELL_OK, .message = (char *) "", .seconds = 1 };
  AssayOutcomes outcomes[32] = { 0 };
  double values[SECRETS], pointed[SECRETS];
  gboolean is_crashed = FALSE;

  cr_assert (assay_store_begin_cell (store, index, &is_crashed, NULL) && !is_crashed);
  for (gsize i = 0; i < SECRETS; i++)
    values[i] = (double) i < SECRETS * share;
  for (gsize i = 0; i < SECRETS; i++)
    pointed[i] = (gint) i < identified;
  for (guint m = 0; m < plan->metrics->len; m++)
    if (is_metric (plan, m, "recovery-rate"))
      outcomes[m] = (AssayOutcomes){ .n = SECRETS, .series = { values } };
    else if (is_metric (plan, m, "identification-rate") && index == DATABASE_ON_STRONG
             && identified >= 0)
      outcomes[m] = (AssayOutcomes){ .n = SECRETS, .series = { pointed } };
  cr_assert (assay_store_finish_cell (
      store, index, &record, &(AssayMeasured){ outcomes, plan->metrics->len, NULL }, NULL));
}

/* The verdict on @claim where @shares were recovered, after @sealed was sealed (NULL: the same). */
static AssayVerdict
judge (const char *claim, const char *sealed, const double *shares, char **ret_reason)
{
  GError *error = NULL;
  g_autofree char *own = g_build_filename (folder, "run.sqlite", NULL);
  g_autoptr (AssayPlan) before = make_plan (sealed != NULL ? sealed : claim, &error);
  g_autoptr (AssayPlan) plan = make_plan (claim, &error);
  g_autoptr (AssayStore) store = NULL;
  g_autoptr (AssayResults) results = NULL;
  const AssayResultClaim *result;

  g_unlink (own);
  cr_assert (before != NULL && plan != NULL, "%s", error->message);
  cr_assert_eq (plan->cells->len, CELLS);
  store = assay_store_open (folder, TRUE, &error);
  cr_assert (store != NULL && assay_seal_set (store, before, &error), "%s", error->message);
  for (gsize i = 0; i < CELLS; i++)
    finish_cell (plan, store, i, shares[i]);
  results = assay_results_load (plan, store, &error);
  cr_assert (results != NULL, "%s", error->message);
  result = results->claims->pdata[0];
  *ret_reason = g_strdup (result->reason);
  return result->verdict;
}

Test (earned, what_a_verdict_rests_on)
{
  static const struct {
    const char *claim, *sealed;
    double shares[CELLS];
    AssayVerdict verdict;
    const char *reason; /* what of it must be there */
  } cases[] = {
    /* The strong attack wins where less is protected, and not here. */
    { CLAIM "defense = strong\n", NULL, { 0, 0, 0, 1 }, ASSAY_VERDICT_UPHELD,
      "recovery-rate is 0 % [0, 3.622] of n = 100 with tau=0.3, the claim says at most 20 %; "
      "an estimate of 29 % or more would have violated it" },
    /* Of two hypotheses: P[X >= 29] of a rate of 0.2 is 0.020. */
    /* Asking one of two is told. */
    { CLAIM "defense = strong\nattack = database\n", NULL, { 0, 0, 0, 1 }, ASSAY_VERDICT_UPHELD,
      "would have violated it; it names 1 of 2 attacks" },
    /* A hopeless attack is none. */
    { CLAIM "defense = strong\n", NULL, { 0, 0, 1, 0.1 }, ASSAY_VERDICT_INCONCLUSIVE,
      "nothing shows that the attack could break this bound on these data" },
    /* So much may be recovered where it should win, and no less. */
    { CLAIM "defense = strong\n", NULL, { 0, 0, 0, 0.25 }, ASSAY_VERDICT_INCONCLUSIVE,
      "nothing shows" },
    { CLAIM "defense = strong\n", NULL, { 0, 0, 0, 0.3 }, ASSAY_VERDICT_UPHELD, "at most 20 %" },
    /* A claim about every cell leaves no reference. */
    { CLAIM, NULL, { 0, 0, 0, 0 }, ASSAY_VERDICT_INCONCLUSIVE, "nothing shows" },
    /* Nor is what every defense would survive evidence for this one. */
    { CLAIM "defense = strong\nattack = verbatim\n", NULL, { 0, 0, 1, 1 },
      ASSAY_VERDICT_INCONCLUSIVE, "attack verbatim takes what is released for the secret" },
    /* The attack that is not asked breaks the bound. */
    { CLAIM "defense = strong\nattack = verbatim\n", NULL, { 0, 1, 0, 1 },
      ASSAY_VERDICT_INCONCLUSIVE,
      "the claim names 1 of 2 attacks, and one that it leaves out breaks the bound: attack "
      "database against "
      "strong" },
    /* Not by so little that it could be chance. */
    { CLAIM "defense = strong\nattack = database\n", NULL, { 0.25, 0, 0, 1 },
      ASSAY_VERDICT_UPHELD, "it names 1 of 2 attacks" },
    /* What was asked only after a look. */
    { CLAIM "defense = strong\n", CLAIM "defense = weak\n", { 0, 0, 0, 1 },
      ASSAY_VERDICT_INCONCLUSIVE, "claims were changed after cells had run" },
    { CLAIM "defense = strong\n", CLAIM "defense = strong\nconfidence = 0.99\n", { 0, 0, 0, 1 },
      ASSAY_VERDICT_INCONCLUSIVE, "claims were changed after cells had run" },
    { CLAIM "defense = strong\nsays = Words\n", CLAIM "defense = strong\n", { 0, 0, 0, 1 },
      ASSAY_VERDICT_UPHELD, "at most 20 %" },
    /* A violation needs no leave. */
    { CLAIM "defense = weak\n", CLAIM "defense = strong\n", { 0, 0, 0, 1 },
      ASSAY_VERDICT_VIOLATED, "attack database against weak" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *reason = NULL;
    const AssayVerdict verdict
        = judge (cases[i].claim, cases[i].sealed, cases[i].shares, &reason);

    cr_expect (verdict == cases[i].verdict, "case %zu: %s, %s", i, assay_verdict_name (verdict),
               reason);
    cr_expect (strstr (reason, cases[i].reason) != NULL, "case %zu: %s", i, reason);
  }
}

/* Of what is swept a claim may name a part, and then says so: nobody is to take the verdict on
 * dimension 4 for one on both. */
Test (earned, settings_left_out_are_said)
{
  static const double shares[CELLS] = { 0, 0, 0, 1 };
  g_autofree char *part = NULL, *attack = NULL, *all = NULL;

  defenses = SWEPT;
  cr_expect (judge (CLAIM "where = defense.dimension = 4\n", NULL, shares, &part)
             == ASSAY_VERDICT_UPHELD);
  cr_expect (strstr (part, "; it names 1 of 2 settings of defense lifting") != NULL, "%s", part);
  cr_expect (judge (CLAIM "attack = database\nwhere = defense.dimension = 4\n", NULL, shares,
                    &attack)
             == ASSAY_VERDICT_UPHELD);
  cr_expect (strstr (attack, "; it names 1 of 2 attacks; it names 1 of 2 settings of defense "
                             "lifting")
                 != NULL,
             "%s", attack);
  cr_expect (judge (CLAIM, NULL, shares, &all) == ASSAY_VERDICT_VIOLATED);
  cr_expect (strstr (all, "settings of") == NULL, "%s", all);
}

/* Nobody is recovered, and the guesses tell most people apart: nobody is to take comfort in it. */
Test (earned, identified_all_the_same)
{
  static const double shares[CELLS] = { 0, 0, 0, 1 };
  static const struct {
    gint identified;
    const char *claim, *note; /* NULL: nothing is said */
  } cases[] = {
    /* The interval of 91 of 100 by Clopper and Pearson. */
    { 91, CLAIM "defense = strong\n",
      "; but these secrets can be told apart: the guesses of attack database against strong point "
      "at their own secret for 91 % [83.6, 95.8] of them (identification-rate)" },
    /* Of 29 of 100 the lower end is 0.204, of 28 it is 0.195: the claim allows 0.2. */
    { 29, CLAIM "defense = strong\n", "told apart: the guesses of" },
    { 28, CLAIM "defense = strong\n", NULL },
    { -1, CLAIM "defense = strong\n", NULL },
    /* Of another defense, or of the attack that the claim leaves out. */
    { 91, CLAIM "defense = strong\nattack = verbatim\n", NULL },
    /* A claim about it says so itself. */
    { 91, "[claim c]\nmeasure = identification-rate\nat-most = 0.2\ndefense = strong\n", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *reason = NULL;

    identified = cases[i].identified;
    judge (cases[i].claim, NULL, shares, &reason);
    cr_expect ((strstr (reason, "told apart") != NULL) == (cases[i].note != NULL)
                   && (cases[i].note == NULL || strstr (reason, cases[i].note) != NULL),
               "case %zu: %s", i, reason);
  }
}

/* Claims that no outcome could break are none. */
Test (earned, bounds_that_say_something)
{
  static const struct {
    const char *claim, *message; /* NULL: it is one */
  } cases[] = {
    { "at-most = 1\n", "no outcome breaks this bound, because recovery-rate has no higher values" },
    { "at-least = 0\n", "no outcome breaks this bound, because recovery-rate has no lower values" },
    { "at-most = 0\n", NULL },
    { "at-least = 1\n", NULL },
    /* 0.95^100 = 0.006, 0.97^100 = 0.048, 0.971^100 = 0.053. */
    { "at-most = 0.95\n", NULL },
    { "at-most = 0.97\n", NULL },
    { "at-most = 0.971\n", "no outcome of 100 secrets breaks this bound with confidence 0.95; "
                           "expected at least 102 secrets" },
    { "at-most = 0.97\nconfidence = 0.99\n", "expected at least 152 secrets" },
    { "at-least = 0.029\n", "expected at least 102 secrets" },
    { "at-most = 0.2\nconfidence = 0.89\n", "a verdict needs 0.9 or more" },
    { "at-most = 0.2\npower-at = 2\n", "in a claim about epsilon" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text
        = g_strconcat ("[claim c]\nmeasure = recovery-rate\n", cases[i].claim, NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayPlan) plan = make_plan (text, &error);

    cr_expect ((plan != NULL) == (cases[i].message == NULL), "case %zu: %s", i,
               error != NULL ? error->message : "accepted");
    cr_expect (error == NULL || strstr (error->message, cases[i].message) != NULL, "case %zu: %s",
               i, error != NULL ? error->message : "");
  }
}
