/* Public images of a mixture found one after the other: each that is known tells signs of the mask,
 * and these tell the next. */
#pragma once

#include "attacks/whitened/whitening.h"
#include "core/data/dataset.h"

/* What looking for public images in mixtures depends on. */
typedef enum {
  WHITENED_SQUARES, /* the squared image, whatever its share */
  WHITENED_SHARES,  /* what a mixture is expected to be under each of several shares */
} WhitenedTemplate;

typedef struct {
  WhiteningForm form;
  guint template;   /* WhitenedTemplate; of squared pixels */
  gsize components; /* leading ones that are kept; 0: all */
  double ridge;     /* share of the mean variance that is added to each */
  gsize refine;     /* images of a mixture that are found one after the other; 0: all at once */
  WhiteningShares shares;
  double noise;                 /* variance of what was added to every number, under the mask */
  const AssayGeometry *windows; /* of images, all of whose windows are tried; NULL: they alone */
  gsize shift;                  /* how far windows are moved */
  guint16 *best_windows; /* N x M: which window has the score; NULL: not wanted, or no windows */
} WhitenedOptions;

/* Replaces @scores (N x M, of @images for @mixtures) by ones in which the options' `refine` first
 * images of each mixture, found one by one, come first in the order in which they were found, and
 * all others are judged by what these leave unexplained. */
gboolean whitened_refine (const WhitenedOptions *options, const WhiteningMoments *moments,
                          AssayView images, AssayView mixtures, float *inout_scores,
                          GError **error);
