/* Numbers in CSV files (RFC 4180, without line breaks in fields). */
#pragma once

#include "core/data/array.h"

G_BEGIN_DECLS

typedef struct {
  const char *at;
  const char *end;
  gsize line;     /* of @at, from 1 */
  GString *field; /* what was read last */
} AssayCsvCursor;

typedef struct {
  AssayCsvCursor cursor; /* before the next row */
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

G_END_DECLS
