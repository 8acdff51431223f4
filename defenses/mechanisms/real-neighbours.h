/* Neighbouring inputs of mechanisms that add noise to rows of reals. */
#pragma once

#include "core/plugin/domain.h"

typedef enum { NORM_L1 = 1, NORM_L2 = 2 } Norm;

/* Rows are neighbours where they are at most this far apart. */
typedef struct {
  double length;
  Norm norm;
} Sensitivity;

/* Pair 0: the length of @sensitivity in column 0, and zero. All others: a random difference of that
 * length, and zero; the noise is the same everywhere, so that only differences matter. No pair is
 * further apart than that after rounding to float32: an audit must not blame a mechanism for inputs
 * that are no neighbours. */
void real_neighbours (Sensitivity sensitivity, gsize cols, guint index, AssayStream *stream,
                      float *ret_first, float *ret_second);

/* The callback `domain` of such a mechanism: rows without bounds. */
AssayDomain *real_domain (Sensitivity sensitivity, gsize cols);
