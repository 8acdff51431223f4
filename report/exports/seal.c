/* The seal on claims (runner/store/seal.h) in exports: the text that was sealed before the first
 * cell, and its SHA-256, by which a verdict can be held against a claim that was published before
 * the run. The text is that of assay_claims_canonical: `printf` of it into `sha256sum` gives the
 * hash again. */
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "report/exports/exports.h"

char *
assay_report_seal (const AssayResults *results)
{
  GString *text = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;

  if (results->claims->len == 0 || results->claims_sha256 == NULL)
    return g_string_free (text, FALSE);
  g_string_append_printf (text, "claims sealed before the first cell: sha256 %s\n",
                          results->claims_sha256);
  if (!results->has_changed_claims)
    return g_string_free (text, FALSE);
  g_string_append (text, "  they were changed after cells had run; what was sealed:\n");
  lines = g_strsplit (results->claims_text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_autofree char *line = assay_text_plain (lines[i]);

    if (*line != '\0')
      g_string_append_printf (text, "  %s\n", line);
  }
  return g_string_free (text, FALSE);
}

void
assay_report_seal_json (const AssayResults *results, AssayJson *json)
{
  assay_json_write (json, "claims %s claims_text %s", results->claims_sha256, results->claims_text);
  if (results->has_changed_claims)
    assay_json_write (json, "claims_changed %i", TRUE);
}

char *
assay_report_seal_of (const AssayResults *results, const char *id)
{
  g_auto (GStrv) lines = g_strsplit (results->claims_text != NULL ? results->claims_text : "",
                                     "\n", -1);
  const gsize length = strlen (id);

  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], id) && lines[i][length] == ' ')
      return g_strdup (lines[i]);
  return NULL;
}
