/* One column of a CSV file (RFC 4180; UTF-8 with or without a byte order mark; lines end in LF or
 * CRLF) as group numbers: rows with the same text are one group. */
#pragma once

#include "core/base/free.h"

typedef struct {
  gsize n_rows; /* without the header line */
  gsize n_groups;
  gint64 *groups;    /* n_rows; numbered from 0 in order of first appearance */
  GPtrArray *values; /* the text of each group */
} AssayCsvColumn;

/* ASSAY_ERROR_DATA naming the file and the line: a file that cannot be read, is empty, not UTF-8 or
 * malformed; a column that is missing (with the closest name and all there are) or stands twice;
 * rows with another number of fields than the header; an empty value; other than @n_rows rows. */
AssayCsvColumn *assay_csv_column_read (const char *path, const char *column, gsize n_rows,
                                       GError **error);
ASSAY_DECLARE_FREE (AssayCsvColumn, assay_csv_column_free)
