/* The points of a comparison as a drawing. */
#include "report/plots/compare-plot.h"

#include <math.h>

#include "report/html/html-page.h"

#define WIDTH 640.0
#define HEIGHT 400.0
#define LEFT 80.0
#define RIGHT 20.0
#define TOP 20.0
#define BOTTOM 60.0
#define TICKS 5 /* about */
#define LEGEND_STEP 20.0

/* Okabe and Ito's colours, which colour-blind readers tell apart; black is the page's own ink. */
static const char *const colours[]
    = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "currentColor" };

typedef struct {
  double low, high;   /* values at the ends, multiples of step */
  double step;        /* between ticks */
  double start, span; /* pixels */
} Scale;

static double
place (const Scale *scale, double value)
{
  return scale->start + scale->span * (value - scale->low) / (scale->high - scale->low);
}

/* Ends and ticks at multiples of 1, 2 or 5 times a power of ten. */
static void
make_round (Scale *scale)
{
  const double rough = (scale->high - scale->low) / TICKS;
  const double power = pow (10, floor (log10 (rough)));
  const double times = rough / power;

  scale->step = power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
  scale->low = scale->step * floor (scale->low / scale->step + 1e-9);
  scale->high = scale->step * ceil (scale->high / scale->step - 1e-9);
}

/* Bounds that are none, or far from every estimate, would leave no room for the rest. */
static double
drawn (const Scale *scale, double value)
{
  return place (scale, CLAMP (value, scale->low, scale->high));
}

static Scale
scale_of (const AssayCompareAxis *axis, gboolean is_privacy, double start, double span)
{
  const AssayResultMeasure *measure = is_privacy ? axis->privacy : axis->utility;
  Scale scale = { .low = INFINITY, .high = -INFINITY, .start = start, .span = span };

  for (guint i = 0; i < axis->points->len; i++) {
    const AssayComparePoint *point = &g_array_index (axis->points, AssayComparePoint, i);
    const AssayInterval *one = is_privacy ? &point->leak->interval : &point->use->interval;

    scale.low = MIN (scale.low, one->lower > -G_MAXDOUBLE ? one->lower : one->estimate);
    scale.high = MAX (scale.high, one->upper < G_MAXDOUBLE ? one->upper : one->estimate);
  }
  if (measure->low >= 0 && measure->high <= 1) {
    scale.low = 0;
    scale.high = 1;
  }
  if (!(scale.high > scale.low)) {
    scale.low -= 0.5;
    scale.high += 0.5;
  }
  make_round (&scale);
  return scale;
}

static void
append_label (GString *html, const AssayResultMeasure *measure, const char *says)
{
  assay_html_text (html, measure->name);
  g_string_append (html, " (");
  assay_html_text (html, measure->unit);
  g_string_append_printf (html, "; %s)", says);
}

static void
append_ticks (GString *html, const Scale *scale, gboolean is_across)
{
  const double n = round ((scale->high - scale->low) / scale->step);

  for (double i = 0; i <= n; i++) {
    const double value = scale->low + i * scale->step;
    const double at = place (scale, value);

    g_string_append_printf (html, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%.6g</text>\n",
                            is_across ? at : LEFT - 8, is_across ? HEIGHT - BOTTOM + 18 : at + 4,
                            is_across ? "middle" : "end",
                            fabs (value) < 1e-9 * scale->step ? 0 : value);
  }
}

static void
append_axes (GString *html, const AssayCompareAxis *axis, const Scale *x, const Scale *y)
{
  const double bottom = HEIGHT - BOTTOM;

  g_string_append_printf (html,
                          "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" "
                          "stroke=\"currentColor\"/>\n",
                          LEFT, TOP, bottom, WIDTH - RIGHT);
  append_ticks (html, x, TRUE);
  append_ticks (html, y, FALSE);
  g_string_append_printf (html, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                          LEFT + x->span / 2, HEIGHT - 14);
  append_label (html, axis->privacy, axis->privacy->direction);
  g_string_append_printf (html,
                          "</text>\n<text transform=\"translate(16 %.1f) rotate(-90)\" "
                          "text-anchor=\"middle\">",
                          TOP + (bottom - TOP) / 2);
  append_label (html, axis->utility, axis->utility->direction);
  g_string_append (html, "</text>\n");
}

