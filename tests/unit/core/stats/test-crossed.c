/* Units of two groups each: the error against a sum over all pairs; intervals and p-values against
 * closed forms. Whether intervals hold: test-crossed-intervals.c. */
#define MATHLIB_STANDALONE 1
#include <Rmath.h>
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/rng.h"
#include "core/stats/bound-test.h"
#include "core/stats/crossed.h"
#include "core/stats/interval.h"
#include "tests/unit/assert-near.h"

static const AssayMeasure mean = { .statistic = ASSAY_STATISTIC_MEAN, .low = -1e9, .high = 1e9 };
static const AssayMeasure rate = { .statistic = ASSAY_STATISTIC_RATE, .low = 0, .high = 1 };
static const AssayMeasure median
    = { .statistic = ASSAY_STATISTIC_MEDIAN, .low = -1e9, .high = 1e9 };

static const AssayStreamKey no_key = { 0 };

enum { UNITS = 300 };

/* Units of 12 secrets in pairs, or of 12 rows under 5 trainings: y = u_a + v_b + e. With
 * @has_alone every fifth unit is of one secret alone. */
static AssaySample *
draw (const AssayMeasure *measure, gboolean is_of_one_kind, gboolean has_alone)
{
  double values[UNITS], u[12], v[12];
  gint64 groups[UNITS], others[UNITS];
  AssayStream stream = assay_stream (assay_stream_key (5, 0, "units", "test-crossed"), 0);

  for (gsize g = 0; g < 12; g++) {
    u[g] = assay_stream_normal (&stream);
    v[g] = assay_stream_normal (&stream);
  }
  for (gsize i = 0; i < UNITS; i++) {
    const gsize a = i % 12, b = (a + 1 + assay_stream_below (&stream, 11)) % 12;

    groups[i] = (gint64) a;
    others[i] = (gint64) (!is_of_one_kind ? b % 5 : has_alone && i % 5 == 0 ? a : b);
    values[i] = u[a] + (is_of_one_kind ? u[others[i]] : v[others[i]])
                + 0.5 * assay_stream_normal (&stream);
    if (measure == &rate)
      values[i] = values[i] > 0.5;
  }
  return assay_sample_new_crossed (measure, values, groups, others, is_of_one_kind, UNITS);
}

static gboolean
is_in (const AssayUnit *unit, gsize group)
{
  return unit->group == group || unit->other == group;
}

/* The sum of r_i r_j over pairs that share a group, once for each that they share and with that
 * group's G / (G - 1), less what units of two groups count twice; that of independent units at
 * least. */
static double
naive_error (const AssaySample *sample, const double *values)
{
  const AssayUnit *u = sample->units;
  const double own = (double) sample->n_groups / (double) (sample->n_groups - 1);
  const double other = (double) sample->n_others / ((double) sample->n_others - 1);
  double m = 0, sum = 0, square = 0;

  for (gsize i = 0; i < sample->n; i++)
    m += values[i] / (double) sample->n;
  for (gsize i = 0; i < sample->n; i++) {
    square += (values[i] - m) * (values[i] - m);
    for (gsize j = 0; j < sample->n; j++) {
      const double product = (values[i] - m) * (values[j] - m);

      if (sample->n_others > 0)
        sum += own * product * (u[i].group == u[j].group)
               + other * product * (u[i].other == u[j].other);
      for (gsize g = 0; sample->n_others == 0 && g < sample->n_groups; g++)
        sum += own * product * (is_in (&u[i], g) && is_in (&u[j], g));
    }
    if (sample->n_others > 0 || u[i].group != u[i].other)
      sum -= (values[i] - m) * (values[i] - m);
  }
  return sqrt (MAX (sum, square)) / (double) sample->n;
}

/* Degrees of freedom: G - 1, or Satterthwaite's from the two sums of squares. */
static double
naive_freedom (const AssaySample *sample, const double *values)
{
  const double g = (double) sample->n_groups, h = (double) sample->n_others;
  double sums[2][12] = { { 0 } }, squares[2] = { 0 }, m = 0;

  if (sample->n_others == 0)
    return g - 1;
  for (gsize i = 0; i < sample->n; i++)
    m += values[i] / (double) sample->n;
  for (gsize i = 0; i < sample->n; i++) {
    sums[0][sample->units[i].group] += values[i] - m;
    sums[1][sample->units[i].other] += values[i] - m;
  }
  for (gsize k = 0; k < 12; k++) {
    squares[0] += sums[0][k] * sums[0][k] * g / (g - 1);
    squares[1] += sums[1][k] * sums[1][k] * h / (h - 1);
  }
  return pow (squares[0] + squares[1], 2)
         / (pow (squares[0], 2) / (g - 1) + pow (squares[1], 2) / (h - 1));
}

