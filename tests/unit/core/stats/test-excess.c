/* The excess over a control: against its formula, by the coverage of its interval and by the level
 * of its test where nothing was learned. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/rng.h"
#include "core/stats/bound-test.h"
#include "core/stats/excess.h"
#include "core/stats/interval.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/seeds.h"

static const AssayMeasure excess
    = { .name = "excess", .statistic = ASSAY_STATISTIC_EXCESS, .low = -1, .high = 1 };

static AssayStreamKey
key_of (guint64 trial)
{
  return assay_stream_key (29, trial, "excess", "test-excess");
}

/* Guesses of @n people that are right with probability @right, and controls of their own. */
static AssaySample *
drawn (gsize n, double right, double control, gsize group_size, guint64 trial)
{
  AssayStream stream = assay_stream (key_of (trial), 0);
  g_autofree double *a = g_new (double, n);
  g_autofree double *c = g_new (double, n);
  g_autofree gint64 *groups = group_size > 1 ? g_new (gint64, n) : NULL;

  for (gsize i = 0; i < n; i++) {
    const gboolean is_copy = groups != NULL && i % group_size > 0;

    a[i] = is_copy ? a[i - 1] : assay_stream_uniform (&stream) < right;
    c[i] = is_copy ? c[i - 1] : assay_stream_uniform (&stream) < control;
    if (groups != NULL)
      groups[i] = (gint64) (i / group_size);
  }
  return assay_sample_new_excess (&excess, a, c, groups, n);
}

Test (excess, estimate_is_the_formula)
{
  const double a[] = { 1, 1, 1, 0, 1, 0, 1, 1 }, c[] = { 0, 1, 0, 0, 0, 1, 0, 0 };
  const gint64 groups[] = { 7, 7, 7, 7, 9, 9, 3, 3 };
  g_autoptr (AssaySample) alone = assay_sample_new_excess (&excess, a, c, NULL, 8);
  g_autoptr (AssaySample) grouped = assay_sample_new_excess (&excess, a, c, groups, 8);

  assert_near (alone->estimate, (0.75 - 0.25) / 0.75, 1e-12, "estimate");
  /* Means of groups: (3/4, 1/2, 1) and (1/4, 1/2, 0). */
  assert_near (grouped->estimate, (0.75 - 0.25) / 0.75, 1e-12, "estimate");
  cr_assert_eq (grouped->n_groups, 3);
}

/* Nothing was learned: the test at 0 is refused no more often than its level, and the interval
 * holds 0. What was learned is found. */
Test (excess, level_and_coverage)
{
  TEST_OF_CHANCE ();

  enum { TRIALS = 200, INTERVALS = 60 };
  static const struct {
    gsize n, group;
    double right, control;
  } cases[] = { { 60, 1, 0.5, 0.5 }, { 120, 4, 0.3, 0.3 }, { 100, 1, 0.7, 0.4 } };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    const double truth = (cases[k].right - cases[k].control) / (1 - cases[k].control);
    gsize above = 0, below = 0, missed = 0;

    for (guint64 trial = 0; trial < TRIALS; trial++) {
      g_autoptr (AssaySample) sample
          = drawn (cases[k].n, cases[k].right, cases[k].control, cases[k].group, 1000 * k + trial);
      const AssayBoundTest test = assay_bound_test (sample, truth, key_of (0));
      AssayInterval interval;

      above += test.p_above <= 0.05;
      below += test.p_below <= 0.05;
      if (trial >= INTERVALS)
        continue;
      interval = assay_sample_interval (sample, 0.95, key_of (0));
      missed += truth < interval.lower || truth > interval.upper;
      cr_assert_str_eq (interval.method, "gaffke-on-excess");
    }
    /* Binomial (200, 0.05) exceeds 21 with probability 0.0005, and that of 60 exceeds 10 with
     * 0.0003. */
    cr_assert_leq (above, 21);
    cr_assert_leq (below, 21);
    cr_assert_leq (missed, 10);
  }
}

Test (excess, interval_inverts_the_test)
{
  g_autoptr (AssaySample) sample = drawn (150, 0.8, 0.5, 1, 5);
  const AssayInterval interval = assay_sample_interval (sample, 0.95, key_of (0));

  cr_assert (interval.lower > 0 && interval.lower < sample->estimate
             && sample->estimate < interval.upper && interval.upper < 1);
  assert_near (assay_bound_test (sample, interval.lower, key_of (0)).p_above, 0.025, 1e-6, "end");
  assert_near (assay_bound_test (sample, interval.upper, key_of (0)).p_below, 0.025, 1e-6, "end");
}

