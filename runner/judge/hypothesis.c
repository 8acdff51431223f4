/* One pooled cell under the bound of a claim. */
#include "runner/judge/hypothesis.h"

#include <math.h>

#include "core/base/text.h"
#include "core/stats/bound-range.h"
#include "core/stats/bound-test.h"
#include "core/stats/interval.h"
#include "core/stats/sample.h"
#include "runner/judge/cells.h"
#include "runner/judge/earned/starts.h"
#include "runner/judge/pool.h"
#include "runner/judge/results.h"
#include "runner/plan/claim.h"
#include "runner/store/records.h"

/* Fewer groups than these say too little about others like them. */
#define MIN_GROUPS 10

/* ---- Beyond another attack ----
 *
 * What an attack has of a measure beyond another, on the same secrets of the same release: the
 * paired difference of which a claim with `beyond = ATTACK` speaks. That secrets are hard or easy
 * for both does not count, so that it is known more exactly than either. */

/* The cell of trial 0 of the other attack on the data and the defense that is judged, and its
 * pooled result; FALSE: it was not played there. The pooled cells stand in the order of the plan's
 * cells of trial 0. */
static gboolean
find_other (const AssayQuestion *question, gsize first, gsize *ret_other,
            const AssayResultCell **ret_pooled)
{
  const AssayPlan *plan = question->plan;
  const AssayCell *cell = assay_plan_cell (plan, first);
  guint pooled = 0;

  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *other = assay_plan_cell (plan, i);

    if (other->trial != 0)
      continue;
    if (other->dataset == cell->dataset && other->defense == cell->defense
        && other->attack == question->claim->beyond) {
      *ret_other = i;
      *ret_pooled = question->results->pooled->pdata[pooled];
      return TRUE;
    }
    pooled++;
  }
  return FALSE;
}

/* Why the two cannot be compared; NULL: they can. */
static char *
why_not_beside (const AssayMeasure *measure, const AssayResultCell *other, const AssayPool *pool,
                const AssayPool *beside)
{
  const char *name = other->attack_or_utility->name;

  if (other->status == ASSAY_RESULT_CONTROL_FAILED)
    return g_strdup_printf ("attack %s, beside which it is judged, lost its control", name);
  if (other->status != ASSAY_RESULT_OK)
    return g_strdup_printf ("a cell of attack %s, beside which it is judged, ended in an error "
                            "(%s)",
                            name, other->message);
  if (beside->omitted[measure->series] != NULL)
    return g_strdup_printf ("the measure is left out of attack %s, beside which it is judged (%s)",
                            name, beside->omitted[measure->series]);
  if (!assay_pool_are_paired (pool, beside, measure))
    return g_strdup_printf ("attack %s, beside which it is judged, has outcomes of other units",
                            name);
  return NULL;
}

/* The sample of the differences of @pool, the outcomes of cell @first and its other trials, to
 * those of the attack that the claim names. NULL with @ret_why_not (freed by the caller) where
 * nothing can be said of it. */
static gboolean
sample_beyond (const AssayQuestion *question, gsize first, const AssayPool *pool,
               AssaySample **ret_sample, char **ret_why_not, GError **error)
{
  const AssayPlan *plan = question->plan;
  const AssayClaim *claim = question->claim;
  const AssayResultCell *other = NULL;
  g_autoptr (GArray) indices = NULL;
  AssayPool beside;
  gsize index = 0;
  gboolean is_ok;

  *ret_sample = NULL;
  if (!find_other (question, first, &index, &other)) {
    *ret_why_not = g_strdup_printf ("attack %s, beside which it is judged, was not played there",
                                    assay_plan_component (plan->attacks, claim->beyond)->label);
    return TRUE;
  }
  indices = assay_pool_trials (plan, index);
  is_ok = assay_pool_fill (&beside, plan, question->store, indices, claim->metric, error);
  if (is_ok) {
    *ret_why_not = why_not_beside (claim->measure, other, pool, &beside);
    if (*ret_why_not == NULL)
      *ret_sample = assay_pool_difference (pool, &beside, claim->measure);
  }
  assay_pool_clear (&beside);
  return is_ok;
}

/* ---- One cell ---- */

