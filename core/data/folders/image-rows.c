/* Images in arrays as rows. */
#include "core/data/folders/image-rows.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/vectors.h"
#include "core/data/photo.h"

#define COLOUR 3
#define MOST_LOOKED_AT 500 /* images */
#define LEAST_LOOKED_AT 20
#define TELLS 10.0   /* t of the difference */
#define CLEARLY 0.05 /* in correlation */

/* ---- Shapes ---- */

gsize
assay_geometry_cols (const AssayGeometry *geometry)
{
  gsize pixels, numbers;

  return g_size_checked_mul (&pixels, geometry->height, geometry->width)
                 && g_size_checked_mul (&numbers, pixels, geometry->channels)
             ? numbers
             : 0;
}

static gboolean
holds_pixels (const AssayArray *array)
{
  return array->type == ASSAY_FLOAT32 || array->type == ASSAY_FLOAT64 || array->type == ASSAY_UINT8;
}

static gboolean
is_channels (gsize side)
{
  return side == 1 || side == COLOUR;
}

static gboolean
has_sides (const AssayGeometry *geometry, gsize height, gsize width, gsize channels)
{
  return geometry->height == height && geometry->width == width && geometry->channels == channels;
}

static gboolean
fail_shape (const AssayArray *array, const char *name, const char *expected, GError **error)
{
  g_autofree char *found = assay_array_describe (array);

  return assay_fail (error, ASSAY_ERROR_DATA, "array '%s' is %s; expected %s", name, found,
                     expected);
}

/* Where the channels of n x ? x ? x ? stand. */
static gboolean
find_order (const AssayArray *array, const char *name, const AssayGeometry *known,
            AssayPixelOrder *inout_order, GError **error)
{
  const gsize *shape = array->shape;
  const gboolean last = is_channels (shape[3]), first = is_channels (shape[1]);
  const gboolean fits_last = known->height == 0 || has_sides (known, shape[1], shape[2], shape[3]);
  const gboolean fits_first = known->height == 0 || has_sides (known, shape[2], shape[3], shape[1]);

  if (*inout_order == ASSAY_ORDER_NOT_TOLD && last && fits_last && !(first && fits_first))
    *inout_order = ASSAY_ORDER_INTERLEAVED;
  else if (*inout_order == ASSAY_ORDER_NOT_TOLD && first && fits_first && !(last && fits_last))
    *inout_order = ASSAY_ORDER_PLANES;
  if (*inout_order == ASSAY_ORDER_NOT_TOLD)
    return fail_shape (array, name,
                       last && first ? "geometry with 'order' (interleaved or planes): either "
                                       "could be"
                                     : "n x height x width x channels or n x channels x height x "
                                       "width, with 1 or 3 channels as its geometry says",
                       error);
  return TRUE;
}

/* What images of that shape are; compared with what is known of them. */
static gboolean
take_sides (const AssayArray *array, const char *name, AssayPixelOrder order,
            AssayGeometry *inout_geometry, GError **error)
{
  const gsize *shape = array->shape;
  const gboolean is_grey = array->n_dimensions == 3, has_planes = order == ASSAY_ORDER_PLANES;
  const gsize height = shape[has_planes && !is_grey ? 2 : 1];
  const gsize width = shape[has_planes && !is_grey ? 3 : 2];
  const gsize channels = is_grey ? 1 : shape[has_planes ? 1 : 3];
  g_autofree char *expected
      = g_strdup_printf ("images of %zu x %zu pixels with %zu channel%s, as its geometry says",
                         inout_geometry->height, inout_geometry->width, inout_geometry->channels,
                         assay_channels_plural (inout_geometry->channels));

  if (height == 0 || width == 0 || channels == 0)
    return fail_shape (array, name, "images with pixels", error);
  if (inout_geometry->height > 0 && !has_sides (inout_geometry, height, width, channels))
    return fail_shape (array, name, expected, error);
  inout_geometry->height = height;
  inout_geometry->width = width;
  inout_geometry->channels = channels;
  return TRUE;
}

/* ---- Order of the pixels of rows ---- */

/* Of the magnitudes of a row, which a mask of signs leaves, with those @lag numbers on. */
static double
likeness (const float *magnitudes, gsize cols, gsize lag)
{
  return assay_correlation (magnitudes, magnitudes + lag, cols - lag);
}

/* A row of pixels is like the next one: that is width numbers on in planes, and channels times
 * width of interleaved ones, where width numbers on is another place of the picture. */
