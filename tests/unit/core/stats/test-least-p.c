/* What the strongest outcome of a sample would show, and what outcomes at the bound do not. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/stats/bound-test.h"
#include "tests/unit/assert-near.h"

static const AssayMeasure mean = { .statistic = ASSAY_STATISTIC_MEAN, .low = -1e9, .high = 1e9 };
static const AssayMeasure upper_quartile
    = { .statistic = ASSAY_STATISTIC_UPPER_QUARTILE, .low = -1e9, .high = 1e9 };

static AssayStreamKey
key_of (const char *role, guint64 trial)
{
  return assay_stream_key (37, trial, role, "test-least-p");
}

static double
least (const AssaySample *sample, double bound, gboolean is_above)
{
  return assay_bound_least_p (sample, bound, is_above);
}

/* The strongest outcome: all values, or all groups' quantiles, on one side. */
Test (least_p, least_p_of_quantiles)
{
  static const double values[] = { 0, 0, 0, 0, 0, 0 };
  static const gint64 groups[] = { 1, 2, 3, 4, 5, 5 };
  g_autoptr (AssaySample) alone = assay_sample_new (&upper_quartile, values, NULL, 6);
  g_autoptr (AssaySample) grouped = assay_sample_new (&upper_quartile, values, groups, 6);

  cr_assert (alone->method == ASSAY_SAMPLE_ORDER && grouped->method == ASSAY_SAMPLE_GROUP_T);
  assert_near (least (alone, 0, TRUE), pow (0.25, 6), 1e-15, "above");
  assert_near (least (alone, 0, FALSE), pow (0.75, 6), 1e-15, "below");
  assert_near (least (grouped, 0, TRUE), pow (0.25, 5), 1e-15, "groups above");
  assert_near (least (grouped, 0, FALSE), pow (0.75, 5), 1e-15, "groups below");
  cr_assert_eq (assay_bound_floor_p (alone), 0);
  /* Group quantiles that are all alike show no more than their number does. */
  assert_near (assay_bound_test (grouped, -1, key_of ("unused", 0)).p_above, pow (0.25, 5), 1e-12,
               "above -1");
  assert_near (assay_bound_test (grouped, 1, key_of ("unused", 0)).p_below, pow (0.75, 5), 1e-12,
               "below 1");
  /* As clear as five groups can be: .25^5 is 6.93 in logarithms, 1e-6 is 13.82. */
  cr_assert_eq (assay_bound_units_needed (grouped, -1, 1e-6, key_of ("unused", 0)), 12);
}

/* tp = N and fp = 0 have p = 2 q^N, q = 1 / (1 + e^-eps); all of r guesses right q^r. Whatever was
 * counted, and no audit shows that epsilon is small. */
Test (least_p, least_p_of_audits)
{
  static const AssayMeasure epsilon = { .name = "epsilon", .low = 0, .high = 1e9 };
  static const AssayAudit audits[] = {
    { .kind = ASSAY_AUDIT_TWO_INPUTS, .runs = 30, .hits = 20, .mistakes = 10 },
    { .kind = ASSAY_AUDIT_ONE_RUN, .runs = 30, .hits = 20, .mistakes = 60 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (audits); i++) {
    g_autoptr (AssaySample) sample = assay_sample_new_audit (&epsilon, &audits[i]);
    const double all = pow (1 / (1 + exp (-1)), 30) * (i == 0 ? 2 : 1);

    assert_near (least (sample, 1, TRUE), all, 1e-9 * all, "audit %zu", i);
    cr_assert_eq (least (sample, 1, FALSE), 1);
    cr_assert_eq (assay_bound_test (sample, 1, key_of ("unused", 0)).p_below, 1);
    cr_assert_eq (assay_bound_units_needed (sample, 5, 0.05, key_of ("unused", 0)), 0);
  }
}

/* Half of the resamples of 0 and 1 are at the bound, and say neither. */
Test (least_p, resamples_at_the_bound_count_on_both_sides)
{
  static const double values[] = { 0, 1 };
  g_autoptr (AssaySample) sample = assay_sample_new (&mean, values, NULL, 2);
  const AssayBoundTest test = assay_bound_test (sample, 0.5, key_of ("resamples", 0));

  cr_assert (sample->method == ASSAY_SAMPLE_BOOTSTRAP);
  assert_near (test.p_above, 0.75, 0.05, "above");
  assert_near (test.p_below, 0.75, 0.05, "below");
}
