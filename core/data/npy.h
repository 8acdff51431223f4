/* NumPy .npy files (format 1.0 to 3.0; numpy/lib/format.py) of one to four dimensions. Types and
 * orders that arrays do not have are converted where that loses nothing
 * (core/data/formats/npy-layout.h); others are refused by name. They are written little-endian and
 * in C order. */
#pragma once

#include "core/data/array.h"

/* Maps @path, or reads it where it has to be converted. ASSAY_ERROR_DATA with path, what was found
 * and what was expected. Values are not looked at. */
AssayArray *assay_npy_map (const char *path, GError **error);
/* The same of the content of a file, which messages do not name. */
AssayArray *assay_npy_parse (GBytes *file, GError **error);
/* Writes @path atomically (a temporary file beside it, then renamed). ASSAY_ERROR_IO. */
gboolean assay_npy_write (const char *path, const AssayArray *array, GError **error);
/* What stands before the numbers of @array, of which only type and shape are looked at: for files
 * that are written piece by piece. */
GString *assay_npy_header (const AssayArray *array);
