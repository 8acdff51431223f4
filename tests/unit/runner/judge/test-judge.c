/* Verdicts on stores that are written by hand: what cells without a good end do to a claim. */
#include <criterion/criterion.h>
#include <math.h>
#include <glib/gstdio.h>

#include "core/data/npy.h"
#include "runner/judge/load.h"
#include "runner/plan/planner.h"
#include "runner/store/outcomes.h"
#include "runner/store/seal.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/find-measurement.h"

static char *folder;

static void
set_up (void)
{
  g_autofree char *path = NULL;
  g_autoptr (AssayArray) array = assay_array_take_matrix (fixture_normal (200, 8, 1));

  folder = fixture_folder ();
  path = g_build_filename (folder, "private.npy", NULL);
  cr_assert (assay_npy_write (path, array, NULL));
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (judge, .init = set_up, .fini = tear_down);

enum { SECRETS = 50, CELLS = 4 };

/* Cells: trial 0 against a and b, trial 1 against a and b. */
#define SCENARIO                                                                                   \
  "[scenario]\ntrials = 2\n[dataset]\nplugin = vectors\nprivate = private.npy\nsecrets = 50\n"     \
  "[defense a]\nplugin = none\n[defense b]\nplugin = none\n[attack v]\nplugin = verbatim\n"

typedef struct {
  AssayCellStatus status;
  double share; /* of the secrets that were recovered: the last ones */
} Cell;

/* Why adversarial-all-found is left out of a cell; NULL: adversarial-found does not apply there. */
static const char *omitted[CELLS];

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

/* Outcomes of every rate; errors of 0 for what was recovered, of 1 for the rest. */
static void
finish_cell (const AssayPlan *plan, AssayStore *store, gsize index, const Cell *cell)
{
  const AssayCellRecord record
      = { .status = cell->status, .message = (char *) "", .seconds = 1 };
  AssayOutcomes outcomes[32] = { 0 };
  double values[2][SECRETS];
  gboolean is_crashed = FALSE;

  cr_assert (plan->metrics->len <= G_N_ELEMENTS (outcomes));
  cr_assert (assay_store_begin_cell (store, index, &is_crashed, NULL) && !is_crashed);
  for (gsize i = 0; i < SECRETS; i++) {
    values[0][i] = (double) i >= SECRETS * (1 - cell->share);
    values[1][i] = 1 - values[0][i];
  }
  for (guint m = 0; m < plan->metrics->len && cell->status != ASSAY_CELL_ERROR; m++) {
    const char *id = assay_plan_component (plan->metrics, m)->plugin->id;

    if (g_str_equal (id, "recovery-rate") || g_str_equal (id, "relative-error"))
      outcomes[m] = (AssayOutcomes){
        .n = SECRETS, .series = { values[g_str_equal (id, "relative-error")], values[0] }
      };
    else if (g_str_equal (id, "adversarial-found") && omitted[index] != NULL)
      outcomes[m] = (AssayOutcomes){ .n = SECRETS,
                                     .series = { values[0] },
                                     .omitted = { NULL, (char *) omitted[index] } };
  }
  cr_assert (assay_store_finish_cell (
      store, index, &record, &(AssayMeasured){ outcomes, plan->metrics->len, NULL }, NULL));
}

static void
judge (const char *claims, const Cell *cells, Judged *ret_judged)
{
  const AssayPlanOptions options = { 0 };
  g_autofree char *text = g_strconcat (SCENARIO, claims, NULL);
  g_autofree char *path = fixture_write (folder, "a.scenario", text);
  g_autofree char *own = g_build_filename (folder, "run.sqlite", NULL);
  GError *error = NULL;

  g_unlink (own);
  ret_judged->plan = assay_plan_new (path, &options, &error);
  cr_assert (ret_judged->plan != NULL, "%s", error->message);
  cr_assert (ret_judged->plan->cells->len == CELLS);
  ret_judged->store = assay_store_open (folder, TRUE, &error);
  cr_assert (ret_judged->store != NULL, "%s", error->message);
  cr_assert (assay_seal_set (ret_judged->store, ret_judged->plan, &error));
  for (gsize i = 0; i < CELLS; i++)
    if (cells[i].status != ASSAY_CELL_PENDING)
      finish_cell (ret_judged->plan, ret_judged->store, i, &cells[i]);
  ret_judged->results = assay_results_load (ret_judged->plan, ret_judged->store, &error);
  cr_assert (ret_judged->results != NULL, "%s", error->message);
}

static const AssayResultClaim *
claim_of (const Judged *judged, guint index)
{
  return judged->results->claims->pdata[index];
}

#define AT_MOST "[claim c]\nmeasure = recovery-rate\nat-most = 0.2\n"

/* What one bad cell does to a claim about it and a good one. */
Test (judge, cells_without_a_good_end)
{
  static const struct {
    Cell cells[CELLS];
    AssayVerdict verdict;
    const char *reason; /* how it begins */
  } cases[] = {
    { { { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 } },
      ASSAY_VERDICT_INCONCLUSIVE, "attack v takes what is released for the secret" },
    { { { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 },
        { ASSAY_CELL_CONTROL_FAILED, 0 } },
      ASSAY_VERDICT_INCONCLUSIVE, "attack v against b: the attack lost its control" },
    { { { ASSAY_CELL_CONTROL_FAILED, 1 }, { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_CONTROL_FAILED, 1 },
        { ASSAY_CELL_OK, 0 } },
      ASSAY_VERDICT_INCONCLUSIVE, "attack v against a: the attack lost its control" },
    { { { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_ERROR, 0 }, { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 } },
      ASSAY_VERDICT_INCONCLUSIVE,
      "attack v against b: a cell ended in an error (1 of 2 trials did not end well" },
    { { { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_ERROR, 0 }, { ASSAY_CELL_OK, 0 },
        { ASSAY_CELL_ERROR, 0 } },
      ASSAY_VERDICT_INCONCLUSIVE,
      "attack v against b: a cell ended in an error (2 of 2 trials did not end well" },
    { { { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_CRASHED, 0 },
        { ASSAY_CELL_OK, 0 } },
      ASSAY_VERDICT_INCONCLUSIVE,
      "attack v against a: a cell ended in an error (1 of 2 trials did not end well" },
    { { { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_PENDING, 0 },
        { ASSAY_CELL_OK, 0 } },
      ASSAY_VERDICT_INCONCLUSIVE,
      "attack v against a: 1 of 2 trials were not run" },
    { { { ASSAY_CELL_OK, 1 }, { ASSAY_CELL_ERROR, 0 }, { ASSAY_CELL_OK, 1 },
        { ASSAY_CELL_CONTROL_FAILED, 0 } },
      ASSAY_VERDICT_VIOLATED,
      "attack v against a: recovery-rate is 100 % [96.38, 100] of n = 100 with tau=0.3, the "
      "claim says at most 20 %" },
    /* Half of trial 0 and none of trial 1: pooled, the rate is 0.25, of which nobody can say. */
    { { { ASSAY_CELL_OK, 0.5 }, { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 } },
      ASSAY_VERDICT_INCONCLUSIVE,
      "underpowered: attack v against a: recovery-rate is 25 % [16.88, 34.66] of n = 100 with "
      "tau=0.3, the claim says at most 20 %; about " },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Judged) judged = { 0 };
    const AssayResultClaim *claim;

    judge (AT_MOST, cases[i].cells, &judged);
    claim = claim_of (&judged, 0);
    cr_expect (claim->verdict == cases[i].verdict, "case %zu: %s", i,
               assay_verdict_name (claim->verdict));
    cr_expect (g_str_has_prefix (claim->reason, cases[i].reason), "case %zu: %s", i, claim->reason);
    cr_expect (claim->witness.is_set == (claim->verdict == ASSAY_VERDICT_VIOLATED));
    cr_expect (claim->hypotheses->len == 2);
  }
}

