/* Classes and attributes of the rows of an audit. */
#include "cli/audit/audit-labels.h"

#include <math.h>
#include <string.h>

#include "cli/audit/audit-table.h"
#include "core/base/each.h"
#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/base/text.h"
#include "core/data/formats/csv-column.h"
#include "core/data/formats/csv-header.h"
#include "core/data/row-file.h"

#define MAX_CLASSES 1000
#define MAX_LABEL 16777216.0f

ASSAY_FREE_FUNC (CliAuditColumn, cli_audit_column_free, g_free (self->name), g_free (self->numbers),
                 assay_drop (self->values, g_ptr_array_unref))

/* ---- Names ---- */

/* What stands before a bracket. */
static char *
file_of (const char *data)
{
  const char *bracket = strchr (data, '[');

  return bracket != NULL ? g_strndup (data, (gsize) (bracket - data)) : g_strdup (data);
}

gboolean
cli_audit_is_table (const char *data)
{
  g_autofree char *file = file_of (data);

  return g_str_has_suffix (file, ".csv") || g_str_has_suffix (file, ".tsv");
}

/* The fields of a line of CSV text, without the blanks around them. */
static GPtrArray *
split_names (const char *text, GError **error)
{
  g_auto (AssayCsvReader) reader = assay_csv_reader (text, strlen (text));
  GPtrArray *names = assay_csv_header_read (&reader, error);

  for (guint i = 0; names != NULL && i < names->len; i++)
    g_strstrip (names->pdata[i]);
  return names;
}

/* FILE.csv:COLUMN, of which the colon is returned; NULL: it is none. */
static const char *
find_colon (const char *word)
{
  static const char *const suffixes[] = { ".csv:", ".tsv:" };

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
    const char *found = strstr (word, suffixes[i]);

    if (found != NULL)
      return found + strlen (suffixes[i]) - 1;
  }
  return NULL;
}

GPtrArray *
cli_audit_own_columns (const char *data, const char *words, GError **error)
{
  g_autoptr (GPtrArray) own = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) names = NULL;

  if (words == NULL || !cli_audit_is_table (data))
    return g_steal_pointer (&own);
  names = split_names (words, error);
  if (names == NULL)
    return NULL;
  ASSAY_FOR_EACH (const char, name, names) {
    if (find_colon (name) == NULL && !g_file_test (name, G_FILE_TEST_EXISTS)
        && !g_str_has_suffix (name, "]"))
      g_ptr_array_add (own, g_strdup (name));
  }
  return g_steal_pointer (&own);
}

/* As a field of CSV text. */
static void
append_field (GString *text, const char *field)
{
  g_auto (GStrv) parts = NULL;
  g_autofree char *doubled = NULL;

  if (strpbrk (field, "\",;\t\r\n[]") == NULL) {
    g_string_append (text, field);
    return;
  }
  parts = g_strsplit (field, "\"", -1);
  doubled = g_strjoinv ("\"\"", parts);
  g_string_append_printf (text, "\"%s\"", doubled);
}

/* The first pair of brackets holds a choice of columns, unless it is a range. */
static gboolean
is_choice (const char *brackets)
{
  const gsize length = strcspn (brackets + 1, "]");

  return strspn (brackets + 1, "0123456789:") < length;
}

/* The names between brackets; of none, and where there are no brackets, an empty list. */
static GPtrArray *
split_choice (const char *inner, GError **error)
{
  return *inner != '\0' ? split_names (inner, error) : g_ptr_array_new_with_free_func (g_free);
}

char *
cli_audit_without (const char *data, const GPtrArray *columns, GError **error)
{
  const char *brackets = strchr (data, '[');
  const gboolean has_choice = brackets != NULL && is_choice (brackets);
  g_autofree char *file = file_of (data);
  g_autofree char *inner
      = has_choice ? g_strndup (brackets + 1, strcspn (brackets + 1, "]")) : g_strdup ("");
  g_autoptr (GPtrArray) chosen = split_choice (inner, error);
  const gboolean leaves_out = *inner == '-' || *inner == '\0';
  const char *range = has_choice ? brackets + 1 + strlen (inner) + 1 : brackets;
  g_autoptr (GString) text = g_string_new (NULL);

  if (chosen == NULL)
    return assay_prefix_null (error, "%s: ", data);
  for (guint i = 0; i < chosen->len; i++)
    if (leaves_out || !assay_names_have (columns, chosen->pdata[i])) {
      append_field (text, chosen->pdata[i]);
      g_string_append_c (text, ',');
    }
  for (guint i = 0; leaves_out && i < columns->len; i++) {
    g_autofree char *name = g_strconcat ("-", columns->pdata[i], NULL);

    if (assay_names_have (chosen, name))
      continue;
    append_field (text, name);
    g_string_append_c (text, ',');
  }
  if (text->len == 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s: each of its columns is a label or an attribute; expected numbers "
                            "beside them",
                            data);
  g_string_truncate (text, text->len - 1);
  return g_strdup_printf ("%s[%s]%s", file, text->str, range != NULL ? range : "");
}

