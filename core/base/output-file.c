/* Files that are there whole or not at all. */
#include "core/base/output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "core/base/error.h"

#define BUFFER (64 * 1024)

struct _AssayOutputFile {
  char *path;
  char *temporary; /* NULL once it is in its place */
  int fd;
  gboolean may_replace;
  GZlibCompressor *deflate; /* NULL: plain */
  guint8 *buffer;           /* of what is to be written to fd next */
  gsize n_buffered;
};

static gboolean
fail_io (const AssayOutputFile *file, int cause, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written: %s", file->path,
                     g_strerror (cause));
}

static gboolean
fail_exists (const char *path, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_DATA, "%s: is there already; --force replaces it", path);
}

gboolean
assay_output_file_check_target (const char *path, gboolean may_replace, GError **error)
{
  struct stat about;

  if (lstat (path, &about) != 0)
    return TRUE;
  if (S_ISLNK (about.st_mode) && stat (path, &about) != 0)
    return may_replace || fail_exists (path, error);
  if (!S_ISREG (about.st_mode))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: is %s; expected the name of a file to write",
                       path, S_ISDIR (about.st_mode) ? "a folder" : "not a regular file");
  return may_replace || fail_exists (path, error);
}

AssayOutputFile *
assay_output_file_new (const char *path, gboolean is_gzip, gboolean may_replace, GError **error)
{
  return assay_output_file_check_target (path, may_replace, error)
             ? assay_output_file_begin (path, is_gzip, may_replace, error)
             : NULL;
}

AssayOutputFile *
assay_output_file_begin (const char *path, gboolean is_gzip, gboolean may_replace, GError **error)
{
  g_autoptr (AssayOutputFile) file = g_new0 (AssayOutputFile, 1);
  g_autofree char *temporary = g_strdup_printf ("%s.XXXXXX", path);

  file->path = g_strdup (path);
  file->may_replace = may_replace;
  file->fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, 0666);
  if (file->fd < 0) {
    fail_io (file, errno, error);
    return NULL;
  }
  file->temporary = g_steal_pointer (&temporary);
  file->buffer = g_malloc (BUFFER);
  if (is_gzip)
    file->deflate = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1);
  return g_steal_pointer (&file);
}

static gboolean
flush_buffer (AssayOutputFile *file, GError **error)
{
  gsize done = 0;

  while (done < file->n_buffered) {
    const gssize written = write (file->fd, file->buffer + done, file->n_buffered - done);

    if (written < 0 && errno != EINTR)
      return fail_io (file, errno, error);
    done += (gsize) MAX (written, 0);
  }
  file->n_buffered = 0;
  return TRUE;
}

/* Compresses @data; with @is_last also what ends the stream. */
static gboolean
deflate_some (AssayOutputFile *file, const guint8 *data, gsize length, gboolean is_last,
              GError **error)
{
  GConverterResult result = G_CONVERTER_CONVERTED;

  while (length > 0 || (is_last && result != G_CONVERTER_FINISHED)) {
    g_autoptr (GError) cause = NULL;
    gsize n_read = 0, n_written = 0;

    if (file->n_buffered == BUFFER && !flush_buffer (file, error))
      return FALSE;
    result = g_converter_convert (G_CONVERTER (file->deflate), data, length,
                                  file->buffer + file->n_buffered, BUFFER - file->n_buffered,
                                  is_last ? G_CONVERTER_INPUT_AT_END : G_CONVERTER_NO_FLAGS,
                                  &n_read, &n_written, &cause);
    /* What is buffered may be too little room for the converter. */
    if (result == G_CONVERTER_ERROR && file->n_buffered > 0
        && g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_NO_SPACE)) {
      if (!flush_buffer (file, error))
        return FALSE;
      continue;
    }
    if (result == G_CONVERTER_ERROR)
      return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be compressed: %s", file->path,
                         cause->message);
    if (n_read > 0) /* at the end there may be no data at all */
      data += n_read;
    length -= n_read;
    file->n_buffered += n_written;
  }
  return TRUE;
}

gboolean
assay_output_file_write (AssayOutputFile *file, gconstpointer data, gsize length, GError **error)
{
  const guint8 *next = data;

  if (file->deflate != NULL)
    return deflate_some (file, next, length, FALSE, error);
  while (length > 0) {
    const gsize n = MIN (length, BUFFER - file->n_buffered);

    memcpy (file->buffer + file->n_buffered, next, n);
    file->n_buffered += n;
    next += n;
    length -= n;
    if (file->n_buffered == BUFFER && !flush_buffer (file, error))
      return FALSE;
  }
  return TRUE;
}

/* A hard link never replaces what has come to stand there; a rename does. */
static gboolean
put_in_place (AssayOutputFile *file, GError **error)
{
  if (!file->may_replace) {
    if (link (file->temporary, file->path) == 0) {
      g_unlink (file->temporary);
      return TRUE;
    }
    if (errno == EEXIST)
      return fail_exists (file->path, error);
    /* File systems without hard links. */
    if (!assay_output_file_check_target (file->path, FALSE, error))
      return FALSE;
  }
  return g_rename (file->temporary, file->path) == 0 || fail_io (file, errno, error);
}

gboolean
assay_output_file_seal (AssayOutputFile *file, GError **error)
{
  int cause = 0;

  if ((file->deflate != NULL && !deflate_some (file, NULL, 0, TRUE, error))
      || !flush_buffer (file, error))
    return FALSE;
  if (fsync (file->fd) != 0)
    cause = errno;
  if (close (file->fd) != 0 && cause == 0)
    cause = errno;
  file->fd = -1;
  return cause == 0 || fail_io (file, cause, error);
}

gboolean
assay_output_file_finish (AssayOutputFile *file, GError **error)
{
  if ((file->fd >= 0 && !assay_output_file_seal (file, error)) || !put_in_place (file, error))
    return FALSE;
  g_clear_pointer (&file->temporary, g_free);
  return TRUE;
}

gboolean
assay_output_folder_make (const char *path, GError **error)
{
  struct stat about;

  if (lstat (path, &about) == 0 && S_ISLNK (about.st_mode))
    return assay_fail (error, ASSAY_ERROR_IO,
                       "%s: is a link, and files would be written where it leads; expected a "
                       "folder, or no such name",
                       path);
  return g_mkdir_with_parents (path, 0777) == 0
         || assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be created: %s", path,
                        g_strerror (errno));
}

void
assay_output_file_free (AssayOutputFile *file)
{
  if (file == NULL)
    return;
  if (file->temporary != NULL) {
    if (file->fd >= 0)
      close (file->fd);
    g_unlink (file->temporary);
  }
  g_clear_object (&file->deflate);
  g_free (file->temporary);
  g_free (file->buffer);
  g_free (file->path);
  g_free (file);
}
