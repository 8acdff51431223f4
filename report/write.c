/* Writing the exports of a run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/error.h"
#include "report/report.h"

static gboolean
fill (FILE *file, const char *text)
{
  const gsize length = strlen (text);
  const gboolean is_written = fwrite (text, 1, length, file) == length && fflush (file) == 0
                              && fsync (fileno (file)) == 0;
  const int cause = errno;

  if (fclose (file) != 0)
    return FALSE;
  errno = cause;
  return is_written;
}

/* Beside its place under a name of its own, then moved there: a kill leaves the old file or the new
 * one, and what it leaves beside them is written over on resume. */
static gboolean
write_text (const char *folder, const char *file, char *taken, GError **error)
{
  g_autofree char *text = taken;
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *beside = g_strconcat (path, ".tmp", NULL);
  FILE *stream = g_fopen (beside, "wbe");
  int cause;

  if (stream != NULL && fill (stream, text) && g_rename (beside, path) == 0)
    return TRUE;
  cause = errno;
  if (stream != NULL)
    g_unlink (beside);
  return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written: %s", path, g_strerror (cause));
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

gboolean
assay_report_write_baseline (const AssayBaseline *baseline, const char *folder, GError **error)
{
  return write_text (folder, "baseline.json", assay_report_baseline_json (baseline), error);
}
