/* How much one picture looks like another: what metrics of recovered pictures share. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  double mae; /* mean absolute error, as a share of the range */
  double psnr;
  double ssim; /* of pictures as they are shown, black being 0 (core/math/image-quality.h) */
  double correlation;
  double distance; /* sum of the squared errors of all numbers, black being 0 and white 1, rooted */
} ImageLikeness;

/* The values that show as black and white in a picture of @cols numbers: those of @geometry, or,
 * where every picture has a scale of its own, its least and largest. A flat one has a range too. */
void image_scale (const AssayGeometry *geometry, const float *row, gsize cols, double *ret_black,
                  double *ret_white);

/* Of @picture with @secret, in the secret's scale. @room has room for two pictures. Errors as those
 * of assay_image_ssim. */
gboolean image_likeness (const AssayGeometry *geometry, const float *secret, const float *picture,
                         float *room, ImageLikeness *ret_likeness, GError **error);
