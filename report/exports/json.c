/* results.json. */
#include <math.h>

#include "core/base/json.h"
#include "report/exports/exports.h"

/* On one line: numbers as they are, exact. */
static void
write_settings (AssayJson *json, const AssayResultSettings *settings)
{
  const gboolean was_compact = json->is_compact;

  assay_json_write (json, "settings {");
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
  assay_json_key (json, key);
  assay_json_begin_object (json);
  if (has_label)
    assay_json_write (json, "label %s", component->label);
  assay_json_write (json, "plugin %s", component->plugin);
  if (component->remark != NULL)
    assay_json_write (json, "remark %s", component->remark);
  write_settings (json, component->settings);
}

void
assay_report_json_strings (AssayJson *json, const char *key, const GPtrArray *strings)
{
  assay_json_key (json, key);
  assay_json_begin_array (json);
  ASSAY_FOR_EACH (const char, string, strings)
    assay_json_string (json, string);
  assay_json_end_array (json);
}

static void
write_grants (AssayJson *json, const AssayResultComponent *attack)
{
  assay_json_write (json, "grants [");
  for (guint i = 0; attack->grants[i] != NULL; i++)
    assay_json_string (json, attack->grants[i]);
  assay_json_end_array (json);
}

static void
write_measurement (AssayJson *json, const AssayMeasurement *measurement)
{
  const AssayInterval *interval = &measurement->interval;

  assay_json_write (json, "{measure %s estimate %g lower %g upper %g confidence %g n %zu",
                    measurement->measure->name, interval->estimate, interval->lower,
                    interval->upper, measurement->confidence, interval->n);
  if (interval->n_groups > 0)
    assay_json_write (json, "groups %zu", interval->n_groups);
  assay_json_write (json, "method %s unit %s", interval->method, measurement->measure->unit);
  write_settings (json, measurement->metric->settings);
  assay_json_end_object (json);
}

/* What a game with the mechanism itself chose and counted. */
static void
write_audit (AssayJson *json, const AssayAuditRecord *audit)
{
  const AssayAudit *counts = &audit->counts;
  const AssayPairsRecord *pairs = &audit->pairs;

  assay_json_write (json, "audit {event %s delta %g", audit->says, counts->delta);
  if (counts->kind == ASSAY_AUDIT_ONE_RUN) {
    assay_json_write (json, "guesses %zu right %zu canaries %zu}", counts->runs, counts->hits,
                      counts->mistakes);
    return;
  }
  assay_json_write (json, "pair %u of-second-input %i trained-on %zu", audit->pair,
                    audit->is_swapped, audit->trained_on);
  assay_json_write (json, "pairs {tried %u offered %u of-defense %u decisive %s}", pairs->tried,
                    pairs->offered, pairs->own, pairs->decisive != NULL ? pairs->decisive : "");
  assay_json_write (json, "runs %zu hits %zu mistakes %zu}", counts->runs, counts->hits,
                    counts->mistakes);
}

/* The object of a component with nothing else in it. */
static void
write_component (AssayJson *json, const char *key, const AssayResultComponent *component)
{
  assay_report_json_component (json, key, component, TRUE);
  assay_json_end_object (json);
}

