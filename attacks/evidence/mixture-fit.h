/* How well the images that mixture-inversion found explain the mixtures. Truth is not asked. */
#pragma once

#include "attacks/mixtures/mixture-state.h"
#include "core/data/arena.h"

/* @ret_fit: 1 - r / r_0, at least 0. r is what pairs, weights, images and public images leave of
 * the squared magnitudes; r_0 what they leave where each mixture has the pair and the weights of
 * the next, and images are fitted to that: as many numbers with as free signs explain part of any
 * mixtures, more of them the fewer mixtures there are. Of both what added noise leaves is taken
 * away first. 256 pixels are looked at.
 *
 * @ret_fits: the same for each of the n images, over the mixtures that it is in by its weight there
 * squared, against what these leave with another image in its place, and as much less as fitting
 * takes off r_0. 0 for an image that is in none. */
gboolean mixture_fit (const MixtureState *state, double *ret_fit, double *ret_fits, GError **error);

/* A state of as many pixels as mixture_fit looks at, spread evenly over all; its arrays of pixels
 * are the arena's, pairs, weights, noise and public images those of @state. */
gboolean mixture_fit_sample (const MixtureState *state, AssayArena *arena, MixtureState *ret_sample,
                             GError **error);
