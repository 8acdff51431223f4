/* results.json. */
#include <math.h>

#include "core/base/json.h"
#include "report/exports/exports.h"
#include "report/exports/json-component.h"

/* On one line: numbers as they are, exact. */
static void
write_settings (AssayJson *json, const AssayResultSettings *settings)
{
  const gboolean was_compact = json->is_compact;

  assay_json_member_object (json, "settings");
  json->is_compact = TRUE;
  for (gsize i = 0; i < settings->n; i++) {
    const AssayResultSetting *setting = &settings->all[i];

    assay_json_key (json, setting->name);
    if (setting->type == ASSAY_RESULT_NUMBER)
      assay_json_raw (json, setting->value);
    else if (setting->type == ASSAY_RESULT_BOOL)
      assay_json_bool (json, g_str_equal (setting->value, "yes"));
    else
      assay_json_string (json, setting->value);
  }
  assay_json_end_object (json);
  json->is_compact = was_compact;
}

void
assay_report_json_component (AssayJson *json, const char *key,
                             const AssayResultComponent *component, gboolean has_label)
{
  assay_json_member_object (json, key);
  if (has_label)
    assay_json_member_string (json, "label", component->label);
  assay_json_member_string (json, "plugin", component->plugin);
  if (component->remark != NULL)
    assay_json_member_string (json, "remark", component->remark);
  write_settings (json, component->settings);
}

static void
write_grants (AssayJson *json, const AssayResultComponent *attack)
{
  assay_json_member_array (json, "grants");
  for (guint i = 0; attack->grants[i] != NULL; i++)
    assay_json_string (json, attack->grants[i]);
  assay_json_end_array (json);
}

static void
write_measurement (AssayJson *json, const AssayMeasurement *measurement)
{
  const AssayInterval *interval = &measurement->interval;

  assay_json_begin_object (json);
  assay_json_member_string (json, "measure", measurement->measure->name);
  assay_json_member_double (json, "estimate", interval->estimate);
  assay_json_member_double (json, "lower", interval->lower);
  assay_json_member_double (json, "upper", interval->upper);
  assay_json_member_double (json, "confidence", measurement->confidence);
  assay_json_member_int (json, "n", (gint64) interval->n);
  if (interval->n_groups > 0)
    assay_json_member_int (json, "groups", (gint64) interval->n_groups);
  assay_json_member_string (json, "method", interval->method);
  assay_json_member_string (json, "unit", measurement->measure->unit);
  write_settings (json, measurement->metric->settings);
  assay_json_end_object (json);
}

static void
write_pairs (AssayJson *json, const AssayPairsRecord *pairs)
{
  assay_json_member_object (json, "pairs");
  assay_json_member_int (json, "tried", pairs->tried);
  assay_json_member_int (json, "offered", pairs->offered);
  assay_json_member_int (json, "of-defense", pairs->own);
  assay_json_member_string (json, "decisive", pairs->decisive != NULL ? pairs->decisive : "");
  assay_json_end_object (json);
}

/* What a game with the mechanism itself chose and counted. */
static void
write_audit (AssayJson *json, const AssayAuditRecord *audit)
{
  const gboolean is_one_run = audit->counts.kind == ASSAY_AUDIT_ONE_RUN;

  assay_json_member_object (json, "audit");
  assay_json_member_string (json, "event", audit->says);
  assay_json_member_double (json, "delta", audit->counts.delta);
  if (!is_one_run) {
    assay_json_member_int (json, "pair", audit->pair);
    assay_json_member_bool (json, "of-second-input", audit->is_swapped);
    assay_json_member_int (json, "trained-on", (gint64) audit->trained_on);
    write_pairs (json, &audit->pairs);
  }
  assay_json_member_int (json, is_one_run ? "guesses" : "runs", (gint64) audit->counts.runs);
  assay_json_member_int (json, is_one_run ? "right" : "hits", (gint64) audit->counts.hits);
  assay_json_member_int (json, is_one_run ? "canaries" : "mistakes",
                         (gint64) audit->counts.mistakes);
  assay_json_end_object (json);
}

