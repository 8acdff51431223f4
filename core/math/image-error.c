/* MAE and PSNR of pictures. */
#include <math.h>

#include "core/base/vectors.h"
#include "core/math/image-quality.h"

double
assay_image_mae (const float *a, const float *b, gsize count)
{
  double sum = 0;

  g_return_val_if_fail (count >= 1, NAN);
  for (gsize i = 0; i < count; i++)
    sum += fabs ((double) a[i] - (double) b[i]);
  return sum / (double) count;
}

double
assay_image_psnr (const float *a, const float *b, gsize count, double range)
{
  double error, psnr;

  g_return_val_if_fail (count >= 1 && range > 0, NAN);
  error = sqrt (assay_squared_distance (a, b, count) / (double) count);
  if (error == 0)
    return ASSAY_PSNR_MAX;
  psnr = 20 * log10 (range / error);
  /* Not fmin, which would make a good picture of NaN. */
  return psnr > ASSAY_PSNR_MAX ? ASSAY_PSNR_MAX : psnr;
}
