/* Outcomes of one metric over several cells. */
#include "runner/pool.h"

void
assay_pool_clear (AssayPool *pool)
{
  for (guint s = 0; s < ASSAY_MAX_SERIES; s++)
    g_array_unref (pool->series[s]);
  g_array_unref (pool->groups);
}

/* Adds what the metric saw in cell @index. */
static gboolean
add_cell (AssayPool *pool, const AssayPlan *plan, AssayStore *store, gsize index, guint metric,
          GError **error)
{
  const AssayCell *cell = assay_plan_cell (plan, index);
  const AssayMetric *plugin
      = (const AssayMetric *) assay_plan_measuring (plan, cell, metric)->plugin;
  AssayOutcomes outcomes = { 0 };
  g_autofree gint64 *groups = NULL;
  gsize n_groups = 0;

  if (!assay_store_outcomes (store, index, metric, plugin->n_series, &outcomes, error))
    return FALSE;
  if (!assay_store_groups (store, cell->dataset, cell->trial, &groups, &n_groups, error)) {
    assay_outcomes_clear (&outcomes);
    return FALSE;
  }
  /* The unit of an audit is the audit. */
  if (plugin->audit != NULL || plugin->has_own_units)
    g_clear_pointer (&groups, g_free);
  /* Units that are not the secrets would need groups of their own. */
  if (groups != NULL && outcomes.n > 0 && n_groups != outcomes.n) {
    assay_fail (error, ASSAY_ERROR_MISMATCH,
                "metric %s: %" G_GSIZE_FORMAT " outcomes for %" G_GSIZE_FORMAT " secrets in groups",
                plugin->id, outcomes.n, n_groups);
    assay_outcomes_clear (&outcomes);
    return FALSE;
  }
  for (guint s = 0; s < plugin->n_series; s++)
    g_array_append_vals (pool->series[s], outcomes.series[s], (guint) outcomes.n);
  if (groups != NULL && outcomes.n > 0)
    g_array_append_vals (pool->groups, groups, (guint) n_groups);
  assay_outcomes_clear (&outcomes);
  return TRUE;
}

gboolean
assay_pool_fill (AssayPool *ret_pool, const AssayPlan *plan, AssayStore *store,
                 const GArray *indices, guint metric, GError **error)
{
  ret_pool->groups = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint s = 0; s < ASSAY_MAX_SERIES; s++)
    ret_pool->series[s] = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < indices->len; i++)
    if (!add_cell (ret_pool, plan, store, g_array_index (indices, gsize, i), metric, error))
      return FALSE;
  return TRUE;
}

AssaySample *
assay_pool_sample (const AssayPool *pool, const AssayMeasure *measure)
{
  const GArray *series = pool->series[measure->series];
  const gint64 *groups
      = pool->groups->len > 0 ? (const gint64 *) (gconstpointer) pool->groups->data : NULL;

  if (series->len == 0)
    return NULL;
  if (measure->statistic == ASSAY_STATISTIC_EPSILON) {
    const double *counts[ASSAY_AUDIT_SERIES];
    AssayAudit audit;

    for (guint s = 0; s < ASSAY_AUDIT_SERIES; s++)
      counts[s] = (const double *) (gconstpointer) pool->series[s]->data;
    audit = assay_outcomes_audit (counts, series->len);
    return assay_sample_new_audit (measure, &audit);
  }
  return assay_sample_new (measure, (const double *) (gconstpointer) series->data, groups,
                           series->len);
}

GArray *
assay_pool_trials (const AssayPlan *plan, gsize first)
{
  /* Within a dataset the plan holds all cells of trial 0, then those of trial 1, and so on. */
  const gsize per_trial = plan->cells->len / plan->datasets->len / plan->trials;
  GArray *indices = g_array_new (FALSE, FALSE, sizeof (gsize));

  for (guint64 t = 0; t < plan->trials; t++) {
    const gsize index = first + t * per_trial;

    g_array_append_val (indices, index);
  }
  return indices;
}
