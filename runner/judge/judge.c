/* Judging the claims of a scenario. */
#include "runner/judge/judge.h"

#include <math.h>

#include "core/stats/bound-test.h"
#include "core/stats/epsilon.h"
#include "core/stats/interval.h"
#include "runner/judge/cells.h"
#include "runner/judge/pool.h"
#include "runner/judge/reason.h"
#include "runner/plan/claim.h"
#include "runner/plan/fit.h"

/* Fewer groups than these say too little about others like them. */
#define MIN_GROUPS 10

typedef struct {
  const AssayResults *results;
  const AssayPlan *plan;
  AssayStore *store;
} Judging;

/* ---- Hypotheses ---- */

/* Where a hypothesis comes from, for the second look after Holm. */
typedef struct {
  AssaySample *sample; /* NULL: nothing was measured */
  AssayStreamKey stream;
  gsize first; /* the plan's cell of trial 0 */
} Evidence;

static void
evidence_clear (gpointer data)
{
  assay_sample_free (((Evidence *) data)->sample);
}

/* An event that all runs of both inputs have would be one of any mechanism. */
static gboolean
is_vacuous (const AssayAudit *audit)
{
  return audit->kind == ASSAY_AUDIT_TWO_INPUTS && audit->hits == audit->runs
         && audit->mistakes == audit->runs;
}

/* Why a pooled cell decides nothing, or NULL. */
static char *
why_not (const AssayResultCell *cell, const AssaySample *sample, const char *omitted)
{
  if (cell->status == ASSAY_RESULT_CONTROL_FAILED)
    return g_strdup ("the attack lost its control");
  if (cell->status != ASSAY_RESULT_OK)
    return g_strdup_printf ("a cell ended in an error (%s)", cell->message);
  if (omitted != NULL)
    return g_strdup_printf ("the measure is left out of it (%s)", omitted);
  if (sample == NULL)
    return g_strdup ("the measure does not apply to it");
  if (sample->method == ASSAY_SAMPLE_AUDIT && is_vacuous (&sample->audit))
    return g_strdup ("the attack found no event: the one that it tested is true of every output");
  if (sample->n_groups > 0 && sample->n_groups < MIN_GROUPS)
    return g_strdup_printf ("its secrets come from %" G_GSIZE_FORMAT " groups, fewer than %d",
                            sample->n_groups, MIN_GROUPS);
  return NULL;
}

/* Whether the claim would be upheld by how little an attack recovered, and not by how much. */
static gboolean
wants_little (const AssayResultClaim *claim)
{
  return claim->is_at_most == claim->measure->higher_is_worse;
}

/* The test of one pooled cell, before any correction. */
static gboolean
test_cell (const Judging *judging, const AssayClaim *claim, const AssayResultClaim *result,
           const AssayResultCell *cell, gsize first, AssayResultHypothesis *ret_hypothesis,
           Evidence *ret_evidence, GError **error)
{
  const AssayPlan *plan = judging->plan;
  const AssayComponent *metric
      = assay_plan_measuring (plan, assay_plan_cell (plan, first), claim->metric);
  g_autoptr (GArray) indices = assay_pool_trials (plan, first);
  g_autofree char *attack = assay_settings_canonical (
      assay_results_settings (plan, assay_plan_cell (plan, first), cell->attack_or_utility));
  /* The stream of the pooled measurement (cells.c): a figure has one interval. */
  g_autofree char *upstream
      = g_strdup_printf ("%s%s\n%s", attack, metric->canonical, claim->measure->name);
  Evidence evidence = { .first = first,
                        .stream = assay_plan_stream (plan, assay_plan_cell (plan, first),
                                                     "metric-pooled", upstream) };
  AssayResultHypothesis hypothesis
      = { .cell = cell,
          .bound = assay_claim_bound (plan, claim, assay_plan_cell (plan, first)),
          .interval = { .estimate = NAN, .lower = NAN, .upper = NAN },
          .p_violated = 1,
          .adjusted_violated = 1,
          .p_upheld = 1,
          .adjusted_upheld = 1,
          .detectable = NAN,
          .units_needed = NAN,
          .power = NAN };
  AssayPool pool;
  const gboolean is_ok
      = assay_pool_fill (&pool, plan, judging->store, indices, claim->metric, error);

  if (is_ok) {
    evidence.sample = assay_pool_sample (&pool, claim->measure);
    hypothesis.why_not = why_not (cell, evidence.sample, pool.omitted[claim->measure->series]);
  }
  assay_pool_clear (&pool);
  if (!is_ok)
    return FALSE;
  if (evidence.sample != NULL)
    hypothesis.interval
        = assay_sample_interval (evidence.sample, claim->confidence, evidence.stream);
  if (evidence.sample != NULL && evidence.sample->method == ASSAY_SAMPLE_AUDIT)
    hypothesis.delta = evidence.sample->audit.delta;
  if (hypothesis.why_not == NULL) {
    const AssayBoundTest test
        = assay_bound_test (evidence.sample, hypothesis.bound, evidence.stream);

    hypothesis.p_violated = claim->is_at_most ? test.p_above : test.p_below;
    hypothesis.p_upheld = claim->is_at_most ? test.p_below : test.p_above;
    hypothesis.lacks_evidence
        = assay_result_lacks_control (cell) || assay_result_short_reach (cell) != NULL;
    if (hypothesis.lacks_evidence)
      *(wants_little (result) ? &hypothesis.p_upheld : &hypothesis.p_violated) = 1;
  }
  *ret_hypothesis = hypothesis;
  *ret_evidence = evidence;
  return TRUE;
}

