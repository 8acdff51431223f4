/* Neighbouring inputs of mechanisms that add noise to rows of reals. */
#include "defenses/mechanisms/real-neighbours.h"

#include <math.h>
#include <string.h>

/* Rounding a column to float32 moves it by 6e-8 of itself at most, and so the length by as much. */
#define ROUNDING_MARGIN 1e-7

static float
round_down (double value)
{
  const float rounded = (float) value;

  return (double) rounded > value ? nextafterf (rounded, 0) : rounded;
}

void
real_neighbours (Sensitivity sensitivity, gsize cols, guint index, AssayStream *stream,
                 float *ret_first, float *ret_second)
{
  const gboolean is_l1 = sensitivity.norm == NORM_L1;
  g_autofree double *difference = NULL;
  double length = 0;

  memset (ret_first, 0, cols * sizeof (float));
  memset (ret_second, 0, cols * sizeof (float));
  if (index == 0) {
    ret_first[0] = round_down (sensitivity.length);
    return;
  }
  /* Directions are uniform on the sphere of the norm. */
  difference = g_new (double, cols);
  for (gsize j = 0; j < cols; j++) {
    difference[j] = is_l1 ? assay_stream_laplace (stream) : assay_stream_normal (stream);
    length += is_l1 ? fabs (difference[j]) : difference[j] * difference[j];
  }
  if (!is_l1)
    length = sqrt (length);
  for (gsize j = 0; j < cols; j++)
    ret_first[j] = (float) (difference[j] / length * sensitivity.length * (1 - ROUNDING_MARGIN));
}

AssayDomain *
real_domain (Sensitivity sensitivity, gsize cols)
{
  AssayDomain *domain = assay_domain_new (
      sensitivity.norm == NORM_L1 ? ASSAY_ADJACENCY_L1 : ASSAY_ADJACENCY_L2, 1, cols);

  domain->distance = sensitivity.length;
  return domain;
}
