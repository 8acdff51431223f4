/* Photographs: files by gdk-pixbuf, and the two conversions that the reference descriptors have
 * gone through, as OpenCV 4.6 does them on 8-bit pictures.
 *
 * Grey (cvtColor, BGR2GRAY): (9798 R + 19235 G + 3735 B + 2^14) >> 15, the fixed-point form of
 * 0.299 R + 0.587 G + 0.114 B, rounded.
 * Shrinking (resize, INTER_AREA): pixel i of a side that goes from n to m pixels is the mean of
 * [i n / m, (i + 1) n / m) of the source, pixels on its ends counting by the part that is covered;
 * then rounded. */
#include "datasets/photo.h"

#include <math.h>
#include <string.h>

#include <gdk-pixbuf/gdk-pixbuf.h>

#include "core/error.h"
#include "core/matrix.h"

AssayPhoto *
assay_photo_new (gsize width, gsize height, gsize channels, GError **error)
{
  gsize pixels;
  float *data;
  AssayPhoto *photo;

  if (!g_size_checked_mul (&pixels, width, height))
    pixels = G_MAXSIZE;
  data = assay_alloc (pixels, channels * sizeof (float), "picture", error);
  if (data == NULL)
    return NULL;
  photo = g_new (AssayPhoto, 1);
  *photo = (AssayPhoto){ .width = width, .height = height, .channels = channels, .data = data };
  return photo;
}

void
assay_photo_free (AssayPhoto *photo)
{
  if (photo == NULL)
    return;
  g_free (photo->data);
  g_free (photo);
}

AssayPhoto *
assay_photo_load (const char *file, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GdkPixbuf) stored = gdk_pixbuf_new_from_file (file, &cause);
  g_autoptr (GdkPixbuf) upright = NULL;
  const guint8 *pixels;
  gsize stride, channels;
  AssayPhoto *photo;

  if (stored == NULL) {
    assay_fail (error, ASSAY_ERROR_DATA, "%s: %s", file, cause->message);
    return NULL;
  }
  upright = gdk_pixbuf_apply_embedded_orientation (stored);
  photo = assay_photo_new ((gsize) gdk_pixbuf_get_width (upright),
                           (gsize) gdk_pixbuf_get_height (upright), 3, error);
  if (photo == NULL) {
    g_prefix_error (error, "%s: ", file);
    return NULL;
  }
  pixels = gdk_pixbuf_read_pixels (upright);
  stride = (gsize) gdk_pixbuf_get_rowstride (upright);
  channels = (gsize) gdk_pixbuf_get_n_channels (upright);
  for (gsize y = 0; y < photo->height; y++)
    for (gsize x = 0; x < photo->width; x++) {
      const guint8 *from = pixels + y * stride + x * channels;
      float *to = assay_photo_pixel (photo, x, y);

      for (gsize c = 0; c < 3; c++)
        to[c] = (float) from[c];
    }
  return photo;
}

static int
to_byte (float value)
{
  return (int) lrintf (CLAMP (value, 0.0f, 255.0f));
}

AssayPhoto *
assay_photo_grey (const AssayPhoto *photo, GError **error)
{
  AssayPhoto *grey = assay_photo_new (photo->width, photo->height, 1, error);

  if (grey == NULL)
    return NULL;
  for (gsize i = 0; i < photo->width * photo->height; i++) {
    const float *from = photo->data + i * photo->channels;

    if (photo->channels == 1)
      grey->data[i] = (float) to_byte (from[0]);
    else
      grey->data[i] = (float) ((9798 * to_byte (from[0]) + 19235 * to_byte (from[1])
                                + 3735 * to_byte (from[2]) + (1 << 14))
                               >> 15);
  }
  return grey;
}

/* Along one axis: @lines lines of @from steps that are @step floats apart become lines of @to
 * steps; @ret_values has to * step floats a line. */
