/* One Gaussian under many Laplace noises. With r sorted, s the scale and d the deviation,
 *   p (r) = (2 s)^-n  integral phi (b / d) / d  exp (- sum_t |r_t - b| / s) db,
 * and between two of the r, where k of them are below b,
 *   sum_t |r_t - b| = (2 k - n) b - A_k + B_k,   A_k the sum of those below, B_k of the others:
 * a Gaussian of mean m_k = -d^2 (2 k - n) / s and height exp (m_k^2 / (2 d^2) + (A_k - B_k) / s),
 * of which the interval has its share. */
#include "defenses/mechanisms/repeated-noise.h"
#include "core/base/vectors.h"

#include <math.h>
#include <stdlib.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

/* ln (e^a - e^b), a >= b. */
static double
log_difference (double a, double b)
{
  return b < a ? a + log1p (-exp (b - a)) : -INFINITY;
}

/* ln P (@from < x < @to) of a standard normal x, to full precision in both tails. */
static double
log_share (double from, double to)
{
  return from > 0 ? log_difference (pnorm (from, 0, 1, FALSE, TRUE), pnorm (to, 0, 1, FALSE, TRUE))
                  : log_difference (pnorm (to, 0, 1, TRUE, TRUE), pnorm (from, 0, 1, TRUE, TRUE));
}

static double
log_sum (double a, double b)
{
  const double most = MAX (a, b);

  return isinf (most) ? most : most + log1p (exp (MIN (a, b) - most));
}

double
repeated_noise_log_density (const RepeatedNoise *noise, double *inout_numbers, gsize n)
{
  const double s = noise->scale, d = noise->deviation;
  double below = 0, above = 0, sum = -INFINITY;

  for (gsize t = 0; t < n; t++)
    above += d > 0 ? inout_numbers[t] : fabs (inout_numbers[t]);
  if (d <= 0)
    return -(double) n * log (2 * s) - above / s;
  qsort (inout_numbers, n, sizeof *inout_numbers, assay_compare_doubles);
  for (gsize k = 0; k <= n; k++) {
    const double mean = -d * d * (2 * (double) k - (double) n) / s;
    const double from = k > 0 ? inout_numbers[k - 1] : -INFINITY;
    const double to = k < n ? inout_numbers[k] : INFINITY;

    if (to > from)
      sum = log_sum (sum, mean * mean / (2 * d * d) + (below - above) / s
                              + log_share ((from - mean) / d, (to - mean) / d));
    if (k < n) {
      below += inout_numbers[k];
      above -= inout_numbers[k];
    }
  }
  return sum - (double) n * log (2 * s);
}
