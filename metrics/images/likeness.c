/* Pictures beside each other. */
#include "metrics/images/likeness.h"

#include <math.h>

#include "core/base/vectors.h"
#include "core/math/image-quality.h"

static void
range_of (const float *row, gsize cols, double *ret_least, double *ret_most)
{
  *ret_least = row[0];
  *ret_most = row[0];
  for (gsize j = 1; j < cols; j++) {
    *ret_least = MIN (*ret_least, row[j]);
    *ret_most = MAX (*ret_most, row[j]);
  }
}

void
image_scale (const AssayGeometry *geometry, const float *row, gsize cols, double *ret_black,
             double *ret_white)
{
  *ret_black = geometry->black;
  *ret_white = geometry->white;
  if (*ret_white <= *ret_black)
    range_of (row, cols, ret_black, ret_white);
  if (*ret_white <= *ret_black)
    *ret_white = *ret_black + 1;
}

gboolean
image_likeness (const AssayGeometry *geometry, const float *secret, const float *picture,
                float *room, ImageLikeness *ret_likeness, GError **error)
{
  AssaySsim ssim = { .shape = { geometry->height, geometry->width, geometry->channels } };
  const gsize cols = geometry->height * geometry->width * geometry->channels;
  float *shown = room, *shown_secret = room + cols;
  double black, white;

  image_scale (geometry, secret, cols, &black, &white);
  ssim.range = white - black;
  *ret_likeness = (ImageLikeness){
    .mae = assay_image_mae (secret, picture, cols) / ssim.range,
    .psnr = assay_image_psnr (secret, picture, cols, ssim.range),
    .correlation = assay_correlation (secret, picture, cols),
    .distance = sqrt (assay_squared_distance (secret, picture, cols)) / ssim.range,
  };
  for (gsize j = 0; j < cols; j++) {
    shown[j] = (float) ((double) picture[j] - black);
    shown_secret[j] = (float) ((double) secret[j] - black);
  }
  return assay_image_ssim (&ssim, shown_secret, shown, &ret_likeness->ssim, error);
}
