/* What changed since a baseline: for a terminal, and as baseline.json. */

#include "core/base/json.h"
#include "report/exports/exports.h"

static char *
name_of (const AssayResultComponent *component)
{
  const char *settings = component->settings->line;

  return g_strdup_printf ("%s%s%s%s", component->label, *settings != '\0' ? " (" : "", settings,
                          *settings != '\0' ? ")" : "");
}

static void
append_lines (GString *text, const char *what, const GPtrArray *lines)
{
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (text, "  %s: %s\n", what, (const char *) lines->pdata[i]);
}

char *
assay_report_baseline (const AssayBaseline *baseline)
{
  GString *text = g_string_new ("\n");

  if (baseline->run != NULL)
    g_string_append_printf (text, "%s ", baseline->run);
  g_string_append_printf (text, "against baseline %s: %u of %u comparison%s got worse\n",
                          baseline->folder, baseline->n_worse, baseline->comparisons->len,
                          baseline->comparisons->len == 1 ? "" : "s");
  append_lines (text, "changed", baseline->changes);
  append_lines (text, "not compared", baseline->left_out);
  if (baseline->n_uncompared > 0)
    g_string_append_printf (text,
                            "  %u could not be compared: only one of the runs measured them\n",
                            baseline->n_uncompared);
  if (baseline->n_lost > 0 || (baseline->run == NULL && baseline->n_lost_metrics > 0))
    g_string_append (text, "  what the baseline alone has may have got worse: expected it in both "
                           "runs, or a new baseline\n");
  if (baseline->less != NULL)
    g_string_append_printf (text,
                            "  it was asked for less than the baseline, by which something may "
                            "have got worse unseen: %s\n",
                            baseline->less);
  if (baseline->n_no_evidence > 0)
    g_string_append_printf (text,
                            "  %u of external guesses show nothing: they have no control, "
                            "and did not get worse\n",
                            baseline->n_no_evidence);
  ASSAY_FOR_EACH_IN (const AssayComparison, one, baseline->comparisons) {
    g_autofree char *attack_or_utility = name_of (one->cell->attack_or_utility);
    g_autofree char *defense = name_of (one->cell->defense);
    const gboolean is_utility = one->cell->is_utility;

    if (one->is_worse)
      g_string_append_printf (
          text, "  worse: %s, %s %s %s %s: %+.4g on average over %zu %s (p = %.3g, %s)\n",
          one->measure->name, is_utility ? "utility" : "attack", attack_or_utility,
          is_utility ? "of" : "against", defense, one->test.difference, one->test.n,
          is_utility ? "units" : "secrets", one->adjusted, one->test.method);
  }
  return g_string_free (text, FALSE);
}

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
                      "{cell %s measure %s difference %g n %zu p_value %g adjusted_p %g method %s "
                      "worse %i}",
                      one->cell->id, one->measure->name, one->test.difference, one->test.n,
                      one->test.p_worse, one->adjusted, one->test.method, one->is_worse);
  assay_json_write (json, "]}");
  return assay_json_finish (json);
}
