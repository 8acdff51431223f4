/* Mapping files. */
#include "core/base/file-map.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/text.h"

#define LARGE (G_GUINT64_CONSTANT (256) << 20) /* bytes: what is smaller is read in no time */
#define LEAST_SHARE 100 /* one byte of so many is there, or the file is a trap */

/* Bytes of @fd that are no holes, or @enough where there are more. A file system that knows of no
 * holes says that all of them are. */
static guint64
bytes_that_are_there (int fd, guint64 size, guint64 enough)
{
  guint64 bytes = 0;

  for (off_t hole = 0; bytes < enough && (guint64) hole < size;) {
    const off_t data = lseek (fd, hole, SEEK_DATA);

    if (data < 0)
      return errno == ENXIO ? bytes : enough; /* nothing but a hole up to the end, or not known */
    hole = lseek (fd, data, SEEK_HOLE);
    if (hole < 0)
      return enough;
    bytes += (guint64) (hole - data);
  }
  return MIN (bytes, enough);
}

/* Whether a file takes next to nothing of the disk and would take for ever to read: a terabyte of
 * holes is made at once. Blocks alone do not say so, as compression leaves few (of ZFS and
 * Btrfs one of 32: a record of 128 KiB takes 4 KiB or more), and some file systems count none. */
static gboolean
is_nearly_all_holes (int fd, const struct stat *about)
{
  const guint64 size = (guint64) about->st_size, enough = size / LEAST_SHARE;

  return size >= LARGE && 512 * (guint64) about->st_blocks < enough
         && bytes_that_are_there (fd, size, enough) < enough;
}

GBytes *
assay_file_map (const char *path, GError **error)
{
  /* Without O_NONBLOCK, opening a pipe would wait for a writer. */
  const int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  struct stat about;
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GError) failure = NULL;
  g_autofree char *size = NULL;

  if (fd < 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: cannot be read: %s", path,
                            g_strerror (errno));
  if (fstat (fd, &about) != 0 || !S_ISREG (about.st_mode)) {
    close (fd);
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: is not a regular file", path);
  }
  if (is_nearly_all_holes (fd, &about)) {
    close (fd);
    size = assay_text_bytes ((guint64) about.st_size);
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s: of its %s fewer than one byte in %d is on the disk, the rest are "
                            "holes; expected data",
                            path, size, LEAST_SHARE);
  }
  file = g_mapped_file_new_from_fd (fd, FALSE, &failure);
  close (fd);
  if (file == NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: cannot be mapped: %s", path,
                            failure->message);
  return g_mapped_file_get_bytes (file);
}
