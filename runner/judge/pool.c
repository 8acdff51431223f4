/* Outcomes of one metric over several cells. */
#include "runner/judge/pool.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "runner/store/outcomes.h"

void
assay_pool_clear (AssayPool *pool)
{
  for (guint s = 0; s < ASSAY_MAX_SERIES; s++) {
    g_array_unref (pool->series[s]);
    g_free (pool->omitted[s]);
  }
  g_array_unref (pool->groups);
  g_array_unref (pool->others);
  g_array_unref (pool->sizes);
}

/* The numbers that the metric gives its units; one that stands alone gets a number of its own. */
static void
add_named_units (GArray *groups, const double *names, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    const gint64 number = names[i] >= 0 ? (gint64) names[i] : -1 - (gint64) groups->len;

    g_array_append_val (groups, number);
  }
}

/* A cell that made anew what it tests with, or all but its secrets. */
static void
add_cell_number (AssayPool *pool, gsize n)
{
  const gint64 number = pool->n_cells;

  for (gsize i = 0; i < n; i++)
    g_array_append_val (pool->others, number);
}

/* Outcomes of the same units as in other cells: number i is of unit i. */
static void
add_unit_numbers (AssayPool *pool, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    const gint64 number = (gint64) i;

    g_array_append_val (pool->groups, number);
  }
}

/* Counts are whole numbers that a double holds exactly. */
static gboolean
is_count (double value)
{
  return value >= 0 && value <= 0x1p53 && value == floor (value);
}

/* What core/stats/epsilon.h counts on; every unit is of the same kind of game, and its delta. */
static gboolean
is_audit (const AssayOutcomes *outcomes, gsize unit)
{
  double *const *series = outcomes->series;
  const double kind = series[0][unit], delta = series[1][unit];
  const double runs = series[2][unit], hits = series[3][unit], mistakes = series[4][unit];

  return (kind == ASSAY_AUDIT_TWO_INPUTS || kind == ASSAY_AUDIT_ONE_RUN) && kind == series[0][0]
         && delta >= 0 && delta <= 1 && delta == series[1][0] && is_count (runs) && is_count (hits)
         && hits <= runs && is_count (mistakes)
         && (kind == ASSAY_AUDIT_ONE_RUN || mistakes <= runs);
}

static gboolean
check_outcomes (const AssayMeasuring *metric, const AssayOutcomes *outcomes, GError **error)
{
  const guint first
      = assay_measures_audits (metric) ? 0 : metric->n_series - 1 - (metric->names_pairs ? 1 : 0);

  if (outcomes->n == 0 || (!assay_measures_audits (metric) && !metric->names_units))
    return TRUE;
  for (guint s = first; s < metric->n_series; s++)
    if (outcomes->series[s] == NULL)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "metric %s: the run store is damaged (it lacks numbers of outcomes)",
                         metric->id);
  for (gsize i = 0; assay_measures_audits (metric) && i < outcomes->n; i++)
    if (!is_audit (outcomes, i))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "metric %s: the run store is damaged (its counts are none)", metric->id);
  return TRUE;
}

gboolean
assay_pool_outcomes (const AssayPlan *plan, AssayStore *store, gsize index, guint metric,
                     AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayMeasuring *plugin
      = assay_plan_measuring (plan, assay_plan_cell (plan, index), assay_metric_number (metric))
            ->measuring;
  AssayOutcomes outcomes = { 0 };

  if (!assay_store_outcomes (store, index, metric, plugin->n_series, &outcomes, error))
    return FALSE;
  if (!check_outcomes (plugin, &outcomes, error)) {
    assay_outcomes_clear (&outcomes);
    return FALSE;
  }
  *ret_outcomes = outcomes;
  return TRUE;
}

/* Adds the outcomes of one cell; @groups (NULL: none) are those of its secrets. */
static gboolean
add_outcomes (AssayPool *pool, const AssayMeasuring *metric, AssayOutcomes *outcomes,
              const gint64 *groups, gsize n_groups, GError **error)
{
  /* The unit of an audit is the audit. */
  if (assay_measures_audits (metric) || metric->has_own_units)
    groups = NULL;
  /* Units that are not the secrets would need groups of their own. */
  if (groups != NULL && outcomes->n > 0 && n_groups != outcomes->n)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "metric %s: %" G_GSIZE_FORMAT " outcomes for %" G_GSIZE_FORMAT
                       " secrets in groups",
                       metric->id, outcomes->n, n_groups);
  for (guint s = 0; s < metric->n_series; s++)
    if (outcomes->omitted[s] == NULL)
      g_array_append_vals (pool->series[s], outcomes->series[s], (guint) outcomes->n);
    else if (pool->omitted[s] == NULL)
      pool->omitted[s] = g_strdup (outcomes->omitted[s]);
  pool->n_cells += outcomes->n > 0;
  g_array_append_val (pool->sizes, outcomes->n);
  if (groups != NULL && outcomes->n > 0)
    g_array_append_vals (pool->groups, groups, (guint) n_groups);
  if (metric->repeats_units || (pool->is_repeated && groups == NULL && !metric->has_own_units))
    add_unit_numbers (pool, outcomes->n);
  if (metric->redraws || (pool->is_repeated && !metric->names_pairs))
    add_cell_number (pool, outcomes->n);
  if (metric->names_units)
    add_named_units (pool->groups, outcomes->series[metric->n_series - 1], outcomes->n);
  if (metric->names_pairs)
    add_named_units (pool->others, outcomes->series[metric->n_series - 2], outcomes->n);
  return TRUE;
}

