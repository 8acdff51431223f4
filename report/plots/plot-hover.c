/* What a pointer that rests on a point of a plot is told. gnuplot is given a number for each
 * point, so that no word of a scenario passes through its quoting; in the picture that it drew, the
 * point's words take the place of the number. They are a <title>, which browsers show by
 * themselves. */
#include <math.h>

#include "report/plots/plot-parts.h"
#include "report/plots/gnuplot.h"

/* More would make the page heavy, and stand on top of each other. */
#define MAX_POINTS 500

/* An unseen disc, which is easier to meet than the point itself. In a sweep, what has no setting to
 * stand at is a level across the plot, and met at its end. */
void
assay_plot_append_hover (GString *gp, const AssayCurve *curve, guint n_rows,
                         const AssayPlotRange *x)
{
  g_autofree char *place = curve->kind == ASSAY_CURVE_SWEEP
                               ? g_strdup_printf ("valid(2) ? x(2) : %.6g", x->high)
                               : g_strdup ("x(2)");

  if (n_rows > 0 && n_rows <= MAX_POINTS)
    g_string_append_printf (gp,
                            ", \\\n  data skip 1 every ::0::%u using (%s):(y(Y)):"
                            "(sprintf('%%d', $0)) with labels hypertext point pointtype 7 "
                            "pointsize 1.5 linecolor rgb '#ff000000' notitle",
                            n_rows - 1, place);
}

static void
append_value (GString *text, const AssayCurveAxis *axis, const AssayCurveValue *value)
{
  const double factor = axis->is_share ? 100 : 1;
  const char *unit = axis->is_share ? " %" : "";

  if (axis->measure == NULL && !isfinite (value->value)) /* a level */
    return;
  g_string_append_printf (text, "\n%s: ", axis->name);
  if (axis->measure != NULL && axis->measure->is_epsilon) {
    g_string_append_printf (text, "at least %.4g", value->lower);
    return;
  }
  g_string_append_printf (text, "%.4g%s", factor * value->value, unit);
  if (isfinite (value->lower) && isfinite (value->upper))
    g_string_append_printf (text, " [%.4g, %.4g]", factor * value->lower, factor * value->upper);
}

static char *
point_words (const AssayCurve *curve, const AssayCurveLine *line, const AssayCurvePoint *point)
{
  const AssayResultCell *attacked = point->x.cell;
  GString *text = g_string_new (line->name);

  if (curve->kind == ASSAY_CURVE_TRADE_OFF && isfinite (point->setting))
    g_string_append_printf (text, ", %s=%.6g", line->swept, point->setting);
  if (curve->has_most_only) {
    const AssayResultCell *cell = attacked != NULL ? attacked : point->y.cell;

    g_string_append_printf (text, ", %s", cell->attack_or_utility->name);
  }
  append_value (text, &curve->x, &point->x);
  append_value (text, &curve->y, &point->y);
  if (point->is_doubtful)
    g_string_append (text, "\ndoubtful: a control was lost, or a cell ended in an error");
  return g_string_free (text, FALSE);
}

/* The point in row @row of the data; NULL: there is none. */
static char *
row_words (const AssayCurve *curve, gint64 row)
{
  for (guint l = 0; row >= 0 && l < assay_plot_n_lines (curve); l++) {
    const AssayCurveLine *line = curve->lines->pdata[l];

    if (row < line->points->len)
      return point_words (curve, line, &g_array_index (line->points, AssayCurvePoint, row));
    row -= line->points->len;
  }
  return NULL;
}

static gboolean
replace (const GMatchInfo *match, GString *result, gpointer data)
{
  g_autofree char *number = g_match_info_fetch (match, 1);
  g_autofree char *words = row_words (data, g_ascii_strtoll (number, NULL, 10));
  g_autofree char *escaped = g_markup_escape_text (words != NULL ? words : "", -1);

  g_string_append_printf (result, "<g><title>%s</title>", escaped);
  return FALSE;
}

char *
assay_plot_hover (const char *svg, const AssayCurve *curve)
{
  g_autoptr (GRegex) regex
      = g_regex_new ("<g onmousemove=\"gnuplot_svg\\.showHypertext\\(evt,'([0-9]{1,9})'\\)\" "
                     "onmouseout=\"gnuplot_svg\\.hideHypertext\\(\\)\">",
                     G_REGEX_OPTIMIZE, 0, NULL);

  return g_regex_replace_eval (regex, svg, -1, 0, 0, replace, (gpointer) curve, NULL);
}
