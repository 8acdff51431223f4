/* How SSIM grows with the pixels of a picture: for networks that are trained by it. */
#pragma once

#include "core/math/image-quality.h"

/* Pictures of one channel. */
typedef struct {
  gsize height, width; /* ASSAY_SSIM_WINDOW or more */
  double range;        /* of what a pixel can be, > 0 */
} AssaySsimSlopes;

/* Numbers of work space. */
gsize assay_ssim_slopes_scratch (const AssaySsimSlopes *of);

/* SSIM of @a and @b as assay_image_ssim has it, to 1e-9 where values are of the size of the range,
 * and in @ret_slopes its derivatives by the pixels of @a. By one thread, which owns @scratch. */
double assay_ssim_slopes (const AssaySsimSlopes *of, const float *a, const float *b,
                          double *scratch, float *ret_slopes);
