/* Cells of a run, read from its store one by one. */
#include "runner/judge/cells.h"

#include "core/base/text.h"
#include "core/games/control-shape.h"
#include "core/stats/interval.h"
#include "runner/judge/earned/starts.h"
#include "runner/judge/pool.h"

struct _AssayResultSource {
  const AssayPlan *plan;
  AssayStore *store;
};

void
assay_results_set_source (AssayResults *results, const AssayPlan *plan, AssayStore *store)
{
  results->source = g_new (AssayResultSource, 1);
  *results->source = (AssayResultSource){ plan, store };
}

AssayResultStatus
assay_results_status (AssayCellStatus status)
{
  if (status == ASSAY_CELL_OK)
    return ASSAY_RESULT_OK;
  return status == ASSAY_CELL_CONTROL_FAILED ? ASSAY_RESULT_CONTROL_FAILED : ASSAY_RESULT_ERROR;
}

static AssayResultCell *
new_cell (const AssayResults *results, const AssayCell *cell, GError **error)
{
  const AssayPlan *plan = results->source->plan;
  const AssaySettings *settings = NULL;
  guint candidate;

  if (!assay_run_attack_settings (plan, results->source->store, cell, &settings, &candidate, error))
    return NULL;
  return assay_results_describe_cell (results, plan, cell, settings != NULL ? &candidate : NULL);
}

/* ---- Measurements ---- */

/* The interval of a measure, over all starts of the attack. */
static gboolean
measure_starts (const AssayStartsQuestion *starts, const AssaySample *sample,
                AssayStreamKey stream, AssayInterval *ret_interval, GError **error)
{
  const double confidence = starts->plan->confidence;
  g_autoptr (GPtrArray) others = assay_starts_samples (starts, error);

  if (others == NULL)
    return FALSE;
  *ret_interval = assay_sample_interval (sample, confidence, stream);
  assay_starts_widen (others, confidence, stream, ret_interval);
  return TRUE;
}

/* What metric number @metric says of the cells @indices, which @result stands for. */
static gboolean
measure (const AssayResults *results, const GArray *indices, guint metric, const char *role,
         AssayResultCell *result, GError **error)
{
  const AssayPlan *plan = results->source->plan;
  const AssayCell *cell = assay_plan_cell (plan, g_array_index (indices, gsize, 0));
  const AssayComponent *component = assay_plan_measuring (plan, cell, metric);
  const AssaySettings *settings = assay_results_settings (plan, cell, result->attack_or_utility);
  g_autofree char *attack = assay_settings_canonical (settings);
  AssayStartsQuestion starts = { .plan = plan,
                                 .store = results->source->store,
                                 .indices = indices,
                                 .metric = metric,
                                 .n = assay_plan_starts (plan, cell, settings) };
  AssayPool pool;
  gboolean is_ok = assay_pool_fill (&pool, plan, results->source->store, indices, metric, error);

  for (const AssayMeasure *m = component->measuring->measures; is_ok && m->name != NULL; m++) {
    g_autoptr (AssaySample) sample = assay_pool_sample (&pool, m);
    g_autofree char *upstream = g_strdup_printf ("%s%s\n%s", attack, component->canonical, m->name);
    AssayMeasurement measurement
        = { .measure = assay_results_measure (results, m),
            .metric = result->is_utility ? result->attack_or_utility
                                         : assay_result_component (results->metrics, metric),
            .confidence = plan->confidence };

    if (pool.omitted[m->series] != NULL)
      g_ptr_array_add (result->omitted,
                       g_strdup_printf ("%s is left out: %s", m->name, pool.omitted[m->series]));
    if (sample == NULL)
      continue;
    starts.measure = m;
    is_ok = measure_starts (&starts, sample, assay_plan_stream (plan, cell, role, upstream),
                            &measurement.interval, error);
    g_array_append_val (result->measurements, measurement);
  }
  assay_pool_clear (&pool);
  return is_ok;
}

