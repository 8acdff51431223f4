/* Intervals against closed forms, tables, summation, and by how often they hold. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/rng.h"
#include "core/stats/binomial.h"
#include "core/stats/interval.h"
#include "tests/reference/naive-interval.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/seeds.h"

static const AssayMeasure rate = { .statistic = ASSAY_STATISTIC_RATE, .low = 0, .high = 1 };
static const AssayMeasure share = { .statistic = ASSAY_STATISTIC_MEAN, .low = 0, .high = 1 };
static const AssayMeasure mean = { .statistic = ASSAY_STATISTIC_MEAN, .low = -1e9, .high = 1e9 };
static const AssayMeasure quantiles[] = {
  { .statistic = ASSAY_STATISTIC_LOWER_QUARTILE, .low = -1e9, .high = 1e9 },
  { .statistic = ASSAY_STATISTIC_MEDIAN, .low = -1e9, .high = 1e9 },
  { .statistic = ASSAY_STATISTIC_UPPER_QUARTILE, .low = -1e9, .high = 1e9 },
};
#define MEDIAN (&quantiles[1])

static AssayStreamKey
key_of (const char *role, guint64 trial)
{
  return assay_stream_key (17, trial, role, "test-interval");
}

/* ---- Clopper-Pearson ---- */

/* P (X >= n) = p^n and P (X <= 0) = (1 - p)^n. */
Test (interval, binomial_bounds_have_closed_forms_at_the_ends)
{
  static const double levels[] = { 0.5, 0.05, 0.025, 1e-6, 1e-12 };
  static const double sizes[] = { 1, 2, 10, 1000, 1e6, 1e9 };

  for (gsize i = 0; i < G_N_ELEMENTS (levels); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (sizes); j++) {
      const double a = levels[i], n = sizes[j];
      const double upper = -expm1 (log (a) / n);

      cr_assert (assay_binomial_lower (0, n, a) == 0 && assay_binomial_upper (n, n, a) == 1,
                 "n %g, level %g", n, a);
      assert_near (assay_binomial_upper (0, n, a), upper, 1e-10 * upper, "U (0, %g, %g)", n, a);
      assert_near (assay_binomial_lower (n, n, a), exp (log (a) / n), 1e-12, "L (n, %g, %g)", n, a);
      assert_near (assay_binomial_lower (1, n, a), -expm1 (log1p (-a) / n),
                   1e-10 * -expm1 (log1p (-a) / n), "L (1, %g, %g)", n, a);
    }
}

/* Where libRmath's search for the quantile has lost itself. */
Test (interval, binomial_bounds_at_the_ends_are_right_in_the_thinnest_tails)
{
  const double a = 1e-130, n = 1e6, upper = -expm1 (log (a) / n);

  assert_near (assay_binomial_upper (0, n, a), upper, 1e-10 * upper, "upper");
  assert_near (assay_binomial_lower (n, n, a), 1 - upper, 1e-12, "lower");
}

