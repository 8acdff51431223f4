/* Tests of paired outcomes: against sums written out, hand calculation, and by how often they are
 * wrong. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/rng.h"
#include "core/stats/paired-test.h"
#include "tests/reference/naive-interval.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/seeds.h"

static const AssayMeasure rate
    = { .name = "rate", .statistic = ASSAY_STATISTIC_RATE, .higher_is_worse = TRUE, .high = 1 };
static const AssayMeasure missed
    = { .name = "missed", .statistic = ASSAY_STATISTIC_RATE, .higher_is_worse = FALSE, .high = 1 };
static const AssayMeasure share
    = { .name = "share", .statistic = ASSAY_STATISTIC_MEAN, .higher_is_worse = TRUE, .high = 1 };
static const AssayMeasure distance
    = { .name = "error", .statistic = ASSAY_STATISTIC_MEDIAN, .high = G_MAXDOUBLE };
static const AssayMeasure *const measures[] = { &rate, &missed, &share, &distance };

static AssayStreamKey
key_of (const char *role, guint64 trial)
{
  return assay_stream_key (29, trial, role, "test-paired-test");
}

static double
p_worse (const AssayMeasure *measure, const double *before, const double *after,
         const gint64 *groups, gsize n)
{
  return assay_paired_test (measure, before, after, groups, n, key_of ("resamples", 0)).p_worse;
}

/* ---- McNemar ---- */

/* @up outcomes went from 0 to 1, @down back, @same stayed at 0 and as many at 1. */
static AssayPairedTest
mcnemar (const AssayMeasure *measure, gsize up, gsize down, gsize same)
{
  const gsize n = up + down + 2 * same;
  g_autofree double *before = g_new0 (double, n);
  g_autofree double *after = g_new0 (double, n);

  for (gsize i = 0; i < n; i++) {
    before[i] = (i >= up && i < up + down) || i >= n - same;
    after[i] = i < up || i >= n - same;
  }
  return assay_paired_test (measure, before, after, NULL, n, key_of ("unused", 0));
}

Test (paired_test, mcnemar_is_the_binomial_sum)
{
  static const gsize counts[] = { 0, 1, 2, 5, 17, 300 };

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (counts); j++) {
      const gsize up = counts[i], down = counts[j];
      const AssayPairedTest leaks = mcnemar (&rate, up, down, 3);
      const AssayPairedTest hides = mcnemar (&missed, up, down, 3);
      const double p_up = up == 0 ? 1 : naive_binomial_at_least (up, up + down, 0.5);
      const double p_down = down == 0 ? 1 : naive_binomial_at_least (down, up + down, 0.5);

      cr_assert_str_eq (leaks.method, "mcnemar");
      cr_assert (leaks.n == up + down + 6);
      assert_near (leaks.p_worse, p_up, 1e-12 * p_up, "%zu up, %zu down", up, down);
      assert_near (hides.p_worse, p_down, 1e-12 * p_down, "lower leaks, %zu, %zu", up, down);
      assert_near (leaks.difference, ((double) up - (double) down) / (double) leaks.n, 1e-15,
                   "difference");
    }
  cr_assert (mcnemar (&rate, 0, 0, 1).p_worse == 1);
}

/* ---- Resampling ---- */

#define MANY 40

/* @shift and some noise between @MANY outcomes, which @groups (NULL: none) numbers. */
static void
make_shifted (double shift, double noise, double *before, double *after, gint64 *groups)
{
  AssayStream stream = assay_stream (key_of ("shifted", 0), 0);

  for (gsize i = 0; i < MANY; i++) {
    before[i] = assay_stream_uniform (&stream);
    after[i] = before[i] + shift + noise * assay_stream_normal (&stream);
    if (groups != NULL)
      groups[i] = 7 * (gint64) i - 100;
  }
}

Test (paired_test, bootstrap_knows_what_is_worse)
{
  double before[MANY], after[MANY];
  gint64 groups[MANY];

  make_shifted (0.2, 0.5, before, after, groups);
  for (gsize g = 0; g < 2; g++) {
    const gint64 *used = g == 0 ? NULL : groups;
    const double up = p_worse (&share, before, after, used, MANY);
    const double back = p_worse (&share, after, before, used, MANY);
    const double lower = p_worse (&distance, before, after, used, MANY);
    const AssayPairedTest test
        = assay_paired_test (&share, before, after, used, MANY, key_of ("resamples", 0));

    cr_assert (up < 0.05 && back > 0.95 && lower > 0.95, "%g, %g, %g", up, back, lower);
    cr_assert (p_worse (&distance, after, before, used, MANY) < 0.05);
    cr_assert_str_eq (test.method, g == 0 ? "paired-bootstrap-2000" : "cluster-bootstrap-2000");
    cr_assert (test.difference > 0 && test.n == MANY);
  }
}

