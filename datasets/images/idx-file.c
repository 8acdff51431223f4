/* Reading IDX files. A compressed file is mapped and inflated straight to where its numbers are
 * wanted, so that an image file is held once; the size that its header promises is believed only as
 * far as deflate can reach (1032 bytes from one, zlib's manual, "Maximum Compression Factor"). */
#include "datasets/images/idx-file.h"

#include <string.h>

#include <gio/gio.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/data/matrix.h"

#define DEFLATE_MAX 1032
#define BYTES 8 /* the type, in the third byte */

struct _AssayIdxReader {
  char *path;
  GBytes *file;       /* mapped */
  const guint8 *data; /* what has not been read yet */
  gsize left;
  GZlibDecompressor *inflate; /* NULL: plain */
  gboolean is_finished;       /* the compressed stream has ended */
  gsize total, done;          /* numbers */
};

ASSAY_FREE_FUNC (AssayIdxReader, assay_idx_reader_free, assay_drop (self->file, g_bytes_unref),
                 assay_drop (self->inflate, g_object_unref), g_free (self->path))

static gboolean
open_file (AssayIdxReader *reader, GError **error)
{
  const char *path = reader->path;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: is a folder; expected an IDX file", path);
  reader->file = assay_file_map (path, error);
  if (reader->file == NULL)
    return FALSE;
  reader->data = g_bytes_get_data (reader->file, &reader->left);
  if (reader->left == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: is empty; expected an IDX file", path);
  if (reader->left >= 2 && reader->data[0] == 0x1f && reader->data[1] == 0x8b)
    reader->inflate = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP);
  return TRUE;
}

/* Up to @length bytes; fewer at the end. */
static gboolean
inflate_some (AssayIdxReader *reader, guint8 *ret_bytes, gsize length, gsize *ret_done,
              GError **error)
{
  gsize done = 0;

  while (done < length && !reader->is_finished) {
    g_autoptr (GError) cause = NULL;
    gsize n_read = 0, n_written = 0;
    const GConverterResult result = g_converter_convert (
        G_CONVERTER (reader->inflate), reader->data, reader->left, ret_bytes + done, length - done,
        G_CONVERTER_INPUT_AT_END, &n_read, &n_written, &cause);

    if (result == G_CONVERTER_ERROR) {
      const gboolean is_short = g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT);

      return assay_fail (error, ASSAY_ERROR_DATA, "%s: the gzip data is %s (%s)", reader->path,
                         is_short ? "truncated" : "damaged", cause->message);
    }
    reader->data += n_read;
    reader->left -= n_read;
    done += n_written;
    reader->is_finished = result == G_CONVERTER_FINISHED;
  }
  *ret_done = done;
  return TRUE;
}

static gboolean
read_some (AssayIdxReader *reader, guint8 *ret_bytes, gsize length, gsize *ret_done, GError **error)
{
  const gsize done = MIN (length, reader->left);

  if (reader->inflate != NULL)
    return inflate_some (reader, ret_bytes, length, ret_done, error);
  memcpy (ret_bytes, reader->data, done);
  reader->data += done;
  reader->left -= done;
  *ret_done = done;
  return TRUE;
}

static guint32
big_endian (const guint8 *bytes)
{
  return (guint32) bytes[0] << 24 | (guint32) bytes[1] << 16 | (guint32) bytes[2] << 8 | bytes[3];
}

/* How many dimensions the magic number tells: as many as @n_dimensions, or if that is 0, any. */
static gboolean
read_magic (AssayIdxReader *reader, guint *n_dimensions, GError **error)
{
  const guint expected = *n_dimensions;
  const guint first = expected > 0 ? expected : 1;
  const guint last = expected > 0 ? expected : ASSAY_IDX_MAX_DIMENSIONS;
  guint8 magic[4] = { 0 };
  gsize done;

  if (!read_some (reader, magic, sizeof magic, &done, error))
    return FALSE;
  *n_dimensions = magic[3];
  if (done == sizeof magic && big_endian (magic) >= (BYTES << 8 | first)
      && big_endian (magic) <= (BYTES << 8 | last))
    return TRUE;
  if (expected > 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: begins with %02x %02x %02x %02x; expected 00 00 08 %02x, an IDX file "
                       "of bytes with %u dimension%s",
                       reader->path, magic[0], magic[1], magic[2], magic[3], expected, expected,
                       expected == 1 ? "" : "s");
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "%s: begins with %02x %02x %02x %02x; expected 00 00 08 01 to 00 00 08 %02x, "
                     "an IDX file of bytes with 1 to %d dimensions",
                     reader->path, magic[0], magic[1], magic[2], magic[3], last, last);
}

