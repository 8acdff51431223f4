/* What Gaussian noise gives: by bisection, in logarithms. */
#include "core/stats/gaussian-privacy.h"

#include <math.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#include "core/base/each.h"

void
assay_gaussian_event_logs (double m, double epsilon, double *ret_first, double *ret_second)
{
  const double shift = epsilon > 0 ? epsilon / m : 0;

  *ret_first = pnorm (m / 2 - shift, 0, 1, TRUE, TRUE);
  *ret_second = pnorm (-m / 2 - shift, 0, 1, TRUE, TRUE);
}

static double
log_delta (double m, double epsilon)
{
  double first, second;

  assay_gaussian_event_logs (m, epsilon, &first, &second);
  return first + log (-expm1 (MIN (0, epsilon + second - first)));
}

/* Newton's step in ln m and ln delta, or bisection where that
 * leaves the bracket. It begins where Phi (a) would be about @delta. Each panel of a distinguishing
 * game comes here twice, so what the last step gives is not checked: a step squares the error. */
double
assay_gaussian_distance (double epsilon, double delta)
{
  const double wanted = log (delta), tail = sqrt (2 * log (1.25 / delta));
  double low = 0, high = INFINITY, m = sqrt (tail * tail + 2 * epsilon) - tail;

  for (guint i = 0; i < 200 && high - low > 4 * DBL_EPSILON * m; i++) {
    const double value = log_delta (m, epsilon), excess = value - wanted;
    const double slope = m * exp (dnorm (m / 2 - epsilon / m, 0, 1, TRUE) - value);
    const double next = m * exp (-excess / slope);

    if (fabs (next - m) <= 1e-9 * m)
      return next;
    if (excess > 0)
      high = m;
    else
      low = m;
    m = next > low && next < high ? next : isinf (high) ? 2 * m : (low + high) / 2;
  }
  return m;
}

double
assay_gaussian_epsilon (double m, double delta)
{
  double low = 0, high = 1;

  if (!(m > 0) || log_delta (m, 0) <= log (delta))
    return 0;
  while (log_delta (m, high) > log (delta))
    high *= 2;
  ASSAY_BISECT_REAL (100, epsilon, low, high, log_delta (m, epsilon) > log (delta))
  return high;
}
