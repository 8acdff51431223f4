/* The curves of report.html, and what they are drawn from. */
#include <string.h>

#include "report/html/html-page.h"
#include "report/html/html-parts.h"
#include "report/plots/plot-parts.h"
#include "report/plots/plots.h"
#include "runner/plan/folders.h"

/* Points that are named below a plot. */
#define MAX_NAMED 12

/* "1.8 17.75 1": from, to, as they are drawn, and 1 for a logarithmic axis. ranges.js reads it. */
static void
append_axis (AssayHtml *html, const AssayCurve *curve, gboolean is_x)
{
  const AssayPlotRange range = assay_plot_range (curve, is_x);
  g_autofree char *text = g_strdup_printf ("%.6g %.6g %d", range.low, range.high, range.is_log);

  assay_html_attribute (html, is_x ? "data-x" : "data-y", text);
  assay_html_attribute (html, is_x ? "data-x-name" : "data-y-name",
                        is_x ? curve->x.name : curve->y.name);
}

static void
append_picture (AssayHtml *html, const AssayPlot *plot, gsize *inout_left)
{
  g_autoptr (GError) problem = NULL;
  const gsize size = plot->svg != NULL ? strlen (plot->svg) : 0;

  if (plot->why_not != NULL)
    assay_html_text (html, "p.notice", plot->why_not);
  if (plot->svg == NULL)
    return;
  if (!assay_html_check_svg (plot->svg, &problem)) {
    assay_html_text (html, "p.notice", problem->message);
  } else if (size > *inout_left) {
    assay_html_say (html, "p.notice",
                    "This page has no room for more pictures: `" ASSAY_PLOT_FOLDER
                    "/%s.svg` has this one.",
                    plot->name);
  } else {
    *inout_left -= size;
    assay_html_open_region (html, "div.wide.curve", plot->title);
    append_axis (html, plot->curve, TRUE);
    append_axis (html, plot->curve, FALSE);
    assay_html_raw (html, plot->svg);
    assay_html_raw (html, "\n");
    assay_html_close (html, "div");
  }
}

/* ---- What a plot is drawn from ---- */

static void
append_value (AssayHtml *html, const AssayCurveAxis *axis, const AssayCurveValue *value)
{
  if (value->measurement != NULL && axis->measure != NULL)
    assay_html_interval (html, "td.m", axis->measure, &value->measurement->interval);
  else if (axis->measure != NULL) /* of chance, which is known */
    assay_html_value (html, "td.m", axis->measure, value->value);
  else
    assay_html_number (html, "td.m", value->value);
}

static const AssayResultCell *
cell_of (const AssayCurvePoint *point)
{
  return point->y.cell != NULL ? point->y.cell : point->x.cell;
}

static void
append_point (AssayHtml *html, const AssayCurve *curve, const AssayCurveLine *line,
              const AssayCurvePoint *point)
{
  const AssayResultCell *cells[] = { point->x.cell, point->y.cell };
  const gboolean is_trade_off = curve->kind == ASSAY_CURVE_TRADE_OFF;
  const AssayResultCell *cell = is_trade_off ? cell_of (point) : NULL;

  if (!assay_html_open_row (html, point->is_optimal))
    return;
  assay_html_name (html, "td", cell != NULL ? cell->defense->name : line->name);
  append_value (html, &curve->x, &point->x);
  append_value (html, &curve->y, &point->y);
  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    if (is_trade_off && (cells[i] == NULL || !cells[i]->is_utility))
      assay_html_name (html, "td", cells[i] != NULL ? cells[i]->attack_or_utility->name : NULL);
  assay_html_say (html, "td", "%s%s", point->is_optimal ? "Pareto-optimal" : "",
                  point->is_doubtful ? " doubtful: a control was lost, or a cell ended in an error"
                                     : "");
  assay_html_close (html, "tr");
}

static void
append_points (AssayHtml *html, const AssayPlot *plot)
{
  const AssayCurve *curve = plot->curve;
  const gboolean is_trade_off = curve->kind == ASSAY_CURVE_TRADE_OFF;
  g_autofree char *x = g_strconcat ("#", curve->x.name, NULL);
  g_autofree char *y = g_strconcat ("#", curve->y.name, NULL);

  assay_html_say (html, NULL, "<details><summary>The points of this plot</summary>");
  assay_html_open_table (
      html, NULL, plot->title,
      is_trade_off ? ASSAY_HTML_HEADS ("defense", x, y, "attack that leaks most", "remarks")
                   : ASSAY_HTML_HEADS ("line", x, y, "remarks"));
  ASSAY_FOR_EACH (const AssayCurveLine, line, curve->lines) {
    for (guint p = 0; p < line->points->len; p++)
      append_point (html, curve, line, &g_array_index (line->points, AssayCurvePoint, p));
  }
  assay_html_close_table (html, "points", "the plot's .csv");
  assay_html_close (html, "details");
}

/* What the rings are around, for those who do not see them. */
static void
append_optimal (AssayHtml *html, const AssayCurve *curve)
{
  guint n = 0;

  if (curve->kind != ASSAY_CURVE_TRADE_OFF)
    return;
  ASSAY_FOR_EACH (const AssayCurveLine, line, curve->lines) {
    ASSAY_FOR_EACH_IN (const AssayCurvePoint, point, line->points) {
      if (point->is_optimal && cell_of (point) != NULL && n++ < MAX_NAMED)
        assay_html_say (html, NULL, n == 1 ? " *Pareto-optimal:* {%s}" : ", {%s}",
                        cell_of (point)->defense->name);
    }
  }
  if (n > MAX_NAMED)
    assay_html_say (html, NULL, " and %u more", n - MAX_NAMED);
  if (n > 0)
    assay_html_text (html, NULL, ".");
}

void
assay_html_plot (AssayHtml *html, const AssayPlot *plot, gsize *inout_left)
{
  if (plot->curve == NULL) {
    assay_html_text (html, "p.notice", plot->why_not);
    return;
  }
  assay_html_say (html, NULL, "<h3>{%s}</h3><figure>", plot->title);
  append_picture (html, plot, inout_left);
  assay_html_say (html, NULL, "<figcaption>{%s}", plot->note);
  append_optimal (html, plot->curve);
  assay_html_say (html, NULL,
                  " Its data and script: `" ASSAY_PLOT_FOLDER "/%s.csv`, `.gp`."
                  "</figcaption></figure>",
                  plot->name);
  append_points (html, plot);
}

void
assay_html_plots (AssayHtml *html, const GPtrArray *plots)
{
  gsize left = ASSAY_HTML_MAX_PLOTS;

  assay_html_open_section (html, "plots", "Curves");
  for (guint i = 0; i < plots->len; i++)
    assay_html_plot (html, plots->pdata[i], &left);
  assay_html_close (html, "section");
}
