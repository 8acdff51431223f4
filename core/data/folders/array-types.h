/* Types of numbers that other programs write, as those that records have. */
#pragma once

#include "core/data/arrays.h"

/* Maps @path: float64 becomes float32, which rounds, and int32 becomes int64. ASSAY_ERROR_DATA
 * names the first number beyond float32. */
AssayArray *assay_record_array_load (const char *path, GError **error);

/* Rows of whole numbers (quantised embeddings, bits) under @name as float32; bytes in more than two
 * dimensions stay, for assay_image_rows_take. ASSAY_ERROR_DATA names the first number that float32
 * does not hold. What is not there, or no rows, stays as it is. */
gboolean assay_whole_rows_take (AssayArrays *arrays, const char *name, GError **error);
