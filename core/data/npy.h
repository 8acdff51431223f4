/* NumPy .npy files (format 1.0 to 3.0; numpy/lib/format.py): float32, float64, uint8, int32 and
 * int64, little-endian, C order, one to three dimensions. Others are refused by name. */
#pragma once

#include "core/data/array.h"

/* Maps @path. ASSAY_ERROR_DATA with path, what was found and what was expected. Values are not
 * looked at. */
AssayArray *assay_npy_map (const char *path, GError **error);
/* Writes @path atomically (a temporary file beside it, then renamed). ASSAY_ERROR_IO. */
gboolean assay_npy_write (const char *path, const AssayArray *array, GError **error);
/* What stands before the numbers of @array, of which only type and shape are looked at: for files
 * that are written piece by piece. */
GString *assay_npy_header (const AssayArray *array);
