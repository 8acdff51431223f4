/* How well the images that mixture-inversion found explain the mixtures. */
#pragma once

#include "attacks/mixtures/mixture-state.h"

/* 1 - (r / r_0) N / (N - n), at least 0: r is what pairs, weights and images leave of the squared
 * magnitudes, r_0 the same where each mixture is given the pair, the weights and the public images
 * of the next. n values in each column fit N mixtures a little, whatever they are: hence the
 * factor, that of the adjusted coefficient of determination (Ezekiel 1930). Truth is not asked. */
double mixture_fit (const MixtureState *state);

/* The same for each image: over the mixtures that it is in, by its weight there squared, against
 * what they leave where another image is in its place. 0 for an image that is in none. */
void mixture_fit_images (const MixtureState *state, double *ret_fits);
