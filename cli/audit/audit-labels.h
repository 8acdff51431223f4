/* What is known of the rows of an audit beside their numbers: the class of each, and further
 * attributes. They stand in files of their own, or in columns of the rows' own table. */
#pragma once

#include "core/base/free.h"

/* Rows of a table, or of a range of it, whose columns are named. */
typedef struct {
  char *path;
  gsize first, end; /* rows of it that are used */
  gsize n_in_file;
} CliAuditTable;

/* The categories of one column. */
typedef struct {
  char *name;
  gint64 *numbers;   /* of each row, from 0 */
  GPtrArray *values; /* the text of each category */
} CliAuditColumn;

ASSAY_DECLARE_FREE (CliAuditColumn, cli_audit_column_free)

/* Whether @data names one table whose columns have names: FILE.csv or FILE.tsv, with what may stand
 * in brackets behind it. */
gboolean cli_audit_is_table (const char *data);

/* The names among @words (columns, separated by commas and quoted as in CSV, or FILE.csv:COLUMN)
 * that are columns of the table @data: those of which no file is. @words may be NULL. */
GPtrArray *cli_audit_own_columns (const char *data, const char *words, GError **error);

/* The table @data without @columns, one at least, as rows are named (core/data/row-file.h): a
 * choice of columns that is there already stays, less those. ASSAY_ERROR_DATA: nothing is left of
 * it, or it is malformed. */
char *cli_audit_without (const char *data, const GPtrArray *columns, GError **error);

/* The column that @word names: FILE.csv:COLUMN, or a column of @own, the rows' own table (NULL:
 * they have none). ASSAY_ERROR_DATA: there is none, it has not @n rows, or its values are no
 * categories: less than 2 or more than 1000, or less than two rows of each on average. */
CliAuditColumn *cli_audit_column_read (const char *word, const CliAuditTable *own, gsize n,
                                       GError **error);

/* The classes of @n rows: as above, or FILE of one column. */
CliAuditColumn *cli_audit_labels_read (const char *word, const CliAuditTable *own, gsize n,
                                       GError **error);

/* CliAuditColumn of each of @words. */
GPtrArray *cli_audit_attributes_read (const char *words, const CliAuditTable *own, gsize n,
                                      GError **error);

/* A CSV table of the rows @numbers of @attributes. */
gboolean cli_audit_attributes_write (const GPtrArray *attributes, const gsize *numbers, gsize n,
                                     const char *path, GError **error);
