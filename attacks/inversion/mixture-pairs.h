/* Which two secrets are in a mixture, once there are images of the secrets. */
#pragma once

#include "attacks/mixtures/mixture-state.h"

/* With no public image known but with labels: the pair that the label allows whose squared mixture
 * is most like e^2. The mixture's square less its noise is
 *   f = lambda_a^2 x_a^2 + 2 lambda_a lambda_b x_a x_b + lambda_b^2 x_b^2,
 * and likeness is the cosine of f and e^2 under P, the inverse covariance of squared mixtures of
 * public images, after the part along the variance of public pixels was taken out of both. A cosine
 * rather than a distance: images that are still poor are too small. Products of two secrets have no
 * sign of a pixel in them. The weights are the label's, or, of two secrets of one class, the best
 * of a few ratios. Without labels so many pairs are like by chance that this finds no better ones
 * than there are.
 *
 * @precision is P, d x d, @noise the variance of what was added to every number. Cost: n^2 d^2
 * operations, and 2 d for each mixture and pair of which its label allows a secret. */
gboolean mixture_pairs_match_squares (MixtureState *state, const float *precision, double noise,
                                      GError **error);

/* With public images known: of the mixtures in which little is unknown, one secret is kept and the
 * other replaced by the one with which (e - |u + v|)^2 is smallest beside the noise; whichever of
 * the two to keep comes to the likelier pair. Weights are the label's, or fitted. A mixture that
 * its pair then does not explain is given as much noise as its rest has. Cost: 10 N n d operations
 * at most. Returns how many pairs have changed. */
gsize mixture_pairs_search (MixtureState *state);
