/* Lower bounds on epsilon: against tails added up, closed forms, hand calculation, and by how often
 * they are wrong. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <time.h>

#include "core/base/rng.h"
#include "core/stats/binomial.h"
#include "core/stats/epsilon.h"
#include "core/stats/interval.h"
#include "tests/reference/naive-epsilon.h"
#include "tests/reference/naive-interval.h"
#include "tests/unit/assert-near.h"

static AssayStream
stream_of (const char *role)
{
  return assay_stream (assay_stream_key (29, 0, role, "test-epsilon"), 0);
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
        const AssayAudit best = audit_two_inputs (sizes[i], 0, sizes[i], deltas[k]);
        const AssayAudit other = audit_two_inputs (sizes[i] / 2, sizes[i] / 3, sizes[i], deltas[k]);
        const double log_x = log (alphas[j] / 2) / (double) sizes[i];
        const double expected = log (fmax (exp (log_x) - deltas[k], 1e-300) / -expm1 (log_x));

        assert_near (audit_lower (best, alphas[j]), fmax (expected, 0),
                     1e-12 * (1 + fabs (expected)), "%" G_GUINT64_FORMAT " runs at %g, %g",
                     sizes[i], alphas[j], deltas[k]);
        cr_assert (assay_epsilon_ceiling (&other, alphas[j]) == audit_lower (best, alphas[j]));
      }
}

Test (epsilon, p_values_have_a_closed_form_down_to_1e_300)
{
  static const struct {
    guint64 runs;
    double epsilon;
  } cases[] = { { 1, 2 },   { 10, 1 },        { 76, 3 },         { 1000, 0.1 },
                { 995, 0 }, { 1000000, 7.3 }, { 1000000000, 21 } };
  const AssayAudit all = audit_two_inputs (1000000, 0, 1000000, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double epsilon = cases[i].epsilon;
    const double log_p = log (2) - (double) cases[i].runs * log1p (exp (-epsilon));
    const double p = audit_p (audit_two_inputs (cases[i].runs, 0, cases[i].runs, 0), epsilon);

    /* The logarithm of a probability near 1 has lost digits by the number of runs. */
    assert_near (log (p), fmin (log_p, 0), 1e-12 + 3e-16 * (double) cases[i].runs,
                 "%" G_GUINT64_FORMAT " runs at %g", cases[i].runs, epsilon);
    if (log_p > 0)
      cr_assert (p == 1);
  }
  cr_assert (audit_p (audit_two_inputs (995, 0, 995, 0), 0) < 1e-299);
  cr_assert (audit_p (all, 0) == DBL_MIN, "%g: below every double", audit_p (all, 0));
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
        const AssayAudit audit = audit_two_inputs (hits, mistakes, sizes[i], delta);
        const double expected = naive_epsilon_lower (hits, mistakes, sizes[i], delta, alpha);

        assert_near (audit_lower (audit, alpha), expected, 1e-10,
                     "%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " of %g at %g, %g", hits, mistakes,
                     n, alpha, delta);
        if (expected > 1e-6) {
          assert_near (log (audit_p (audit, expected)), log (alpha), 1e-8,
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
        = audit_two_inputs (cases[i].hits, cases[i].mistakes, cases[i].runs, cases[i].delta);
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
  assert_near (audit_p (audit_one_run (1000000000, 1000000000, 1000000000, 0), log (1e12 - 1)),
               none, 1e-12, "one run");
  /* No mistake, and hits that need U <= 10^-12 for a ratio of 10^6: t is about none. */
  cr_assert (audit_p (audit_two_inputs (1000, 0, 1000000000, 0), ratio) == 1);
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
    const AssayAudit audit = i % 4 < 2 ? audit_two_inputs (hits, mistakes, runs, delta)
                                       : audit_one_run (hits, runs, runs + mistakes, delta / 1e4);
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
      const AssayAudit audit = audit_two_inputs (x, 3, 60, deltas[d]);
      const double here = assay_epsilon_lower (&audit, 0.05);

      cr_assert (here >= audit_lower (audit_two_inputs (x - 1, 3, 60, deltas[d]), 0.05));
      cr_assert (here >= audit_lower (audit_two_inputs (x, 4, 60, deltas[d]), 0.05));
      cr_assert (here >= audit_lower (audit_two_inputs (x, 3, 60, deltas[d] + 0.001), 0.05));
      cr_assert (here >= assay_epsilon_lower (&audit, 0.04));
      cr_assert (here <= assay_epsilon_ceiling (&audit, 0.05));
      cr_assert (here <= assay_epsilon_estimate (&audit));
      cr_assert (audit_p (audit, 1) <= audit_p (audit, 1.1));
    }
}

