/* What looking for public images in mixtures depends on: options of whitened-scores.h, and of
 * joint-removal.h. */
#pragma once

#include "attacks/whitened/whitening.h"

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

typedef struct {
  gsize k;        /* images in a mixture */
  gsize partners; /* public ones of them; 0: nothing is looked for, and all of it is the rest */
  double max_coefficient;
  gboolean is_open; /* there is no mask */
  gsize starts;     /* at least 1, at most the number of public images */
} JointRemoval;
