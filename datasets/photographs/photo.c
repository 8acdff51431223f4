/* Photographs: files by gdk-pixbuf, and the reduction that the reference descriptors have gone
 * through, as OpenCV 4.6 does it on 8-bit pictures (its conversion to grey: core/data/photo.h).
 *
 * Shrinking (resize, INTER_AREA): pixel i of a side that goes from n to m pixels is the mean of
 * [i n / m, (i + 1) n / m) of the source, pixels on its ends counting by the part that is covered;
 * then rounded.
 *
 * A file that was cut off is no photograph: decoders fill what is missing with grey, and whoever
 * goes on with that works on a picture that nobody took. So a PNG stream has to end with its IEND
 * chunk; it has checksums against other damage. For JPEG see jpeg-check.c. */
#include "datasets/photographs/photo.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/data/matrix.h"
#include "datasets/photographs/jpeg-check.h"

/* ---- Files ---- */

typedef enum { JPEG, PNG, N_FORMATS } Format;

static const char *const format_names[N_FORMATS] = { "jpeg", "png" }; /* as gdk-pixbuf says them */

static gboolean
check_file (const char *file, GError **error)
{
  GStatBuf about;

  if (g_stat (file, &about) != 0 || g_access (file, R_OK) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: %s", file, g_strerror (errno));
  if (!S_ISREG (about.st_mode))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: is not a regular file", file);
  if (about.st_size > ASSAY_PHOTO_MAX_BYTES)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: %" G_GINT64_FORMAT " bytes; expected a photograph of at most %d", file,
                       (gint64) about.st_size, ASSAY_PHOTO_MAX_BYTES);
  return TRUE;
}

static gboolean
check_sides (const char *file, int width, int height, GError **error)
{
  if (width >= 1 && height >= 1 && width <= ASSAY_PHOTO_MAX_PIXELS / height)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_DATA, "%s: %d x %d pixels; expected at most %d pixels",
                     file, width, height, ASSAY_PHOTO_MAX_PIXELS);
}

/* By how it begins. */
static gboolean
find_format (const guint8 *data, gsize length, Format *ret_format, GError **error)
{
  static const guint8 png[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  static const char *const others[][2]
      = { { "GIF8", "gif" }, { "BM", "bmp" }, { "RIFF", "webp" }, { "II*", "tiff" } };

  *ret_format = length > 2 && data[0] == 0xff && data[1] == 0xd8 ? JPEG : PNG;
  if (*ret_format == JPEG || (length > sizeof png && memcmp (data, png, sizeof png) == 0))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    const gsize begin = strlen (others[i][0]);

    if (length > begin && memcmp (data, others[i][0], begin) == 0)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "a picture in the format %s; expected JPEG or PNG", others[i][1]);
  }
  return assay_fail (error, ASSAY_ERROR_DATA, "no picture; expected JPEG or PNG");
}

/* That gdk-pixbuf is asked of these formats alone: loaders of others warn of damaged headers, where
 * an error is all that is wanted. */
static gboolean
check_begin (const char *file, GError **error)
{
  guint8 begin[16];
  FILE *stream = fopen (file, "rbe");
  const gsize length = stream != NULL ? fread (begin, 1, sizeof begin, stream) : 0;
  Format format;

  if (stream != NULL)
    fclose (stream);
  return find_format (begin, length, &format, error) || assay_prefix (error, "%s: ", file);
}

gboolean
assay_photo_read_size (const char *file, gsize *ret_width, gsize *ret_height, GError **error)
{
  int width = 0, height = 0;

  if (!check_file (file, error) || !check_begin (file, error))
    return FALSE;
  if (gdk_pixbuf_get_file_info (file, &width, &height) == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: no picture; expected JPEG or PNG", file);
  if (!check_sides (file, width, height, error))
    return FALSE;
  *ret_width = (gsize) width;
  *ret_height = (gsize) height;
  return TRUE;
}

GBytes *
assay_photo_read (const char *file, GError **error)
{
  g_autoptr (GError) cause = NULL;
  char *data;
  gsize length;

  if (!check_file (file, error))
    return NULL;
  if (!g_file_get_contents (file, &data, &length, &cause))
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: %s", file, cause->message);
  return g_bytes_new_take (data, length);
}

static gboolean
png_is_whole (const guint8 *data, gsize length)
{
  gsize i = 8;

  /* A chunk: length, name, that many bytes, checksum. */
  while (i < length && length - i >= 12) {
    const gsize inside = (gsize) data[i] << 24 | (gsize) data[i + 1] << 16
                         | (gsize) data[i + 2] << 8 | data[i + 3];

    if (inside > length - i - 12)
      return FALSE;
    if (memcmp (data + i + 4, "IEND", 4) == 0)
      return TRUE;
    i += 12 + inside;
  }
  return FALSE;
}

static gboolean
check_content (const guint8 *data, gsize length, Format *ret_format, GError **error)
{
  if (!find_format (data, length, ret_format, error))
    return FALSE;
  if (*ret_format == JPEG)
    return assay_jpeg_check (data, length, ASSAY_PHOTO_MAX_PIXELS, error);
  return png_is_whole (data, length)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "truncated after %zu bytes: the picture has no end", length);
}