static void
shrink_lines (const float *values, gsize lines, gsize from, gsize to, gsize step,
              float *ret_values)
{
  const double scale = (double) from / (double) to;

  for (gsize line = 0; line < lines; line++)
    for (gsize i = 0; i < to; i++) {
      const double low = (double) i * scale, high = low + scale;
      const gsize first = (gsize) low, last = MIN ((gsize) ceil (high), from);

      for (gsize k = 0; k < step; k++) {
        double sum = 0;

        for (gsize j = first; j < last; j++) {
          const double covered = MIN (high, (double) j + 1) - MAX (low, (double) j);

          sum += covered * (double) values[(line * from + j) * step + k];
        }
        ret_values[(line * to + i) * step + k] = (float) (sum / scale);
      }
    }
}

AssayPhoto *
assay_photo_shrink (const AssayPhoto *photo, gsize longest, GError **error)
{
  const gsize side = MAX (photo->width, photo->height);
  const double ratio = side > longest ? (double) longest / (double) side : 1.0;
  const gsize width = MAX ((gsize) lrint ((double) photo->width * ratio), 1);
  const gsize height = MAX ((gsize) lrint ((double) photo->height * ratio), 1);
  g_autoptr (AssayPhoto) narrow = assay_photo_new (width, photo->height, photo->channels, error);
  AssayPhoto *small;

  if (narrow == NULL)
    return NULL;
  small = assay_photo_new (width, height, photo->channels, error);
  if (small == NULL)
    return NULL;
  shrink_lines (photo->data, photo->height, photo->width, width, photo->channels, narrow->data);
  shrink_lines (narrow->data, 1, photo->height, height, width * photo->channels, small->data);
  for (gsize i = 0; i < width * height * photo->channels; i++)
    small->data[i] = (float) to_byte (small->data[i]);
  return small;
}

/* Blurs one line of @n values that are @stride floats apart by a symmetric kernel. */
static void
blur_line (float *line, gsize n, gsize stride, const double *kernel, gsize radius, float *scratch)
{
  for (gsize i = 0; i < n; i++)
    scratch[i] = line[i * stride];
  for (gsize i = 0; i < n; i++) {
    double sum = kernel[0] * (double) scratch[i];

    for (gsize k = 1; k <= radius; k++) {
      const gsize before = i >= k ? i - k : MIN (k - i, n - 1);
      const gsize after = i + k < n ? i + k : 2 * n - 2 - MIN (i + k, 2 * n - 2);

      sum += kernel[k] * ((double) scratch[before] + (double) scratch[after]);
    }
    line[i * stride] = (float) sum;
  }
}

gboolean
assay_photo_blur (AssayPhoto *photo, double sigma, GError **error)
{
  const gsize radius = (gsize) ceil (3.0 * sigma);
  g_autofree double *kernel = g_new (double, radius + 1);
  g_autofree float *scratch
      = assay_alloc (MAX (photo->width, photo->height), sizeof (float), "blur", error);
  double sum = 0;

  if (scratch == NULL)
    return FALSE;
  for (gsize k = 0; k <= radius; k++) {
    kernel[k] = exp (-0.5 * (double) (k * k) / (sigma * sigma));
    sum += k == 0 ? kernel[k] : 2 * kernel[k];
  }
  for (gsize k = 0; k <= radius; k++)
    kernel[k] /= sum;
  for (gsize c = 0; c < photo->channels; c++) {
    for (gsize y = 0; y < photo->height; y++)
      blur_line (assay_photo_pixel (photo, 0, y) + c, photo->width, photo->channels, kernel, radius,
                 scratch);
    for (gsize x = 0; x < photo->width; x++)
      blur_line (assay_photo_pixel (photo, x, 0) + c, photo->height,
                 photo->channels * photo->width, kernel, radius, scratch);
  }
  return TRUE;
}

gboolean
assay_photo_sharpen (AssayPhoto *photo, double strength, GError **error)
{
  g_autoptr (AssayPhoto) blurred
      = assay_photo_new (photo->width, photo->height, photo->channels, error);
  const gsize count = photo->width * photo->height * photo->channels;

  if (blurred == NULL)
    return FALSE;
  memcpy (blurred->data, photo->data, count * sizeof (float));
  if (!assay_photo_blur (blurred, 1.0, error))
    return FALSE;
  for (gsize i = 0; i < count; i++)
    photo->data[i] += (float) strength * (photo->data[i] - blurred->data[i]);
  return TRUE;
}