/* Adds what the metric saw in cell @index. */
static gboolean
add_cell (AssayPool *pool, const AssayPlan *plan, AssayStore *store, gsize index, guint metric,
          GError **error)
{
  const AssayCell *cell = assay_plan_cell (plan, index);
  const AssayMeasuring *plugin
      = assay_plan_measuring (plan, cell, assay_metric_number (metric))->measuring;
  AssayOutcomes outcomes = { 0 };
  g_autofree gint64 *groups = NULL;
  gsize n_groups = 0;
  gboolean is_ok;

  if (!assay_pool_outcomes (plan, store, index, metric, &outcomes, error))
    return FALSE;
  is_ok = assay_store_groups (store, cell->dataset, cell->trial, &groups, &n_groups, error)
          && add_outcomes (pool, plugin, &outcomes, groups, n_groups, error);
  assay_outcomes_clear (&outcomes);
  return is_ok;
}

static gboolean
are_different (const GArray *numbers)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < numbers->len; i++)
    g_hash_table_add (seen, &g_array_index (numbers, gint64, i));
  return g_hash_table_size (seen) == numbers->len;
}

static gboolean
are_equal (const GArray *a, const GArray *b)
{
  return a->len == b->len
         && (a->len == 0
             || memcmp (a->data, b->data, a->len * g_array_get_element_size ((GArray *) a)) == 0);
}

/* Units that stand alone are independent: a rate of them is binomial, and many of them can be drawn
 * anew. Of few, other statistics are judged as those of few groups are. */
#define MANY_UNITS 30

static void
pool_init (AssayPool *ret_pool)
{
  ret_pool->n_cells = 0;
  ret_pool->is_repeated = FALSE;
  ret_pool->sizes = g_array_new (FALSE, FALSE, sizeof (gsize));
  ret_pool->groups = g_array_new (FALSE, FALSE, sizeof (gint64));
  ret_pool->others = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint s = 0; s < ASSAY_MAX_SERIES; s++) {
    ret_pool->series[s] = g_array_new (FALSE, FALSE, sizeof (double));
    ret_pool->omitted[s] = NULL;
  }
}

static void
pool_finish (AssayPool *pool, const AssayMeasuring *metric)
{
  /* Groups of one unit each are independent units, which have sharper methods. */
  if (pool->n_cells == 1 && metric->repeats_units)
    g_array_set_size (pool->groups, 0);
  /* One training says nothing of others, and units of one secret each are no pairs. */
  if ((pool->n_cells == 1 && (metric->redraws || pool->is_repeated))
      || are_equal (pool->groups, pool->others))
    g_array_set_size (pool->others, 0);
  pool->are_pairs = metric->names_pairs;
  pool->has_lone_units
      = metric->names_units && pool->others->len == 0 && are_different (pool->groups);
}

/* That every outcome has its groups, where any has: a store that lost those of one trial has fewer
 * numbers than units. */
static gboolean
check_groups (const AssayPool *pool, const char *metric, GError **error)
{
  gsize n = 0;

  for (guint i = 0; i < pool->sizes->len; i++)
    n += g_array_index (pool->sizes, gsize, i);
  return (pool->groups->len == 0 || pool->groups->len == n)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "metric %s: the run store is damaged (groups of some trials are missing)",
                        metric);
}

gboolean
assay_pool_fill (AssayPool *ret_pool, const AssayPlan *plan, AssayStore *store,
                 const GArray *indices, guint metric, GError **error)
{
  const AssayCell *first = assay_plan_cell (plan, g_array_index (indices, gsize, 0));
  const AssayMeasuring *plugin
      = assay_plan_measuring (plan, first, assay_metric_number (metric))->measuring;

  pool_init (ret_pool);
  ret_pool->is_repeated = plan->repeats_secrets && indices->len > 1;
  for (guint i = 0; i < indices->len; i++)
    if (!add_cell (ret_pool, plan, store, g_array_index (indices, gsize, i), metric, error))
      return FALSE;
  if (!check_groups (ret_pool, plugin->id, error))
    return FALSE;
  pool_finish (ret_pool, plugin);
  return TRUE;
}

