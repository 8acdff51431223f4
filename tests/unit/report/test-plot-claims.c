/* What claims allow in plots, the ranges of axes, and what a pointer is told at points. */
#include "report/plots/plots.h"

#include <math.h>

#include "report/plots/plot-parts.h"
#include "report/plots/gnuplot.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/report/made-plots.h"

TestSuite (plot_claims, .init = set_up, .fini = tear_down);

#define CLAIMS                                                                                     \
  "[claim hidden]\nmeasure = recovery-rate\nattack = nearest\nat-most = 0.25\n"                    \
  "[claim useful]\nmeasure = accuracy\nat-least = 0.125\n"

/* Hypotheses about all cells of defense 1 on that have the claim's measure; bounds of claim 0 are
 * its own, or grow with the defense where @is_own. */
static void
add_hypotheses (AssayResults *results, gboolean is_own)
{
  ASSAY_FOR_EACH (AssayResultClaim, claim, results->claims) {
    ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
      const AssayResultHypothesis one
          = { .cell = cell, .bound = is_own ? 0.05 * cell->defense->index : claim->bound };
      const gboolean is_about = claim->is_of_utility
                                    ? cell->is_utility
                                    : !cell->is_utility && cell->attack_or_utility->index == 1;

      if (is_about && cell->defense->index > 0)
        g_array_append_val (claim->hypotheses, one);
    }
  }
}

static Made
make_claimed (gboolean is_own)
{
  Made all = { .plan = made_plan (folder, SCENARIO CLAIMS) };
  g_autoptr (GError) error = NULL;

  all.results = made_results (all.plan, made);
  add_hypotheses (all.results, is_own);
  all.plots = assay_plots_write (assay_curves_new (all.results), folder, NULL, &error);
  cr_assert (all.plots != NULL, "%s", error != NULL ? error->message : "");
  return all;
}

static const AssayCurveBound *
bound_of (const AssayCurve *curve, guint i)
{
  return curve->bounds->pdata[i];
}

/* Claims stand in the curves of their measure, on its axis, and in no other. */
Test (plot_claims, bounds_are_those_of_the_claims)
{
  g_auto (Made) all = make_claimed (FALSE);
  const AssayCurve *rate = find (&all, "recovery-rate-over-epsilon")->curve;
  const AssayCurve *use = find (&all, "accuracy-over-epsilon")->curve;
  const AssayCurve *error = find (&all, "relative-error-median-over-epsilon")->curve;
  const AssayCurve *both = find (&all, "recovery-rate-vs-accuracy")->curve;
  g_autofree char *note = assay_curve_note (rate);

  cr_assert (rate->bounds->len == 1 && use->bounds->len == 1 && error->bounds->len == 0);
  cr_assert (both->bounds->len == 2);
  cr_assert_str_eq (bound_of (rate, 0)->claim, "hidden");
  cr_assert (bound_of (rate, 0)->level == 0.25 && !bound_of (rate, 0)->is_x
             && bound_of (rate, 0)->is_at_most);
  cr_assert (bound_of (use, 0)->level == 0.125 && !bound_of (use, 0)->is_at_most);
  cr_assert (bound_of (both, 0)->is_x && bound_of (both, 0)->level == 0.25);
  cr_assert (!bound_of (both, 1)->is_x && bound_of (both, 1)->level == 0.125);
  cr_assert (strstr (note, "Grey dots: what claims allow.") != NULL, "%s", note);
}

/* Where each defense claims its own bound, they stand at their settings. */
Test (plot_claims, own_bounds_stand_at_their_settings)
{
  g_auto (Made) all = make_claimed (TRUE);
  const AssayCurveBound *bound = bound_of (find (&all, "recovery-rate-over-epsilon")->curve, 0);

  cr_assert (isnan (bound->level) && bound->points->len == 5);
  for (guint p = 0; p < 5; p++) {
    const AssayCurvePoint *point = &g_array_index (bound->points, AssayCurvePoint, p);

    cr_assert (point->x.value == ldexp (1, (int) p), "setting %u", p);
    cr_assert (point->y.value == 0.05 * (p + 1), "bound %u", p);
  }
  /* A trade-off has no place for bounds that differ. */
  cr_assert (find (&all, "recovery-rate-vs-accuracy")->curve->bounds->len == 0);
}