void
assay_evidence_clear (gpointer data)
{
  assay_sample_free (((AssayEvidence *) data)->sample);
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
why_not (const AssayResults *results, const AssayResultCell *cell, const AssaySample *sample,
         const char *omitted)
{
  const AssayResultUnits *units = assay_result_units (results, cell->dataset);

  if (cell->status == ASSAY_RESULT_CONTROL_FAILED)
    return g_strdup ("the attack lost its control");
  if (cell->is_only_missing)
    return g_strdup (cell->message);
  if (cell->status != ASSAY_RESULT_OK)
    return g_strdup_printf ("a cell ended in an error (%s)", cell->message);
  if (omitted != NULL)
    return g_strdup_printf ("the measure is left out of it (%s)", omitted);
  if (sample == NULL)
    return g_strdup ("the measure does not apply to it");
  if (sample->method == ASSAY_SAMPLE_AUDIT && is_vacuous (&sample->audit))
    return g_strdup ("the attack found no event: the one that it tested is true of every output");
  if (sample->n_groups > 0 && sample->n_groups < MIN_GROUPS && units != NULL && units->says != NULL)
    return g_strdup_printf ("%s; expected %d or more", units->says, MIN_GROUPS);
  if (sample->n_groups > 0 && sample->n_groups < MIN_GROUPS)
    return g_strdup_printf ("its secrets come from %" G_GSIZE_FORMAT " groups, fewer than %d",
                            sample->n_groups, MIN_GROUPS);
  return NULL;
}

static gboolean
is_generic (const AssayPlan *plan, const AssayCell *cell)
{
  const AssayAttack *attack = cell->attack != ASSAY_NO_COMPONENT
                                  ? assay_attack_of (assay_plan_attack (plan, cell)->plugin)
                                  : NULL;

  return attack != NULL && attack->is_generic;
}

/* Why the runs of an audit are not independent, of the first of the cells that says so; NULL in
 * @ret_why: of none of them. */
static gboolean
find_dependence (AssayStore *store, const GArray *indices, char **ret_why, GError **error)
{
  for (guint i = 0; i < indices->len && *ret_why == NULL; i++) {
    g_autoptr (AssayAuditRecord) record = NULL;

    if (!assay_audit_load (store, g_array_index (indices, gsize, i), &record, error))
      return FALSE;
    if (record != NULL && record->dependent != NULL)
      *ret_why = g_strdup_printf ("its runs are not independent: %s", record->dependent);
  }
  return TRUE;
}

/* Other starts of the attack widen the interval, and none of them may speak against that the bound
 * is kept. */
static gboolean
hear_other_starts (const AssayQuestion *question, const GArray *indices,
                   const AssayEvidence *evidence, AssayResultHypothesis *inout_hypothesis,
                   GError **error)
{
  const AssayPlan *plan = question->plan;
  const AssayCell *cell = assay_plan_cell (plan, evidence->first);
  const AssayClaim *claim = question->claim;
  const AssayStartsQuestion starts
      = { .plan = plan,
          .store = question->store,
          .indices = indices,
          .metric = claim->metric,
          .measure = claim->measure,
          .n = assay_plan_starts (
              plan, cell,
              assay_results_settings (plan, cell, inout_hypothesis->cell->attack_or_utility)) };
  g_autoptr (GPtrArray) others = assay_starts_samples (&starts, error);

  if (others == NULL)
    return FALSE;
  if (claim->beyond != ASSAY_NO_COMPONENT) {
    if (others->len > 0 && inout_hypothesis->why_not == NULL)
      inout_hypothesis->why_not = g_strdup (
          "the attack was played with several starts, of which only the chosen one can be compared "
          "with another attack; expected starts = 1");
    return TRUE;
  }
  assay_starts_widen (others, claim->confidence, evidence->stream, &inout_hypothesis->interval);
  for (guint s = 0; inout_hypothesis->why_not == NULL && s < others->len; s++) {
    const AssayBoundTest test
        = assay_bound_test (others->pdata[s], inout_hypothesis->bound, evidence->stream);

    inout_hypothesis->p_upheld
        = MAX (inout_hypothesis->p_upheld, claim->is_at_most ? test.p_below : test.p_above);
  }
  return TRUE;
}

/* Guesses that are reliably wrong are right the other way round: a sign that the attack's own runs
 * of the defense have otherwise than the release, say. That is no evidence of privacy. */
static char *
why_worse_than_chance (const AssayClaim *claim, const AssayInterval *interval)
{
  g_autofree char *estimate = assay_text_percent (interval->estimate);

  if (claim->measure->statistic != ASSAY_STATISTIC_EXCESS || !(interval->upper < 0))
    return NULL;
  return g_strdup_printf ("the attack is wrong more often than by chance, %s [%.3g, %.3g]: the "
                          "release tells something that it reads the wrong way; expected an attack "
                          "that knows pairs of this very release",
                          estimate, 100 * interval->lower, 100 * interval->upper);
}

gboolean
assay_claim_wants_little (const AssayResultClaim *claim)
{
  return claim->is_at_most == claim->measure->higher_is_worse;
}

/* What the cells measured, with its interval, and whether it can decide anything. */
static gboolean
gather (const AssayQuestion *question, const AssayResultCell *cell, const GArray *indices,
        AssayResultHypothesis *hypothesis, AssayEvidence *evidence, GError **error)
{
  const AssayPlan *plan = question->plan;
  const AssayClaim *claim = question->claim;
  AssayPool pool;
  gboolean is_ok = assay_pool_fill (&pool, plan, question->store, indices, claim->metric, error);

  if (is_ok) {
    if (claim->beyond != ASSAY_NO_COMPONENT)
      is_ok = sample_beyond (question, evidence->first, &pool, &evidence->sample,
                             &hypothesis->why_not, error);
    else
      evidence->sample = assay_pool_sample (&pool, claim->measure);
    if (hypothesis->why_not == NULL)
      hypothesis->why_not = why_not (question->results, cell, evidence->sample,
                                     pool.omitted[claim->measure->series]);
    evidence->is_beside_the_point = cell->status == ASSAY_RESULT_OK && evidence->sample == NULL
                                    && pool.omitted[claim->measure->series] == NULL
                                    && is_generic (plan, assay_plan_cell (plan, evidence->first))
                                    && assay_claim_wants_little (question->result);
    if (hypothesis->why_not == NULL && evidence->sample->method == ASSAY_SAMPLE_AUDIT)
      is_ok = find_dependence (question->store, indices, &hypothesis->why_not, error);
  }
  assay_pool_clear (&pool);
  if (!is_ok)
    return FALSE;
  if (evidence->sample != NULL)
    hypothesis->interval
        = assay_sample_interval (evidence->sample, claim->confidence, evidence->stream);
  if (evidence->sample != NULL && hypothesis->why_not == NULL
      && assay_claim_wants_little (question->result))
    hypothesis->why_not = why_worse_than_chance (claim, &hypothesis->interval);
  if (evidence->sample != NULL && evidence->sample->method == ASSAY_SAMPLE_AUDIT)
    hypothesis->delta = evidence->sample->audit.delta;
  return TRUE;
}

void
assay_hypothesis_range (AssayResultClaim *inout_result, const GArray *evidence, guint n_hypotheses)
{
  const double alpha = (1 - inout_result->confidence) / n_hypotheses;
  AssayResultHypothesis *one;
  const AssayEvidence *own;
  AssayBoundRange range;

  if (inout_result->decisive < 0)
    return;
  one = &g_array_index (inout_result->hypotheses, AssayResultHypothesis, inout_result->decisive);
  own = &g_array_index (evidence, AssayEvidence, inout_result->decisive);
  if (one->test != NULL || one->why_not != NULL || own->sample == NULL || one->cell->n_starts > 1)
    return;
  range = assay_bound_range (own->sample, alpha, own->stream);
  one->test = assay_bound_test_name (own->sample);
  one->test_lower = range.lower;
  one->test_upper = range.upper;
}

gboolean
assay_hypothesis_test (const AssayQuestion *question, const AssayResultCell *cell, gsize first,
                       AssayResultHypothesis *ret_hypothesis, AssayEvidence *ret_evidence,
                       GError **error)
{
  const AssayPlan *plan = question->plan;
  const AssayClaim *claim = question->claim;
  const AssayComponent *metric
      = assay_plan_measuring (plan, assay_plan_cell (plan, first), claim->metric);
  g_autoptr (GArray) indices = assay_pool_trials (plan, first);
  g_autofree char *attack = assay_settings_canonical (
      assay_results_settings (plan, assay_plan_cell (plan, first), cell->attack_or_utility));
  /* The stream of the pooled measurement (cells.c): a number has one interval. */
  g_autofree char *upstream
      = g_strdup_printf ("%s%s\n%s", attack, metric->canonical, claim->measure->name);
  AssayEvidence evidence = { .first = first,
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
          .test_lower = NAN,
          .test_upper = NAN,
          .detectable = NAN,
          .units_needed = NAN,
          .power = NAN,
          .power_at = NAN };
  if (!gather (question, cell, indices, &hypothesis, &evidence, error))
    return FALSE;
  if (hypothesis.why_not == NULL) {
    const AssayBoundTest test
        = assay_bound_test (evidence.sample, hypothesis.bound, evidence.stream);

    hypothesis.p_violated = claim->is_at_most ? test.p_above : test.p_below;
    hypothesis.p_upheld = claim->is_at_most ? test.p_below : test.p_above;
    hypothesis.lacks_evidence = assay_result_lacks_control (cell) || cell->lost_shape.n > 0
                                || assay_result_short_reach (cell) != NULL;
    if (hypothesis.lacks_evidence)
      *(assay_claim_wants_little (question->result) ? &hypothesis.p_upheld : &hypothesis.p_violated)
          = 1;
  }
  *ret_hypothesis = hypothesis;
  *ret_evidence = evidence;
  return hear_other_starts (question, indices, &evidence, ret_hypothesis, error);
}
