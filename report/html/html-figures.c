/* The curves of report.html, and what they are drawn from. */
#include <string.h>

#include "report/html/html-page.h"
#include "report/html/html-parts.h"
#include "report/html/html-svg.h"
#include "report/plots/figures.h"

/* Points that are named below a figure. */
#define MOST_NAMED 12

static void
append_notice (GString *html, const char *says)
{
  g_string_append (html, "<p class=\"notice\">");
  assay_html_text (html, says);
  g_string_append (html, "</p>\n");
}

static void
append_picture (GString *html, const AssayFigure *figure, gsize *inout_left)
{
  g_autoptr (GError) problem = NULL;
  const gsize size = figure->svg != NULL ? strlen (figure->svg) : 0;

  if (figure->why_not != NULL)
    append_notice (html, figure->why_not);
  if (figure->svg == NULL)
    return;
  if (!assay_html_check_svg (figure->svg, &problem)) {
    append_notice (html, problem->message);
  } else if (size > *inout_left) {
    g_string_append (html, "<p class=\"notice\">This page has no room for more pictures: <code>"
                           "figures/");
    assay_html_text (html, figure->name);
    g_string_append (html, ".svg</code> has this one.</p>\n");
  } else {
    *inout_left -= size;
    g_string_append (html, "<div class=\"wide curve\" role=\"region\" tabindex=\"0\" "
                           "aria-label=\"");
    assay_html_text (html, figure->title);
    g_string_append_printf (html, "\">\n%s\n</div>\n", figure->svg);
  }
}

/* ---- What a figure is drawn from ---- */

static void
append_value (GString *html, const AssayCurveAxis *axis, const AssayCurveValue *value)
{
  g_string_append (html, "<td class=\"m\">");
  if (value->measurement != NULL && axis->measure != NULL) {
    assay_html_interval (html, axis->measure, &value->measurement->interval);
  } else {
    g_autofree char *shown = assay_html_plain (value->value);

    assay_html_number (html, value->value, shown);
  }
  g_string_append (html, "</td>");
}

/* The attack or utility that the point's value was measured with. */
static void
append_player (GString *html, const AssayCurveValue *value)
{
  g_string_append (html, "<td>");
  if (value->cell != NULL)
    assay_html_name (html, value->cell->attack_or_utility->name);
  g_string_append (html, "</td>");
}

static void
append_point (GString *html, const AssayCurve *curve, const AssayCurveLine *line,
              const AssayCurvePoint *point)
{
  const AssayCurveValue *values[] = { &point->x, &point->y };
  const gboolean is_trade_off = curve->kind == ASSAY_CURVE_TRADE_OFF;
  const AssayResultCell *cell = point->y.cell != NULL ? point->y.cell : point->x.cell;

  g_string_append (html, point->is_optimal ? "<tr class=\"best\"><td>" : "<tr><td>");
  assay_html_name (html, is_trade_off && cell != NULL ? cell->defense->name : line->name);
  g_string_append (html, "</td>");
  append_value (html, &curve->x, &point->x);
  append_value (html, &curve->y, &point->y);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (is_trade_off && (values[i]->cell == NULL || !values[i]->cell->is_utility))
      append_player (html, values[i]);
  g_string_append_printf (html, "<td>%s%s</td></tr>\n", point->is_optimal ? "Pareto-optimal" : "",
                          point->is_doubtful ? " doubtful: a control was lost, or a cell ended in "
                                               "an error"
                                             : "");
}

static char *
column_name (const char *name)
{
  return g_strdelimit (g_strdup (name), "|", '/');
}

static void
append_points (GString *html, const AssayFigure *figure)
{
  const AssayCurve *curve = figure->curve;
  const gboolean is_trade_off = curve->kind == ASSAY_CURVE_TRADE_OFF;
  g_autofree char *x = column_name (curve->x.name);
  g_autofree char *y = column_name (curve->y.name);
  g_autofree char *heads
      = g_strdup_printf ("%s|#%s|#%s%s|remarks", is_trade_off ? "defense" : "line", x, y,
                         is_trade_off ? "|attack that leaks most" : "");
  gsize n = 0;

  g_string_append (html, "<details><summary>The points of this figure</summary>\n");
  assay_html_begin_table (html, NULL, figure->title, heads);
  for (guint l = 0; l < curve->lines->len; l++) {
    const AssayCurveLine *line = curve->lines->pdata[l];

    for (guint p = 0; p < line->points->len; p++)
      if (n++ < ASSAY_HTML_MOST_ROWS)
        append_point (html, curve, line, &g_array_index (line->points, AssayCurvePoint, p));
  }
  assay_html_end_table (html);
  assay_html_say_rest (html, MIN (n, ASSAY_HTML_MOST_ROWS), n, "points", "the figure's .csv");
  g_string_append (html, "</details>\n");
}

/* What the rings are around, for those who do not see them. */
static void
append_optimal (GString *html, const AssayCurve *curve)
{
  guint n = 0;

  if (curve->kind != ASSAY_CURVE_TRADE_OFF)
    return;
  for (guint l = 0; l < curve->lines->len; l++) {
    const AssayCurveLine *line = curve->lines->pdata[l];

    for (guint p = 0; p < line->points->len; p++) {
      const AssayCurvePoint *point = &g_array_index (line->points, AssayCurvePoint, p);
      const AssayResultCell *cell = point->y.cell != NULL ? point->y.cell : point->x.cell;

      if (!point->is_optimal || cell == NULL || n++ >= MOST_NAMED)
        continue;
      g_string_append (html, n == 1 ? " <strong>Pareto-optimal:</strong> " : ", ");
      assay_html_name (html, cell->defense->name);
    }
  }
  if (n > MOST_NAMED)
    g_string_append_printf (html, " and %u more", n - MOST_NAMED);
  if (n > 0)
    g_string_append_c (html, '.');
}

void
assay_html_figure (GString *html, const AssayFigure *figure, gsize *inout_left)
{
  if (figure->curve == NULL) {
    append_notice (html, figure->why_not);
    return;
  }
  g_string_append (html, "<h3>");
  assay_html_name (html, figure->title);
  g_string_append (html, "</h3>\n<figure>\n");
  append_picture (html, figure, inout_left);
  g_string_append (html, "<figcaption>");
  assay_html_name (html, figure->note);
  append_optimal (html, figure->curve);
  g_string_append (html, " Its data and script: <code>figures/");
  assay_html_text (html, figure->name);
  g_string_append (html, ".csv</code>, <code>.gp</code>.</figcaption>\n</figure>\n");
  append_points (html, figure);
}

void
assay_html_figures (GString *html, const GPtrArray *figures)
{
  gsize left = ASSAY_HTML_MOST_FIGURES;

  assay_html_begin_section (html, "figures", "Curves");
  for (guint i = 0; i < figures->len; i++)
    assay_html_figure (html, figures->pdata[i], &left);
  assay_html_end_section (html);
}