/* ---- One column ---- */

static CliAuditColumn *
check_categories (CliAuditColumn *taken, gsize n, GError **error)
{
  g_autoptr (CliAuditColumn) column = taken;
  const gsize count = column->values->len;

  if (count >= 2 && count <= MAX_CLASSES && 2 * count <= n)
    return g_steal_pointer (&column);
  return assay_fail_null (error, ASSAY_ERROR_DATA,
                          "%s has %zu different values in %zu rows; expected classes, 2 to %d, of "
                          "two rows each on average at least",
                          column->name, count, n, MAX_CLASSES);
}

static gint64
number_of (GHashTable *numbers, GPtrArray *values, const char *text)
{
  gpointer number = g_hash_table_lookup (numbers, text);

  if (number == NULL) {
    char *copy = g_strdup (text);

    g_ptr_array_add (values, copy);
    number = GSIZE_TO_POINTER (values->len);
    g_hash_table_insert (numbers, copy, number);
  }
  return (gint64) GPOINTER_TO_SIZE (number) - 1;
}

/* Rows [first, end) of a column: categories of other rows are none. */
static CliAuditColumn *
take_range (const CliAuditTable *table, const char *name, GError **error)
{
  const gsize n = table->end - table->first;
  g_autoptr (AssayCsvColumn) read
      = assay_csv_column_read (table->path, name, table->n_in_file, error);
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  CliAuditColumn *column;

  if (read == NULL)
    return NULL;
  column = g_new0 (CliAuditColumn, 1);
  column->name = g_strdup (name);
  column->numbers = g_new (gint64, n);
  column->values = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; i < n; i++)
    column->numbers[i]
        = number_of (numbers, column->values, read->values->pdata[read->groups[table->first + i]]);
  return check_categories (column, n, error);
}

CliAuditColumn *
cli_audit_column_read (const char *word, const CliAuditTable *own, gsize n, GError **error)
{
  const char *const here[] = { ".", NULL };
  const char *colon = find_colon (word);
  g_autofree char *file = colon != NULL ? g_strndup (word, (gsize) (colon - word)) : NULL;
  g_autofree char *path = NULL;

  if (colon == NULL && own == NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s: expected FILE.csv:COLUMN, a column of --data where that is a CSV "
                            "file with names of columns, or a file with a number for each row, "
                            "such as labels.npy or people.parquet[%s]",
                            word, word);
  if (colon == NULL)
    return take_range (own, word, error);
  path = assay_row_file_find (file, here, error);
  return path != NULL ? take_range (&(CliAuditTable){ path, 0, n, n }, colon + 1, error) : NULL;
}

/* ---- Labels ---- */

/* The names of the columns of a CSV file. */
static char *
name_columns (const char *path)
{
  g_autoptr (GBytes) file = assay_file_map (path, NULL);
  GString *names = g_string_new (NULL);
  gsize length = 0;
  const char *text = file != NULL ? g_bytes_get_data (file, &length) : NULL;
  gboolean is_end = length == 0;
  g_auto (AssayCsvReader) reader = assay_csv_reader (is_end ? "" : text, length);

  while (!is_end && assay_csv_read_field (&reader, &is_end, NULL))
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", reader.field->str);
  return g_string_free (names, FALSE);
}

/* One column of whole numbers, the smallest of which may be any. */
static CliAuditColumn *
read_numbered (const char *file, gsize n, GError **error)
{
  g_autoptr (AssayMatrix) rows = cli_audit_table_read (file, error);
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (CliAuditColumn) column = g_new0 (CliAuditColumn, 1);

  if (rows == NULL)
    return NULL;
  if (rows->rows != n || rows->cols != 1) {
    g_autofree char *names = g_str_has_suffix (file, ".csv") ? name_columns (file) : g_strdup ("");

    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s has %zu rows of %zu columns; expected one column with a label for "
                            "each of the %zu rows of the data%s%s",
                            file, rows->rows, rows->cols, n,
                            *names != '\0' ? ", or FILE.csv:COLUMN, of " : "", names);
  }
  column->name = g_strdup (file);
  column->numbers = g_new (gint64, n);
  column->values = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; i < n; i++) {
    const int value = fabsf (rows->data[i]) < MAX_LABEL ? (int) rows->data[i] : 0;
    g_autofree char *text = g_strdup_printf ("%d", value);

    if ((float) value != rows->data[i])
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "%s: row %zu is %g; expected whole numbers, one for each class", file,
                              i, (double) rows->data[i]);
    column->numbers[i] = number_of (numbers, column->values, text);
  }
  return check_categories (g_steal_pointer (&column), n, error);
}

