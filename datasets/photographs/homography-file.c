/* Homographies in text files. */
#include "datasets/photographs/homography-file.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/base/text.h"

#define MAX_BYTES 65536

/* Files have some 12 digits, so that a determinant below this part of its terms may well be 0. */
#define NEGLIGIBLE 1e-10

/* The three numbers of a line, with its number for messages. */
static gboolean
read_line (const char *line, gsize number, double ret_row[3], GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (line, " \t\r", -1);
  gsize n = 0;

  for (gsize i = 0; words[i] != NULL; i++) {
    double value;

    if (words[i][0] == '\0')
      continue;
    if (!assay_text_to_double (words[i], &value)) {
      g_autofree char *start
          = g_utf8_substring (words[i], 0, MIN (40, g_utf8_strlen (words[i], -1)));

      return assay_fail (error, ASSAY_ERROR_DATA, "line %zu: '%s' is no finite number", number,
                         start);
    }
    if (n < 3)
      ret_row[n] = value;
    n++;
  }
  if (n != 3)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "line %zu has %zu numbers; a homography is three lines of three", number, n);
  return TRUE;
}

static gboolean
is_empty (const char *line)
{
  return line[strspn (line, " \t\r")] == '\0';
}

static gboolean
is_singular (const double h[9])
{
  const double plus[3] = { h[0] * h[4] * h[8], h[1] * h[5] * h[6], h[2] * h[3] * h[7] };
  const double minus[3] = { h[2] * h[4] * h[6], h[1] * h[3] * h[8], h[0] * h[5] * h[7] };
  double sum = 0, size = 0;

  for (gsize i = 0; i < 3; i++) {
    sum += plus[i] - minus[i];
    size += fabs (plus[i]) + fabs (minus[i]);
  }
  return !(fabs (sum) > NEGLIGIBLE * size);
}

static gboolean
parse (const char *text, double ret_h[9], GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  double h[9], unused[3];
  gsize n = 0;

  for (gsize i = 0; lines[i] != NULL; i++) {
    if (is_empty (lines[i]))
      continue;
    if (!read_line (lines[i], i + 1, n < 3 ? h + 3 * n : unused, error))
      return FALSE;
    n++;
  }
  if (n != 3)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "has %zu lines of numbers; a homography is three lines of three", n);
  if (is_singular (h))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the matrix is singular; a homography can be inverted");
  memcpy (ret_h, h, sizeof h);
  return TRUE;
}

gboolean
assay_homography_read (const char *file, double ret_h[9], GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map (file, error);
  g_autofree char *text = NULL;
  gsize length = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (bytes == NULL)
    return FALSE;
  if (length > MAX_BYTES)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: has %zu bytes; a homography is three lines of three numbers", file,
                       length);
  if (!g_utf8_validate_len (length > 0 ? data : "", length, NULL))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: is no text; a homography is three lines of three numbers", file);
  text = g_strndup (length > 0 ? data : "", length);
  if (!parse (text, ret_h, error))
    return assay_prefix (error, "%s: ", file);
  return TRUE;
}
