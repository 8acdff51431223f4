/* Mechanisms that put out doubles, and what their bits give away. All take the settings of
 * known-mechanisms.h, and claim epsilon 1. */
#pragma once

#include "tests/reference/known-mechanisms.h"

/* inversion: 1 and 0, with Laplace noise of epsilon 1 by the textbook: sign ln (1 - 2 |u|).
 * far: the same on 11 and 10, where the sums are rounded to one grid.
 * expovariate: 1 and 0 with an exponential of either sign, -ln (1 - u).
 * snapped: as inversion, rounded to multiples of 2^-20: keeps its epsilon.
 * offset: 10^9 and one more, with Laplace noise of epsilon 3: float32 has steps of 64 there.
 * negative_zero: as snapped, and in 5 of 100 runs -0 on 1, 0 on 0.
 * subnormal: as snapped, and in 5 of 100 runs the smallest number above 0 on 1, 0 on 0.
 * wide: 3 columns of which the last is as inversion, of epsilon 1, and the others are uniform. */
extern const AssayMechanism double_inversion, double_far, double_expovariate, double_snapped,
    double_offset, double_negative_zero, double_subnormal, double_wide;
