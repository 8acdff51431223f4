/* Curves: which there are, and that their points are those of the results. */
#include "report/plots/curves.h"

#include <math.h>

#include "core/base/rng.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/made-results.h"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (curves, .init = set_up, .fini = tear_down);

#define DATASET                                                                                    \
  "[scenario]\ntitle = t\n[dataset]\nplugin = shapes\nprivate_images = 100\ntest_images = 40\n"    \
  "public_images = 10\nsize = 8\nsecrets = 20\n"
#define ATTACKS                                                                                    \
  "[attack verbatim]\nplugin = verbatim\n[attack nearest]\nplugin = nearest\ngrants = public\n"
#define METRICS "[metric recovery-rate]\ntau = 0.3\n[metric relative-error]\n"
#define UTILITY "[utility use]\nplugin = classification\nhidden = 4\n"
/* Defense 0, and 1 to 4 out of order. */
#define DEFENSES                                                                                   \
  "[defense plain]\nplugin = none\n[defense noisy]\nplugin = gaussian\nepsilon = 2; 0.5; 4; 1\n"

static const double epsilons[] = { NAN, 2, 0.5, 4, 1 };

/* Of defense d: verbatim recovers more from odd ones, nearest from even ones; the error is larger
 * where more is recovered, so that the other attack leaks more by it. */
static AssayInterval
made (const AssayResultMeasure *measure, guint dataset, guint defense, guint attack)
{
  const double by_defense = 0.1 * (defense + 1) + 0.001 * dataset;
  double value = by_defense;

  if (g_str_has_prefix (measure->name, "recovery-rate"))
    value = defense % 2 == attack % 2 ? by_defense : by_defense + 0.05;
  else if (g_str_has_prefix (measure->name, "relative-error"))
    value = 1 + (defense % 2 == attack % 2 ? by_defense : by_defense + 0.05);
  else if (!g_str_equal (measure->name, "accuracy"))
    return (AssayInterval){ 0 };
  return (AssayInterval){
    .estimate = value, .lower = value - 0.01, .upper = value + 0.02, .n = 20, .method = "made"
  };
}

static const AssayCurve *
find (const GPtrArray *curves, const char *name)
{
  for (guint i = 0; i < curves->len; i++)
    if (g_str_equal (((const AssayCurve *) curves->pdata[i])->name, name))
      return curves->pdata[i];
  cr_assert (FALSE, "no curve is called %s", name);
  return NULL;
}

static const AssayCurvePoint *
point_of (const AssayCurve *curve, guint line, guint point)
{
  return &g_array_index (((const AssayCurveLine *) curve->lines->pdata[line])->points,
                         AssayCurvePoint, point);
}

