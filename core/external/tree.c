/* Folders that a program of others wrote: by descriptors, a name at a time, since a path may become
 * longer than any call takes, and be led elsewhere by a link while it is walked. */
#include "core/external/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 4096
#define STAT_BLOCK 512 /* the unit of st_blocks, whatever the file system's own is */
#define OWN 0700       /* what we need of a folder */

/* Folders open at a time: where a tree is counted, and where it is removed. */
#define MOST_DEEP 128
#define REMOVED_DEEP 16

/* A process that outlived its start could go on writing while we remove. */
#define MOST_PASSES 65536

/* For the folder @name in @folder, which was closed to us. */
static void
open_up (int folder, const char *name)
{
  const int place = openat (folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  char path[32];

  if (place < 0)
    return;
  g_snprintf (path, sizeof path, "/proc/self/fd/%d", place);
  chmod (path, OWN);
  close (place);
}

/* NULL with errno where it is no folder, or is not there any more. */
static DIR *
open_folder (int folder, const char *name)
{
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int place = openat (folder, name, flags);
  struct stat about;
  DIR *dir;

  if (place < 0 && errno == EACCES) {
    open_up (folder, name);
    place = openat (folder, name, flags);
  }
  if (place < 0)
    return NULL;
  if (fstat (place, &about) == 0 && (about.st_mode & OWN) != OWN)
    fchmod (place, OWN);
  dir = fdopendir (place);
  if (dir == NULL)
    close (place);
  return dir;
}

/* The next name but "." and ".."; NULL at the end. */
static const char *
next_name (DIR *dir)
{
  const struct dirent *entry;

  while ((entry = readdir (dir)) != NULL)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      return entry->d_name;
  return NULL;
}

/* ---- How large it is ---- */

static guint64
size_of (int folder, const char *name, guint deep, guint64 enough)
{
  struct stat about;
  const char *child;
  guint64 size;
  DIR *dir;

  /* What is gone by now was moved or removed by the program. */
  if (fstatat (folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
    return 0;
  size = MAX ((guint64) about.st_blocks * STAT_BLOCK, BLOCK);
  if (!S_ISDIR (about.st_mode))
    return size;
  dir = deep < MOST_DEEP ? open_folder (folder, name) : NULL;
  if (dir == NULL)
    return deep == MOST_DEEP || errno == EACCES ? G_MAXUINT64 : size;
  while (size <= enough && (child = next_name (dir)) != NULL) {
    const guint64 more = size_of (dirfd (dir), child, deep + 1, enough - size);

    size = more > G_MAXUINT64 - size ? G_MAXUINT64 : size + more;
  }
  closedir (dir);
  return size;
}

guint64
assay_tree_size (const char *path, guint64 enough)
{
  return size_of (AT_FDCWD, path, 0, enough);
}

/* ---- Removing it ---- */

/* Where folders that lie too deep are put: beside the first ones, under other names. */
typedef struct {
  int folder;
  guint n;
} Top;

static gboolean
move_up (int folder, const char *name, Top *top)
{
  char other[32];
  int failed;

  do {
    g_snprintf (other, sizeof other, "moved-up-%u", top->n++);
    failed = renameat (folder, name, top->folder, other);
  } while (failed && (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR));
  return !failed;
}

/* Whether anything in it was removed, or moved up. */
static gboolean
empty (DIR *dir, guint deep, Top *top)
{
  const int folder = dirfd (dir);
  gboolean is_any = FALSE;
  const char *name;

  while ((name = next_name (dir)) != NULL) {
    DIR *child;

    if (unlinkat (folder, name, 0) == 0 || unlinkat (folder, name, AT_REMOVEDIR) == 0) {
      is_any = TRUE;
      continue;
    }
    child = open_folder (folder, name);
    if (child == NULL)
      continue;
    if (deep < REMOVED_DEEP)
      is_any |= empty (child, deep + 1, top);
    else
      is_any |= move_up (folder, name, top);
    closedir (child);
    is_any |= unlinkat (folder, name, AT_REMOVEDIR) == 0;
  }
  return is_any;
}

void
assay_tree_remove (const char *path)
{
  gboolean is_any = TRUE;
  Top top = { 0 };

  for (guint i = 0; i < MOST_PASSES && is_any; i++) {
    DIR *dir = open_folder (AT_FDCWD, path);

    if (dir == NULL)
      break;
    top.folder = dirfd (dir);
    is_any = empty (dir, 1, &top);
    closedir (dir);
  }
  remove (path);
}
