/* Lower bounds on epsilon: against tails added up, closed forms, hand calculation, and by how often
 * they are wrong. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <time.h>

#include "core/base/rng.h"
#include "core/stats/epsilon.h"
#include "core/stats/interval.h"
#include "tests/reference/naive-epsilon.h"
#include "tests/reference/naive-interval.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"

static AssayStream
stream_of (const char *role)
{
  return assay_stream (assay_stream_key (29, 0, role, "test-epsilon"), 0);
}

static AssayAudit
two_inputs (guint64 hits, guint64 mistakes, guint64 runs, double delta)
{
  return (AssayAudit){ ASSAY_AUDIT_TWO_INPUTS, delta, runs, hits, mistakes };
}

static AssayAudit
one_run (guint64 right, guint64 guesses, guint64 canaries, double delta)
{
  return (AssayAudit){ ASSAY_AUDIT_ONE_RUN, delta, guesses, right, canaries };
}

static double
lower_of (AssayAudit audit, double alpha)
{
  return assay_epsilon_lower (&audit, alpha);
}

static double
p_of (AssayAudit audit, double epsilon)
{
  return assay_epsilon_p_value (&audit, epsilon);
}

static guint64
draw_binomial (AssayStream *stream, guint64 n, double p)
{
  guint64 x = 0;

  for (guint64 i = 0; i < n; i++)
    x += assay_stream_uniform (stream) < p;
  return x;
}

/* ---- Two inputs ---- */

/* L (N, N, a) = a^(1/N) =: x and U (0, N, a) = 1 - x. So eps_low > eps where x > q = 1 / (1 +
 * e^-eps) or, with x^N = a / 2, where a > 2 q^N. */
Test (epsilon, all_hits_and_no_mistakes_have_a_closed_form)
{
  static const guint64 sizes[] = { 1, 2, 10, 1000, 1000000, 1000000000 };
  static const double alphas[] = { 0.5, 0.05, 1e-6, 1e-12 };
  static const double deltas[] = { 0, 1e-5, 0.3 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (alphas); j++)
      for (gsize k = 0; k < G_N_ELEMENTS (deltas); k++) {
        const AssayAudit best = two_inputs (sizes[i], 0, sizes[i], deltas[k]);
        const AssayAudit other = two_inputs (sizes[i] / 2, sizes[i] / 3, sizes[i], deltas[k]);
        const double log_x = log (alphas[j] / 2) / (double) sizes[i];
        const double expected = log (fmax (exp (log_x) - deltas[k], 1e-300) / -expm1 (log_x));

        assert_near (lower_of (best, alphas[j]), fmax (expected, 0), 1e-12 * (1 + fabs (expected)),
                     "%" G_GUINT64_FORMAT " runs at %g, %g", sizes[i], alphas[j], deltas[k]);
        cr_assert (assay_epsilon_ceiling (&other, alphas[j]) == lower_of (best, alphas[j]));
      }
}

Test (epsilon, p_values_have_a_closed_form_down_to_1e_300)
{
  static const struct {
    guint64 runs;
    double epsilon;
  } cases[] = { { 1, 2 },   { 10, 1 },        { 76, 3 },         { 1000, 0.1 },
                { 995, 0 }, { 1000000, 7.3 }, { 1000000000, 21 } };
  const AssayAudit all = two_inputs (1000000, 0, 1000000, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double epsilon = cases[i].epsilon;
    const double log_p = log (2) - (double) cases[i].runs * log1p (exp (-epsilon));
    const double p = p_of (two_inputs (cases[i].runs, 0, cases[i].runs, 0), epsilon);

    /* The logarithm of a probability near 1 has lost digits by the number of runs. */
    assert_near (log (p), fmin (log_p, 0), 1e-12 + 3e-16 * (double) cases[i].runs,
                 "%" G_GUINT64_FORMAT " runs at %g", cases[i].runs, epsilon);
    if (log_p > 0)
      cr_assert (p == 1);
  }
  cr_assert (p_of (two_inputs (995, 0, 995, 0), 0) < 1e-299);
  cr_assert (p_of (all, 0) == DBL_MIN, "%g: below every double", p_of (all, 0));
}

