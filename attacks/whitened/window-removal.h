/* The public images of single mixtures where each was moved and mirrored at random before it was
 * mixed: which, and as which of its windows. */
#pragma once

#include "attacks/whitened/joint-removal.h"
#include "attacks/whitened/whitened-scores.h"

typedef struct {
  WhitenedOptions squares; /* by which windows are ranked, and which there are */
  JointRemoval joint;
  gsize candidates; /* at most the number of public images, at least starts and partners */
} WindowRemoval;

/* For each of the N @mixtures: every public image (of M, d wide) has the window of the largest
 * score; the candidates, these windows of the images with the largest, are among what is found
 * jointly with all signs, under the prior of images. @ret_private: as of joint_removal. Cost: that
 * of the scores of all windows, and N times candidates x 2 d^2. */
gboolean window_removal (const WindowRemoval *removal, AssayView images, AssayView mixtures,
                         float *ret_private, GError **error);
