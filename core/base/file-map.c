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

  if (fd < 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: cannot be read: %s", path,
                            g_strerror (errno));
  if (fstat (fd, &about) != 0 || !S_ISREG (about.st_mode)) {
    close (fd);
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: is not a regular file", path);
  }
  file = g_mapped_file_new_from_fd (fd, FALSE, &failure);
  close (fd);
  if (file == NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: cannot be mapped: %s", path,
                            failure->message);
  return g_mapped_file_get_bytes (file);
}
