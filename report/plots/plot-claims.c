/* What claims allow, drawn into a plot: dotted lines in grey, which no line of a defense has. */
#include <math.h>

#include "report/plots/plot-parts.h"
#include "report/plots/gnuplot.h"

#define MAX_TITLE 76
#define LOOK "linecolor rgb '#808080' linewidth 1.4 dashtype 3"

static gboolean
is_shown (const AssayPlotRange *range, double value)
{
  const double at = range->factor * value;

  return at >= range->low && at <= range->high;
}

char *
assay_plot_bound_title (const AssayCurve *curve, const AssayCurveBound *bound,
                          const AssayPlotRange *range)
{
  const gboolean is_share = bound->is_x ? curve->x.is_share : curve->y.is_share;
  const char *most = bound->is_at_most ? "at most" : "at least";

  if (!isfinite (bound->level))
    return g_strdup_printf ("claim %s: %s what stands here", bound->claim, most);
  return g_strdup_printf ("claim %s: %s %.4g%s%s", bound->claim, most, range->factor * bound->level,
                          is_share ? " %" : "",
                          is_shown (range, bound->level) ? "" : " (beyond this picture)");
}

/* The bounds of the points, as data within the script. */
static void
append_points (GString *gp, const AssayCurveBound *bound, const AssayPlotRange *x,
               const AssayPlotRange *y, guint number)
{
  g_string_append_printf (gp, "$bound%u << EOD\n", number);
  ASSAY_FOR_EACH_IN (const AssayCurvePoint, point, bound->points) {
    assay_plot_append_number (gp, x->factor * point->x.value);
    g_string_append_c (gp, ',');
    assay_plot_append_number (gp, y->factor * point->y.value);
    g_string_append_c (gp, '\n');
  }
  g_string_append (gp, "EOD\n");
}

void
assay_plot_append_bound_data (GString *gp, const AssayCurve *curve, const AssayPlotRange *x,
                                const AssayPlotRange *y)
{
  for (guint b = 0; curve->bounds != NULL && b < curve->bounds->len; b++) {
    const AssayCurveBound *bound = curve->bounds->pdata[b];

    if (bound->points != NULL) {
      append_points (gp, bound, x, y, b + 1);
    } else if (bound->is_x && is_shown (x, bound->level)) {
      g_string_append_printf (gp, "set arrow %u from ", b + 1);
      assay_plot_append_number (gp, x->factor * bound->level);
      g_string_append (gp, ", graph 0 to ");
      assay_plot_append_number (gp, x->factor * bound->level);
      g_string_append (gp, ", graph 1 nohead " LOOK "\n");
    }
  }
}

void
assay_plot_append_bounds (GString *gp, const AssayCurve *curve, const AssayPlotRange *x,
                            const AssayPlotRange *y)
{
  for (guint b = 0; curve->bounds != NULL && b < curve->bounds->len; b++) {
    const AssayCurveBound *bound = curve->bounds->pdata[b];
    g_autofree char *says = assay_plot_bound_title (curve, bound, bound->is_x ? x : y);
    g_autofree char *title = assay_plot_quote (says, MAX_TITLE);

    g_string_append (gp, ", \\\n  ");
    if (bound->points != NULL)
      g_string_append_printf (gp, "$bound%u using 1:2 with linespoints pointtype 1", b + 1);
    else if (!bound->is_x && is_shown (y, bound->level))
      assay_plot_append_number (gp, y->factor * bound->level);
    else
      g_string_append (gp, "NaN"); /* an arrow, or beyond the picture: its words alone */
    g_string_append_printf (gp, "%s " LOOK " title %s", bound->points != NULL ? "" : " with lines",
                            title);
  }
}