/* Every value is a measurement of the results, and its attack the one that leaks most. */
Test (curves, trade_off)
{
  AssayPlan *plan = made_plan (folder, DATASET DEFENSES ATTACKS METRICS UTILITY);
  AssayResults *results = made_results (plan, made);
  g_autoptr (GPtrArray) curves = assay_curves_new (results);
  const AssayCurve *rate = find (curves, "recovery-rate-vs-accuracy");
  const AssayCurve *error = find (curves, "relative-error-median-vs-accuracy");
  static const guint in_order[] = { 2, 4, 1, 3 }; /* defenses by epsilon */

  cr_assert_str_eq (rate->title, "recovery-rate tau=0.3 against accuracy (use)");
  cr_assert_str_eq (rate->x.direction, "lower is more private");
  cr_assert_str_eq (error->x.direction, "higher is more private");
  cr_assert_str_eq (rate->y.direction, "higher is more useful");
  cr_assert (rate->x.is_share && !error->x.is_share && rate->has_most_only);
  cr_assert (rate->lines->len == 2 && error->lines->len == 2);
  cr_assert_str_eq (((const AssayCurveLine *) rate->lines->pdata[0])->name, "plain");
  cr_assert (((const AssayCurveLine *) rate->lines->pdata[0])->swept == NULL);
  cr_assert_str_eq (((const AssayCurveLine *) rate->lines->pdata[1])->name, "noisy");
  cr_assert_str_eq (((const AssayCurveLine *) rate->lines->pdata[1])->swept, "epsilon");
  for (guint p = 0; p < 4; p++) {
    const AssayCurvePoint *more = point_of (rate, 1, p);
    const AssayCurvePoint *less = point_of (error, 1, p);
    const guint d = in_order[p];
    const double base = 0.1 * (d + 1);

    cr_assert (more->setting == epsilons[d] && less->setting == epsilons[d], "point %u", p);
    assert_near (more->x.value, base + 0.05, 1e-15, "recovered, defense %u", d);
    assert_near (more->x.lower, base + 0.04, 1e-15, "its lower end");
    assert_near (more->x.upper, base + 0.07, 1e-15, "its upper end");
    assert_near (less->x.value, 1 + base, 1e-15, "error, defense %u", d);
    assert_near (more->y.value, base, 1e-15, "accuracy, defense %u", d);
    cr_assert (more->x.cell->attack_or_utility->index == (d + 1) % 2, "attack of defense %u", d);
    cr_assert (less->x.cell->attack_or_utility->index == d % 2, "attack of defense %u by error", d);
    cr_assert (more->y.cell->is_utility && more->x.cell->defense->index == d);
  }
  g_clear_pointer (&curves, g_ptr_array_unref);
  assay_results_free (results);
  assay_plan_free (plan);
}

/* A sweep has the attacks side by side, and what is not swept as a level. */
Test (curves, sweep)
{
  AssayPlan *plan = made_plan (folder, DATASET DEFENSES ATTACKS METRICS UTILITY);
  AssayResults *results = made_results (plan, made);
  g_autoptr (GPtrArray) curves = assay_curves_new (results);
  const AssayCurve *rate = find (curves, "recovery-rate-over-epsilon");
  const AssayCurve *use = find (curves, "accuracy-over-epsilon");
  static const char *const names[]
      = { "plain, verbatim", "plain, nearest", "noisy, verbatim", "noisy, nearest" };

  cr_assert (curves->len == 5, "%u curves", curves->len);
  cr_assert (rate->lines->len == 4 && use->lines->len == 2);
  cr_assert (rate->x.is_log && !rate->y.is_log && !rate->has_most_only);
  for (guint l = 0; l < 4; l++)
    cr_assert_str_eq (((const AssayCurveLine *) rate->lines->pdata[l])->name, names[l]);
  cr_assert (isnan (point_of (rate, 0, 0)->x.value));
  for (guint p = 1; p < 4; p++)
    cr_assert (point_of (rate, 3, p)->x.value == 2 * point_of (rate, 3, p - 1)->x.value);
  assert_near (point_of (rate, 2, 0)->y.value, 0.3, 1e-15, "epsilon 0.5, verbatim");
  assert_near (point_of (rate, 3, 0)->y.value, 0.35, 1e-15, "epsilon 0.5, nearest");
  cr_assert_str_eq (((const AssayCurveLine *) use->lines->pdata[1])->name, "noisy");
  cr_assert_str_eq (use->title, "accuracy (use) over epsilon");
  g_clear_pointer (&curves, g_ptr_array_unref);
  assay_results_free (results);
  assay_plan_free (plan);
}

/* The same guesses over a metric's own setting: a line for each defense and attack. Two values are
 * no curve. */
