/* What lies between convolutions, forward and back, for one image in blocks of 8 channels
 * (core/network/convolution.h). Functions back add to what is there already. */
#pragma once

#include <glib.h>

/* The shape of an image in blocks. */
typedef struct {
  gsize blocks; /* of 8 channels */
  gsize height, width;
} AssayBlocks;

static inline gsize
assay_blocks_size (AssayBlocks shape)
{
  return shape.blocks * shape.height * shape.width * 8;
}

/* From planes of @channels to blocks, and back; channels that fill a block up are 0. */
void assay_blocks_from_planes (AssayBlocks shape, gsize channels, const float *planes,
                               float *ret_blocks);
void assay_blocks_to_planes (AssayBlocks shape, gsize channels, const float *blocks,
                             float *ret_planes);

/* Group normalisation (Wu and He 2018) with a group a block: (x - mean) / sqrt (var + 1e-5), times
 * scale and plus shift of the channel. Mean and variance are of the image alone, so that examples
 * stay independent of each other, which those of a batch are not. */
void assay_normalise_forward (AssayBlocks shape, const float *const *scale_shift, const float *x,
                              float *ret_y, float *ret_mean_inverse);
void assay_normalise_back (AssayBlocks shape, const float *scale, const float *x, const float *dy,
                           const float *mean_inverse, float *const *inout_gradients);

void assay_rectify_forward (gsize n, const float *x, float *ret_y);
void assay_rectify_back (gsize n, const float *y, const float *dy, float *inout_dx);
void assay_add (gsize n, const float *x, float *inout_y);
void assay_multiply (gsize n, const float *a, const float *b, float *ret_y);
void assay_multiply_back (gsize n, const float *b, const float *dy, float *inout_da);

/* The largest of 2 x 2 pixels; of equal ones the first is told. @shape: before. */
void assay_pool_forward (AssayBlocks shape, const float *x, float *ret_y);
void assay_pool_back (AssayBlocks shape, const float *x, const float *dy, float *inout_dx);
/* The mean of all pixels. */
void assay_mean_forward (AssayBlocks shape, const float *x, float *ret_y);
void assay_mean_back (AssayBlocks shape, const float *dy, float *inout_dx);
/* Each pixel becomes 2 x 2. @shape: before. */
void assay_enlarge_forward (AssayBlocks shape, const float *x, float *ret_y);
void assay_enlarge_back (AssayBlocks shape, const float *dy, float *inout_dx);
