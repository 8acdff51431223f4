/* A file of numbers as a table, of which rows are taken (core/data/row-file.h). */
#pragma once

#include "core/data/array.h"
#include "core/data/formats/texmex.h"

/* The largest dimension of a row that is believed. */
#define ASSAY_ROW_FILE_MAX_COLS (1 << 20)

/* Row i at @base + i * @stride, in @bytes. */
typedef struct {
  GBytes *bytes;
  const guint8 *base;
  AssayType type;
  gboolean is_texmex;
  AssayTexmex texmex;
  gsize stride;
  gsize cols;
  gsize count;
  char *array; /* the array of a .npz or HDF5 file that it is, or the pattern of text files; NULL:
                * others */
} AssayRowTable;

typedef enum {
  ASSAY_ROWS_UNKNOWN, /* by the end of its name */
  ASSAY_ROWS_TEXMEX,
  ASSAY_ROWS_NPY,
  ASSAY_ROWS_NPZ,
  ASSAY_ROWS_CSV,
  ASSAY_ROWS_TSV,
  ASSAY_ROWS_TEXT,
  ASSAY_ROWS_HDF5,
  ASSAY_ROWS_PARQUET,
} AssayRowFormat;

AssayRowFormat assay_row_format (const char *name);
/* Whether FILE[NAME] is a part of it: an array, or columns. */
gboolean assay_row_format_has_parts (AssayRowFormat format);
/* What is read, for messages: ".fvecs, ... or .parquet". */
#define ASSAY_ROW_FORMATS                                                                          \
  ".fvecs, .bvecs, .ivecs, .npy, .npz, .csv, .tsv, .dat, .txt, .h5, .hdf5 or .parquet"

/* Opens the file @path, called @name. @choice is what stands in brackets behind the name, NULL for
 * nothing: columns of CSV or Parquet (core/data/formats/csv-table.h), the array of a .npz or HDF5
 * file (which needs no name when there is one alone). Where @name is a pattern of text files, @path
 * is their folder, and the numbers of each file are a row. Values are not looked at, but those of
 * CSV and Parquet. ASSAY_ERROR_DATA names the file. */
gboolean assay_row_table_open (const char *path, const char *name, const char *choice,
                               AssayRowTable *table, GError **error);
ASSAY_DECLARE_CLEAR (AssayRowTable, assay_row_table_clear)
