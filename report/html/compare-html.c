/* comparison.html: what a comparison of runs found, as a page. */
#include "core/base/text.h"
#include "report/exports/compare.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"
#include "report/html/html.h"

/* Pairs that are told one by one; dominance.csv has all. */
#define MAX_PAIRS 60

static void
append_runs (AssayHtml *html, const AssayCompared *compared)
{
  assay_html_open_section (html, "runs", "Runs");
  assay_html_open_table (
      html, NULL, "Runs",
      ASSAY_HTML_HEADS ("run", "title", "folder", "made by", "sha256 of the plan"));
  ASSAY_FOR_EACH_IN (const AssayComparedRun, run, compared->runs) {
    if (assay_html_open_row (html, FALSE))
      assay_html_say (
          html, NULL, "<td>{%s}</td><td>{%s}</td><td>{%s}</td><td>{%s}</td><td>{%s}</td></tr>",
          run->name, run->results->title, run->folder, run->version, run->results->plan_sha256);
  }
  assay_html_close_table (html, "runs", "comparison.csv");
  if (compared->notes->len > 0) {
    assay_html_open (html, "ul");
    for (guint i = 0; i < compared->notes->len; i++)
      assay_html_text (html, "li", compared->notes->pdata[i]);
    assay_html_close (html, "ul");
  }
  assay_html_close (html, "section");
}

static void
append_measurement (AssayHtml *html, const AssayMeasurement *measurement)
{
  assay_html_say (html, NULL, "<td.m data-sort=\"%.17g\">", measurement->interval.estimate);
  assay_html_interval (html, NULL, measurement->measure, &measurement->interval);
  assay_html_close (html, "td");
}

static void
append_points (AssayHtml *html, const AssayCompared *compared, const AssayCompareAxis *axis)
{
  const gboolean has_utility = axis->utility != NULL;
  g_autofree char *privacy = g_strconcat ("#", axis->privacy->name, NULL);
  g_autofree char *utility = g_strconcat ("#", has_utility ? axis->utility->name : "", NULL);

  assay_html_open_table (
      html, NULL, "Defenses",
      has_utility ? ASSAY_HTML_HEADS ("run", "defense", privacy, "taken by", utility, "optimal")
                  : ASSAY_HTML_HEADS ("run", "defense", privacy, "taken by"));
  ASSAY_FOR_EACH_IN (const AssayComparePoint, point, axis->points) {
    if (!assay_html_open_row (html, FALSE))
      continue;
    assay_html_say (html, NULL, "<td>{%s}</td><td>{%s}</td>",
                    assay_compared_run (compared, point->run)->name, point->defense->name);
    append_measurement (html, point->leak);
    assay_html_name (html, "td", point->attack->attack_or_utility->name);
    if (point->use != NULL) {
      append_measurement (html, point->use);
      assay_html_say (html, NULL, "<td>{%s}</td>", point->is_optimal ? "yes" : "");
    }
    assay_html_close (html, "tr");
  }
  assay_html_close_table (html, "points", "comparison.csv");
}

static void
append_open (AssayHtml *html, const AssayCompareAxis *axis)
{
  AssayComparedRest rest;

  assay_compared_rest (axis, &rest);
  for (guint i = 0; i < MIN (rest.open->len, MAX_PAIRS); i++) {
    g_autofree char *says = assay_compared_open_sentence (axis, rest.open->pdata[i]);

    assay_html_text (html, "li", says);
  }
  if (rest.n_trade_offs > 0) {
    g_autofree char *says = assay_compared_no_order_sentence (axis, rest.n_trade_offs);

    assay_html_text (html, "li", says);
  }
  for (guint i = 0; i < rest.reasons->len; i++)
    assay_html_text (html, "li", rest.reasons->pdata[i]);
  assay_compared_rest_clear (&rest);
}

static void
append_pairs (AssayHtml *html, const AssayCompared *compared, const AssayCompareAxis *axis)
{
  guint n = 0;

  assay_html_open (html, "ul");
  ASSAY_FOR_EACH_IN (const AssayComparePair, pair, axis->pairs) {
    g_autofree char *sentence = NULL;

    if (!pair->dominates || n++ >= MAX_PAIRS)
      continue;
    sentence = assay_compared_sentence (compared, axis, pair);
    assay_html_say (html, "li", "*%s*", sentence);
  }
  append_open (html, axis);
  assay_html_close (html, "ul");
  assay_html_say_rest (html, MIN (n, MAX_PAIRS), n, "pairs that are told apart", "dominance.csv");
}

static void
append_axis (AssayHtml *html, const AssayCompared *compared, guint index, const AssayPlot *plot,
             gsize *inout_left)
{
  const AssayCompareAxis *axis = compared->axes->pdata[index];
  const AssayResults *results = assay_compared_run (compared, 0)->results;
  g_autofree char *id = g_strdup_printf ("axis-%u", index + 1);
  g_autofree char *privacy = assay_compared_privacy_name (axis);
  g_autofree char *utility = assay_compared_utility_name (axis);
  g_autofree char *heading
      = utility != NULL ? g_strdup_printf ("%s and %s", privacy, utility) : g_strdup (privacy);

  assay_html_open_section (html, id, heading);
  assay_html_say (html, NULL, "<p>%s; %s", axis->privacy->unit, axis->privacy->direction);
  if (axis->utility != NULL)
    assay_html_say (html, NULL, ". %s; %s", axis->utility->unit, axis->utility->direction);
  if (results->datasets->len > 1)
    assay_html_say (html, NULL, ". Dataset {%s}", axis->dataset->name);
  assay_html_say (html, NULL, ".</p>");
  if (plot != NULL)
    assay_html_plot (html, plot, inout_left);
  if (axis->utility == NULL)
    assay_html_text (html, "p.soft",
                     "The runs have no utility in common: of one number there is no "
                     "plot, and nothing to trade off.");
  append_pairs (html, compared, axis);
  append_points (html, compared, axis);
  assay_html_close (html, "section");
}

char *
assay_compared_html (const AssayCompared *compared, const GPtrArray *plots)
{
  const AssayResults *results = assay_compared_run (compared, 0)->results;
  g_autofree char *margin = assay_text_number (compared->margin);
  AssayHtml *html = assay_html_begin_page ("Defenses of several runs");
  gsize left = ASSAY_HTML_MAX_PLOTS;
  guint next = 0;

  assay_html_text (html, "h1", "Defenses of several runs");
  assay_html_say (
      html, "p",
      "Seed %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " trials, %g\u00a0%% intervals. Each "
      "defense stands with the attack that takes most from it. A point is optimal if, by "
      "estimates, no other is as good in both numbers and better in one. That one defense leaks "
      "less and is at least as useful (to within %s of a measure's range) is said only where tests "
      "show it; their p-values are corrected by Holm over %u pairs.",
      results->seed, results->trials, 100 * results->confidence, margin, compared->n_asked);
  append_runs (html, compared);
  for (guint i = 0; i < compared->axes->len; i++) {
    const AssayCompareAxis *axis = compared->axes->pdata[i];
    const gboolean has_plot = axis->utility != NULL && next < plots->len;

    append_axis (html, compared, i, has_plot ? plots->pdata[next++] : NULL, &left);
  }
  return assay_html_end_page (html);
}
