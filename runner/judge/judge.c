/* Judging the claims of a scenario. */
#include "runner/judge/judge.h"

#include <math.h>
#include <string.h>

#include "core/base/each.h"
#include "core/stats/bound-test.h"
#include "runner/judge/describe.h"
#include "runner/judge/earned/attackers.h"
#include "runner/judge/earned/earned.h"
#include "runner/judge/earned/tried.h"
#include "runner/judge/hypothesis.h"
#include "runner/judge/power.h"
#include "runner/judge/reason.h"
#include "runner/plan/claim.h"

/* ---- Hypotheses ---- */

/* Attacks that take what is released for the secret cannot be played where it is in another space.
 * They are no evidence anyway; a claim that is about them alone keeps them, and is inconclusive. */
static void
drop_beside_the_point (const AssayQuestion *question, GArray *evidence)
{
  guint n_beside = 0;

  for (guint i = 0; i < evidence->len; i++)
    n_beside += g_array_index (evidence, AssayEvidence, i).is_beside_the_point ? 1 : 0;
  for (guint i = evidence->len; i > 0 && n_beside < evidence->len; i--)
    if (g_array_index (evidence, AssayEvidence, i - 1).is_beside_the_point) {
      g_array_remove_index (evidence, i - 1);
      g_array_remove_index (question->result->hypotheses, i - 1);
      n_beside--;
    }
}

/* Every pooled cell that the claim selects. The pooled cells stand in the order of the plan's cells
 * of trial 0. */
static gboolean
test_claim (const AssayQuestion *question, GArray *evidence, GError **error)
{
  const AssayPlan *plan = question->plan;
  guint pooled = 0;

  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);
    const AssayResultCell *of;
    AssayResultHypothesis hypothesis;
    AssayEvidence own;

    if (cell->trial != 0)
      continue;
    of = question->results->pooled->pdata[pooled++];
    if (!assay_claim_selects (plan, question->claim, cell,
                              assay_results_settings (plan, cell, of->attack_or_utility)))
      continue;
    if (!assay_hypothesis_test (question, of, i, &hypothesis, &own, error))
      return FALSE;
    g_array_append_val (question->result->hypotheses, hypothesis);
    g_array_append_val (evidence, own);
  }
  drop_beside_the_point (question, evidence);
  return TRUE;
}

/* ---- Correction ---- */

/* Hypotheses that can decide something. Epsilon is never upheld, so claims about it cost nothing
 * there. */
