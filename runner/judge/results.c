/* What a run found. */
#include "runner/judge/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner/judge/judge.h"
#include "runner/judge/pool.h"
#include "runner/judge/sheets.h"
#include "runner/plan/claim.h"
#include "runner/run/run.h"

const char *
assay_cell_status_name (AssayCellStatus status)
{
  switch (status) {
  case ASSAY_CELL_OK:
    return "ok";
  case ASSAY_CELL_CONTROL_FAILED:
    return "control-failed";
  case ASSAY_CELL_PENDING:
  case ASSAY_CELL_ERROR:
  case ASSAY_CELL_CRASHED:
    break;
  }
  return "error";
}

const AssayMeasurement *
assay_result_find (const AssayResultCell *cell, const char *name)
{
  for (guint i = 0; i < cell->measurements->len; i++) {
    const AssayMeasurement *measurement = &g_array_index (cell->measurements, AssayMeasurement, i);

    if (g_str_equal (measurement->measure->name, name))
      return measurement;
  }
  return NULL;
}

const AssayMeasurement *
assay_result_short_reach (const AssayResultCell *cell)
{
  for (guint i = 0; i < cell->measurements->len; i++) {
    const AssayMeasurement *measurement = &g_array_index (cell->measurements, AssayMeasurement, i);

    if (measurement->measure->is_reach && measurement->interval.estimate < 1)
      return measurement;
  }
  return NULL;
}

gboolean
assay_result_lacks_control (const AssayPlan *plan, const AssayResultCell *cell)
{
  return !cell->is_utility
         && !assay_attack_has_control (
             (const AssayAttack *) assay_plan_part (plan->attacks, cell->player.index)->plugin);
}

double
assay_result_claim_bound (const AssayResultClaim *result)
{
  if (result->decisive >= 0)
    return g_array_index (result->hypotheses, AssayResultHypothesis, result->decisive).bound;
  return result->claim->is_claimed ? NAN : result->claim->bound;
}

void
assay_result_cell_free (AssayResultCell *cell)
{
  if (cell == NULL)
    return;
  g_free (cell->id);
  g_free (cell->message);
  g_array_unref (cell->measurements);
  g_ptr_array_unref (cell->left_out);
  assay_audit_record_free (cell->audit);
  g_free (cell);
}

static void
tuning_clear (gpointer data)
{
  g_free (((AssayResultTuning *) data)->estimates);
}

void
assay_results_free (AssayResults *results)
{
  if (results == NULL)
    return;
  g_array_unref (results->bad);
  g_string_chunk_free (results->messages);
  g_ptr_array_unref (results->pooled);
  g_ptr_array_unref (results->shown);
  g_array_unref (results->tunings);
  g_array_unref (results->controls);
  g_ptr_array_unref (results->hashes);
  g_ptr_array_unref (results->claims);
  g_clear_pointer (&results->sheets, g_ptr_array_unref);
  g_free (results);
}

/* @settings: those that tuning chose, or NULL for the part's own. */
static AssayResultPart
part_of (const GPtrArray *parts, guint index, const AssaySettings *settings)
{
  const AssayPart *part = assay_plan_part (parts, index);

  return (AssayResultPart){ .index = index,
                            .label = part->label,
                            .name = part->name,
                            .plugin = part->plugin->id,
                            .settings = settings != NULL ? settings : part->settings };
}

static AssayResultCell *
new_cell (const AssayResults *results, const AssayCell *cell, GError **error)
{
  const AssayPlan *plan = results->plan;
  const AssaySettings *settings = NULL;
  AssayResultCell *result;
  guint candidate;

  if (!assay_run_attack_settings (plan, results->store, cell, &settings, &candidate, error))
    return NULL;
  result = g_new0 (AssayResultCell, 1);
  result->id = assay_plan_cell_id (plan, cell);
  result->trial = cell->trial;
  result->dataset_sha256 = results->hashes->pdata[cell->dataset];
  result->dataset = part_of (plan->datasets, cell->dataset, NULL);
  result->defense = part_of (plan->defenses, cell->defense, NULL);
  result->is_utility = cell->utility != ASSAY_NO_PART;
  if (result->is_utility) {
    result->player = part_of (plan->utilities, cell->utility, NULL);
  } else {
    result->player = part_of (plan->attacks, cell->attack, settings);
    result->grants = assay_plan_part (plan->attacks, cell->attack)->grants;
  }
  result->measurements = g_array_new (FALSE, FALSE, sizeof (AssayMeasurement));
  result->left_out = g_ptr_array_new_with_free_func (g_free);
  return result;
}

