/* Folders that a program of others wrote. */
#include "core/external/tree.h"

#include <errno.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#define BLOCK 4096
#define STAT_BLOCK 512 /* the unit of st_blocks, whatever the file system's own is */

/* Folders that were closed are opened again. */
static GDir *
open_folder (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);

  if (dir == NULL && errno == EACCES && g_chmod (path, 0700) == 0)
    dir = g_dir_open (path, 0, NULL);
  return dir;
}

guint64
assay_tree_size (const char *path, guint64 enough)
{
  struct stat about;
  g_autoptr (GDir) dir = NULL;
  const char *name;
  guint64 size;

  /* What is gone by now was moved or removed by the program. */
  if (lstat (path, &about) != 0)
    return errno == ENAMETOOLONG ? G_MAXUINT64 : 0;
  size = MAX ((guint64) about.st_blocks * STAT_BLOCK, BLOCK);
  dir = S_ISDIR (about.st_mode) ? open_folder (path) : NULL;
  while (dir != NULL && size <= enough && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    const guint64 more = assay_tree_size (child, enough - size);

    size = more > G_MAXUINT64 - size ? G_MAXUINT64 : size + more;
  }
  return size;
}

void
assay_tree_remove (const char *path)
{
  struct stat about;

  if (lstat (path, &about) == 0 && S_ISDIR (about.st_mode)) {
    g_autoptr (GDir) dir = NULL;
    const char *name;

    g_chmod (path, 0700);
    dir = g_dir_open (path, 0, NULL);
    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
      g_autofree char *child = g_build_filename (path, name, NULL);

      assay_tree_remove (child);
    }
  }
  g_remove (path);
}
