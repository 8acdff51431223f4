/* Numbers in Parquet files, read by DuckDB's library, which is loaded when the first is opened. */
#pragma once

#include "core/data/array.h"

/* The columns @choice (names as those of CSV, core/data/formats/csv-table.h; NULL: all) of all rows
 * of @path. A column of numbers gives one number of a row, one of lists as many as the lists have,
 * which have to be equally long. Numbers keep their type where all columns have the same, or get
 * the next that holds them all, as those of .npy do; float64 beside whole numbers.
 * ASSAY_ERROR_DATA, without the file's name: not Parquet, or damaged; no such column; what are no
 * numbers; a value that is missing; a whole number that its type does not hold.
 * ASSAY_ERROR_IO: the library is not there. */
AssayArray *assay_parquet_read (const char *path, const char *choice, GError **error);
