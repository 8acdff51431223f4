/* What lies between convolutions, forward and back, for one image in blocks of channels
 * (core/network/convolution.h). Functions back set derivatives to the layer before or, where @adds,
 * add to what others have put there. */
#pragma once

#include <glib.h>

/* The shape of an image in blocks. */
typedef struct {
  gsize blocks;
  gsize lanes; /* channels of a block: 8 or 16 */
  gsize height, width;
} AssayBlocks;

static inline gsize
assay_blocks_size (AssayBlocks shape)
{
  return shape.blocks * shape.height * shape.width * shape.lanes;
}

/* From planes of @channels to blocks, and back; channels that fill a block up are 0. */
void assay_blocks_from_planes (AssayBlocks shape, gsize channels, const float *planes,
                               float *ret_blocks);
void assay_blocks_to_planes (AssayBlocks shape, gsize channels, const float *blocks,
                             float *ret_planes);

/* What a ReLU leaves of x, number by number; and of its derivatives, by what it gave. */
void assay_rectify_forward (gsize n, const float *x, float *ret_y);
void assay_rectify_back (gsize n, const float *y, float *inout_dy);
/* a + b; with @is_rectified what a ReLU leaves of it. */
void assay_sum_forward (gsize n, gboolean is_rectified, const float *a, const float *b,
                        float *ret_y);
void assay_multiply (gsize n, const float *a, const float *b, float *ret_y);
void assay_multiply_back (gsize n, gboolean adds, const float *b, const float *dy, float *inout_da);
/* Derivatives as they are. */
void assay_pass_back (gsize n, gboolean adds, const float *dy, float *inout_dx);

/* The largest of 2 x 2 pixels; of equal ones the first is told. @shape: before. */
void assay_pool_forward (AssayBlocks shape, const float *x, float *ret_y);
void assay_pool_back (AssayBlocks shape, gboolean adds, const float *const *x_y, const float *dy,
                      float *inout_dx);
/* The mean of all pixels. */
void assay_mean_forward (AssayBlocks shape, const float *x, float *ret_y);
void assay_mean_back (AssayBlocks shape, gboolean adds, const float *dy, float *inout_dx);
/* Each pixel becomes 2 x 2. @shape: before. */
void assay_enlarge_forward (AssayBlocks shape, const float *x, float *ret_y);
void assay_enlarge_back (AssayBlocks shape, gboolean adds, const float *dy, float *inout_dx);
