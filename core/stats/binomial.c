/* Clopper-Pearson bounds, by libRmath, which stays right where others do not (n = 10^9). */
#include "core/stats/binomial.h"

#include <math.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

/* At the ends Beta^-1 has a closed form, which stays right where the search for it does not (n >=
 * 10^6 with a <= 10^-129). */
double
assay_binomial_lower (double x, double n, double a)
{
  if (x >= n)
    return pow (a, 1 / n);
  return x <= 0 ? 0 : qbeta (a, x, n - x + 1, TRUE, FALSE);
}

double
assay_binomial_upper (double x, double n, double a)
{
  if (x <= 0)
    return -expm1 (log (a) / n);
  return x >= n ? 1 : qbeta (a, x + 1, n - x, FALSE, FALSE);
}
