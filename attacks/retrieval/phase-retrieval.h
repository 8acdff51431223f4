/* Images from the magnitudes of their mixtures, pixel by pixel.
 *
 * For one pixel let x (n) be its values in the secrets and A (N x n) the coefficients, two in a
 * row: e = |A x + v + w|, w_t of variance s_t^2. With the missing signs as hidden variables, the
 * expectation of the signed e is e tanh (e u / s^2) with u = A x + v, and the maximum is a weighted
 * least-squares solution whose normal matrix A' W A + I is that of every pixel (I: the variance of
 * pixels of normalised images). s^2 starts `heat` times too large and falls to what it is: without
 * that, the iteration stays where it started.
 *
 * A cold start is the leading eigenvector of A' W diag (e^2 - mean e^2) A (spectral initialisation;
 * Netrapalli, Jain and Sanghavi 2013, "Phase Retrieval using Alternating Minimization"), of length
 * sqrt (n). Each pixel's vector comes with a sign of its own unless v says which it is. */
#pragma once

#include "attacks/mixtures/mixture-state.h"

typedef struct {
  gboolean is_cold; /* begin anew rather than from the images there are */
  double heat;
  gsize rounds;
} PhaseRetrieval;

/* Replaces the state's images. Cost: about 30 N d operations a round. */
gboolean phase_retrieval (const PhaseRetrieval *options, MixtureState *state, GError **error);

/* Turns the sign of those pixels whose images fit the mixtures better so, given v, each as |u + v|
 * against |u - v|. Returns how many were turned. */
gsize phase_retrieval_turn_pixels (MixtureState *state);