/* 95 % intervals as tables and R's binom.test print them. */
Test (interval, binomial_bounds_are_those_of_tables)
{
  static const struct {
    double x, n, lower, upper;
  } cases[] = {
    { 10, 100, 0.0490047, 0.1762226 }, { 0, 10, 0, 0.3084971 },  { 5, 10, 0.1870860, 0.8129140 },
    { 1, 10, 0.0025286, 0.4450161 },   { 1, 1, 0.025, 1 },       { 8, 20, 0.1911901, 0.6394574 },
    { 50, 100, 0.3983211, 0.6016789 }, { 0, 100, 0, 0.0362167 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    assert_near (assay_binomial_lower (cases[i].x, cases[i].n, 0.025), cases[i].lower, 6e-8,
                 "lower, %g of %g", cases[i].x, cases[i].n);
    assert_near (assay_binomial_upper (cases[i].x, cases[i].n, 0.025), cases[i].upper, 6e-8,
                 "upper, %g of %g", cases[i].x, cases[i].n);
  }
}

/* The reference starts from a term whose logarithm is a difference of numbers up to n ln n, in
 * long double: at n = 10^9 a relative error of 2e10 * 1e-19. A bound moves by less than its tail
 * does. */
Test (interval, binomial_bounds_are_right_for_large_n_and_thin_tails)
{
  static const struct {
    guint64 x, n;
  } cases[] = {
    { 1, 2 },
    { 3, 7 },
    { 99, 100 },
    { 500, 1000 },
    { 1, 1000000 },
    { 10, 1000000000 },
    { 12345, 1000000000 },
    { 500000000, 1000000000 },
    { 1, 1000000000 },
    { 999999990, 1000000000 },
  };
  static const double levels[] = { 0.025, 1e-6, 1e-12 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (levels); j++) {
      const guint64 x = cases[i].x, n = cases[i].n;
      const double a = levels[j];
      const double lower = naive_binomial_lower (x, n, a), upper = naive_binomial_upper (x, n, a);

      assert_near (assay_binomial_lower ((double) x, (double) n, a), lower, 1e-9 * lower,
                   "L (%g, %g, %g)", (double) x, (double) n, a);
      assert_near (assay_binomial_upper ((double) x, (double) n, a), upper, 1e-9 * upper,
                   "U (%g, %g, %g)", (double) x, (double) n, a);
    }
}

/* Not simulated but added up: over all x, the probability of those whose interval holds p. On each
 * side at most a may be missed, and at these n and p no more than 0.06 less is. */
Test (interval, clopper_pearson_covers)
{
  static const double rates[] = { 0.01, 0.1, 0.3, 0.5, 0.77, 0.999 };
  enum { N = 150 };

  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++) {
    const double p = rates[i];
    double below = 0, above = 0;

    for (guint64 x = 0; x <= N; x++) {
      double values[N] = { 0 };
      AssayInterval interval;

      for (guint64 k = 0; k < x; k++)
        values[k] = 1;
      interval = assay_interval (&rate, values, NULL, N, 0.9, key_of ("unused", 0));
      cr_assert_str_eq (interval.method, "clopper-pearson");
      assert_near (interval.estimate, (double) x / N, 1e-15, "x %d", (int) x);
      below += interval.upper < p ? naive_binomial_term (x, N, p) : 0;
      above += interval.lower > p ? naive_binomial_term (x, N, p) : 0;
    }
    cr_assert (below <= 0.05 && above <= 0.05, "p %g: missed by %g and %g", p, below, above);
    cr_assert (p < 0.1 || p > 0.9 || below + above >= 0.04, "p %g: %g is too rarely missed", p,
               below + above);
  }
}

/* ---- Quantiles ---- */

/* Of 7, 15, 36, 39, 40, 41 R's quantile (type = 7) is 20.25, 37.5, 39.75; of 1 to 4 it is 1.75, 2.5
 * and 3.25. In few groups the estimate is the mean of the groups' quantiles: of {36, 40}, {7, 15}
 * and {39, 41} the lower quartiles are 37, 9, 39.5, the medians 38, 11, 40. */
Test (interval, quantiles_are_of_type_7)
{
  static const double six[] = { 40, 7, 41, 36, 15, 39 }, four[] = { 4, 2, 3, 1 };
  static const double of_six[] = { 20.25, 37.5, 39.75 }, of_four[] = { 1.75, 2.5, 3.25 };
  static const double of_groups[] = { 85.5 / 3, 89.0 / 3, 92.5 / 3 };
  static const gint64 groups[] = { 1, 2, 1, 3, 2, 3 };
  static const double six_groups[] = { 40, 7, 36, 41, 15, 39 };

  for (gsize q = 0; q < 3; q++) {
    const AssayStreamKey key = key_of ("quantile", q);

    assert_near (assay_interval (&quantiles[q], six, NULL, 6, 0.95, key).estimate, of_six[q], 1e-12,
                 "six, %zu", q);
    assert_near (assay_interval (&quantiles[q], four, NULL, 4, 0.95, key).estimate, of_four[q],
                 1e-12, "four, %zu", q);
    assert_near (assay_interval (&quantiles[q], six_groups, groups, 6, 0.95, key).estimate,
                 of_groups[q], 1e-12, "six in groups, %zu", q);
  }
}

