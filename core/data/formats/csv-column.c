/* One column of a CSV file. */
#include "core/data/formats/csv-column.h"

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/data/formats/csv-header.h"
#include "core/data/formats/csv.h"
#include "core/data/matrix.h"

/* Reads the field number @wanted of a row of @n_fields into @value. */
static gboolean
read_row (AssayCsvReader *reader, guint n_fields, guint wanted, GString *value, GError **error)
{
  const gsize line = reader->line;
  gboolean ends_row = FALSE;
  guint n = 0;

  for (; !ends_row; n++) {
    if (!assay_csv_read_field (reader, &ends_row, error))
      return FALSE;
    if (n == wanted)
      g_string_assign (value, reader->field->str);
  }
  if (n != n_fields)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "line %zu: has %u fields; expected %u as in the header", line, n, n_fields);
  if (value->len == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "line %zu: the value of the column is empty", line);
  return TRUE;
}

static gint64
number_of (GHashTable *numbers, GPtrArray *values, const char *value)
{
  gpointer known;
  char *copy;

  if (g_hash_table_lookup_extended (numbers, value, NULL, &known))
    return GPOINTER_TO_UINT (known);
  copy = g_strdup (value);
  g_hash_table_insert (numbers, copy, GUINT_TO_POINTER (values->len));
  g_ptr_array_add (values, copy);
  return values->len - 1;
}

static AssayCsvColumn *
read_column (AssayCsvReader *reader, const char *column, gsize n_rows, GError **error)
{
  g_autoptr (AssayCsvColumn) read = g_new0 (AssayCsvColumn, 1);
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) names = assay_csv_header_read (reader, error);
  g_autoptr (GString) value = g_string_new (NULL);
  guint wanted = 0;

  if (names == NULL || !assay_csv_header_find (names, column, &wanted, error))
    return NULL;
  read->values = g_ptr_array_new_with_free_func (g_free);
  read->groups = assay_alloc (n_rows, sizeof *read->groups, "groups", error);
  if (read->groups == NULL)
    return NULL;
  for (; reader->at < reader->end; read->n_rows++) {
    if (!read_row (reader, names->len, wanted, value, error))
      return NULL;
    /* Rows too many are still counted, for the message. */
    if (read->n_rows < n_rows)
      read->groups[read->n_rows] = number_of (numbers, read->values, value->str);
  }
  if (read->n_rows != n_rows)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "has %zu rows; expected %zu, one for each row of vectors", read->n_rows,
                            n_rows);
  read->n_groups = read->values->len;
  return g_steal_pointer (&read);
}

AssayCsvColumn *
assay_csv_column_read (const char *path, const char *column, gsize n_rows, GError **error)
{
  g_autoptr (GBytes) file = assay_file_map (path, error);
  g_auto (AssayCsvReader) reader = { 0 };
  const char *data, *invalid = NULL;
  gsize length = 0;
  AssayCsvColumn *read;

  if (file == NULL)
    return NULL;
  data = g_bytes_get_data (file, &length);
  if (length > 0 && !g_utf8_validate_len (data, length, &invalid))
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: is not UTF-8 text from byte %zu on", path,
                            (gsize) (invalid - data));
  reader = assay_csv_reader (length > 0 ? data : "", length);
  read = read_column (&reader, column, n_rows, error);
  if (read == NULL)
    g_prefix_error (error, "%s: ", path);
  return read;
}

ASSAY_FREE_FUNC (AssayCsvColumn, assay_csv_column_free, g_free (self->groups),
                 assay_drop (self->values, g_ptr_array_unref))
