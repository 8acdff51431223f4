/* Images under a Gaussian filter of deviation sigma, cut at three of them and normalised; beyond
 * the edge the pixels of the edge go on (McPherson, Shokri and Shmatikov 2016, "Defeating Image
 * Obfuscation with Deep Learning", section 3). It is done along rows, then along columns. */
#include <math.h>

#include "defenses/images/image-filter.h"

typedef struct {
  double sigma;
} GaussianBlur;

/* Weights of 2 r + 1 pixels. */
static double *
weights_of (double sigma, gsize *ret_radius)
{
  const gsize radius = (gsize) ceil (3 * sigma);
  double *weights = g_new (double, 2 * radius + 1);
  double sum = 0;

  for (gsize i = 0; i <= 2 * radius; i++) {
    const double away = (double) i - (double) radius;

    weights[i] = exp (-away * away / (2 * sigma * sigma));
    sum += weights[i];
  }
  for (gsize i = 0; i <= 2 * radius; i++)
    weights[i] /= sum;
  *ret_radius = radius;
  return weights;
}

/* Filters @count numbers that stand @stride apart. */
static void
blur_line (const double *weights, gsize radius, const float *line, gsize count, gsize stride,
           float *ret_line)
{
  for (gsize i = 0; i < count; i++) {
    double sum = 0;

    for (gsize w = 0; w <= 2 * radius; w++) {
      const gsize at = i + w < radius ? 0 : MIN (i + w - radius, count - 1);

      sum += weights[w] * (double) line[at * stride];
    }
    ret_line[i * stride] = (float) sum;
  }
}

static gboolean
filter (gconstpointer data, const FilteredImage *image, GError **error)
{
  const GaussianBlur *settings = data;
  const AssayGeometry *geometry = image->geometry;
  const gsize channels = geometry->channels, width = geometry->width * channels;
  gsize radius;
  g_autofree double *weights = weights_of (settings->sigma, &radius);
  g_autofree float *rows = assay_alloc (geometry->height, width * sizeof (float), "image", error);

  if (rows == NULL)
    return FALSE;
  for (gsize y = 0; y < geometry->height; y++)
    for (gsize c = 0; c < channels; c++)
      blur_line (weights, radius, image->pixels + y * width + c, geometry->width, channels,
                 rows + y * width + c);
  for (gsize x = 0; x < width; x++)
    blur_line (weights, radius, rows + x, geometry->height, width, image->filtered + x);
  return TRUE;
}

IMAGE_FILTER (gaussian_blur, "gaussian-blur",
  .summary = "Blur images by a Gaussian filter",
  .reference = { "McPherson, Shokri and Shmatikov 2016, Defeating Image Obfuscation with Deep "
                 "Learning",
                 "section 3" },
  ASSAY_SETTINGS (GaussianBlur,
    ASSAY_PARAM_REAL (GaussianBlur, sigma, 2, 0.1, 100, "pixels",
                      "Standard deviation of the filter")));
