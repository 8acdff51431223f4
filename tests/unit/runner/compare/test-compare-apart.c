/* Samples of other units: at which level their intervals are apart. */
#include "runner/compare/compare-test.h"

#include <criterion/criterion.h>
#include <math.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#include "core/stats/interval.h"
#include "tests/unit/assert-near.h"

static const AssayMeasure similarity = { .name = "similarity",
                                         .statistic = ASSAY_STATISTIC_MEAN,
                                         .low = -1,
                                         .high = 1,
                                         .higher_is_worse = TRUE };

/* @n values around @middle, a @spread to both sides in turn and every fifth at the middle. */
static AssaySample *
sample_new (double middle, double spread, gsize n, gsize group_size)
{
  g_autofree double *values = g_new (double, n);
  g_autofree gint64 *groups = g_new (gint64, n);

  for (gsize i = 0; i < n; i++) {
    values[i] = middle + (i % 5 == 0 ? 0 : i % 2 == 0 ? spread : -spread);
    groups[i] = (gint64) (i / group_size);
  }
  return assay_sample_new (&similarity, values, group_size > 1 ? groups : NULL, n);
}

static double
apart (const AssaySample *better, const AssaySample *worse, double margin)
{
  const AssayContest contest = { .measure = &similarity,
                                 .lower_is_better = TRUE,
                                 .margin = margin,
                                 .stream = assay_stream_key (7, 0, "compare", "test") };

  return assay_samples_apart (better, worse, &contest);
}

/* [0, 0] and [0.645, 0.716]: 2/2001, times the pairs of a comparison, was never small. */
Test (compare_apart, far_beyond_the_resamples)
{
  g_autoptr (AssaySample) none = sample_new (0, 0, 200, 1);
  g_autoptr (AssaySample) all = sample_new (0.68, 0.2, 200, 1);
  const AssayInterval low
      = assay_sample_interval (none, 0.95, assay_stream_key (7, 0, "compare", "test"));

  cr_assert (none->method == ASSAY_SAMPLE_BOOTSTRAP && low.lower == 0 && low.upper == 0);
  cr_assert (apart (none, all, 0) <= 1.001e-12, "%g", apart (none, all, 0));
  cr_assert (apart (all, none, 0) == 1);
}

/* Two samples of n each meet where t of both reaches across: 2 P (t > difference / (e1 + e2)). */
Test (compare_apart, ends_are_those_of_t)
{
  const double differences[] = { 0.3, 0.35, 0.45 };

  for (guint i = 0; i < G_N_ELEMENTS (differences); i++) {
    g_autoptr (AssaySample) better = sample_new (0, 0.2, 60, 1);
    g_autoptr (AssaySample) worse = sample_new (differences[i], 0.3, 60, 1);
    /* 48 of 60 lie a spread away: 24 to each side. */
    const double e1 = sqrt (48 * 0.2 * 0.2 / 59 / 60), e2 = sqrt (48 * 0.3 * 0.3 / 59 / 60);
    const double expected = 2 * pt (-differences[i] / (e1 + e2), 59, TRUE, FALSE);
    const double p = apart (better, worse, 0);

    cr_assert (expected < 1e-4 && expected > 1e-12, "%g is no case", expected);
    assert_near (log (p), log (expected), 1e-3, "difference %g", differences[i]);
    cr_assert (apart (better, worse, -0.1) > 10 * p, "a margin that is asked for counts");
  }
}

/* Ten secrets of each photograph that are all alike are as much as the photographs alone. */
Test (compare_apart, groups_are_units)
{
  g_autofree double *values = g_new (double, 400);
  g_autofree gint64 *groups = g_new (gint64, 400);
  g_autoptr (AssaySample) better = sample_new (0, 0.2, 40, 1);
  g_autoptr (AssaySample) worse = NULL;
  g_autoptr (AssaySample) alone = sample_new (0.6, 0.3, 40, 1);

  for (gsize i = 0; i < 400; i++) {
    values[i] = 0.6 + (i / 10 % 5 == 0 ? 0 : i / 10 % 2 == 0 ? 0.3 : -0.3);
    groups[i] = (gint64) (i / 10);
  }
  worse = assay_sample_new (&similarity, values, groups, 400);
  cr_assert (worse->method == ASSAY_SAMPLE_GROUP_BOOTSTRAP);
  assert_near (log (apart (better, worse, 0)), log (apart (better, alone, 0)), 1e-3, "groups");
}

/* Few units that are all alike prove no more than so many throws of a coin. */
Test (compare_apart, few_units_prove_little)
{
  g_autoptr (AssaySample) none = sample_new (0, 0, 14, 1);
  g_autoptr (AssaySample) all = sample_new (0.9, 0, 30, 1);
  g_autoptr (AssaySample) three = sample_new (0, 0, 3, 1);

  assert_near (apart (none, all, 0), pow (0.5, 14), 1e-9, "14 units");
  assert_near (apart (three, all, 0), 2.0 / (ASSAY_RESAMPLES + 1), 1e-9, "3 units");
}
