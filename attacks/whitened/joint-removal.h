/* The public images of a single mixture, found jointly with its signs, and what is left of it
 * without them.
 *
 * z = m + sum_s w_s c_s + r, with public images less their mean as c, shares w, and the rest r of
 * covariance t G, t = 2 (1 - sum w)^2 / (1 + images that are left): of the set of `partners` public
 * images that is known at a time,
 *   signs    are what expectation propagation tells (mask-signs.h), STEPS rounds of it,
 *   shares   in each of them least squares of its message y in the metric (t G + s I)^-1, s the
 *            message's noise, with the normal prior of mean 1 / k and deviation 0.15,
 *   images   are judged by the matched filter for what y - q has left, in the same metric.
 * From each of `starts` first images, the best by the scores given:
 *   1. partners are found one by one, under a large ridge, by the sum of that filter and of the
 *      given scores, both standardised;
 *   2. the ridge is lowered, by which signs freeze;
 *   3. the set is found again from nothing in the message that this has led to, where it is all
 *      but free of the mask, and 2 repeated.
 * Of all sets, 2 of those before 3 too, the one of largest evidence is kept. The rest is
 * z' - q, and (z' - q) / (1 - sum w) + m the private images as they were mixed.
 * Without a mask only 3 is left, with y = z and s = 0.
 *
 * Where something is `known` of the private images, q has it as well, the prior's mean of shares is
 * what is left over for each public image, t is of the public images that are left and of the error
 * of what is known, and the rest is divided by the share that is known. */
#pragma once

#include "attacks/whitened/removal-panel.h"

/* Of N @mixtures by a prior on M images, both d wide. @inout_scores, N x M, higher where an image
 * is rather in a mixture, arrives with scores of another kind (not read where there is no mask),
 * and returns with the set found first, then the others by what it leaves. @result: where the rest
 * of what is found goes; NULL: nowhere. */
gboolean joint_removal (const JointRemoval *options, const ImagePrior *prior, AssayView mixtures,
                        float *inout_scores, const RemovalResult *result, GError **error);
