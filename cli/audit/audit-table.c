/* Any table of numbers as rows. */
#include "cli/audit/audit-table.h"

#include <math.h>
#include <string.h>

#include "cli/dataset/dataset.h"
#include "datasets/tables/table-value.h"

static double
number_at (const AssayTable *table, gconstpointer values, gsize i)
{
  const AssayTableValue value = assay_table_value (table->info.type, values, i);

  return value.is_whole ? (double) value.whole : value.value;
}

/* The next row, as float32. */
static gboolean
read_row (AssayTable *table, gsize row, gpointer values, guint8 *labels, float *ret_row,
          GError **error)
{
  if (!assay_table_read (table, 1, values, labels, error))
    return FALSE;
  for (gsize j = 0; j < table->info.cols; j++) {
    ret_row[j] = (float) number_at (table, values, j);
    if (!isfinite (ret_row[j]))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: row %zu, column %zu is not finite as float32; expected numbers",
                         table->path, row, j);
  }
  return TRUE;
}

AssayMatrix *
cli_audit_table_read (const char *name, GError **error)
{
  AssayTableFormat format; /* which nobody can tell here, if the name does not */
  g_autoptr (AssayTable) table = strchr (name, '[') != NULL
                                         || !g_file_test (name, G_FILE_TEST_EXISTS)
                                         || assay_table_format_of_path (name, &format, error)
                                     ? cli_dataset_open (name, NULL, error)
                                     : NULL;
  g_autoptr (AssayMatrix) rows = NULL;
  g_autofree gpointer values = NULL;
  guint8 labels[ASSAY_TABLE_MAX_LABELS];

  if (table == NULL)
    return NULL;
  rows = assay_matrix_new (table->info.count, table->info.cols, error);
  values = assay_alloc (table->info.cols, assay_type_size (table->info.type), "a row", error);
  if (rows == NULL || values == NULL)
    return NULL;
  for (gsize i = 0; i < rows->rows; i++)
    if (!read_row (table, i, values, labels, assay_matrix_row (rows, i), error))
      return NULL;
  return g_steal_pointer (&rows);
}