static void
write_cell (AssayJson *json, const AssayResultCell *cell)
{
  assay_json_begin_object (json);
  assay_json_member_string (json, "id", cell->id);
  if (cell->trial >= 0)
    assay_json_member_int (json, "trial", cell->trial);
  assay_json_member_string (json, "status", assay_result_status_name (cell->status));
  assay_json_member_string (json, "message", cell->message);
  assay_report_json_component (json, "dataset", cell->dataset, FALSE);
  assay_json_member_string (json, "sha256", cell->dataset->sha256);
  assay_json_end_object (json);
  assay_report_json_component (json, "defense", cell->defense, TRUE);
  assay_json_end_object (json);
  assay_report_json_component (json, cell->is_utility ? "utility" : "attack",
                               cell->attack_or_utility, TRUE);
  if (!cell->is_utility)
    write_grants (json, cell->attack_or_utility);
  assay_json_end_object (json);
  if (cell->n_starts > 0)
    assay_json_member_int (json, "starts", cell->n_starts);
  if (isfinite (cell->confidence))
    assay_json_member_double (json, "confidence", cell->confidence);
  assay_json_member_array (json, "measurements");
  for (guint i = 0; i < cell->measurements->len; i++)
    write_measurement (json, assay_result_measurement (cell, i));
  assay_json_end_array (json);
  if (cell->omitted->len > 0) {
    assay_json_member_array (json, "left_out");
    for (guint i = 0; i < cell->omitted->len; i++)
      assay_json_string (json, cell->omitted->pdata[i]);
    assay_json_end_array (json);
  }
  if (cell->audit != NULL)
    write_audit (json, cell->audit);
  assay_json_end_object (json);
}

static gboolean
write_one (const AssayResultCell *cell, gpointer json, G_GNUC_UNUSED GError **error)
{
  write_cell (json, cell);
  return TRUE;
}

static void
write_pooled (AssayJson *json, const GPtrArray *cells)
{
  assay_json_member_array (json, "pooled");
  for (guint i = 0; i < cells->len; i++)
    write_cell (json, cells->pdata[i]);
  assay_json_end_array (json);
}

static void
write_tunings (AssayJson *json, const GArray *tunings, guint64 tune_secrets)
{
  assay_json_member_array (json, "tuning");
  ASSAY_FOR_EACH_IN (const AssayResultTuning, tuning, tunings) {
    assay_json_begin_object (json);
    assay_report_json_component (json, "defense", tuning->defense, TRUE);
    assay_json_end_object (json);
    assay_report_json_component (json, "attack", tuning->attack, TRUE);
    assay_json_end_object (json);
    assay_json_member_string (json, "measure", tuning->measure);
    assay_json_member_int (json, "secrets", (gint64) tune_secrets);
    assay_json_member_array (json, "candidates");
    for (guint c = 0; c < tuning->n_candidates; c++) {
      assay_json_begin_object (json);
      write_settings (json, assay_result_component (tuning->candidates, c)->settings);
      assay_json_member_double (json, "estimate", tuning->estimates[c]);
      assay_json_end_object (json);
    }
    assay_json_end_array (json);
    assay_json_end_object (json);
  }
  assay_json_end_array (json);
}

static void
write_controls (AssayJson *json, const GArray *controls)
{
  assay_json_member_array (json, "controls");
  ASSAY_FOR_EACH_IN (const AssayResultControl, control, controls) {
    assay_json_begin_object (json);
    assay_report_json_component (json, "attack", control->attack, TRUE);
    assay_json_end_object (json);
    if (control->defense != NULL) {
      assay_report_json_component (json, "defense", control->defense, TRUE);
      assay_json_end_object (json);
    }
    assay_json_member_string (json, "says", control->says);
    assay_json_member_bool (json, "won", control->is_won);
    assay_json_member_double (json, "share", control->share);
    assay_json_member_double (json, "at-least", control->at_least);
    assay_json_member_int (json, "n", (gint64) control->n);
    assay_json_end_object (json);
  }
  assay_json_end_array (json);
}

/* How many independent units the secrets are. */
static void
write_units (AssayJson *json, const GArray *all)
{
  assay_json_member_array (json, "units");
  ASSAY_FOR_EACH_IN (const AssayResultUnits, units, all) {
    assay_json_begin_object (json);
    assay_report_json_component (json, "dataset", units->dataset, FALSE);
    assay_json_end_object (json);
    assay_json_member_int (json, "secrets", (gint64) units->secrets);
    assay_json_member_int (json, "labelled", (gint64) units->labelled);
    assay_json_member_int (json, "equal", (gint64) units->equal);
    assay_json_member_bool (json, "by-chance", units->is_by_chance);
    assay_json_member_int (json, "near", (gint64) units->near);
    assay_json_member_int (json, "units", (gint64) units->units);
    assay_json_member_int (json, "clusters", (gint64) units->clusters);
    assay_json_member_double (json, "effective", units->effective);
    if (units->says != NULL)
      assay_json_member_string (json, "says", units->says);
    assay_json_end_object (json);
  }
  assay_json_end_array (json);
}