Test (curves, metric_sweep)
{
  static const double taus[] = { 0.1, 0.3, 0.5 };
  static const struct {
    const char *tau;
    gboolean is_curve;
  } metrics[] = { { "0.5; 0.1; 0.3", TRUE }, { "0.5; 0.1", FALSE } };

  for (gsize m = 0; m < G_N_ELEMENTS (metrics); m++) {
    g_autofree char *text = g_strdup_printf (DATASET ATTACKS
                                             "[defense plain]\nplugin = none\n"
                                             "[metric recovery-rate]\ntau = %s\n",
                                             metrics[m].tau);
    AssayPlan *plan = made_plan (folder, text);
    AssayResults *results = made_results (plan, made);
    g_autoptr (GPtrArray) curves = assay_curves_new (results);

    cr_assert (curves->len == (metrics[m].is_curve ? 1 : 0), "%u curves", curves->len);
    if (metrics[m].is_curve) {
      const AssayCurve *rate = find (curves, "recovery-rate-over-tau");

      cr_assert_str_eq (rate->title, "recovery-rate over tau");
      cr_assert (rate->y.is_share && rate->lines->len == 2);
      for (guint l = 0; l < 2; l++) {
        cr_assert_str_eq (((const AssayCurveLine *) rate->lines->pdata[l])->name,
                          l == 0 ? "verbatim" : "nearest");
        for (guint p = 0; p < 3; p++) {
          cr_assert (point_of (rate, l, p)->x.value == taus[p], "line %u, point %u", l, p);
          assert_near (point_of (rate, l, p)->y.value, l == 0 ? 0.1 : 0.15, 1e-15, "line %u", l);
        }
      }
    }
    g_clear_pointer (&curves, g_ptr_array_unref);
    assay_results_free (results);
    assay_plan_free (plan);
  }
}

/* Thirteen settings of another kind and two attacks are too many lines: the stronger attack of each
 * stays, and the number that is swept longest makes the lines of trade-offs. */
Test (curves, many_lines)
{
  AssayPlan *plan = made_plan (folder, DATASET ATTACKS METRICS UTILITY
                               "[defense noisy]\nplugin = gaussian\nepsilon = 1; 2\n"
                               "sensitivity = 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13\n");
  AssayResults *results = made_results (plan, made);
  g_autoptr (GPtrArray) curves = assay_curves_new (results);
  const AssayCurve *merged = find (curves, "recovery-rate-over-epsilon");
  const AssayCurve *apart = find (curves, "recovery-rate-over-sensitivity");
  const AssayCurve *trade_off = find (curves, "recovery-rate-vs-accuracy");

  cr_assert (merged->lines->len == 13 && merged->has_most_only);
  cr_assert (apart->lines->len == 4 && !apart->has_most_only);
  cr_assert (trade_off->lines->len == 2);
  cr_assert_str_eq (((const AssayCurveLine *) trade_off->lines->pdata[1])->name, "noisy epsilon=2");
  cr_assert_str_eq (((const AssayCurveLine *) merged->lines->pdata[12])->name,
                    "noisy sensitivity=13");
  for (guint l = 0; l < merged->lines->len; l++)
    for (guint p = 0; p < 2; p++) {
      const AssayCurvePoint *point = point_of (merged, l, p);
      const guint d = point->y.cell->defense->index;

      assert_near (point->y.value, 0.1 * (d + 1) + 0.05, 1e-12, "line %u, point %u", l, p);
    }
  g_clear_pointer (&curves, g_ptr_array_unref);
  assay_results_free (results);
  assay_plan_free (plan);
}

/* The higher the number of the defense, the better it is in both measures. */
static AssayInterval
made_better (const AssayResultMeasure *measure, guint dataset, guint defense, guint attack)
{
  const double value = measure->higher_is_worse ? 1.0 / (defense + 1) : defense + 1.0;

  (void) dataset;
  (void) attack;
  return (AssayInterval){
    .estimate = value, .lower = value, .upper = value, .n = 20, .method = "made"
  };
}

/* More lines than can be drawn: the one with the only Pareto-optimal point stands first, the others
 * as they were. */