/* P (T >= t) of t with an odd number of degrees of freedom (Abramowitz and Stegun 26.7.3). */
static double
naive_t_tail (double t, guint freedom)
{
  const double angle = atan (t / sqrt (freedom));
  double term = cos (angle), sum = angle;

  for (guint k = 3; k <= freedom; k += 2) {
    sum += sin (angle) * term;
    term *= (double) (k - 1) / k * cos (angle) * cos (angle);
  }
  return 0.5 - sum / G_PI;
}

Test (paired_test, reference_tail_is_that_of_tables)
{
  assert_near (naive_t_tail (3.182446, 3), 0.025, 1e-7, "3");
  assert_near (naive_t_tail (2.201, 11), 0.025, 1e-5, "11");
  assert_near (naive_t_tail (1.6849, 39), 0.05, 1e-5, "39");
}

/* Groups of one to three units count by their means. */
Test (paired_test, the_tail_of_t_is_of_group_means)
{
  double before[MANY], after[MANY], all_before[3 * MANY], all_after[3 * MANY];
  gint64 groups[3 * MANY];
  double mean = 0, square = 0, expected;
  gsize n = 0;

  make_shifted (1, 1, before, after, NULL);
  for (gsize g = 0; g < MANY; g++) {
    const gsize size = 1 + g % 3;

    for (gsize i = 0; i < size; i++, n++) {
      all_before[n] = before[g];
      all_after[n] = after[g] + 0.1 * ((double) i - (double) (size - 1) / 2);
      groups[n] = (gint64) g;
    }
    mean += (after[g] - before[g]) / MANY;
  }
  for (gsize g = 0; g < MANY; g++)
    square += (after[g] - before[g] - mean) * (after[g] - before[g] - mean);
  expected = naive_t_tail (mean / sqrt (square / (MANY - 1) / MANY), MANY - 1);
  cr_assert (expected < 1e-4 && expected > 1e-9, "%g is a poor example", expected);
  assert_near (p_worse (&share, all_before, all_after, groups, n), expected, 1e-7 * expected,
               "up");
}

/* Where all resamples lie on one side the p-value is that of t: 39 degrees of freedom. */
Test (paired_test, below_the_least_of_resampling_the_tail_is_of_t)
{
  double before[MANY], after[MANY], mean = 0, square = 0, expected;
  gint64 groups[MANY];

  make_shifted (1, 1, before, after, groups);
  for (gsize i = 0; i < MANY; i++)
    mean += (after[i] - before[i]) / MANY;
  for (gsize i = 0; i < MANY; i++)
    square += (after[i] - before[i] - mean) * (after[i] - before[i] - mean);
  expected = naive_t_tail (mean / sqrt (square / (MANY - 1) / MANY), MANY - 1);
  cr_assert (expected < 1e-4 && expected > 1e-9, "%g is a poor example", expected);
  for (gsize g = 0; g < 2; g++) {
    const gint64 *used = g == 0 ? NULL : groups;

    assert_near (p_worse (&share, before, after, used, MANY), expected, 1e-15, "up");
    assert_near (p_worse (&distance, after, before, used, MANY), expected, 1e-15, "down");
    cr_assert (p_worse (&share, after, before, used, MANY) == 1);
  }
}

/* That all of n differences have one sign happens by chance in one of 2^n runs. */
Test (paired_test, n_units_are_as_sure_as_n_signs)
{
  static const gsize sizes[] = { 2, 3, 5, 10, 12, 29, 30, MANY };
  double before[MANY] = { 0 }, after[MANY];
  gint64 groups[MANY];

  for (gsize i = 0; i < MANY; i++) {
    after[i] = 0.1;
    groups[i] = (gint64) i;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const gsize n = sizes[i];
    const double sure = pow (0.5, (double) n);

    assert_near (p_worse (&share, before, after, NULL, n), sure, 1e-12 * sure, "%zu units", n);
    assert_near (p_worse (&share, before, after, groups, n), sure, 1e-12 * sure, "%zu groups", n);
    assert_near (p_worse (&distance, after, before, NULL, n), sure, 1e-12 * sure, "%zu lower", n);
    cr_assert (p_worse (&share, after, before, groups, n) >= 1 - 1e-9);
  }
  cr_assert (p_worse (&share, before, after, NULL, 1) == 1);
  cr_assert (p_worse (&share, before, after, groups, 1) == 1);
}

/* Units that did not change say nothing: of k that changed all to one side, 2^-k, whatever t makes
 * of the others (of 3 among 12 groups t = 1.91, p = 0.041). */
