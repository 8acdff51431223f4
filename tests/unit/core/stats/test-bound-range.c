/* What a test leaves of bounds: against closed forms, and against the test itself. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/rng.h"
#include "core/stats/binomial.h"
#include "core/stats/bound-range.h"
#include "core/stats/bound-test.h"
#include "core/stats/interval.h"
#include "tests/unit/assert-near.h"

static const AssayMeasure rate = { .statistic = ASSAY_STATISTIC_RATE, .low = 0, .high = 1 };
static const AssayMeasure share = { .statistic = ASSAY_STATISTIC_MEAN, .low = 0, .high = 1 };
static const AssayMeasure median
    = { .statistic = ASSAY_STATISTIC_MEDIAN, .low = 0, .high = INFINITY };
static const AssayMeasure mean = { .statistic = ASSAY_STATISTIC_MEAN, .low = -1e9, .high = 1e9 };

#define N 120

static AssayStreamKey
key (void)
{
  return assay_stream_key (23, 0, "range", "test-bound-range");
}

/* @n values from 0 to 1 (of a rate 0 or 1) in groups of @size (0: independent). */
static AssaySample *
draw (const AssayMeasure *measure, gsize n, gsize size, guint64 trial)
{
  AssayStream stream = assay_stream (assay_stream_key (19, trial, "draw", "test-bound-range"), 0);
  double values[N];
  gint64 groups[N];

  for (gsize i = 0; i < n; i++) {
    const double value = assay_stream_uniform (&stream);

    values[i] = measure == &rate ? value < 0.3 : value * value;
    groups[i] = size > 0 ? (gint64) (i / size) : 0;
  }
  return assay_sample_new (measure, values, size > 0 ? groups : NULL, n);
}

Test (bound_range, that_of_a_rate_is_clopper_and_pearson)
{
  static const double counts[] = { 0, 1, 30, 119, 120 };
  static const double levels[] = { 0.05, 0.025, 0.001 };

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    for (gsize a = 0; a < G_N_ELEMENTS (levels); a++) {
      const AssaySample sample = { .measure = &rate,
                                   .n = N,
                                   .method = ASSAY_SAMPLE_BINOMIAL,
                                   .p = -1,
                                   .estimate = counts[i] / N };
      const AssayBoundRange range = assay_bound_range (&sample, levels[a], key ());

      assert_near (range.lower, assay_binomial_lower (counts[i], N, levels[a]), 1e-9, "%g of %d",
                   counts[i], N);
      assert_near (range.upper, assay_binomial_upper (counts[i], N, levels[a]), 1e-9, "%g of %d",
                   counts[i], N);
    }
}

