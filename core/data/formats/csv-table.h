/* Numbers in CSV text: all columns, or those that are chosen by name. */
#pragma once

#include "core/data/array.h"
#include "core/data/formats/csv.h"

typedef struct {
  AssayCsvReader reader; /* before the next row */
  AssayType type;        /* INT64 or FLOAT64 */
  gsize count;
  gsize cols;     /* of a row that is read */
  gsize n_fields; /* of a line */
  gboolean has_header;
  gsize *places;  /* where the number of each field goes, G_MAXSIZE: nowhere; NULL: in order */
} AssayCsvTable;

/* Reads all of @data (kept by the caller) once to learn the shape and the type. @columns: NULL for
 * all, otherwise names in the order wanted ("age,income"; quoted as in CSV) or those left out
 * ("-name,-zip"), for which the first line has to name the columns. ASSAY_ERROR_DATA names line and
 * column. */
gboolean assay_csv_table_open (AssayCsvTable *table, const char *data, gsize length, char separator,
                               const char *columns, GError **error);
/* The next row: @table->cols numbers. */
gboolean assay_csv_table_read (AssayCsvTable *table, gpointer ret_values, GError **error);
ASSAY_DECLARE_CLEAR (AssayCsvTable, assay_csv_table_clear)

/* All rows of the text as count x cols numbers. */
AssayArray *assay_csv_table_array (const char *data, gsize length, char separator,
                                   const char *columns, GError **error);