/* The numbers behind @words in @svg, up to the next quotation mark. */
static guint
numbers_behind (const char *svg, const char *words, double *ret_numbers, guint most)
{
  const char *at = strstr (svg, words);
  guint n = 0;

  cr_assert (at != NULL, "'%s' is not there", words);
  for (at += strlen (words); *at != '\'' && *at != '\0' && n < most; at++)
    if (g_ascii_isdigit (*at)) {
      char *after;

      ret_numbers[n++] = g_ascii_strtod (at, &after);
      at = after - 1;
    }
  return n;
}

/* Where the point with this value is drawn. */
static double
height_of (const char *svg, double share)
{
  g_autofree char *words = g_strdup_printf (": %.4g %% [", 100 * share);
  const char *at = strstr (svg, words);
  double place[2] = { 0 };

  cr_assert (at != NULL, "'%s' is not there", words);
  cr_assert (numbers_behind (at, "translate(", place, 2) == 2);
  return place[1];
}

/* A level of 1/4 stands between the points at 2.5/7 and 4.5/7 where a line through both has it. */
Test (plot_claims, a_bound_is_drawn_and_named)
{
  NEEDS_GNUPLOT ();
  g_auto (Made) all = make_claimed (FALSE);
  const AssayPlot *plot = find (&all, "recovery-rate-over-epsilon");
  const double low = height_of (plot->svg, 2.5 / 7), high = height_of (plot->svg, 4.5 / 7);
  const double expected = low + (0.25 - 2.5 / 7) / (2.0 / 7) * (high - low);
  const char *named = strstr (plot->svg, "claim hidden: at most 25 %");
  double numbers[8] = { 0 };

  cr_assert (named != NULL && strstr (named, "stroke-dasharray=") != NULL, "it is not named");
  /* The sample in the key, then the level from the left to the right. */
  cr_assert (numbers_behind (named, " d='", numbers, 8) == 8, "the claim is not drawn");
  cr_assert (numbers[6] - numbers[4] > 300, "from %g to %g", numbers[4], numbers[6]);
  assert_near (numbers[5], expected, 0.03, "left end");
  assert_near (numbers[7], expected, 0.03, "right end");
}

/* ---- Ranges ---- */

/* A sweep of one line with @n values that are all @value, over settings that are all @setting. */
static AssayCurve *
bare_curve (double setting, double value, guint n, gboolean is_log)
{
  AssayCurve *curve = g_new0 (AssayCurve, 1);
  AssayCurveLine *line = g_new0 (AssayCurveLine, 1);

  curve->kind = ASSAY_CURVE_SWEEP;
  curve->name = g_strdup ("bare");
  curve->title = g_strdup ("bare");
  curve->x = (AssayCurveAxis){ g_strdup ("x"), g_strdup (""), g_strdup (""), NULL, 0, is_log };
  curve->y = (AssayCurveAxis){ g_strdup ("y"), g_strdup (""), g_strdup (""), NULL, 0, is_log };
  curve->lines = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_curve_line_free);
  line->name = g_strdup ("line");
  line->swept = g_strdup ("x");
  line->points = g_array_new (FALSE, FALSE, sizeof (AssayCurvePoint));
  for (guint p = 0; p < n; p++) {
    const AssayCurvePoint point = { .x = { setting, NAN, NAN, NULL, NULL },
                                    .y = { value, NAN, NAN, NULL, NULL },
                                    .setting = setting };

    g_array_append_val (line->points, point);
  }
  g_ptr_array_add (curve->lines, line);
  return curve;
}

