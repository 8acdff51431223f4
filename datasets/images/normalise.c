/* Normalisation of bytes x to numbers, sums as whole numbers and therefore exact:
 *
 *   unit     x / 255
 *   dataset  (x - m_c) / s_c, m_c and s_c the mean and population standard deviation of channel c
 *            over all pixels of all secrets; other roles by the same numbers, as they are what
 *            training would use and are no secret of one image
 *   vector   (x - m) / |x - m|, m the mean of this image over all channels: zero mean and unit
 *            norm, the form for which InstaHide's theory is stated (Huang, Song, Li and Arora 2020,
 *            section 4 and appendix A) */
#include "datasets/images/normalise.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/parallel.h"

const char *const assay_pixel_scales[] = { "unit", "dataset", "vector", NULL };

#define PANEL 256 /* images of one piece of work */

gboolean
assay_normaliser_init (AssayNormaliser *normaliser, AssayPixelScale scale,
                       const AssayImages *secrets, GError **error)
{
  const gsize channels = secrets->channels;
  const gsize total = secrets->count * assay_images_cols (secrets);
  guint64 sum[ASSAY_MAX_CHANNELS] = { 0 }, squares[ASSAY_MAX_CHANNELS] = { 0 };
  const double n = (double) (total / channels);

  *normaliser = (AssayNormaliser){ .scale = scale };
  if (scale != ASSAY_PIXELS_DATASET)
    return TRUE;
  for (gsize i = 0; i < total; i += channels)
    for (gsize c = 0; c < channels; c++) {
      const guint64 x = secrets->pixels[i + c];

      sum[c] += x;
      squares[c] += x * x;
    }
  for (gsize c = 0; c < channels; c++) {
    const double mean = (double) sum[c] / n;

    normaliser->mean[c] = mean;
    normaliser->deviation[c] = sqrt (MAX ((double) squares[c] / n - mean * mean, 0.0));
    /* A single other byte among 10^12 gives more than 10^-6 for two neighbouring values. */
    if (normaliser->deviation[c] < 1e-7)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: channel %zu is %g in every pixel of the secrets; scale = dataset "
                         "divides by its standard deviation",
                         secrets->source, c, mean);
  }
  return TRUE;
}

typedef struct {
  const AssayNormaliser *normaliser;
  const AssayImages *images;
  AssayMatrix *matrix;
  float table[ASSAY_MAX_CHANNELS][256];
  gint is_constant; /* atomic: some image is */
} Work;

static void
fill_tables (Work *work)
{
  const AssayNormaliser *normaliser = work->normaliser;

  for (gsize c = 0; c < work->images->channels; c++)
    for (gsize x = 0; x < 256; x++)
      work->table[c][x]
          = (float) (normaliser->scale == ASSAY_PIXELS_DATASET
                         ? ((double) x - normaliser->mean[c]) / normaliser->deviation[c]
                         : (double) x / 255.0);
}

/* FALSE for an image of one value. */
static gboolean
normalise_vector (const guint8 *pixels, gsize cols, float *ret_values)
{
  guint64 sum = 0, squares = 0;
  double mean, norm;

  for (gsize i = 0; i < cols; i++) {
    sum += pixels[i];
    squares += (guint64) pixels[i] * pixels[i];
  }
  /* cols^2 times the variance, a whole number. */
  if (squares * cols == sum * sum)
    return FALSE;
  mean = (double) sum / (double) cols;
  norm = sqrt ((double) (squares * cols - sum * sum) / (double) cols);
  for (gsize i = 0; i < cols; i++)
    ret_values[i] = (float) (((double) pixels[i] - mean) / norm);
  return TRUE;
}

static void
normalise_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  Work *work = data;
  const AssayImages *images = work->images;
  const gsize channels = images->channels, cols = assay_images_cols (images);

  for (gsize i = index * PANEL; i < MIN ((index + 1) * PANEL, images->count); i++) {
    const guint8 *pixels = assay_images_row (images, i);
    float *values = assay_matrix_row (work->matrix, i);

    if (work->normaliser->scale != ASSAY_PIXELS_VECTOR) {
      for (gsize j = 0; j < cols; j += channels)
        for (gsize c = 0; c < channels; c++)
          values[j + c] = work->table[c][pixels[j + c]];
    } else if (!normalise_vector (pixels, cols, values)) {
      g_atomic_int_set (&work->is_constant, 1);
    }
  }
}

static gboolean
is_constant (const guint8 *pixels, gsize cols)
{
  for (gsize i = 1; i < cols; i++)
    if (pixels[i] != pixels[0])
      return FALSE;
  return TRUE;
}

static gboolean
fail_constant (const AssayImages *images, const char *role, GError **error)
{
  const gsize cols = assay_images_cols (images);
  gsize i = 0;

  while (!is_constant (assay_images_row (images, i), cols))
    i++;
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "%s: %s: image %zu is %d in every pixel; scale = vector gives every image "
                     "mean 0 and norm 1, which it cannot have",
                     role, images->source, i, assay_images_row (images, i)[0]);
}

AssayMatrix *
assay_normalise (const AssayNormaliser *normaliser, const AssayImages *images, const char *role,
                 GError **error)
{
  g_autoptr (AssayMatrix) matrix
      = assay_matrix_new (images->count, assay_images_cols (images), error);
  Work work = { .normaliser = normaliser, .images = images, .matrix = matrix };

  if (matrix == NULL)
    return NULL;
  fill_tables (&work);
  assay_parallel_for ((images->count + PANEL - 1) / PANEL, normalise_panel, &work);
  if (work.is_constant) {
    fail_constant (images, role, error);
    return NULL;
  }
  return g_steal_pointer (&matrix);
}

void
assay_normaliser_range (const AssayNormaliser *normaliser, gsize channels, AssayGeometry *geometry)
{
  double black = 0, white = 0;

  switch (normaliser->scale) {
  case ASSAY_PIXELS_UNIT:
    white = 1;
    break;
  case ASSAY_PIXELS_DATASET:
    for (gsize c = 0; c < channels; c++) {
      black += (0.0 - normaliser->mean[c]) / normaliser->deviation[c] / (double) channels;
      white += (255.0 - normaliser->mean[c]) / normaliser->deviation[c] / (double) channels;
    }
    break;
  case ASSAY_PIXELS_VECTOR:
    break;
  }
  geometry->black = black;
  geometry->white = white;
}
