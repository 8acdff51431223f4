/* Judging the claims of a scenario. */
#include "runner/judge.h"

#include <math.h>

#include "core/bound-test.h"
#include "core/text.h"
#include "runner/claim.h"
#include "runner/pool.h"

/* Fewer groups than these say too little about others like them. */
#define LEAST_GROUPS 10

const char *
assay_verdict_name (AssayVerdict verdict)
{
  static const char *const names[] = {
    [ASSAY_VERDICT_UPHELD] = "upheld",
    [ASSAY_VERDICT_VIOLATED] = "violated",
    [ASSAY_VERDICT_UNREFUTED] = "unrefuted",
    [ASSAY_VERDICT_INCONCLUSIVE] = "inconclusive",
  };

  return names[verdict];
}

static void
hypothesis_clear (gpointer data)
{
  g_free (((AssayResultHypothesis *) data)->why_not);
}

void
assay_result_claim_free (AssayResultClaim *claim)
{
  if (claim == NULL)
    return;
  g_free (claim->reason);
  g_array_unref (claim->hypotheses);
  g_free (claim->witness.cell);
  g_free (claim);
}

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

/* Why a pooled cell decides nothing, or NULL. */
static char *
why_not (const AssayResultCell *cell, const AssaySample *sample)
{
  if (cell->status == ASSAY_CELL_CONTROL_FAILED)
    return g_strdup ("the attack lost its control");
  if (cell->status != ASSAY_CELL_OK)
    return g_strdup_printf ("a cell ended in an error (%s)", cell->message);
  if (sample == NULL)
    return g_strdup ("the measure does not apply to it");
  if (sample->n_groups > 0 && sample->n_groups < LEAST_GROUPS)
    return g_strdup_printf ("its secrets come from %" G_GSIZE_FORMAT " groups, fewer than %d",
                            sample->n_groups, LEAST_GROUPS);
  return NULL;
}

/* The test of one pooled cell, before any correction. */
static gboolean
test_cell (const AssayResults *results, AssayStore *store, const AssayClaim *claim,
           const AssayResultCell *cell, gsize first, AssayResultHypothesis *ret_hypothesis,
           Evidence *ret_evidence, GError **error)
{
  const AssayPlan *plan = results->plan;
  const AssayPart *metric = assay_plan_part (plan->metrics, claim->metric);
  g_autoptr (GArray) indices = assay_pool_trials (plan, first);
  g_autofree char *attack = assay_settings_canonical (cell->attack.settings);
  /* The stream of the pooled measurement (results.c): a figure has one interval. */
  g_autofree char *upstream
      = g_strdup_printf ("%s%s\n%s", attack, metric->canonical, claim->measure->name);
  Evidence evidence = { .first = first,
                        .stream = assay_plan_stream (plan, assay_plan_cell (plan, first),
                                                     "metric-pooled", upstream) };
  AssayResultHypothesis hypothesis = { .cell = cell,
                                       .interval = { .estimate = NAN, .lower = NAN, .upper = NAN },
                                       .p_violated = 1,
                                       .adjusted_violated = 1,
                                       .p_upheld = 1,
                                       .adjusted_upheld = 1,
                                       .detectable = NAN,
                                       .units_needed = NAN };
  AssayPool pool;
  const gboolean is_ok = assay_pool_fill (&pool, plan, store, indices, claim->metric, error);

  if (is_ok)
    evidence.sample = assay_pool_sample (&pool, claim->measure);
  assay_pool_clear (&pool);
  if (!is_ok)
    return FALSE;
  hypothesis.why_not = why_not (cell, evidence.sample);
  if (evidence.sample != NULL)
    hypothesis.interval = assay_sample_interval (evidence.sample, claim->confidence,
                                                 evidence.stream);
  if (hypothesis.why_not == NULL) {
    const AssayBoundTest test = assay_bound_test (evidence.sample, claim->bound, evidence.stream);

    hypothesis.p_violated = claim->is_at_most ? test.p_above : test.p_below;
    hypothesis.p_upheld = claim->is_at_most ? test.p_below : test.p_above;
  }
  *ret_hypothesis = hypothesis;
  *ret_evidence = evidence;
  return TRUE;
}

/* Every pooled cell that the claim selects. The pooled cells stand in the order of the plan's cells
 * of trial 0. */
static gboolean
test_claim (const AssayResults *results, AssayStore *store, AssayResultClaim *result,
            GArray *evidence, GError **error)
{
  const AssayPlan *plan = results->plan;
  guint pooled = 0;

  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);
    const AssayResultCell *of;
    AssayResultHypothesis hypothesis;
    Evidence own;

    if (cell->trial != 0)
      continue;
    of = results->pooled->pdata[pooled++];
    if (!assay_claim_selects (result->claim, assay_plan_part (plan->datasets, cell->dataset),
                              assay_plan_part (plan->defenses, cell->defense),
                              assay_plan_part (plan->attacks, cell->attack),
                              of->attack.settings))
      continue;
    if (!test_cell (results, store, result->claim, of, i, &hypothesis, &own, error))
      return FALSE;
    g_array_append_val (result->hypotheses, hypothesis);
    g_array_append_val (evidence, own);
  }
  return TRUE;
}

