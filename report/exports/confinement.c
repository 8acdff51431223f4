/* What confined the programs of others (runner/store/manifest.h) in exports. A program that was not
 * confined is a warning beside the verdict: it could have read the secrets, or what other cells
 * found. */
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "report/exports/exports.h"

#define UNCONFINED ": not confined"

char *
assay_report_confinement (const AssayResults *results)
{
  g_auto (GStrv) lines
      = g_strsplit (results->confinement != NULL ? results->confinement : "", "\n", -1);
  GString *text = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++) {
    g_autofree char *plain = assay_text_plain (lines[i]);

    if (*plain != '\0')
      g_string_append_printf (text,
                              strstr (plain, UNCONFINED) != NULL
                                  ? "warning: %s; it could read and write what its user can\n"
                                  : "confinement of %s\n",
                              plain);
  }
  return g_string_free (text, FALSE);
}

void
assay_report_confinement_json (const AssayResults *results, AssayJson *json)
{
  g_auto (GStrv) lines
      = g_strsplit (results->confinement != NULL ? results->confinement : "", "\n", -1);

  if (results->confinement == NULL)
    return;
  assay_json_write (json, "confinement [");
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0')
      assay_json_string (json, lines[i]);
  assay_json_end_array (json);
}
