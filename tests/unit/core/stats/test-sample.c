/* Outcomes prepared for a statistic: their order, groups, methods and resamples, by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/vectors.h"
#include "core/stats/sample.h"
#include "tests/reference/naive-interval.h"
#include "tests/unit/assert-near.h"

static const AssayMeasure rate = { .statistic = ASSAY_STATISTIC_RATE, .low = 0, .high = 1 };
static const AssayMeasure share = { .statistic = ASSAY_STATISTIC_MEAN, .low = 0, .high = 1 };
static const AssayMeasure wide = { .statistic = ASSAY_STATISTIC_MEAN, .low = -1, .high = 1 };
static const AssayMeasure high = { .statistic = ASSAY_STATISTIC_MEAN, .low = 0, .high = 2 };
static const AssayMeasure median = { .statistic = ASSAY_STATISTIC_MEDIAN, .low = 0, .high = 1 };

/* Equal values stand in the order of their groups, whose numbers are those of first appearance. */
Test (sample, units_are_by_value_and_group)
{
  static const double values[] = { 2, 1, 1, 2 };
  static const gint64 groups[] = { 7, -3, 7, -3 };
  static const struct {
    double value;
    gsize group;
  } expected[] = { { 1, 0 }, { 1, 1 }, { 2, 0 }, { 2, 1 } };
  g_autoptr (AssaySample) grouped = assay_sample_new (&wide, values, groups, 4);
  g_autoptr (AssaySample) alone = assay_sample_new (&wide, values, NULL, 4);

  cr_assert (grouped->n == 4 && grouped->n_groups == 2 && alone->n_groups == 0);
  for (gsize i = 0; i < 4; i++) {
    cr_assert (grouped->units[i].value == expected[i].value
                   && grouped->units[i].group == expected[i].group,
               "unit %zu: %g of group %zu", i, grouped->units[i].value, grouped->units[i].group);
    cr_assert (alone->units[i].value == expected[i].value && alone->units[i].group == 0);
  }
  cr_assert_eq (assay_sample_n_independent (grouped), 2);
  cr_assert_eq (assay_sample_n_independent (alone), 4);
}

/* R's quantile (type = 7); nothing behind the last value is looked at. */
Test (sample, quantiles_end_with_the_values)
{
  static const double three[] = { 1, 2, 4, NAN }, two[] = { 1, 3, NAN }, one[] = { 5, NAN };

  cr_assert_eq (assay_sorted_quantile (three, 3, 0), 1);
  cr_assert_eq (assay_sorted_quantile (three, 3, 0.25), 1.5);
  cr_assert_eq (assay_sorted_quantile (three, 3, 0.5), 2);
  cr_assert_eq (assay_sorted_quantile (three, 3, 0.75), 3);
  cr_assert_eq (assay_sorted_quantile (three, 3, 1), 4);
  cr_assert_eq (assay_sorted_quantile (two, 2, 0.25), 1.5);
  cr_assert_eq (assay_sorted_quantile (two, 2, 1), 3);
  cr_assert_eq (assay_sorted_quantile (one, 1, 0.5), 5);
}

/* @values in @n_groups groups, one after the other; 0: independent. */
static void
check_method (const AssayMeasure *measure, const double *values, gsize n, gsize n_groups,
              AssaySampleMethod expected)
{
  g_autofree gint64 *groups = g_new (gint64, n);
  g_autoptr (AssaySample) sample = NULL;

  for (gsize i = 0; i < n; i++)
    groups[i] = n_groups > 0 ? (gint64) (i % n_groups) : 0;
  sample = assay_sample_new (measure, values, n_groups > 0 ? groups : NULL, n);
  cr_assert_eq (sample->method, expected, "n %zu of %g to %g in %zu groups: method %d", n,
                values[0], values[n - 1], n_groups, (int) sample->method);
}