/* ---- Correction ---- */

/* Holm over the hypotheses that can decide something. */
static void
correct (GPtrArray *claims)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autofree double *p = NULL;
  g_autofree double *adjusted = NULL;

  for (guint c = 0; c < claims->len; c++) {
    const AssayResultClaim *claim = claims->pdata[c];

    for (guint h = 0; h < claim->hypotheses->len; h++)
      if (g_array_index (claim->hypotheses, AssayResultHypothesis, h).why_not == NULL)
        g_ptr_array_add (all, &g_array_index (claim->hypotheses, AssayResultHypothesis, h));
  }
  p = g_new (double, all->len + 1);
  adjusted = g_new (double, all->len + 1);
  for (guint i = 0; i < all->len; i++)
    p[i] = ((AssayResultHypothesis *) all->pdata[i])->p_violated;
  assay_holm (p, all->len, adjusted);
  for (guint i = 0; i < all->len; i++) {
    AssayResultHypothesis *hypothesis = all->pdata[i];

    hypothesis->adjusted_violated = adjusted[i];
    p[i] = hypothesis->p_upheld;
  }
  assay_holm (p, all->len, adjusted);
  for (guint i = 0; i < all->len; i++)
    ((AssayResultHypothesis *) all->pdata[i])->adjusted_upheld = adjusted[i];
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

static void
look_ahead (AssayResultClaim *result, const GArray *evidence, guint n_hypotheses)
{
  const AssayClaim *claim = result->claim;
  const double alpha = (1 - claim->confidence) / n_hypotheses;

  for (guint h = 0; h < result->hypotheses->len; h++) {
    AssayResultHypothesis *hypothesis
        = &g_array_index (result->hypotheses, AssayResultHypothesis, h);
    const Evidence *own = &g_array_index (evidence, Evidence, h);

    if (hypothesis->why_not != NULL)
      continue;
    hypothesis->detectable = assay_bound_detectable (own->sample, claim->bound, claim->is_at_most,
                                                     alpha, own->stream);
    hypothesis->units_needed
        = assay_bound_units_needed (own->sample, claim->bound, alpha, own->stream);
  }
}

/* ---- Verdicts ---- */

/* "lifting (variant=hybrid dimension=8)" */
static char *
name_part (const AssayResultPart *part)
{
  g_autofree char *settings = assay_settings_canonical (part->settings);

  g_strdelimit (g_strchomp (settings), "\n", ' ');
  return *settings != '\0' ? g_strdup_printf ("%s (%s)", part->label, settings)
                           : g_strdup (part->label);
}

/* The cell in words. */
static char *
name_cell (const AssayResultCell *cell)
{
  g_autofree char *attack = name_part (&cell->attack);
  g_autofree char *defense = name_part (&cell->defense);

  return g_strdup_printf ("attack %s against %s", attack, defense);
}

static char *
describe (const AssayClaim *claim, const AssayResultHypothesis *hypothesis, const char *before,
          const char *after)
{
  const AssayInterval *interval = &hypothesis->interval;
  g_autofree char *cell = name_cell (hypothesis->cell);
  g_autofree char *bound = assay_text_number (claim->bound);

  return g_strdup_printf ("%s%s: %s is %.4g [%.4g, %.4g] of n = %" G_GSIZE_FORMAT
                          ", the claim says at %s %s%s",
                          before, cell, claim->measure->name, interval->estimate, interval->lower,
                          interval->upper, interval->n, claim->is_at_most ? "most" : "least", bound,
                          after);
}

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

static char *
explain_undecided (const AssayClaim *claim, const AssayResultHypothesis *hypothesis,
                   const Evidence *evidence, guint n_hypotheses)
{
  const gboolean is_above = evidence->sample->estimate > claim->bound;
  const double least = assay_bound_least_p (evidence->sample, claim->bound, is_above);
  g_autofree char *more = NULL;

  if (hypothesis->units_needed > 0)
    more = g_strdup_printf ("; about %.0f more secrets would decide it if the estimate stays",
                            MAX (1, hypothesis->units_needed - (double) hypothesis->interval.n));
  else if (least * n_hypotheses >= 1 - claim->confidence)
    more = g_strdup_printf ("; %u hypotheses are too many for p-values from %d resamples, whatever "
                            "the number of secrets",
                            n_hypotheses, ASSAY_RESAMPLES);
  else
    more = g_strdup ("; the estimate is too near the bound for any number of secrets to decide");
  return describe (claim, hypothesis, "underpowered: ", more);
}

