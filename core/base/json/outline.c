/* The outline of a JSON file: what json-glib would read otherwise than others do. */
#include "core/base/json/outline.h"

#include <string.h>

#include "core/base/error.h"

static const char too_deep[]
    = "more than " G_STRINGIFY (ASSAY_JSON_MAX_LEVELS) " levels of objects and arrays";

typedef struct {
  const char *at;
  const char *end;
  gsize line;
  const char *line_start;
} Scanner;

static gboolean
fail_at (const Scanner *scanner, const char *path, const char *problem, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_DATA, "%s:%zu:%zu: %s", path, scanner->line,
                     (gsize) (scanner->at - scanner->line_start) + 1, problem);
}

/* Whether @c, which may be NUL, is one of @set. */
static gboolean
is_one_of (char c, const char *set)
{
  return c != '\0' && strchr (set, c) != NULL;
}

/* The number that four hexadecimal digits at @at are; -1: they are not. */
static gint
code_at (const char *at, const char *end)
{
  gint code = 0;

  for (guint i = 0; i < 4; i++) {
    if (at + i >= end || !g_ascii_isxdigit (at[i]))
      return -1;
    code = code * 16 + g_ascii_xdigit_value (at[i]);
  }
  return code;
}

#define IS_FIRST_HALF(code) ((code) >= 0xd800 && (code) < 0xdc00)
#define IS_SECOND_HALF(code) ((code) >= 0xdc00 && (code) < 0xe000)

/* What is wrong with the escape at @scanner, which is left behind it; NULL: nothing. Of half a pair
 * json-glib makes bytes that are no text, or loses memory; a zero would end the text; and of other
 * characters it forgets the backslash. */
static const char *
skip_escape (Scanner *scanner)
{
  const char *at = scanner->at + 1, *end = scanner->end;
  gint code;

  if (at == end || is_one_of (*at, "\"\\/bfnrt")) {
    scanner->at = MIN (at + 1, end);
    return NULL;
  }
  if (*at != 'u')
    return "expected one of \" \\ / b f n r t u after a backslash";
  code = code_at (at + 1, end);
  if (code < 0)
    return "expected four hexadecimal digits after \\u";
  if (code == 0)
    return "a text holds a zero (\\u0000)";
  at += 5;
  if (IS_FIRST_HALF (code) && end - at >= 2 && at[0] == '\\' && at[1] == 'u'
      && IS_SECOND_HALF (code_at (at + 2, end)))
    at += 6;
  else if (IS_FIRST_HALF (code) || IS_SECOND_HALF (code))
    return "half of a pair of \\u, expected both";
  scanner->at = at;
  return NULL;
}

static const char *
skip_byte (Scanner *scanner)
{
  scanner->at++;
  return NULL;
}

/* Behind the closing quote of the string that begins at @scanner, or the end of the text. What is
 * wrong with it, or NULL. */
static const char *
skip_string (Scanner *scanner)
{
  scanner->at++;
  while (scanner->at < scanner->end && *scanner->at != '"') {
    const char *problem = *scanner->at == '\\' ? skip_escape (scanner) : skip_byte (scanner);

    if (problem != NULL)
      return problem;
  }
  if (scanner->at < scanner->end)
    scanner->at++;
  return NULL;
}

static void
skip_space (Scanner *scanner)
{
  for (; scanner->at < scanner->end && is_one_of (*scanner->at, " \t\r\n"); scanner->at++)
    if (*scanner->at == '\n') {
      scanner->line++;
      scanner->line_start = scanner->at + 1;
    }
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?, as RFC 8259 has it. */
static gboolean
is_number (const char *word)
{
  const char *at = word + (*word == '-');
  const gsize n_whole = strspn (at, "0123456789");

  if (n_whole == 0 || (n_whole > 1 && *at == '0'))
    return FALSE;
  at += n_whole;
  if (*at == '.') {
    const gsize n = strspn (at + 1, "0123456789");

    if (n == 0)
      return FALSE;
    at += 1 + n;
  }
  if (*at == 'e' || *at == 'E') {
    gsize n;

    at += 1 + (at[1] == '+' || at[1] == '-');
    n = strspn (at, "0123456789");
    if (n == 0)
      return FALSE;
    at += n;
  }
  return *at == '\0';
}

/* What is wrong with the word or number at @scanner, which is left behind it. json-glib reads 010
 * as eight, and a whole number beyond 64 bits as another one. */
static const char *
skip_word (Scanner *scanner)
{
  static const char *const words[] = { "true", "false", "null", NULL };
  const char *start = scanner->at;
  g_autofree char *word = NULL;

  while (scanner->at < scanner->end
         && (g_ascii_isalnum (*scanner->at) || is_one_of (*scanner->at, "+-.")))
    scanner->at++;
  word = g_strndup (start, (gsize) (scanner->at - start));
  if (g_strv_contains (words, word))
    return NULL;
  if (!is_number (word))
    return "expected a number, true, false or null";
  /* One beyond doubles is read as infinite, and a reader says of which member that is. */
  if (strpbrk (word, ".eE") != NULL)
    return NULL;
  return g_ascii_string_to_signed (word, 10, G_MININT64, G_MAXINT64, NULL, NULL)
             ? NULL
             : "a whole number beyond those of 64 bits";
}

gboolean
assay_json_check_outline (const char *path, const char *text, gsize length, GError **error)
{
  Scanner scanner = { .at = text, .end = text + length, .line = 1, .line_start = text };
  guint levels = 0;

  skip_space (&scanner);
  if (scanner.at == scanner.end || *scanner.at != '{')
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: expected a JSON object", path);
  do {
    const char c = *scanner.at;
    Scanner before = scanner;
    const char *problem = NULL;

    if (c == '"') {
      problem = skip_string (&scanner);
    } else if (c == '{' || c == '[') {
      if (++levels > ASSAY_JSON_MAX_LEVELS)
        return fail_at (&scanner, path, too_deep, error);
      scanner.at++;
    } else if (c == '}' || c == ']') {
      levels--;
      scanner.at++;
    } else if (is_one_of (c, ",:")) {
      scanner.at++;
    } else if (g_ascii_isalnum (c) || is_one_of (c, "+-.")) {
      problem = skip_word (&scanner);
      if (problem != NULL)
        scanner = before;
    } else {
      return fail_at (&scanner, path, "unexpected character, expected JSON", error);
    }
    if (problem != NULL)
      return fail_at (&scanner, path, problem, error);
    skip_space (&scanner);
  } while (levels > 0 && scanner.at < scanner.end);
  if (levels > 0)
    return fail_at (&scanner, path, "the file ends inside of its object", error);
  return scanner.at == scanner.end
         || fail_at (&scanner, path, "expected nothing behind the object", error);
}