/* The dimensions, and how many numbers they promise. */
static gboolean
read_header (AssayIdxReader *reader, guint *n_dimensions, gsize *ret_shape, GError **error)
{
  const gsize most = reader->inflate != NULL ? DEFLATE_MAX : 1;
  const gsize in_file = reader->left;
  guint8 sizes[4 * ASSAY_IDX_MAX_DIMENSIONS] = { 0 };
  gsize done, total = 1;

  if (!read_magic (reader, n_dimensions, error)
      || !read_some (reader, sizes, 4 * *n_dimensions, &done, error))
    return FALSE;
  if (done < 4 * *n_dimensions)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: ends after %zu bytes, in its header",
                       reader->path, 4 + done);
  for (guint k = 0; k < *n_dimensions; k++) {
    ret_shape[k] = big_endian (sizes + 4 * k);
    if (ret_shape[k] == 0)
      return assay_fail (error, ASSAY_ERROR_DATA, "%s: dimension %u is 0", reader->path, k);
    if (!g_size_checked_mul (&total, total, ret_shape[k]))
      total = G_MAXSIZE;
  }
  if (total / most > in_file || (reader->inflate == NULL && reader->left != total))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: the header promises %zu bytes after it, the %s %zu", reader->path,
                       total, reader->inflate != NULL ? "compressed file has" : "file has",
                       reader->left);
  reader->total = total;
  return TRUE;
}

AssayIdxReader *
assay_idx_reader_new (const char *path, guint *n_dimensions, gsize *ret_shape, GError **error)
{
  g_autoptr (AssayIdxReader) reader = g_new0 (AssayIdxReader, 1);

  reader->path = g_strdup (path);
  return open_file (reader, error) && read_header (reader, n_dimensions, ret_shape, error)
             ? g_steal_pointer (&reader)
             : NULL;
}

/* Nothing may follow the last number: neither more numbers, nor bytes after a compressed stream. */
static gboolean
check_end (AssayIdxReader *reader, GError **error)
{
  guint8 more;
  gsize done;

  if (!read_some (reader, &more, 1, &done, error))
    return FALSE;
  if (done > 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: goes on after the %zu bytes that its header promises", reader->path,
                       reader->total);
  if (reader->left > 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: %zu bytes follow the end of the gzip data",
                       reader->path, reader->left);
  return TRUE;
}

gboolean
assay_idx_reader_read (AssayIdxReader *reader, guint8 *ret_bytes, gsize length, GError **error)
{
  gsize done;

  if (!read_some (reader, ret_bytes, length, &done, error))
    return FALSE;
  reader->done += done;
  if (done < length)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: ends after %zu of the %zu bytes that its header promises", reader->path,
                       reader->done, reader->total);
  return reader->done < reader->total || check_end (reader, error);
}

gboolean
assay_idx_reader_is_gzip (const AssayIdxReader *reader)
{
  return reader->inflate != NULL;
}

/* ---- Whole files ---- */

gboolean
assay_idx_read_shape (const char *path, guint n_dimensions, gsize *ret_shape, GError **error)
{
  g_autoptr (AssayIdxReader) reader = assay_idx_reader_new (path, &n_dimensions, ret_shape, error);

  return reader != NULL;
}

guint8 *
assay_idx_read (const char *path, guint n_dimensions, gsize *ret_shape, GError **error)
{
  g_autoptr (AssayIdxReader) reader = assay_idx_reader_new (path, &n_dimensions, ret_shape, error);
  g_autofree guint8 *bytes = reader != NULL ? assay_alloc (reader->total, 1, path, error) : NULL;

  return bytes != NULL && assay_idx_reader_read (reader, bytes, reader->total, error)
             ? g_steal_pointer (&bytes)
             : NULL;
}

AssayImages *
assay_images_read_idx (const char *path, gboolean is_probe, GError **error)
{
  gsize shape[3];
  guint8 *pixels = is_probe ? NULL : assay_idx_read (path, 3, shape, error);
  AssayImages *images;

  if (is_probe ? !assay_idx_read_shape (path, 3, shape, error) : pixels == NULL)
    return NULL;
  images = assay_images_probed (&(AssayImages){ .count = shape[0],
                                                .height = shape[1],
                                                .width = shape[2],
                                                .channels = 1,
                                                .source = (char *) path });
  images->pixels = pixels;
  return images;
}

gboolean
assay_idx_is_likely (const char *path)
{
  g_autoptr (AssayIdxReader) reader = g_new0 (AssayIdxReader, 1);

  reader->path = g_strdup (path);
  return open_file (reader, NULL)
         && (reader->inflate != NULL
             || (reader->left >= 4 && big_endian (reader->data) == (BYTES << 8 | 3)));
}
