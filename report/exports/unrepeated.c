/* Programs that answered the same request in two ways (runner/run/replay.h), in exports. */
#include "core/base/text.h"
#include "report/exports/exports.h"

char *
assay_report_unrepeated (const AssayResults *results)
{
  g_auto (GStrv) labels
      = g_strsplit (results->unrepeated != NULL ? results->unrepeated : "", "\n", -1);
  GString *text = g_string_new (NULL);

  for (guint i = 0; labels[i] != NULL; i++) {
    g_autofree char *plain = assay_text_plain (labels[i]);

    g_string_append_printf (text,
                            "warning: defense %s: answers differ for the same request: this run "
                            "cannot be repeated to the bit; take random numbers from "
                            "request[\"seed\"], and what one release draws once for all of its "
                            "secrets from request[\"key\"]\n",
                            plain);
  }
  return g_string_free (text, FALSE);
}

void
assay_report_unrepeated_json (const AssayResults *results, AssayJson *json)
{
  g_auto (GStrv) labels = NULL;

  if (results->unrepeated == NULL)
    return;
  labels = g_strsplit (results->unrepeated, "\n", -1);
  assay_json_write (json, "unrepeated [");
  for (guint i = 0; labels[i] != NULL; i++)
    assay_json_string (json, labels[i]);
  assay_json_end_array (json);
}
