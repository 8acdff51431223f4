/* Damage in JPEG streams. JPEG has no checksums, and decoders go on whatever they meet: what they
 * cannot read becomes grey or noise, and libjpeg only warns. Here its warnings are errors. The
 * Huffman codes are decoded and no picture is made of them: codes that have lost their place end
 * too early or too late. Slight damage (a changed bit, a few bytes) can come back into step, and is
 * not found then: the picture is wrong in a few blocks. */
#include "datasets/photographs/jpeg-check.h"

#include <setjmp.h>
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>

#include "core/base/error.h"

typedef struct {
  struct jpeg_error_mgr base;
  jmp_buf on_error;
} ErrorManager;

static void
stop (j_common_ptr info)
{
  longjmp (((ErrorManager *) info->err)->on_error, 1);
}

/* @level: -1 for a warning, otherwise a trace message. The two warnings that are let pass are about
 * what a header claims. */
static void
on_message (j_common_ptr info, int level)
{
  const int code = info->err->msg_code;

  if (level < 0 && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM)
    stop (info);
}

static gboolean
explain (struct jpeg_decompress_struct *info, gsize length, GError **error)
{
  char message[JMSG_LENGTH_MAX];

  if (info->err->msg_code == JWRN_JPEG_EOF)
    return assay_fail (error, ASSAY_ERROR_DATA, "truncated after %zu bytes: the picture has no end",
                       length);
  info->err->format_message ((j_common_ptr) info, message);
  return assay_fail (error, ASSAY_ERROR_DATA, "damaged before byte %zu: %s",
                     length - info->src->bytes_in_buffer, message);
}

static gboolean
check_stream (struct jpeg_decompress_struct *info, gsize max_pixels, GError **error)
{
  jpeg_read_header (info, TRUE);
  if ((gsize) info->image_width * info->image_height > max_pixels)
    return assay_fail (error, ASSAY_ERROR_DATA, "%u x %u pixels; expected at most %zu pixels",
                       info->image_width, info->image_height, max_pixels);
  jpeg_read_coefficients (info);
  return jpeg_finish_decompress (info);
}

gboolean
assay_jpeg_check (const guint8 *data, gsize length, gsize max_pixels, GError **error)
{
  struct jpeg_decompress_struct info;
  ErrorManager manager;
  gboolean is_ok;

  info.err = jpeg_std_error (&manager.base);
  manager.base.error_exit = stop;
  manager.base.emit_message = on_message;
  jpeg_create_decompress (&info);
  jpeg_mem_src (&info, data, length);
  is_ok = setjmp (manager.on_error) == 0 ? check_stream (&info, max_pixels, error)
                                         : explain (&info, length, error);
  jpeg_destroy_decompress (&info);
  return is_ok;
}
