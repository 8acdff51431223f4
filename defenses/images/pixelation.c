/* Images in squares of one colour, the mean of what was there ("mosaicing"): cells x cells of them
 * (McPherson, Shokri and Shmatikov 2016, "Defeating Image Obfuscation with Deep Learning", section
 * 3). A row of pixels at height y is in cell floor (y cells / height), and columns the same way. */
#include "defenses/images/image-filter.h"

typedef struct {
  gint64 cells;
} Pixelation;

static gboolean
filter (gconstpointer data, const FilteredImage *image, GError **error)
{
  const Pixelation *settings = data;
  const AssayGeometry *geometry = image->geometry;
  const gsize cells = MIN ((gsize) settings->cells, MIN (geometry->height, geometry->width));
  const gsize channels = geometry->channels, n = geometry->height * geometry->width;
  g_autofree double *sums = assay_alloc (cells * cells, channels * sizeof (double), "cells", error);
  g_autofree gsize *counts = assay_alloc (cells * cells, sizeof (gsize), "cells", error);

  if (sums == NULL || counts == NULL)
    return FALSE;
  for (guint pass = 0; pass < 2; pass++)
    for (gsize i = 0; i < n; i++) {
      const gsize y = i / geometry->width, x = i % geometry->width;
      const gsize cell = y * cells / geometry->height * cells + x * cells / geometry->width;

      counts[cell] += pass == 0;
      for (gsize c = 0; c < channels; c++)
        if (pass == 0)
          sums[cell * channels + c] += (double) image->pixels[i * channels + c];
        else
          image->filtered[i * channels + c]
              = (float) (sums[cell * channels + c] / (double) counts[cell]);
    }
  return TRUE;
}

IMAGE_FILTER (pixelation, "pixelation",
  .summary = "Show images as squares of one colour, the mean of the pixels in them",
  .reference = { "McPherson, Shokri and Shmatikov 2016, Defeating Image Obfuscation with Deep "
                 "Learning",
                 "section 3" },
  ASSAY_SETTINGS (Pixelation,
    ASSAY_PARAM_INT (Pixelation, cells, 4, 1, 65536, "cells",
                     "Squares of one colour along each side; an image with fewer pixels keeps its "
                     "pixels")));
