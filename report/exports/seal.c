/* The seal on claims (runner/store/seal.h) in exports: the text that was sealed before the first
 * cell, and its SHA-256, by which a verdict can be held against a claim that was published before
 * the run. The text is that of assay_claims_canonical: `printf` of it into `sha256sum` gives the
 * hash again. */
#include <string.h>

#include "core/base/json.h"
#include "report/exports/exports.h"

static void
append_changes (GString *text, const AssayResults *results)
{
  g_auto (GStrv) lines = g_strsplit (results->claims_text, "\n", -1);

  g_string_append (text, "  they were changed after cells had run; what was sealed:\n");
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0')
      g_string_append_printf (text, "  %s\n", lines[i]);
}

char *
assay_report_seal (const AssayResults *results)
{
  GString *text = g_string_new (NULL);

  if (results->claims->len == 0 && !results->has_lost_claims)
    return g_string_free (text, FALSE);
  if (results->claims_sha256 != NULL)
    g_string_append_printf (text, "claims sealed before the first cell: sha256 %s\n",
                            results->claims_sha256);
  else if (results->has_changed_claims)
    g_string_append (text, "the store lacks the claims that were sealed before its first cell\n");
  if (results->claims_sha256 != NULL && results->has_changed_claims)
    append_changes (text, results);
  if (results->has_lost_claims)
    g_string_append (text, "  there is no claim now, so that the run is inconclusive; expected "
                           "those that were sealed, or --accept-changed-claims with --resume\n");
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