/* Ranks of the 95 % interval of a median as tables print them (Conover 1999, table A3 and its
 * normal approximation); 5 values are too few on both sides. */
Test (interval, order_statistics_of_a_median)
{
  static const struct {
    gsize n, low, high;
  } cases[] = { { 6, 1, 6 }, { 10, 2, 9 }, { 20, 6, 15 }, { 30, 10, 21 }, { 100, 40, 61 } };
  double values[100];

  for (gsize i = 0; i < 100; i++)
    values[i] = (double) (i + 1);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const AssayInterval interval
        = assay_interval (MEDIAN, values, NULL, cases[i].n, 0.95, key_of ("median", 0));

    cr_assert (interval.lower == (double) cases[i].low && interval.upper == (double) cases[i].high,
               "n %zu: %g to %g", cases[i].n, interval.lower, interval.upper);
    cr_assert_str_eq (interval.method, "order-statistics");
  }
  cr_assert (assay_interval (MEDIAN, values, NULL, 5, 0.95, key_of ("median", 0)).lower == -1e9);
  cr_assert (assay_interval (MEDIAN, values, NULL, 5, 0.95, key_of ("median", 0)).upper == 1e9);
}

/* ---- Resampling, against the same resamples written out ---- */

#define UNITS 200
#define GROUPS 37

/* Values with ties, in groups of unequal size whose numbers are large and unordered. */
static void
make_grouped (guint64 trial, double *values, gint64 *groups, gsize *numbers)
{
  AssayStream stream = assay_stream (key_of ("grouped", trial), 0);
  gsize seen[GROUPS];
  gsize n_seen = 0;

  for (gsize i = 0; i < UNITS; i++) {
    const gsize group = i < GROUPS ? (i * 5) % GROUPS : assay_stream_below (&stream, GROUPS);
    gsize number = 0;

    values[i] = (double) assay_stream_below (&stream, 40) / 8 + 0.1 * (double) group;
    groups[i] = (gint64) group * 1000003 - 5000000000;
    while (number < n_seen && seen[number] != group)
      number++;
    if (number == n_seen)
      seen[n_seen++] = group;
    numbers[i] = number;
  }
}

/* The statistic of every resample, each as a sample written out in full. */
static void
check_cluster_bootstrap (const AssayMeasure *measure, double p, guint64 trial)
{
  const AssayStreamKey key = key_of ("bootstrap", trial);
  double values[UNITS], resampled[ASSAY_RESAMPLES];
  gint64 groups[UNITS];
  gsize numbers[UNITS], once[ASSAY_RESAMPLES];
  AssayInterval interval;

  make_grouped (trial, values, groups, numbers);
  interval = assay_interval (measure, values, groups, UNITS, 0.9, key);
  for (gsize b = 0; b < ASSAY_RESAMPLES; b++) {
    AssayStream stream = assay_stream (key, b);
    gsize drawn[GROUPS] = { 0 }, weights[UNITS];

    for (gsize g = 0; g < GROUPS; g++)
      drawn[assay_stream_below (&stream, GROUPS)]++;
    for (gsize i = 0; i < UNITS; i++)
      weights[i] = drawn[numbers[i]];
    resampled[b] = p < 0 ? naive_weighted_mean (values, weights, UNITS)
                         : naive_weighted_quantile (values, weights, UNITS, p);
    once[b] = 1;
  }
  cr_assert_str_eq (interval.method, "cluster-bootstrap-2000");
  cr_assert (interval.n == UNITS && interval.n_groups == GROUPS);
  assert_near (interval.lower, naive_weighted_quantile (resampled, once, ASSAY_RESAMPLES, 0.05),
               1e-12, "lower, p %g, trial %d", p, (int) trial);
  assert_near (interval.upper, naive_weighted_quantile (resampled, once, ASSAY_RESAMPLES, 0.95),
               1e-12, "upper, p %g, trial %d", p, (int) trial);
  assert_near (interval.estimate,
               p < 0 ? naive_weighted_mean (values, once, UNITS)
                     : naive_weighted_quantile (values, once, UNITS, p),
               1e-12, "estimate, p %g, trial %d", p, (int) trial);
}