/* What is left out pays nothing and reports nothing that could be read as a result. */
Test (judge, excluded_cells_do_not_count_for_holm)
{
  static const Cell cells[CELLS] = { { ASSAY_CELL_OK, 0.12 }, { ASSAY_CELL_ERROR, 0 },
                                     { ASSAY_CELL_OK, 0.12 }, { ASSAY_CELL_ERROR, 0 } };
  g_auto (Judged) judged = { 0 };
  const AssayResultHypothesis *good, *bad;

  judge (AT_MOST, cells, &judged);
  good = &g_array_index (claim_of (&judged, 0)->hypotheses, AssayResultHypothesis, 0);
  bad = &g_array_index (claim_of (&judged, 0)->hypotheses, AssayResultHypothesis, 1);
  cr_assert (good->adjusted_upheld == good->p_upheld && good->p_upheld < 0.05);
  cr_assert (bad->p_upheld == 1 && bad->adjusted_upheld == 1 && bad->p_violated == 1
             && bad->adjusted_violated == 1);
  cr_assert (isnan (bad->interval.estimate) && isnan (bad->detectable)
             && isnan (bad->units_needed) && bad->interval.n == 0);
}

/* A measure that no cell has decides nothing: no database, no adversarial rows. */
Test (judge, a_measure_that_does_not_apply)
{
  static const Cell cells[CELLS] = { { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 },
                                     { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 } };
  g_auto (Judged) judged = { 0 };

  judge ("[claim c]\nmeasure = adversarial-found\nat-most = 0.2\n", cells, &judged);
  cr_assert (claim_of (&judged, 0)->verdict == ASSAY_VERDICT_INCONCLUSIVE);
  cr_assert_str_eq (claim_of (&judged, 0)->reason,
                    "attack v against a: the measure does not apply to it");
  cr_assert (claim_of (&judged, 0)->decisive == -1);
}

