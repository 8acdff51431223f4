/* Further labels of rows, from tables of categories. */
#include "datasets/tables/row-attributes.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/base/text.h"
#include "core/data/formats/csv.h"

#define MAX_WHOLE 16777216 /* that float32 holds with all below it */

/* One column of all tables. */
typedef struct {
  GHashTable *numbers; /* from text to number + 1, in the order in which they came */
  GPtrArray *texts;    /* of each number */
  gint64 *places;      /* number -> place among the sorted categories */
} Column;

typedef struct {
  GPtrArray *names;   /* of the first table; NULL: none was read yet */
  GPtrArray *columns; /* of Column */
} Reading;

ASSAY_LOCAL_FREE (Column, column_free, g_hash_table_unref (self->numbers),
                  g_ptr_array_unref (self->texts), g_free (self->places))

ASSAY_LOCAL_CLEAR (Reading, reading_clear, assay_drop (self->names, g_ptr_array_unref),
                   assay_drop (self->columns, g_ptr_array_unref))

static gint64
number_of (Column *column, const char *text)
{
  gsize number = GPOINTER_TO_SIZE (g_hash_table_lookup (column->numbers, text));

  if (number == 0) {
    char *copy = g_strdup (text);

    g_ptr_array_add (column->texts, copy);
    number = column->texts->len;
    g_hash_table_insert (column->numbers, copy, GSIZE_TO_POINTER (number));
  }
  return (gint64) number - 1;
}

/* ---- Columns ---- */

static gboolean
begin_columns (Reading *reading, GPtrArray *names, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < names->len; i++)
    if (!g_hash_table_add (seen, names->pdata[i]))
      return assay_fail (error, ASSAY_ERROR_DATA, "column '%s' stands there twice",
                         (const char *) names->pdata[i]);
  reading->names = g_ptr_array_ref (names);
  reading->columns = g_ptr_array_new_with_free_func ((GDestroyNotify) column_free);
  for (guint i = 0; i < names->len; i++) {
    Column *column = g_new0 (Column, 1);

    column->numbers = g_hash_table_new (g_str_hash, g_str_equal);
    column->texts = g_ptr_array_new_with_free_func (g_free);
    g_ptr_array_add (reading->columns, column);
  }
  return TRUE;
}

static gboolean
take_names (Reading *reading, GPtrArray *names, GError **error)
{
  if (reading->names == NULL)
    return begin_columns (reading, names, error);
  for (guint i = 0; i < MAX (names->len, reading->names->len); i++) {
    const char *found = i < names->len ? names->pdata[i] : NULL;
    const char *first = i < reading->names->len ? reading->names->pdata[i] : NULL;

    if (g_strcmp0 (found, first) != 0)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "column %u is %s%s%s; expected %s%s%s, as in the first table", i,
                         found != NULL ? "'" : "", found != NULL ? found : "missing",
                         found != NULL ? "'" : "", first != NULL ? "'" : "",
                         first != NULL ? first : "no more columns", first != NULL ? "'" : "");
  }
  return TRUE;
}

/* ---- Tables ---- */

/* A table, and which of its rows are asked for. */
typedef struct {
  gsize n_rows, first, end;
  const char *of; /* what it belongs to */
  gint64 *values; /* (end - first) x columns */
} Part;

static gboolean
check_rows (const Part *part, gsize found, GError **error)
{
  return found == part->n_rows
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "has %zu rows; expected %zu, one for each row of %s", found, part->n_rows,
                        part->of);
}

/* The fields of a line. */
static GPtrArray *
read_line (AssayCsvReader *reader, GError **error)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  gboolean ends_row = FALSE;

  while (!ends_row) {
    if (!assay_csv_read_field (reader, &ends_row, error))
      return NULL;
    g_ptr_array_add (fields, g_strdup (reader->field->str));
  }
  return g_steal_pointer (&fields);
}