/* The only column of a CSV file, if it has a name and may hold words. */
static char *
only_column (const char *file, GError **error)
{
  g_autofree char *names = g_str_has_suffix (file, ".csv") ? name_columns (file) : g_strdup ("");

  if (strchr (names, ',') != NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s has the columns %s; expected %s:COLUMN",
                            file, names, file);
  return g_strdup (g_ascii_strtod (names, NULL) == 0 && *names != '0' ? names : "");
}

/* The name of a column, and not of a file, of which one may be chosen: people.parquet[label]. */
static gboolean
names_column (const char *word, const CliAuditTable *own)
{
  if (find_colon (word) != NULL)
    return TRUE;
  if (g_file_test (word, G_FILE_TEST_EXISTS) || g_str_has_suffix (word, "]"))
    return FALSE;
  return own != NULL || strchr (word, '.') == NULL;
}

static CliAuditColumn *
read_labels (const char *word, const CliAuditTable *own, gsize n, GError **error)
{
  g_autofree char *column = NULL;
  g_autofree char *named = NULL;

  if (names_column (word, own))
    return cli_audit_column_read (word, own, n, error);
  column = only_column (word, error);
  if (column == NULL)
    return NULL;
  if (*column == '\0')
    return read_numbered (word, n, error);
  named = g_strdup_printf ("%s:%s", word, column);
  return cli_audit_column_read (named, own, n, error);
}

CliAuditColumn *
cli_audit_labels_read (const char *word, const CliAuditTable *own, gsize n, GError **error)
{
  CliAuditColumn *column = read_labels (word, own, n, error);

  return column != NULL ? column : assay_prefix_null (error, "--labels: ");
}

/* ---- Attributes ---- */

/* In a scenario the names of columns are values of a setting. */
static gboolean
check_name (const char *name, const GPtrArray *others, GError **error)
{
  ASSAY_FOR_EACH (const CliAuditColumn, other, others) {
    if (g_str_equal (other->name, name))
      return assay_fail (error, ASSAY_ERROR_DATA, "%s appears twice; expected each name once",
                         name);
  }
  return (*name != '\0' && strpbrk (name, ";\r\n\"") == NULL)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "'%s': expected names without ';', quotes and line ends", name);
}

GPtrArray *
cli_audit_attributes_read (const char *words, const CliAuditTable *own, gsize n, GError **error)
{
  g_autoptr (GPtrArray) names = split_names (words, error);
  g_autoptr (GPtrArray) columns
      = g_ptr_array_new_with_free_func ((GDestroyNotify) cli_audit_column_free);

  for (guint i = 0; i < (names != NULL ? names->len : 0); i++) {
    CliAuditColumn *column = cli_audit_column_read (names->pdata[i], own, n, error);

    if (column == NULL || !check_name (column->name, columns, error)) {
      cli_audit_column_free (column);
      return assay_prefix_null (error, "--attributes: ");
    }
    g_ptr_array_add (columns, column);
  }
  return names != NULL ? g_steal_pointer (&columns) : assay_prefix_null (error, "--attributes: ");
}

gboolean
cli_audit_attributes_write (const GPtrArray *attributes, const gsize *numbers, gsize n,
                            const char *path, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint c = 0; c < attributes->len; c++) {
    if (c > 0)
      g_string_append_c (text, ',');
    append_field (text, ((const CliAuditColumn *) attributes->pdata[c])->name);
  }
  g_string_append_c (text, '\n');
  for (gsize i = 0; i < n; i++)
    for (guint c = 0; c < attributes->len; c++) {
      const CliAuditColumn *column = attributes->pdata[c];

      append_field (text, column->values->pdata[column->numbers[numbers[i]]]);
      g_string_append_c (text, c + 1 < attributes->len ? ',' : '\n');
    }
  return g_file_set_contents (path, text->str, (gssize) text->len, NULL)
         || assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written", path);
}