/* To rounding; and the p-value of the reference's bound is its level again. */
Test (epsilon, bounds_and_p_values_are_those_of_tails_added_up)
{
  static const guint64 sizes[] = { 1, 3, 20, 300, 5000 };
  static const double shares[] = { 0, 0.001, 0.05, 0.3, 0.5, 0.9, 0.999, 1 };
  static const double alphas[] = { 0.2, 0.05, 1e-4, 1e-30, 1e-120 };
  static const double deltas[] = { 0, 1e-6, 0.02 };
  gsize n_above = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (shares) * G_N_ELEMENTS (shares); j++)
      for (gsize k = 0; k < G_N_ELEMENTS (alphas); k++) {
        const double n = (double) sizes[i], alpha = alphas[k], delta = deltas[(i + j + k) % 3];
        const guint64 hits = (guint64) round (shares[j / G_N_ELEMENTS (shares)] * n);
        const guint64 mistakes = (guint64) round (shares[j % G_N_ELEMENTS (shares)] * n);
        const AssayAudit audit = two_inputs (hits, mistakes, sizes[i], delta);
        const double expected = naive_epsilon_lower (hits, mistakes, sizes[i], delta, alpha);

        assert_near (lower_of (audit, alpha), expected, 1e-10,
                     "%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " of %g at %g, %g", hits, mistakes,
                     n, alpha, delta);
        if (expected > 1e-6) {
          assert_near (log (p_of (audit, expected)), log (alpha), 1e-8,
                       "%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " of %g at %g, %g: p", hits,
                       mistakes, n, alpha, delta);
          n_above++;
        }
      }
  cr_assert (n_above > 200, "%zu", n_above);
}

/* Tails added up are right to 2e-8 at 10^9 runs (tests/unit/test-bound-test.c), bounds to that over
 * the slope of their tails' logarithm, which is above 1. */
