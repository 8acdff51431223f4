/* Reading IDX files. A compressed file is mapped and inflated straight to where its numbers are
 * wanted, so that an image file is held once; the size that its header promises is believed only as
 * far as deflate can reach (1032 bytes from one, zlib's manual, "Maximum Compression Factor"). */
#include "datasets/images/idx-file.h"

#include <string.h>

#include <gio/gio.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/data/matrix.h"

#define DEFLATE_MOST 1032
#define BYTES 8 /* the type, in the third byte */

/* A mapped file that is read from its beginning. */
typedef struct {
  const char *path;
  GBytes *file;
  const guint8 *data; /* what has not been read yet */
  gsize left;
  GZlibDecompressor *inflate; /* NULL: plain */
  gboolean is_finished;       /* the compressed stream has ended */
} Reader;

static void
clear_reader (Reader *reader)
{
  g_clear_pointer (&reader->file, g_bytes_unref);
  g_clear_object (&reader->inflate);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reader, clear_reader)

static gboolean
open_reader (const char *path, Reader *reader, GError **error)
{
  reader->path = path;
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
inflate_some (Reader *reader, guint8 *ret_bytes, gsize length, gsize *ret_done, GError **error)
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
read_some (Reader *reader, guint8 *ret_bytes, gsize length, gsize *ret_done, GError **error)
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

/* The dimensions, and how many numbers they promise. */
static gboolean
read_header (Reader *reader, guint n_dimensions, gsize *ret_shape, gsize *ret_total, GError **error)
{
  const gsize length = 4 + 4 * (gsize) n_dimensions;
  const gsize most = reader->inflate != NULL ? DEFLATE_MOST : 1;
  const guint32 magic = BYTES << 8 | n_dimensions;
  const gsize in_file = reader->left;
  guint8 header[4 + 4 * ASSAY_IDX_MOST_DIMENSIONS] = { 0 };
  gsize done, total = 1;

  if (!read_some (reader, header, length, &done, error))
    return FALSE;
  if (done < 4 || big_endian (header) != magic)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: begins with %02x %02x %02x %02x; expected 00 00 08 %02x, an IDX file "
                       "of bytes with %u dimension%s",
                       reader->path, header[0], header[1], header[2], header[3], n_dimensions,
                       n_dimensions, n_dimensions == 1 ? "" : "s");
  if (done < length)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: ends after %" G_GSIZE_FORMAT " bytes, in its header", reader->path,
                       done);
  for (guint k = 0; k < n_dimensions; k++) {
    ret_shape[k] = big_endian (header + 4 + 4 * k);
    if (ret_shape[k] == 0)
      return assay_fail (error, ASSAY_ERROR_DATA, "%s: dimension %u is 0", reader->path, k);
    if (!g_size_checked_mul (&total, total, ret_shape[k]))
      total = G_MAXSIZE;
  }
  if (total / most > in_file || (reader->inflate == NULL && reader->left != total))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: the header promises %" G_GSIZE_FORMAT " bytes after it, the %s "
                       "%" G_GSIZE_FORMAT,
                       reader->path, total,
                       reader->inflate != NULL ? "compressed file has" : "file has", reader->left);
  *ret_total = total;
  return TRUE;
}

/* Nothing may follow the last number: neither more numbers, nor bytes after a compressed stream. */
static gboolean
check_end (Reader *reader, gsize total, GError **error)
{
  guint8 more;
  gsize done;

  if (!read_some (reader, &more, 1, &done, error))
    return FALSE;
  if (done > 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: goes on after the %" G_GSIZE_FORMAT " bytes that its header promises",
                       reader->path, total);
  if (reader->left > 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: %" G_GSIZE_FORMAT " bytes follow the end of the gzip data",
                       reader->path, reader->left);
  return TRUE;
}

gboolean
assay_idx_read_shape (const char *path, guint n_dimensions, gsize *ret_shape, GError **error)
{
  g_auto (Reader) reader = { 0 };
  gsize total;

  return open_reader (path, &reader, error)
         && read_header (&reader, n_dimensions, ret_shape, &total, error);
}

