/* The paired difference of two attacks. */
#include "runner/judge/beyond.h"

#include "core/stats/sample.h"

/* The cell of trial 0 of the other attack on the data and the defense that is judged, and its
 * pooled result; FALSE: it was not played there. The pooled cells stand in the order of the plan's
 * cells of trial 0. */
static gboolean
find_other (const AssayBeyond *beyond, gsize *ret_other, const AssayResultCell **ret_pooled)
{
  const AssayPlan *plan = beyond->plan;
  const AssayCell *cell = assay_plan_cell (plan, beyond->first);
  guint pooled = 0;

  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *other = assay_plan_cell (plan, i);

    if (other->trial != 0)
      continue;
    if (other->dataset == cell->dataset && other->defense == cell->defense
        && other->attack == beyond->claim->beyond) {
      *ret_other = i;
      *ret_pooled = beyond->results->pooled->pdata[pooled];
      return TRUE;
    }
    pooled++;
  }
  return FALSE;
}

/* Why the two cannot be compared; NULL: they can. */
static char *
why_not (const AssayBeyond *beyond, const AssayResultCell *other, const AssayPool *pool,
         const AssayPool *beside)
{
  const AssayMeasure *measure = beyond->claim->measure;
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

gboolean
assay_beyond_sample (const AssayBeyond *beyond, const AssayPool *pool, AssaySample **ret_sample,
                     char **ret_why_not, GError **error)
{
  const AssayClaim *claim = beyond->claim;
  const AssayResultCell *other = NULL;
  g_autoptr (GArray) indices = NULL;
  AssayPool beside;
  gsize index = 0;
  gboolean is_ok;

  *ret_sample = NULL;
  if (!find_other (beyond, &index, &other)) {
    *ret_why_not = g_strdup_printf (
        "attack %s, beside which it is judged, was not played there",
        assay_plan_component (beyond->plan->attacks, claim->beyond)->label);
    return TRUE;
  }
  indices = assay_pool_trials (beyond->plan, index);
  is_ok = assay_pool_fill (&beside, beyond->plan, beyond->store, indices, claim->metric, error);
  if (is_ok) {
    *ret_why_not = why_not (beyond, other, pool, &beside);
    if (*ret_why_not == NULL)
      *ret_sample = assay_pool_difference (pool, &beside, claim->measure);
  }
  assay_pool_clear (&beside);
  return is_ok;
}
