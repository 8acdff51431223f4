/* Seven numbers of a picture. */
#include "metrics/images/image-statistics.h"

#include <math.h>

gboolean
image_statistics_init (const AssayGeometry *geometry, gsize cols, gboolean is_absolute,
                       guint64 seed, ImageStatistics *ret_statistics, GError **error)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "image-statistics", "places"), 0);
  ImageStatistics statistics = { .geometry = *geometry, .cols = cols, .is_absolute = is_absolute };

  if (geometry->height == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release does not say what images it holds; expected its geometry, for "
                       "the total variation");
  if (geometry->height * geometry->width * geometry->channels != cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "released images have %zu numbers, expected %zu x %zu x %zu", cols,
                       geometry->height, geometry->width, geometry->channels);
  if (cols < IMAGE_N_PLACES)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "released images have %zu numbers, expected at least the %d whose "
                       "distribution is tested",
                       cols, IMAGE_N_PLACES);
  assay_stream_choose (&stream, cols, IMAGE_N_PLACES, statistics.places);
  *ret_statistics = statistics;
  return TRUE;
}

static double
value_at (const ImageStatistics *statistics, const float *image, gsize at)
{
  return statistics->is_absolute ? fabs ((double) image[at]) : (double) image[at];
}

static double
variation_of (const ImageStatistics *statistics, const float *image)
{
  const gsize channels = statistics->geometry.channels;
  const gsize row = statistics->geometry.width * channels;
  double sum = 0;

  for (gsize at = 0; at < statistics->cols; at++) {
    const double value = value_at (statistics, image, at);

    if (at + row < statistics->cols)
      sum += fabs (value_at (statistics, image, at + row) - value);
    if (at % row + channels < row)
      sum += fabs (value_at (statistics, image, at + channels) - value);
  }
  return sum;
}

void
image_statistics_of (const ImageStatistics *statistics, const float *image,
                     double ret_values[IMAGE_N_STATISTICS])
{
  const double count = (double) statistics->cols;
  double sum = 0, square = 0;

  for (gsize j = 0; j < statistics->cols; j++)
    sum += value_at (statistics, image, j);
  for (gsize j = 0; j < statistics->cols; j++) {
    const double deviation = value_at (statistics, image, j) - sum / count;

    square += deviation * deviation;
  }
  ret_values[IMAGE_MEAN] = sum / count;
  ret_values[IMAGE_DEVIATION] = sqrt (square / count);
  ret_values[IMAGE_VARIATION] = variation_of (statistics, image);
  for (guint p = 0; p < IMAGE_N_PLACES; p++)
    ret_values[IMAGE_FIRST_PIXEL + p] = value_at (statistics, image, statistics->places[p]);
}
