/* Files of a report. */
#include "report/exports/file.h"

#include <errno.h>
#include <fcntl.h>
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

/* Nothing that stands there is opened: a link would be followed out of the folder, which may be a
 * stranger's, and a FIFO waited for. */
static FILE *
open_new (const char *path)
{
  FILE *stream;
  int fd;

  g_unlink (path);
  fd = g_open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  stream = fd >= 0 ? fdopen (fd, "wb") : NULL;
  if (stream == NULL && fd >= 0)
    close (fd);
  return stream;
}

gboolean
assay_report_write_file (const char *folder, const char *file, AssayReportFill fill,
                         gconstpointer data, GError **error)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *beside = g_strconcat (path, ".tmp", NULL);
  FILE *stream = open_new (beside);
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