Test (paired_test, what_did_not_change_says_nothing)
{
  double before[MANY] = { 0 }, after[MANY] = { 0 };
  gint64 groups[MANY];
  static const gsize sizes[] = { 12, 30, MANY };

  for (gsize i = 0; i < MANY; i++)
    groups[i] = (gint64) i;
  for (gsize k = 1; k <= 4; k++) {
    after[5 + k] = 1;
    for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
      const double least = pow (0.5, (double) k);

      cr_assert (p_worse (&share, before, after, groups, sizes[i]) >= least, "%zu of %zu", k,
                 sizes[i]);
      cr_assert (p_worse (&share, before, after, NULL, sizes[i]) >= least, "%zu of %zu", k,
                 sizes[i]);
    }
  }
}

/* ---- t ---- */

/* The differences of four groups are 1, 2, 3 and 4 on average: t = 2.5 / 0.645497 with 3 degrees
 * of freedom, of which 1 - F (t) = 1/2 - (atan (u) + u / (1 + u^2)) / pi with u = t / sqrt (3). */
Test (paired_test, t_by_hand)
{
  static const double before[] = { 10, 20, 30, 40, 50, 60, 70 };
  static const double after[] = { 11, 21.5, 32.5, 42, 53, 64, 74 };
  static const gint64 groups[] = { 9, 4, 4, -1, -1, -1, 7 };
  const double u = 2.5 / sqrt (5.0 / 12) / sqrt (3);
  const double tail = 0.5 - (atan (u) + u / (1 + u * u)) / G_PI;
  const AssayPairedTest test
      = assay_paired_test (&share, before, after, groups, 7, key_of ("unused", 0));

  cr_assert_str_eq (test.method, "t-on-group-means");
  cr_assert (test.n == 7);
  assert_near (test.difference, 2.5, 1e-12, "difference");
  assert_near (test.p_worse, tail, 1e-12, "worse");
  assert_near (p_worse (&distance, before, after, groups, 7), 1 - tail, 1e-12, "better");
  assert_near (p_worse (&rate, before, after, groups, 7), tail, 1e-12, "a rate in groups");
}

/* ---- Nothing changed ---- */

Test (paired_test, identical_runs_are_never_worse)
{
  static const gsize sizes[] = { 1, 2, 12, 29, 30, MANY };
  AssayStream stream = assay_stream (key_of ("identical", 0), 0);
  double values[MANY];
  gint64 groups[MANY];

  for (gsize i = 0; i < MANY; i++) {
    values[i] = (double) assay_stream_below (&stream, 2);
    groups[i] = (gint64) i;
  }
  for (gsize m = 0; m < G_N_ELEMENTS (measures); m++)
    for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
      cr_assert (p_worse (measures[m], values, values, NULL, sizes[i]) == 1, "%s, %zu",
                 measures[m]->name, sizes[i]);
      cr_assert (p_worse (measures[m], values, values, groups, sizes[i]) >= 0.5, "%s, %zu groups",
                 measures[m]->name, sizes[i]);
    }
}

typedef struct {
  const char *name;
  const AssayMeasure *measure;
  gsize n, n_groups; /* 0: independent */
  double nominal;
  gsize trials;
} Calibration;

/* Two runs between which nothing changed but noise; that of one group is correlated. */
static double
play (const Calibration *c, guint64 trial)
{
  AssayStream stream = assay_stream (key_of (c->name, trial), 0);
  g_autofree double *before = g_new (double, c->n);
  g_autofree double *after = g_new (double, c->n);
  g_autofree gint64 *groups = g_new (gint64, c->n);
  g_autofree double *effects = g_new0 (double, c->n_groups + 1);
  const gboolean is_rate = c->measure->statistic == ASSAY_STATISTIC_RATE;

  for (gsize g = 0; g < c->n_groups; g++)
    effects[g] = assay_stream_normal (&stream);
  for (gsize i = 0; i < c->n; i++) {
    const double common = assay_stream_normal (&stream);

    groups[i] = c->n_groups > 0 ? (gint64) (i % c->n_groups) : 0;
    before[i] = common + 0.5 * assay_stream_normal (&stream);
    after[i] = common + 0.5 * assay_stream_normal (&stream) + effects[groups[i]];
    before[i] = is_rate ? before[i] > 0.5 : before[i];
    after[i] = is_rate ? after[i] > 0.5 : after[i];
  }
  return assay_paired_test (c->measure, before, after, c->n_groups > 0 ? groups : NULL, c->n,
                            key_of ("resamples", trial))
      .p_worse;
}

/* McNemar is exact, and t is on normal group means. A percentile bootstrap of n lacks the factor
 * (n - 1) / n and takes the normal for the t distribution: P (t_59 >= 1.645 sqrt (59 / 60)) =
 * 0.054, P (t_39 >= 1.645 sqrt (39 / 40)) = 0.056. The tolerance is 4 standard deviations of the
 * share in so many trials. Taking 200 units of 40 groups for independent would be wrong in about
 * a quarter of them. */
