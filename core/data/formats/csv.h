/* Fields of CSV text (RFC 4180, with or without a byte order mark; lines end in LF or CRLF), which
 * commas separate, or tabs or semicolons. */
#pragma once

#include "core/base/free.h"

typedef struct {
  const char *at;
  const char *end;
  gsize line;     /* of @at, from 1 */
  GString *field; /* what was read last */
  char separator; /* ',' unless it is set */
} AssayCsvReader;

/* At the beginning of @data, which its caller keeps. */
AssayCsvReader assay_csv_reader (const char *data, gsize length);
ASSAY_DECLARE_CLEAR (AssayCsvReader, assay_csv_reader_clear)

/* One field into @reader->field, and the separator or line end behind it. ASSAY_ERROR_DATA begins
 * with the line: quotes not closed or out of place, a carriage return without LF, a NUL byte. */
gboolean assay_csv_read_field (AssayCsvReader *reader, gboolean *ret_ends_row, GError **error);

/* What separates the fields of text that does not tell it by its name: the first of ',', ';' and
 * tab that its first line has; ',' without any. */
char assay_csv_separator (const char *data, gsize length);
