/* What of files is mapped: regular ones, and no large ones of nothing but holes. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file-map.h"

#define MIB ((off_t) 1 << 20)

/* A file of @size bytes, of which @written are there; FALSE where this file system has no holes. */
static gboolean
make_sparse (const char *path, off_t size, off_t written)
{
  static char block[4096];
  const int fd = g_open (path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  off_t end;

  memset (block, 'x', sizeof block);
  cr_assert (fd >= 0 && ftruncate (fd, size) == 0);
  for (off_t at = 0; at < written; at += (off_t) sizeof block)
    cr_assert_eq (pwrite (fd, block, sizeof block, at * (size / MAX (written, 1))), sizeof block);
  end = lseek (fd, 0, SEEK_HOLE);
  close (fd);
  return end < size;
}

Test (file_map, holes_that_are_large)
{
  static const struct {
    off_t size, written;
    gboolean is_refused;
  } files[] = { { 1024 * 1024 * MIB, 0, TRUE }, /* a terabyte */
                { 512 * MIB, 0, TRUE },
                { 512 * MIB, 4 * MIB, TRUE },
                { 512 * MIB, 6 * MIB, FALSE },
                { 255 * MIB, 0, FALSE } };
  g_autofree char *folder = g_dir_make_tmp ("assay-map-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.npy", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++) {
    const gboolean has_holes = make_sparse (path, files[i].size, files[i].written);
    g_autoptr (GError) error = NULL;
    g_autoptr (GBytes) bytes = has_holes ? assay_file_map (path, &error) : NULL;

    if (!has_holes)
      continue;
    cr_assert_eq (bytes == NULL, files[i].is_refused, "file %zu", i);
    if (bytes == NULL)
      cr_assert (g_str_has_prefix (error->message, path)
                     && strstr (error->message, "fewer than one byte in 100 is on the disk")
                            != NULL,
                 "%s", error->message);
    else
      cr_assert_eq (g_bytes_get_size (bytes), (gsize) files[i].size);
  }
  g_remove (path);
  g_rmdir (folder);
}
