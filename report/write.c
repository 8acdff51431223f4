/* Writing the exports of a run. */
#include "core/error.h"
#include "report/report.h"

static gboolean
write_text (const char *folder, const char *file, char *taken, GError **error)
{
  g_autofree char *text = taken;
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GError) problem = NULL;

  return g_file_set_contents (path, text, -1, &problem)
         || assay_fail (error, ASSAY_ERROR_IO, "%s", problem->message);
}

gboolean
assay_report_write (const AssayResults *results, const char *folder, guint threads,
                    gint64 started_us, gint64 ended_us, GError **error)
{
  return write_text (folder, "results.json", assay_report_json (results), error)
         && write_text (folder, "results.csv", assay_report_csv (results), error)
         && write_text (folder, "claims.xml", assay_report_junit (results), error)
         && write_text (folder, "summary.md", assay_report_markdown (results), error)
         && write_text (folder, "run.json",
                        assay_report_run_json (results, threads, started_us, ended_us), error);
}
