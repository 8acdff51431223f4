/* comparison.html: what a comparison of runs found, as a page. */
#include "core/base/text.h"
#include "report/exports/compare.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"
#include "report/html/html.h"

/* Pairs that are told one by one; dominance.csv has all. */
#define MOST_PAIRS 60

static void
append_cell (GString *html, const char *text)
{
  g_string_append (html, "<td>");
  if (*text != '\0')
    assay_html_name (html, text);
  g_string_append (html, "</td>");
}

static void
append_runs (GString *html, const AssayCompared *compared)
{
  assay_html_begin_section (html, "runs", "Runs");
  assay_html_begin_table (html, NULL, "Runs", "run|title|folder|made by|sha256 of the plan");
  for (guint i = 0; i < compared->runs->len; i++) {
    const AssayComparedRun *run = assay_compared_run (compared, i);

    g_string_append (html, "<tr>");
    append_cell (html, run->name);
    append_cell (html, run->results->title);
    append_cell (html, run->folder);
    append_cell (html, run->version);
    append_cell (html, run->results->plan_sha256);
    g_string_append (html, "</tr>\n");
  }
  assay_html_end_table (html);
  if (compared->notes->len > 0) {
    g_string_append (html, "<ul>\n");
    for (guint i = 0; i < compared->notes->len; i++) {
      assay_html_element (html, "li", compared->notes->pdata[i]);
      g_string_append_c (html, '\n');
    }
    g_string_append (html, "</ul>\n");
  }
  assay_html_end_section (html);
}

static void
append_measurement (GString *html, const AssayMeasurement *measurement)
{
  g_string_append_printf (html, "<td class=\"m\" data-sort=\"%.17g\">",
                          measurement->interval.estimate);
  assay_html_interval (html, measurement->measure, &measurement->interval);
  g_string_append (html, "</td>");
}

static void
append_points (GString *html, const AssayCompared *compared, const AssayCompareAxis *axis)
{
  g_autofree char *heads = g_strdup_printf ("run|defense|#%s|taken by%s%s|optimal",
                                            axis->privacy->name, axis->utility != NULL ? "|#" : "",
                                            axis->utility != NULL ? axis->utility->name : "");

  assay_html_begin_table (html, NULL, "Defenses", heads);
  for (guint i = 0; i < axis->points->len; i++) {
    const AssayComparePoint *point = assay_compared_point (axis, i);

    g_string_append (html, "<tr>");
    append_cell (html, assay_compared_run (compared, point->run)->name);
    append_cell (html, point->defense->name);
    append_measurement (html, point->leak);
    append_cell (html, point->attack->attack_or_utility->name);
    if (point->use != NULL)
      append_measurement (html, point->use);
    append_cell (html, point->is_optimal ? "yes" : "");
    g_string_append (html, "</tr>\n");
  }
  assay_html_end_table (html);
}

static void
append_item (GString *html, const char *text)
{
  assay_html_element (html, "li", text);
  g_string_append_c (html, '\n');
}

static void
append_open (GString *html, const AssayCompareAxis *axis)
{
  AssayComparedRest rest;

  assay_compared_rest (axis, &rest);
  for (guint i = 0; i < MIN (rest.open->len, MOST_PAIRS); i++) {
    const AssayComparePair *pair = rest.open->pdata[i];
    g_autofree char *says = assay_compared_open_sentence (axis, pair);

    append_item (html, says);
  }
  if (rest.n_trade_offs > 0) {
    g_autofree char *says = assay_compared_no_order_sentence (axis, rest.n_trade_offs);

    append_item (html, says);
  }
  for (guint i = 0; i < rest.reasons->len; i++)
    append_item (html, rest.reasons->pdata[i]);
  assay_compared_rest_clear (&rest);
}

static void
append_pairs (GString *html, const AssayCompared *compared, const AssayCompareAxis *axis)
{
  guint n = 0;

  g_string_append (html, "<ul>\n");
  for (guint i = 0; i < axis->pairs->len; i++) {
    const AssayComparePair *pair = assay_compared_pair (axis, i);
    g_autofree char *sentence = NULL;

    if (!pair->dominates || n++ >= MOST_PAIRS)
      continue;
    sentence = assay_compared_sentence (compared, axis, pair);
    g_string_append (html, "<li><strong>");
    assay_html_text (html, sentence);
    g_string_append (html, "</strong></li>\n");
  }
  append_open (html, axis);
  g_string_append (html, "</ul>\n");
  assay_html_say_rest (html, MIN (n, MOST_PAIRS), n, "pairs that are told apart", "dominance.csv");
}

static void
append_axis (GString *html, const AssayCompared *compared, guint index, const AssayFigure *figure,
             gsize *inout_left)
{
  const AssayCompareAxis *axis = compared->axes->pdata[index];
  const AssayResults *results = assay_compared_run (compared, 0)->results;
  g_autofree char *id = g_strdup_printf ("axis-%u", index + 1);
  g_autofree char *privacy = assay_compared_privacy_name (axis);
  g_autofree char *utility = assay_compared_utility_name (axis);
  g_autofree char *heading
      = utility != NULL ? g_strdup_printf ("%s and %s", privacy, utility) : g_strdup (privacy);

  assay_html_begin_section (html, id, heading);
  g_string_append (html, "<p>");
  assay_html_text (html, axis->privacy->unit);
  g_string_append_printf (html, "; %s", axis->privacy->direction);
  if (axis->utility != NULL) {
    g_string_append (html, ". ");
    assay_html_text (html, axis->utility->unit);
    g_string_append_printf (html, "; %s", axis->utility->direction);
  }
  if (results->datasets->len > 1) {
    g_string_append (html, ". Dataset ");
    assay_html_name (html, axis->dataset->name);
  }
  g_string_append (html, ".</p>\n");
  if (figure != NULL)
    assay_html_figure (html, figure, inout_left);
  append_pairs (html, compared, axis);
  append_points (html, compared, axis);
  assay_html_end_section (html);
}

char *
assay_compared_html (const AssayCompared *compared, const GPtrArray *figures)
{
  const AssayResults *results = assay_compared_run (compared, 0)->results;
  g_autofree char *margin = assay_text_number (compared->margin);
  GString *html = g_string_new (NULL);
  gsize left = ASSAY_HTML_MOST_FIGURES;
  guint next = 0;

  assay_html_begin (html, "Defenses of several runs");
  g_string_append (html, "<h1>Defenses of several runs</h1>\n");
  g_string_append_printf (
      html,
      "<p>Seed %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " trials, %g&nbsp;%% intervals. Each "
      "defense stands with the attack that takes most from it. A point is optimal if, by "
      "estimates, no other is as good in both figures and better in one. That one defense leaks "
      "less and is at least as useful (to within %s of a measure's range) is said only where tests "
      "show it; their p-values are corrected by Holm over %u pairs.</p>\n",
      results->seed, results->trials, 100 * results->confidence, margin, compared->n_asked);
  append_runs (html, compared);
  for (guint i = 0; i < compared->axes->len; i++) {
    const gboolean has_figure
        = ((const AssayCompareAxis *) compared->axes->pdata[i])->utility != NULL
          && next < figures->len;

    append_axis (html, compared, i, has_figure ? figures->pdata[next++] : NULL, &left);
  }
  assay_html_end (html);
  return g_string_free (html, FALSE);
}
