/* Whether the compressed data of a JPEG stream is undamaged, as far as that can be told. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* TRUE unless the entropy-coded data of the stream, which begins with SOI and has an EOI marker, is
 * damaged; @ret_at is then about where (bytes from the beginning). Only sequential Huffman coding
 * (SOF0, SOF1) is looked at: of other streams (progressive ones) nothing is said, which is TRUE. */
gboolean assay_jpeg_is_sound (const guint8 *data, gsize length, gsize *ret_at);

G_END_DECLS