/* An attack that always says the same exceeds its control by exactly 0, which few people do not
 * prove: zero of n is no certainty. */
Test (excess, no_variation_is_no_certainty)
{
  double a[400], c[400];
  double before = 1;

  for (gsize i = 0; i < 400; i++)
    a[i] = c[i] = i % 2;
  for (gsize n = 10; n <= 400; n *= 2) {
    g_autoptr (AssaySample) sample = assay_sample_new_excess (&excess, a, c, NULL, n);
    const double p = assay_bound_test (sample, 0.05, key_of (0)).p_below;

    cr_assert (p < before, "n = %zu: %g", n, p);
    before = p;
    if (n <= 20)
      cr_assert_gt (p, 0.05);
  }
  cr_assert_lt (before, 0.05);
}

Test (excess, one_person_or_group_proves_nothing)
{
  const double a[] = { 1, 1 }, c[] = { 0, 0 };
  const gint64 groups[] = { 5, 5 };
  g_autoptr (AssaySample) one = assay_sample_new_excess (&excess, a, c, NULL, 1);
  g_autoptr (AssaySample) group = assay_sample_new_excess (&excess, a, c, groups, 2);

  assert_near (assay_bound_test (one, 0, key_of (0)).p_above, 1, 0, "one person");
  assert_near (assay_sample_interval (group, 0.95, key_of (0)).lower, -1, 0, "one group");
  /* That of one observation, 3/4 where 1/2 is no excess: Markov's. */
  assert_near (assay_excess_p (group, 0, TRUE), 2.0 / 3, 1e-12, "p of one group");
}

/* As if everybody had been guessed (or nobody), with the same controls on the whole. */
Test (excess, least_p_is_that_of_success_throughout)
{
  const double a[] = { 0, 1, 0, 1, 0 }, c[] = { 0.5, 0, 0.25, 0.25, 0 };
  const double all[] = { 1, 1, 1, 1, 1 }, none[] = { 0, 0, 0, 0, 0 },
               alike[] = { 0.2, 0.2, 0.2, 0.2, 0.2 };
  g_autoptr (AssaySample) sample = assay_sample_new_excess (&excess, a, c, NULL, 5);
  g_autoptr (AssaySample) most = assay_sample_new_excess (&excess, all, alike, NULL, 5);
  g_autoptr (AssaySample) least = assay_sample_new_excess (&excess, none, alike, NULL, 5);

  assert_near (assay_excess_least_p (sample, 0.1, TRUE), assay_excess_p (most, 0.1, TRUE), 1e-12,
               "above");
  assert_near (assay_excess_least_p (sample, 0.1, FALSE), assay_excess_p (least, 0.1, FALSE), 1e-12,
               "below");
}

/* Means .75 and .25, excess 2 / 3; by hand. */
Test (excess, influence_of_each)
{
  const double right[] = { 1, 0, 1, 1 }, control[] = { 0.5, 0, 0.25, 0.25 };
  const double expected[] = { 8.0 / 9, -2.0 / 9, 1, 1 };
  double outcomes[4];

  assay_excess_influence (right, control, 4, outcomes);
  for (gsize i = 0; i < 4; i++)
    assert_near (outcomes[i], expected[i], 1e-12, "%zu", i);
}

/* One success among forty, first or last. */
Test (excess, order_of_people_is_nothing)
{
  double first[40] = { 1 }, last[40] = { 0 }, control[40] = { 0 };
  g_autoptr (AssaySample) one = assay_sample_new_excess (&excess, first, control, NULL, 40);
  g_autoptr (AssaySample) other = NULL;

  last[39] = 1;
  other = assay_sample_new_excess (&excess, last, control, NULL, 40);
  for (double bound = -0.5; bound < 1; bound += 0.25) {
    assert_near (assay_excess_p (one, bound, FALSE), assay_excess_p (other, bound, FALSE), 1e-12,
                 "at most %g", bound);
    assert_near (assay_excess_p (one, bound, TRUE), assay_excess_p (other, bound, TRUE), 1e-12,
                 "at least %g", bound);
  }
}
