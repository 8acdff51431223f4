/* What changed since a baseline: for a terminal, the exports of results, and baseline.json. */
#include <math.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "report/exports/exports.h"

/* ---- In words ---- */

/* "recovery-rate", or "recovery-rate tau=0.3" where the metric has other settings besides. */
static char *
name_measure (const AssayComparison *one)
{
  const AssayResultComponent *metric = one->metric;
  const gsize length = strlen (metric->label);
  const gboolean varies = !one->cell->is_utility && g_str_has_prefix (metric->name, metric->label)
                          && metric->name[length] == ' ';

  return g_strconcat (one->measure->name, varies ? metric->name + length : "", NULL);
}

/* By names, which hold the settings that vary within the run; what changed since the baseline is
 * told beside it. */
static char *
say_worse (const AssayComparison *one)
{
  const gboolean is_utility = one->cell->is_utility;
  g_autofree char *measure = name_measure (one);
  g_autofree char *before = assay_report_value (one->measure, one->before);
  g_autofree char *after = assay_report_value (one->measure, one->after);

  return g_strdup_printf ("%s, %s %s %s %s: %s to %s; %s (%+.4g on average over %zu %s, p = %.3g, "
                          "%s)",
                          measure, is_utility ? "utility" : "attack",
                          one->cell->attack_or_utility->name, is_utility ? "of" : "against",
                          one->cell->defense->name, before, after, one->measure->direction,
                          one->test.difference, one->test.n, is_utility ? "units" : "secrets",
                          one->adjusted, one->test.method);
}

static void G_GNUC_PRINTF (2, 3) take_note (AssayResultBaseline *result, const char *format, ...)
{
  g_autofree char *note = NULL;
  va_list values;

  va_start (values, format);
  note = g_strdup_vprintf (format, values);
  va_end (values);
  g_ptr_array_add (result->notes, assay_text_plain (note)); /* some are of what a store says */
}

AssayResultBaseline *
assay_report_baseline_result (const AssayBaseline *baseline)
{
  AssayResultBaseline *result = assay_result_baseline_new (baseline->folder);
  /* A gate that names its measures does not ask for metrics. */
  const gboolean is_lost
      = baseline->n_lost > 0 || (baseline->run == NULL && baseline->n_lost_metrics > 0);

  result->n_compared = baseline->comparisons->len;
  result->is_open = is_lost || baseline->less != NULL
                    || baseline->n_uncompared + baseline->n_no_evidence > 0;
  ASSAY_FOR_EACH (const char, change, baseline->changes)
    take_note (result, "changed: %s", change);
  ASSAY_FOR_EACH (const char, left_out, baseline->left_out)
    take_note (result, "not compared: %s", left_out);
  if (baseline->n_uncompared > 0)
    take_note (result, "%u could not be compared: only one of the runs measured them",
               baseline->n_uncompared);
  if (is_lost)
    take_note (result, "what the baseline alone has may have got worse: expected it in both runs, "
                       "or a new baseline");
  if (baseline->less != NULL)
    take_note (result,
               "it was asked for less than the baseline, by which something may have got worse "
               "unseen: %s",
               baseline->less);
  if (baseline->n_no_evidence > 0)
    take_note (result,
               "%u of external guesses show nothing: they have no control, and did not get worse",
               baseline->n_no_evidence);
  ASSAY_FOR_EACH_IN (const AssayComparison, one, baseline->comparisons) {
    if (one->is_worse)
      g_ptr_array_add (result->worse, say_worse (one));
  }
  return result;
}

char *
assay_report_baseline_sentence (const AssayResultBaseline *baseline)
{
  return g_strdup_printf ("%u of %u comparison%s got worse", baseline->worse->len,
                          baseline->n_compared, baseline->n_compared == 1 ? "" : "s");
}

/* ---- For a terminal ---- */

char *
assay_report_baseline (const AssayBaseline *baseline)
{
  g_autoptr (AssayResultBaseline) result = assay_report_baseline_result (baseline);
  g_autofree char *sentence = assay_report_baseline_sentence (result);
  GString *text = g_string_new ("\n");

  if (baseline->run != NULL)
    g_string_append_printf (text, "%s ", baseline->run);
  g_string_append_printf (text, "against baseline %s: %s\n", baseline->folder, sentence);
  ASSAY_FOR_EACH (const char, note, result->notes)
    g_string_append_printf (text, "  %s\n", note);
  ASSAY_FOR_EACH (const char, worse, result->worse)
    g_string_append_printf (text, "  worse: %s\n", worse);
  return g_string_free (text, FALSE);
}

/* ---- baseline.json, and the member of results.json ---- */

char *
assay_report_baseline_json (const AssayBaseline *baseline)
{
  AssayJson *json = assay_json_new ();

  assay_json_write (json, "{format %s worse %u uncompared %u no_evidence %u", "assay-baseline/1",
                    baseline->n_worse, baseline->n_uncompared, baseline->n_no_evidence);
  assay_report_json_strings (json, "changed", baseline->changes);
  assay_report_json_strings (json, "not_compared", baseline->left_out);
  assay_json_write (json, "comparisons [");
  ASSAY_FOR_EACH_IN (const AssayComparison, one, baseline->comparisons)
    assay_json_write (json,
                      "{cell %s measure %s before %g after %g difference %g n %zu p_value %g "
                      "adjusted_p %g method %s worse %i}",
                      one->cell->id, one->measure->name, one->before, one->after,
                      one->test.difference, one->test.n, one->test.p_worse, one->adjusted,
                      one->test.method, one->is_worse);
  assay_json_write (json, "]}");
  return assay_json_finish (json);
}
