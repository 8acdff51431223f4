/* Layers of convolutions that hash functions may begin with: of rows that are images, of h x w
 * pixels of i interleaved channels, each layer makes an image of half its sides (upwards rounded)
 * and o channels, again interleaved,
 *   y_o (r, s) = max (b_o + sum over a, b of -1, 0, 1 and channels c of
 *                     w_o (a, b, c) x_c (2 r + a, 2 s + b), 0),
 * with 0 beyond the edges. */
#pragma once

#include "core/data/dataset.h"
#include "core/data/kinds/codes.h"
#include "core/data/matrix.h"
#include "core/data/rows.h"

typedef struct {
  gsize height, width, channels; /* of a row */
  guint n;                       /* layers; 0: rows are taken as they are */
  /* o x (9 i + 1): of each channel that it gives w row after row of the 3 x 3, channels interleaved
   * as in images, then b. */
  AssayMatrix *layers[ASSAY_CODES_MAX_KERNELS];
} AssayPictureKernels;

ASSAY_DECLARE_CLEAR (AssayPictureKernels, assay_picture_kernels_clear)

/* Of the image that the last layer gives; without layers of a row. */
gsize assay_picture_kernels_numbers (const AssayPictureKernels *kernels);

/* What the layers make of @rows (each of height x width x channels numbers): rows x numbers. In
 * parallel, the same for any number of threads. ASSAY_ERROR_MEMORY. */
AssayMatrix *assay_picture_kernels_apply (const AssayPictureKernels *kernels, AssayView rows,
                                          GError **error);
