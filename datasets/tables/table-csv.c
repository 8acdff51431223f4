/* Numbers in CSV files. The text is read twice: for shape and type, and for the numbers. */
#include "datasets/tables/table-csv.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "datasets/tables/table.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define EXCERPT 40

typedef struct {
  gboolean is_whole;
  gint64 whole;
  double value;
} Number;

/* One field into @cursor->field, and the ',' or line end behind it. */
static gboolean
read_field (AssayCsvCursor *cursor, gboolean *ret_ends_row, GError **error)
{
  const gboolean is_quoted = cursor->at < cursor->end && *cursor->at == '"';
  const char *start = cursor->at + is_quoted, *at = start;

  while (at < cursor->end && *at != '\n' && *at != '"' && (is_quoted || *at != ','))
    at++;
  if (is_quoted != (at < cursor->end && *at == '"'))
    return assay_fail (error, ASSAY_ERROR_DATA, "line %" G_GSIZE_FORMAT ": %s", cursor->line,
                       is_quoted ? "a quoted field is not closed"
                                 : "unexpected quote in a field without quotes");
  g_string_truncate (cursor->field, 0);
  g_string_append_len (cursor->field, start, at - start);
  if (cursor->field->len != strlen (cursor->field->str))
    return assay_fail (error, ASSAY_ERROR_DATA, "line %" G_GSIZE_FORMAT ": has a NUL byte",
                       cursor->line);
  g_strstrip (cursor->field->str);
  at += is_quoted;
  if (cursor->end - at >= 2 && at[0] == '\r' && at[1] == '\n')
    at++;
  *ret_ends_row = at == cursor->end || *at == '\n';
  if (!*ret_ends_row && *at != ',')
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "line %" G_GSIZE_FORMAT ": unexpected text after a closing quote",
                       cursor->line);
  cursor->line += at < cursor->end && *at == '\n';
  cursor->at = at + (at < cursor->end);
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
                     "line %" G_GSIZE_FORMAT ", column %" G_GSIZE_FORMAT
                     " is '%.*s'; expected a finite number, whole ones within 64 bits",
                     line, column, EXCERPT, text);
}

/* Whether no field of the first line is a number, "nan" and "inf" being numbers too. */
static gboolean
is_header (AssayCsvCursor cursor, gboolean *ret_is_header, GError **error)
{
  gboolean ends_row = FALSE;

  *ret_is_header = TRUE;
  while (!ends_row) {
    char *end = NULL;

    if (!read_field (&cursor, &ends_row, error))
      return FALSE;
    g_ascii_strtod (cursor.field->str, &end);
    if (end != cursor.field->str && *end == '\0')
      *ret_is_header = FALSE;
  }
  return TRUE;
}

/* Counts one row's fields, and looks at their numbers unless it is the header. */
static gboolean
probe_row (AssayCsvTable *table, AssayCsvCursor *cursor, gboolean has_numbers, GError **error)
{
  const gsize line = cursor->line;
  gboolean ends_row = FALSE;
  gsize cols = 0;

  for (; !ends_row; cols++) {
    Number number;

    if (!read_field (cursor, &ends_row, error))
      return FALSE;
    if (!has_numbers)
      continue;
    if (!parse_number (cursor->field->str, &number))
      return fail_number (cursor->field->str, line, cols, error);
    if (!number.is_whole)
      table->type = ASSAY_FLOAT64;
  }
  if (cols > ASSAY_TABLE_MOST_COLS)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "line %" G_GSIZE_FORMAT ": has %" G_GSIZE_FORMAT
                       " fields; expected at most %d",
                       line, cols, ASSAY_TABLE_MOST_COLS);
  if (table->cols == 0)
    table->cols = cols;
  if (cols != table->cols)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "line %" G_GSIZE_FORMAT ": has %" G_GSIZE_FORMAT
                       " fields; expected %" G_GSIZE_FORMAT " as in the first line",
                       line, cols, table->cols);
  return TRUE;
}

gboolean
assay_csv_table_open (AssayCsvTable *table, const char *data, gsize length, GError **error)
{
  AssayCsvCursor cursor = { .at = data, .end = data + length, .line = 1 };
  gboolean has_header = FALSE;

  if (length >= strlen (BYTE_ORDER_MARK)
      && memcmp (data, BYTE_ORDER_MARK, strlen (BYTE_ORDER_MARK)) == 0)
    cursor.at += strlen (BYTE_ORDER_MARK);
  *table = (AssayCsvTable){ .type = ASSAY_INT64 };
  cursor.field = table->cursor.field = g_string_new (NULL);
  if (cursor.at == cursor.end)
    return assay_fail (error, ASSAY_ERROR_DATA, "is empty; expected lines of numbers");
  if (!is_header (cursor, &has_header, error)
      || (has_header && !probe_row (table, &cursor, FALSE, error)))
    return FALSE;
  table->cursor = cursor;
  for (; cursor.at < cursor.end; table->count++)
    if (!probe_row (table, &cursor, TRUE, error))
      return FALSE;
  if (table->count == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "has a header and no rows");
  return TRUE;
}

gboolean
assay_csv_table_read (AssayCsvTable *table, gpointer ret_values, GError **error)
{
  const gsize line = table->cursor.line;

  for (gsize j = 0; j < table->cols; j++) {
    gboolean ends_row;
    Number number;

    if (!read_field (&table->cursor, &ends_row, error))
      return FALSE;
    if (!parse_number (table->cursor.field->str, &number) || ends_row != (j == table->cols - 1))
      return fail_number (table->cursor.field->str, line, j, error);
    if (table->type == ASSAY_INT64) {
      ((gint64 *) ret_values)[j] = number.whole;
      continue;
    }
    if (number.is_whole && (number.value >= 0x1p63 || (gint64) number.value != number.whole))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "line %" G_GSIZE_FORMAT ", column %" G_GSIZE_FORMAT
                         " is %s, which float64 does not hold exactly, beside numbers that are "
                         "not whole",
                         line, j, table->cursor.field->str);
    ((double *) ret_values)[j] = number.value;
  }
  return TRUE;
}

void
assay_csv_table_clear (AssayCsvTable *table)
{
  if (table->cursor.field != NULL)
    g_string_free (table->cursor.field, TRUE);
  table->cursor.field = NULL;
}