static gboolean
take_line (const Reading *reading, const Part *part, gsize row, gsize line, const GPtrArray *fields,
           GError **error)
{
  const guint q = reading->columns->len;

  if (fields->len != q)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "line %zu: has %u fields; expected %u as in the header", line, fields->len,
                       q);
  if (row < part->first || row >= part->end)
    return TRUE;
  for (guint j = 0; j < q; j++) {
    const char *text = fields->pdata[j];

    if (*text == '\0')
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "line %zu: the value of column '%s' is empty; expected a category", line,
                         (const char *) reading->names->pdata[j]);
    part->values[(row - part->first) * q + j] = number_of (reading->columns->pdata[j], text);
  }
  return TRUE;
}

/* The values of a part are taken by the caller. */
static gboolean
read_csv (Reading *reading, const char *data, gsize length, Part *part, GError **error)
{
  g_auto (AssayCsvReader) reader = assay_csv_reader (data, length);
  g_autoptr (GPtrArray) names = NULL;
  gsize row = 0;

  if (length == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "is empty; expected a line of column names");
  if (!g_utf8_validate_len (data, length, NULL))
    return assay_fail (error, ASSAY_ERROR_DATA, "is not UTF-8 text");
  names = read_line (&reader, error);
  if (names == NULL || !take_names (reading, names, error))
    return FALSE;
  part->values
      = assay_alloc (part->end - part->first, names->len * sizeof (gint64), "attributes", error);
  if (part->values == NULL)
    return FALSE;
  for (; reader.at < reader.end; row++) {
    const gsize line = reader.line;
    g_autoptr (GPtrArray) fields = read_line (&reader, error);

    if (fields == NULL || !take_line (reading, part, row, line, fields, error))
      return FALSE;
  }
  return check_rows (part, row, error);
}

static gboolean
read_numbers (Reading *reading, const AssayRows *rows, Part *part, GError **error)
{
  const gsize q = assay_rows_cols (rows), n = part->end - part->first;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree float *row = assay_alloc (q, sizeof (float), "attributes", error);

  for (gsize j = 0; j < q; j++)
    g_ptr_array_add (names, g_strdup_printf ("%zu", j));
  if (row == NULL || !check_rows (part, assay_rows_count (rows), error)
      || !take_names (reading, names, error))
    return FALSE;
  part->values = assay_alloc (n, q * sizeof (gint64), "attributes", error);
  for (gsize i = 0; part->values != NULL && i < n; i++) {
    assay_rows_read (rows, part->first + i, 1, ASSAY_SCALE_NONE, row);
    for (gsize j = 0; j < q; j++) {
      g_autofree char *text = NULL;

      if (!(row[j] > -MAX_WHOLE && row[j] < MAX_WHOLE) || row[j] != (float) (gint64) row[j])
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "row %zu, column %zu is %g; expected a whole number", part->first + i, j,
                           (double) row[j]);
      text = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) row[j]);
      part->values[i * q + j] = number_of (reading->columns->pdata[j], text);
    }
  }
  return part->values != NULL;
}

static gboolean
read_table (Reading *reading, const char *name, const char *const *folders, Part *part,
            GError **error)
{
  g_autofree char *path = assay_row_file_find (name, folders, error);
  gboolean is_ok;

  if (path == NULL)
    return FALSE;
  if (g_str_has_suffix (name, ".csv")) {
    g_autoptr (GBytes) file = assay_file_map (path, error);
    gsize length = 0;
    const char *data = file != NULL ? g_bytes_get_data (file, &length) : NULL;

    if (file == NULL)
      return FALSE;
    is_ok = read_csv (reading, data, length, part, error);
  } else if (g_str_has_suffix (name, ".npy")) {
    g_autoptr (AssayRowFiles) file = assay_row_files_open (path, NULL, error);

    if (file == NULL)
      return FALSE;
    is_ok = read_numbers (reading, file->rows, part, error);
  } else {
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: expected a table as .csv or .npy", name);
  }
  return is_ok || assay_prefix (error, "%s: ", path);
}

/* ---- Roles ---- */

static gboolean
is_one_file (const AssayRowFiles *files)
{
  for (guint i = 1; files != NULL && i < files->ranges->len; i++)
    if (!g_str_equal (assay_row_files_range (files, i)->path,
                      assay_row_files_range (files, 0)->path))
      return FALSE;
  return TRUE;
}

