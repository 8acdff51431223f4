/* Further labels of rows, from tables of categories beside the files of the rows: what attribute
 * inference is pointed at (`attributes = people.csv`).
 *
 * A table is a CSV file with a line of column names, or .npy with whole numbers, whose columns are
 * called 0, 1, 2 and so on. It has a row for each row of the file that it belongs to, and a range
 * of that file takes the same range of the table, as groups do. A category is a text: "3" of a CSV
 * file and 3 of an array are the same. Categories of a column are numbered over all roles together,
 * in the order of the numbers if all are whole numbers, and otherwise in that of their bytes, so
 * that a number means the same of secrets and of public rows. */
#pragma once

#include "core/data/dataset.h"
#include "core/data/row-file.h"

/* The rows of one role. */
typedef struct {
  const char *key;           /* of the setting, for messages */
  const char *tables;        /* its value: one table for each range, separated by commas, or one for
                              * all of one file; "": none */
  const AssayRowFiles *rows; /* NULL: there are @n rows, of no file */
  gsize n;
} RowAttributesRole;

/* Sets @ret_values[i] to the attributes of role i, int64 n x q, NULL of a role without a table; and
 * the names of their columns, which are the same in every table (NULL: no table at all).
 * ASSAY_ERROR_DATA names the file and the line, and what was expected: another number of rows, a
 * line with more or fewer fields, an empty value, a column name that stands twice, other columns
 * than the first table's, numbers that are not whole. */
gboolean row_attributes_read (const RowAttributesRole *roles, guint n_roles,
                              const char *const *folders, AssayArray **ret_values,
                              char ***ret_names, GError **error);