typedef struct {
  const char *file;
  GError *error;
} Sides;

/* A side of 0 tells the loader to stop before it takes memory for the picture. */
static void
on_size (GdkPixbufLoader *loader, int width, int height, gpointer data)
{
  Sides *sides = data;

  if (sides->error == NULL && !check_sides (sides->file, width, height, &sides->error))
    gdk_pixbuf_loader_set_size (loader, 0, 0);
}

static GdkPixbuf *
load_pixbuf (GBytes *bytes, Format format, const char *file, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GdkPixbufLoader) loader
      = gdk_pixbuf_loader_new_with_type (format_names[format], &cause);
  Sides sides = { .file = file };
  GdkPixbuf *pixbuf = NULL;

  if (loader != NULL) {
    g_signal_connect (loader, "size-prepared", G_CALLBACK (on_size), &sides);
    /* A loader has to be closed whatever has happened. */
    if (!gdk_pixbuf_loader_write_bytes (loader, bytes, &cause))
      gdk_pixbuf_loader_close (loader, NULL);
    else if (gdk_pixbuf_loader_close (loader, &cause))
      pixbuf = gdk_pixbuf_loader_get_pixbuf (loader);
  }
  if (sides.error != NULL) {
    g_propagate_error (error, sides.error);
    return NULL;
  }
  if (pixbuf == NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: %s", file,
                            cause != NULL ? cause->message : "a file without a picture");
  pixbuf = gdk_pixbuf_apply_embedded_orientation (pixbuf);
  return pixbuf != NULL
             ? pixbuf
             : assay_fail_null (error, ASSAY_ERROR_MEMORY, "%s: no memory to turn it", file);
}

AssayPhoto *
assay_photo_decode (GBytes *bytes, const char *file, GError **error)
{
  g_autoptr (GdkPixbuf) upright = NULL;
  const guint8 *data, *pixels;
  gsize length, stride, channels;
  AssayPhoto *photo;
  Format format;

  data = g_bytes_get_data (bytes, &length);
  if (!check_content (data, length, &format, error))
    return assay_prefix_null (error, "%s: ", file);
  upright = load_pixbuf (bytes, format, file, error);
  if (upright == NULL)
    return NULL;
  photo = assay_photo_new ((gsize) gdk_pixbuf_get_width (upright),
                           (gsize) gdk_pixbuf_get_height (upright), 3, error);
  if (photo == NULL)
    return assay_prefix_null (error, "%s: ", file);
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

AssayPhoto *
assay_photo_load (const char *file, GError **error)
{
  g_autoptr (GBytes) bytes = assay_photo_read (file, error);

  return bytes != NULL ? assay_photo_decode (bytes, file, error) : NULL;
}

/* ---- Sizes ---- */

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

void
assay_photo_shrunk_size (gsize width, gsize height, gsize longest, gsize *ret_width,
                         gsize *ret_height)
{
  const gsize side = MAX (width, height);
  const double ratio = side > longest ? (double) longest / (double) side : 1.0;

  *ret_width = MAX ((gsize) lrint ((double) width * ratio), 1);
  *ret_height = MAX ((gsize) lrint ((double) height * ratio), 1);
}

AssayPhoto *
assay_photo_shrink (const AssayPhoto *photo, gsize longest, GError **error)
{
  gsize width, height;
  g_autoptr (AssayPhoto) narrow = NULL;
  AssayPhoto *small;

  assay_photo_shrunk_size (photo->width, photo->height, longest, &width, &height);
  narrow = assay_photo_new (width, photo->height, photo->channels, error);
  if (narrow == NULL)
    return NULL;
  small = assay_photo_new (width, height, photo->channels, error);
  if (small == NULL)
    return NULL;
  shrink_lines (photo->data, photo->height, photo->width, width, photo->channels, narrow->data);
  shrink_lines (narrow->data, 1, photo->height, height, width * photo->channels, small->data);
  for (gsize i = 0; i < width * height * photo->channels; i++)
    small->data[i] = (float) assay_photo_byte (small->data[i]);
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
