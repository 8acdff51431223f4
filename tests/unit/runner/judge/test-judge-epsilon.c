/* Claims about epsilon, on stores that are written by hand: what counts make of a claim, and what
 * scenarios may not say. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <glib/gstdio.h>

#include "core/stats/binomial.h"
#include "core/stats/interval.h"
#include "runner/judge/load.h"
#include "runner/plan/claim.h"
#include "runner/plan/planner.h"
#include "runner/store/outcomes.h"
#include "runner/store/records.h"
#include "runner/store/seal.h"
#include "tests/reference/fixtures.h"

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

TestSuite (judge_epsilon, .init = set_up, .fini = tear_down);

/* Two trials against randomised response with an epsilon of 1 and of 2: four cells, by trial. */
enum { CELLS = 4 };
#define HEAD                                                                                       \
  "[scenario]\ntrials = 2\n[dataset]\nplugin = values\nkind = bits\nsecrets = 5\n"
#define DEFENSES                                                                                   \
  "[defense coin]\nplugin = randomised-response\nepsilon = 1; 2\n"                                 \
  "[attack game]\nplugin = distinguish\n"

typedef struct {
  AssayCellStatus status;
  guint64 runs, hits, mistakes;
} Cell;

typedef struct {
  AssayPlan *plan;
  AssayStore *store;
  AssayResults *results;
} Judged;

