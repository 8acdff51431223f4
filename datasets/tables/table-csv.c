/* Numbers in CSV files. The text is read twice: for shape and type, and for the numbers. */
#include "datasets/tables/table-csv.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"

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

static gboolean
fail_number (const char *text, gsize line, gsize column, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "line %zu, column %zu is '%.*s'; expected a finite number, whole ones within "
                     "64 bits",
                     line, column, EXCERPT, text);
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
    if (!has_numbers)
      continue;
    if (!parse_number (reader->field->str, &number))
      return fail_number (reader->field->str, line, cols, error);
    if (!number.is_whole)
      table->type = ASSAY_FLOAT64;
  }
  if (table->cols == 0)
    table->cols = cols;
  if (cols != table->cols)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "line %zu: has %zu fields; expected %zu as in the first line", line, cols,
                       table->cols);
  return TRUE;
}

gboolean
assay_csv_table_open (AssayCsvTable *table, const char *data, gsize length, GError **error)
{
  gboolean has_header = FALSE;
  AssayCsvReader reader;

  *table = (AssayCsvTable){ .type = ASSAY_INT64, .reader = assay_csv_reader (data, length) };
  reader = table->reader;
  if (reader.at == reader.end)
    return assay_fail (error, ASSAY_ERROR_DATA, "is empty; expected lines of numbers");
  if (!is_header (reader, &has_header, error)
      || (has_header && !count_row (table, &reader, FALSE, error)))
    return FALSE;
  table->reader = reader;
  for (; reader.at < reader.end; table->count++)
    if (!count_row (table, &reader, TRUE, error))
      return FALSE;
  if (table->count == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "has a header and no rows");
  return TRUE;
}

gboolean
assay_csv_table_read (AssayCsvTable *table, gpointer ret_values, GError **error)
{
  const gsize line = table->reader.line;

  for (gsize j = 0; j < table->cols; j++) {
    gboolean ends_row;
    Number number;

    if (!read_field (&table->reader, &ends_row, error))
      return FALSE;
    if (!parse_number (table->reader.field->str, &number) || ends_row != (j == table->cols - 1))
      return fail_number (table->reader.field->str, line, j, error);
    if (table->type == ASSAY_INT64) {
      ((gint64 *) ret_values)[j] = number.whole;
      continue;
    }
    if (number.is_whole && (number.value >= 0x1p63 || (gint64) number.value != number.whole))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "line %zu, column %zu is %s, which float64 does not hold exactly, beside "
                         "numbers that are not whole",
                         line, j, table->reader.field->str);
    ((double *) ret_values)[j] = number.value;
  }
  return TRUE;
}

void
assay_csv_table_clear (AssayCsvTable *table)
{
  assay_csv_reader_clear (&table->reader);
}
