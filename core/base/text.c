/* Small text helpers. */
#include "core/base/text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

char *
assay_text_number (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  /* 1000 rather than 1e+03. */
  if (value == (double) (gint64) CLAMP (value, -1e15, 1e15))
    return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) value);
  /* What up to 15 digits say exactly, 15 say in the same characters, as trailing zeros are not
   * printed: fewer need be tried of numbers alone that have lost precision. */
  for (int digits = fabs (value) >= DBL_MIN ? DBL_DIG : 1; digits <= DBL_DECIMAL_DIG; digits++) {
    char format[8];

    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (buffer, sizeof buffer, format, value);
    if (g_ascii_strtod (buffer, NULL) == value)
      break;
  }
  return g_strdup (buffer);
}

char *
assay_text_percent (double share)
{
  /* What rounding leaves of a sum that is nothing. */
  const double exact = fabs (share) < 1e-12 ? 0 : share;
  g_autofree char *text = g_strdup_printf ("%.4g", 100 * exact);

  if (g_str_equal (text, "100") && share < 1)
    return g_strdup_printf ("%.8g %%", 100 * share);
  return g_strconcat (text, " %", NULL);
}

/* Edit distance in which swapping two neighbours is one edit (optimal string alignment), over the
 * last three rows of the table. */
static gsize
edit_distance (const char *a, const char *b)
{
  const gsize columns = strlen (b) + 1;
  g_autofree gsize *table = g_new (gsize, 3 * columns);
  gsize *before = table, *last = table + columns, *row = table + 2 * columns;

  for (gsize j = 0; j < columns; j++)
    row[j] = j;
  for (gsize i = 1; a[i - 1] != '\0'; i++) {
    gsize *const oldest = before;
    const char x = g_ascii_tolower (a[i - 1]);

    before = last;
    last = row;
    row = oldest;
    row[0] = i;
    for (gsize j = 1; j < columns; j++) {
      const char y = g_ascii_tolower (b[j - 1]);

      row[j] = MIN (last[j - 1] + (x != y), MIN (last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && x == g_ascii_tolower (b[j - 2]) && y == g_ascii_tolower (a[i - 2]))
        row[j] = MIN (row[j], before[j - 2] + 1);
    }
  }
  return row[columns - 1];
}

/* Whether @word is @longer with letters left out: the most usual mistake. */
static gboolean
lacks_letters (const char *word, const char *longer)
{
  for (; *longer != '\0'; longer++)
    if (g_ascii_tolower (*word) == g_ascii_tolower (*longer) && *word != '\0')
      word++;
  return *word == '\0';
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

    if ((distance < best_distance
         || (distance == best_distance && lacks_letters (word, candidates[i])
             && !lacks_letters (word, best)))
        && 3 * distance <= MAX (longer, 3)) {
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

char *
assay_names_hint (GPtrArray *names, const char *word)
{
  g_ptr_array_add (names, NULL);
  return assay_text_did_you_mean (word, (const char *const *) names->pdata);
}

gboolean
assay_names_have (const GPtrArray *names, const char *name)
{
  return g_ptr_array_find_with_equal_func ((GPtrArray *) names, name, g_str_equal, NULL);
}

gboolean
assay_names_take (GPtrArray *names, char *taken)
{
  if (assay_names_have (names, taken)) {
    g_free (taken);
    return FALSE;
  }
  g_ptr_array_add (names, taken);
  return TRUE;
}

const char *
assay_text_value_hint (const char *text, gboolean is_whole)
{
  if (strchr (text, '#') != NULL)
    return " (a comment has a line of its own)";
  if (g_str_has_suffix (text, "%"))
    return is_whole ? " (without a unit: 10 in place of 10 %)"
                    : " (a percentage is written as a share: 0.1 for 10 %)";
  if (!is_whole && strchr (text, ',') == strrchr (text, ',') && strchr (text, ' ') == NULL
      && g_ascii_isdigit (*text) && strchr (text, ',') != NULL)
    return " (decimals have a point: 0.5)";
  if (strchr (text, ';') == NULL && (*text == '[' || strpbrk (text, ", \t") != NULL))
    return " (several values are separated by semicolons: 2; 4; 8)";
  return "";
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

gboolean
assay_text_to_bytes (const char *text, guint64 *ret_bytes)
{
  static const char units[] = "KMGT"; /* powers of 1024 */
  const gsize length = strspn (text, "0123456789.");
  g_autofree char *number = g_strndup (text, length);
  const char *unit = text + length + (text[length] == ' ');
  const char *found = *unit != '\0' ? strchr (units, *unit) : NULL;
  double value;

  if (!assay_text_to_double (number, &value))
    return FALSE;
  if (found != NULL) {
    value = ldexp (value, 10 * (int) (found - units + 1));
    unit++;
  }
  if (*unit != '\0' && !g_str_equal (unit, found != NULL ? "iB" : "B"))
    return FALSE;
  if (value >= 0x1p63)
    return FALSE;
  *ret_bytes = (guint64) value;
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
  g_autofree char *text = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_auto (GStrv) parts = g_strsplit (text, "\302\240", -1); /* GLib's no-break space */

  return g_strjoinv (" ", parts);
}

/* ---- What others wrote ---- */

/* Beside control characters: what has no shape of its own (Unicode's Default_Ignorable_Code_Point),
 * what orders the text around it, separators of lines, annotations, and no characters. In order.
 * The list stands here and is not asked of GLib, of which each release knows another Unicode. */
static const struct {
  gunichar first, last;
} hidden[] = {
  { 0x00AD, 0x00AD },   { 0x034F, 0x034F },   { 0x061C, 0x061C },   { 0x115F, 0x1160 },
  { 0x17B4, 0x17B5 },   { 0x180E, 0x180E },   { 0x200B, 0x200B },   { 0x200E, 0x200F },
  { 0x2028, 0x202E },   { 0x2060, 0x206F },   { 0x3164, 0x3164 },   { 0xFDD0, 0xFDEF },
  { 0xFE00, 0xFE0D },   { 0xFEFF, 0xFEFF },   { 0xFFA0, 0xFFA0 },   { 0xFFF0, 0xFFFB },
  { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
};

gboolean
assay_text_is_shown (gunichar c)
{
  if (g_unichar_iscntrl (c) || (c & 0xFFFE) == 0xFFFE)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (hidden) && c >= hidden[i].first; i++)
    if (c <= hidden[i].last)
      return FALSE;
  return TRUE;
}

/* Whether @text is a command to the system that reads the log of a job: "::error::" (GitHub, where
 * nothing but blanks stands before it in its line) or, anywhere, "##[add-mask]", "##vso[". */
static gboolean
begins_command (const char *text, gunichar before)
{
  if (g_str_has_prefix (text, "::"))
    return g_unichar_isspace (before);
  if (!g_str_has_prefix (text, "##"))
    return FALSE;
  for (text += 2; g_ascii_isalpha (*text);)
    text++;
  return *text == '[';
}

char *
assay_text_plain (const char *text)
{
  GString *plain = g_string_sized_new (strlen (text));
  gunichar before = ' ';

  for (; *text != '\0'; text = g_utf8_next_char (text)) {
    const gboolean is_command = begins_command (text, before);
    const gunichar c = g_utf8_get_char (text);

    before = assay_text_is_shown (c) ? c : ' ';
    g_string_append_unichar (plain, before);
    if (is_command)
      g_string_append_unichar (plain, before = ' ');
  }
  return g_string_free (plain, FALSE);
}

char *
assay_text_plain_lines (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_auto (GStrv) lines = g_strsplit (valid, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++) {
    char *line = assay_text_plain (lines[i]);

    g_free (lines[i]);
    lines[i] = line;
  }
  return g_strjoinv ("\n", lines);
}

gboolean
assay_text_is_plain (const char *text)
{
  if (!g_utf8_validate (text, -1, NULL))
    return FALSE;
  for (; *text != '\0'; text = g_utf8_next_char (text))
    if (*text != '\n' && !assay_text_is_shown (g_utf8_get_char (text)))
      return FALSE;
  return TRUE;
}

int
assay_compare_strings (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}
