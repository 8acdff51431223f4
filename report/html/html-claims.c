/* What a run found, in words: the summary on top of report.html, and a card for each claim. */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "report/exports/exports.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

/* Cells of all claims that stand in the page. */
#define MAX_HYPOTHESES 2000

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
append_tally (AssayHtml *html, const AssayResults *results)
{
  if (results->claims->len == 0)
    return;
  assay_html_say (html, NULL, "<ul.tally aria-label=\"Verdicts\">");
  for (guint v = 0; v < G_N_ELEMENTS (by_weight); v++) {
    const char *name = assay_verdict_name (by_weight[v]);
    const guint count = assay_results_count (results, by_weight[v]);

    if (count > 0)
      assay_html_say (html, NULL, "<li class=\"%s\">%s %u %s</li>", name, signs[by_weight[v]],
                      count, name);
  }
  assay_html_close (html, "ul");
}

static void
append_warnings (AssayHtml *html, char *taken)
{
  g_autofree char *text = taken;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0')
      assay_html_text (html, "p.notice", lines[i]);
}

static void
append_notices (AssayHtml *html, const AssayResults *results)
{
  guint n_lost = 0;
  guint n_errors;

  for (guint i = 0; i < results->bad->len; i++)
    n_lost += g_array_index (results->bad, AssayResultBad, i).status == ASSAY_RESULT_CONTROL_FAILED;
  n_errors = results->bad->len - n_lost;
  if (results->n_missing > 0)
    assay_html_say (html, NULL,
                    "<p.notice id=\"unfinished\">*Unfinished.* %zu of %zu cells have not been run: "
                    "what stands here is of the others, and no claim about a missing cell is "
                    "decided. `assay run` with `--resume` goes on.</p>",
                    results->n_missing, results->n_planned);
  ASSAY_FOR_EACH_IN (const AssayResultUnits, units, results->units) {
    if (units->says != NULL)
      assay_html_say (html, "p.notice", "*Fewer units than secrets.* Of {%s}, %s.",
                      units->dataset->plugin, units->says);
  }
  append_warnings (html, assay_report_remarks (results));
  append_warnings (html, assay_report_unrepeated (results));
  if (n_errors > 0)
    assay_html_say (html, "p.notice",
                    "*Errors.* %u cell%s ended in an error; <a href=\"#exceptions\">below</a> is "
                    "why.",
                    n_errors, n_errors == 1 ? "" : "s");
  if (n_lost > 0)
    assay_html_say (
        html, "p.notice",
        "*Lost controls.* In %u cell%s the attack lost a case that it must win: that it "
        "found little there says nothing. <a href=\"#controls\">Controls</a>",
        n_lost, n_lost == 1 ? "" : "s");
}

void
assay_html_summary (AssayHtml *html, const AssayResults *results)
{
  assay_html_open (html, "header");
  assay_html_name (html, "h1", results->title);
  if (results->reference != NULL)
    assay_html_name (html, "p.soft", results->reference);
  assay_html_say (html, "p",
                  "Seed %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " trial%s%s, %g\u00a0%% "
                  "intervals.",
                  results->seed, results->trials, results->trials == 1 ? "" : "s", results->size,
                  100 * results->confidence);
  append_tally (html, results);
  assay_html_baseline (html, results);
  append_notices (html, results);
  assay_html_close (html, "header");
}

/* ---- A claim ---- */

/* "of secrets", of "share of secrets"; other units in brackets. */
static void
append_unit (AssayHtml *html, const AssayResultMeasure *measure)
{
  if (measure->is_share)
    assay_html_text (html, NULL, measure->unit + strlen ("share"));
  else if (!measure->is_epsilon)
    assay_html_say (html, NULL, " (%s)", measure->unit);
}

static void
append_pair (AssayHtml *html, const AssayResultCell *cell)
{
  assay_html_say (html, NULL,
                  cell->is_utility ? "utility *{%s}* of *{%s}*" : "attack *{%s}* against *{%s}*",
                  cell->attack_or_utility->name, cell->defense->name);
}

/* "violated: attack database against lifting dimension=8: recovery-rate is 93.2 % [91, 95] of
 * secrets (n = 400); the claim allows at most 10 %." */
static void
append_finding (AssayHtml *html, const AssayResultClaim *result, const AssayResultHypothesis *one)
{
  assay_html_open (html, "p.finding");
  append_pair (html, one->cell);
  assay_html_say (html, NULL, ": `%s` is ", result->measure->name);
  assay_html_interval (html, "strong", result->measure, &one->interval);
  append_unit (html, result->measure);
  assay_html_say (html, NULL, "; the claim allows at %s ", result->is_at_most ? "most" : "least");
  assay_html_value (html, "strong", result->measure, one->bound);
  assay_html_say (html, NULL, ".</p>");
}

static void
append_p (AssayHtml *html, double p, const char *test)
{
  if (!isfinite (p))
    return;
  assay_html_say (html, NULL, ", adjusted p (%s)\u00a0=\u00a0", test);
  assay_html_number_as (html, NULL, p, g_strdup_printf ("%.3g", p));
}

