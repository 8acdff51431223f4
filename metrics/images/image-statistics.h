/* Seven numbers of a picture, by whose distribution pictures may be told apart (InstaHide, Huang,
 * Song, Li and Arora 2020, appendix E.3). */
#pragma once

#include "core/plugin/plugin.h"

enum {
  IMAGE_MEAN,
  IMAGE_DEVIATION,
  IMAGE_VARIATION,
  IMAGE_FIRST_PIXEL,
  IMAGE_N_PLACES = 4,
  IMAGE_N_STATISTICS = IMAGE_FIRST_PIXEL + IMAGE_N_PLACES
};

typedef struct {
  AssayGeometry geometry;
  gsize cols;
  gboolean is_absolute; /* of |x| instead of x */
  gsize places[IMAGE_N_PLACES];
} ImageStatistics;

/* For rows of @cols numbers of that geometry. The places are drawn by @seed, without replacement.
 * ASSAY_ERROR_MISMATCH if the rows are no such images, or smaller than the number of places. */
gboolean image_statistics_init (const AssayGeometry *geometry, gsize cols, gboolean is_absolute,
                                guint64 seed, ImageStatistics *ret_statistics, GError **error);

/* Mean and deviation of the pixels, the total variation (the sum of |differences| of neighbours, in
 * rows and in columns, in each channel), and the pixels of the places. */
void image_statistics_of (const ImageStatistics *statistics, const float *image,
                          double ret_values[IMAGE_N_STATISTICS]);
