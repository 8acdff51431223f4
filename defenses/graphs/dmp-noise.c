#include "defenses/graphs/dmp-noise.h"

#include <math.h>

#include "core/stats/gaussian-privacy.h"

#define ROUNDS 10
#define ROUNDS_WITHOUT_NOISE 100

gsize
dmp_rounds (const DmpGraph *settings)
{
  if (settings->rounds > 0)
    return (gsize) settings->rounds;
  return settings->noise ? ROUNDS : ROUNDS_WITHOUT_NOISE;
}

/* Of one edge of the graph before it is clipped. One edge more makes both of its ends drop another
 * one at most. Three edges that change by themselves move the vector by 3 sqrt (D^2 - 1); but they
 * share ends, and what one takes away is what another one adds. From D = 3 on the pairs of
 * dmp-pairs.c are the worst. With D = 2 all triangles are apart, and two can appear at most. */
static double
sensitivity_to_input (double d)
{
  return d < 3 ? sqrt (6) : sqrt ((3 * d - 1) * (d - 1));
}

double
dmp_sensitivity (const DmpGraph *settings, gsize codegree)
{
  const double d = (double) settings->bound, c = (double) codegree;
  const gboolean is_codegree = settings->statistic == ASSAY_MOTIF_CODEGREE;

  switch ((DmpSensitivity) settings->sensitivity) {
  case DMP_DEGREE:
    return d;
  case DMP_CLIPPED: /* an edge of its own, and two of each common neighbour */
    return is_codegree ? sqrt (2 * (d - 1)) : sqrt (d * d - 1);
  case DMP_INPUT:
    return is_codegree ? 3 * sqrt (2 * (d - 1)) : sensitivity_to_input (d);
  case DMP_LOCAL:
    return sqrt (c * c + 2 * c);
  }
  g_return_val_if_reached (d);
}

/* At T = 1. */
static double
single_sigma (const DmpGraph *settings, double epsilon, gsize codegree)
{
  const double delta2 = dmp_sensitivity (settings, codegree);
  const double log_delta = log (1 / settings->delta);

  switch ((DmpCalibration) settings->calibration) {
  case DMP_EXACT:
    return delta2 / assay_gaussian_distance (epsilon, settings->delta);
  case DMP_PAPER_1:
    return delta2 * sqrt (log_delta) / epsilon;
  case DMP_PAPER_2:
    return delta2 * sqrt (2 * log_delta) / epsilon;
  }
  g_return_val_if_reached (delta2);
}

double
dmp_sigma (const DmpGraph *settings, double epsilon, gsize codegree)
{
  const double rounds = settings->composition ? (double) dmp_rounds (settings) : 1;

  return single_sigma (settings, epsilon, codegree) * sqrt (rounds);
}

double
dmp_sigma_of_mean (const DmpGraph *settings, double epsilon, gsize codegree)
{
  return dmp_sigma (settings, epsilon, codegree) / sqrt ((double) dmp_rounds (settings));
}

double
dmp_step (const DmpGraph *settings, gsize codegree)
{
  if (settings->step > 0)
    return settings->step;
  if (!settings->noise)
    return 1 / (double) settings->bound;
  return 1
         / ((double) dmp_rounds (settings) * single_sigma (settings, settings->epsilon, codegree));
}