gboolean
assay_pool_fill_one (AssayPool *ret_pool, const AssayMeasuring *metric, AssayOutcomes *outcomes,
                     const gint64 *groups, gsize n_groups, GError **error)
{
  pool_init (ret_pool);
  if (!add_outcomes (ret_pool, metric, outcomes, groups, n_groups, error))
    return FALSE;
  pool_finish (ret_pool, metric);
  return TRUE;
}

/* NULL: units are independent. */
static const gint64 *
groups_for (const AssayPool *pool, const AssayMeasure *measure)
{
  const gboolean is_independent
      = pool->groups->len == 0
        || (pool->has_lone_units
            && (measure->statistic == ASSAY_STATISTIC_RATE || pool->groups->len >= MANY_UNITS));

  return is_independent ? NULL : (const gint64 *) (gconstpointer) pool->groups->data;
}

gboolean
assay_pool_are_paired (const AssayPool *a, const AssayPool *b, const AssayMeasure *measure)
{
  return (measure->statistic == ASSAY_STATISTIC_RATE || measure->statistic == ASSAY_STATISTIC_MEAN)
         && !measure->is_influence && are_equal (a->sizes, b->sizes)
         && a->series[measure->series]->len == b->series[measure->series]->len
         && are_equal (a->groups, b->groups) && are_equal (a->others, b->others);
}

/* Units of two groups each. */
static AssaySample *
crossed_sample (const AssayPool *pool, const AssayMeasure *measure, const double *values, gsize n)
{
  return assay_sample_new_crossed (
      measure, values, (const gint64 *) (gconstpointer) pool->groups->data,
      (const gint64 *) (gconstpointer) pool->others->data, pool->are_pairs, n);
}

AssaySample *
assay_pool_difference (const AssayPool *a, const AssayPool *b, const AssayMeasure *difference)
{
  const guint s = difference->series;
  const GArray *ours = a->series[s], *theirs = b->series[s];
  g_autofree double *differences = g_new (double, ours->len + 1);

  g_return_val_if_fail (assay_pool_are_paired (a, b, difference), NULL);
  if (ours->len == 0 || a->omitted[s] != NULL || b->omitted[s] != NULL)
    return NULL;
  for (guint i = 0; i < ours->len; i++)
    differences[i] = g_array_index (ours, double, i) - g_array_index (theirs, double, i);
  if (a->others->len > 0)
    return crossed_sample (a, difference, differences, ours->len);
  return assay_sample_new_difference (difference, differences, groups_for (a, difference),
                                      ours->len);
}

AssaySample *
assay_pool_sample (const AssayPool *pool, const AssayMeasure *measure)
{
  const GArray *series = pool->series[measure->series];
  const gint64 *groups = groups_for (pool, measure);

  if (series->len == 0 || pool->omitted[measure->series] != NULL)
    return NULL;
  if (measure->statistic == ASSAY_STATISTIC_EPSILON) {
    const double *counts[ASSAY_AUDIT_SERIES];
    AssayAudit audit;

    for (guint s = 0; s < ASSAY_AUDIT_SERIES; s++)
      counts[s] = (const double *) (gconstpointer) pool->series[s]->data;
    audit = assay_outcomes_audit (counts, series->len);
    return assay_sample_new_audit (measure, &audit);
  }
  if (measure->statistic == ASSAY_STATISTIC_EXCESS)
    return pool->omitted[measure->success] != NULL || pool->omitted[measure->control] != NULL
               ? NULL
               : assay_sample_new_excess (
                   measure, (const double *) (gconstpointer) pool->series[measure->success]->data,
                   (const double *) (gconstpointer) pool->series[measure->control]->data, groups,
                   series->len);
  if (pool->others->len > 0)
    return crossed_sample (pool, measure, (const double *) (gconstpointer) series->data,
                           series->len);
  return assay_sample_new (measure, (const double *) (gconstpointer) series->data, groups,
                           series->len);
}

/* From a cell of one trial to the same of the next: within a dataset the plan holds all cells of
 * trial 0, then those of trial 1, and so on. Datasets may have other numbers of them. */
static gsize
cells_of_trial (const AssayPlan *plan, gsize first)
{
  const AssayCell *cell = assay_plan_cell (plan, first);
  gsize next = first + 1;

  for (; next < plan->cells->len; next++) {
    const AssayCell *other = assay_plan_cell (plan, next);

    if (other->dataset == cell->dataset && other->trial == cell->trial + 1
        && other->defense == cell->defense && other->attack == cell->attack
        && other->utility == cell->utility)
      break;
  }
  return next - first;
}

GArray *
assay_pool_trials (const AssayPlan *plan, gsize first)
{
  const gsize per_trial = plan->trials > 1 ? cells_of_trial (plan, first) : 0;
  GArray *indices = g_array_new (FALSE, FALSE, sizeof (gsize));

  for (guint64 t = 0; t < plan->trials; t++) {
    const gsize index = first + t * per_trial;

    g_array_append_val (indices, index);
  }
  return indices;
}