Test (paired_test, wrong_as_seldom_as_said)
{
  TEST_OF_CHANCE ();

  static const Calibration cases[] = {
    { "mcnemar", &rate, 100, 0, 0.05, 4000 },
    { "mcnemar, lower leaks", &missed, 100, 0, 0.05, 4000 },
    { "bootstrap", &share, 60, 0, 0.054, 400 },
    { "40 groups", &share, 200, 40, 0.056, 400 },
    { "12 groups", &distance, 120, 12, 0.05, 4000 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double trials = (double) cases[i].trials;
    double wrong = 0;

    for (guint64 t = 0; t < cases[i].trials; t++)
      wrong += play (&cases[i], t) < 0.05;
    cr_assert (wrong / trials <= cases[i].nominal + 4 * sqrt (0.05 * 0.95 / trials), "%s: %g",
               cases[i].name, wrong / trials);
    cr_assert (wrong > 0, "%s: never", cases[i].name);
  }
}

/* ---- Audits ---- */

static AssayAudit
audit_of (guint64 runs, guint64 hits, guint64 mistakes, double delta)
{
  return (AssayAudit){ .kind = ASSAY_AUDIT_TWO_INPUTS,
                       .delta = delta,
                       .runs = runs,
                       .hits = hits,
                       .mistakes = mistakes };
}

static guint64
draw_count (AssayStream *stream, guint64 n, double p)
{
  guint64 count = 0;

  for (guint64 i = 0; i < n; i++)
    count += assay_stream_uniform (stream) < p;
  return count;
}

Test (paired_test, audits_by_hand)
{
  const AssayAudit before = audit_of (9999, 5000, 2000, 0), after = audit_of (9999, 5000, 1800, 0);
  const AssayPairedTest same = assay_audit_test (&before, &before);
  const AssayPairedTest worse = assay_audit_test (&before, &after);
  const AssayPairedTest better = assay_audit_test (&after, &before);
  /* ln (2000.5 / 1800.5), over the root of the four variances (1 - p) / (p n), n = 10,000. */
  const double p1 = 0.50005, q0 = 0.20005, q1 = 0.18005;
  const double z = log (q0 / q1)
                   / sqrt ((2 * (1 - p1) / p1 + (1 - q0) / q0 + (1 - q1) / q1) / 10000);

  cr_assert (same.difference == 0 && same.p_worse == 0.5 && same.n == 9999);
  cr_assert_str_eq (same.method, "log-ratio-normal");
  assert_near (worse.difference, log (q0 / q1), 1e-12, "difference");
  assert_near (worse.p_worse, 0.5 * erfc (z / sqrt (2)), 1e-12, "p");
  assert_near (better.p_worse, 1 - worse.p_worse, 1e-12, "the other direction");
}

/* Two audits of one mechanism: "worse" as often as the level says, with and without a delta. */
Test (paired_test, audits_hold_their_level)
{
  enum { SAMPLES = 4000, RUNS = 2000 };
  static const double deltas[] = { 0, 0.01 };

  for (gsize d = 0; d < G_N_ELEMENTS (deltas); d++) {
    gsize rejected = 0;

    for (guint64 i = 0; i < SAMPLES; i++) {
      AssayStream stream = assay_stream (key_of ("audits", d), i);
      AssayAudit audits[2];

      for (gsize a = 0; a < 2; a++) {
        const guint64 hits = draw_count (&stream, RUNS, 0.3);

        audits[a] = audit_of (RUNS, hits, draw_count (&stream, RUNS, 0.1), deltas[d]);
      }
      rejected += assay_audit_test (&audits[0], &audits[1]).p_worse < 0.05;
    }
    /* 200 expected, with a deviation of 13.8; five of them. */
    cr_assert (rejected > 131 && rejected < 269, "delta %g: %zu of %d", deltas[d], rejected,
               SAMPLES);
  }
}

Test (paired_test, one_run_audits_compare_their_guesses)
{
  const AssayAudit before = { ASSAY_AUDIT_ONE_RUN, 0, 599, 400, 1000 };
  const AssayAudit after = { ASSAY_AUDIT_ONE_RUN, 0, 599, 440, 1000 };
  const AssayPairedTest worse = assay_audit_test (&before, &after);
  const double s0 = 400.5 / 600, s1 = 440.5 / 600;
  const double z = (log (s1 / (1 - s1)) - log (s0 / (1 - s0)))
                   / sqrt (1 / (s0 * (1 - s0) * 600) + 1 / (s1 * (1 - s1) * 600));

  assert_near (worse.p_worse, 0.5 * erfc (z / sqrt (2)), 1e-12, "p");
  cr_assert (worse.p_worse < 0.02);
}