Test (interval, cluster_bootstrap_is_that_of_expanded_samples)
{
  for (guint64 trial = 0; trial < 3; trial++) {
    check_cluster_bootstrap (&mean, -1, trial);
    check_cluster_bootstrap (&quantiles[0], 0.25, trial);
    check_cluster_bootstrap (&quantiles[1], 0.5, trial);
    check_cluster_bootstrap (&quantiles[2], 0.75, trial);
  }
}

/* ---- t on group means ---- */

/* Group means 1, 2, 3, 4 from groups of 1, 2, 3 and 1 units: mean 2.5, deviation 1.290994, and
 * t (0.975, 3) = 3.182446, so 2.5 +- 2.054260; with the range 0 to 4 the upper end is 4. */
Test (interval, t_on_group_means_by_hand)
{
  static const double values[] = { 1, 1.5, 2.5, 2, 3, 4, 4 };
  static const gint64 groups[] = { 9, 4, 4, -1, -1, -1, 7 };
  AssayMeasure measure = mean;
  AssayInterval interval = assay_interval (&measure, values, groups, 7, 0.95, key_of ("t", 0));

  cr_assert_str_eq (interval.method, "t-on-group-means");
  cr_assert (interval.n == 7 && interval.n_groups == 4);
  assert_near (interval.estimate, 2.5, 1e-12, "estimate");
  assert_near (interval.lower, 2.5 - 2.054260, 1e-6, "lower");
  assert_near (interval.upper, 2.5 + 2.054260, 1e-6, "upper");
  measure.low = 0;
  measure.high = 4;
  interval = assay_interval (&measure, values, groups, 7, 0.99, key_of ("t", 0));
  cr_assert (interval.lower == 0 && interval.upper == 4);
}

/* An audit bounds from below alone: all of the error that is allowed lies there. With tp = N and
 * fp = 0 the bound is ln (x / (1 - x)), x = (a / 2)^(1 / N); with all r guesses right, x =
 * a^(1 / r). */
Test (interval, audits_have_a_lower_end)
{
  static const AssayAudit audits[] = {
    { .kind = ASSAY_AUDIT_TWO_INPUTS, .runs = 200, .hits = 200, .mistakes = 0 },
    { .kind = ASSAY_AUDIT_ONE_RUN, .runs = 200, .hits = 200, .mistakes = 400 },
  };
  static const char *const methods[] = { "clopper-pearson-two-inputs", "one-run-bound" };
  static const AssayMeasure epsilon = { .name = "epsilon", .low = 0, .high = 1e9 };

  for (gsize i = 0; i < G_N_ELEMENTS (audits); i++) {
    g_autoptr (AssaySample) sample = assay_sample_new_audit (&epsilon, &audits[i]);
    const AssayInterval interval = assay_sample_interval (sample, 0.95, key_of ("audit", 0));
    const double x = pow (i == 0 ? 0.025 : 0.05, 1.0 / 200);

    cr_assert_str_eq (interval.method, methods[i]);
    assert_near (interval.lower, log (x / (1 - x)), 1e-6, "%s", methods[i]);
    cr_assert_eq (interval.upper, 1e9);
  }
}

