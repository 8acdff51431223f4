/* The density of numbers that share one Gaussian and have each a Laplace noise of their own. */
#pragma once

#include <glib.h>

typedef struct {
  double deviation; /* of the Gaussian; 0: there is none */
  double scale;     /* of the Laplace noise, above 0 */
} RepeatedNoise;

/* ln p (r_1, .., r_n) of r_t = b + x_t, b ~ N (0, deviation^2), x_t ~ Laplace (scale), in time
 * n ln n. Sorts @inout_numbers. */
double repeated_noise_log_density (const RepeatedNoise *noise, double *inout_numbers, gsize n);
