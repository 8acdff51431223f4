/* Neighbouring inputs of mechanisms that add noise to rows of reals. */
#pragma once

#include "core/base/rng.h"

/* The norm in which neighbours are at most `sensitivity` apart. */
typedef enum { NORM_L1 = 1, NORM_L2 = 2 } Norm;

/* Pair 0: @sensitivity in column 0, and zero. All others: a random difference of that length, and
 * zero; the noise is the same everywhere, so that only differences matter. No pair is further apart
 * than @sensitivity after rounding to float32: an audit must not blame a mechanism for inputs that
 * are no neighbours. */
void real_neighbours (double sensitivity, Norm norm, gsize cols, guint index, AssayStream *stream,
                      float *ret_first, float *ret_second);
