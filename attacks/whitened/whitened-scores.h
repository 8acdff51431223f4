/* How well public images explain mixtures, in the metric of whitening.h. */
#pragma once

#include "attacks/whitened/whitening.h"
#include "core/data/matrix.h"

G_BEGIN_DECLS

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
} WhitenedOptions;

/* The score of each of the M rows of @images for each of the N @mixtures, N x M, higher where it is
 * rather in it: those found by refinement first. */
gboolean whitened_scores (const WhitenedOptions *options, AssayView images, AssayView mixtures,
                          float *ret_scores, GError **error);

/* The same by a covariance that was had in another way. */
gboolean whitened_scores_by (const WhitenedOptions *options, const Whitening *whitening,
                             const WhiteningMoments *moments, AssayView images, AssayView mixtures,
                             float *ret_scores, GError **error);

G_END_DECLS