/* All alike is a case of its own for shares alone; a single group, or the mean of one, is none. */
Test (sample, methods)
{
  double zeros[30], ones[30], halves[30], both[30];

  for (gsize i = 0; i < 30; i++) {
    zeros[i] = 0;
    ones[i] = 1;
    halves[i] = 0.5;
    both[i] = i > 0;
  }
  check_method (&share, zeros, 30, 0, ASSAY_SAMPLE_EXTREME);
  check_method (&share, ones, 30, 0, ASSAY_SAMPLE_EXTREME);
  check_method (&rate, ones, 1, 0, ASSAY_SAMPLE_EXTREME);
  check_method (&share, ones, 30, 1, ASSAY_SAMPLE_EXTREME);
  check_method (&share, halves, 30, 0, ASSAY_SAMPLE_BOOTSTRAP);
  check_method (&share, both, 30, 0, ASSAY_SAMPLE_BOOTSTRAP);
  check_method (&wide, zeros, 30, 0, ASSAY_SAMPLE_BOOTSTRAP);
  check_method (&wide, ones, 30, 0, ASSAY_SAMPLE_BOOTSTRAP);
  check_method (&high, zeros, 30, 0, ASSAY_SAMPLE_BOOTSTRAP);
  check_method (&high, ones, 30, 0, ASSAY_SAMPLE_BOOTSTRAP);
  check_method (&median, zeros, 30, 0, ASSAY_SAMPLE_ORDER);
  check_method (&median, ones, 1, 0, ASSAY_SAMPLE_ORDER);
  check_method (&rate, both, 30, 0, ASSAY_SAMPLE_BINOMIAL);
  check_method (&wide, both, 1, 0, ASSAY_SAMPLE_TOO_SMALL);
  check_method (&wide, both, 2, 0, ASSAY_SAMPLE_BOOTSTRAP);
  check_method (&wide, both, 30, 1, ASSAY_SAMPLE_TOO_SMALL);
  check_method (&wide, both, 30, 2, ASSAY_SAMPLE_GROUP_T);
  check_method (&rate, both, 30, 29, ASSAY_SAMPLE_GROUP_T);
  check_method (&rate, both, 30, 30, ASSAY_SAMPLE_GROUP_BOOTSTRAP);
  check_method (&median, both, 30, 30, ASSAY_SAMPLE_GROUP_BOOTSTRAP);
}

/* Group means 1, 2, 3 and 4: their deviation is 1.290994, and half of it the error of their mean.
 * The quartiles of {1, 2, 4} and {3} are 1.5 and 3. */
Test (sample, few_groups_count_alike)
{
  static const double values[] = { 1, 1.5, 2.5, 2, 3, 4, 4 }, others[] = { 4, 3, 1, 2 };
  static const gint64 groups[] = { 9, 4, 4, -1, -1, -1, 7 }, two[] = { 0, 1, 0, 0 };
  static const AssayMeasure quartile
      = { .statistic = ASSAY_STATISTIC_LOWER_QUARTILE, .low = -9, .high = 9 };
  g_autoptr (AssaySample) means = assay_sample_new (&high, values, groups, 7);
  g_autoptr (AssaySample) quartiles = assay_sample_new (&quartile, others, two, 4);

  assert_near (means->estimate, 2.5, 1e-15, "mean of means");
  assert_near (assay_sample_group_error (means), sqrt (5.0 / 3) / 2, 1e-15, "error");
  assert_near (quartiles->estimate, 2.25, 1e-15, "mean of quartiles");
  assert_near (assay_sample_group_error (quartiles), 0.75, 1e-15, "error of quartiles");
}

Test (sample, what_is_at_the_bound_is_on_neither_side)
{
  static const double values[] = { 3, 1, 2, 2, 3, 3, 2 };
  g_autoptr (AssaySample) sample = assay_sample_new (&high, values, NULL, 7);
  gsize below = 0, above = 0;

  assay_sample_count (sample, 2, &below, &above);
  cr_assert (below == 1 && above == 3);
  assay_sample_count (sample, 9, &below, &above);
  cr_assert (below == 7 && above == 0);
}

/* Two secrets of one kind are numbered together; rows and trainings each by themselves, of which
 * the fewer count. */
Test (sample, crossed_groups)
{
  static const double values[] = { 1, 2, 3, 4 };
  static const gint64 first[] = { 5, 5, 6, 8 }, second[] = { 6, 7, 7, 6 };
  static const gint64 same[] = { 5, 5, 5, 5 }, pair[] = { 5, 5, 6, 6 };
  g_autoptr (AssaySample) alike = assay_sample_new_crossed (&wide, values, first, second, TRUE, 4);
  g_autoptr (AssaySample) apart = assay_sample_new_crossed (&wide, values, first, second, FALSE, 4);
  g_autoptr (AssaySample) one = assay_sample_new_crossed (&wide, values, first, same, FALSE, 4);
  g_autoptr (AssaySample) two = assay_sample_new_crossed (&wide, values, pair, second, FALSE, 4);
  g_autoptr (AssaySample) of_two = assay_sample_new_crossed (&wide, values, pair, pair, TRUE, 4);

  cr_assert (alike->n_groups == 4 && alike->n_others == 0);
  cr_assert_eq (alike->method, ASSAY_SAMPLE_CROSSED);
  cr_assert_eq (assay_sample_n_independent (alike), 4);
  cr_assert (apart->n_groups == 3 && apart->n_others == 2);
  cr_assert_eq (apart->method, ASSAY_SAMPLE_CROSSED);
  cr_assert_eq (assay_sample_n_independent (apart), 2);
  cr_assert_eq (apart->estimate, 2.5);
  cr_assert (one->n_others == 1 && one->method == ASSAY_SAMPLE_TOO_SMALL);
  cr_assert_eq (assay_sample_n_independent (one), 1);
  cr_assert (two->n_groups == 2 && two->method == ASSAY_SAMPLE_TOO_SMALL);
  cr_assert (of_two->n_groups == 2 && of_two->method == ASSAY_SAMPLE_TOO_SMALL);
}