static void
decide (AssayResultClaim *result, const GArray *evidence, guint n_hypotheses)
{
  const AssayClaim *claim = result->claim;
  const double alpha = 1 - claim->confidence;
  const gint worst = find_extreme (result->hypotheses, TRUE);
  const gint weakest = find_extreme (result->hypotheses, FALSE);

  result->decisive = worst;
  if (worst >= 0) {
    const AssayResultHypothesis *one
        = &g_array_index (result->hypotheses, AssayResultHypothesis, worst);

    if (one->adjusted_violated < alpha) {
      result->verdict = ASSAY_VERDICT_VIOLATED;
      result->reason = describe (claim, one, "", "");
      return;
    }
  }
  result->verdict = ASSAY_VERDICT_INCONCLUSIVE;
  for (guint h = 0; h < result->hypotheses->len; h++) {
    const AssayResultHypothesis *one
        = &g_array_index (result->hypotheses, AssayResultHypothesis, h);

    if (one->why_not != NULL) {
      g_autofree char *cell = name_cell (one->cell);

      result->reason = g_strdup_printf ("%s: %s", cell, one->why_not);
      return;
    }
  }
  if (weakest >= 0) {
    const AssayResultHypothesis *one
        = &g_array_index (result->hypotheses, AssayResultHypothesis, weakest);

    result->decisive = weakest;
    if (one->adjusted_upheld < alpha) {
      result->verdict = ASSAY_VERDICT_UPHELD;
      result->reason = describe (claim, one, "", "");
    } else {
      result->reason = explain_undecided (
          claim, one, &g_array_index (evidence, Evidence, weakest), n_hypotheses);
    }
    return;
  }
  result->reason = g_strdup ("no cell of it was measured");
}

/* ---- Witness ---- */

/* The secret whose outcome breaks the claim most. */
static gboolean
find_witness (const AssayResults *results, AssayStore *store, AssayResultClaim *result,
              gsize first, GError **error)
{
  const AssayPlan *plan = results->plan;
  const AssayClaim *claim = result->claim;
  const AssayMetric *metric
      = (const AssayMetric *) assay_plan_part (plan->metrics, claim->metric)->plugin;
  g_autoptr (GArray) indices = assay_pool_trials (plan, first);

  for (guint t = 0; t < indices->len; t++) {
    const gsize index = g_array_index (indices, gsize, t);
    AssayOutcomes outcomes = { 0 };

    if (!assay_store_outcomes (store, index, claim->metric, metric->n_series, &outcomes, error))
      return FALSE;
    for (gsize i = 0; i < outcomes.n; i++) {
      const double outcome = outcomes.series[claim->measure->series][i];

      if (result->witness.is_set
          && !(claim->is_at_most ? outcome > result->witness.outcome
                                 : outcome < result->witness.outcome))
        continue;
      g_free (result->witness.cell);
      result->witness = (AssayResultWitness){
        .is_set = TRUE,
        .cell = assay_plan_cell_id (plan, assay_plan_cell (plan, index)),
        .trial = (gint64) t,
        .secret = i,
        .outcome = outcome,
      };
    }
    assay_outcomes_clear (&outcomes);
  }
  return TRUE;
}

gboolean
assay_judge (AssayResults *results, AssayStore *store, GError **error)
{
  const GPtrArray *claims = results->plan->claims;
  g_autoptr (GPtrArray) evidence = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  guint n_hypotheses;

  for (guint c = 0; c < claims->len; c++) {
    AssayResultClaim *result = g_new0 (AssayResultClaim, 1);
    GArray *own = g_array_new (FALSE, TRUE, sizeof (Evidence));

    g_array_set_clear_func (own, evidence_clear);
    g_ptr_array_add (evidence, own);
    g_ptr_array_add (results->claims, result);
    result->claim = claims->pdata[c];
    result->hypotheses = g_array_new (FALSE, TRUE, sizeof (AssayResultHypothesis));
    g_array_set_clear_func (result->hypotheses, hypothesis_clear);
    if (!test_claim (results, store, result, own, error))
      return FALSE;
  }
  correct (results->claims);
  n_hypotheses = count_hypotheses (results->claims);
  for (guint c = 0; c < claims->len; c++) {
    AssayResultClaim *result = results->claims->pdata[c];
    const GArray *own = evidence->pdata[c];

    look_ahead (result, own, n_hypotheses);
    decide (result, own, n_hypotheses);
    if (result->verdict == ASSAY_VERDICT_VIOLATED
        && !find_witness (results, store, result,
                          g_array_index (own, Evidence, result->decisive).first, error))
      return FALSE;
  }
  return TRUE;
}