static void
write_cell (AssayJson *json, const AssayResultCell *cell)
{
  assay_json_write (json, "{id %s", cell->id);
  if (cell->trial >= 0)
    assay_json_write (json, "trial %ld", cell->trial);
  assay_json_write (json, "status %s message %s", assay_result_status_name (cell->status),
                    cell->message);
  assay_report_json_component (json, "dataset", cell->dataset, FALSE);
  assay_json_write (json, "sha256 %s}", cell->dataset->sha256);
  write_component (json, "defense", cell->defense);
  assay_report_json_component (json, cell->is_utility ? "utility" : "attack",
                               cell->attack_or_utility, TRUE);
  if (!cell->is_utility)
    write_grants (json, cell->attack_or_utility);
  assay_json_end_object (json);
  if (cell->n_starts > 0)
    assay_json_write (json, "starts %u", cell->n_starts);
  if (isfinite (cell->confidence))
    assay_json_write (json, "confidence %g", cell->confidence);
  assay_json_write (json, "measurements [");
  ASSAY_FOR_EACH_IN (const AssayMeasurement, measurement, cell->measurements)
    write_measurement (json, measurement);
  assay_json_end_array (json);
  if (cell->omitted->len > 0)
    assay_report_json_strings (json, "left_out", cell->omitted);
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
write_tunings (AssayJson *json, const GArray *tunings, guint64 tune_secrets)
{
  assay_json_write (json, "tuning [");
  ASSAY_FOR_EACH_IN (const AssayResultTuning, tuning, tunings) {
    assay_json_begin_object (json);
    write_component (json, "defense", tuning->defense);
    write_component (json, "attack", tuning->attack);
    assay_json_write (json, "measure %s secrets %zu candidates [", tuning->measure, tune_secrets);
    for (guint c = 0; c < tuning->n_candidates; c++) {
      assay_json_begin_object (json);
      write_settings (json, assay_result_component (tuning->candidates, c)->settings);
      assay_json_write (json, "estimate %g}", tuning->estimates[c]);
    }
    assay_json_write (json, "]}");
  }
  assay_json_end_array (json);
}

static void
write_controls (AssayJson *json, const GArray *controls)
{
  assay_json_write (json, "controls [");
  ASSAY_FOR_EACH_IN (const AssayResultControl, control, controls) {
    assay_json_begin_object (json);
    write_component (json, "attack", control->attack);
    if (control->defense != NULL)
      write_component (json, "defense", control->defense);
    assay_json_write (json, "says %s won %i share %g at-least %g n %zu}", control->says,
                      control->is_won, control->share, control->at_least, control->n);
  }
  assay_json_end_array (json);
}

/* How many independent units the secrets are. */
static void
write_units (AssayJson *json, const GArray *all)
{
  assay_json_write (json, "units [");
  ASSAY_FOR_EACH_IN (const AssayResultUnits, units, all) {
    assay_json_begin_object (json);
    assay_report_json_component (json, "dataset", units->dataset, FALSE);
    assay_json_write (json, "} secrets %zu labelled %zu equal %zu by-chance %i", units->secrets,
                      units->labelled, units->equal, units->is_by_chance);
    assay_json_write (json, "near %zu units %zu clusters %zu effective %g", units->near,
                      units->units, units->clusters, units->effective);
    if (units->says != NULL)
      assay_json_write (json, "says %s", units->says);
    assay_json_end_object (json);
  }
  assay_json_end_array (json);
}

static void
write_skipped (AssayJson *json, const GArray *skipped)
{
  assay_json_write (json, "skipped [");
  ASSAY_FOR_EACH_IN (const AssaySkip, skip, skipped)
    assay_json_write (json, "{defense %s attack %s reason %s}", skip->defense, skip->attack,
                      skip->reason);
  assay_json_end_array (json);
}

static void
write_hypothesis (AssayJson *json, const AssayResultHypothesis *hypothesis, gboolean is_epsilon)
{
  const AssayInterval *interval = &hypothesis->interval;

  assay_json_write (json, "{cell %s bound %g estimate %g lower %g upper %g n %zu excluded %s",
                    hypothesis->cell->id, hypothesis->bound, interval->estimate, interval->lower,
                    interval->upper, interval->n, hypothesis->why_not);
  assay_json_write (json, "p_violated %g adjusted_violated %g p_upheld %g adjusted_upheld %g",
                    hypothesis->p_violated, hypothesis->adjusted_violated, hypothesis->p_upheld,
                    hypothesis->adjusted_upheld);
  assay_json_write (json, "detectable %g units_needed %g", hypothesis->detectable,
                    hypothesis->units_needed);
  if (is_epsilon)
    assay_json_write (json, "delta %g power %g power_at %g power_measured %i", hypothesis->delta,
                      hypothesis->power, hypothesis->power_at, hypothesis->is_power_measured);
  assay_json_end_object (json);
}

/* The numbers of the hypothesis that decided; null where none did. */
static void
write_decisive (AssayJson *json, const AssayResultClaim *claim)
{
  static const AssayResultHypothesis none
      = { .interval = { .estimate = NAN, .lower = NAN, .upper = NAN },
          .p_violated = NAN,
          .adjusted_violated = NAN,
          .detectable = NAN,
          .test_lower = NAN,
          .test_upper = NAN };
  const AssayResultHypothesis *found = assay_result_decisive (claim);
  const AssayResultHypothesis *one = found != NULL ? found : &none;
  const gboolean is_upheld = found != NULL && claim->verdict == ASSAY_VERDICT_UPHELD;

  assay_json_write (json, "estimate %g lower %g upper %g n %zu", one->interval.estimate,
                    one->interval.lower, one->interval.upper, one->interval.n);
  assay_json_write (json, "p_value %g adjusted_p %g", is_upheld ? one->p_upheld : one->p_violated,
                    is_upheld ? one->adjusted_upheld : one->adjusted_violated);
  assay_json_write (json, "verdict %s reason %s", assay_verdict_name (claim->verdict),
                    claim->reason);
  assay_json_write (json, "detectable %g test %s test_lower %g test_upper %g", one->detectable,
                    one->test, one->test_lower, one->test_upper);
}

/* A secret; or the pair of inputs and the event that tells them apart. */
static void
write_witness (AssayJson *json, guint64 seed, const AssayResultWitness *witness)
{
  assay_json_write (json, "cell %s seed %zu trial %ld", witness->cell, seed, witness->trial);
  if (witness->audit == NULL) {
    assay_json_write (json, "secret %zu", witness->secret);
  } else {
    if (witness->audit->counts.kind == ASSAY_AUDIT_TWO_INPUTS)
      assay_json_write (json, "pair %u", witness->audit->pair);
    assay_json_write (json, "event %s", witness->audit->says);
  }
  assay_json_write (json, "outcome %g", witness->outcome);
}

/* Empty where the verdict is another than that little was recovered. */
static void
write_attackers (AssayJson *json, const AssayResultAttackers *attackers)
{
  assay_json_write (json, "attackers {");
  if (attackers->tried != NULL) {
    gpointer *game = attackers->games->pdata;

    assay_json_write (json, "tried [");
    ASSAY_FOR_EACH (const AssayResultComponent, attack, attackers->tried)
      assay_json_write (json, "{attack %s game %s knows %s}", attack->label,
                        (const char *) *game++, attack->knows);
    assay_json_end_array (json);
    assay_report_json_strings (json, "not_tried", attackers->not_tried);
    assay_json_write (json, "adaptive %i", attackers->is_adaptive);
  }
  assay_json_end_object (json);
}

static void
write_claim (AssayJson *json, guint64 seed, const AssayResultClaim *result)
{
  assay_json_write (json, "{id %s says %s source %s measure %s", result->id, result->says,
                    result->source, result->measure->name);
  assay_json_member_double (json, result->is_at_most ? "at-most" : "at-least",
                            assay_result_claim_bound (result));
  assay_json_write (json, "confidence %g", result->confidence);
  write_decisive (json, result);
  assay_json_write (json, "witness {");
  if (result->witness.is_set)
    write_witness (json, seed, &result->witness);
  assay_json_end_object (json);
  write_attackers (json, &result->attackers);
  assay_json_write (json, "hypotheses [");
  ASSAY_FOR_EACH_IN (const AssayResultHypothesis, hypothesis, result->hypotheses)
    write_hypothesis (json, hypothesis, result->measure->is_epsilon);
  assay_json_write (json, "]}");
}

static void
write_baseline (AssayJson *json, const AssayResultBaseline *baseline)
{
  assay_json_write (json, "baseline {folder %s compared %u worse %u open %i", baseline->folder,
                    baseline->n_compared, baseline->worse->len, baseline->is_open);
  assay_report_json_strings (json, "got_worse", baseline->worse);
  assay_report_json_strings (json, "notes", baseline->notes);
  assay_json_end_object (json);
}

gboolean
assay_report_write_json (const AssayResults *results, AssayJson *json, GError **error)
{
  assay_json_write (json, "{format %s", "assay-results/1");
  assay_report_write_version (json);
  assay_json_write (json, "scenario {title %s reference %s sha256 %s plan %s", results->title,
                    results->reference, results->scenario_sha256, results->plan_sha256);
  assay_report_seal_json (results, json);
  assay_json_write (json, "seed %zu trials %zu secrets %zu}", results->seed, results->trials,
                    results->secrets);
  assay_report_write_plugins (json, results->plugins, FALSE);
  if (results->n_missing > 0)
    assay_json_write (json, "missing_cells %zu", results->n_missing);
  assay_json_write (json, "cells [");
  if (!assay_results_each_cell (results, TRUE, write_one, json, error))
    return FALSE;
  assay_json_write (json, "] pooled [");
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled)
    write_cell (json, cell);
  assay_json_end_array (json);
  write_tunings (json, results->tunings, results->tune_secrets);
  write_controls (json, results->controls);
  write_units (json, results->units);
  write_skipped (json, results->skipped);
  assay_json_write (json, "claims [");
  ASSAY_FOR_EACH (const AssayResultClaim, claim, results->claims)
    write_claim (json, results->seed, claim);
  assay_json_end_array (json);
  if (results->mutants != NULL)
    assay_report_mutants_json (results->mutants, json);
  if (results->baseline != NULL)
    write_baseline (json, results->baseline);
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
