/* IDX files (MNIST, Fashion-MNIST), plain or gzip: two zero bytes, the type of the numbers (8:
 * bytes), the number of dimensions, each dimension as a big-endian 32-bit number, then the numbers,
 * the last dimension fastest (Y. LeCun, C. Cortes, C. Burges, "The MNIST database", file
 * formats). */
#pragma once

#include <glib.h>

#include "datasets/images/images.h"

#define ASSAY_IDX_MAX_DIMENSIONS 3

/* The dimensions of a file that has to have @n_dimensions (1: labels, 3: images) of bytes, from its
 * header. ASSAY_ERROR_DATA names @path: missing, unreadable, empty, another magic number, a
 * dimension of 0, and in plain files another size than the header promises. */
gboolean assay_idx_read_shape (const char *path, guint n_dimensions, gsize *ret_shape,
                               GError **error);

/* The numbers too, free with g_free; NULL with ASSAY_ERROR_DATA as above, and for compressed files
 * that are truncated or damaged, end early or go on after the last number. */
guint8 *assay_idx_read (const char *path, guint n_dimensions, gsize *ret_shape, GError **error);

/* The images of a file of three dimensions, without labels. @is_probe: by its header alone. */
AssayImages *assay_images_read_idx (const char *path, gboolean is_probe, GError **error);

/* A file whose numbers are read piece by piece: of @n_dimensions, or if that is 0 of one to three,
 * and then it is set. Errors as above. */
typedef struct _AssayIdxReader AssayIdxReader;

AssayIdxReader *assay_idx_reader_new (const char *path, guint *n_dimensions, gsize *ret_shape,
                                      GError **error);
gboolean assay_idx_reader_is_gzip (const AssayIdxReader *reader);
/* The next @length numbers; with the last of them also that the file ends there. */
gboolean assay_idx_reader_read (AssayIdxReader *reader, guint8 *ret_bytes, gsize length,
                                GError **error);
ASSAY_DECLARE_FREE (AssayIdxReader, assay_idx_reader_free)

/* Whether @path begins as an IDX file of images or as a gzip file does. */
gboolean assay_idx_is_likely (const char *path);