/* Every pooled cell that the claim selects. The pooled cells stand in the order of the plan's cells
 * of trial 0. */
static gboolean
test_claim (const Judging *judging, const AssayClaim *claim, AssayResultClaim *result,
            GArray *evidence, GError **error)
{
  const AssayPlan *plan = judging->plan;
  guint pooled = 0;

  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);
    const AssayResultCell *of;
    AssayResultHypothesis hypothesis;
    Evidence own;

    if (cell->trial != 0)
      continue;
    of = judging->results->pooled->pdata[pooled++];
    if (!assay_claim_selects (plan, claim, cell,
                              assay_results_settings (plan, cell, of->attack_or_utility)))
      continue;
    if (!test_cell (judging, claim, result, of, i, &hypothesis, &own, error))
      return FALSE;
    g_array_append_val (result->hypotheses, hypothesis);
    g_array_append_val (evidence, own);
  }
  return TRUE;
}

/* ---- Correction ---- */

/* Hypotheses that can decide something. Epsilon is never upheld, so claims about it cost nothing
 * there. */
static GPtrArray *
collect (const GPtrArray *claims, gboolean is_upheld)
{
  GPtrArray *all = g_ptr_array_new ();

  for (guint c = 0; c < claims->len; c++) {
    const AssayResultClaim *claim = claims->pdata[c];

    if (is_upheld && claim->measure->is_epsilon)
      continue;
    for (guint h = 0; h < claim->hypotheses->len; h++) {
      AssayResultHypothesis *one = &g_array_index (claim->hypotheses, AssayResultHypothesis, h);

      if (one->why_not == NULL && !(one->lacks_evidence && wants_little (claim) == is_upheld))
        g_ptr_array_add (all, one);
    }
  }
  return all;
}

static void
correct (const GPtrArray *claims, gboolean is_upheld)
{
  g_autoptr (GPtrArray) all = collect (claims, is_upheld);
  g_autofree double *p = g_new (double, all->len + 1);
  g_autofree double *adjusted = g_new (double, all->len + 1);

  for (guint i = 0; i < all->len; i++) {
    const AssayResultHypothesis *one = all->pdata[i];

    p[i] = is_upheld ? one->p_upheld : one->p_violated;
  }
  assay_holm (p, all->len, adjusted);
  for (guint i = 0; i < all->len; i++) {
    AssayResultHypothesis *one = all->pdata[i];

    *(is_upheld ? &one->adjusted_upheld : &one->adjusted_violated) = adjusted[i];
  }
}

/* What Holm's order begins with: its first hypothesis has to reach alpha divided by this. */
static guint
count_hypotheses (const GPtrArray *claims)
{
  guint count = 0;

  for (guint c = 0; c < claims->len; c++)
    count += ((const AssayResultClaim *) claims->pdata[c])->hypotheses->len;
  return MAX (count, 1);
}

/* Of an audit by the tight event of pair 0: the chance of a bound above the claim's, if the
 * mechanism leaked half as much again. NAN where its density is not known, or not at this delta,
 * and of a claim that nothing leaks, of which half as much again is nothing. */
