/* What Gaussian noise gives: against the formula of Balle and Wang by the error function, a figure
 * of the literature, and its own inverse. */
#include "core/stats/gaussian-privacy.h"

#include <criterion/criterion.h>
#include <math.h>

#include "tests/unit/assert-near.h"

static double
normal (double x)
{
  return 0.5 * erfc (-x / sqrt (2));
}

static double
delta_of (double m, double epsilon)
{
  return normal (m / 2 - epsilon / m) - exp (epsilon) * normal (-m / 2 - epsilon / m);
}

static const double epsilons[] = { 0.01, 0.5, 1, 4, 10 };
static const double deltas[] = { 0.3, 1e-2, 1e-5, 1e-9 };

Test (gaussian_privacy, events_are_those_of_two_normals)
{
  static const double distances[] = { 0.1, 0.5, 1, 3, 7 };

  for (gsize i = 0; i < G_N_ELEMENTS (distances); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (epsilons); k++) {
      const double m = distances[i], epsilon = epsilons[k];
      double first, second;

      if (epsilon / m > 12) /* erfc has no number for it */
        continue;
      assay_gaussian_event_logs (m, epsilon, &first, &second);
      assert_near (exp (first) / normal (m / 2 - epsilon / m), 1, 1e-11, "m %g", m);
      assert_near (exp (second) / normal (-m / 2 - epsilon / m), 1, 1e-11, "m %g", m);
    }
}

/* Without an epsilon the event is the half on the first input's side, whatever m; inputs that are
 * equal are no division by zero. */
Test (gaussian_privacy, event_of_no_epsilon)
{
  double first, second;

  assay_gaussian_event_logs (2, 0, &first, &second);
  assert_near (exp (first), 0.8413447460685429, 1e-15, "Phi (1)");
  assert_near (exp (second), 0.15865525393145707, 1e-15, "Phi (-1)");
  assay_gaussian_event_logs (0, 0, &first, &second);
  assert_near (first, log (0.5), 1e-15, "Phi (0)");
  assert_near (second, log (0.5), 1e-15, "Phi (0)");
}

Test (gaussian_privacy, distance_has_its_delta)
{
  for (gsize i = 0; i < G_N_ELEMENTS (epsilons); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (deltas); k++) {
      const double m = assay_gaussian_distance (epsilons[i], deltas[k]);

      /* The difference of two probabilities of up to e^epsilon times its size. */
      assert_near (delta_of (m, epsilons[i]) / deltas[k], 1, 1e-8, "epsilon %g, delta %g",
                   epsilons[i], deltas[k]);
    }
}

/* Over everything that a double can ask, by the logarithms of the two events. */
Test (gaussian_privacy, distance_has_its_delta_far_out)
{
  static const double far_epsilons[] = { 1e-6, 0.1, 2, 30, 600 };
  static const double far_deltas[] = { 0.99999, 0.9, 0.5, 1e-3, 1e-50, 1e-300 };

  for (gsize i = 0; i < G_N_ELEMENTS (far_epsilons); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (far_deltas); k++) {
      const double m = assay_gaussian_distance (far_epsilons[i], far_deltas[k]);
      double first, second;

      assay_gaussian_event_logs (m, far_epsilons[i], &first, &second);
      assert_near (first + log (-expm1 (far_epsilons[i] + second - first)), log (far_deltas[k]),
                   1e-6 * (1 - log (far_deltas[k])), "epsilon %g, delta %g", far_epsilons[i],
                   far_deltas[k]);
    }
}

/* The analytic Gaussian mechanism at epsilon 1 and delta 1e-5 has deviation 3.7306 times the
 * sensitivity, where the classical formula has 4.8448. */
Test (gaussian_privacy, analytic_gaussian_mechanism)
{
  assert_near (1 / assay_gaussian_distance (1, 1e-5), 3.730631634815, 1e-8, "deviation");
}

Test (gaussian_privacy, epsilon_is_the_inverse)
{
  for (gsize i = 0; i < G_N_ELEMENTS (epsilons); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (deltas); k++) {
      const double m = assay_gaussian_distance (epsilons[i], deltas[k]);

      assert_near (assay_gaussian_epsilon (m, deltas[k]), epsilons[i], 1e-7 * (1 + epsilons[i]),
                   "epsilon %g, delta %g", epsilons[i], deltas[k]);
    }
  /* Far apart: beyond the first bracket of the search, many times doubled. */
  assert_near (delta_of (30, assay_gaussian_epsilon (30, 1e-5)) / 1e-5, 1, 1e-6, "m 30");
}

/* At epsilon 0 delta is 2 Phi (m / 2) - 1, the distance in variation: what is allowed more than
 * that leaves no epsilon. */
Test (gaussian_privacy, no_epsilon_below_the_distance_in_variation)
{
  const double variation = 2 * normal (0.5) - 1;

  cr_assert (assay_gaussian_epsilon (1, variation * 1.0001) == 0);
  cr_assert (assay_gaussian_epsilon (1, variation * 0.9999) > 0);
  cr_assert (assay_gaussian_epsilon (1, variation * 0.9999) < 1e-3);
  cr_assert (assay_gaussian_epsilon (0, 1e-5) == 0);
  cr_assert (assay_gaussian_epsilon (-1, 1e-5) == 0);
  cr_assert (assay_gaussian_epsilon (NAN, 1e-5) == 0);
}