/* 29 groups are few, 30 are many. */
Test (interval, number_of_groups_decides_the_method)
{
  double values[30];
  gint64 groups[30];

  for (gsize i = 0; i < 30; i++) {
    values[i] = (double) (i % 3);
    groups[i] = (gint64) i;
  }
  cr_assert_str_eq (assay_interval (&mean, values, groups, 29, 0.95, key_of ("g", 0)).method,
                    "t-on-group-means");
  cr_assert_str_eq (assay_interval (&mean, values, groups, 30, 0.95, key_of ("g", 0)).method,
                    "cluster-bootstrap-2000");
  cr_assert_str_eq (assay_interval (MEDIAN, values, groups, 29, 0.95, key_of ("g", 0)).method,
                    "t-on-group-quantiles");
  cr_assert_str_eq (assay_interval (MEDIAN, values, groups, 30, 0.95, key_of ("g", 0)).method,
                    "cluster-bootstrap-2000");
}

/* ---- How often an interval holds the truth ---- */

typedef struct {
  const char *name;
  const AssayMeasure *measure;
  gsize n;
  gsize n_groups; /* 0: independent */
  double nominal; /* the exact or asymptotic coverage of the method at this n */
  gsize trials;
} Coverage;

/* Standard normal units, or groups with an effect of their own and as much noise in them as makes
 * the units of one group correlated 0.8. The truth is 0. */
static gboolean
holds_zero (const Coverage *coverage, guint64 trial)
{
  AssayStream stream = assay_stream (key_of (coverage->name, trial), 0);
  g_autofree double *values = g_new (double, coverage->n);
  g_autofree gint64 *groups = g_new (gint64, coverage->n);
  g_autofree double *effects = g_new (double, coverage->n_groups + 1);
  AssayInterval interval;

  for (gsize g = 0; g < coverage->n_groups; g++)
    effects[g] = assay_stream_normal (&stream);
  for (gsize i = 0; i < coverage->n; i++) {
    groups[i] = coverage->n_groups > 0 ? (gint64) (i % coverage->n_groups) : 0;
    values[i] = coverage->n_groups > 0 ? effects[groups[i]] + 0.5 * assay_stream_normal (&stream)
                                       : assay_stream_normal (&stream);
  }
  interval = assay_interval (coverage->measure, values, coverage->n_groups > 0 ? groups : NULL,
                             coverage->n, 0.95, key_of ("resamples", trial));
  return interval.lower <= 0 && interval.upper >= 0;
}

/* Each method claims 0.95. Percentile bootstraps of G units lack the factor (G - 1) / G and take
 * the normal for the t distribution: P (|t_39| <= 1.96 sqrt (39 / 40)) = 0.939. The interval of
 * a median of 60 units holds when 22 to 38 of them are below it; the t interval is exact. Of T
 * seeded trials the share that holds is within 4 standard deviations sqrt (c (1 - c) / T) of c,
 * and 0.01 for what resampling adds. Taking 200 correlated units for independent would hold
 * about half the time. */