static double
power_of (const AssayPlan *plan, const AssayResultHypothesis *hypothesis, const Evidence *own,
          double alpha)
{
  const AssayAudit *audit = &own->sample->audit;
  const AssayMechanism *mechanism;
  AssayOracle oracle;
  double first, second;

  if (own->sample->method != ASSAY_SAMPLE_AUDIT || audit->kind != ASSAY_AUDIT_TWO_INPUTS
      || hypothesis->bound == 0)
    return NAN;
  oracle = assay_plan_oracle (plan, assay_plan_cell (plan, own->first));
  mechanism = oracle.mechanism;
  if (mechanism->tight_event == NULL || oracle.claimed.delta != audit->delta
      || (mechanism->has_density != NULL && !mechanism->has_density (oracle.settings)))
    return NAN;
  mechanism->tight_event (oracle.settings, oracle.cols, ASSAY_POWER_AT * hypothesis->bound, &first,
                          &second);
  return assay_epsilon_power (audit->runs, first, second, audit->delta, hypothesis->bound, alpha);
}

static void
look_ahead (const AssayPlan *plan, AssayResultClaim *result, const GArray *evidence,
            guint n_hypotheses)
{
  const double alpha = (1 - result->confidence) / n_hypotheses;

  for (guint h = 0; h < result->hypotheses->len; h++) {
    AssayResultHypothesis *hypothesis
        = &g_array_index (result->hypotheses, AssayResultHypothesis, h);
    const Evidence *own = &g_array_index (evidence, Evidence, h);

    if (hypothesis->why_not != NULL)
      continue;
    hypothesis->detectable = assay_bound_detectable (own->sample, hypothesis->bound,
                                                     result->is_at_most, alpha, own->stream);
    hypothesis->units_needed
        = assay_bound_units_needed (own->sample, hypothesis->bound, alpha, own->stream);
    hypothesis->power = power_of (plan, hypothesis, own, alpha);
  }
}

/* ---- Verdicts ---- */

/* Index of the hypothesis with the smallest (or, of @adjusted_upheld, the largest) p-value. */
static gint
find_extreme (const GArray *hypotheses, gboolean is_violated)
{
  gint best = -1;

  for (guint h = 0; h < hypotheses->len; h++) {
    const AssayResultHypothesis *one = &g_array_index (hypotheses, AssayResultHypothesis, h);
    const AssayResultHypothesis *other
        = best >= 0 ? &g_array_index (hypotheses, AssayResultHypothesis, best) : NULL;

    if (one->why_not != NULL)
      continue;
    if (other == NULL
        || (is_violated ? one->p_violated < other->p_violated : one->p_upheld > other->p_upheld))
      best = (gint) h;
  }
  return best;
}

/* The claim would be upheld by the little that an attack recovered which has no control, or saw a
 * part only of what it was given: that is no evidence, and makes it inconclusive. */
static gboolean
is_silence (AssayResultClaim *result)
{
  for (guint h = 0; wants_little (result) && h < result->hypotheses->len; h++) {
    const AssayResultHypothesis *one
        = &g_array_index (result->hypotheses, AssayResultHypothesis, h);

    if (one->lacks_evidence) {
      result->decisive = (gint) h;
      result->reason = assay_reason_silent (result, one);
      return TRUE;
    }
  }
  return FALSE;
}

/* The first hypothesis that decides nothing makes its claim inconclusive. */
static gboolean
is_excluded (AssayResultClaim *result)
{
  for (guint h = 0; h < result->hypotheses->len; h++) {
    const AssayResultHypothesis *one
        = &g_array_index (result->hypotheses, AssayResultHypothesis, h);

    if (one->why_not != NULL) {
      result->reason = assay_reason_excluded (one);
      return TRUE;
    }
  }
  return FALSE;
}

/* The audit that would have seen least: of least power where that is known, otherwise whose ceiling
 * is lowest over its claim. */
static const AssayResultHypothesis *
find_blindest (const GArray *hypotheses)
{
  const AssayResultHypothesis *least = NULL;

  for (guint h = 0; h < hypotheses->len; h++) {
    const AssayResultHypothesis *one = &g_array_index (hypotheses, AssayResultHypothesis, h);

    if (least == NULL || (isfinite (one->power) && !isfinite (least->power))
        || (isfinite (one->power) == isfinite (least->power)
            && (isfinite (one->power)
                    ? one->power < least->power
                    : one->detectable - one->bound < least->detectable - least->bound)))
      least = one;
  }
  return least;
}

