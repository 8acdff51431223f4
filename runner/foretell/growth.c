/* What something takes at its full size, by what it took at smaller ones. */
#include "runner/foretell/growth.h"

#include <math.h>

/* Below, the clock and what happens beside it decide how steep a curve looks. */
#define LEAST_SECONDS 0.2

static double
power_between (const AssayPlayed *before, const AssayPlayed *last)
{
  return log (last->seconds / before->seconds) / log (last->share / before->share);
}

double
assay_growth_foretell (const AssayPlayed *played, guint n, double share, double steepest)
{
  const AssayPlayed *last = &played[n - 1];
  const AssayPlayed *before = n > 1 ? &played[n - 2] : &(AssayPlayed){ 0 };
  double slope, power = 0;

  if (n > 1 && !(last->share > before->share)) /* nothing of it can be made smaller */
    return last->seconds;
  slope = (last->seconds - before->seconds) / (last->share - before->share);
  if (n > 1 && last->seconds >= LEAST_SECONDS && before->seconds > 0)
    power = power_between (before, last);
  if (n > 2 && power > 1 && played[n - 3].seconds > 0)
    power = MIN (power, power_between (&played[n - 3], before));
  if (power > 1)
    return last->seconds * pow (share / last->share, MIN (power, steepest));
  return last->seconds + MAX (slope, 0) * (share - last->share);
}
