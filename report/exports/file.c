/* Files of a report. */
#include "report/exports/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/base/error.h"

static gboolean
fill_stream (FILE *stream, AssayReportFill fill, gconstpointer data, GError **error)
{
  const gboolean is_written
      = fill (stream, data, error) && fflush (stream) == 0 && fsync (fileno (stream)) == 0;
  const int cause = errno;

  if (fclose (stream) != 0 && is_written)
    return FALSE;
  errno = cause;
  return is_written;
}

gboolean
assay_report_write_file (const char *folder, const char *file, AssayReportFill fill,
                         gconstpointer data, GError **error)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *beside = g_strconcat (path, ".tmp", NULL);
  FILE *stream = g_fopen (beside, "wbe");
  GError *problem = NULL;
  int cause;

  if (stream != NULL && fill_stream (stream, fill, data, &problem)
      && g_rename (beside, path) == 0)
    return TRUE;
  cause = errno;
  if (stream != NULL)
    g_unlink (beside);
  if (problem == NULL)
    return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written: %s", path,
                       g_strerror (cause));
  g_propagate_error (error, problem);
  return FALSE;
}

static gboolean
fill_bytes (FILE *file, gconstpointer data, G_GNUC_UNUSED GError **error)
{
  gsize length;
  gconstpointer bytes = g_bytes_get_data ((GBytes *) data, &length);

  return fwrite (bytes, 1, length, file) == length;
}

gboolean
assay_report_write_bytes (const char *folder, const char *file, GBytes *bytes, GError **error)
{
  return assay_report_write_file (folder, file, fill_bytes, bytes, error);
}

gboolean
assay_report_write_text (const char *folder, const char *file, char *taken, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_take (taken, strlen (taken));

  return assay_report_write_bytes (folder, file, bytes, error);
}
