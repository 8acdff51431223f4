/* One sign for a whole image, where each pixel came with a sign of its own. */
#pragma once

#include "attacks/mixtures/mixture-state.h"

/* Neighbouring pixels (left, right, above, below, and the other channels) have nearly the same
 * values in most images: the correlation of their vectors over the secrets is far from 0, and its
 * sign tells whether one of them is turned. Signs are carried along a maximum spanning tree of the
 * correlations' magnitudes (Prim), so over the surest edges. What is left is one sign for all: that
 * in which the sum of all images is more like @mean (d), the mean public image. */
gboolean sign_tree_align (MixtureState *state, const double *mean, GError **error);