static GPtrArray *
collect (const GPtrArray *claims, gboolean is_upheld)
{
  GPtrArray *all = g_ptr_array_new ();

  ASSAY_FOR_EACH (const AssayResultClaim, claim, claims) {
    if (is_upheld && claim->measure->is_epsilon)
      continue;
    ASSAY_FOR_EACH_IN (AssayResultHypothesis, one, claim->hypotheses) {
      if (one->why_not == NULL
          && !(one->lacks_evidence && assay_claim_wants_little (claim) == is_upheld))
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

static gboolean
look_ahead (const AssayQuestion *question, const GArray *evidence, guint n_hypotheses,
            GError **error)
{
  const AssayResultClaim *result = question->result;
  const double alpha = (1 - result->confidence) / n_hypotheses;

  for (guint h = 0; h < result->hypotheses->len; h++) {
    AssayResultHypothesis *hypothesis
        = &g_array_index (result->hypotheses, AssayResultHypothesis, h);
    const AssayEvidence *own = &g_array_index (evidence, AssayEvidence, h);
    AssayPower power;

    if (hypothesis->why_not != NULL)
      continue;
    hypothesis->detectable = assay_bound_detectable (own->sample, hypothesis->bound,
                                                     result->is_at_most, alpha, own->stream);
    hypothesis->units_needed
        = assay_bound_units_needed (own->sample, hypothesis->bound, alpha, own->stream);
    if (!result->measure->is_epsilon)
      continue;
    if (!assay_power_of (question, hypothesis, own, alpha, &power, error))
      return FALSE;
    hypothesis->power = power.chance;
    hypothesis->power_at = power.epsilon;
    hypothesis->is_power_measured = power.is_measured;
  }
  return TRUE;
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
  for (guint h = 0; assay_claim_wants_little (result) && h < result->hypotheses->len; h++) {
    const AssayResultHypothesis *one
        = &g_array_index (result->hypotheses, AssayResultHypothesis, h);

    if (one->lacks_evidence) {
      result->decisive = (gint) h;
      result->reason = assay_reason_no_evidence (result, one);
      return TRUE;
    }
  }
  return FALSE;
}

/* The first hypothesis that decides nothing makes its claim inconclusive. */
static gboolean
is_excluded (AssayResultClaim *result)
{
  ASSAY_FOR_EACH_IN (const AssayResultHypothesis, one, result->hypotheses) {
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

  ASSAY_FOR_EACH_IN (const AssayResultHypothesis, one, hypotheses) {
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
        result, one, &g_array_index (evidence, AssayEvidence, h).sample->audit, alpha);
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
    result->reason = assay_reason_upheld (result, one);
    return;
  }
  assay_hypothesis_range (result, evidence, n_hypotheses);
  result->reason = assay_reason_undecided (
      result, one, g_array_index (evidence, AssayEvidence, weakest).sample, n_hypotheses);
}

/* Before anything is asked of what it has earned. */
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

/* What the reason says beside the numbers. */
static char *
note_of (const AssayResultClaim *result)
{
  g_autofree char *numbers = assay_reason_decided (
      result, &g_array_index (result->hypotheses, AssayResultHypothesis, result->decisive));

  return g_str_has_prefix (result->reason, numbers) ? g_strdup (result->reason + strlen (numbers))
                                                    : NULL;
}

/* A verdict of exit 0 is one of all its cells, and must have been earned besides. */
static gboolean
check_earned (const AssayQuestion *question, const GArray *evidence, guint n_hypotheses,
              GError **error)
{
  AssayResultClaim *result = question->result;
  g_autofree char *before = NULL;
  g_autofree char *earned = NULL;
  char *lacks = NULL;

  if (result->verdict != ASSAY_VERDICT_UPHELD && result->verdict != ASSAY_VERDICT_UNREFUTED)
    return TRUE;
  if (!assay_earned_check (question, evidence, n_hypotheses, &lacks, error))
    return FALSE;
  before = g_steal_pointer (&result->reason);
  if (lacks != NULL) {
    result->verdict = ASSAY_VERDICT_INCONCLUSIVE;
    result->reason = lacks;
    return TRUE;
  }
  assay_attackers_find (question, evidence);
  earned = assay_earned_note (question);
  result->reason = g_strconcat (before, earned, NULL);
  if (result->decisive >= 0)
    result->note = note_of (result);
  return TRUE;
}

/* What inputs a verdict about epsilon rests on. */
static gboolean
add_pairs (const AssayQuestion *question, const GArray *evidence, GError **error)
{
  AssayResultClaim *result = question->result;
  g_autofree char *before = NULL;
  g_autofree char *note = NULL;

  if (!result->measure->is_epsilon || result->decisive < 0)
    return TRUE;
  if (!assay_tried_note (question, g_array_index (evidence, AssayEvidence, result->decisive).first,
                         &note, error))
    return FALSE;
  before = g_steal_pointer (&result->reason);
  result->reason = g_strconcat (before, note, NULL);
  return TRUE;
}

/* Of a claim that is violated, what shows it. */
static gboolean
find_witness (const AssayQuestion *question, const GArray *evidence, GError **error)
{
  const gint decisive = question->result->decisive;
  AssayWitnessSearch search = { .results = question->results,
                                .plan = question->plan,
                                .store = question->store,
                                .claim = question->claim };

  /* A difference of two attacks is of no single cell that could be replayed. */
  if (question->result->verdict != ASSAY_VERDICT_VIOLATED
      || question->claim->beyond != ASSAY_NO_COMPONENT)
    return TRUE;
  search.first = g_array_index (evidence, AssayEvidence, decisive).first;
  return assay_witness_find (&search, question->result, error);
}

gboolean
assay_judge (AssayResults *results, const AssayPlan *plan, AssayStore *store, GError **error)
{
  const GPtrArray *claims = results->claims;
  g_autoptr (GPtrArray) evidence = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autofree AssayQuestion *questions = g_new (AssayQuestion, claims->len);
  guint n_hypotheses;

  for (guint c = 0; c < claims->len; c++) {
    GArray *own = g_array_new (FALSE, TRUE, sizeof (AssayEvidence));

    g_array_set_clear_func (own, assay_evidence_clear);
    g_ptr_array_add (evidence, own);
    questions[c]
        = (AssayQuestion){ results, plan, store, plan->claims->pdata[c], claims->pdata[c] };
    if (!test_claim (&questions[c], own, error))
      return FALSE;
  }
  correct (claims, FALSE);
  correct (claims, TRUE);
  n_hypotheses = count_hypotheses (claims);
  for (guint c = 0; c < claims->len; c++) {
    const GArray *own = evidence->pdata[c];

    if (!look_ahead (&questions[c], own, n_hypotheses, error))
      return FALSE;
    decide (claims->pdata[c], own, n_hypotheses);
    assay_hypothesis_range (claims->pdata[c], own, n_hypotheses);
    if (!check_earned (&questions[c], own, n_hypotheses, error)
        || !add_pairs (&questions[c], own, error) || !find_witness (&questions[c], own, error))
      return FALSE;
  }
  return TRUE;
}