/* Not violated: a claim about epsilon is unrefuted if every audit could have refuted it. */
static void
decide_epsilon (AssayResultClaim *result, const GArray *evidence, guint n_hypotheses)
{
  const double alpha = (1 - result->confidence) / n_hypotheses;

  for (guint h = 0; h < result->hypotheses->len; h++) {
    const AssayResultHypothesis *one
        = &g_array_index (result->hypotheses, AssayResultHypothesis, h);

    if (one->detectable > one->bound)
      continue;
    result->decisive = (gint) h;
    result->reason = assay_reason_ceiling (
        result, one, &g_array_index (evidence, Evidence, h).sample->audit, alpha);
    return;
  }
  if (result->decisive < 0)
    return;
  result->verdict = ASSAY_VERDICT_UNREFUTED;
  result->reason = assay_reason_unrefuted (
      result, &g_array_index (result->hypotheses, AssayResultHypothesis, result->decisive),
      find_blindest (result->hypotheses), n_hypotheses);
}

/* Not violated: upheld if every cell is, otherwise the weakest of them says what is lacking. */
static void
decide_upheld (AssayResultClaim *result, const GArray *evidence, guint n_hypotheses)
{
  const gint weakest = find_extreme (result->hypotheses, FALSE);
  const AssayResultHypothesis *one;

  if (weakest < 0)
    return;
  one = &g_array_index (result->hypotheses, AssayResultHypothesis, weakest);
  result->decisive = weakest;
  if (one->adjusted_upheld < 1 - result->confidence) {
    result->verdict = ASSAY_VERDICT_UPHELD;
    result->reason = assay_reason_decided (result, one);
    return;
  }
  result->reason = assay_reason_undecided (
      result, one, g_array_index (evidence, Evidence, weakest).sample, n_hypotheses);
}

static void
decide (AssayResultClaim *result, const GArray *evidence, guint n_hypotheses)
{
  const gint worst = find_extreme (result->hypotheses, TRUE);

  result->decisive = worst;
  if (worst >= 0) {
    const AssayResultHypothesis *one
        = &g_array_index (result->hypotheses, AssayResultHypothesis, worst);

    if (one->adjusted_violated < 1 - result->confidence) {
      result->verdict = ASSAY_VERDICT_VIOLATED;
      result->reason = assay_reason_decided (result, one);
      return;
    }
  }
  result->verdict = ASSAY_VERDICT_INCONCLUSIVE;
  if (is_excluded (result) || is_silence (result))
    return;
  if (result->measure->is_epsilon)
    decide_epsilon (result, evidence, n_hypotheses);
  else
    decide_upheld (result, evidence, n_hypotheses);
  if (result->reason == NULL)
    result->reason = g_strdup ("no cell of it was measured");
}

gboolean
assay_judge (AssayResults *results, const AssayPlan *plan, AssayStore *store, GError **error)
{
  const Judging judging = { results, plan, store };
  const GPtrArray *claims = results->claims;
  g_autoptr (GPtrArray) evidence = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  guint n_hypotheses;

  for (guint c = 0; c < claims->len; c++) {
    GArray *own = g_array_new (FALSE, TRUE, sizeof (Evidence));

    g_array_set_clear_func (own, evidence_clear);
    g_ptr_array_add (evidence, own);
    if (!test_claim (&judging, plan->claims->pdata[c], claims->pdata[c], own, error))
      return FALSE;
  }
  correct (claims, FALSE);
  correct (claims, TRUE);
  n_hypotheses = count_hypotheses (claims);
  for (guint c = 0; c < claims->len; c++) {
    AssayResultClaim *result = claims->pdata[c];
    const GArray *own = evidence->pdata[c];

    look_ahead (plan, result, own, n_hypotheses);
    decide (result, own, n_hypotheses);
    if (result->verdict == ASSAY_VERDICT_VIOLATED) {
      const AssayWitnessSearch search
          = { .results = results,
              .plan = plan,
              .store = store,
              .claim = plan->claims->pdata[c],
              .first = g_array_index (own, Evidence, result->decisive).first };

      if (!assay_witness_find (&search, result, error))
        return FALSE;
    }
  }
  return TRUE;
}