/* (success - control) / (1 - control): of units .6 and .3, 3/7. Of the groups {1, 2} and {3, 4, 5}
 * the means are 1/2, 2/3 and 1/4, 1/3, so that 7/12 and 7/24 give 7/17. In 30 groups it is units
 * that count. */
Test (sample, excess_of_units_and_of_few_groups)
{
  static const double success[] = { 1, 0, 1, 0, 1 }, control[] = { 0.5, 0, 0, 0.5, 0.5 };
  static const gint64 groups[] = { 3, 3, 4, 4, 4 };
  g_autoptr (AssaySample) units = assay_sample_new_excess (&wide, success, control, NULL, 5);
  g_autoptr (AssaySample) few = assay_sample_new_excess (&wide, success, control, groups, 5);
  g_autoptr (AssaySample) one = assay_sample_new_excess (&wide, success, control, NULL, 1);
  double many[31], of_many[31];
  gint64 many_groups[31];
  g_autoptr (AssaySample) grouped = NULL;

  assert_near (units->estimate, 3.0 / 7, 1e-15, "units");
  assert_near (few->estimate, 7.0 / 17, 1e-15, "groups");
  cr_assert (units->method == ASSAY_SAMPLE_EXCESS && few->method == ASSAY_SAMPLE_EXCESS);
  cr_assert (units->p < 0 && one->method == ASSAY_SAMPLE_TOO_SMALL);
  for (gsize i = 0; i < 31; i++) {
    many[i] = i < 2;
    of_many[i] = i < 1;
    many_groups[i] = (gint64) (i % 30);
  }
  grouped = assay_sample_new_excess (&wide, many, of_many, many_groups, 31);
  assert_near (grouped->estimate, (2 - 1) / (31.0 - 1), 1e-15, "30 groups");
}

/* Each unit as often as the stream draws its place in the order of values. */
Test (sample, units_are_drawn_one_by_one)
{
  static const double sorted[] = { -0.5, 0, 0.25, 1 }, values[] = { 0.25, 1, -0.5, 0 };
  const AssayStreamKey key = assay_stream_key (41, 0, "units", "test-sample");
  g_autoptr (AssaySample) sample = assay_sample_new (&wide, values, NULL, 4);
  g_autofree double *resampled = assay_sample_resample (sample, key);
  double expected[ASSAY_RESAMPLES];

  cr_assert_eq (sample->method, ASSAY_SAMPLE_BOOTSTRAP);
  for (gsize b = 0; b < ASSAY_RESAMPLES; b++) {
    AssayStream stream = assay_stream (key, b);
    gsize drawn[4] = { 0 };

    for (gsize i = 0; i < 4; i++)
      drawn[assay_stream_below (&stream, 4)]++;
    expected[b] = naive_weighted_mean (sorted, drawn, 4);
  }
  qsort (expected, ASSAY_RESAMPLES, sizeof *expected, assay_compare_doubles);
  for (gsize b = 0; b < ASSAY_RESAMPLES; b++)
    assert_near (resampled[b], expected[b], 1e-15, "resample %zu", b);
}

/* The range of the measure is that of each outcome, and what is judged is a difference. */
Test (sample, differences_say_that_they_are)
{
  static const double values[] = { -1, 0.5 };
  static const AssayAudit audit
      = { .kind = ASSAY_AUDIT_TWO_INPUTS, .runs = 50, .hits = 30, .mistakes = 10 };
  g_autoptr (AssaySample) difference = assay_sample_new_difference (&wide, values, NULL, 2);
  g_autoptr (AssaySample) not = assay_sample_new (&wide, values, NULL, 2);
  g_autoptr (AssaySample) game = assay_sample_new_audit (&wide, &audit);

  cr_assert (difference->is_difference && !not ->is_difference);
  cr_assert_eq (difference->estimate, -0.25);
  cr_assert (game->n == 50 && game->p < 0 && game->method == ASSAY_SAMPLE_AUDIT);
  assert_near (game->estimate, log (3), 1e-15, "epsilon");
}
