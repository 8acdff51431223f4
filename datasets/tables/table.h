/* Data files of every format as tables of numbers, read row after row and piece by piece: TEXMEX
 * (.fvecs, .bvecs, .ivecs), NumPy (.npy), CSV, IDX (plain or gzip), CIFAR's binary format, and what
 * rows of scenarios are read from besides (core/data/row-table.h).
 *
 * Numbers keep the type and the bits of the file. In CSV they are int64 if all are whole numbers
 * within it, and otherwise the nearest float64; the first line is a header if no field of it is a
 * number. Pixels of CIFAR come out interleaved (red, green, blue of one pixel after another), as
 * the dataset cifar gives them. */
#pragma once

#include "core/data/array.h"
#include "core/data/formats/csv-table.h"
#include "core/data/formats/texmex.h"
#include "core/data/row-table.h"
#include "datasets/images/idx-file.h"

typedef enum {
  ASSAY_TABLE_FVECS,
  ASSAY_TABLE_BVECS,
  ASSAY_TABLE_IVECS,
  ASSAY_TABLE_NPY,
  ASSAY_TABLE_CSV,
  ASSAY_TABLE_IDX,
  ASSAY_TABLE_CIFAR, /* from here on: only read */
  ASSAY_TABLE_TSV,
  ASSAY_TABLE_TEXT,
  ASSAY_TABLE_NPZ,
  ASSAY_TABLE_HDF5,
  ASSAY_TABLE_PARQUET,
} AssayTableFormat;

#define ASSAY_TABLE_MAX_COLS (1 << 20)
#define ASSAY_TABLE_MAX_LABELS 2 /* of a row */

const char *assay_table_format_name (AssayTableFormat format);
/* ASSAY_ERROR_PARAMETER with the closest name and all there are. */
gboolean assay_table_format_from_name (const char *name, AssayTableFormat *ret_format,
                                       GError **error);
/* By the end of the name: .fvecs, .bvecs, .ivecs, .npy, .csv, .bin (CIFAR), .idx or -ubyte (IDX;
 * also with .gz behind it), .tsv, .txt or .dat (text), .npz, .h5, .hdf5 or .parquet.
 * ASSAY_ERROR_DATA if it is none of them. */
gboolean assay_table_format_of_path (const char *path, AssayTableFormat *ret_format,
                                     GError **error);

typedef struct {
  AssayTableFormat format;
  gboolean is_gzip;
  AssayType type;
  guint n_dimensions;
  gsize shape[ASSAY_MAX_DIMENSIONS];
  gsize count;    /* rows: shape[0] */
  gsize cols;     /* the product of the other dimensions; 1 if there are none */
  guint n_labels; /* bytes of label that a row has beside its numbers (CIFAR: 1; CIFAR-100: 2, the
                   * coarse and the fine one) */
} AssayTableInfo;

typedef struct {
  AssayTableInfo info;
  char *path;
  GBytes *file; /* as it is on disk, mapped */

  /* Where reading is: */
  const guint8 *data;  /* of @file or @array: the next row; unused by CSV and IDX */
  gsize position;      /* rows that were read */
  AssayTexmex texmex;  /* FVECS, BVECS, IVECS */
  AssayArray *array;   /* NPY */
  AssayCsvTable csv;   /* CSV */
  AssayIdxReader *idx; /* IDX */
  AssayRowTable rows;  /* from TSV on */
} AssayTable;

/* ASSAY_ERROR_DATA names the file: missing, not regular, unreadable, empty, malformed, truncated,
 * with a hostile header, without rows or columns, or with more than ASSAY_TABLE_MAX_COLS. */
AssayTable *assay_table_open (const char *path, AssayTableFormat format, GError **error);
/* The same of the array @choice of a .npz or HDF5 file, or of these columns of CSV, TSV or Parquet
 * (NULL: all there is). */
AssayTable *assay_table_open_part (const char *path, AssayTableFormat format, const char *choice,
                                   GError **error);
ASSAY_DECLARE_FREE (AssayTable, assay_table_free)

/* The next @n rows (as many are left): n x cols numbers of the table's type, and n x n_labels
 * bytes. ASSAY_ERROR_DATA for what only reading shows: row headers that disagree, damaged
 * compression, bytes after the last number. */
gboolean assay_table_read (AssayTable *table, gsize n, gpointer ret_values, guint8 *ret_labels,
                           GError **error);

/* How many rows make a piece of about a MiB; at least 1. */
gsize assay_table_piece (const AssayTable *table);