static gboolean
measure_cell (const AssayResults *results, const GArray *indices, const char *role,
              AssayResultCell *result, GError **error)
{
  const AssayPlan *plan = results->source->plan;
  const AssayCell *cell = assay_plan_cell (plan, g_array_index (indices, gsize, 0));

  for (guint m = 0; m < assay_plan_n_measuring (plan, cell); m++)
    if (!measure (results, indices, m, role, result, error))
      return FALSE;
  return TRUE;
}

/* ---- Audits ---- */

/* The counts of an audit stand among the outcomes. */
static gboolean
add_counts (const AssayResultSource *source, gsize index, AssayAuditRecord *audit, GError **error)
{
  const GPtrArray *metrics = source->plan->metrics;

  for (guint m = 0; m < metrics->len; m++) {
    const AssayMeasuring *metric = assay_plan_component (metrics, m)->measuring;
    AssayOutcomes outcomes = { 0 };

    if (!assay_measures_audits (metric))
      continue;
    if (!assay_pool_outcomes (source->plan, source->store, index, m, &outcomes, error))
      return FALSE;
    if (outcomes.n > 0)
      audit->counts = assay_outcomes_audit ((const double *const *) outcomes.series, outcomes.n);
    assay_outcomes_clear (&outcomes);
  }
  return TRUE;
}

gboolean
assay_results_audit (const AssayResults *results, gsize index, AssayAuditRecord **ret_audit,
                     GError **error)
{
  const AssayResultSource *source = results->source;
  g_autoptr (AssayAuditRecord) audit = NULL;
  AssayCellRecord cell = { 0 };

  if (!assay_store_cell (source->store, index, &cell, error))
    return FALSE;
  g_free (cell.message);
  /* One that was begun and has not ended may have left its event already. */
  if (cell.status != ASSAY_CELL_PENDING && !assay_audit_load (source->store, index, &audit, error))
    return FALSE;
  if (audit != NULL && !add_counts (source, index, audit, error))
    return FALSE;
  *ret_audit = g_steal_pointer (&audit);
  return TRUE;
}

/* ---- Cells ---- */

gboolean
assay_results_cell (const AssayResults *results, gsize index, gboolean is_measured,
                    AssayResultCell **ret_cell, GError **error)
{
  const AssayResultSource *source = results->source;
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autoptr (AssayResultCell) cell = NULL;
  g_autofree char *message = NULL;
  AssayCellRecord record = { 0 };

  if (!assay_store_cell (source->store, index, &record, error))
    return FALSE;
  message = record.message;
  if (record.status == ASSAY_CELL_PENDING) {
    *ret_cell = NULL;
    return TRUE;
  }
  cell = new_cell (results, assay_plan_cell (source->plan, index), error);
  if (cell == NULL)
    return FALSE;
  cell->status = assay_results_status (record.status);
  cell->message = message != NULL ? g_steal_pointer (&message) : g_strdup ("");
  cell->seconds = record.seconds;
  g_array_append_val (indices, index);
  if (!assay_starts_describe (source->plan, source->store, indices, cell, error))
    return FALSE;
  if (is_measured
      && (!assay_results_audit (results, index, &cell->audit, error)
          || !measure_cell (results, indices, "metric", cell, error)))
    return FALSE;
  *ret_cell = g_steal_pointer (&cell);
  return TRUE;
}

gboolean
assay_results_each_cell (const AssayResults *results, gboolean is_measured, AssayResultUse use,
                         gpointer data, GError **error)
{
  for (gsize i = 0; i < results->n_planned; i++) {
    g_autoptr (AssayResultCell) cell = NULL;

    if (!assay_results_cell (results, i, is_measured, &cell, error)
        || (cell != NULL && !use (cell, data, error)))
      return FALSE;
  }
  return TRUE;
}

static char *
describe_bad (const AssayResultCell *pooled, guint n_bad, guint64 trials, const char *error)
{
  return g_strdup_printf ("%u of %" G_GUINT64_FORMAT " trials %s%s%s", n_bad, trials,
                          pooled->is_only_missing ? "were not run" : "did not end well",
                          error != NULL ? ": " : "", error != NULL ? error : "");
}

