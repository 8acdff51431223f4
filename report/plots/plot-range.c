/* What the axes of a plot show. */
#include "report/plots/plot-parts.h"

#include <math.h>

/* A claim's bound is shown where the axis grows by no more for it than this. */
#define MOST_GROWTH 4
#define MOST_DECADES 2

guint
assay_plot_n_lines (const AssayCurve *curve)
{
  return MIN (curve->lines->len, ASSAY_CURVE_MAX_LINES);
}

static void
widen (double value, AssayPlotRange *inout_range)
{
  if (!isfinite (value) || (inout_range->is_log && value <= 0))
    return;
  inout_range->low = MIN (inout_range->low, value);
  inout_range->high = MAX (inout_range->high, value);
}

static void
widen_by_point (const AssayCurvePoint *point, gboolean is_x, AssayPlotRange *inout_range)
{
  const AssayCurveValue *value = is_x ? &point->x : &point->y;

  widen (value->value, inout_range);
  widen (value->lower, inout_range);
  widen (value->upper, inout_range);
}

/* A share is at home on 0 to 1, where the distance to a bound says as much as the curve does. */
static gboolean
is_in_reach (const AssayPlotRange *range, double bound, gboolean is_share)
{
  AssayPlotRange wider = *range;

  widen (bound, &wider);
  if (range->is_log)
    return bound > 0
           && log10 (wider.high / wider.low) <= log10 (range->high / range->low) + MOST_DECADES;
  return is_share
         || wider.high - wider.low
                <= MOST_GROWTH * MAX (range->high - range->low, 0.1 * fabs (range->high));
}

static void
widen_by_bounds (const AssayCurve *curve, gboolean is_x, AssayPlotRange *inout_range)
{
  const AssayPlotRange values = *inout_range;
  const gboolean is_share = is_x ? curve->x.is_share : curve->y.is_share;

  ASSAY_FOR_EACH (const AssayCurveBound, bound, curve->bounds) {
    if (bound->is_x == is_x && isfinite (bound->level)
        && is_in_reach (&values, bound->level, is_share))
      widen (bound->level, inout_range);
    for (guint p = 0; !is_x && bound->points != NULL && p < bound->points->len; p++) {
      const double at = g_array_index (bound->points, AssayCurvePoint, p).y.value;

      if (is_in_reach (&values, at, is_share))
        widen (at, inout_range);
    }
  }
}

static gboolean
is_power_of_two (double value)
{
  int exponent;

  return frexp (value, &exponent) == 0.5;
}

/* Whether all values that are known are powers of two. */
static gboolean
has_powers_of_two (const AssayCurve *curve, gboolean is_x)
{
  gboolean is_all = FALSE;

  for (guint l = 0; l < assay_plot_n_lines (curve); l++) {
    const AssayCurveLine *line = curve->lines->pdata[l];

    ASSAY_FOR_EACH_IN (const AssayCurvePoint, point, line->points) {
      const double value = is_x ? point->x.value : point->y.value;

      if (isfinite (value) && !is_power_of_two (value))
        return FALSE;
      is_all |= isfinite (value);
    }
  }
  return is_all;
}

static void
add_margin (AssayPlotRange *inout_range)
{
  if (inout_range->is_log) {
    const double margin = MAX (pow (inout_range->high / inout_range->low, 0.05), 1.1);

    inout_range->low /= margin;
    inout_range->high *= margin;
  } else {
    const double span = inout_range->high - inout_range->low;
    const double margin = span > 0 ? 0.05 * span : MAX (0.05 * fabs (inout_range->high), 0.01);

    inout_range->low -= margin;
    inout_range->high += margin;
  }
}

AssayPlotRange
assay_plot_range (const AssayCurve *curve, gboolean is_x)
{
  const AssayCurveAxis *axis = is_x ? &curve->x : &curve->y;
  AssayPlotRange range = {
    .low = INFINITY, .high = -INFINITY, .is_log = axis->is_log, .factor = axis->is_share ? 100 : 1
  };

  for (guint l = 0; l < assay_plot_n_lines (curve); l++) {
    const AssayCurveLine *line = curve->lines->pdata[l];

    ASSAY_FOR_EACH_IN (const AssayCurvePoint, point, line->points) {
      widen_by_point (point, is_x, &range);
    }
  }
  if (range.low > range.high) { /* nothing is known, or nothing above 0 */
    range.low = range.is_log ? 1 : 0;
    range.high = range.is_log ? 10 : 1;
  } else if (curve->bounds != NULL) {
    widen_by_bounds (curve, is_x, &range);
  }
  range.is_log2 = range.is_log && axis->measure == NULL && has_powers_of_two (curve, is_x);
  add_margin (&range);
  range.low *= range.factor;
  range.high *= range.factor;
  return range;
}

double
assay_plot_place (const AssayPlotRange *range, double value)
{
  value *= range->factor;
  return range->is_log ? log (value / range->low) / log (range->high / range->low)
                       : (value - range->low) / (range->high - range->low);
}