/* Every method: bounds just outside are rejected, those just inside are not. */
Test (bound_range, ends_are_where_the_test_turns)
{
  static const struct {
    const AssayMeasure *measure;
    gsize n, size;
    const char *test;
  } cases[] = {
    { &rate, N, 0, "the binomial test" }, { &rate, N, 3, "Gaffke's test" },
    { &share, N, 0, "Gaffke's test" },    { &share, N, 12, "Gaffke's test" },
    { &median, N, 0, "the sign test" },   { &median, N, 12, "the t test over groups" },
    { &median, N, 3, "Gaffke's test" },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    for (double alpha = 0.05; alpha > 0.001; alpha /= 9) {
      g_autoptr (AssaySample) sample = draw (cases[c].measure, cases[c].n, cases[c].size, c);
      const AssayBoundRange range = assay_bound_range (sample, alpha, key ());
      const double near = 1e-6;

      cr_expect_str_eq (assay_bound_test_name (sample), cases[c].test);
      cr_assert (range.lower < sample->estimate && sample->estimate < range.upper, "case %zu", c);
      cr_expect (assay_bound_test (sample, range.upper + near, key ()).p_below < alpha,
                 "case %zu: above %g", c, range.upper);
      cr_expect (assay_bound_test (sample, range.upper - near, key ()).p_below >= alpha,
                 "case %zu: below %g", c, range.upper);
      cr_expect (assay_bound_test (sample, range.lower - near, key ()).p_above < alpha,
                 "case %zu: below %g", c, range.lower);
      cr_expect (assay_bound_test (sample, range.lower + near, key ()).p_above >= alpha,
                 "case %zu: above %g", c, range.lower);
    }
}

/* Where a measure has no end, the first bound that is rejected is looked for by doubling: of values
 * a thousand apart with an estimate of 0 that is far. By the sign test the range is between order
 * statistics. An end that is the largest double is none, either. */
Test (bound_range, measures_without_an_end)
{
  static const AssayMeasure endless
      = { .statistic = ASSAY_STATISTIC_MEDIAN, .low = -INFINITY, .high = INFINITY };
  static const AssayMeasure largest
      = { .statistic = ASSAY_STATISTIC_MEDIAN, .low = -G_MAXDOUBLE, .high = G_MAXDOUBLE };
  enum { ODD = 101 };
  double values[ODD];
  gsize k = 0;

  for (gsize i = 0; i < ODD; i++)
    values[i] = 1000 * ((double) i - ODD / 2);
  /* So many values below the bound are too few: P (Bin (101, 1/2) <= k) < 0.025. */
  while (assay_binomial_lower (ODD - k - 1, ODD, 0.025) > 0.5)
    k++;
  for (guint i = 0; i < 2; i++) {
    g_autoptr (AssaySample) sample
        = assay_sample_new (i == 0 ? &endless : &largest, values, NULL, ODD);
    const AssayBoundRange range = assay_bound_range (sample, 0.025, key ());

    assert_near (range.lower, values[k], 1e-3, "lower end, measure %u", i);
    assert_near (range.upper, values[ODD - 1 - k], 1e-3, "upper end, measure %u", i);
  }
}

/* What no outcome can reject is left whole: the ends of the measure themselves, and without them
 * everything. */
Test (bound_range, too_few_to_reject_an_end)
{
  static const double none[] = { 0, 0, 0, 0 }, all[] = { 1, 1, 1, 1 };
  g_autoptr (AssaySample) no_rate = assay_sample_new (&rate, none, NULL, 4);
  g_autoptr (AssaySample) full_rate = assay_sample_new (&rate, all, NULL, 4);
  g_autoptr (AssaySample) resampled = draw (&mean, N, 0, 7);
  AssaySample small
      = { .measure = &rate, .n = 1, .method = ASSAY_SAMPLE_TOO_SMALL, .estimate = 0.5 };
  AssayBoundRange range = assay_bound_range (no_rate, 0.05, key ());

  cr_expect (range.lower == 0 && range.upper < 1, "%.17g to %.17g", range.lower, range.upper);
  range = assay_bound_range (full_rate, 0.05, key ());
  cr_expect (range.lower > 0 && range.upper == 1, "%.17g to %.17g", range.lower, range.upper);
  range = assay_bound_range (&small, 0.05, key ());
  cr_expect (range.lower == -INFINITY && range.upper == INFINITY, "one unit");
  /* As many resamples on one side as there are would just show it; fewer cannot be. */
  range = assay_bound_range (resampled, assay_bound_floor_p (resampled), key ());
  cr_expect (range.lower == -INFINITY && range.upper == INFINITY, "at the floor");
}

/* Over more hypotheses it is wider, and what resampling cannot show it leaves. */
Test (bound_range, grows_with_the_number_of_hypotheses)
{
  g_autoptr (AssaySample) sample = draw (&mean, N, 0, 7);
  const AssayBoundRange one = assay_bound_range (sample, 0.025, key ());
  const AssayBoundRange few = assay_bound_range (sample, 0.025 / 5, key ());
  const AssayBoundRange many = assay_bound_range (sample, 0.025 / 1000, key ());
  const AssayInterval interval = assay_sample_interval (sample, 0.95, key ());

  cr_expect (one.lower == interval.lower && one.upper == interval.upper);
  cr_expect (few.lower < one.lower && few.upper > one.upper);
  cr_expect (many.lower == -INFINITY && many.upper == INFINITY);
}

/* Nothing bounds epsilon from above. */
Test (bound_range, of_epsilon_has_a_lower_end_alone)
{
  const AssayMeasure epsilon = { .statistic = ASSAY_STATISTIC_EPSILON, .low = 0, .high = INFINITY };
  const AssayAudit audit
      = { .kind = ASSAY_AUDIT_TWO_INPUTS, .runs = 1000, .hits = 700, .mistakes = 200 };
  g_autoptr (AssaySample) sample = assay_sample_new_audit (&epsilon, &audit);
  const AssayBoundRange range = assay_bound_range (sample, 0.05, key ());

  cr_expect (range.lower > 1 && range.lower < log (3.5) && range.upper == INFINITY);
  cr_expect (fabs (assay_bound_test (sample, range.lower, key ()).p_above - 0.05) < 1e-6);
}
