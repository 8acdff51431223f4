/* Plain results: what is said of them without the plan and store that they were made of. */
#include "runner/judge/results.h"

#include <string.h>

#include "core/base/text.h"

const char *
assay_result_status_name (AssayResultStatus status)
{
  static const char *const names[] = {
    [ASSAY_RESULT_OK] = "ok",
    [ASSAY_RESULT_CONTROL_FAILED] = "control-failed",
    [ASSAY_RESULT_ERROR] = "error",
  };

  return names[status];
}

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

const char *
assay_result_setting (const AssayResultSettings *settings, const char *name)
{
  for (gsize i = 0; settings != NULL && i < settings->n; i++)
    if (g_str_equal (settings->all[i].name, name))
      return settings->all[i].value;
  return NULL;
}

/* ---- Numbers in sentences ---- */

char *
assay_result_value (const AssayResultMeasure *measure, double value)
{
  return measure->is_share ? assay_text_percent (value) : g_strdup_printf ("%.4g", value);
}

/* Without the sign of per cent. */
static char *
say_number (const AssayResultMeasure *measure, double value)
{
  char *text = assay_result_value (measure, value);

  if (measure->is_share)
    text[strlen (text) - strlen (" %")] = '\0';
  return text;
}

char *
assay_result_range (const AssayResultMeasure *measure, double lower, double upper)
{
  g_autofree char *from = say_number (measure, lower);
  g_autofree char *to = assay_result_value (measure, upper);

  return g_strdup_printf ("%s to %s", from, to);
}

char *
assay_result_interval (const AssayResultMeasure *measure, const AssayInterval *interval)
{
  g_autofree char *estimate = assay_result_value (measure, interval->estimate);
  g_autofree char *lower = say_number (measure, interval->lower);
  g_autofree char *upper = say_number (measure, interval->upper);

  return g_strdup_printf ("%s [%s, %s]", estimate, lower, upper);
}

/* ---- Cells ---- */

const AssayMeasurement *
assay_result_find_by (const AssayResultCell *cell, const AssayResultMeasure *measure,
                      const AssayResultComponent *metric)
{
  ASSAY_FOR_EACH_IN (const AssayMeasurement, one, cell->measurements) {
    /* The metric may be that of another run than the measure. */
    if (metric == NULL ? one->measure == measure
                       : one->metric == metric && g_str_equal (one->measure->name, measure->name))
      return one;
  }
  return NULL;
}

const AssayMeasurement *
assay_result_short_reach (const AssayResultCell *cell)
{
  ASSAY_FOR_EACH_IN (const AssayMeasurement, one, cell->measurements) {
    if (one->measure->is_reach && one->interval.estimate < 1)
      return one;
  }
  return NULL;
}

gboolean
assay_result_lacks_control (const AssayResultCell *cell)
{
  return !cell->is_utility && (!cell->attack_or_utility->has_control || cell->has_small_control);
}

/* ---- Claims ---- */

const AssayResultHypothesis *
assay_result_decisive (const AssayResultClaim *claim)
{
  return claim->decisive >= 0
             ? &g_array_index (claim->hypotheses, AssayResultHypothesis, claim->decisive)
             : NULL;
}

double
assay_result_claim_bound (const AssayResultClaim *claim)
{
  const AssayResultHypothesis *decisive = assay_result_decisive (claim);

  return decisive != NULL ? decisive->bound : claim->bound;
}

guint
assay_results_count (const AssayResults *results, AssayVerdict verdict)
{
  guint count = 0;

  for (guint i = 0; i < results->claims->len; i++)
    count += ((const AssayResultClaim *) results->claims->pdata[i])->verdict == verdict;
  return count;
}

/* ---- Freeing ---- */

ASSAY_FREE_FUNC (AssayResultCell, assay_result_cell_free, g_free (self->id), g_free (self->message),
                 g_free (self->suspect), g_array_unref (self->measurements),
                 g_ptr_array_unref (self->omitted), assay_audit_record_free (self->audit))

static ASSAY_FREE_FUNC (AssayResultComponent, component_free, g_free ((gpointer) self->grants),
                        assay_drop (self->candidates, g_ptr_array_unref),
                        assay_drop (self->measures, g_ptr_array_unref))

static ASSAY_FREE_FUNC (AssayResultSettings, settings_free, g_free (self->all))

static ASSAY_CLEAR_FUNC (AssayResultTuning, tuning_clear, g_free (self->estimates))

static ASSAY_CLEAR_FUNC (AssayResultHypothesis, hypothesis_clear, g_free (self->why_not))

static ASSAY_FREE_FUNC (AssayResultClaim, claim_free, g_free (self->reason), g_free (self->note),
                        g_array_unref (self->hypotheses), g_free (self->witness.cell),
                        assay_audit_record_free (self->witness.audit),
                        assay_drop (self->attackers.tried, g_ptr_array_unref),
                        assay_drop (self->attackers.games, g_ptr_array_unref),
                        assay_drop (self->attackers.not_tried, g_ptr_array_unref),
                        g_free (self->attackers.says))

