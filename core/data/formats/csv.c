/* Fields of CSV text. */
#include "core/data/formats/csv.h"

#include <string.h>

#include "core/base/error.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

AssayCsvReader
assay_csv_reader (const char *data, gsize length)
{
  const gsize mark = strlen (BYTE_ORDER_MARK);
  const gboolean has_mark = length >= mark && memcmp (data, BYTE_ORDER_MARK, mark) == 0;

  /* An empty file may be nowhere. */
  return (AssayCsvReader){ .at = has_mark ? data + mark : data,
                           .end = length > 0 ? data + length : data,
                           .line = 1,
                           .field = g_string_new (NULL),
                           .separator = ',' };
}

void
assay_csv_reader_clear (AssayCsvReader *reader)
{
  if (reader->field != NULL)
    g_string_free (reader->field, TRUE);
  reader->field = NULL;
}

/* A field that begins with a quote: up to the closing one, with "" for a quote. */
static gboolean
read_quoted (AssayCsvReader *reader, GError **error)
{
  const gsize first_line = reader->line;

  for (reader->at++; reader->at < reader->end; reader->at++) {
    if (*reader->at == '"') {
      reader->at++;
      if (reader->at == reader->end || *reader->at != '"')
        return TRUE;
    }
    reader->line += *reader->at == '\n';
    g_string_append_c (reader->field, *reader->at);
  }
  return assay_fail (error, ASSAY_ERROR_DATA, "line %zu: a quoted field is not closed", first_line);
}

static gboolean
is_special (const AssayCsvReader *reader, char c)
{
  return c == reader->separator || c == '\n' || c == '\r' || c == '"' || c == '\0';
}

gboolean
assay_csv_read_field (AssayCsvReader *reader, gboolean *ret_ends_row, GError **error)
{
  g_string_truncate (reader->field, 0);
  if (reader->at < reader->end && *reader->at == '"') {
    if (!read_quoted (reader, error))
      return FALSE;
  } else {
    const char *start = reader->at;

    while (reader->at < reader->end && !is_special (reader, *reader->at))
      reader->at++;
    g_string_append_len (reader->field, start, reader->at - start);
  }
  if (reader->end - reader->at >= 2 && reader->at[0] == '\r' && reader->at[1] == '\n')
    reader->at++;
  *ret_ends_row = reader->at == reader->end || *reader->at == '\n';
  if (strlen (reader->field->str) != reader->field->len || (!*ret_ends_row && *reader->at == '\0'))
    return assay_fail (error, ASSAY_ERROR_DATA, "line %zu: has a NUL byte", reader->line);
  if (!*ret_ends_row && *reader->at != reader->separator)
    return assay_fail (error, ASSAY_ERROR_DATA, "line %zu: unexpected %s", reader->line,
                       *reader->at == '"'    ? "quote in a field without quotes"
                       : *reader->at == '\r' ? "carriage return"
                                             : "text after a closing quote");
  reader->line += reader->at < reader->end && *reader->at == '\n';
  if (reader->at < reader->end)
    reader->at++;
  return TRUE;
}

char
assay_csv_separator (const char *data, gsize length)
{
  const char *newline = memchr (data, '\n', length);
  const gsize first = newline != NULL ? (gsize) (newline - data) : length;

  for (const char *separator = ",;\t"; *separator != '\0'; separator++)
    if (memchr (data, *separator, first) != NULL)
      return *separator;
  return ',';
}