static void
write_skipped (AssayJson *json, const GArray *skipped)
{
  assay_json_member_array (json, "skipped");
  ASSAY_FOR_EACH_IN (const AssaySkip, skip, skipped) {
    assay_json_begin_object (json);
    assay_json_member_string (json, "defense", skip->defense);
    assay_json_member_string (json, "attack", skip->attack);
    assay_json_member_string (json, "reason", skip->reason);
    assay_json_end_object (json);
  }
  assay_json_end_array (json);
}

static void
write_bool (AssayJson *json, const char *key, gboolean value)
{
  assay_json_key (json, key);
  assay_json_bool (json, value);
}

static void
write_hypothesis (AssayJson *json, const AssayResultHypothesis *hypothesis, gboolean is_epsilon)
{
  assay_json_begin_object (json);
  assay_json_member_string (json, "cell", hypothesis->cell->id);
  assay_json_member_double (json, "bound", hypothesis->bound);
  assay_json_member_double (json, "estimate", hypothesis->interval.estimate);
  assay_json_member_double (json, "lower", hypothesis->interval.lower);
  assay_json_member_double (json, "upper", hypothesis->interval.upper);
  assay_json_member_int (json, "n", (gint64) hypothesis->interval.n);
  assay_json_member_string (json, "excluded", hypothesis->why_not);
  assay_json_member_double (json, "p_violated", hypothesis->p_violated);
  assay_json_member_double (json, "adjusted_violated", hypothesis->adjusted_violated);
  assay_json_member_double (json, "p_upheld", hypothesis->p_upheld);
  assay_json_member_double (json, "adjusted_upheld", hypothesis->adjusted_upheld);
  assay_json_member_double (json, "detectable", hypothesis->detectable);
  assay_json_member_double (json, "units_needed", hypothesis->units_needed);
  if (is_epsilon) {
    assay_json_member_double (json, "delta", hypothesis->delta);
    assay_json_member_double (json, "power", hypothesis->power);
    assay_json_member_double (json, "power_at", hypothesis->power_at);
    write_bool (json, "power_measured", hypothesis->is_power_measured);
  }
  assay_json_end_object (json);
}

/* The numbers of the hypothesis that decided; null where none did. */
static void
write_decisive (AssayJson *json, const AssayResultClaim *claim)
{
  const AssayResultHypothesis *one = assay_result_decisive (claim);
  const gboolean is_upheld = claim->verdict == ASSAY_VERDICT_UPHELD;

  assay_json_member_double (json, "estimate", one != NULL ? one->interval.estimate : NAN);
  assay_json_member_double (json, "lower", one != NULL ? one->interval.lower : NAN);
  assay_json_member_double (json, "upper", one != NULL ? one->interval.upper : NAN);
  assay_json_member_int (json, "n", one != NULL ? (gint64) one->interval.n : 0);
  assay_json_member_double (json, "p_value",
                            one == NULL ? NAN
                            : is_upheld ? one->p_upheld
                                        : one->p_violated);
  assay_json_member_double (json, "adjusted_p",
                            one == NULL ? NAN
                            : is_upheld ? one->adjusted_upheld
                                        : one->adjusted_violated);
  assay_json_member_string (json, "verdict", assay_verdict_name (claim->verdict));
  assay_json_member_string (json, "reason", claim->reason);
  assay_json_member_double (json, "detectable", one != NULL ? one->detectable : NAN);
  assay_json_member_string (json, "test", one != NULL ? one->test : NULL);
  assay_json_member_double (json, "test_lower", one != NULL ? one->test_lower : NAN);
  assay_json_member_double (json, "test_upper", one != NULL ? one->test_upper : NAN);
}

/* A secret; or the pair of inputs and the event that tells them apart. */
static void
write_witness (AssayJson *json, guint64 seed, const AssayResultWitness *witness)
{
  assay_json_member_string (json, "cell", witness->cell);
  assay_json_member_int (json, "seed", (gint64) seed);
  assay_json_member_int (json, "trial", witness->trial);
  if (witness->audit == NULL) {
    assay_json_member_int (json, "secret", (gint64) witness->secret);
  } else {
    if (witness->audit->counts.kind == ASSAY_AUDIT_TWO_INPUTS)
      assay_json_member_int (json, "pair", witness->audit->pair);
    assay_json_member_string (json, "event", witness->audit->says);
  }
  assay_json_member_double (json, "outcome", witness->outcome);
}

