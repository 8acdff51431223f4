/* Named arrays of the library: one of three records. */
#pragma once

#include "core/data/exchange.h"
#include "lib/assay.h"

/* One of the four is there. */
struct AssayApiSet {
  AssayRelease *release;
  AssayGuess *guess;
  AssayTruth *truth;
  AssayArrays *rows;
};

/* A copy of @array as an array of ours. ASSAY_ERROR_MISMATCH: a type or shape that there is not. */
AssayArray *assay_lib_array (const AssayApiArray *array, GError **error);
/* The same of rows x columns, of any type; NULL gives NULL. */
gboolean assay_lib_rows (const AssayApiArray *array, const char *role, AssayRows **ret_rows,
                         GError **error);