static double *
values_of (const AssaySample *sample)
{
  double *values = g_new (double, sample->n);

  for (gsize i = 0; i < sample->n; i++)
    values[i] = sample->units[i].value;
  return values;
}

/* Pairs, pairs of which some are of one secret alone, rows and trainings. */
static const gboolean kinds[][2] = { { TRUE, FALSE }, { TRUE, TRUE }, { FALSE, FALSE } };

Test (crossed, error_is_that_of_all_pairs)
{
  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autoptr (AssaySample) sample = draw (&mean, kinds[k][0], kinds[k][1]);
    g_autofree double *values = values_of (sample);
    double freedom;

    cr_assert (sample->method == ASSAY_SAMPLE_CROSSED && sample->n_groups == 12);
    cr_assert (sample->n_others == (kinds[k][0] ? 0 : 5));
    assert_near (assay_crossed_error (sample, values, &freedom), naive_error (sample, values),
                 1e-12, "kind %zu", k);
    assert_near (freedom, naive_freedom (sample, values), 1e-9, "kind %zu", k);
    for (gsize i = 0; i < UNITS; i++)
      values[i] *= 1e-4;
    assay_crossed_error (sample, values, &freedom);
    assert_near (freedom, naive_freedom (sample, values), 1e-9, "kind %zu, small", k);
  }
}

/* Values that take turns in each group: the groups' sums are 0, and what is left is the error of
 * independent units, or of groups of one kind alone. */
Test (crossed, error_is_no_less_than_that_of_parts)
{
  static const double turns[] = { 1, -1, -1, 1, 1, -1, -1, 1 };
  static const gint64 groups[] = { 0, 0, 1, 1, 2, 2, 3, 3 };
  static const gint64 others[] = { 1, 1, 2, 2, 3, 3, 0, 0 };
  static const gint64 trainings[] = { 0, 1, 1, 0, 0, 1, 1, 0 };
  static const gint64 halves[] = { 0, 0, 0, 0, 1, 1, 1, 1 };
  static const double steps[] = { 1, 3, 3, 1, -1, -3, -3, -1 };
  g_autoptr (AssaySample) pairs = assay_sample_new_crossed (&mean, turns, groups, others, TRUE, 8);
  g_autoptr (AssaySample) rows
      = assay_sample_new_crossed (&mean, turns, groups, trainings, FALSE, 8);
  g_autoptr (AssaySample) nested
      = assay_sample_new_crossed (&mean, steps, groups, halves, FALSE, 8);
  g_autofree double *by_value = values_of (pairs), *of_rows = values_of (rows);
  g_autofree double *of_nested = values_of (nested);
  double freedom;

  assert_near (assay_crossed_error (pairs, by_value, &freedom), sqrt (8) / 8, 1e-12, "pairs");
  assert_near (freedom, 3, 0, "pairs");
  /* Each training has 1 four times: 2 x 4^2 x 2 / (2 - 1), and the rows nothing. */
  assert_near (assay_crossed_error (rows, of_rows, &freedom), sqrt (64) / 8, 1e-12, "rows");
  assert_near (freedom, 1, 1e-12, "rows");
  /* Rows: 4 x 4^2 x 4 / 3; halves: 2 x 8^2 x 2; units: 4 x (1 + 9). */
  assert_near (assay_crossed_error (nested, of_nested, &freedom), sqrt (256.0 / 3 + 256 - 40) / 8,
               1e-12, "nested");
}

/* The error of the share of units that are beyond @bound. */
static double
error_beyond (const AssaySample *sample, double bound, gboolean is_above, double *ret_share,
              double *ret_freedom)
{
  g_autofree double *beyond = g_new (double, sample->n);

  *ret_share = 0;
  for (gsize i = 0; i < sample->n; i++) {
    beyond[i] = is_above ? sample->units[i].value > bound : sample->units[i].value < bound;
    *ret_share += beyond[i] / (double) sample->n;
  }
  *ret_freedom = naive_freedom (sample, beyond);
  return naive_error (sample, beyond);
}

/* The interval of a median, from the share of units below it; sample->units are by value. */
static void
check_median (const AssaySample *sample, double confidence)
{
  const AssayInterval interval = assay_sample_interval (sample, confidence, no_key);
  const AssayMeasure *measure = sample->measure;
  g_autofree double *values = values_of (sample);
  double share, freedom, half = error_beyond (sample, sample->estimate, FALSE, &share, &freedom);

  half *= qt (1 - (1 - confidence) / 2, freedom, TRUE, FALSE);
  assert_near (interval.lower,
               half < 0.5 ? assay_sorted_quantile (values, sample->n, 0.5 - half) : measure->low,
               1e-9, "confidence %g", confidence);
  assert_near (interval.upper,
               half < 0.5 ? assay_sorted_quantile (values, sample->n, 0.5 + half) : measure->high,
               1e-9, "confidence %g", confidence);
}

