#include "datasets/tables/class-files.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/data/formats/file-pattern.h"
#include "core/data/formats/text-table.h"
#include "core/data/matrix.h"
#include "core/data/row-file.h"

static AssayArray *
read_column (const char *path, GError **error)
{
  g_autoptr (GBytes) file = assay_file_map (path, error);
  g_autoptr (AssayArray) column = NULL;
  gsize size = 0;
  const char *text = file != NULL ? g_bytes_get_data (file, &size) : NULL;

  column = file != NULL ? assay_text_table_array (text, size, error) : NULL;
  if (column != NULL && column->shape[1] != 1)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s has %zu numbers in a line; expected one, as it is of one class",
                            path, column->shape[1]);
  return column != NULL ? g_steal_pointer (&column) : assay_prefix_null (error, "%s: ", path);
}

static const float *
values_of (const AssayArray *column)
{
  return (const float *) column->data;
}

/* What all files say: a line for each row. */
static gboolean
are_indicators (const GPtrArray *columns)
{
  for (guint c = 0; c < columns->len; c++) {
    const AssayArray *column = g_ptr_array_index (columns, c);

    for (gsize i = 0; i < column->shape[0]; i++)
      if (values_of (column)[i] != 0 && values_of (column)[i] != 1)
        return FALSE;
  }
  return TRUE;
}

static gboolean
take_indicator (const AssayRowSpan *span, const char *path, const AssayArray *column, gsize c,
                AssayMatrix *matrix, GError **error)
{
  gsize first, end;

  if (!assay_row_span_resolve (span, path, column->shape[0], &first, &end, error))
    return FALSE;
  if (end - first != matrix->rows)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s has labels of %zu rows; expected %zu", path,
                       end - first, matrix->rows);
  for (gsize i = 0; i < matrix->rows; i++)
    assay_matrix_row (matrix, i)[c] = values_of (column)[first + i];
  return TRUE;
}

static gboolean
take_list (const AssayRowSpan *span, const char *path, const AssayArray *column, gsize c,
           AssayMatrix *matrix, GError **error)
{
  const float first = span->has_first ? (float) span->first : 0;

  for (gsize i = 0; i < column->shape[0]; i++) {
    const float number = values_of (column)[i], row = number - 1 - first;

    if (!(number >= 1 && number <= 0x1p24f) || number != floorf (number))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: line %zu is %g; expected the number of a row, from 1", path, i + 1,
                         (double) number);
    if (row >= 0 && row < (float) matrix->rows)
      assay_matrix_row (matrix, (gsize) row)[c] = 1;
  }
  return TRUE;
}

static gboolean
check_span (const AssayRowSpan *span, gsize count, GError **error)
{
  const gsize first = span->has_first ? span->first : 0;

  return !span->has_end || span->end - first == count
         || assay_fail (error, ASSAY_ERROR_DATA, "the range %s has %zu rows; expected %zu",
                        span->text, span->end - first, count);
}

AssayRows *
class_files_read (const char *specification, const char *const *folders, gsize count,
                  GError **error)
{
  AssayRowSpan span;
  g_autofree char *name = assay_row_span_split (specification, &span, error);
  g_autofree char *above = name != NULL ? g_path_get_dirname (name) : NULL;
  g_autofree char *pattern = name != NULL ? g_path_get_basename (name) : NULL;
  g_autofree char *folder = name != NULL ? assay_row_folder_find (above, folders, error) : NULL;
  g_autoptr (GPtrArray) paths
      = folder != NULL ? assay_file_pattern_list (folder, pattern, error) : NULL;
  g_autoptr (GPtrArray) columns
      = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_array_free);
  g_autoptr (AssayMatrix) matrix = NULL;
  gboolean (*take) (const AssayRowSpan *, const char *, const AssayArray *, gsize, AssayMatrix *,
                    GError **);
  gboolean is_ok;

  if (paths == NULL || !check_span (&span, count, error))
    return NULL;
  for (guint c = 0; c < paths->len; c++) {
    AssayArray *column = read_column (g_ptr_array_index (paths, c), error);

    if (column == NULL)
      return NULL;
    g_ptr_array_add (columns, column);
  }
  matrix = assay_matrix_new (count, paths->len, error);
  take = are_indicators (columns) ? take_indicator : take_list;
  is_ok = matrix != NULL;
  if (is_ok)
    memset (matrix->data, 0, count * paths->len * sizeof (float));
  for (guint c = 0; is_ok && c < paths->len; c++)
    is_ok = take (&span, g_ptr_array_index (paths, c), g_ptr_array_index (columns, c), c, matrix,
                  error);
  return is_ok ? assay_rows_take_matrix (g_steal_pointer (&matrix)) : NULL;
}
