/* What an audit of Gaussian noise can certify.
 *
 * The threshold is the one that the audit's own rule would choose (attacks/mechanisms/event-cut.h),
 * written down again: the largest bound that the Clopper-Pearson limits of its training runs
 * promise. The best threshold in hindsight lies further out at a small delta, where 100,000
 * training runs leave a handful of counts: an audit that is held against it is blamed for not
 * knowing what it has not seen. */
#include "tests/statistics/gaussian-reference.h"

#include <math.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "core/stats/epsilon.h"

#define QUANTILES 25

GaussianCertified
gaussian_certified (const double *certified, gsize n)
{
  GaussianCertified all = { .least = G_MAXDOUBLE };
  double squares = 0;

  for (gsize i = 0; i < n; i++) {
    all.mean += certified[i] / (double) n;
    all.least = MIN (all.least, certified[i]);
    all.most = MAX (all.most, certified[i]);
  }
  for (gsize i = 0; i < n; i++)
    squares += (certified[i] - all.mean) * (certified[i] - all.mean);
  all.deviation = sqrt (squares / (double) (n - 1));
  return all;
}

double
gaussian_sigma (double epsilon, double delta)
{
  double low = 1e-3, high = 1e3;

  for (guint i = 0; i < 200; i++) {
    const double s = sqrt (low * high);
    const double there = 0.5 * erfc (-(0.5 / s - epsilon * s) / sqrt (2))
                         - exp (epsilon) * 0.5 * erfc ((0.5 / s + epsilon * s) / sqrt (2));

    *(there > delta ? &low : &high) = s;
  }
  return sqrt (low * high);
}

typedef struct {
  double first, second; /* how likely an event is on either input */
} Chances;

static double
lower_of_counts (double hits, double mistakes, const GaussianSizes *sizes)
{
  const AssayAudit counted = { .delta = sizes->delta,
                               .runs = sizes->runs,
                               .hits = (guint64) round (hits),
                               .mistakes = (guint64) round (mistakes) };

  return assay_epsilon_lower (&counted, sizes->level);
}

/* Clopper and Pearson's limits at level / 2 of as many of the training runs as are expected. */
static double
promised (Chances chances, const GaussianSizes *sizes)
{
  const double n = (double) sizes->training, runs = (double) sizes->runs;
  const double x = chances.first * n, y = chances.second * n;
  const double p = x > 0 ? qbeta (sizes->level / 2, x, n - x + 1, TRUE, FALSE) : 0;
  const double q = y < n ? qbeta (1 - sizes->level / 2, y + 1, n - y, TRUE, FALSE) : 1;

  return lower_of_counts (p * runs, ceil (q * runs), sizes);
}

static Chances
most_promising (double sensitivity, double sigma, const GaussianSizes *sizes)
{
  Chances best = { 0 };
  double most = 0;

  for (double t = -6; t <= 10; t += 0.001) {
    const Chances chances
        = { 0.5 * erfc (t / sigma / sqrt (2)), 0.5 * erfc ((t + sensitivity) / sigma / sqrt (2)) };
    const double lower = promised (chances, sizes);

    if (lower > most) {
      most = lower;
      best = chances;
    }
  }
  return best;
}

/* Over the middles of QUANTILES equally likely parts of either count. Far in a tail that is a wide
 * spread, which no choice of an event takes away. */
GaussianCertified
gaussian_reference (double sensitivity, double sigma, const GaussianSizes *sizes)
{
  const Chances chances = most_promising (sensitivity, sigma, sizes);
  const double runs = (double) sizes->runs;
  double certified[QUANTILES * QUANTILES];

  for (guint i = 0; i < QUANTILES; i++)
    for (guint j = 0; j < QUANTILES; j++)
      certified[QUANTILES * i + j] = lower_of_counts (
          qbinom ((i + 0.5) / QUANTILES, runs, chances.first, TRUE, FALSE),
          qbinom ((j + 0.5) / QUANTILES, runs, chances.second, TRUE, FALSE), sizes);
  return gaussian_certified (certified, G_N_ELEMENTS (certified));
}