/* Intervals describe one number; a verdict is of all hypotheses together, by a test of its own. */
static void
append_test (AssayHtml *html, const AssayResultClaim *result, const AssayResultHypothesis *one)
{
  const gboolean has_lower = isfinite (one->test_lower), has_upper = isfinite (one->test_upper);

  if (one->test == NULL)
    return;
  assay_html_say (html, NULL, " Tested by %s", one->test);
  if (has_lower || has_upper)
    assay_html_say (html, NULL, ", which over all hypotheses of the scenario together leaves %s",
                    !has_upper   ? "at least "
                    : !has_lower ? "at most "
                                 : "");
  if (has_lower)
    assay_html_value (html, NULL, result->measure, one->test_lower);
  if (has_lower && has_upper)
    assay_html_say (html, NULL, " to ");
  if (has_upper)
    assay_html_value (html, NULL, result->measure, one->test_upper);
  assay_html_say (html, NULL, ".");
}

/* "n = 400, confidence 95 %, adjusted p (violated) = 0.003." Where nothing was decided neither test
 * decided: both stand there. */
static void
append_strength (AssayHtml *html, const AssayResultClaim *result, const AssayResultHypothesis *one)
{
  assay_html_say (html, NULL, "<p.soft>n\u00a0=\u00a0");
  assay_html_number_as (html, NULL, (double) one->interval.n, assay_text_count (one->interval.n));
  assay_html_say (html, NULL, ", confidence %g\u00a0%%", 100 * result->confidence);
  if (result->verdict != ASSAY_VERDICT_UPHELD)
    append_p (html, one->adjusted_violated, "violated");
  if (result->verdict != ASSAY_VERDICT_VIOLATED)
    append_p (html, one->adjusted_upheld, "upheld");
  assay_html_say (html, NULL, ".");
  append_test (html, result, one);
  assay_html_close (html, "p");
}

/* The command that plays the witness again. */
static void
append_replay (AssayHtml *html, const AssayResults *results, const AssayResultClaim *result)
{
  g_autofree char *command = assay_report_replay (results, result, NULL);

  assay_html_say (html, NULL,
                  "<pre>`%s`</pre><p.soft>plays it again, with the same "
                  "`--out`, `--set`, `--seed` and `--trials` as the run if it had any.</p>",
                  command);
}

static void
append_witness (AssayHtml *html, const AssayResults *results, const AssayResultClaim *result)
{
  const AssayResultWitness *witness = &result->witness;

  if (!witness->is_set)
    return;
  assay_html_say (html, NULL, "<p>*Witness:* ");
  if (witness->audit != NULL)
    assay_html_say (html, NULL, "the event <q>%s</q> certifies ", witness->audit->says);
  else
    assay_html_say (html, NULL, "%s %" G_GUINT64_FORMAT " has ",
                    result->is_of_utility ? "unit" : "secret", witness->secret);
  assay_html_say (html, NULL, "`%s` ", result->measure->name);
  assay_html_number (html, NULL, witness->outcome);
  assay_html_say (html, NULL,
                  ", in cell `%s` (trial %" G_GINT64_FORMAT ", seed %" G_GUINT64_FORMAT ").</p>",
                  witness->cell, witness->trial, results->seed);
  append_replay (html, results, result);
}

static void
append_hypothesis (AssayHtml *html, const AssayResultMeasure *measure,
                   const AssayResultHypothesis *one, gboolean is_decisive)
{
  const double before[] = { one->bound, one->interval.estimate, one->interval.lower,
                            one->interval.upper };
  const double p[] = { one->adjusted_violated, one->adjusted_upheld };

  if (!assay_html_open_row (html, is_decisive))
    return;
  assay_html_open (html, "td");
  append_pair (html, one->cell);
  assay_html_say (html, NULL, "</td><td>");
  assay_html_dataset (html, one->cell->dataset);
  assay_html_close (html, "td");
  for (guint i = 0; i < G_N_ELEMENTS (before); i++)
    assay_html_value (html, "td.n", measure, before[i]);
  assay_html_number_as (html, "td.n", (double) one->interval.n, assay_text_count (one->interval.n));
  for (guint i = 0; i < G_N_ELEMENTS (p); i++)
    assay_html_number (html, "td.n", p[i]);
  assay_html_value (html, "td.n", measure, one->detectable);
  assay_html_text (html, "td", one->why_not);
  assay_html_close (html, "tr");
}

static void
append_hypotheses (AssayHtml *html, const AssayResults *results, const AssayResultClaim *result)
{
  const guint n = result->hypotheses->len;
  const guint share = MAX (1, MAX_HYPOTHESES / results->claims->len);
  const guint shown = MIN (n, MIN (share, ASSAY_HTML_MAX_ROWS));

  if (n == 0)
    return;
  assay_html_open (html, "details");
  assay_html_say (html, "summary", "%u cell%s that the claim is about", n, n == 1 ? "" : "s");
  assay_html_open_table (html, NULL, "Cells of the claim",
                         ASSAY_HTML_HEADS ("cell", "dataset", "#bound", "#estimate", "#lower",
                                           "#upper", "#n", "#adjusted p, violated",
                                           "#adjusted p, upheld", "#detectable",
                                           "decides nothing because"));
  for (guint i = 0; i < shown; i++)
    append_hypothesis (html, result->measure,
                       &g_array_index (result->hypotheses, AssayResultHypothesis, i),
                       (gint) i == result->decisive);
  assay_html_close_table (html, NULL, NULL);
  assay_html_say_rest (html, shown, n, "cells", "results.json");
  assay_html_close (html, "details");
}