/* Every measure of metric @metric over the cells @indices. */
static gboolean
measure (const AssayPlan *plan, AssayStore *store, const GArray *indices, guint metric,
         const char *role, AssayResultCell *result, GError **error)
{
  const AssayCell *cell = assay_plan_cell (plan, g_array_index (indices, gsize, 0));
  const AssayPart *part = assay_plan_measuring (plan, cell, metric);
  const AssayMetric *plugin = (const AssayMetric *) part->plugin;
  g_autofree char *attack = assay_settings_canonical (result->player.settings);
  AssayPool pool;
  gboolean is_ok = assay_pool_fill (&pool, plan, store, indices, metric, error);

  for (const AssayMeasure *m = plugin->measures; is_ok && m->name != NULL; m++) {
    g_autoptr (AssaySample) sample = assay_pool_sample (&pool, m);
    g_autofree char *upstream = g_strdup_printf ("%s%s\n%s", attack, part->canonical, m->name);
    AssayMeasurement measurement
        = { .measure = m, .confidence = plan->confidence, .settings = part->settings };

    if (pool.left_out[m->series] != NULL)
      g_ptr_array_add (result->left_out, g_strdup_printf ("%s is left out: %s", m->name,
                                                          pool.left_out[m->series]));
    if (sample == NULL)
      continue;
    measurement.interval = assay_sample_interval (
        sample, plan->confidence, assay_plan_stream (plan, cell, role, upstream));
    g_array_append_val (result->measurements, measurement);
  }
  assay_pool_clear (&pool);
  return is_ok;
}

static gboolean
measure_cell (const AssayPlan *plan, AssayStore *store, const GArray *indices, const char *role,
              AssayResultCell *result, GError **error)
{
  const AssayCell *cell = assay_plan_cell (plan, g_array_index (indices, gsize, 0));

  for (guint m = 0; m < assay_plan_n_measuring (plan, cell); m++)
    if (!measure (plan, store, indices, m, role, result, error))
      return FALSE;
  return TRUE;
}

