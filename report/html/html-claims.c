/* What a run found, in words: the summary on top of report.html, and a card for each claim. */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "report/exports/exports.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

/* Cells of all claims that stand in the page. */
#define MOST_HYPOTHESES 2000

/* A sign beside the colour, for those who do not see it. */
static const char *const signs[] = {
  [ASSAY_VERDICT_UPHELD] = "\u2713",
  [ASSAY_VERDICT_VIOLATED] = "\u2717",
  [ASSAY_VERDICT_UNREFUTED] = "\u2248",
  [ASSAY_VERDICT_INCONCLUSIVE] = "?",
};

/* What asks for something to be done stands first. */
static const AssayVerdict by_weight[] = { ASSAY_VERDICT_VIOLATED, ASSAY_VERDICT_INCONCLUSIVE,
                                          ASSAY_VERDICT_UNREFUTED, ASSAY_VERDICT_UPHELD };

/* ---- The summary ---- */

static void
append_tally (GString *html, const AssayResults *results)
{
  if (results->claims->len == 0)
    return;
  g_string_append (html, "<ul class=\"tally\" aria-label=\"Verdicts\">\n");
  for (guint v = 0; v < G_N_ELEMENTS (by_weight); v++) {
    const guint count = assay_results_count (results, by_weight[v]);

    if (count > 0)
      g_string_append_printf (html, "<li class=\"%s\">%s %u %s</li>\n",
                              assay_verdict_name (by_weight[v]), signs[by_weight[v]], count,
                              assay_verdict_name (by_weight[v]));
  }
  g_string_append (html, "</ul>\n");
}

static void
append_notices (GString *html, const AssayResults *results)
{
  guint n_lost = 0;
  guint n_errors;

  for (guint i = 0; i < results->bad->len; i++)
    n_lost += g_array_index (results->bad, AssayResultBad, i).status == ASSAY_RESULT_CONTROL_FAILED;
  n_errors = results->bad->len - n_lost;
  if (results->n_missing > 0)
    g_string_append_printf (html,
                            "<p class=\"notice\" id=\"unfinished\"><strong>Unfinished.</strong> "
                            "%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                            " cells have not been run: what stands here "
                            "is of the others, and no claim about a missing cell is decided. "
                            "<code>assay run</code> with <code>--resume</code> goes on.</p>\n",
                            results->n_missing, results->n_planned);
  if (n_errors > 0)
    g_string_append_printf (html,
                            "<p class=\"notice\"><strong>Errors.</strong> %u cell%s ended in an "
                            "error; <a href=\"#exceptions\">below</a> is why.</p>\n",
                            n_errors, n_errors == 1 ? "" : "s");
  if (n_lost > 0)
    g_string_append_printf (html,
                            "<p class=\"notice\"><strong>Lost controls.</strong> In %u cell%s the "
                            "attack lost a case that it must win: that it found little there says "
                            "nothing. <a href=\"#controls\">Controls</a></p>\n",
                            n_lost, n_lost == 1 ? "" : "s");
}

void
assay_html_summary (GString *html, const AssayResults *results)
{

  g_string_append (html, "<header>\n<h1>");
  assay_html_name (html, results->title);
  g_string_append (html, "</h1>\n");
  if (results->reference != NULL) {
    g_string_append (html, "<p class=\"soft\">");
    assay_html_name (html, results->reference);
    g_string_append (html, "</p>\n");
  }
  g_string_append_printf (html, "<p>Seed %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " trial%s",
                          results->seed, results->trials, results->trials == 1 ? "" : "s");
  g_string_append (html, results->size);
  g_string_append_printf (html, ", %g&nbsp;%% intervals.</p>\n", 100 * results->confidence);
  append_tally (html, results);
  append_notices (html, results);
  g_string_append (html, "</header>\n");
}

/* ---- A claim ---- */

/* "of secrets", of "share of secrets"; other units in brackets. */
static void
append_unit (GString *html, const AssayResultMeasure *measure)
{
  if (measure->is_epsilon)
    return;
  if (measure->is_share) {
    assay_html_text (html, measure->unit + strlen ("share"));
    return;
  }
  g_string_append (html, " (");
  assay_html_text (html, measure->unit);
  g_string_append_c (html, ')');
}

