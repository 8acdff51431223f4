/* Mapping files. */
#include "core/base/file-map.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"

GBytes *
assay_file_map (const char *path, GError **error)
{
  /* Without O_NONBLOCK, opening a pipe would wait for a writer. */
  const int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  struct stat about;
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GError) failure = NULL;

  if (fd < 0) {
    assay_fail (error, ASSAY_ERROR_DATA, "%s: cannot be read: %s", path, g_strerror (errno));
    return NULL;
  }
  if (fstat (fd, &about) != 0 || !S_ISREG (about.st_mode)) {
    close (fd);
    assay_fail (error, ASSAY_ERROR_DATA, "%s: is not a regular file", path);
    return NULL;
  }
  file = g_mapped_file_new_from_fd (fd, FALSE, &failure);
  close (fd);
  if (file == NULL) {
    assay_fail (error, ASSAY_ERROR_DATA, "%s: cannot be mapped: %s", path, failure->message);
    return NULL;
  }
  return g_mapped_file_get_bytes (file);
}
