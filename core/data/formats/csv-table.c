/* Numbers in CSV files. The text is read twice: for shape and type, and for the numbers. */
#include "core/data/formats/csv-table.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/formats/csv-header.h"
#include "core/data/matrix.h"

#define EXCERPT 40

typedef struct {
  gboolean is_whole;
  gint64 whole;
  double value;
} Number;

/* Blanks around a number do not count. */
static gboolean
read_field (AssayCsvReader *reader, gboolean *ret_ends_row, GError **error)
{
  if (!assay_csv_read_field (reader, ret_ends_row, error))
    return FALSE;
  g_strstrip (reader->field->str);
  return TRUE;
}

/* A whole number without '.' or exponent is one of int64; -0 is not, which int64 does not have. */
static gboolean
parse_number (const char *text, Number *ret_number)
{
  const gsize length = strlen (text);
  const gsize sign = *text == '-' || *text == '+';
  const gboolean is_digits = length > sign && strspn (text + sign, "0123456789") == length - sign;

  if (!is_digits) {
    ret_number->is_whole = FALSE;
    return assay_text_to_double (text, &ret_number->value);
  }
  if (!g_ascii_string_to_signed (text + (*text == '+'), 10, G_MININT64, G_MAXINT64,
                                 &ret_number->whole, NULL))
    return FALSE;
  ret_number->is_whole = ret_number->whole != 0 || *text != '-';
  ret_number->value = ret_number->is_whole ? (double) ret_number->whole : -0.0;
  return TRUE;
}

/* Lines and columns are counted from 1, as editors count them. */
static gboolean
fail_number (const AssayCsvTable *table, const char *text, gsize line, gsize column,
             GError **error)
{
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "line %zu, column %zu is '%.*s'; expected a finite number, whole ones within "
                     "64 bits%s",
                     line, column + 1, EXCERPT, text,
                     table->has_header && table->places == NULL
                         ? "; columns are chosen as in FILE[age,income], and FILE[-name] is all "
                           "but one"
                         : "");
}

static gsize
place_of (const AssayCsvTable *table, gsize column)
{
  if (table->places == NULL)
    return column;
  return column < table->n_fields ? table->places[column] : G_MAXSIZE;
}

/* Whether no field of the first line is a number, "nan" and "inf" being numbers too. */
static gboolean
is_header (AssayCsvReader reader, gboolean *ret_is_header, GError **error)
{
  gboolean ends_row = FALSE;

  *ret_is_header = TRUE;
  while (!ends_row) {
    char *end = NULL;

    if (!read_field (&reader, &ends_row, error))
      return FALSE;
    g_ascii_strtod (reader.field->str, &end);
    if (end != reader.field->str && *end == '\0')
      *ret_is_header = FALSE;
  }
  return TRUE;
}

/* Counts one row's fields, and looks at their numbers unless it is the header. */
static gboolean
count_row (AssayCsvTable *table, AssayCsvReader *reader, gboolean has_numbers, GError **error)
{
  const gsize line = reader->line;
  gboolean ends_row = FALSE;
  gsize cols = 0;

  for (; !ends_row; cols++) {
    Number number;

    if (!read_field (reader, &ends_row, error))
      return FALSE;
    if (!has_numbers || place_of (table, cols) == G_MAXSIZE)
      continue;
    if (!parse_number (reader->field->str, &number))
      return fail_number (table, reader->field->str, line, cols, error);
    if (!number.is_whole)
      table->type = ASSAY_FLOAT64;
  }
  if (table->n_fields == 0)
    table->n_fields = cols;
  if (cols != table->n_fields)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "line %zu: has %zu fields; expected %zu as in the first line", line, cols,
                       table->n_fields);
  return TRUE;
}

/* The header, where there is one or has to be, and which of its columns are wanted. */
static gboolean
read_header (AssayCsvTable *table, AssayCsvReader *reader, const char *columns, GError **error)
{
  g_autoptr (GPtrArray) names = NULL;

  table->has_header = TRUE;
  if (columns == NULL)
    return is_header (*reader, &table->has_header, error)
           && (!table->has_header || count_row (table, reader, FALSE, error));
  names = assay_csv_header_read (reader, error);
  if (names == NULL)
    return FALSE;
  table->n_fields = names->len;
  table->places = assay_csv_header_choose (names, columns, &table->cols, error);
  return table->places != NULL;
}

gboolean
assay_csv_table_open (AssayCsvTable *table, const char *data, gsize length, char separator,
                      const char *columns, GError **error)
{
  AssayCsvReader reader;

  *table = (AssayCsvTable){ .type = ASSAY_INT64, .reader = assay_csv_reader (data, length) };
  table->reader.separator = separator;
  reader = table->reader;
  if (reader.at == reader.end)
    return assay_fail (error, ASSAY_ERROR_DATA, "is empty; expected lines of numbers");
  if (!read_header (table, &reader, columns, error))
    return FALSE;
  table->reader = reader;
  for (; reader.at < reader.end; table->count++)
    if (!count_row (table, &reader, TRUE, error))
      return FALSE;
  if (table->count == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "has a header and no rows");
  if (columns == NULL)
    table->cols = table->n_fields;
  return TRUE;
}

gboolean
assay_csv_table_read (AssayCsvTable *table, gpointer ret_values, GError **error)
{
  const gsize line = table->reader.line;

  for (gsize j = 0; j < table->n_fields; j++) {
    const gsize place = place_of (table, j);
    gboolean ends_row;
    Number number;

    if (!read_field (&table->reader, &ends_row, error))
      return FALSE;
    if (place == G_MAXSIZE)
      continue;
    if (!parse_number (table->reader.field->str, &number) || ends_row != (j == table->n_fields - 1))
      return fail_number (table, table->reader.field->str, line, j, error);
    if (table->type == ASSAY_INT64) {
      ((gint64 *) ret_values)[place] = number.whole;
      continue;
    }
    if (number.is_whole && (number.value >= 0x1p63 || (gint64) number.value != number.whole))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "line %zu, column %zu is %s, which float64 does not hold exactly, beside "
                         "numbers that are not whole",
                         line, j + 1, table->reader.field->str);
    ((double *) ret_values)[place] = number.value;
  }
  return TRUE;
}

ASSAY_CLEAR_FUNC (AssayCsvTable, assay_csv_table_clear, assay_csv_reader_clear (&self->reader),
                  assay_drop (self->places, g_free))

AssayArray *
assay_csv_table_array (const char *data, gsize length, char separator, const char *columns,
                       GError **error)
{
  g_auto (AssayCsvTable) table = { 0 };
  g_autofree guint8 *values = NULL;
  gsize row_bytes;

  if (!assay_csv_table_open (&table, data, length, separator, columns, error))
    return NULL;
  row_bytes = table.cols * assay_type_size (table.type);
  values = assay_alloc (table.count, row_bytes, "rows of numbers", error);
  if (values == NULL)
    return NULL;
  for (gsize i = 0; i < table.count; i++)
    if (!assay_csv_table_read (&table, values + i * row_bytes, error))
      return NULL;
  return assay_array_take (table.type, 2, (gsize[]){ table.count, table.cols },
                           g_steal_pointer (&values));
}
