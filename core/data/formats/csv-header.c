/* The line of a CSV file that names its columns. */
#include "core/data/formats/csv-header.h"

#include <string.h>

#include "core/base/each.h"
#include "core/base/error.h"
#include "core/base/text.h"

GPtrArray *
assay_csv_header_read (AssayCsvReader *reader, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gboolean ends_row = FALSE;

  if (reader->at == reader->end)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "is empty; expected a line of column names");
  while (!ends_row) {
    if (!assay_csv_read_field (reader, &ends_row, error))
      return NULL;
    g_ptr_array_add (names, g_strdup (reader->field->str));
  }
  return g_steal_pointer (&names);
}

gboolean
assay_csv_header_find (const GPtrArray *names, const char *column, guint *ret_index, GError **error)
{
  guint n_found = 0;
  g_autofree char *hint = NULL;
  g_autofree char *all = NULL;
  g_autofree const char **list = g_new0 (const char *, names->len + 1);

  for (guint i = 0; i < names->len; i++) {
    list[i] = g_ptr_array_index (names, i);
    if (g_str_equal (list[i], column) && n_found++ == 0)
      *ret_index = i;
  }
  if (n_found == 1)
    return TRUE;
  if (n_found > 1)
    return assay_fail (error, ASSAY_ERROR_DATA, "column '%s' appears %u times", column,
                       n_found);
  hint = assay_text_did_you_mean (column, list);
  all = g_strjoinv (", ", (char **) list);
  return assay_fail (error, ASSAY_ERROR_DATA, "has no column '%s'%s; its columns are %s", column,
                     hint, all);
}

/* ---- Choice ---- */

/* Whether @words leave columns out: "-name", where no column is called so. */
static gboolean
read_signs (const GPtrArray *names, const GPtrArray *words, gboolean *ret_leaves_out,
            GError **error)
{
  guint n_out = 0;

  ASSAY_FOR_EACH (const char, word, words) {
    n_out += *word == '-' && !assay_names_have (names, word);
  }
  if (n_out > 0 && n_out < words->len)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "columns are either chosen by name or left out ('-NAME'), not both; "
                       "expected '-' before each of them, or before none");
  *ret_leaves_out = n_out > 0;
  return TRUE;
}

static gboolean
choose (const GPtrArray *names, const GPtrArray *words, gboolean leaves_out, gsize *places,
        GError **error)
{
  for (guint i = 0; i < names->len; i++)
    places[i] = leaves_out ? 0 : G_MAXSIZE;
  for (guint i = 0; i < words->len; i++) {
    const char *word = (const char *) g_ptr_array_index (words, i) + leaves_out;
    guint column = 0;

    if (!assay_csv_header_find (names, word, &column, error))
      return FALSE;
    if ((places[column] == G_MAXSIZE) == leaves_out)
      return assay_fail (error, ASSAY_ERROR_DATA, "column '%s' is named twice", word);
    places[column] = leaves_out ? G_MAXSIZE : i;
  }
  return TRUE;
}

/* Blanks around names do not count, in the header as in the choice. */
static void
strip_all (GPtrArray *words)
{
  for (guint i = 0; i < words->len; i++)
    g_strstrip (g_ptr_array_index (words, i));
}

gsize *
assay_csv_header_choose (GPtrArray *names, const char *choice, gsize *ret_cols, GError **error)
{
  g_auto (AssayCsvReader) reader = assay_csv_reader (choice, strlen (choice));
  g_autoptr (GPtrArray) words = assay_csv_header_read (&reader, error);
  g_autofree gsize *places = g_new (gsize, names->len);
  gboolean leaves_out = FALSE;
  gsize n = 0;

  if (words == NULL)
    return assay_prefix_null (error, "choice of columns: ");
  strip_all (words);
  strip_all (names);
  if (!read_signs (names, words, &leaves_out, error)
      || !choose (names, words, leaves_out, places, error))
    return NULL;
  for (guint i = 0; leaves_out && i < names->len; i++)
    if (places[i] != G_MAXSIZE)
      places[i] = n++;
  *ret_cols = leaves_out ? n : words->len;
  if (*ret_cols == 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "every column is left out");
  return g_steal_pointer (&places);
}
