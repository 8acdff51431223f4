/* Runs that an audit needs, what it can show, and how often it is wrong. */
#include <criterion/criterion.h>
#include <math.h>
#include <time.h>

#include "core/base/rng.h"
#include "core/stats/epsilon.h"
#include "tests/reference/naive-epsilon.h"
#include "tests/reference/naive-interval.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"

static AssayStream
stream_of (const char *role)
{
  return assay_stream (assay_stream_key (29, 0, role, "test-epsilon"), 0);
}

static guint64
draw_binomial (AssayStream *stream, guint64 n, double p)
{
  guint64 x = 0;

  for (guint64 i = 0; i < n; i++)
    x += assay_stream_uniform (stream) < p;
  return x;
}

/* ---- How many runs ---- */

/* All hits, no mistakes: 2 q^n < alpha, one run q^n < alpha. */
Test (epsilon_power, runs_needed_have_a_closed_form)
{
  static const double epsilons[] = { 0.1, 1, 3, 8, 15 };

  for (gsize i = 0; i < G_N_ELEMENTS (epsilons); i++) {
    const AssayAudit two = audit_two_inputs (20, 0, 20, 0), one = audit_one_run (20, 20, 40, 0);
    const double log_q = -log1p (exp (-epsilons[i]));

    assert_near (assay_epsilon_runs_needed (&two, epsilons[i], 0.05),
                 floor (log (0.025) / log_q) + 1, 0, "%g", epsilons[i]);
    assert_near (assay_epsilon_runs_needed (&one, epsilons[i], 0.05),
                 floor (log (0.05) / log_q) + 1, 0, "%g: one run", epsilons[i]);
  }
}

static double
lower_at (const AssayAudit *audit, double runs, double alpha)
{
  const double scale = runs / (double) audit->runs;
  AssayAudit scaled = *audit;

  scaled.runs = (guint64) runs;
  scaled.hits = (guint64) round ((double) audit->hits * scale);
  scaled.mistakes = (guint64) round ((double) audit->mistakes * scale);
  return assay_epsilon_lower (&scaled, alpha);
}

/* The number shows more than epsilon; 0.9 of it, on which rounding of so many counts makes no
 * difference, does not; and an audit that shows nothing is asked for more runs than it had. */
