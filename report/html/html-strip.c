/* A claim's number beside its bound, drawn. */
#include <math.h>

#include "report/html/html-page.h"
#include "report/html/html-parts.h"

/* Pixels from the top: words of the bound, the band, and words of the ends. */
#define TOP 18
#define BAND 26
#define MIDDLE (TOP + BAND / 2)
#define FOOT (TOP + BAND + 15)
#define BAR 10

/* The numbers that are drawn, from left to right. */
typedef struct {
  double low, high;
} Axis;

static gboolean
is_known (double value)
{
  return isfinite (value) && fabs (value) < G_MAXDOUBLE;
}

/* The next of 1, 2, 5, 10, ... that is not below @value. */
static double
round_up (double value)
{
  const double power = pow (10, floor (log10 (value)));
  const double steps[] = { 1, 2, 5 };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    if (steps[i] * power >= value * (1 - 1e-9))
      return steps[i] * power;
  return 10 * power;
}

static void
widen (Axis *inout_axis, double value)
{
  if (!is_known (value))
    return;
  inout_axis->low = MIN (inout_axis->low, value);
  inout_axis->high = MAX (inout_axis->high, value);
}

/* From 0 where nothing is below it, to a round number that leaves room beyond what is drawn, and
 * never beyond what the measure can be. */
static Axis
find_axis (const AssayResultMeasure *measure, const AssayResultHypothesis *one)
{
  Axis axis = { 0, 0 };

  widen (&axis, one->bound);
  widen (&axis, one->interval.estimate);
  widen (&axis, one->interval.lower);
  widen (&axis, one->interval.upper);
  widen (&axis, one->test_lower);
  widen (&axis, one->test_upper);
  if (axis.high > 0)
    axis.high = round_up (1.15 * axis.high);
  if (axis.low < 0)
    axis.low = -round_up (-1.15 * axis.low);
  axis.high = MIN (axis.high, measure->high);
  axis.low = MAX (axis.low, measure->low);
  return axis;
}

/* Where @value stands, in per cent of the width; what is not known at the edge @otherwise. */
static double
place (const Axis *axis, double value, double otherwise)
{
  if (!is_known (value))
    return otherwise;
  return CLAMP (100 * (value - axis->low) / (axis->high - axis->low), 0, 100);
}

static void
attribute (AssayHtml *html, const char *name, double value, const char *unit)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *text
      = g_strconcat (g_ascii_formatd (number, sizeof number, "%.2f", value), unit, NULL);

  assay_html_attribute (html, name, text);
}

static void
append_rect (AssayHtml *html, const char *class, double from, double to, guint height)
{
  assay_html_open (html, "rect");
  assay_html_attribute (html, "class", class);
  attribute (html, "x", from, "%");
  attribute (html, "width", MAX (to - from, 0.3), "%");
  attribute (html, "y", MIDDLE - height / 2.0, "");
  attribute (html, "height", height, "");
  assay_html_close (html, "rect");
}

/* From (@x1, @y1) to (@x2, @y2); across in per cent, down in pixels. */
static void
append_line (AssayHtml *html, const char *class, double x1, double y1, double x2, double y2)
{
  assay_html_open (html, "line");
  assay_html_attribute (html, "class", class);
  attribute (html, "x1", x1, "%");
  attribute (html, "y1", y1, "");
  attribute (html, "x2", x2, "%");
  attribute (html, "y2", y2, "");
  assay_html_close (html, "line");
}

/* Words that stay within the picture wherever they belong. */
static void
append_words (AssayHtml *html, const char *class, double x, double y, const char *words)
{
  assay_html_open (html, "text");
  assay_html_attribute (html, "class", class);
  attribute (html, "x", x, "%");
  attribute (html, "y", y, "");
  assay_html_attribute (html, "text-anchor", x < 30 ? "start" : x > 70 ? "end" : "middle");
  assay_html_text (html, NULL, words);
  assay_html_close (html, "text");
}

static char *
say (const AssayResultMeasure *measure, double value)
{
  g_autofree char *number
      = measure->is_share ? assay_html_percent (value) : assay_html_plain (value);

  return measure->is_share ? g_strconcat (number, "\u00a0%", NULL) : g_steal_pointer (&number);
}

/* What the picture says to who does not see it. */
static char *
describe (const AssayResultClaim *claim, const AssayResultHypothesis *one)
{
  const AssayResultMeasure *measure = claim->measure;
  g_autofree char *bound = say (measure, one->bound);
  g_autofree char *lower = say (measure, one->interval.lower);
  g_autofree char *upper = say (measure, one->interval.upper);

  if (measure->is_epsilon)
    return g_strdup_printf ("At least %s, against at most %s", lower, bound);
  return g_strdup_printf ("The interval from %s to %s, against at %s %s", lower, upper,
                          claim->is_at_most ? "most" : "least", bound);
}

static void
append_marks (AssayHtml *html, const AssayResultClaim *claim, const AssayResultHypothesis *one,
              const Axis *axis)
{
  const AssayInterval *interval = &one->interval;
  const double bound = place (axis, one->bound, 0);
  const double lower = place (axis, interval->lower, 0);
  /* Of epsilon nothing is known above what was certified. */
  const double upper = claim->measure->is_epsilon ? 100 : place (axis, interval->upper, 100);

  append_rect (html, "allowed", claim->is_at_most ? 0 : bound, claim->is_at_most ? bound : 100,
               BAND);
  append_line (html, "axis", 0, TOP + BAND, 100, TOP + BAND);
  if (one->test != NULL)
    append_line (html, "test", place (axis, one->test_lower, 0), MIDDLE,
                 place (axis, one->test_upper, 100), MIDDLE);
  append_rect (html, "interval", lower, upper, BAR);
  if (!claim->measure->is_epsilon)
    append_line (html, "estimate", place (axis, interval->estimate, lower), MIDDLE - BAR / 2.0 - 4,
                 place (axis, interval->estimate, lower), MIDDLE + BAR / 2.0 + 4);
  append_line (html, "bound", bound, TOP - 2, bound, TOP + BAND);
}

void
assay_html_strip (AssayHtml *html, const AssayResultClaim *claim, const AssayResultHypothesis *one)
{
  const Axis axis = find_axis (claim->measure, one);
  g_autofree char *says = describe (claim, one);
  g_autofree char *bound = say (claim->measure, one->bound);
  g_autofree char *allowed
      = g_strconcat ("the claim: at ", claim->is_at_most ? "most " : "least ", bound, NULL);
  g_autofree char *low = say (claim->measure, axis.low);
  g_autofree char *high = say (claim->measure, axis.high);

  if (!is_known (one->bound) || !is_known (one->interval.lower) || !(axis.high > axis.low))
    return;
  assay_html_open (html, "svg.strip");
  assay_html_attribute (html, "role", "img");
  assay_html_attribute (html, "aria-label", says);
  append_marks (html, claim, one, &axis);
  append_words (html, "said", place (&axis, one->bound, 0), TOP - 6, allowed);
  append_words (html, "end", 0, FOOT, low);
  append_words (html, "end", 100, FOOT, high);
  assay_html_close (html, "svg");
}
