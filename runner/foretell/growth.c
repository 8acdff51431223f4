/* What something takes at its full size, by what it took at smaller ones. */
#include "runner/foretell/growth.h"

#include <math.h>

#include "core/base/each.h"

/* Below, the clock and what happens beside it decide how steep a curve looks. */
#define LEAST_SECONDS 0.05
#define NOISE 0.05 /* by which two plays of one size differ */
#define FLATTEST 0.05
#define HALVINGS 40

/* How sure it is that @after took longer than @before for its size, from 0 to 1. */
static double
trust (const AssayPlayed *before, const AssayPlayed *after)
{
  const double rise = after->seconds - before->seconds;

  return rise > 0 ? rise / (rise + NOISE * before->seconds) : 0;
}

/* How often as much as from @a to @b is added from @b to @share, if it grows with @power. */
static double
times_more (double power, double a, double b, double share)
{
  return (pow (share, power) - pow (b, power)) / (pow (b, power) - pow (a, power));
}

/* The power of the share that three show, of which each took longer than the one before. */
static double
power_of_three (const AssayPlayed *a, const AssayPlayed *b, const AssayPlayed *c, double steepest)
{
  const double wanted = (c->seconds - b->seconds) / (b->seconds - a->seconds);
  double low = FLATTEST, high = steepest;

  ASSAY_BISECT_REAL (HALVINGS, power, low, high,
                     times_more (power, a->share, b->share, c->share) < wanted)
  return low;
}

static double
of_three (const AssayPlayed *a, const AssayPlayed *b, const AssayPlayed *c, double share,
          double steepest)
{
  const double rise = trust (b, c) * (c->seconds - b->seconds);
  double power = 1;

  if (!(rise > 0))
    return c->seconds;
  if (b->seconds > a->seconds && c->seconds >= LEAST_SECONDS)
    power += trust (a, b) * (power_of_three (a, b, c, steepest) - 1);
  return c->seconds + rise * times_more (power, b->share, c->share, share);
}

static double
of_two (const AssayPlayed *b, const AssayPlayed *c, double share, double steepest)
{
  const double rise = trust (b, c) * (c->seconds - b->seconds);
  const double power = log (c->seconds / b->seconds) / log (c->share / b->share);
  const double line = c->seconds + rise * times_more (1, b->share, c->share, share);

  if (!(rise > 0))
    return c->seconds;
  if (power > 1)
    return c->seconds
           * pow (share / c->share, c->seconds >= LEAST_SECONDS ? MIN (power, steepest) : 1);
  return sqrt (line * c->seconds * pow (share / c->share, power));
}

double
assay_growth_foretell (const AssayPlayed *played, guint n, double share, double steepest)
{
  const AssayPlayed *last = &played[n - 1], *sizes[3] = { last };
  guint found = 1;

  for (guint i = n - 1; i-- > 0 && found < G_N_ELEMENTS (sizes);)
    if (played[i].share < sizes[found - 1]->share)
      sizes[found++] = &played[i];
  if (share <= last->share)
    return last->seconds;
  if (found == 1)
    return last->seconds * share / last->share;
  return found == 2 ? of_two (sizes[1], last, share, steepest)
                    : of_three (sizes[2], sizes[1], last, share, steepest);
}