Test (curves, optimal_lines_first)
{
  AssayPlan *plan = made_plan (
      folder, DATASET METRICS UTILITY
      "[attack verbatim]\nplugin = verbatim\n[defense noisy]\nplugin = gaussian\n"
      "epsilon = 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21\n"
      "sensitivity = 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21\n");
  AssayResults *results = made_results (plan, made_better);
  g_autoptr (GPtrArray) curves = assay_curves_new (results);
  const AssayCurve *curve = find (curves, "recovery-rate-vs-accuracy");
  g_autofree char *note = assay_curve_note (curve);

  cr_assert (curve->lines->len == 21, "%u lines", curve->lines->len);
  cr_assert_str_eq (((const AssayCurveLine *) curve->lines->pdata[0])->name, "noisy epsilon=21");
  cr_assert_str_eq (((const AssayCurveLine *) curve->lines->pdata[1])->name, "noisy epsilon=1");
  cr_assert_str_eq (((const AssayCurveLine *) curve->lines->pdata[20])->name, "noisy epsilon=20");
  cr_assert (strstr (note, "20 of 21 lines are drawn") != NULL, "%s", note);
  g_clear_pointer (&curves, g_ptr_array_unref);
  assay_results_free (results);
  assay_plan_free (plan);
}

/* What sweeps something else by itself is no level to compare with; what sweeps nothing, or what
 * the others sweep too, is. */
Test (curves, levels)
{
  AssayPlan *plan = made_plan (folder, DATASET METRICS
                               "[attack verbatim]\nplugin = verbatim\n"
                               "[defense plain]\nplugin = none\n"
                               "[defense one]\nplugin = gaussian\nepsilon = 1; 2\n"
                               "[defense two]\nplugin = gaussian\nsensitivity = 1; 2; 3\n"
                               "[defense three]\nplugin = gaussian\ndelta = 0.01; 0.02\n"
                               "epsilon = 1; 2; 4\n");
  AssayResults *results = made_results (plan, made);
  g_autoptr (GPtrArray) curves = assay_curves_new (results);
  const AssayCurve *epsilon = find (curves, "recovery-rate-over-epsilon");
  const AssayCurve *delta = find (curves, "recovery-rate-over-delta");

  cr_assert (epsilon->lines->len == 4, "%u lines over epsilon", epsilon->lines->len);
  cr_assert (delta->lines->len == 6, "%u lines over delta", delta->lines->len);
  cr_assert_str_eq (((const AssayCurveLine *) epsilon->lines->pdata[3])->name, "three delta=0.02");
  cr_assert_str_eq (((const AssayCurveLine *) delta->lines->pdata[2])->name, "one epsilon=2");
  cr_assert (((const AssayCurveLine *) delta->lines->pdata[2])->swept == NULL);
  g_clear_pointer (&curves, g_ptr_array_unref);
  assay_results_free (results);
  assay_plan_free (plan);
}

/* Every setting of a dataset has trade-offs of its own, with names of their own. */
Test (curves, datasets_apart)
{
  AssayPlan *plan = made_plan (
      folder, "[scenario]\ntitle = t\n[dataset]\nplugin = shapes\nprivate_images = 100\n"
              "test_images = 40\npublic_images = 10; 20\nsize = 8\nsecrets = 20\n" DEFENSES ATTACKS
                  METRICS UTILITY);
  AssayResults *results = made_results (plan, made);
  g_autoptr (GPtrArray) curves = assay_curves_new (results);
  const AssayCurve *first = find (curves, "recovery-rate-vs-accuracy-public-images-10");
  const AssayCurve *second = find (curves, "recovery-rate-vs-accuracy-public-images-20");
  const AssayCurve *over = find (curves, "recovery-rate-over-public-images");

  cr_assert (g_str_has_suffix (first->title, "(use), public_images=10"), "%s", first->title);
  cr_assert (g_str_has_suffix (second->title, "public_images=20"), "%s", second->title);
  assert_near (point_of (second, 0, 0)->y.value - point_of (first, 0, 0)->y.value, 0.001, 1e-12,
               "the second dataset's");
  cr_assert (over->lines->len == 10, "%u lines", over->lines->len);
  cr_assert_str_eq (((const AssayCurveLine *) over->lines->pdata[9])->name,
                    "noisy epsilon=1, nearest");
  g_clear_pointer (&curves, g_ptr_array_unref);
  assay_results_free (results);
  assay_plan_free (plan);
}