static ASSAY_FREE_FUNC (AssayResultContactSheet, sheet_free, g_ptr_array_unref (self->columns))

GPtrArray *
assay_result_components_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) component_free);
}

AssayResultClaim *
assay_result_claim_new (void)
{
  AssayResultClaim *claim = g_new0 (AssayResultClaim, 1);

  claim->decisive = -1;
  claim->hypotheses = g_array_new (FALSE, TRUE, sizeof (AssayResultHypothesis));
  g_array_set_clear_func (claim->hypotheses, (GDestroyNotify) hypothesis_clear);
  return claim;
}

const AssayResultUnits *
assay_result_units (const AssayResults *results, const AssayResultComponent *dataset)
{
  ASSAY_FOR_EACH_IN (const AssayResultUnits, units, results->units) {
    if (units->dataset == dataset)
      return units;
  }
  return NULL;
}

AssayResults *
assay_results_new (void)
{
  AssayResults *results = g_new0 (AssayResults, 1);

  results->datasets = assay_result_components_new ();
  results->defenses = assay_result_components_new ();
  results->attacks = assay_result_components_new ();
  results->utilities = assay_result_components_new ();
  results->metrics = assay_result_components_new ();
  results->skipped = g_array_new (FALSE, FALSE, sizeof (AssaySkip));
  results->plugins = g_array_new (FALSE, FALSE, sizeof (AssayLoaded));
  results->bad = g_array_new (FALSE, FALSE, sizeof (AssayResultBad));
  results->pooled = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_result_cell_free);
  results->shown = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_result_cell_free);
  results->tunings = g_array_new (FALSE, FALSE, sizeof (AssayResultTuning));
  g_array_set_clear_func (results->tunings, (GDestroyNotify) tuning_clear);
  results->controls = g_array_new (FALSE, FALSE, sizeof (AssayResultControl));
  results->units = g_array_new (FALSE, FALSE, sizeof (AssayResultUnits));
  results->claims = g_ptr_array_new_with_free_func ((GDestroyNotify) claim_free);
  results->sheets = g_ptr_array_new_with_free_func ((GDestroyNotify) sheet_free);
  results->words = g_string_chunk_new (1024);
  results->settings = g_ptr_array_new_with_free_func ((GDestroyNotify) settings_free);
  results->measures = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return results;
}

/* ---- The audit of the audit ---- */

static const char *const mutant_verdicts[] = {
  [ASSAY_MUTANT_SEEN] = "seen",
  [ASSAY_MUTANT_STOPPED] = "stopped",
  [ASSAY_MUTANT_MISSED] = "missed",
  [ASSAY_MUTANT_ABSENT] = "does not apply",
  [ASSAY_MUTANT_FAILED] = "failed",
};

const char *
assay_mutant_verdict_name (AssayMutantVerdict verdict)
{
  return mutant_verdicts[verdict];
}

void
assay_result_mutant_clear (gpointer data)
{
  AssayResultMutant *mutant = data;

  g_free (mutant->family);
  g_free (mutant->id);
  g_free (mutant->says);
  g_free (mutant->seen_by);
  g_free (mutant->claim);
  g_free (mutant->reason);
}

ASSAY_FREE_FUNC (AssayResultMutants, assay_result_mutants_free, g_array_unref (self->all),
                 g_free (self->plan_sha256), g_free (self->claims_sha256),
                 g_free (self->data_sha256), g_free (self->note), g_free (self->version))

AssayResultBaseline *
assay_result_baseline_new (const char *folder)
{
  AssayResultBaseline *baseline = g_new0 (AssayResultBaseline, 1);

  baseline->folder = g_strdup (folder);
  baseline->worse = g_ptr_array_new_with_free_func (g_free);
  baseline->notes = g_ptr_array_new_with_free_func (g_free);
  return baseline;
}

ASSAY_FREE_FUNC (AssayResultBaseline, assay_result_baseline_free, g_free (self->folder),
                 g_ptr_array_unref (self->worse), g_ptr_array_unref (self->notes))

/* ---- All of it ---- */

ASSAY_FREE_FUNC (AssayResults, assay_results_free, g_ptr_array_unref (self->datasets),
                 g_ptr_array_unref (self->defenses), g_ptr_array_unref (self->attacks),
                 g_ptr_array_unref (self->utilities), g_ptr_array_unref (self->metrics),
                 g_array_unref (self->skipped), g_array_unref (self->plugins),
                 g_array_unref (self->bad), g_ptr_array_unref (self->pooled),
                 g_ptr_array_unref (self->shown), g_array_unref (self->tunings),
                 g_array_unref (self->controls), g_array_unref (self->units),
                 g_ptr_array_unref (self->claims), g_ptr_array_unref (self->sheets),
                 g_string_chunk_free (self->words), g_ptr_array_unref (self->settings),
                 g_hash_table_unref (self->measures), g_free (self->size),
                 assay_result_mutants_free (self->mutants),
                 assay_result_baseline_free (self->baseline), g_free (self->source),
                 g_free (self->replay_with))
