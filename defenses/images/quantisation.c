/* Images with 2^bits levels of each channel, evenly from black to white; of images that have a
 * scale of their own, from the least to the largest of their numbers. A pixel takes the nearest
 * level (Gersho and Gray 1992, "Vector Quantization and Signal Compression", section 5.4: the
 * uniform quantizer). */
#include <math.h>

#include "defenses/images/image-filter.h"

typedef struct {
  gint64 bits;
} Quantisation;

static gboolean
filter (gconstpointer data, const FilteredImage *image, G_GNUC_UNUSED GError **error)
{
  const Quantisation *settings = data;
  const AssayGeometry *geometry = image->geometry;
  const gsize n = geometry->height * geometry->width * geometry->channels;
  const double levels = (double) ((1 << settings->bits) - 1);
  double low = geometry->black, high = geometry->white;

  if (low == high) {
    low = INFINITY;
    high = -INFINITY;
    for (gsize i = 0; i < n; i++) {
      low = MIN (low, (double) image->pixels[i]);
      high = MAX (high, (double) image->pixels[i]);
    }
  }
  for (gsize i = 0; i < n; i++) {
    const double share = high > low ? ((double) image->pixels[i] - low) / (high - low) : 0;

    image->filtered[i]
        = (float) (low + (high - low) * round (CLAMP (share, 0, 1) * levels) / levels);
  }
  return TRUE;
}

IMAGE_FILTER (quantisation, "quantisation",
  .summary = "Keep a few levels of each channel of an image",
  .reference = { "Gersho and Gray 1992, Vector Quantization and Signal Compression",
                 "section 5.4, the uniform quantizer" },
  ASSAY_SETTINGS (Quantisation,
    ASSAY_PARAM_INT (Quantisation, bits, 2, 1, 16, "bits", "Bits for a channel of a pixel")));