static gboolean
look_like_planes (const AssayArray *array, const AssayGeometry *geometry)
{
  const AssayView rows = assay_array_view (array);
  const gsize n = MIN (rows.rows, MOST_LOOKED_AT), lag = geometry->width;
  g_autofree float *magnitudes = g_new (float, rows.cols);
  double sum = 0, square = 0, mean, error;

  if (geometry->channels < 2 || n < LEAST_LOOKED_AT || geometry->height < 4)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const float *row = assay_view_row (rows, i * rows.rows / n);
    double gap;

    for (gsize j = 0; j < rows.cols; j++)
      magnitudes[j] = fabsf (row[j]);
    gap = likeness (magnitudes, rows.cols, lag)
          - likeness (magnitudes, rows.cols, lag * geometry->channels);
    sum += gap;
    square += gap * gap;
  }
  mean = sum / (double) n;
  error = sqrt (MAX (square / (double) n - mean * mean, 1e-12) / (double) n);
  return mean > CLEARLY && mean > TELLS * error;
}

/* ---- Rows ---- */

static float
number_at (const AssayArray *array, gsize at)
{
  if (array->type == ASSAY_UINT8)
    return array->data[at];
  return array->type == ASSAY_FLOAT64 ? (float) ((const double *) (gconstpointer) array->data)[at]
                                      : ((const float *) (gconstpointer) array->data)[at];
}

/* n x d float32, with the channels of a pixel together. */
static AssayArray *
make_rows (const AssayArray *array, const AssayGeometry *geometry, gboolean has_planes,
           GError **error)
{
  const gsize channels = geometry->channels, plane = geometry->height * geometry->width;
  const gsize d = plane * channels, shape[] = { array->shape[0], d };
  float *rows = assay_alloc (MAX (shape[0], 1), d * sizeof (float), "images", error);

  if (rows == NULL)
    return NULL;
  for (gsize i = 0; i < shape[0]; i++)
    for (gsize p = 0; p < plane; p++)
      for (gsize c = 0; c < channels; c++) {
        const gsize from = i * d + (has_planes ? c * plane + p : p * channels + c);

        rows[i * d + p * channels + c] = number_at (array, from);
      }
  return assay_array_take (ASSAY_FLOAT32, 2, shape, rows);
}

static gboolean
check_rows (const AssayArray *array, const char *name, AssayPixelOrder order,
            const AssayGeometry *geometry, GError **error)
{
  if (order != ASSAY_ORDER_NOT_TOLD || !look_like_planes (array, geometry))
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "array '%s': its pixels look as if all of a channel stood together; expected "
                     "geometry with \"order\": \"planes\", or \"interleaved\" if they do not",
                     name);
}

gboolean
assay_image_rows_take (AssayArrays *arrays, const char *name, AssayPixelOrder order,
                       AssayGeometry *inout_geometry, GError **error)
{
  const AssayArray *array = assay_arrays_get (arrays, name);
  AssayGeometry sides = inout_geometry != NULL ? *inout_geometry : (AssayGeometry){ 0 };
  AssayArray *rows;

  /* What is no array of images is refused by the rules of the record. */
  if (array == NULL || !holds_pixels (array))
    return TRUE;
  if (array->n_dimensions < 3
      && (array->n_dimensions < 2 || array->type != ASSAY_FLOAT32 || sides.height == 0
          || assay_geometry_cols (&sides) != array->shape[1]))
    return TRUE;
  if (array->n_dimensions == 2) {
    if (!check_rows (array, name, order, &sides, error))
      return FALSE;
  } else if ((array->n_dimensions == 4 && !find_order (array, name, &sides, &order, error))
             || !take_sides (array, name, order, &sides, error)) {
    return FALSE;
  }
  if (array->n_dimensions == 2 && (order != ASSAY_ORDER_PLANES || sides.channels == 1))
    return TRUE;
  rows = make_rows (array, &sides, order == ASSAY_ORDER_PLANES && sides.channels > 1, error);
  if (rows == NULL)
    return FALSE;
  assay_arrays_take (arrays, name, rows);
  if (inout_geometry != NULL)
    *inout_geometry = sides;
  return TRUE;
}

AssayArray *
assay_image_rows_of (const AssayArray *array, GError **error)
{
  static const char *const name = "images";
  AssayArrays arrays;
  AssayArray *rows = NULL;

  assay_arrays_init (&arrays);
  assay_arrays_take (&arrays, name, assay_array_copy (array));
  if (!holds_pixels (array))
    fail_shape (array, name, "images of real numbers or bytes", error);
  else if (assay_image_rows_take (&arrays, name, ASSAY_ORDER_NOT_TOLD, NULL, error))
    rows = assay_array_copy (assay_arrays_get (&arrays, name));
  assay_arrays_clear (&arrays);
  return rows;
}