/* The counts of an audit stand among the outcomes. */
static gboolean
add_counts (const AssayPlan *plan, AssayStore *store, gsize index, AssayAuditRecord *audit,
            GError **error)
{
  for (guint m = 0; audit != NULL && m < plan->metrics->len; m++) {
    const AssayMetric *metric = (const AssayMetric *) assay_plan_part (plan->metrics, m)->plugin;
    AssayOutcomes outcomes = { 0 };

    if (metric->audit == NULL)
      continue;
    if (!assay_pool_outcomes (plan, store, index, m, &outcomes, error))
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
  g_autoptr (AssayAuditRecord) audit = NULL;
  AssayCellRecord record = { 0 };

  if (!assay_store_cell (results->store, index, &record, error))
    return FALSE;
  g_free (record.message);
  /* One that was begun and has not ended may have left its event already. */
  if (record.status != ASSAY_CELL_PENDING
      && (!assay_audit_load (results->store, index, &audit, error)
          || !add_counts (results->plan, results->store, index, audit, error)))
    return FALSE;
  *ret_audit = g_steal_pointer (&audit);
  return TRUE;
}

gboolean
assay_results_cell (const AssayResults *results, gsize index, gboolean is_measured,
                    AssayResultCell **ret_cell, GError **error)
{
  const AssayPlan *plan = results->plan;
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autoptr (AssayResultCell) cell = NULL;
  g_autofree char *message = NULL;
  AssayCellRecord record = { 0 };

  if (!assay_store_cell (results->store, index, &record, error))
    return FALSE;
  message = record.message;
  if (record.status == ASSAY_CELL_PENDING) {
    *ret_cell = NULL;
    return TRUE;
  }
  cell = new_cell (results, assay_plan_cell (plan, index), error);
  if (cell == NULL)
    return FALSE;
  cell->status = record.status;
  cell->message = message != NULL ? g_steal_pointer (&message) : g_strdup ("");
  cell->seconds = record.seconds;
  g_array_append_val (indices, index);
  if (is_measured
      && (!assay_results_audit (results, index, &cell->audit, error)
          || !measure_cell (plan, results->store, indices, "metric", cell, error)))
    return FALSE;
  *ret_cell = g_steal_pointer (&cell);
  return TRUE;
}

/* How many cells there are, and which of them did not end well. */
static gboolean
count_cell (AssayResults *results, gsize index, GError **error)
{
  AssayCellRecord record = { 0 };
  AssayResultBad bad;

  if (!assay_store_cell (results->store, index, &record, error))
    return FALSE;
  results->n_missing += record.status == ASSAY_CELL_PENDING;
  results->n_cells += record.status != ASSAY_CELL_PENDING;
  if (record.status != ASSAY_CELL_PENDING && record.status != ASSAY_CELL_OK) {
    bad = (AssayResultBad){ .cell = assay_plan_cell (results->plan, index),
                            .status = record.status,
                            .message = g_string_chunk_insert_const (
                                results->messages, record.message != NULL ? record.message : "") };
    g_array_append_val (results->bad, bad);
  }
  g_free (record.message);
  return TRUE;
}

/* Cells that differ in their trial only. Trial 0 stands first in the plan. */
static gboolean
add_pooled (const AssayPlan *plan, AssayStore *store, gsize first, AssayResults *results,
            GError **error)
{
  g_autoptr (GArray) indices = assay_pool_trials (plan, first);
  AssayResultCell *result = new_cell (results, assay_plan_cell (plan, first), error);
  AssayCell pooled = *assay_plan_cell (plan, first);
  guint n_bad = 0;

  if (result == NULL)
    return FALSE;
  g_ptr_array_add (results->pooled, result);
  pooled.trial = ASSAY_ALL_TRIALS;
  g_free (result->id);
  result->id = assay_plan_cell_id (plan, &pooled);
  result->trial = -1;
  result->status = ASSAY_CELL_OK;
  for (guint t = 0; t < indices->len; t++) {
    AssayCellRecord record = { 0 };

    if (!assay_store_cell (store, g_array_index (indices, gsize, t), &record, error))
      return FALSE;
    g_free (record.message);
    if (record.status == ASSAY_CELL_OK)
      continue;
    n_bad++;
    if (result->status != ASSAY_CELL_ERROR)
      result->status = record.status == ASSAY_CELL_CONTROL_FAILED ? ASSAY_CELL_CONTROL_FAILED
                                                                   : ASSAY_CELL_ERROR;
  }
  result->message = n_bad > 0 ? g_strdup_printf ("%u of %" G_GUINT64_FORMAT
                                                 " trials did not end well",
                                                 n_bad, plan->trials)
                              : g_strdup ("");
  return measure_cell (plan, store, indices, "metric-pooled", result, error);
}

static gboolean
add_all_pooled (const AssayPlan *plan, AssayStore *store, AssayResults *results, GError **error)
{
  for (gsize i = 0; i < plan->cells->len; i++)
    if (assay_plan_cell (plan, i)->trial == 0
        && !add_pooled (plan, store, i, results, error))
      return FALSE;
  return TRUE;
}

static gboolean
add_tuning (const AssayPlan *plan, AssayStore *store, const AssayCell *cell, AssayResults *results,
            GError **error)
{
  const AssayPart *attack = assay_plan_part (plan->attacks, cell->attack);
  AssayResultTuning tuning = { .measure = attack->tune_measure,
                               .secrets = plan->tune_secrets,
                               .candidates = attack->candidates };

  if (!assay_store_tuning (store, cell->dataset, cell->defense, cell->attack, &tuning.chosen,
                           &tuning.estimates, &tuning.n_candidates, error))
    return FALSE;
  if (tuning.estimates == NULL)
    return TRUE;
  tuning.defense = part_of (plan->defenses, cell->defense, NULL);
  tuning.attack = part_of (plan->attacks, cell->attack, attack->candidates->pdata[tuning.chosen]);
  g_array_append_val (results->tunings, tuning);
  return TRUE;
}

static gboolean
add_controls (const AssayPlan *plan, AssayStore *store, guint index, AssayResults *results,
              GError **error)
{
  const AssayPart *part = assay_plan_part (plan->attacks, index);
  const AssayAttack *attack = (const AssayAttack *) part->plugin;
  const guint n = part->candidates != NULL ? part->candidates->len : 1;

  for (guint c = 0; c < n; c++) {
    g_autofree char *key = assay_run_control_key (index, c);
    g_autofree char *text = NULL;
    AssayResultControl control = { .says = attack->control.says,
                                   .at_least = attack->control.at_least };
    g_auto (GStrv) words = NULL;

    if (!assay_store_get (store, key, &text, error))
      return FALSE;
    words = text != NULL ? g_strsplit (text, " ", 3) : NULL;
    if (words == NULL || g_strv_length (words) != 3)
      continue;
    control.attack = part_of (plan->attacks, index,
                              part->candidates != NULL ? part->candidates->pdata[c] : NULL);
    control.is_won = g_str_equal (words[0], "won");
    control.share = g_ascii_strtod (words[1], NULL);
    control.n = g_ascii_strtoull (words[2], NULL, 10);
    g_array_append_val (results->controls, control);
  }
  return TRUE;
}

static gboolean
load_hashes (const AssayPlan *plan, AssayStore *store, AssayResults *results, GError **error)
{
  for (guint d = 0; d < plan->datasets->len; d++) {
    g_autofree char *key = g_strdup_printf ("dataset.%u.sha256", d);
    char *sha256 = NULL;

    if (!assay_store_get (store, key, &sha256, error))
      return FALSE;
    g_ptr_array_add (results->hashes, sha256);
  }
  return TRUE;
}

AssayResults *
assay_results_load (const AssayPlan *plan, AssayStore *store, GError **error)
{
  g_autoptr (AssayResults) results = g_new0 (AssayResults, 1);

  results->plan = plan;
  results->store = store;
  results->bad = g_array_new (FALSE, FALSE, sizeof (AssayResultBad));
  results->messages = g_string_chunk_new (1024);
  results->pooled = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_result_cell_free);
  results->shown = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_result_cell_free);
  results->tunings = g_array_new (FALSE, FALSE, sizeof (AssayResultTuning));
  g_array_set_clear_func (results->tunings, tuning_clear);
  results->controls = g_array_new (FALSE, FALSE, sizeof (AssayResultControl));
  results->claims = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_result_claim_free);
  results->hashes = g_ptr_array_new_with_free_func (g_free);
  if (!load_hashes (plan, store, results, error))
    return NULL;
  for (gsize i = 0; i < plan->cells->len; i++)
    if (!count_cell (results, i, error))
      return NULL;
  if (!add_all_pooled (plan, store, results, error))
    return NULL;
  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);

    if (cell->trial == 0 && assay_plan_player (plan, cell)->candidates != NULL
        && !add_tuning (plan, store, cell, results, error))
      return NULL;
  }
  for (guint a = 0; a < plan->attacks->len; a++)
    if (!add_controls (plan, store, a, results, error))
      return NULL;
  results->sheets = assay_sheets_load (results, store, error);
  if (results->sheets == NULL || !assay_judge (results, store, error))
    return NULL;
  return g_steal_pointer (&results);
}