/* A control that failed makes a point doubtful, and never Pareto-optimal; a bound that is none is
 * not known; an unfinished run says so. */
Test (curves, doubtful_and_unfinished)
{
  AssayPlan *plan = made_plan (folder, DATASET DEFENSES ATTACKS METRICS UTILITY);
  AssayResults *results = made_results (plan, made);
  AssayResultCell *cell = results->pooled->pdata[0];
  g_autofree char *note = NULL;
  const AssayCurve *curve;
  GPtrArray *curves;

  for (guint i = 0; i < results->pooled->len; i++) {
    cell = results->pooled->pdata[i];
    if (cell->defense->index == 0)
      cell->status = ASSAY_RESULT_CONTROL_FAILED;
    for (guint m = 0; m < cell->measurements->len; m++)
      g_array_index (cell->measurements, AssayMeasurement, m).interval.upper = G_MAXDOUBLE;
  }
  results->n_missing = 3;
  curves = assay_curves_new (results);
  curve = find (curves, "recovery-rate-vs-accuracy");
  note = assay_curve_note (curve);
  cr_assert (point_of (curve, 0, 0)->is_doubtful && !point_of (curve, 0, 0)->is_optimal);
  cr_assert (!point_of (curve, 1, 0)->is_doubtful && point_of (curve, 1, 0)->is_optimal);
  cr_assert (isnan (point_of (curve, 1, 0)->x.upper) && isfinite (point_of (curve, 1, 0)->x.lower));
  cr_assert (strstr (note, "Bars and bands are 95 % intervals") != NULL
                 && strstr (note, "not finished") != NULL && strstr (note, "Crosses") != NULL
                 && strstr (note, "point estimates") != NULL,
             "%s", note);
  g_ptr_array_unref (curves);
  assay_results_free (results);
  assay_plan_free (plan);
}

/* An audit has a lower bound alone, and its estimate may be none. */
static AssayInterval
made_bound (const AssayResultMeasure *measure, guint dataset, guint defense, guint attack)
{
  (void) dataset;
  (void) attack;
  if (!g_str_equal (measure->name, "epsilon"))
    return (AssayInterval){ 0 };
  return (AssayInterval){ .estimate = G_MAXDOUBLE,
                          .lower = 0.25 * (defense + 1),
                          .upper = G_MAXDOUBLE,
                          .n = 1,
                          .method = "made" };
}

Test (curves, audited_epsilon)
{
  AssayPlan *plan
      = made_plan (folder, DATASET "[defense noisy]\nplugin = gaussian\nepsilon = 1; 2; 4\n"
                                   "[attack audit]\nplugin = distinguish\nruns = 100\n");
  AssayResults *results = made_results (plan, made_bound);
  g_autoptr (GPtrArray) curves = assay_curves_new (results);
  const AssayCurve *curve = find (curves, "epsilon-over-epsilon");
  g_autofree char *note = assay_curve_note (curve);

  cr_assert (curve->lines->len == 1);
  for (guint p = 0; p < 3; p++) {
    const AssayCurvePoint *point = point_of (curve, 0, p);

    cr_assert (point->y.value == 0.25 * (p + 1) && point->y.lower == point->y.value, "point %u", p);
    cr_assert (isnan (point->y.upper) && point->x.value == ldexp (1, (int) p), "point %u", p);
  }
  cr_assert_str_eq (curve->title, "epsilon over the setting epsilon");
  cr_assert_str_eq (note,
                    "An audited epsilon is a certified lower bound, at 95 %: what is true may "
                    "be larger.");
  g_clear_pointer (&curves, g_ptr_array_unref);
  assay_results_free (results);
  assay_plan_free (plan);
}