static void
append_pair (GString *html, const AssayResultCell *cell)
{
  g_string_append (html, cell->is_utility ? "utility <strong>" : "attack <strong>");
  assay_html_name (html, cell->attack_or_utility->name);
  g_string_append (html, cell->is_utility ? "</strong> of <strong>" : "</strong> against <strong>");
  assay_html_name (html, cell->defense->name);
  g_string_append (html, "</strong>");
}

static void
append_p_value (GString *html, double p)
{
  g_autofree char *shown = g_strdup_printf ("%.3g", p);

  if (!isfinite (p))
    return;
  g_string_append (html, ", adjusted p&nbsp;=&nbsp;");
  assay_html_number (html, p, shown);
}

/* "violated: attack database against lifting dimension=8: recovery-rate is 93.2 % [91, 95] of
 * secrets (n = 400); the claim allows at most 10 %." */
static void
append_finding (GString *html, const AssayResultClaim *result)
{
  const AssayResultHypothesis *one = assay_result_decisive (result);

  if (one == NULL)
    return;
  g_string_append (html, "<p class=\"finding\">");
  append_pair (html, one->cell);
  g_string_append (html, ": ");
  assay_html_element (html, "code", result->measure->name);
  g_string_append (html, " is <strong>");
  assay_html_interval (html, result->measure, &one->interval);
  g_string_append (html, "</strong>");
  append_unit (html, result->measure);
  g_string_append (html, "; the claim allows at ");
  g_string_append (html, result->is_at_most ? "most <strong>" : "least <strong>");
  assay_html_value (html, result->measure, one->bound);
  g_string_append (html, "</strong>.</p>\n");
  g_string_append (html, "<p class=\"soft\">n&nbsp;=&nbsp;");
  assay_html_count (html, one->interval.n);
  g_string_append_printf (html, ", confidence %g&nbsp;%%", 100 * result->confidence);
  append_p_value (html, result->verdict == ASSAY_VERDICT_UPHELD ? one->adjusted_upheld
                                                                : one->adjusted_violated);
  g_string_append (html, ".</p>\n");
}

/* The command that plays the witness again. */
static void
append_replay (GString *html, const AssayResults *results, const AssayResultClaim *result)
{
  g_autofree char *file = g_path_get_basename (results->scenario);
  g_autofree char *scenario = g_shell_quote (file);
  g_autofree char *id = g_shell_quote (result->id);
  g_autofree char *command = g_strdup_printf ("assay run %s --witness %s", scenario, id);

  g_string_append (html, "<pre><code>");
  assay_html_text (html, command);
  g_string_append (html, "</code></pre>\n<p class=\"soft\">plays it again, with the same "
                         "<code>--out</code>, <code>--set</code>, <code>--seed</code> and "
                         "<code>--trials</code> as the run if it had any.</p>\n");
}

static void
append_witness (GString *html, const AssayResults *results, const AssayResultClaim *result)
{
  const AssayResultWitness *witness = &result->witness;
  g_autofree char *outcome = assay_html_plain (witness->outcome);

  if (!witness->is_set)
    return;
  g_string_append (html, "<p><strong>Witness:</strong> ");
  if (witness->audit != NULL) {
    g_string_append (html, "the event <q>");
    assay_html_text (html, witness->audit->says);
    g_string_append (html, "</q> certifies ");
  } else {
    g_string_append_printf (html, "%s %" G_GUINT64_FORMAT " has ",
                            result->is_of_utility ? "unit" : "secret", witness->secret);
  }
  assay_html_element (html, "code", result->measure->name);
  g_string_append_c (html, ' ');
  assay_html_number (html, witness->outcome, outcome);
  g_string_append_printf (html,
                          ", in cell <code>%s</code> (trial %" G_GINT64_FORMAT
                          ", seed %" G_GUINT64_FORMAT ").</p>\n",
                          witness->cell, witness->trial, results->seed);
  append_replay (html, results, result);
}

static void
append_number_cell (GString *html, double value)
{
  g_autofree char *shown = assay_html_plain (value);

  g_string_append (html, "<td class=\"n\">");
  assay_html_number (html, value, shown);
  g_string_append (html, "</td>");
}