/* What elsewhere is part of a line, as a paragraph. */
static void
append_sentence (AssayHtml *html, const char *words)
{
  g_autofree char *first = g_utf8_strup (words, g_utf8_next_char (words) - words);
  g_autofree char *sentence
      = g_strconcat (first, *words != '\0' ? g_utf8_next_char (words) : "",
                     g_str_has_suffix (words, ".") ? "" : ".", NULL);

  assay_html_name (html, "p", sentence);
}

static void
append_claim (AssayHtml *html, const AssayResults *results, const AssayResultClaim *result)
{
  const char *verdict = assay_verdict_name (result->verdict);
  /* Then the reason says what stands above it. What a verdict that passes rests on is always said:
   * its power, the attacks that were asked, claims that were changed. */
  const gboolean is_told
      = result->verdict == ASSAY_VERDICT_VIOLATED || result->verdict == ASSAY_VERDICT_UPHELD;
  const AssayResultHypothesis *one = assay_result_decisive (result);
  g_autofree char *card = g_strconcat ("article.claim.", verdict, NULL);

  assay_html_open (html, card);
  assay_html_say (html, "h3", "<span.badge>%s %s</span> {%s}", signs[result->verdict], verdict,
                  result->id);
  if (result->says != NULL)
    assay_html_say (html, "p",
                    result->source != NULL ? "The claim: <q>{%s}</q> <span.soft>\u2013 {%s}</span>"
                                           : "The claim: <q>{%s}</q>",
                    result->says, result->source);
  if (one != NULL) {
    append_finding (html, result, one);
    assay_html_strip (html, result, one);
    append_strength (html, result, one);
  }
  if (one == NULL || !is_told)
    append_sentence (html, result->reason);
  else if (result->note != NULL && *result->note != '\0')
    append_sentence (html, result->note + strlen ("; "));
  if (result->attackers.says != NULL)
    append_sentence (html, result->attackers.says);
  append_witness (html, results, result);
  append_hypotheses (html, results, result);
  assay_html_close (html, "article");
}

/* ---- The audit of the audit ---- */

static void
append_mutants (AssayHtml *html, const AssayResultMutants *mutants)
{
  g_autofree char *sentence = assay_report_mutants_sentence (mutants);

  assay_html_open (html, "article.claim.mutants");
  assay_html_name (html, "h3", sentence);
  if (mutants->is_stale) {
    assay_html_close (html, "article");
    return;
  }
  assay_html_say (html, "p",
                  "Mutants are the defenses with one known mistake each, played by this "
                  "audit. Seen, or stopped from passing, is what it could have seen; "
                  "missed is what it does not look at.");
  assay_html_open (html, "details");
  assay_html_say (html, "summary", "%u mutants", mutants->all->len);
  assay_html_open_table (
      html, NULL, "Mutants",
      ASSAY_HTML_HEADS ("verdict", "mutant", "the mistake", "of", "claim", "what would see it"));
  ASSAY_FOR_EACH_IN (const AssayResultMutant, one, mutants->all) {
    if (!assay_html_open_row (html, FALSE))
      break;
    assay_html_text (html, "td", assay_mutant_verdict_name (one->verdict));
    assay_html_text (html, "td", one->id);
    assay_html_text (html, "td", one->says);
    assay_html_text (html, "td", one->family);
    assay_html_text (html, "td", one->claim);
    assay_html_text (html, "td", one->verdict == ASSAY_MUTANT_MISSED ? one->seen_by : one->reason);
    assay_html_close (html, "tr");
  }
  assay_html_close_table (html, NULL, NULL);
  assay_html_close (html, "details");
  assay_html_close (html, "article");
}

void
assay_html_claims (AssayHtml *html, const AssayResults *results)
{
  assay_html_open_section (html, "claims", "Verdicts");
  if (results->claims->len == 0)
    assay_html_say (html, "p",
                    "The scenario makes no claim: what follows is measured, not judged.");
  else
    assay_html_say (
        html, "p.soft",
        "In the pictures the bar is the interval, with the estimate as a mark in it; the "
        "thin line is what the test leaves over all hypotheses of the scenario "
        "together; what the claim allows is shaded.");
  for (guint v = 0; v < G_N_ELEMENTS (by_weight); v++)
    ASSAY_FOR_EACH (const AssayResultClaim, result, results->claims) {
      if (result->verdict == by_weight[v])
        append_claim (html, results, result);
    }
  if (results->mutants != NULL)
    append_mutants (html, results->mutants);
  assay_html_close (html, "section");
}