Test (epsilon_power, runs_needed_are_about_the_first_that_show_it)
{
  const struct {
    AssayAudit audit;
    double epsilon;
  } cases[] = {
    { audit_two_inputs (300, 100, 1000, 0), 1 },
    { audit_two_inputs (300, 100, 1000, 0.01), 1 },
    { audit_two_inputs (5, 1, 1000000, 0), 1.5 },
    { audit_two_inputs (272, 100, 1000, 0), 1 },
    { audit_two_inputs (272, 100, 1000000, 0), 1 },
    { audit_one_run (740, 1000, 1000, 0), 1 },
    { audit_one_run (800, 1000, 5000, 1e-6), 1.2 },
    { audit_one_run (7320, 10000, 10000, 0), 1 },
    { audit_two_inputs (1000, 1, 1000000000, 0), 6.8 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const AssayAudit *audit = &cases[i].audit;
    const double n = assay_epsilon_runs_needed (audit, cases[i].epsilon, 0.05);

    cr_assert (lower_at (audit, n, 0.05) > cases[i].epsilon, "case %zu: %g", i, n);
    cr_assert (lower_at (audit, floor (0.9 * n), 0.05) <= cases[i].epsilon, "case %zu: %g", i, n);
    if (assay_epsilon_lower (audit, 0.05) <= cases[i].epsilon)
      cr_assert (n > (double) audit->runs, "case %zu: %g", i, n);
    else
      cr_assert (n <= (double) audit->runs, "case %zu: %g", i, n);
  }
}

/* A ratio of e^eps itself; and one above it by a share of 10^-8, which takes some 10^17 runs. */
Test (epsilon_power, no_number_of_runs_shows_what_is_not_there)
{
  const AssayAudit at = audit_two_inputs (300, 100, 1000, 0);
  const AssayAudit close = audit_two_inputs (300000003, 100000000, 1000000000, 0);
  const AssayAudit half = audit_one_run (750, 1000, 1000, 0),
                   less = audit_two_inputs (300, 100, 1000, 0.01);
  const AssayAudit spread
      = audit_one_run (9, 10, 1000000, 1e-5); /* 2 m delta of 20 for 10 guesses */

  cr_assert (assay_epsilon_runs_needed (&at, log (3), 0.05) == 0);
  cr_assert (assay_epsilon_runs_needed (&close, log (3), 0.05) == 0);
  cr_assert (assay_epsilon_runs_needed (&half, log (3), 0.05) == 0);
  cr_assert (assay_epsilon_runs_needed (&less, log (2.9), 0.05) == 0);
  cr_assert (assay_epsilon_runs_needed (&spread, 1, 0.05) == 0);
}

/* ---- Power ---- */

static const struct {
  guint64 runs;
  double p_first, p_second, delta, epsilon, alpha;
} games[] = {
  { 1, 0.9, 0.1, 0, 0, 0.5 },          { 12, 0.8, 0.1, 0, 0.5, 0.1 },
  { 60, 0.5, 0.1, 0, 0.8, 0.05 },      { 60, 0.99, 0.3, 0.01, 0.5, 0.05 },
  { 200, 0.05, 0.001, 0, 0.7, 0.05 },  { 200, 0.7, 0.2, 0.1, 0.8, 0.05 },
  { 200, 0.3, 0.1103638, 0, 1, 0.05 },
};

/* The reference and the sum differ by what the latter leaves out at both ends, 2e-12. */
Test (epsilon_power, power_is_the_sum_over_all_counts)
{
  for (gsize i = 0; i < G_N_ELEMENTS (games); i++) {
    const double expected = naive_epsilon_power (games[i].runs, games[i].p_first, games[i].p_second,
                                                 games[i].delta, games[i].epsilon, games[i].alpha);

    assert_near (assay_epsilon_power (games[i].runs, games[i].p_first, games[i].p_second,
                                      games[i].delta, games[i].epsilon, games[i].alpha),
                 expected, 1e-10, "game %zu", i);
  }
}

/* With z the quantile of the normal at alpha / 2 and s_i^2 = p_i (1 - p_i) / N, eps_low > eps means
 *   tp / N - e^eps fp / N > delta + z (s_1 + e^eps s_2)
 * to first order in N^-1/2. The next order, the skewness of counts and the change of s_i with them,
 * is below 1 / sqrt (N p_2 (1 - p_2)) = 6e-4 at N p_2 = 3e6; slices add 5e-4 at most. */
Test (epsilon_power, power_of_many_runs_is_the_normal_one)
{
  static const guint64 sizes[] = { 30000000, 1000000000 };
  const double z = 1.959963984540054, epsilon = 1, ratio = exp (epsilon);

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (double shift = -2; shift <= 2; shift += 0.5) {
      const double n = (double) sizes[i], delta = i == 0 ? 0 : 1e-3, second = 0.1;
      const double s_2 = sqrt (second * (1 - second) / n), bar = delta + ratio * second;
      const double s_1 = sqrt (bar * (1 - bar) / n);
      const double first = bar + z * (s_1 + ratio * s_2) + shift * hypot (s_1, ratio * s_2);

      assert_near (assay_epsilon_power (sizes[i], first, second, delta, epsilon, 0.05),
                   sample_normal_cdf (shift), 1.1e-3, "%g runs, %g", n, shift);
    }
}

/* Events that an (epsilon, delta) allows, of all sizes: none has more, some has about as much. */
Test (epsilon_power, no_event_has_more_than_the_most)
{
  static const double deltas[] = { 0, 1e-3 };
  static const guint64 sizes[] = { 50, 300, 3000 };

  for (gsize d = 0; d < G_N_ELEMENTS (deltas); d++)
    for (gsize n = 0; n < G_N_ELEMENTS (sizes); n++) {
      const double most = assay_epsilon_most_power (sizes[n], 1.5, deltas[d], 1, 0.05);
      double best = 0;

      for (guint i = 1; i < 200; i++) {
        const double second = pow (10, -4. * i / 200);
        const double first
            = MIN (MIN (exp (1.5) * second + deltas[d],
                        1 - exp (-1.5) * MAX (1 - second - deltas[d], 0)),
                   1);

        best = MAX (best,
                    assay_epsilon_power (sizes[n], first, second, deltas[d], 1, 0.05));
      }
      cr_assert_lt (best, most + 0.02, "%g of %g", best, most);
      cr_assert_gt (best, most - 0.02, "%g of %g", best, most);
    }
  cr_assert_lt (assay_epsilon_most_power (100, 1.5, 0, 1, 0.05), 0.5);
  cr_assert_gt (assay_epsilon_most_power (3000, 1.5, 0, 1, 0.05), 0.99);
}

/* Where neighbours are nearly alike the most is where both bounds of an event meet,
 * e^eps p = 1 - e^-eps (1 - p), and small: then every p is tried. */
Test (epsilon_power, the_most_is_where_both_bounds_meet)
{
  static const guint64 sizes[] = { 10, 400 };

  for (gsize n = 0; n < G_N_ELEMENTS (sizes); n++) {
    const double meet = 1 / (1 + exp (0.5));
    const double there = assay_epsilon_power (sizes[n], 1 - meet, meet, 0, 0.1, 0.05);
    const double most = assay_epsilon_most_power (sizes[n], 0.5, 0, 0.1, 0.05);

    cr_assert_geq (most, there - 0.02, "%g at p = %g, most %g", there, meet, most);
    cr_assert_lt (most, there + 0.1, "%g at p = %g, most %g", there, meet, most);
  }
}

/* The fewest right guesses that show it are found by trying all, and the tail is added up. */
Test (epsilon_power, power_of_one_run_is_the_sum_over_right_guesses)
{
  static const struct {
    guint64 guesses, canaries;
    double delta, right, epsilon;
  } cases[] = {
    { 1, 1, 0, 0.9, 0.5 },       { 5, 5, 0, 0.99, 0.1 },  { 40, 60, 0, 0.8, 0.5 },
    { 41, 60, 1e-4, 0.75, 0.3 }, { 90, 90, 0, 0.7, 0.5 }, { 200, 400, 1e-5, 0.6, 0.2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double n = (double) cases[i].guesses, q = cases[i].right;
    const AssayAudit audit = audit_one_run (0, cases[i].guesses, cases[i].canaries, cases[i].delta);
    double expected = 0;

    for (guint64 right = 0; right <= cases[i].guesses; right++)
      if (naive_one_run_p (right, cases[i].guesses, cases[i].canaries, cases[i].delta,
                           cases[i].epsilon)
          < 0.05)
        expected += exp (lgamma (n + 1) - lgamma ((double) right + 1)
                         - lgamma (n - (double) right + 1) + (double) right * log (q)
                         + (n - (double) right) * log1p (-q));
    assert_near (assay_epsilon_one_run_power (&audit, q, cases[i].epsilon, 0.05), expected, 1e-9,
                 "case %zu", i);
  }
}

Test (epsilon_power, power_is_quick_and_bounded)
{
  static const double chances[] = { 0, 1e-12, 1e-6, 4e-4, 0.2, 0.5, 1 };

  for (gsize i = 0; i < G_N_ELEMENTS (chances); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (chances); j++) {
      const clock_t start = clock ();
      const double power = assay_epsilon_power (1000000000, chances[i], chances[j], 0, 0.2, 0.05);
      const double ms = 1000 * (double) (clock () - start) / CLOCKS_PER_SEC;

      cr_assert (ms < 50, "%g, %g: %g ms", chances[i], chances[j], ms);
      if (chances[i] >= 1e-6 && chances[i] > 1.25 * chances[j])
        assert_near (power, 1, 1e-9, "%g, %g", chances[i], chances[j]);
      if (chances[i] <= chances[j])
        cr_assert (power >= 0 && power < 0.025, "%g, %g: %g", chances[i], chances[j], power);
    }
}

/* ---- How often a bound is wrong ---- */

/* Audits of an event at exactly e^eps, delta: more than 0.05 of them exceed eps with probability
 * 10^-6 at most if the share of them is beyond Chernoff's bound for 0.05; the exact share is the
 * power, from which that seen differs by at most 5 standard deviations. */
Test (epsilon_power, two_inputs_are_wrong_as_seldom_as_said)
{
  static const struct {
    double second, delta, epsilon;
  } cases[] = { { 0.2, 0, 1 }, { 0.02, 0, 3 }, { 0.1, 0.05, 1 }, { 0.01, 0.02, 0.5 } };
  AssayStream stream = stream_of ("coverage");
  const guint64 audits = 2000, runs = 400;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double first = cases[i].delta + exp (cases[i].epsilon) * cases[i].second;
    const double size = assay_epsilon_power (runs, first, cases[i].second, cases[i].delta,
                                             cases[i].epsilon, 0.05);
    double wrong = 0;

    for (guint64 t = 0; t < audits; t++) {
      const guint64 hits = draw_binomial (&stream, runs, first);
      const guint64 mistakes = draw_binomial (&stream, runs, cases[i].second);

      wrong += audit_lower (audit_two_inputs (hits, mistakes, runs, cases[i].delta), 0.05)
               > cases[i].epsilon;
    }
    cr_assert (wrong <= 0.05 * (double) audits + 5 * sqrt (0.05 * 0.95 * (double) audits));
    cr_assert (size > 1e-4 && size <= 0.05, "case %zu: %g", i, size);
    assert_near (wrong / (double) audits, size, 5 * sqrt (size * (1 - size) / (double) audits),
                 "case %zu", i);
  }
}

/* The power seen in audits that were played, where the first chance is above the claimed ratio. */
Test (epsilon_power, power_is_the_share_of_audits_that_show_it)
{
  AssayStream stream = stream_of ("power");
  const guint64 audits = 2000, runs = 300;
  const double power = assay_epsilon_power (runs, 0.44, 0.1, 0, 1, 0.05);
  double shown = 0;

  for (guint64 t = 0; t < audits; t++) {
    const guint64 hits = draw_binomial (&stream, runs, 0.44);

    shown
        += audit_p (audit_two_inputs (hits, draw_binomial (&stream, runs, 0.1), runs, 0), 1) < 0.05;
  }
  cr_assert (power > 0.2 && power < 0.8, "%g", power);
  assert_near (shown / (double) audits, power, 5 * sqrt (0.25 / (double) audits), "power");
}

/* Each guess is right with probability q; with delta, a canary's coin comes out by itself with
 * probability delta, and m delta = 0.2 of audits have one that did. The exact share is P[X >= v] at
 * the first v that is enough. */
Test (epsilon_power, one_run_is_wrong_as_seldom_as_said)
{
  static const double deltas[] = { 0, 0.2 / 500 };
  AssayStream stream = stream_of ("one run");
  const guint64 audits = 2000, guesses = 500;
  const double epsilon = 1.2, q = 1 / (1 + exp (-epsilon));

  for (gsize i = 0; i < G_N_ELEMENTS (deltas); i++) {
    const double chance = deltas[i] + (1 - deltas[i]) * q;
    guint64 enough = 0;
    double wrong = 0, size;

    for (guint64 t = 0; t < audits; t++) {
      const guint64 right = draw_binomial (&stream, guesses, chance);

      wrong += audit_lower (audit_one_run (right, guesses, guesses, deltas[i]), 0.05) > epsilon;
    }
    while (audit_p (audit_one_run (enough, guesses, guesses, deltas[i]), epsilon) >= 0.05)
      enough++;
    size = naive_binomial_at_least (enough, guesses, chance);
    cr_assert (size <= 0.05 && (deltas[i] > 0 || size > 0.03), "%g: %g", deltas[i], size);
    assert_near (wrong / (double) audits, size, 5 * sqrt (size * (1 - size) / (double) audits),
                 "delta %g", deltas[i]);
  }
}
