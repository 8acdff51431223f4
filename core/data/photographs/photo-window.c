/* A part of a picture, made smaller by area. */
#include "core/data/photographs/photo-window.h"

#include <math.h>
#include <string.h>

/* The means of the @side cells of one line of the picture. */
static void
reduce_line (const float *line, gsize length, const AssayPhotoWindow *window, gsize side,
             double *ret_means)
{
  const double cell = window->width / (double) side;

  for (gsize i = 0; i < side; i++) {
    const double low = window->left + (double) i * cell, high = low + cell;
    const gsize last = MIN ((gsize) ceil (high), length);
    double sum = 0, covered = 0;

    for (gsize x = (gsize) low; x < last; x++) {
      const double share = MIN (high, (double) x + 1) - MAX (low, (double) x);

      sum += share * (double) line[x];
      covered += share;
    }
    ret_means[i] = covered > 0 ? sum / covered : 0;
  }
}

void
assay_photo_reduce (const AssayPhoto *grey, const AssayPhotoWindow *window, gsize side,
                    float *ret_pixels)
{
  const double cell = window->height / (double) side;

  g_return_if_fail (grey->channels == 1 && side >= 1 && side <= ASSAY_PHOTO_WINDOW_MOST);
  for (gsize j = 0; j < side; j++) {
    const double low = window->top + (double) j * cell, high = low + cell;
    const gsize last = MIN ((gsize) ceil (high), grey->height);
    double sums[ASSAY_PHOTO_WINDOW_MOST] = { 0 }, means[ASSAY_PHOTO_WINDOW_MOST], covered = 0;

    for (gsize y = (gsize) low; y < last; y++) {
      const double share = MIN (high, (double) y + 1) - MAX (low, (double) y);

      reduce_line (grey->data + y * grey->width, grey->width, window, side, means);
      for (gsize i = 0; i < side; i++)
        sums[i] += share * means[i];
      covered += share;
    }
    for (gsize i = 0; i < side; i++)
      ret_pixels[j * side + i] = (float) (covered > 0 ? sums[i] / covered : 0);
  }
}