/* Empty where the verdict is another than that little was recovered. */
static void
write_attackers (AssayJson *json, const AssayResultAttackers *attackers)
{
  assay_json_member_object (json, "attackers");
  if (attackers->tried != NULL) {
    gpointer *game = attackers->games->pdata;

    assay_json_member_array (json, "tried");
    ASSAY_FOR_EACH (const AssayResultComponent, attack, attackers->tried) {
      assay_json_begin_object (json);
      assay_json_member_string (json, "attack", attack->label);
      assay_json_member_string (json, "game", *game++);
      assay_json_member_string (json, "knows", attack->knows);
      assay_json_end_object (json);
    }
    assay_json_end_array (json);
    assay_json_member_array (json, "not_tried");
    ASSAY_FOR_EACH (const char, id, attackers->not_tried)
      assay_json_string (json, id);
    assay_json_end_array (json);
    write_bool (json, "adaptive", attackers->is_adaptive);
  }
  assay_json_end_object (json);
}

static void
write_claim (AssayJson *json, guint64 seed, const AssayResultClaim *result)
{
  assay_json_begin_object (json);
  assay_json_member_string (json, "id", result->id);
  assay_json_member_string (json, "says", result->says);
  assay_json_member_string (json, "source", result->source);
  assay_json_member_string (json, "measure", result->measure->name);
  assay_json_member_double (json, result->is_at_most ? "at-most" : "at-least",
                            assay_result_claim_bound (result));
  assay_json_member_double (json, "confidence", result->confidence);
  write_decisive (json, result);
  assay_json_member_object (json, "witness");
  if (result->witness.is_set)
    write_witness (json, seed, &result->witness);
  assay_json_end_object (json);
  write_attackers (json, &result->attackers);
  assay_json_member_array (json, "hypotheses");
  for (guint h = 0; h < result->hypotheses->len; h++)
    write_hypothesis (json, &g_array_index (result->hypotheses, AssayResultHypothesis, h),
                      result->measure->is_epsilon);
  assay_json_end_array (json);
  assay_json_end_object (json);
}

gboolean
assay_report_write_json (const AssayResults *results, AssayJson *json, GError **error)
{
  assay_json_begin_object (json);
  assay_json_member_string (json, "format", "assay-results/1");
  assay_report_write_version (json);
  assay_json_member_object (json, "scenario");
  assay_json_member_string (json, "title", results->title);
  assay_json_member_string (json, "reference", results->reference);
  assay_json_member_string (json, "sha256", results->scenario_sha256);
  assay_json_member_string (json, "plan", results->plan_sha256);
  assay_report_seal_json (results, json);
  assay_json_member_int (json, "seed", (gint64) results->seed);
  assay_json_member_int (json, "trials", (gint64) results->trials);
  assay_json_member_int (json, "secrets", (gint64) results->secrets);
  assay_json_end_object (json);
  assay_report_write_plugins (json, results->plugins, FALSE);
  if (results->n_missing > 0)
    assay_json_member_int (json, "missing_cells", (gint64) results->n_missing);
  assay_json_member_array (json, "cells");
  if (!assay_results_each_cell (results, TRUE, write_one, json, error))
    return FALSE;
  assay_json_end_array (json);
  write_pooled (json, results->pooled);
  write_tunings (json, results->tunings, results->tune_secrets);
  write_controls (json, results->controls);
  write_units (json, results->units);
  write_skipped (json, results->skipped);
  assay_json_member_array (json, "claims");
  for (guint i = 0; i < results->claims->len; i++)
    write_claim (json, results->seed, results->claims->pdata[i]);
  assay_json_end_array (json);
  if (results->mutants != NULL)
    assay_report_mutants_json (results->mutants, json);
  assay_json_end_object (json);
  return TRUE;
}

char *
assay_report_json (const AssayResults *results, GError **error)
{
  g_autoptr (AssayJson) json = assay_json_new ();

  if (!assay_report_write_json (results, json, error))
    return NULL;
  return assay_json_finish (g_steal_pointer (&json));
}
