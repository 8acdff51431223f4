/* What stands beside a verdict as a warning. What confined the programs of others
 * (runner/store/manifest.h): one that was not confined could have read the secrets, or what other
 * cells found. What is to be known of the data: columns of which one outweighs the others. */
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "report/exports/exports.h"

#define UNCONFINED ": not confined"

static char **
lines_of (const char *text)
{
  return g_strsplit (text != NULL ? text : "", "\n", -1);
}

char *
assay_report_remarks (const AssayResults *results)
{
  g_auto (GStrv) remarks = lines_of (results->remarks);
  GString *text = g_string_new (NULL);

  for (guint i = 0; remarks[i] != NULL; i++) {
    g_autofree char *plain = assay_text_plain (remarks[i]);

    if (*plain != '\0')
      g_string_append_printf (text, "warning: %s\n", plain);
  }
  return g_string_free (text, FALSE);
}

/* Without the path, which is another on every machine. */
static void
append_modules (GString *text, const AssayResults *results)
{
  g_auto (GStrv) lines = lines_of (results->modules);

  for (guint i = 0; lines[i] != NULL; i++) {
    g_autofree char *plain = assay_text_plain (lines[i]);
    const gsize n = strcspn (plain, " ");

    if (plain[n] == ' ')
      g_string_append_printf (
          text,
          "plugin file that was loaded into Assay, and could do what it can: "
          "%s, sha256 %.*s\n",
          strrchr (plain, '/') != NULL ? strrchr (plain, '/') + 1 : plain + n + 1, (int) n, plain);
  }
}

char *
assay_report_warnings (const AssayResults *results)
{
  g_auto (GStrv) programs = lines_of (results->confinement);
  g_autofree char *remarks = assay_report_remarks (results);
  GString *text = g_string_new (remarks);

  for (guint i = 0; programs[i] != NULL; i++) {
    g_autofree char *plain = assay_text_plain (programs[i]);

    if (*plain != '\0')
      g_string_append_printf (text,
                              strstr (plain, UNCONFINED) != NULL
                                  ? "warning: %s; it could read and write what its user can, and "
                                    "remember a request that comes twice\n"
                                  : "confinement of %s\n",
                              plain);
  }
  append_modules (text, results);
  return g_string_free (text, FALSE);
}

static void
end_files (AssayJson *json, const char *text)
{
  g_auto (GStrv) lines = lines_of (text);

  for (guint i = 0; lines[i] != NULL; i++) {
    const gsize n = strcspn (lines[i], " ");
    g_autofree char *sha256 = g_strndup (lines[i], n);

    if (lines[i][n] == ' ')
      assay_json_write (json, "{file %s sha256 %s}", lines[i] + n + 1, sha256);
  }
  assay_json_end_array (json);
}

static void
end_lines (AssayJson *json, const char *text)
{
  g_auto (GStrv) lines = lines_of (text);

  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0')
      assay_json_string (json, lines[i]);
  assay_json_end_array (json);
}

void
assay_report_warnings_json (const AssayResults *results, AssayJson *json)
{
  if (results->confinement != NULL) {
    assay_json_write (json, "confinement [");
    end_lines (json, results->confinement);
  }
  if (results->modules != NULL) {
    assay_json_write (json, "plugin_files [");
    end_files (json, results->modules);
  }
  if (results->remarks != NULL) {
    assay_json_write (json, "remarks [");
    end_lines (json, results->remarks);
  }
}