/* A series that one trial lacks is lacking: the other trial alone would be a choice. What is
 * measured beside it stays, and reports say what is left out. */
Test (judge, a_series_that_was_left_out)
{
  static const Cell cells[CELLS]
      = { { ASSAY_CELL_OK, 1 }, { ASSAY_CELL_OK, 1 }, { ASSAY_CELL_OK, 1 }, { ASSAY_CELL_OK, 1 } };
  g_auto (Judged) judged = { 0 };
  const AssayResultCell *pooled;

  omitted[0] = omitted[1] = "too few of them";
  omitted[2] = "none at all";
  judge ("[claim c]\nmeasure = adversarial-all-found\nat-most = 0.2\n"
         "[claim d]\nmeasure = adversarial-found\nat-most = 0.2\n",
         cells, &judged);
  cr_assert (claim_of (&judged, 0)->verdict == ASSAY_VERDICT_INCONCLUSIVE);
  cr_assert_str_eq (claim_of (&judged, 0)->reason,
                    "attack v against a: the measure is left out of it (too few of them)");
  cr_assert (claim_of (&judged, 1)->verdict == ASSAY_VERDICT_VIOLATED, "%s",
             claim_of (&judged, 1)->reason);
  pooled = judged.results->pooled->pdata[0];
  cr_assert (find_measurement (pooled, "adversarial-all-found") == NULL);
  cr_assert_eq (find_measurement (pooled, "adversarial-found")->interval.n, 2 * SECRETS);
  cr_assert_eq (pooled->omitted->len, 1);
  cr_assert_str_eq (pooled->omitted->pdata[0],
                    "adversarial-all-found is left out: too few of them");
}

/* Each claim is compared with its own confidence. 28 of 100 at 0.2: P (X >= 28) = 0.034, twice
 * that after correction. */
Test (judge, every_claim_has_its_confidence)
{
  static const Cell cells[CELLS] = { { ASSAY_CELL_OK, 0.28 }, { ASSAY_CELL_OK, 0 },
                                     { ASSAY_CELL_OK, 0.28 }, { ASSAY_CELL_OK, 0 } };
  g_auto (Judged) judged = { 0 };

  judge (AT_MOST "defense = a\nconfidence = 0.9\n"
                 "[claim d]\nmeasure = recovery-rate\nat-most = 0.2\ndefense = a\n",
         cells, &judged);
  cr_assert (claim_of (&judged, 0)->verdict == ASSAY_VERDICT_VIOLATED, "%s",
             claim_of (&judged, 0)->reason);
  cr_assert (claim_of (&judged, 1)->verdict == ASSAY_VERDICT_INCONCLUSIVE, "%s",
             claim_of (&judged, 1)->reason);
}

/* The witness is the secret that is worst, in the trial where it was: the first that was recovered
 * for a rate, the smallest error for a median. */
Test (judge, witness_is_the_worst_secret)
{
  static const Cell cells[CELLS] = { { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0 },
                                     { ASSAY_CELL_OK, 1 }, { ASSAY_CELL_OK, 0.9 } };
  static const Cell most[CELLS] = { { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0.8 },
                                    { ASSAY_CELL_OK, 0 }, { ASSAY_CELL_OK, 0.9 } };
  g_auto (Judged) judged = { 0 };
  const AssayResultWitness *witness;

  judge (AT_MOST "defense = b\n", cells, &judged);
  witness = &claim_of (&judged, 0)->witness;
  cr_assert (witness->is_set && witness->trial == 1 && witness->secret == 5
             && witness->outcome == 1, "trial %d, secret %d", (int) witness->trial,
             (int) witness->secret);
  judged_clear (&judged);
  judge ("[claim c]\nmeasure = relative-error-median\nat-least = 0.5\n", most, &judged);
  witness = &claim_of (&judged, 0)->witness;
  cr_assert (witness->is_set && witness->trial == 0 && witness->secret == 10
             && witness->outcome == 0, "trial %d, secret %d", (int) witness->trial,
             (int) witness->secret);
}
