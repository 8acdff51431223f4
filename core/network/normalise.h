/* Group normalisation (Wu and He 2018, "Group normalization") of one image, with groups of 8
 * channels: (x - mean) / sqrt (var + 1e-5), times scale and plus shift of the channel. Mean and
 * variance are of the image alone, so that examples stay independent of each other, which those of
 * a batch are not. A ReLU that follows is part of it: what is in memory once is read once. */
#pragma once

#include "core/network/layers.h"

#define ASSAY_NORMALISED_GROUP 8

typedef struct {
  AssayBlocks shape;
  gboolean is_rectified; /* followed by a ReLU */
  const float *scales;   /* of channels */
  const float *shifts;
} AssayNormalisation;

/* Mean and inverse deviation of each group: as many numbers. */
gsize assay_normalise_moments (AssayBlocks shape);

void assay_normalise_forward (const AssayNormalisation *normalisation, const float *x, float *ret_y,
                              float *ret_moments);

/* What is known of an image on the way back. */
typedef struct {
  const float *x, *y, *moments;
  const float *dy;
} AssayNormalised;

/* @inout_dx may be where dy is, without @adds. Adds to derivatives of scales and shifts. */
void assay_normalise_back (const AssayNormalisation *normalisation, const AssayNormalised *image,
                           gboolean adds, float *inout_dx, float *const *inout_scales_shifts);