/* Nothing where the second input has the event more often, where nothing was counted, and where
 * everything was. */
Test (epsilon, no_evidence_gives_0_and_a_p_value_of_1)
{
  const AssayAudit none[] = {
    audit_two_inputs (10, 400, 1000, 0),    audit_two_inputs (0, 0, 1000, 0),
    audit_two_inputs (1000, 1000, 1000, 0), audit_two_inputs (0, 0, 0, 0),
    audit_two_inputs (40, 0, 1000, 0.5),    audit_one_run (200, 500, 1000, 0),
    audit_one_run (0, 500, 1000, 1e-6),     audit_one_run (0, 0, 1000, 1e-6),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (none); i++) {
    cr_assert (assay_epsilon_lower (&none[i], 0.05) == 0, "case %zu", i);
    cr_assert (assay_epsilon_estimate (&none[i]) == 0, "case %zu", i);
    cr_assert (assay_epsilon_p_value (&none[i], 1) > 0.99, "case %zu", i);
    cr_assert (assay_epsilon_runs_needed (&none[i], 1, 0.05) == 0, "case %zu", i);
    if (none[i].kind == ASSAY_AUDIT_TWO_INPUTS)
      cr_assert (assay_epsilon_p_value (&none[i], 0) == 1, "case %zu", i);
  }
  cr_assert (audit_p (audit_two_inputs (999, 1, 1000, 0), 1e6) == 1);
  cr_assert (audit_p (audit_one_run (500, 500, 500, 0), 1e6) == 1);
}

Test (epsilon, estimates_are_ratios_of_shares)
{
  const AssayAudit plain = audit_two_inputs (300, 100, 1000, 0),
                   less = audit_two_inputs (300, 100, 1000, 0.1);
  const AssayAudit endless = audit_two_inputs (1, 0, 1000, 0),
                   canaries = audit_one_run (90, 100, 500, 1e-3);
  const AssayAudit all = audit_one_run (100, 100, 500, 0), once = audit_two_inputs (5, 1, 9, 0);

  assert_near (assay_epsilon_estimate (&once), log (5), 1e-15, "one mistake");
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
        const AssayAudit audit = audit_one_run (right, sizes[i], 2 * sizes[i], 0);
        const double q = assay_binomial_lower ((double) right, (double) sizes[i], alphas[k]);
        const double lower = assay_epsilon_lower (&audit, alphas[k]);
        const double best = exp (log (alphas[k]) / (double) sizes[i]);

        /* 1 - q has lost digits by the number of guesses. */
        assert_near (lower, fmax (log (q / (1 - q)), 0), 1e-15 * (double) sizes[i] + 1e-12,
                     "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " at %g", right, sizes[i],
                     alphas[k]);
        if (lower > 0)
          assert_near (log (audit_p (audit, lower)), log (alphas[k]), 1e-9,
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
        const AssayAudit audit = audit_one_run (right, sizes[i], 3 * sizes[i], deltas[k]);
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
  const AssayAudit few = audit_one_run (60000, 100000, 1000000, 1e-9);
  const AssayAudit many = audit_one_run (600000, 1000000, 1000000, 1e-8);
  const double expected = naive_one_run_p (60000, 100000, 1000000, 1e-9, 0.35);
  const double lower = assay_epsilon_lower (&few, expected);
  const clock_t start = clock ();
  double sum = 0;

  assert_near (audit_p (few, 0.35), expected, 1e-9 * expected, "p");
  assert_near (lower, 0.35, 1e-7, "eps_low");
  cr_assert (lower < audit_lower (audit_one_run (60000, 100000, 1000000, 0), expected));
  for (guint i = 0; i < 20; i++)
    sum += assay_epsilon_lower (&many, 0.05);
  cr_assert (clock () - start < CLOCKS_PER_SEC, "50 ms each");
  assert_near (audit_p (many, sum / 20), 0.05, 1e-8, "eps_low of a million");
}