static gboolean
is_of_release (const char *message)
{
  return message != NULL && g_str_has_prefix (message, ASSAY_SAYS_OF_RELEASE);
}

/* An error outweighs a lost control. */
static gboolean
pool_status (const AssayResultSource *source, const GArray *indices, AssayResultCell *result,
             GError **error)
{
  g_autofree char *said = NULL;   /* in the first trial, or the first that has it of the release */
  g_autofree char *failed = NULL; /* what the first error was */
  guint n_bad = 0, n_missing = 0;

  for (guint t = 0; t < indices->len; t++) {
    AssayCellRecord record = { 0 };
    AssayResultStatus status;

    if (!assay_store_cell (source->store, g_array_index (indices, gsize, t), &record, error))
      return FALSE;
    status = assay_results_status (record.status);
    if (failed == NULL && status == ASSAY_RESULT_ERROR && record.status != ASSAY_CELL_PENDING)
      failed = assay_text_plain (record.message); /* others' words, in one line */
    if (t == 0 || (is_of_release (record.message) && !is_of_release (said))) {
      g_free (said);
      said = g_steal_pointer (&record.message);
    }
    g_free (record.message);
    n_bad += record.status != ASSAY_CELL_OK;
    n_missing += record.status == ASSAY_CELL_PENDING;
    result->status = MAX (result->status, status);
  }
  result->is_only_missing = n_missing > 0 && n_missing == n_bad;
  result->message = n_bad > 0 ? describe_bad (result, n_bad, source->plan->trials, failed)
                              : g_strdup (said != NULL ? said : "");
  return TRUE;
}

/* Of a program the control is like its cells (core/games/control-like.h), and played beside that of
 * a trial that is drawn. Where none could be made, it won the small one that every run has. Other
 * attacks, which know nothing of it, have that too; they are asked for one of the cell's own shape
 * where they found little (core/games/control-shape.h), and may have lost it. */
static gboolean
find_like_control (const AssayResultSource *source, const GArray *indices, AssayResultCell *result,
                   GError **error)
{
  const AssayCell *first = assay_plan_cell (source->plan, g_array_index (indices, gsize, 0));
  const AssayComponent *attack = first->utility == ASSAY_NO_COMPONENT
                                     ? assay_plan_component (source->plan->attacks, first->attack)
                                     : NULL;
  AssayControlOutcome outcome;
  gboolean is_there = FALSE;

  if (attack == NULL || attack->plugin->type != ASSAY_PLUGIN_ATTACK
      || attack->attack->control.make_like == NULL)
    return TRUE;
  for (guint t = 0; t < indices->len && !is_there; t++) {
    g_autofree char *key
        = assay_run_like_control_key (first->attack, g_array_index (indices, gsize, t));

    if (!assay_store_control (source->store, key, &outcome, &is_there, error))
      return FALSE;
  }
  if (!assay_control_shape_has (attack->attack))
    result->has_small_control = !is_there;
  if (!assay_control_shape_has (attack->attack) || !is_there || outcome.is_won)
    return TRUE;
  result->lost_shape.n = outcome.n;
  result->lost_shape.share = outcome.share;
  return TRUE;
}

gboolean
assay_results_pooled_cell (const AssayResults *results, gsize first, AssayResultCell **ret_cell,
                           GError **error)
{
  const AssayPlan *plan = results->source->plan;
  g_autoptr (GArray) indices = assay_pool_trials (plan, first);
  g_autoptr (AssayResultCell) result = new_cell (results, assay_plan_cell (plan, first), error);
  AssayCell pooled = *assay_plan_cell (plan, first);

  if (result == NULL)
    return FALSE;
  pooled.trial = ASSAY_ALL_TRIALS;
  g_free (result->id);
  result->id = assay_plan_cell_id (plan, &pooled);
  result->trial = -1;
  if (!pool_status (results->source, indices, result, error)
      || !find_like_control (results->source, indices, result, error)
      || !assay_starts_describe (plan, results->source->store, indices, result, error)
      || !measure_cell (results, indices, "metric-pooled", result, error))
    return FALSE;
  *ret_cell = g_steal_pointer (&result);
  return TRUE;
}
