/* The witness of a violated claim: the one secret, or audit, that breaks it most. */
#include "core/stats/epsilon.h"
#include "runner/judge/cells.h"
#include "runner/judge/judge.h"
#include "runner/judge/pool.h"
#include "runner/store/outcomes.h"

/* The trial whose audit, taken alone, certifies most: at a level that pays for the choice. */
static gboolean
find_audit (const AssayResults *results, const AssayPlan *plan, AssayResultClaim *result,
            gsize first, GError **error)
{
  const double alpha = (1 - result->confidence) / (double) plan->trials;
  g_autoptr (GArray) indices = assay_pool_trials (plan, first);

  for (guint t = 0; t < indices->len; t++) {
    const gsize index = g_array_index (indices, gsize, t);
    g_autoptr (AssayAuditRecord) audit = NULL;
    double lower;

    if (!assay_results_audit (results, index, &audit, error))
      return FALSE;
    if (audit == NULL)
      continue;
    lower = assay_epsilon_lower (&audit->counts, alpha);
    if (result->witness.is_set && lower <= result->witness.outcome)
      continue;
    g_free (result->witness.cell);
    assay_audit_record_free (result->witness.audit);
    result->witness
        = (AssayResultWitness){ .is_set = TRUE,
                                .cell = assay_plan_cell_id (plan, assay_plan_cell (plan, index)),
                                .trial = (gint64) t,
                                .outcome = lower,
                                .audit = g_steal_pointer (&audit) };
  }
  return TRUE;
}

gboolean
assay_witness_find (const AssayWitnessSearch *search, AssayResultClaim *result, GError **error)
{
  const AssayPlan *plan = search->plan;
  const AssayClaim *claim = search->claim;
  const gsize first = search->first;
  const AssayMeasuring *metric
      = assay_plan_measuring (plan, assay_plan_cell (plan, first), claim->metric)->measuring;
  g_autoptr (GArray) indices = assay_pool_trials (plan, first);

  if (claim->measure->statistic == ASSAY_STATISTIC_EPSILON)
    return find_audit (search->results, plan, result, first, error);
  for (guint t = 0; t < indices->len; t++) {
    const gsize index = g_array_index (indices, gsize, t);
    AssayOutcomes outcomes = { 0 };

    if (!assay_store_outcomes (search->store, index, claim->metric, metric->n_series, &outcomes,
                               error))
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
