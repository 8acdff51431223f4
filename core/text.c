/* Small text helpers. */
#include "core/text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

char *
assay_text_number (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  /* 1000 rather than 1e+03. */
  if (value == (double) (gint64) CLAMP (value, -1e15, 1e15))
    return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) value);
  for (int digits = 1; digits <= 17; digits++) {
    char format[8];

    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (buffer, sizeof buffer, format, value);
    if (g_ascii_strtod (buffer, NULL) == value)
      break;
  }
  return g_strdup (buffer);
}

/* Levenshtein distance, one row of the table at a time. */
static gsize
edit_distance (const char *a, const char *b)
{
  const gsize columns = strlen (b);
  g_autofree gsize *row = g_new (gsize, columns + 1);

  for (gsize j = 0; j <= columns; j++)
    row[j] = j;
  for (gsize i = 0; a[i] != '\0'; i++) {
    gsize diagonal = row[0];

    row[0] = i + 1;
    for (gsize j = 0; j < columns; j++) {
      const gsize above = row[j + 1];
      const gsize substitution = diagonal + (g_ascii_tolower (a[i]) != g_ascii_tolower (b[j]));

      row[j + 1] = MIN (substitution, MIN (above, row[j]) + 1);
      diagonal = above;
    }
  }
  return row[columns];
}

const char *
assay_text_closest (const char *word, const char *const *candidates)
{
  const char *best = NULL;
  gsize best_distance = G_MAXSIZE;

  if (candidates == NULL || strlen (word) > 200)
    return NULL;
  for (gsize i = 0; candidates[i] != NULL; i++) {
    const gsize distance = edit_distance (word, candidates[i]);
    const gsize longer = MAX (strlen (word), strlen (candidates[i]));

    if (distance < best_distance && 3 * distance <= MAX (longer, 3)) {
      best = candidates[i];
      best_distance = distance;
    }
  }
  return best;
}

char *
assay_text_did_you_mean (const char *word, const char *const *candidates)
{
  const char *closest = assay_text_closest (word, candidates);

  return closest != NULL ? g_strdup_printf (" (did you mean '%s'?)", closest) : g_strdup ("");
}

gboolean
assay_text_to_double (const char *text, double *ret_value)
{
  char *end = NULL;
  double value;

  /* strtod also takes hexadecimal, "inf" and "nan": none of them is meant in a settings file. */
  if (text[0] == '\0' || strspn (text, "+-.0123456789eE") != strlen (text))
    return FALSE;
  value = g_ascii_strtod (text, &end);
  if (*end != '\0' || !isfinite (value))
    return FALSE;
  *ret_value = value;
  return TRUE;
}

gboolean
assay_text_to_int (const char *text, gint64 *ret_value)
{
  char *end = NULL;
  gint64 value;

  if (text[0] == '\0' || strspn (text, "+-0123456789") != strlen (text))
    return FALSE;
  errno = 0;
  value = g_ascii_strtoll (text, &end, 10);
  if (*end != '\0' || errno != 0)
    return FALSE;
  *ret_value = value;
  return TRUE;
}

char *
assay_text_count (guint64 count)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, count);
  const gsize length = strlen (digits);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0)
      g_string_append_c (text, ',');
    g_string_append_c (text, digits[i]);
  }
  return g_string_free (text, FALSE);
}

char *
assay_text_bytes (guint64 bytes)
{
  return g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
}
