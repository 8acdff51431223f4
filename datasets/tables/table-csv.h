/* Numbers in CSV files. */
#pragma once

#include "core/data/array.h"
#include "core/data/formats/csv.h"

typedef struct {
  AssayCsvReader reader; /* before the next row */
  AssayType type;        /* INT64 or FLOAT64 */
  gsize count;
  gsize cols;
} AssayCsvTable;

/* Reads all of @data (kept by the caller) once to learn the shape and the type. ASSAY_ERROR_DATA
 * names line and column. */
gboolean assay_csv_table_open (AssayCsvTable *table, const char *data, gsize length,
                               GError **error);
/* The next row. */
gboolean assay_csv_table_read (AssayCsvTable *table, gpointer ret_values, GError **error);
void assay_csv_table_clear (AssayCsvTable *table);
