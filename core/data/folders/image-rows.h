/* Images in arrays, as other programs keep them, as rows of height x width pixels with interleaved
 * channels. */
#pragma once

#include "core/data/arrays.h"
#include "core/data/dataset.h"

/* How the channels of a pixel stand in a file. */
typedef enum {
  ASSAY_ORDER_NOT_TOLD, /* as the shape of the array says; of rows: interleaved */
  ASSAY_ORDER_INTERLEAVED,
  ASSAY_ORDER_PLANES, /* all pixels of a channel before those of the next */
} AssayPixelOrder;

/* height width channels; 0: beyond 64 bits. */
gsize assay_geometry_cols (const AssayGeometry *geometry);

/* The array @name of @arrays, if it is there, as n x (height width channels). Taken are
 *   n x h x w, n x h x w x c and n x c x h x w: the side that is 1 or 3 is that of the channels;
 *   where both could be, @order or @inout_geometry decides
 *   n x d: rows are in @order
 * of real numbers or bytes. @inout_geometry (NULL: nothing is known, nothing asked) is filled in by
 * the shape where it is not known; the values of black and white are not. ASSAY_ERROR_DATA names
 * the array: a shape that is none of these, or not that of the geometry; rows of which the order is
 * not told and which are planes by what they look like (the row of pixels below is like a row of
 * pixels, three rows below are less so: t of the difference over images above 10). */
gboolean assay_image_rows_take (AssayArrays *arrays, const char *name, AssayPixelOrder order,
                                AssayGeometry *inout_geometry, GError **error);

/* The same of one array of images, of which nothing else is known; NULL with
 * ASSAY_ERROR_DATA. */
AssayArray *assay_image_rows_of (const AssayArray *array, GError **error);
