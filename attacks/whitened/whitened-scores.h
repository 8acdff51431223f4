/* How well public images explain mixtures, in the metric of whitening.h. */
#pragma once

#include "attacks/whitened/whitened-signs.h"

/* The score of each of the M rows of @images for each of the N @mixtures, N x M, higher where it is
 * rather in it: those found by refinement first. Where all windows are tried, an image has the
 * largest score of its windows, and refinement, which takes images for what they are, is none. */
gboolean whitened_scores (const WhitenedOptions *options, AssayView images, AssayView mixtures,
                          float *ret_scores, GError **error);