static void
judged_clear (Judged *judged)
{
  g_clear_pointer (&judged->results, assay_results_free);
  g_clear_pointer (&judged->store, assay_store_close);
  g_clear_pointer (&judged->plan, assay_plan_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Judged, judged_clear)

static AssayPlan *
make_plan (const char *text, GError **error)
{
  const AssayPlanOptions options = { 0 };
  g_autofree char *path = fixture_write (folder, "a.scenario", text);

  return assay_plan_new (path, &options, error);
}

/* Of the first cell. */
static char *dependent;

static void
finish_cell (AssayStore *store, gsize index, const Cell *cell)
{
  const AssayCellRecord record = { .status = cell->status, .message = (char *) "", .seconds = 1 };
  AssayAuditRecord audit = { .counts = { .kind = ASSAY_AUDIT_TWO_INPUTS,
                                         .runs = cell->runs,
                                         .hits = cell->hits,
                                         .mistakes = cell->mistakes },
                             .pair = (guint) index,
                             .trained_on = 77,
                             .says = (char *) "the output is 1",
                             .dependent = index == 0 ? dependent : NULL };
  AssayOutcomes outcomes = { 0 };
  gboolean is_crashed = FALSE;

  cr_assert (assay_store_begin_cell (store, index, &is_crashed, NULL) && !is_crashed);
  if (cell->status != ASSAY_CELL_ERROR) {
    assay_outcomes_take_audit (&outcomes, &audit.counts);
    cr_assert (assay_audit_store (store, index, &audit, NULL));
  }
  cr_assert (assay_store_finish_cell (store, index, &record, &(AssayMeasured){ &outcomes, 1, NULL },
                                      NULL));
  assay_outcomes_clear (&outcomes);
}

static void
judge (const char *claims, const Cell *cells, Judged *ret_judged)
{
  g_autofree char *text = g_strconcat (HEAD DEFENSES, claims, NULL);
  g_autofree char *own = g_build_filename (folder, "run.sqlite", NULL);
  GError *error = NULL;

  g_unlink (own);
  ret_judged->plan = make_plan (text, &error);
  cr_assert (ret_judged->plan != NULL, "%s", error->message);
  cr_assert (ret_judged->plan->cells->len == CELLS && ret_judged->plan->metrics->len == 1);
  ret_judged->store = assay_store_open (folder, TRUE, &error);
  cr_assert (ret_judged->store != NULL, "%s", error->message);
  cr_assert (assay_seal_set (ret_judged->store, ret_judged->plan, &error));
  for (gsize i = 0; i < CELLS; i++)
    finish_cell (ret_judged->store, i, &cells[i]);
  ret_judged->results = assay_results_load (ret_judged->plan, ret_judged->store, &error);
  cr_assert (ret_judged->results != NULL, "%s", error->message);
}

static const AssayResultClaim *
claim_of (const Judged *judged, guint index)
{
  return judged->results->claims->pdata[index];
}

static const AssayResultHypothesis *
hypothesis_of (const AssayResultClaim *claim, guint index)
{
  return &g_array_index (claim->hypotheses, AssayResultHypothesis, index);
}

#define CLAIMED "[claim c]\nmeasure = epsilon\nat-most = claimed\n"

/* e / (1 + e) = 0.73106, e^2 / (1 + e^2) = 0.88080: the rates of a bit that keeps its epsilon. */
#define EXACT_1 { ASSAY_CELL_OK, 100000, 73106, 26894 }
#define EXACT_2 { ASSAY_CELL_OK, 100000, 88080, 11920 }

Test (judge_epsilon, verdicts)
{
  static const struct {
    Cell cells[CELLS];
    AssayVerdict verdict;
    const char *reason; /* how it begins */
  } cases[] = {
    { { EXACT_1, EXACT_2, EXACT_1, EXACT_2 }, ASSAY_VERDICT_UNREFUTED,
      "attack game against coin epsilon=" },
    /* The second breaks its claim: ln (95 / 5) = 2.94. */
    { { EXACT_1, { ASSAY_CELL_OK, 100000, 95000, 5000 }, EXACT_1,
        { ASSAY_CELL_OK, 100000, 95000, 5000 } },
      ASSAY_VERDICT_VIOLATED, "attack game against coin epsilon=" },
    /* 10 runs certify 0.81 at most: p = (0.025 / 2)^(1/10), ln (p / (1 - p)) = 0.6. */
    { { { ASSAY_CELL_OK, 5, 4, 1 }, EXACT_2, { ASSAY_CELL_OK, 5, 4, 1 }, EXACT_2 },
      ASSAY_VERDICT_INCONCLUSIVE, "underpowered: attack game against coin epsilon=" },
    /* 120 runs could have certified 3.3, but hardly ever show a mechanism of 1.5 to be over 1. */
    { { { ASSAY_CELL_OK, 60, 44, 16 }, EXACT_2, { ASSAY_CELL_OK, 60, 44, 16 }, EXACT_2 },
      ASSAY_VERDICT_INCONCLUSIVE, "underpowered: attack game against coin epsilon=1: epsilon is at "
      "least 0.5966" },
    { { { ASSAY_CELL_CONTROL_FAILED, 100000, 73106, 26894 }, EXACT_2, EXACT_1, EXACT_2 },
      ASSAY_VERDICT_INCONCLUSIVE, "attack game against coin epsilon=" },
    { { EXACT_1, { ASSAY_CELL_ERROR, 0, 0, 0 }, EXACT_1, EXACT_2 },
      ASSAY_VERDICT_INCONCLUSIVE, "attack game against coin epsilon=" },
    /* An event that every output is in could be one of any mechanism. */
    { { { ASSAY_CELL_OK, 100000, 100000, 100000 }, EXACT_2,
        { ASSAY_CELL_OK, 100000, 100000, 100000 }, EXACT_2 },
      ASSAY_VERDICT_INCONCLUSIVE, "attack game against coin epsilon=" },
    /* A little of what is claimed is no more than unrefuted: ln (58 / 42) = 0.32 of 1. */
    { { { ASSAY_CELL_OK, 100000, 58000, 42000 }, EXACT_2,
        { ASSAY_CELL_OK, 100000, 58000, 42000 }, EXACT_2 },
      ASSAY_VERDICT_UNREFUTED, "attack game against coin epsilon=" },
    /* No leak at all: the inputs would not show one, which is no verdict. ln (54 / 46) = 0.16. */
    { { { ASSAY_CELL_OK, 100000, 50000, 50000 }, EXACT_2,
        { ASSAY_CELL_OK, 100000, 49000, 51000 }, EXACT_2 },
      ASSAY_VERDICT_INCONCLUSIVE, "attack game against coin epsilon=1: epsilon is at least 0 " },
    { { { ASSAY_CELL_OK, 100000, 54000, 46000 }, EXACT_2,
        { ASSAY_CELL_OK, 100000, 54000, 46000 }, EXACT_2 },
      ASSAY_VERDICT_INCONCLUSIVE, "attack game against coin epsilon=1: epsilon is at least 0.15" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Judged) judged = { 0 };
    const AssayResultClaim *claim;

    judge (CLAIMED, cases[i].cells, &judged);
    claim = claim_of (&judged, 0);
    cr_expect (claim->verdict == cases[i].verdict, "case %zu: %s, %s", i,
               assay_verdict_name (claim->verdict), claim->reason);
    cr_expect (g_str_has_prefix (claim->reason, cases[i].reason), "case %zu: %s", i, claim->reason);
    cr_expect (claim->witness.is_set == (claim->verdict == ASSAY_VERDICT_VIOLATED));
    cr_expect (claim->hypotheses->len == 2);
  }
}

/* However much it breaks the claim, and whatever other trials say. */
Test (judge_epsilon, runs_that_are_not_independent_decide_nothing)
{
  static const Cell cells[CELLS]
      = { { ASSAY_CELL_OK, 100000, 99000, 1000 }, EXACT_2, EXACT_1, EXACT_2 };
  g_auto (Judged) judged = { 0 };

  dependent = (char *) "the output comes again (lag 500)";
  judge (CLAIMED, cells, &judged);
  dependent = NULL;
  cr_assert (claim_of (&judged, 0)->verdict == ASSAY_VERDICT_INCONCLUSIVE);
  cr_assert (strstr (claim_of (&judged, 0)->reason,
                     "its runs are not independent: the output comes again (lag 500)")
                 != NULL,
             "%s", claim_of (&judged, 0)->reason);
}

/* Counts are added over trials; each cell is held to what its own defense claims; the p-value is
 * the level at which the bound reaches the claim. */
Test (judge_epsilon, numbers_of_a_hypothesis)
{
  static const Cell cells[CELLS] = { { ASSAY_CELL_OK, 1000, 740, 270 }, EXACT_2,
                                     { ASSAY_CELL_OK, 3000, 2200, 800 }, EXACT_2 };
  const double alpha = 0.05 / 2;
  g_auto (Judged) judged = { 0 };
  const AssayResultHypothesis *one, *two;
  double lower;

  judge (CLAIMED, cells, &judged);
  one = hypothesis_of (claim_of (&judged, 0), 0);
  two = hypothesis_of (claim_of (&judged, 0), 1);
  cr_assert (one->bound == 1 && two->bound == 2 && one->delta == 0);
  cr_assert (one->interval.n == 4000 && two->interval.n == 200000);
  lower = log (assay_binomial_lower (2940, 4000, 0.025) / assay_binomial_upper (1070, 4000, 0.025));
  cr_assert_float_eq (one->interval.lower, lower, 1e-12);
  cr_assert_float_eq (one->interval.estimate, log (2940.0 / 1070.0), 1e-12);
  /* p: L at p / 2 over U at p / 2 is e. */
  cr_assert_float_eq (log (assay_binomial_lower (2940, 4000, one->p_violated / 2)
                           / assay_binomial_upper (1070, 4000, one->p_violated / 2)),
                      1, 1e-6);
  cr_assert (one->p_upheld == 1 && one->adjusted_upheld == 1);
  cr_assert_float_eq (one->adjusted_violated,
                      MIN (1, one->p_violated * (one->p_violated < two->p_violated ? 2 : 1)), 1e-9);
  cr_assert_float_eq (one->detectable,
                      log (pow (alpha / 2, 1 / 4000.0) / (1 - pow (alpha / 2, 1 / 4000.0))), 1e-9);
  /* 4,000 runs see 1.5 for sure. */
  cr_assert (one->power > 0.99 && one->power <= 1, "power %g", one->power);
  cr_assert (claim_of (&judged, 0)->verdict == ASSAY_VERDICT_UNREFUTED);
}

/* The witness is the trial that shows most, with its own event, at a level that pays for having
 * looked at two. */
Test (judge_epsilon, witness_is_an_audit)
{
  static const Cell cells[CELLS] = { { ASSAY_CELL_OK, 100000, 80000, 20000 }, EXACT_2,
                                     { ASSAY_CELL_OK, 100000, 90000, 10000 }, EXACT_2 };
  g_auto (Judged) judged = { 0 };
  const AssayResultWitness *witness;

  judge (CLAIMED, cells, &judged);
  witness = &claim_of (&judged, 0)->witness;
  cr_assert (witness->is_set && witness->trial == 1 && witness->audit != NULL);
  cr_assert (witness->audit->pair == 2 && witness->audit->trained_on == 77);
  cr_assert_str_eq (witness->audit->says, "the output is 1");
  cr_assert (witness->audit->counts.hits == 90000 && witness->audit->counts.mistakes == 10000);
  cr_assert_float_eq (witness->outcome,
                      log (assay_binomial_lower (90000, 100000, 0.0125)
                           / assay_binomial_upper (10000, 100000, 0.0125)),
                      1e-12);
}

/* A claim about epsilon costs a claim about a rate nothing where rates are upheld. */
Test (judge_epsilon, a_number_as_the_bound)
{
  static const Cell cells[CELLS] = { EXACT_1, EXACT_2, EXACT_1, EXACT_2 };
  g_auto (Judged) judged = { 0 };

  judge ("[claim c]\nmeasure = epsilon\nat-most = 1.5\n"
         "[claim d]\nmeasure = epsilon\nat-most = 2.5\ndelta = 0\n",
         cells, &judged);
  cr_assert (claim_of (&judged, 0)->verdict == ASSAY_VERDICT_VIOLATED);
  cr_assert (hypothesis_of (claim_of (&judged, 0), 1)->bound == 1.5);
  cr_assert (claim_of (&judged, 1)->verdict == ASSAY_VERDICT_UNREFUTED);
}

/* What a scenario may not say, and what of the message must be there. */
Test (judge_epsilon, bad_scenarios)
{
#define GAUSSIAN "[defense noise]\nplugin = gaussian\nepsilon = 1\ndelta = 1e-6\n"
#define GAME "[attack game]\nplugin = distinguish\n"
  static const struct {
    const char *text;
    const char *message;
  } cases[] = {
    { DEFENSES "[claim c]\nmeasure = epsilon\nat-least = 1\n", "expected at-most" },
    { DEFENSES "[claim c]\nmeasure = epsilon\nat-most = -1\n", "expected a number, 0 to any" },
    { DEFENSES "[claim c]\nmeasure = epsilon\nat-most = claim\n", "expected a number, 0 to any" },
    { DEFENSES CLAIMED "delta = 1e-6\n", "claims pure epsilon" },
    { DEFENSES CLAIMED "delta = 1\n", "expected a number, 0 to below 1" },
    { DEFENSES CLAIMED "delta = x\n", "expected a number, 0 to below 1" },
    { DEFENSES "delta = 1e-6\n" CLAIMED, "defense 'coin' claims pure epsilon" },
    { DEFENSES "delta = 2\n" CLAIMED, "delta" },
    { DEFENSES "[claim c]\nmeasure = recovery-rate\nat-most = 0.1\n", "unknown measure" },
    { DEFENSES "[attack verbatim]\nplugin = verbatim\n"
               "[claim c]\nmeasure = recovery-rate\nat-most = claimed\n",
      "expected a number, because the measure is recovery-rate" },
    { DEFENSES "[attack verbatim]\nplugin = verbatim\n"
               "[claim c]\nmeasure = recovery-rate\nat-most = 0.1\ndelta = 0.1\n",
      "in a claim about epsilon" },
    { DEFENSES "[attack verbatim]\nplugin = verbatim\n" CLAIMED "attack = verbatim\n",
      "is about no cell" },
    { GAUSSIAN GAME CLAIMED "delta = 1e-5\n", "is audited at 1e-06" },
    { GAUSSIAN GAME "[claim c]\nmeasure = epsilon\nat-most = 1\n", "is audited at 1e-06" },
    { GAUSSIAN GAME "delta = 1e-3\n" CLAIMED, "above the 1e-06 that defense 'noise' claims" },
    { DEFENSES CLAIMED "power-at = 1\n", "expected a number above 1" },
    { DEFENSES CLAIMED "power-at = 2.1\n", "at most 2" },
    { DEFENSES CLAIMED "confidence = 0.89\n", "a verdict needs 0.9 or more" },
    { "[defense plain]\nplugin = none\n" GAME, "defense 'none' makes none" },
    { "[defense coin]\nplugin = randomised-response\n[attack game]\nplugin = one-run\n",
      "acts on a whole dataset" },
    { "[defense coin]\nplugin = randomised-response\n[attack game]\nplugin = distinguish\n"
      "tune.training = 1000; 2000\ntune_measure = recovery-rate\n",
      "nothing to tune" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strconcat (HEAD, cases[i].text, NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayPlan) plan = make_plan (text, &error);

    cr_assert (plan == NULL, "case %zu was accepted", i);
    cr_expect (strstr (error->message, cases[i].message) != NULL, "case %zu: %s", i,
               error->message);
  }
}

/* A pair that cannot be played beside one that can is skipped; and what is not played is not
 * measured, so that plans without audits are what they were. */
Test (judge_epsilon, skipped_pairs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan
      = make_plan (HEAD DEFENSES "[defense plain]\nplugin = none\n[attack verbatim]\n"
                                 "plugin = verbatim\n",
                   &error);

  cr_assert (plan != NULL, "%s", error->message);
  cr_assert (plan->skipped->len == 1);
  cr_assert (plan->cells->len == 2 * (2 + 3)); /* game and verbatim on coin, verbatim on plain */
  cr_assert (strstr (plan->canonical, "metric epsilon") != NULL
             && strstr (plan->canonical, "metric recovery-rate") != NULL);
  g_clear_pointer (&plan, assay_plan_free);
  plan = make_plan (HEAD "[defense plain]\nplugin = none\n[attack v]\nplugin = verbatim\n", &error);
  cr_assert (plan != NULL && strstr (plan->canonical, "epsilon") == NULL);
}
