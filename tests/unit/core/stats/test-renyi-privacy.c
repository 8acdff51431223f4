/* Divergences of the sampled Gaussian mechanism: against closed forms of its first orders and of
 * full batches, and an integral of their definition. */
#include "core/stats/renyi-privacy.h"

#include <criterion/criterion.h>
#include <math.h>

#include "tests/unit/assert-near.h"

static const AssaySampledGaussian cases[]
    = { { 0.01, 0.7, 1 }, { 0.2, 1, 1 }, { 0.5, 3, 1 }, { 0.9, 10, 1 }, { 0.001, 2, 1 } };

static double
divergence (double rate, double noise, guint order)
{
  const AssaySampledGaussian mechanism = { rate, noise, 1 };

  return assay_sampled_gaussian_divergence (&mechanism, order);
}

/* Order 2: ln (1 + q^2 (e^(1/z^2) - 1)); order 3 written out. */
Test (renyi_privacy, first_orders)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double q = cases[i].rate, p = 1 - q, e = exp (1 / (cases[i].noise * cases[i].noise));

    assert_near (divergence (q, cases[i].noise, 2), log1p (q * q * (e - 1)), 1e-12, "order 2");
    assert_near (divergence (q, cases[i].noise, 3),
                 log (p * p * p + 3 * p * p * q + 3 * p * q * q * e + q * q * q * e * e * e) / 2,
                 1e-12, "order 3");
  }
}

/* Of all records: that of two normal distributions a sensitivity apart. */
Test (renyi_privacy, full_batches)
{
  for (guint order = 2; order <= 256; order += 127)
    assert_near (divergence (1, 4, order), order / 32.0, 1e-14 * order, "order %u", order);
  /* The formula of the sum has the same limit. */
  assert_near (divergence (1 - 1e-12, 4, 64), 2, 1e-9, "nearly all");
}

/* E over N(0, z^2) of ((1 - q) + q exp ((2 x - 1) / (2 z^2)))^a, by the rule of midpoints. */
Test (renyi_privacy, is_the_integral)
{
  static const guint orders[] = { 2, 5, 17, 32, 256 };
  const double q = 0.05;

  for (gsize i = 0; i < G_N_ELEMENTS (orders); i++) {
    const guint a = orders[i];
    /* Of a high order the mass lies a deviation times the order away. */
    const double z = a > 32 ? 30 : 3, step = 1e-3 * z;
    double sum = 0;

    for (double x = -40 * z + step / 2; x < 40 * z; x += step)
      sum += exp (-x * x / (2 * z * z) + a * log1p (q * expm1 ((2 * x - 1) / (2 * z * z))));
    assert_near (divergence (q, z, a), log (sum * step / (z * sqrt (2 * G_PI))) / (a - 1), 1e-9,
                 "order %u", a);
  }
}

static double
least_of_full_batches (double rounds, double noise, double delta)
{
  double least = INFINITY;

  for (double a = 2; a <= 256; a++)
    least = fmin (least,
                  rounds * a / (2 * noise * noise) + log1p (-1 / a) - log (delta * a) / (a - 1));
  return least;
}

/* Where the best order is in between, the smallest, and the largest. */
Test (renyi_privacy, epsilon_of_full_batches)
{
  static const struct {
    gsize rounds;
    double noise;
  } kinds[] = { { 1, 4 }, { 100, 40 }, { 50, 1 }, { 1, 200 } };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const AssaySampledGaussian mechanism = { 1, kinds[i].noise, kinds[i].rounds };

    assert_near (assay_sampled_gaussian_epsilon (&mechanism, 1e-5),
                 least_of_full_batches (kinds[i].rounds, kinds[i].noise, 1e-5), 1e-12, "noise %g",
                 kinds[i].noise);
  }
}

/* Rounds add up, and a sample's epsilon is not that of all. */
Test (renyi_privacy, epsilon_of_samples)
{
  const double q = 0.01, z = 1.1, e = exp (1 / (z * z));
  const AssaySampledGaussian one = { q, z, 1000 }, all = { 1, z, 1000 };
  double least = INFINITY;

  for (guint a = 2; a <= 256; a++)
    least = fmin (least, 1000 * divergence (q, z, a) + log1p (-1.0 / a) - log (1e-5 * a) / (a - 1));
  assert_near (assay_sampled_gaussian_epsilon (&one, 1e-5), least, 1e-12, "least of all orders");
  cr_assert (least <= 1000 * log1p (q * q * (e - 1)) + log (0.5) - log (2e-5));
  cr_assert (least < assay_sampled_gaussian_epsilon (&all, 1e-5) / 100);
}

/* What hides nearly all has no epsilon below 0. */
Test (renyi_privacy, epsilon_is_not_negative)
{
  const AssaySampledGaussian mechanism = { 0.01, 1e5, 1 };

  cr_assert (assay_sampled_gaussian_epsilon (&mechanism, 0.9) == 0);
}

Test (renyi_privacy, noise_is_the_inverse)
{
  static const double epsilons[] = { 0.1, 1, 8, 50 };

  for (gsize i = 0; i < G_N_ELEMENTS (epsilons); i++) {
    AssaySampledGaussian mechanism = { 0.02, NAN, 500 };

    mechanism.noise = assay_sampled_gaussian_noise (&mechanism, epsilons[i], 1e-5);
    assert_near (assay_sampled_gaussian_epsilon (&mechanism, 1e-5) / epsilons[i], 1, 1e-9,
                 "epsilon %g", epsilons[i]);
  }
}