static void
append_hypothesis (GString *html, const AssayResultHypothesis *one, gboolean is_decisive)
{
  g_string_append (html, is_decisive ? "<tr class=\"best\"><td>" : "<tr><td>");
  append_pair (html, one->cell);
  g_string_append (html, "</td><td>");
  assay_html_dataset (html, one->cell->dataset);
  g_string_append (html, "</td>");
  append_number_cell (html, one->bound);
  append_number_cell (html, one->interval.estimate);
  append_number_cell (html, one->interval.lower);
  append_number_cell (html, one->interval.upper);
  append_number_cell (html, (double) one->interval.n);
  append_number_cell (html, one->adjusted_violated);
  append_number_cell (html, one->adjusted_upheld);
  append_number_cell (html, one->detectable);
  g_string_append (html, "<td>");
  assay_html_text (html, one->why_not);
  g_string_append (html, "</td></tr>\n");
}

static void
append_hypotheses (GString *html, const AssayResults *results, const AssayResultClaim *result)
{
  const guint n = result->hypotheses->len;
  const guint share = MAX (1, MOST_HYPOTHESES / results->claims->len);
  const guint shown = MIN (n, MIN (share, ASSAY_HTML_MOST_ROWS));

  if (n == 0)
    return;
  g_string_append_printf (html, "<details><summary>%u cell%s that the claim is about</summary>\n",
                          n, n == 1 ? "" : "s");
  assay_html_begin_table (html, NULL, "Cells of the claim",
                          "cell|dataset|#bound|#estimate|#lower|#upper|#n|#adjusted p, violated|"
                          "#adjusted p, upheld|#detectable|decides nothing because");
  for (guint i = 0; i < shown; i++)
    append_hypothesis (html, &g_array_index (result->hypotheses, AssayResultHypothesis, i),
                       (gint) i == result->decisive);
  assay_html_end_table (html);
  assay_html_say_rest (html, shown, n, "cells", "results.json");
  g_string_append (html, "</details>\n");
}

/* Of a claim that is decided it says what stands above it. */
static void
append_reason (GString *html, const AssayResultClaim *result)
{
  const gboolean is_decided
      = result->verdict == ASSAY_VERDICT_VIOLATED || result->verdict == ASSAY_VERDICT_UPHELD;

  if (is_decided && result->decisive >= 0)
    return;
  g_string_append (html, "<p>");
  assay_html_name (html, result->reason);
  g_string_append (html, "</p>\n");
}

static void
append_claim (GString *html, const AssayResults *results, const AssayResultClaim *result)
{
  const char *verdict = assay_verdict_name (result->verdict);

  g_string_append_printf (html,
                          "<article class=\"claim %s\">\n<h3><span class=\"badge\">%s %s</span> ",
                          verdict, signs[result->verdict], verdict);
  assay_html_name (html, result->id);
  g_string_append (html, "</h3>\n");
  if (result->says != NULL) {
    g_string_append (html, "<p>The claim: <q>");
    assay_html_name (html, result->says);
    g_string_append (html, "</q>");
    if (result->source != NULL) {
      g_string_append (html, " <span class=\"soft\">\u2013 ");
      assay_html_name (html, result->source);
      g_string_append (html, "</span>");
    }
    g_string_append (html, "</p>\n");
  }
  append_finding (html, result);
  append_reason (html, result);
  append_witness (html, results, result);
  append_hypotheses (html, results, result);
  g_string_append (html, "</article>\n");
}

void
assay_html_claims (GString *html, const AssayResults *results)
{
  assay_html_begin_section (html, "claims", "Verdicts");
  if (results->claims->len == 0)
    g_string_append (html, "<p>The scenario makes no claim: what follows is measured, not "
                           "judged.</p>\n");
  for (guint v = 0; v < G_N_ELEMENTS (by_weight); v++)
    for (guint i = 0; i < results->claims->len; i++) {
      const AssayResultClaim *result = results->claims->pdata[i];

      if (result->verdict == by_weight[v])
        append_claim (html, results, result);
    }
  assay_html_end_section (html);
}
