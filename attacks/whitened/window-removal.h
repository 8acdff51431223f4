/* The public images of single mixtures where each was moved and mirrored at random before it was
 * mixed: which, and as which of its windows. */
#pragma once

#include "attacks/whitened/joint-removal.h"
#include "attacks/whitened/whitened-scores.h"

typedef struct {
  WhitenedOptions squares; /* by which windows are ranked, and which there are */
  JointRemoval joint;
  gsize candidates; /* at most the number of public images, at least starts and partners */
  gsize together;   /* mixtures that share their candidates; at most MASK_SIGNS_PANEL */
} WindowRemoval;

/* The windows of M public images (d wide) that are best for each of N mixtures. */
typedef struct {
  AssayView images;
  AssayView mixtures;
  float *scores; /* N x M: of the best window of each image */
  guint16 *best; /* N x M: which */
} RankedWindows;

/* Makes scores, for which there is room. */
gboolean window_removal_rank (const WindowRemoval *removal, const RankedWindows *windows,
                              GError **error);

/* As of joint_removal, and which windows (N x partners) stand for what is found; NULL: not
 * wanted. */
typedef struct {
  RemovalResult removed;
  guint16 *windows;
} WindowResult;

/* For each of the mixtures: the candidates, the best windows of the images with the largest scores,
 * are among what is found jointly with all signs, under the @prior of images. Of `together`
 * mixtures the candidates of any are those of all, which costs less than one after the other. Cost:
 * N times candidates x 2 d^2. */
gboolean window_removal_find (const WindowRemoval *removal, const RankedWindows *windows,
                              const ImagePrior *prior, const WindowResult *result, GError **error);

/* Both. @ret_private: as of joint_removal. */
gboolean window_removal (const WindowRemoval *removal, AssayView images, AssayView mixtures,
                         float *ret_private, GError **error);