guint8 *
assay_idx_read (const char *path, guint n_dimensions, gsize *ret_shape, GError **error)
{
  g_auto (Reader) reader = { 0 };
  g_autofree guint8 *bytes = NULL;
  gsize total, done;

  if (!open_reader (path, &reader, error)
      || !read_header (&reader, n_dimensions, ret_shape, &total, error))
    return NULL;
  bytes = assay_alloc (total, 1, path, error);
  if (bytes == NULL || !read_some (&reader, bytes, total, &done, error))
    return NULL;
  if (done < total) {
    assay_fail (error, ASSAY_ERROR_DATA,
                "%s: ends after %" G_GSIZE_FORMAT " of the %" G_GSIZE_FORMAT
                " bytes that its header promises",
                path, done, total);
    return NULL;
  }
  return check_end (&reader, total, error) ? g_steal_pointer (&bytes) : NULL;
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

/* ---- Piece by piece ---- */

struct _AssayIdxReader {
  Reader reader;
  char *path;
  gsize total, done; /* numbers */
};

/* How many dimensions the magic number tells. */
static gboolean
read_n_dimensions (const char *path, guint *ret_n_dimensions, GError **error)
{
  g_auto (Reader) reader = { 0 };
  guint8 magic[4] = { 0 };
  gsize done;

  if (!open_reader (path, &reader, error) || !read_some (&reader, magic, 4, &done, error))
    return FALSE;
  if (done < 4 || magic[0] != 0 || magic[1] != 0 || magic[2] != BYTES || magic[3] < 1
      || magic[3] > ASSAY_IDX_MOST_DIMENSIONS)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: begins with %02x %02x %02x %02x; expected 00 00 08 01 to 00 00 08 "
                       "%02x, an IDX file of bytes with 1 to %d dimensions",
                       path, magic[0], magic[1], magic[2], magic[3], ASSAY_IDX_MOST_DIMENSIONS,
                       ASSAY_IDX_MOST_DIMENSIONS);
  *ret_n_dimensions = magic[3];
  return TRUE;
}

AssayIdxReader *
assay_idx_reader_new (const char *path, guint *ret_n_dimensions, gsize *ret_shape, GError **error)
{
  g_autoptr (AssayIdxReader) idx = g_new0 (AssayIdxReader, 1);

  idx->path = g_strdup (path);
  if (!read_n_dimensions (path, ret_n_dimensions, error)
      || !open_reader (idx->path, &idx->reader, error)
      || !read_header (&idx->reader, *ret_n_dimensions, ret_shape, &idx->total, error))
    return NULL;
  return g_steal_pointer (&idx);
}

gboolean
assay_idx_reader_is_gzip (const AssayIdxReader *reader)
{
  return reader->reader.inflate != NULL;
}

gboolean
assay_idx_reader_read (AssayIdxReader *reader, guint8 *ret_bytes, gsize length, GError **error)
{
  gsize done;

  if (!read_some (&reader->reader, ret_bytes, length, &done, error))
    return FALSE;
  reader->done += done;
  if (done < length)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: ends after %" G_GSIZE_FORMAT " of the %" G_GSIZE_FORMAT
                       " bytes that its header promises",
                       reader->path, reader->done, reader->total);
  return reader->done < reader->total || check_end (&reader->reader, reader->total, error);
}

void
assay_idx_reader_free (AssayIdxReader *reader)
{
  if (reader == NULL)
    return;
  clear_reader (&reader->reader);
  g_free (reader->path);
  g_free (reader);
}

gboolean
assay_idx_is_likely (const char *path)
{
  g_auto (Reader) reader = { 0 };

  return open_reader (path, &reader, NULL)
         && (reader.inflate != NULL
             || (reader.left >= 4 && big_endian (reader.data) == (BYTES << 8 | 3)));
}