Test (plot_claims, ranges_are_finite_whatever_is_known)
{
  static const double values[] = { NAN, INFINITY, -INFINITY, 0, 3, -3, 1e-300, 1e300 };

  for (guint v = 0; v < G_N_ELEMENTS (values); v++)
    for (guint n = 1; n <= 2; n++)
      for (guint is_log = 0; is_log < 2; is_log++) {
        AssayCurve *curve = bare_curve (values[v], values[v], n, is_log == 1);
        g_autofree char *script = assay_plot_script (curve);

        for (guint is_x = 0; is_x < 2; is_x++) {
          const AssayPlotRange range = assay_plot_range (curve, is_x == 1);

          cr_assert (isfinite (range.low) && isfinite (range.high) && range.low < range.high,
                     "%g: %g to %g", values[v], range.low, range.high);
          cr_assert (!range.is_log || range.low > 0);
        }
        cr_assert (strstr (script, "nan:") == NULL && strstr (script, "inf:") == NULL, "%s",
                   script);
        assay_curve_free (curve);
      }
}

/* A bound far beyond all values is named, and does not press them together. */
Test (plot_claims, far_bounds_are_named)
{
  static const struct {
    double level;
    gboolean is_shown;
  } cases[] = { { 3.5, TRUE }, { 4, TRUE }, { 5, FALSE }, { 1000, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    AssayCurve *curve = bare_curve (2, 3, 1, FALSE);
    AssayCurveBound *bound = g_new0 (AssayCurveBound, 1);
    g_autofree char *title = NULL;
    AssayPlotRange range;

    curve->bounds = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_curve_bound_free);
    *bound = (AssayCurveBound){ .claim = g_strdup ("far"), .level = cases[i].level };
    g_ptr_array_add (curve->bounds, bound);
    range = assay_plot_range (curve, FALSE);
    title = assay_plot_bound_title (curve, bound, &range);
    cr_assert ((range.high >= cases[i].level) == cases[i].is_shown, "%g of %g", cases[i].level,
               range.high);
    cr_assert ((strstr (title, "beyond this picture") == NULL) == cases[i].is_shown, "%s", title);
    assay_curve_free (curve);
  }
}

Test (plot_claims, powers_of_two_say_so)
{
  g_auto (Made) all = make_claimed (FALSE);
  const AssayPlotRange x = assay_plot_range (find (&all, "accuracy-over-epsilon")->curve, TRUE);
  AssayCurve *tens = bare_curve (10, 1, 1, TRUE);
  g_autofree char *script = read_file ("accuracy-over-epsilon.gp");
  g_autofree char *other = assay_plot_script (tens);

  cr_assert (x.is_log2 && strstr (script, "; log2 scale)'") != NULL, "%s", script);
  cr_assert (strstr (other, "(log scale)'") != NULL, "%s", other);
  assay_curve_free (tens);
}

/* ---- What a pointer is told ---- */

/* Every point has its own numbers, at the place where it is drawn. */
Test (plot_claims, pointers_are_told_the_numbers)
{
  NEEDS_GNUPLOT ();
  g_auto (Made) all = make_claimed (FALSE);
  const AssayPlot *plot = find (&all, "accuracy-over-epsilon");
  const AssayCurveLine *line = plot->curve->lines->pdata[1];
  const char *at = plot->svg;

  for (guint p = 0; p < 5; p++) {
    const AssayCurvePoint *point = &g_array_index (line->points, AssayCurvePoint, p);
    g_autofree char *words = g_strdup_printf (
        "<g><title>noisy\nepsilon: %.4g\naccuracy (use): %.4g %% [%.4g, %.4g]</title>",
        point->x.value, 100 * point->y.value, 100 * point->y.lower, 100 * point->y.upper);
    g_autofree char *unseen = NULL;

    at = strstr (at, words);
    cr_assert (at != NULL, "'%s' is not in the plot, or not in order", words);
    unseen = g_strndup (at, 400);
    cr_assert (strstr (unseen, "opacity='0.00'") != NULL, "%s", unseen);
  }
  cr_assert (strstr (plot->svg, "onmouse") == NULL && strstr (plot->svg, "Hypertext") == NULL);
}