/* ---- Pareto-optimal points ---- */

static const AssayResultMeasure leak = { .name = "leak", .higher_is_worse = TRUE };
static const AssayResultMeasure error_made = { .name = "error", .higher_is_worse = FALSE };
static const AssayResultMeasure use_made = { .name = "use", .higher_is_worse = FALSE };
static const AssayResultMeasure loss_made = { .name = "loss", .higher_is_worse = TRUE };

enum { POINTS = 60 };

/* By the definition. */
static gboolean
is_optimal (const double *x, const double *y, gsize n, gsize i)
{
  for (gsize j = 0; j < n; j++)
    if (x[j] >= x[i] && y[j] >= y[i] && (x[j] > x[i] || y[j] > y[i]))
      return FALSE;
  return TRUE;
}

/* Few distinct values, so that there are ties; against the definition, in all four directions. */
Test (curves, optimal_by_definition)
{
  const AssayStreamKey key = assay_stream_key (5, 0, "curves", "");

  for (guint round = 0; round < 40; round++) {
    AssayCurve *curve = g_new0 (AssayCurve, 1);
    AssayStream stream = assay_stream (key, round);
    double x[POINTS], y[POINTS];

    curve->lines = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_curve_line_free);
    curve->x.measure = round % 2 == 0 ? &leak : &error_made;
    curve->y.measure = round % 4 < 2 ? &use_made : &loss_made;
    for (guint l = 0; l < 3; l++) {
      AssayCurveLine *line = g_new0 (AssayCurveLine, 1);

      line->points = g_array_new (FALSE, FALSE, sizeof (AssayCurvePoint));
      g_ptr_array_add (curve->lines, line);
    }
    for (guint i = 0; i < POINTS; i++) {
      const AssayCurvePoint point = { .x.value = (double) assay_stream_below (&stream, 4 + round),
                                      .y.value = (double) assay_stream_below (&stream, 4 + round) };

      x[i] = curve->x.measure->higher_is_worse ? -point.x.value : point.x.value;
      y[i] = curve->y.measure->higher_is_worse ? -point.y.value : point.y.value;
      g_array_append_val (((AssayCurveLine *) curve->lines->pdata[i % 3])->points, point);
    }
    assay_curve_mark_optimal (curve);
    for (guint i = 0; i < POINTS; i++)
      cr_assert (point_of (curve, i % 3, i / 3)->is_optimal == is_optimal (x, y, POINTS, i),
                 "round %u, point %u", round, i);
    assay_curve_free (curve);
  }
}

Test (curves, geometric)
{
  static const struct {
    double values[6];
    gsize n;
    gboolean is_geometric;
  } cases[] = {
    { { 2, 4, 8, 16 }, 4, TRUE },
    { { 16, 2, 8, 4, 2, 16 }, 6, TRUE },
    { { 0.25, 0.5, 1, 2, 4 }, 5, TRUE },
    { { 1, 10, 100 }, 3, TRUE },
    { { 1, 2, 5, 10, 20, 50 }, 6, TRUE },
    { { 30, 100, 300, 1000 }, 4, TRUE },
    { { 1, 10 }, 2, TRUE },
    { { 12, 24, 32, 48 }, 4, FALSE },
    { { 1, 2, 3, 4, 5 }, 5, FALSE },
    { { 5.8658, 7.8653, 9.8214, 11.8787 }, 4, FALSE },
    { { 0, 1, 10, 100 }, 4, FALSE },
    { { -1, -10, -100 }, 3, FALSE },
    { { 1, 2, 4 }, 3, TRUE },
    { { 1, 2, 3 }, 3, FALSE },
    { { 16, 32 }, 2, FALSE },
    { { 7, 7 }, 2, FALSE },
    { { 0 }, 0, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    cr_assert (assay_curve_is_geometric (cases[i].values, cases[i].n) == cases[i].is_geometric,
               "case %zu", i);
}