/* Circles, squares and triangles, so that colour is not all that tells runs apart. */
static void
append_mark (GString *html, guint run, double x, double y, gboolean is_filled)
{
  const char *colour = colours[run % G_N_ELEMENTS (colours)];
  const char *fill = is_filled ? colour : "none";

  if (run % 3 == 0)
    g_string_append_printf (html, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"", x, y);
  else if (run % 3 == 1)
    g_string_append_printf (html, "<rect x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"9\"", x - 4.5,
                            y - 4.5);
  else
    g_string_append_printf (html, "<path d=\"M%.1f %.1fl6 10h-12z\"", x, y - 6);
  g_string_append_printf (html, " fill=\"%s\" stroke=\"%s\" stroke-width=\"1.5\">", fill, colour);
}

static void
end_mark (GString *html, guint run)
{
  static const char *const tags[] = { "circle", "rect", "path" };

  g_string_append_printf (html, "</%s>\n", tags[run % 3]);
}

static void
append_point (GString *html, const AssayComparePoint *point, const Scale *x, const Scale *y)
{
  const AssayInterval *leak = &point->leak->interval, *use = &point->use->interval;
  const double across = drawn (x, leak->estimate), up = drawn (y, use->estimate);

  g_string_append_printf (html,
                          "<path d=\"M%.1f %.1fH%.1fM%.1f %.1fV%.1f\" stroke=\"%s\" "
                          "opacity=\"0.6\"/>\n",
                          drawn (x, leak->lower), up, drawn (x, leak->upper), across,
                          drawn (y, use->lower), drawn (y, use->upper),
                          colours[point->run % G_N_ELEMENTS (colours)]);
  append_mark (html, point->run, across, up, point->is_optimal);
  assay_html_element (html, "title", point->name);
  end_mark (html, point->run);
}

/* From one setting of a defense to the next. */
static void
append_line (GString *html, const AssayComparePoint *from, const AssayComparePoint *to,
             const Scale *x, const Scale *y)
{
  g_string_append_printf (
      html,
      "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" opacity=\"0.4\" "
      "stroke-width=\"1.5\"/>\n",
      drawn (x, from->leak->interval.estimate), drawn (y, from->use->interval.estimate),
      drawn (x, to->leak->interval.estimate), drawn (y, to->use->interval.estimate),
      colours[to->run % G_N_ELEMENTS (colours)]);
}

static gboolean
is_same_defense (const AssayComparePoint *a, const AssayComparePoint *b)
{
  return a->run == b->run && g_str_equal (a->attack->defense->label, b->attack->defense->label);
}

void
assay_compare_plot (GString *html, const AssayCompared *compared, const AssayCompareAxis *axis)
{
  const double across = WIDTH - LEFT - RIGHT, up = HEIGHT - TOP - BOTTOM;
  const Scale x = scale_of (axis, TRUE, LEFT, across);
  const Scale y = scale_of (axis, FALSE, TOP + up, -up);
  const double height = HEIGHT + LEGEND_STEP * compared->runs->len;

  g_string_append_printf (html,
                          "<figure class=\"curve\"><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n"
                          "<g font-size=\"12\" fill=\"currentColor\">\n",
                          WIDTH, height);
  append_axes (html, axis, &x, &y);
  for (guint i = 1; i < axis->points->len; i++) {
    const AssayComparePoint *from = &g_array_index (axis->points, AssayComparePoint, i - 1);
    const AssayComparePoint *to = &g_array_index (axis->points, AssayComparePoint, i);

    if (is_same_defense (from, to))
      append_line (html, from, to, &x, &y);
  }
  for (guint i = 0; i < axis->points->len; i++)
    append_point (html, &g_array_index (axis->points, AssayComparePoint, i), &x, &y);
  for (guint r = 0; r < compared->runs->len; r++) {
    const double line = HEIGHT + LEGEND_STEP * r + 8;

    append_mark (html, r, LEFT, line, TRUE);
    end_mark (html, r);
    g_string_append_printf (html, "<text x=\"%.1f\" y=\"%.1f\">", LEFT + 14, line + 4);
    assay_html_text (html, assay_compared_run (compared, r)->name);
    g_string_append (html, "</text>\n");
  }
  g_string_append (html, "</g>\n</svg>\n<figcaption>Filled: optimal by estimates. Bars: intervals. "
                         "The table below has every number.</figcaption></figure>\n");
}
