/* Numbers in plain text, read twice: for the shape, and for the numbers. */
#include "core/data/formats/text-table.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/matrix.h"

#define MOST_LETTERS 64 /* of a number */
#define EXCERPT 40

typedef struct {
  const char *at, *end;
  gsize line; /* of @at, from 1 */
  char word[MOST_LETTERS];
} Reader;

static gboolean
is_blank (char letter)
{
  return letter == ' ' || letter == '\t' || letter == '\r';
}

static void
skip_blanks (Reader *reader)
{
  while (reader->at < reader->end && is_blank (*reader->at))
    reader->at++;
}

/* The next word of the line into @reader->word; FALSE: the line ends, and its end is behind. What
 * is longer than any number is cut; a zero byte, which is in no number, stands as '?'. */
static gboolean
next_word (Reader *reader)
{
  gsize length = 0;

  skip_blanks (reader);
  if (reader->at == reader->end || *reader->at == '\n') {
    reader->line += reader->at < reader->end;
    reader->at += reader->at < reader->end;
    return FALSE;
  }
  for (; reader->at < reader->end && !is_blank (*reader->at) && *reader->at != '\n'; reader->at++)
    if (length < MOST_LETTERS - 1)
      reader->word[length++] = *reader->at != '\0' ? *reader->at : '?';
  reader->word[length] = '\0';
  return TRUE;
}

/* Whether nothing but blanks and line ends follows. */
static gboolean
is_over (const Reader *reader)
{
  const char *at = reader->at;

  while (at < reader->end && (is_blank (*at) || *at == '\n'))
    at++;
  return at == reader->end;
}

static gboolean
count_rows (Reader reader, gsize *ret_count, gsize *ret_cols, GError **error)
{
  *ret_count = *ret_cols = 0;
  for (; !is_over (&reader); (*ret_count)++) {
    const gsize line = reader.line;
    gsize cols = 0;

    while (next_word (&reader))
      cols++;
    if (*ret_count > 0 && cols != *ret_cols)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "line %zu: has %zu numbers; expected %zu as in the first line", line, cols,
                         *ret_cols);
    *ret_cols = cols;
  }
  return *ret_cols > 0
         || assay_fail (error, ASSAY_ERROR_DATA, "is empty; expected lines of numbers");
}

static gboolean
read_rows (Reader *reader, gsize count, gsize cols, float *ret_values, GError **error)
{
  for (gsize i = 0; i < count; i++) {
    const gsize line = reader->line;

    for (gsize j = 0; next_word (reader); j++) {
      double value;

      if (!assay_text_to_double (reader->word, &value) || !isfinite ((float) value)) {
        g_autofree char *shown = g_utf8_make_valid (reader->word, -1);

        return assay_fail (error, ASSAY_ERROR_DATA,
                           "line %zu, number %zu is '%.*s'; expected a finite one", line, j,
                           EXCERPT, shown);
      }
      ret_values[i * cols + j] = (float) value;
    }
  }
  return TRUE;
}

AssayArray *
assay_text_table_array (const char *data, gsize length, GError **error)
{
  /* What is empty may be nowhere. */
  Reader reader = { .at = data, .end = length > 0 ? data + length : data, .line = 1 };
  g_autofree float *values = NULL;
  gsize count, cols, size;

  if (!count_rows (reader, &count, &cols, error))
    return NULL;
  if (!g_size_checked_mul (&size, cols, sizeof (float)))
    return assay_fail_null (error, ASSAY_ERROR_DATA, "has %zu numbers in a line", cols);
  values = assay_alloc (count, size, "rows of numbers", error);
  if (values == NULL || !read_rows (&reader, count, cols, values, error))
    return NULL;
  return assay_array_take (ASSAY_FLOAT32, 2, (gsize[]){ count, cols }, g_steal_pointer (&values));
}