Test (epsilon, bounds_of_many_runs_are_those_of_tails_added_up)
{
  static const struct {
    guint64 hits, mistakes, runs;
    double delta, alpha;
  } cases[] = {
    { 500000, 180000, 1000000, 0, 0.05 },   { 731000, 269000, 1000000, 1e-5, 1e-9 },
    { 12, 0, 1000000000, 0, 0.05 },         { 1000, 10, 1000000000, 1e-7, 1e-20 },
    { 999999990, 10, 1000000000, 0, 1e-3 }, { 400000, 900, 1000000000, 0, 0.05 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const AssayAudit audit
        = two_inputs (cases[i].hits, cases[i].mistakes, cases[i].runs, cases[i].delta);
    const double expected = naive_epsilon_lower (cases[i].hits, cases[i].mistakes, cases[i].runs,
                                                 cases[i].delta, cases[i].alpha);

    cr_assert (expected > 0.5, "case %zu", i);
    assert_near (assay_epsilon_lower (&audit, cases[i].alpha), expected, 4e-8, "case %zu", i);
    /* Its logarithm moves by the root of the runs for each of the bound's. */
    assert_near (log (assay_epsilon_p_value (&audit, expected)), log (cases[i].alpha), 1e-4,
                 "case %zu: p", i);
  }
}

/* P[X >= 3] of Binomial (10^9, 10^-12) is 1e-9 / 6 (1 - 3e-3 / 4 + 3e-6 / 10) to a relative error
 * of 3e-9, from n (n - 1) (n - 2) and the next term of the Poisson tail. */
Test (epsilon, tails_are_right_at_10_9_runs_and_10_to_the_minus_12)
{
  const double three = 1e-9 / 6 * (1 - 3e-3 / 4 + 3e-6 / 10);
  const double none = exp (1e9 * log1p (-1e-12));
  const double ratio = log (1e6); /* a millionth second chance */

  assert_near (naive_binomial_at_least (3, 1000000000, 1e-12), three, 1e-8 * three, "three");
  assert_near (assay_binomial_lower (3, 1e9, three), 1e-12, 1e-20, "L");
  assert_near (assay_binomial_upper (0, 1e9, none), 1e-12, 1e-20, "U");
  /* One run: no wrong guess of 10^9 where each is wrong with probability 10^-12. */
  assert_near (p_of (one_run (1000000000, 1000000000, 1000000000, 0), log (1e12 - 1)), none, 1e-12,
               "one run");
  /* No mistake, and hits that need U <= 10^-12 for a ratio of 10^6: t is about none. */
  cr_assert (p_of (two_inputs (1000, 0, 1000000000, 0), ratio) == 1);
  /* At level 0.05 a bar of U (0) = 3.69e-9 asks for 9 hits: P[Poisson (3.69) >= 9] = 0.0152. Their
   * probability at 10^-12 is that of 9 in 10^-3 expected, 10^-27 / 9! (1 - 9e-3 / 10). */
  assert_near (assay_epsilon_power (1000000000, 1e-12, 1e-15, 0, 0, 0.05) / 2.7533e-33, 1, 1e-3,
               "power");
}

Test (epsilon, lower_bounds_and_p_values_agree)
{
  static const double alphas[] = { 0.5, 0.05, 1e-3, 1e-9 };
  AssayStream stream = stream_of ("agree");
  gsize n_above = 0;

  for (guint i = 0; i < 4000; i++) {
    const guint64 runs = 1 + assay_stream_below (&stream, i % 2 == 0 ? 50 : 1000000);
    const double delta = i % 3 == 0 ? 0 : 0.1 * pow (assay_stream_uniform (&stream), 8);
    const double share = assay_stream_uniform (&stream);
    const guint64 hits = (guint64) (share * (double) runs);
    const guint64 mistakes = assay_stream_below (&stream, runs - hits + 1);
    const AssayAudit audit = i % 4 < 2 ? two_inputs (hits, mistakes, runs, delta)
                                       : one_run (hits, runs, runs + mistakes, delta / 1e4);
    const double alpha = alphas[i % G_N_ELEMENTS (alphas)];
    const double lower = assay_epsilon_lower (&audit, alpha);

    cr_assert (assay_epsilon_p_value (&audit, lower + 1e-8) >= alpha, "%u", i);
    if (lower > 1e-7)
      cr_assert (assay_epsilon_p_value (&audit, lower - 1e-8) < alpha, "%u", i);
    else
      cr_assert (assay_epsilon_p_value (&audit, 0) >= alpha * (1 - 1e-5), "%u", i);
    n_above += lower > 0;
  }
  cr_assert (n_above > 1000, "%zu", n_above);
}

Test (epsilon, more_evidence_never_lowers_the_bound)
{
  static const double deltas[] = { 0, 0.001, 0.05 };

  for (gsize d = 0; d < G_N_ELEMENTS (deltas); d++)
    for (guint64 x = 1; x <= 60; x++) {
      const AssayAudit audit = two_inputs (x, 3, 60, deltas[d]);
      const double here = assay_epsilon_lower (&audit, 0.05);

      cr_assert (here >= lower_of (two_inputs (x - 1, 3, 60, deltas[d]), 0.05));
      cr_assert (here >= lower_of (two_inputs (x, 4, 60, deltas[d]), 0.05));
      cr_assert (here >= lower_of (two_inputs (x, 3, 60, deltas[d] + 0.001), 0.05));
      cr_assert (here >= assay_epsilon_lower (&audit, 0.04));
      cr_assert (here <= assay_epsilon_ceiling (&audit, 0.05));
      cr_assert (here <= assay_epsilon_estimate (&audit));
      cr_assert (p_of (audit, 1) <= p_of (audit, 1.1));
    }
}

/* Nothing where the second input has the event more often, where nothing was counted, and where
 * everything was. */
Test (epsilon, no_evidence_gives_0_and_a_p_value_of_1)
{
  const AssayAudit none[] = {
    two_inputs (10, 400, 1000, 0), two_inputs (0, 0, 1000, 0),    two_inputs (1000, 1000, 1000, 0),
    two_inputs (0, 0, 0, 0),       two_inputs (40, 0, 1000, 0.5), one_run (200, 500, 1000, 0),
    one_run (0, 500, 1000, 1e-6),  one_run (0, 0, 1000, 1e-6),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (none); i++) {
    cr_assert (assay_epsilon_lower (&none[i], 0.05) == 0, "case %zu", i);
    cr_assert (assay_epsilon_estimate (&none[i]) == 0, "case %zu", i);
    cr_assert (assay_epsilon_p_value (&none[i], 1) > 0.99, "case %zu", i);
    cr_assert (assay_epsilon_runs_needed (&none[i], 1, 0.05) == 0, "case %zu", i);
    if (none[i].kind == ASSAY_AUDIT_TWO_INPUTS)
      cr_assert (assay_epsilon_p_value (&none[i], 0) == 1, "case %zu", i);
  }
  cr_assert (p_of (two_inputs (999, 1, 1000, 0), 1e6) == 1);
  cr_assert (p_of (one_run (500, 500, 500, 0), 1e6) == 1);
}

Test (epsilon, estimates_are_ratios_of_shares)
{
  const AssayAudit plain = two_inputs (300, 100, 1000, 0), less = two_inputs (300, 100, 1000, 0.1);
  const AssayAudit endless = two_inputs (1, 0, 1000, 0), canaries = one_run (90, 100, 500, 1e-3);
  const AssayAudit all = one_run (100, 100, 500, 0);

  assert_near (assay_epsilon_estimate (&plain), log (3), 1e-15, "plain");
  assert_near (assay_epsilon_estimate (&less), log (2), 1e-15, "delta");
  assert_near (assay_epsilon_estimate (&canaries), log (9), 1e-15, "one run");
  cr_assert (assay_epsilon_estimate (&endless) == G_MAXDOUBLE);
  cr_assert (assay_epsilon_estimate (&all) == G_MAXDOUBLE);
}

/* ---- One run ---- */

/* Without delta P[X >= v] < alpha means q < L (v, r, alpha), and v = r gives q^r. */
Test (epsilon, one_run_without_delta_is_clopper_pearson)
{
  static const guint64 sizes[] = { 1, 10, 500, 1000000 };
  static const double alphas[] = { 0.3, 0.05, 1e-8 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint64 part = 0; part <= 10; part++)
      for (gsize k = 0; k < G_N_ELEMENTS (alphas); k++) {
        const guint64 right = sizes[i] * part / 10;
        const AssayAudit audit = one_run (right, sizes[i], 2 * sizes[i], 0);
        const double q = assay_binomial_lower ((double) right, (double) sizes[i], alphas[k]);
        const double lower = assay_epsilon_lower (&audit, alphas[k]);
        const double best = exp (log (alphas[k]) / (double) sizes[i]);

        /* 1 - q has lost digits by the number of guesses. */
        assert_near (lower, fmax (log (q / (1 - q)), 0), 1e-15 * (double) sizes[i] + 1e-12,
                     "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " at %g", right, sizes[i],
                     alphas[k]);
        if (lower > 0)
          assert_near (log (p_of (audit, lower)), log (alphas[k]), 1e-9,
                       "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ": p", right, sizes[i]);
        assert_near (assay_epsilon_ceiling (&audit, alphas[k]), fmax (log (best / (1 - best)), 0),
                     1e-15 * (double) sizes[i] + 1e-12, "%" G_GUINT64_FORMAT " at %g: ceiling",
                     sizes[i], alphas[k]);
      }
}

/* To rounding; and it rises, also where the second term falls. */
Test (epsilon, one_run_p_is_that_of_every_window)
{
  static const guint64 sizes[] = { 1, 2, 9, 100, 2000 };
  static const double shares[] = { 0.1, 0.5, 0.52, 0.6, 0.75, 0.9, 0.99, 1 };
  static const double deltas[] = { 0, 1e-9, 1e-5, 1e-3, 0.1 };
  gsize n_below = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (shares); j++)
      for (gsize k = 0; k < G_N_ELEMENTS (deltas); k++) {
        const guint64 right = (guint64) ceil (shares[j] * (double) sizes[i]);
        const AssayAudit audit = one_run (right, sizes[i], 3 * sizes[i], deltas[k]);
        double before = 0;

        for (double epsilon = 0; epsilon <= 6; epsilon += 0.2) {
          const double p
              = fmax (naive_one_run_p (right, sizes[i], 3 * sizes[i], deltas[k], epsilon), DBL_MIN);

          assert_near (assay_epsilon_p_value (&audit, epsilon), p, 1e-10 * p,
                       "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " at %g, %g", right, sizes[i],
                       epsilon, deltas[k]);
          cr_assert (p >= before * (1 - 1e-12), "it fell");
          before = p;
          n_below += p < 0.05;
        }
      }
  cr_assert (n_below > 200, "%zu", n_below);
}

/* A million canaries: against every window once, and quickly. */
Test (epsilon, one_run_of_many_canaries)
{
  const AssayAudit few = one_run (60000, 100000, 1000000, 1e-9);
  const AssayAudit many = one_run (600000, 1000000, 1000000, 1e-8);
  const double expected = naive_one_run_p (60000, 100000, 1000000, 1e-9, 0.35);
  const double lower = assay_epsilon_lower (&few, expected);
  const clock_t start = clock ();
  double sum = 0;

  assert_near (p_of (few, 0.35), expected, 1e-9 * expected, "p");
  assert_near (lower, 0.35, 1e-7, "eps_low");
  cr_assert (lower < lower_of (one_run (60000, 100000, 1000000, 0), expected));
  for (guint i = 0; i < 20; i++)
    sum += assay_epsilon_lower (&many, 0.05);
  cr_assert (clock () - start < CLOCKS_PER_SEC, "50 ms each");
  assert_near (p_of (many, sum / 20), 0.05, 1e-8, "eps_low of a million");
}

/* ---- How many runs ---- */

/* All hits, no mistakes: 2 q^n < alpha, one run q^n < alpha. */
Test (epsilon, runs_needed_have_a_closed_form)
{
  static const double epsilons[] = { 0.1, 1, 3, 8, 15 };

  for (gsize i = 0; i < G_N_ELEMENTS (epsilons); i++) {
    const AssayAudit two = two_inputs (20, 0, 20, 0), one = one_run (20, 20, 40, 0);
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
Test (epsilon, runs_needed_are_about_the_first_that_show_it)
{
  const struct {
    AssayAudit audit;
    double epsilon;
  } cases[] = {
    { two_inputs (300, 100, 1000, 0), 1 },        { two_inputs (300, 100, 1000, 0.01), 1 },
    { two_inputs (5, 1, 1000000, 0), 1.5 },       { two_inputs (272, 100, 1000, 0), 1 },
    { two_inputs (272, 100, 1000000, 0), 1 },     { one_run (740, 1000, 1000, 0), 1 },
    { one_run (800, 1000, 5000, 1e-6), 1.2 },     { one_run (7320, 10000, 10000, 0), 1 },
    { two_inputs (1000, 1, 1000000000, 0), 6.8 },
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
Test (epsilon, no_number_of_runs_shows_what_is_not_there)
{
  const AssayAudit at = two_inputs (300, 100, 1000, 0);
  const AssayAudit close = two_inputs (300000003, 100000000, 1000000000, 0);
  const AssayAudit half = one_run (750, 1000, 1000, 0), less = two_inputs (300, 100, 1000, 0.01);
  const AssayAudit spread = one_run (9, 10, 1000000, 1e-5); /* 2 m delta of 20 for 10 guesses */

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
Test (epsilon, power_is_the_sum_over_all_counts)
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
Test (epsilon, power_of_many_runs_is_the_normal_one)
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

Test (epsilon, power_is_quick_and_bounded)
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
Test (epsilon, two_inputs_are_wrong_as_seldom_as_said)
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

      wrong
          += lower_of (two_inputs (hits, mistakes, runs, cases[i].delta), 0.05) > cases[i].epsilon;
    }
    cr_assert (wrong <= 0.05 * (double) audits + 5 * sqrt (0.05 * 0.95 * (double) audits));
    cr_assert (size > 1e-4 && size <= 0.05, "case %zu: %g", i, size);
    assert_near (wrong / (double) audits, size, 5 * sqrt (size * (1 - size) / (double) audits),
                 "case %zu", i);
  }
}

/* The power seen in audits that were played, where the first chance is above the claimed ratio. */
Test (epsilon, power_is_the_share_of_audits_that_show_it)
{
  AssayStream stream = stream_of ("power");
  const guint64 audits = 2000, runs = 300;
  const double power = assay_epsilon_power (runs, 0.44, 0.1, 0, 1, 0.05);
  double shown = 0;

  for (guint64 t = 0; t < audits; t++) {
    const guint64 hits = draw_binomial (&stream, runs, 0.44);

    shown += p_of (two_inputs (hits, draw_binomial (&stream, runs, 0.1), runs, 0), 1) < 0.05;
  }
  cr_assert (power > 0.2 && power < 0.8, "%g", power);
  assert_near (shown / (double) audits, power, 5 * sqrt (0.25 / (double) audits), "power");
}

/* Each guess is right with probability q; with delta, a canary's coin comes out by itself with
 * probability delta, and m delta = 0.2 of audits have one that did. The exact share is P[X >= v] at
 * the first v that is enough. */
Test (epsilon, one_run_is_wrong_as_seldom_as_said)
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

      wrong += lower_of (one_run (right, guesses, guesses, deltas[i]), 0.05) > epsilon;
    }
    while (p_of (one_run (enough, guesses, guesses, deltas[i]), epsilon) >= 0.05)
      enough++;
    size = naive_binomial_at_least (enough, guesses, chance);
    cr_assert (size <= 0.05 && (deltas[i] > 0 || size > 0.03), "%g: %g", deltas[i], size);
    assert_near (wrong / (double) audits, size, 5 * sqrt (size * (1 - size) / (double) audits),
                 "delta %g", deltas[i]);
  }
}
