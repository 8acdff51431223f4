/* Public images of a mixture found one after the other: each that is known tells signs of the mask,
 * and these tell the next. */
#pragma once

#include "attacks/whitened/whitened-options.h"

/* Replaces @scores (N x M, of @images for @mixtures) by ones in which the options' `refine` first
 * images of each mixture, found one by one, come first in the order in which they were found, and
 * all others are judged by what these leave unexplained. */
gboolean whitened_refine (const WhitenedOptions *options, const WhiteningMoments *moments,
                          AssayView images, AssayView mixtures, float *inout_scores,
                          GError **error);

/* Bytes that it holds at its peak. */
guint64 whitened_refine_memory (gsize n_mixtures, gsize n_images, gsize cols);