Test (crossed, intervals_are_estimate_and_error)
{
  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autoptr (AssaySample) of_mean = draw (&mean, kinds[k][0], kinds[k][1]);
    g_autoptr (AssaySample) of_median = draw (&median, kinds[k][0], kinds[k][1]);
    g_autofree double *values = values_of (of_mean);
    double half = qt (0.975, naive_freedom (of_mean, values), TRUE, FALSE);
    const AssayInterval interval = assay_sample_interval (of_mean, 0.95, no_key);

    half *= naive_error (of_mean, values);
    assert_near (interval.lower, of_mean->estimate - half, 1e-9, "kind %zu", k);
    assert_near (interval.upper, of_mean->estimate + half, 1e-9, "kind %zu", k);
    cr_assert_str_eq (interval.method, "t-on-crossed-groups");
    check_median (of_median, 0.95);
  }
}

Test (crossed, p_values_are_those_of_t)
{
  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autoptr (AssaySample) of_mean = draw (&mean, kinds[k][0], kinds[k][1]);
    g_autoptr (AssaySample) of_median = draw (&median, kinds[k][0], kinds[k][1]);
    g_autofree double *values = values_of (of_mean);
    const double error = naive_error (of_mean, values);
    const double of_freedom = naive_freedom (of_mean, values);
    const double bound = of_mean->estimate + error, beside = of_median->estimate + 0.1;
    AssayBoundTest test = assay_bound_test (of_mean, bound, no_key);
    double share, freedom, t;

    assert_near (test.p_above, pt (1, of_freedom, TRUE, FALSE), 1e-9, "kind %zu", k);
    assert_near (test.p_below, pt (-1, of_freedom, TRUE, FALSE), 1e-9, "kind %zu", k);
    test = assay_bound_test (of_median, beside, no_key);
    t = error_beyond (of_median, beside, TRUE, &share, &freedom);
    t = (share - 0.5) / t;
    assert_near (test.p_above, pt (-t, freedom, TRUE, FALSE), 1e-9, "kind %zu", k);
    t = error_beyond (of_median, beside, FALSE, &share, &freedom);
    t = (share - 0.5) / t;
    assert_near (test.p_below, pt (-t, freedom, TRUE, FALSE), 1e-9, "kind %zu", k);
  }
}

/* Also where many units are equal, the median among them, and where few are left beside it. */
Test (crossed, medians_of_equal_and_of_few_units)
{
  static const AssayMeasure wide = { .statistic = ASSAY_STATISTIC_MEDIAN, .low = -7, .high = 9 };
  static const double few[] = { 1, 2, 3, 4, 5, 6, 7 };
  static const gint64 groups[] = { 0, 1, 2, 3, 1, 2, 3 }, others[] = { 1, 2, 3, 0, 3, 0, 1 };
  g_autoptr (AssaySample) of_few = assay_sample_new_crossed (&wide, few, groups, others, TRUE, 7);
  double confidence;

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autoptr (AssaySample) equal = draw (&median, kinds[k][0], kinds[k][1]);
    double share, freedom, t;

    for (gsize i = 0; i < UNITS; i++)
      equal->units[i].value = round (equal->units[i].value);
    equal->estimate = equal->units[UNITS / 2].value;
    check_median (equal, 0.95);
    t = error_beyond (equal, equal->estimate, TRUE, &share, &freedom);
    t = (share - 0.5) / t;
    assert_near (assay_bound_test (equal, equal->estimate, no_key).p_above,
                 pt (-t, freedom, TRUE, FALSE), 1e-9, "kind %zu", k);
    t = error_beyond (equal, equal->estimate, FALSE, &share, &freedom);
    t = (share - 0.5) / t;
    assert_near (assay_bound_test (equal, equal->estimate, no_key).p_below,
                 pt (-t, freedom, TRUE, FALSE), 1e-9, "kind %zu", k);
  }
  for (confidence = 0.3; confidence < 0.999; confidence += 0.02)
    check_median (of_few, confidence);
}

