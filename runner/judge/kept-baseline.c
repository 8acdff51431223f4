/* What a run found against its baseline, in its store: a line "baseline FOLDER", one "compared N",
 * and one "worse TEXT" or "note TEXT" for each of these; "open" where something could not be
 * compared. */
#include "runner/judge/kept-baseline.h"

#include <string.h>

#include "core/base/error.h"

#define KEY "baseline"

static void
append_lines (GString *text, const char *word, const GPtrArray *lines)
{
  ASSAY_FOR_EACH (const char, line, lines) {
    g_autofree char *escaped = g_strescape (line, NULL);

    g_string_append_printf (text, "%s %s\n", word, escaped);
  }
}

gboolean
assay_baseline_keep (AssayStore *store, const AssayResultBaseline *baseline, GError **error)
{
  g_autofree char *known = NULL;
  g_autofree char *folder = NULL;
  GString *text;
  gboolean is_ok;

  if (!assay_store_get (store, KEY, &known, error))
    return FALSE;
  if (baseline == NULL)
    return known == NULL || assay_store_set (store, KEY, "", error);
  folder = g_strescape (baseline->folder, NULL);
  text = g_string_new (NULL);
  g_string_append_printf (text, "baseline %s\ncompared %u\n%s", folder, baseline->n_compared,
                          baseline->is_open ? "open\n" : "");
  append_lines (text, "worse", baseline->worse);
  append_lines (text, "note", baseline->notes);
  is_ok = assay_store_set (store, KEY, text->str, error);
  g_string_free (text, TRUE);
  return is_ok;
}

/* FALSE: no line that is known. */
static gboolean
read_line (const char *line, AssayResultBaseline *baseline)
{
  const char *value = strchrnul (line, ' ');

  if (g_str_equal (line, "open")) {
    baseline->is_open = TRUE;
    return TRUE;
  }
  value += *value != '\0';
  if (g_str_has_prefix (line, "baseline ") && baseline->folder == NULL)
    baseline->folder = g_strcompress (value);
  else if (g_str_has_prefix (line, "compared "))
    baseline->n_compared = (guint) g_ascii_strtoull (value, NULL, 10);
  else if (g_str_has_prefix (line, "worse "))
    g_ptr_array_add (baseline->worse, g_strcompress (value));
  else if (g_str_has_prefix (line, "note "))
    g_ptr_array_add (baseline->notes, g_strcompress (value));
  else
    return *line == '\0';
  return TRUE;
}

gboolean
assay_baseline_kept (AssayStore *store, AssayResultBaseline **ret_baseline, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (AssayResultBaseline) baseline = NULL;
  g_auto (GStrv) lines = NULL;

  *ret_baseline = NULL;
  if (!assay_store_get (store, KEY, &text, error))
    return FALSE;
  if (text == NULL || *text == '\0')
    return TRUE;
  baseline = assay_result_baseline_new (NULL);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (!read_line (lines[i], baseline))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "the run's comparison with its baseline is damaged: '%s'", lines[i]);
  if (baseline->folder == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the run's comparison with its baseline is damaged: it names no folder");
  *ret_baseline = g_steal_pointer (&baseline);
  return TRUE;
}
