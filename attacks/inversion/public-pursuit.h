/* Which public images are in each mixture, and how much of each: matching pursuit under unknown
 * signs.
 *
 * With the private part u_t and what is known of the public one, v_t, the expected signed residual
 * r_t = e tanh (e (u + v) / s^2) - u - v is what is left of the public part, weakened where signs
 * are unsure. Each step scores all public images z by the matched filter <r, P z> / sqrt (<z, P z>)
 * with P the inverse covariance of public images, takes the best where it stands out (by
 * sqrt (2 ln n_public) + 1 standard deviations of all scores: the best of so many by chance, and
 * one more), and fits all weights to e tanh (...) by least squares in the metric P. A public set
 * that was not the one used gives nothing that stands out, and leaves everything as it was.
 *
 * Without labels, the weights of the secrets are fitted along, and the noise follows from the share
 * that is left. */
#pragma once

#include "attacks/mixtures/mixture-state.h"
#include "core/data/arena.h"

typedef struct {
  const float *precision; /* P, d x d */
  float *offsets;         /* <mean, P z> of public images z, n_public */
  float *whitened;        /* P times them */
  double *lengths;        /* sqrt (<z, P z>) */
} PublicFilter;

/* Its arrays are the arena's. */
gboolean public_filter_init (const MixtureState *state, const float *precision, const double *mean,
                             AssayArena *arena, PublicFilter *ret_filter, GError **error);

typedef struct {
  double image_error;      /* variance of the images there are, as a multiple of public pixels' */
  gboolean keeps_complete; /* mixtures of which all public images are found stay as they are */
} PublicPursuit;

/* Looks for the public images of every mixture anew: sets partners, known, noise and, without
 * labels, weights. Returns in @ret_found how many were found. Cost: 2 N n_public d operations a
 * step. */
gboolean public_pursuit (const PublicPursuit *options, const PublicFilter *filter,
                         MixtureState *state, gsize *ret_found, GError **error);