/* Six units of which one is large: the interval is cut at the ends of what there may be. */
Test (crossed, intervals_end_where_values_do)
{
  static const double few[] = { 0, 0, 0, 0, 0, 1 }, many[] = { 1, 1, 1, 1, 1, 0 };
  static const gint64 groups[] = { 0, 1, 2, 0, 1, 2 }, others[] = { 1, 2, 0, 1, 2, 0 };
  static const AssayMeasure spread
      = { .statistic = ASSAY_STATISTIC_MEDIAN, .low = -7, .high = 9 };
  g_autoptr (AssaySample) low = assay_sample_new_crossed (&rate, few, groups, others, TRUE, 6);
  g_autoptr (AssaySample) high = assay_sample_new_crossed (&rate, many, groups, others, TRUE, 6);
  static const double distinct[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr (AssaySample) wide
      = assay_sample_new_crossed (&spread, distinct, groups, others, TRUE, 6);
  AssayInterval interval = assay_sample_interval (low, 0.999, no_key);

  cr_assert (interval.lower == 0 && interval.upper > 0.2, "%g %g", interval.lower, interval.upper);
  interval = assay_sample_interval (high, 0.999, no_key);
  cr_assert (interval.lower < 0.8 && interval.upper == 1, "%g %g", interval.lower, interval.upper);
  interval = assay_sample_interval (wide, 0.9999, no_key);
  cr_assert (interval.lower == -7 && interval.upper == 9, "%g %g", interval.lower, interval.upper);
}

/* Twelve secrets in pairs are six; of 12 rows and 5 trainings there are five. */
Test (crossed, units_that_are_all_alike_are_as_many_as_are_independent)
{
  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (int all = 0; all < 2; all++) {
      g_autoptr (AssaySample) sample = draw (&rate, kinds[k][0], kinds[k][1]);
      const double count = kinds[k][0] ? 6 : 5, least = pow (0.025, 1 / count);
      AssayInterval interval;
      AssayBoundTest test;

      for (gsize i = 0; i < UNITS; i++)
        sample->units[i].value = all;
      sample->estimate = all;
      interval = assay_sample_interval (sample, 0.95, no_key);
      assert_near (interval.lower, all ? least : 0, 1e-12, "kind %zu, all %d", k, all);
      assert_near (interval.upper, all ? 1 : 1 - least, 1e-12, "kind %zu, all %d", k, all);
      cr_assert_str_eq (interval.method, "clopper-pearson-on-groups");
      test = assay_bound_test (sample, 0.3, no_key);
      assert_near (all ? test.p_above : test.p_below, pow (all ? 0.3 : 0.7, count), 1e-12,
                   "kind %zu, all %d", k, all);
      cr_assert ((all ? test.p_below : test.p_above) == 1);
    }
}

/* What is all alike, and no share: an interval of no width; p is 1 or as small as may be. */
Test (crossed, alike_is_no_share)
{
  static const AssayMeasure wider = { .statistic = ASSAY_STATISTIC_MEAN, .low = -1, .high = 1 };
  static const AssayMeasure larger = { .statistic = ASSAY_STATISTIC_MEAN, .low = 0, .high = 2 };
  static const AssayMeasure share = { .statistic = ASSAY_STATISTIC_MEAN, .low = 0, .high = 1 };
  static const AssayMeasure middle = { .statistic = ASSAY_STATISTIC_MEDIAN, .low = 0, .high = 1 };
  static const struct {
    const AssayMeasure *measure;
    double value;
  } cases[] = { { &wider, 1 }, { &larger, 1 }, { &share, 0.25 }, { &median, 1 }, { &middle, 1 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autoptr (AssaySample) sample = draw (cases[c].measure, TRUE, FALSE);
    const double value = cases[c].value;
    AssayInterval interval;
    AssayBoundTest test;

    for (gsize i = 0; i < UNITS; i++)
      sample->units[i].value = value;
    sample->estimate = value;
    interval = assay_sample_interval (sample, 0.95, no_key);
    assert_near (interval.lower, value, 1e-12, "case %zu", c);
    assert_near (interval.upper, value, 1e-12, "case %zu", c);
    test = assay_bound_test (sample, value - 0.125, no_key);
    assert_near (test.p_above,
                 sample->p > 0                ? pow (0.5, 6)
                 : cases[c].measure == &share ? pow (0.125, 6)
                                              : 0,
                 1e-15, "case %zu", c);
    cr_assert (test.p_below == 1, "case %zu: %g", c, test.p_below);
  }
}

Test (crossed, least_p_of_quantiles_and_shares)
{
  static const AssayMeasure quarter
      = { .statistic = ASSAY_STATISTIC_LOWER_QUARTILE, .low = -1e9, .high = 1e9 };
  g_autoptr (AssaySample) sample = draw (&quarter, TRUE, FALSE);
  g_autoptr (AssaySample) rows = draw (&rate, FALSE, FALSE);
  const double p = sample->p;

  cr_assert (p > 0 && p < 0.5, "%g", p);
  assert_near (assay_crossed_least_p (sample, 0, TRUE), pow (1 - p, 6), 1e-12, "above");
  assert_near (assay_crossed_least_p (sample, 0, FALSE), pow (p, 6), 1e-12, "below");
  assert_near (assay_crossed_least_p (rows, 0.3, TRUE), pow (0.3, 5), 1e-12, "share above");
  assert_near (assay_crossed_least_p (rows, 0.3, FALSE), pow (0.7, 5), 1e-12, "share below");
}
