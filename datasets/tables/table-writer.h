/* Tables of numbers into data files, row after row and piece by piece. */
#pragma once

#include "core/base/output-file.h"
#include "datasets/tables/table.h"

/* The one type of numbers of a format: TRUE; formats of any type: FALSE. */
gboolean assay_table_fixed_type (AssayTableFormat format, AssayType *ret_type);

typedef struct _AssayTableWriter AssayTableWriter;

/* Begins @path with @info->format, shape (shape[0] rows will be written) and type, IDX compressed
 * if the name ends in .gz. IDX takes up to three dimensions, and an array of one column as one;
 * TEXMEX and CSV have two. ASSAY_ERROR_MISMATCH for what the format cannot hold; errors of
 * core/base/output-file.h. */
AssayTableWriter *assay_table_writer_new (const char *path, const AssayTableInfo *info,
                                          gboolean may_replace, GError **error);
/* @n rows. ASSAY_ERROR_DATA where CSV would have to hold NaN or an infinity. */
gboolean assay_table_writer_write (AssayTableWriter *writer, gconstpointer values, gsize n,
                                   GError **error);
/* As in core/base/output-file.h. */
gboolean assay_table_writer_seal (AssayTableWriter *writer, GError **error);
gboolean assay_table_writer_finish (AssayTableWriter *writer, GError **error);
ASSAY_DECLARE_FREE (AssayTableWriter, assay_table_writer_free)
