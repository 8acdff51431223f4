/* The line of a CSV file that names its columns. */
#pragma once

#include "core/data/formats/csv.h"

/* The fields of the first line, which @reader is past then. */
GPtrArray *assay_csv_header_read (AssayCsvReader *reader, GError **error);
/* The number of the column called @column. ASSAY_ERROR_DATA: it is missing (with the closest name
 * and all there are) or stands twice. */
gboolean assay_csv_header_find (const GPtrArray *names, const char *column, guint *ret_index,
                                GError **error);
/* Where the number of each field goes in a row of the columns that @choice names
 * (core/data/formats/csv-table.h): G_MAXSIZE for those that were not chosen. Blanks around
 * names do not count, and are taken off @names. To be freed with g_free. */
gsize *assay_csv_header_choose (GPtrArray *names, const char *choice, gsize *ret_cols,
                                GError **error);