Test (interval, intervals_hold_as_often_as_they_say)
{
  TEST_OF_CHANCE ();

  const double of_median
      = naive_binomial_at_least (22, 60, 0.5) - naive_binomial_at_least (39, 60, 0.5);
  const Coverage cases[] = {
    { "order statistics", MEDIAN, 60, 0, of_median, 3000 },
    { "bootstrap", &mean, 40, 0, 0.939, 500 },
    { "cluster bootstrap", &mean, 200, 40, 0.939, 500 },
    { "cluster bootstrap of medians", MEDIAN, 120, 40, 0.945, 300 },
    { "t on group means", &mean, 60, 12, 0.95, 3000 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double c = cases[i].nominal, trials = (double) cases[i].trials;
    gsize held = 0;

    for (guint64 t = 0; t < cases[i].trials; t++)
      held += holds_zero (&cases[i], t);
    assert_near ((double) held / trials, c,
                 4 * sqrt (c * (1 - c) / trials) + (i == 0 || i == 4 ? 0 : 0.01), "%s",
                 cases[i].name);
  }
}

/* ---- Extremes ---- */

static void
check_extreme (const AssayMeasure *measure, double value, gsize n, gsize n_groups,
               const char *method)
{
  g_autofree double *values = g_new (double, n);
  g_autofree gint64 *groups = g_new (gint64, n);
  const double independent = (double) (n_groups > 0 ? n_groups : n);
  const double width = 1 - pow (0.025, 1 / independent);
  AssayInterval interval;

  for (gsize i = 0; i < n; i++) {
    values[i] = value;
    groups[i] = (gint64) (n_groups > 0 ? i % n_groups : 0);
  }
  interval = assay_interval (measure, values, n_groups > 0 ? groups : NULL, n, 0.95,
                             key_of ("extreme", 0));
  cr_assert_str_eq (interval.method, method);
  cr_assert (interval.estimate == value && interval.n == n && interval.n_groups == n_groups);
  assert_near (interval.lower, value == 0 ? 0 : 1 - width, 1e-12, "all %g, %zu", value, n_groups);
  assert_near (interval.upper, value == 0 ? width : 1, 1e-12, "all %g, %zu", value, n_groups);
}

/* Equal outcomes: the groups, or where there are none the units, count, and the width is never
 * 0. */
Test (interval, all_alike)
{
  static const AssayMeasure *const measures[] = { &rate, &share };

  for (gsize i = 0; i < 2; i++)
    for (double value = 0; value <= 1; value++) {
      check_extreme (measures[i], value, 50, 0, "clopper-pearson");
      check_extreme (measures[i], value, 1, 0, "clopper-pearson");
      check_extreme (measures[i], value, 50, 1, "clopper-pearson-on-groups");
      check_extreme (measures[i], value, 50, 10, "clopper-pearson-on-groups");
      check_extreme (measures[i], value, 90, 45, "clopper-pearson-on-groups");
    }
}

/* One group, or one unit, says nothing of how others would vary. */
Test (interval, one_of_a_kind)
{
  static const double values[] = { 0.25, 0.5, 1 };
  static const gint64 groups[] = { 5, 5, 5 };
  AssayInterval interval = assay_interval (&share, values, groups, 3, 0.95, key_of ("one", 0));

  cr_assert_str_eq (interval.method, "one-group");
  cr_assert (interval.lower == 0 && interval.upper == 1 && interval.n_groups == 1);
  assert_near (interval.estimate, 1.75 / 3, 1e-15, "estimate");
  interval = assay_interval (MEDIAN, values, groups, 3, 0.95, key_of ("one", 0));
  cr_assert (interval.estimate == 0.5 && interval.lower == -1e9 && interval.upper == 1e9);
  interval = assay_interval (&share, values, NULL, 1, 0.95, key_of ("one", 0));
  cr_assert (interval.estimate == 0.25 && interval.lower == 0 && interval.upper == 1, "%g to %g",
             interval.lower, interval.upper);
  interval = assay_interval (MEDIAN, values, NULL, 1, 0.95, key_of ("one", 0));
  cr_assert (interval.estimate == 0.25 && interval.lower == -1e9 && interval.upper == 1e9);
}

/* Resamples come from the stream alone. */
Test (interval, same_stream_same_interval)
{
  double values[50];
  AssayStream stream = assay_stream (key_of ("values", 0), 0);
  AssayInterval a, b, c;

  for (gsize i = 0; i < 50; i++)
    values[i] = assay_stream_uniform (&stream);
  a = assay_interval (&mean, values, NULL, 50, 0.95, key_of ("s", 0));
  b = assay_interval (&mean, values, NULL, 50, 0.95, key_of ("s", 0));
  c = assay_interval (&mean, values, NULL, 50, 0.95, key_of ("s", 1));
  cr_assert (a.lower == b.lower && a.upper == b.upper);
  cr_assert (a.lower != c.lower && a.upper != c.upper);
}
