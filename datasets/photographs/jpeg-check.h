/* Whether the compressed data of a JPEG stream is undamaged, as far as that can be told. */
#pragma once

#include <glib.h>

/* ASSAY_ERROR_DATA says what is wrong with the stream and about where: it ends early, its codes are
 * damaged, or its header promises more than @max_pixels. */
gboolean assay_jpeg_check (const guint8 *data, gsize length, gsize max_pixels, GError **error);
