/* Noise that was added to every number of a release, from the release. */
#pragma once

#include "attacks/whitened/whitening.h"
#include "core/plugin/plugin.h"

/* The variance of normal noise on the @magnitudes (N x d, images of @geometry) of masked mixtures,
 * where those of public images have the moments @squared.
 *
 * Noise is independent from pixel to pixel, and pictures are smooth. Of squares h pixels apart,
 * E (e_j^2 - e_j'^2)^2 = 2 q + g (h), where q = 4 s^2 M - 2 s^4, with M the mean square, is
 * what noise of variance s^2 adds to the variance of each, and g (h) is what @squared has at
 * that distance, times what private images are rougher or smoother. The line through the six
 * points (rows and columns, 1 to 3 apart) has the intercept 2 q. 0 where it has none that
 * counts: below a hundredth of M, where neighbours are no nearer than others, or where images
 * are too narrow. */
double mixture_noise_estimate (AssayView magnitudes, const AssayGeometry *geometry,
                               const Whitening *squared);