/* Numbers of categories in the order in which they came. */
static gboolean
read_role (Reading *reading, const RowAttributesRole *role, const char *const *folders,
           gint64 **ret_values, GError **error)
{
  g_auto (GStrv) names = g_strsplit (role->tables, ",", -1);
  const guint n_names = g_strv_length (names);
  const guint n_ranges = role->rows != NULL ? role->rows->ranges->len : 1;
  gsize done = 0;

  if (role->n == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "there are no rows that they belong to");
  if (n_names != n_ranges && !(n_names == 1 && is_one_file (role->rows)))
    return assay_fail (error, ASSAY_ERROR_DATA, "%u tables for %u files; expected one for each",
                       n_names, n_ranges);
  for (guint i = 0; i < n_ranges; i++) {
    const AssayRowRange *range = role->rows != NULL ? assay_row_files_range (role->rows, i) : NULL;
    Part part = { .n_rows = range != NULL ? range->n_in_file : role->n,
                  .first = range != NULL ? range->first : 0,
                  .end = range != NULL ? range->end : role->n,
                  .of = range != NULL ? range->path : "the secrets" };
    const gboolean is_ok
        = read_table (reading, g_strstrip (names[n_names == 1 ? 0 : i]), folders, &part, error);
    g_autofree gint64 *values = part.values;

    if (!is_ok)
      return FALSE;
    if (*ret_values == NULL)
      *ret_values
          = assay_alloc (role->n, reading->columns->len * sizeof (gint64), "attributes", error);
    if (*ret_values == NULL)
      return FALSE;
    memcpy (*ret_values + done * reading->columns->len, values,
            (part.end - part.first) * reading->columns->len * sizeof (gint64));
    done += part.end - part.first;
  }
  return TRUE;
}

/* ---- Categories in order ---- */

static gboolean
is_whole (const char *text, gint64 *ret_number)
{
  return g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, ret_number, NULL);
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  gint64 first = 0, second = 0;

  is_whole (*(const char *const *) a, &first);
  is_whole (*(const char *const *) b, &second);
  return first != second ? (first > second) - (first < second)
                         : strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
sort_categories (Column *column)
{
  const guint n = column->texts->len;
  g_autofree const char **sorted = g_new (const char *, n);
  gboolean are_numbers = TRUE;
  gint64 ignored;

  for (guint i = 0; i < n; i++) {
    sorted[i] = column->texts->pdata[i];
    are_numbers = are_numbers && is_whole (sorted[i], &ignored);
  }
  qsort (sorted, n, sizeof *sorted, are_numbers ? compare_numbers : assay_compare_strings);
  column->places = g_new (gint64, n);
  for (guint i = 0; i < n; i++)
    column->places[number_of (column, sorted[i])] = i;
}

gboolean
row_attributes_read (const RowAttributesRole *roles, guint n_roles, const char *const *folders,
                     AssayArray **ret_values, char ***ret_names, GError **error)
{
  g_auto (Reading) reading = { 0 };
  g_autofree gint64 **values = g_new0 (gint64 *, n_roles);
  gboolean is_ok = TRUE;
  guint q;

  for (guint r = 0; is_ok && r < n_roles; r++)
    if (*roles[r].tables != '\0' && !read_role (&reading, &roles[r], folders, &values[r], error))
      is_ok = assay_prefix (error, "%s: ", roles[r].key);
  q = reading.columns != NULL ? reading.columns->len : 0;
  for (guint j = 0; is_ok && j < q; j++)
    sort_categories (reading.columns->pdata[j]);
  for (guint r = 0; r < n_roles; r++) {
    const gsize shape[] = { roles[r].n, q };

    if (!is_ok || values[r] == NULL) {
      g_free (values[r]);
      continue;
    }
    for (gsize i = 0; i < roles[r].n * q; i++)
      values[r][i] = ((const Column *) reading.columns->pdata[i % q])->places[values[r][i]];
    ret_values[r] = assay_array_take (ASSAY_INT64, 2, shape, values[r]);
  }
  if (!is_ok || q == 0)
    return is_ok;
  *ret_names = g_new0 (char *, q + 1);
  for (guint j = 0; j < q; j++)
    (*ret_names)[j] = g_strdup (reading.names->pdata[j]);
  return TRUE;
}
