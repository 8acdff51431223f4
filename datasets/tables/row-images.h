/* Rows of files that are images: pixels one after another, the channels of a pixel together. */
#pragma once

#include "core/data/dataset.h"
#include "core/data/row-file.h"

/* @text is HEIGHTxWIDTH or HEIGHTxWIDTHxCHANNELS ("28x28", "32x32x3"); "": rows are no images, and
 * *ret_geometry stays as it is. Black and white are 0 and 1 where all numbers of @rows lie between,
 * 0 and 255 where they lie between these, and otherwise each image's own least and most.
 * ASSAY_ERROR_PARAMETER: malformed; ASSAY_ERROR_MISMATCH: rows of another length. */
gboolean row_images_find (const char *text, const AssayRowFiles *rows, AssayGeometry *ret_geometry,
                          GError **error);
