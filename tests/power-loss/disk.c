/* What of the files is on the disk. All calls are made as system calls: the functions of the C
 * library are those that stand before this (calls.c). */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_FILES 4096
#define MOST_CHANGES 16384
#define SECTOR 512
#define PAGE 4096

typedef struct {
  dev_t dev;
  ino_t ino;
  int fd; /* ours; never closed, since that would drop the process's locks on the file */
  unsigned char *durable;
  size_t size;
} File;

typedef struct {
  DiskChange what;
  char *from, *to, *saved;
} Change;

static File files[MOST_FILES];
static size_t n_files;
static Change changes[MOST_CHANGES];
static size_t n_changes, n_saved;
static const char *save_folder;
static bool is_journal, is_a_lie;

static void
die (const char *what)
{
  dprintf (2, "power-loss: %s: %s\n", what, strerror (errno));
  _exit (99);
}

void
disk_init (const char *saved, bool is_ordered, bool is_lying)
{
  save_folder = saved;
  is_journal = is_ordered;
  is_a_lie = is_lying;
}

/* ---- Contents ---- */

static unsigned char *
read_whole (int fd, size_t *ret_size)
{
  struct stat about;
  unsigned char *bytes;
  size_t done = 0;

  if (fstat (fd, &about) != 0)
    die ("fstat");
  bytes = malloc ((size_t) about.st_size + 1);
  if (bytes == NULL)
    die ("malloc");
  while (done < (size_t) about.st_size) {
    const long n = syscall (SYS_pread64, fd, bytes + done, (size_t) about.st_size - done, done);

    if (n <= 0)
      break;
    done += (size_t) n;
  }
  *ret_size = done;
  return bytes;
}

static File *
find (const struct stat *about)
{
  for (size_t i = 0; i < n_files; i++)
    if (files[i].dev == about->st_dev && files[i].ino == about->st_ino)
      return &files[i];
  return NULL;
}

void
disk_open (int fd, bool is_new)
{
  char path[64];
  struct stat about;
  File *file;

  if (fstat (fd, &about) != 0 || !S_ISREG (about.st_mode) || find (&about) != NULL)
    return;
  if (n_files == MOST_FILES)
    die ("too many files");
  file = &files[n_files];
  *file = (File){ .dev = about.st_dev, .ino = about.st_ino };
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  file->fd = (int) syscall (SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (file->fd < 0)
    return;
  if (!is_new)
    file->durable = read_whole (file->fd, &file->size);
  n_files++;
}

static void
commit_changes (const char *folder)
{
  size_t n = 0;

  for (size_t i = 0; i < n_changes; i++) {
    const char *end = strrchr (changes[i].to, '/');
    const size_t length = end != NULL ? (size_t) (end - changes[i].to) : 0;
    const bool is_in
        = folder == NULL
          || (strlen (folder) == length && strncmp (folder, changes[i].to, length) == 0);

    if (!is_in)
      changes[n++] = changes[i];
  }
  n_changes = n;
}

void
disk_sync (int fd)
{
  struct stat about;
  File *file;

  if (is_a_lie || fstat (fd, &about) != 0)
    return;
  if (S_ISDIR (about.st_mode)) {
    char link[64], path[PATH_MAX + 1];
    ssize_t length;

    snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink (link, path, PATH_MAX);
    if (length > 0) {
      path[length] = '\0';
      commit_changes (is_journal ? NULL : path);
    }
    return;
  }
  disk_open (fd, true);
  file = find (&about);
  if (file != NULL) {
    free (file->durable);
    file->durable = read_whole (file->fd, &file->size);
  }
  if (is_journal)
    commit_changes (NULL);
}

/* ---- Folders ---- */

char *
disk_save (const char *path)
{
  char place[PATH_MAX];

  snprintf (place, sizeof place, "%s/%zu", save_folder, n_saved);
  if (syscall (SYS_linkat, AT_FDCWD, path, AT_FDCWD, place, 0) != 0)
    return NULL;
  n_saved++;
  return strdup (place);
}

void
disk_made (DiskChange change, const char *from, const char *to, char *saved)
{
  if (n_changes == MOST_CHANGES)
    die ("too many changes");
  changes[n_changes++] = (Change){ change, strdup (from), strdup (to), saved };
}

static void
undo (const Change *change)
{
  long result = 0;

  switch (change->what) {
  case CREATED:
    result = syscall (SYS_unlinkat, AT_FDCWD, change->to, 0);
    break;
  case MADE_FOLDER:
    result = syscall (SYS_unlinkat, AT_FDCWD, change->to, AT_REMOVEDIR);
    break;
  case REMOVED_FOLDER:
    result = syscall (SYS_mkdirat, AT_FDCWD, change->to, 0777);
    break;
  case RENAMED:
    result = syscall (SYS_renameat2, AT_FDCWD, change->to, AT_FDCWD, change->from, 0);
    break;
  case EXCHANGED:
    result = syscall (SYS_renameat2, AT_FDCWD, change->to, AT_FDCWD, change->from, 2);
    break;
  case REMOVED:
    break;
  }
  if (change->saved != NULL)
    syscall (SYS_renameat2, AT_FDCWD, change->saved, AT_FDCWD, change->to, 0);
  if (result != 0 && errno != ENOENT && errno != ENOTEMPTY)
    dprintf (2, "power-loss: %s cannot be undone: %s\n", change->to, strerror (errno));
}

/* ---- The dice ---- */

static uint64_t state;

static uint64_t
draw (uint64_t below)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

/* Each page is the one of before, the new one, or of sectors of both; a file may have the length
 * of either, with zeros where it grew and nothing came. */
static void
tear (const File *file)
{
  size_t size;
  unsigned char *now = read_whole (file->fd, &size);
  const uint64_t mood = draw (4); /* all lost, all kept, or mixed */
  const size_t length = mood == 0 ? file->size : mood == 1 || draw (2) ? size : file->size;
  unsigned char *result;

  if (mood == 1 || (size == file->size && (size == 0 || memcmp (now, file->durable, size) == 0))) {
    free (now);
    return;
  }
  result = calloc (length + 1, 1);
  if (result == NULL)
    die ("calloc");
  for (size_t page = 0; page < length; page += PAGE) {
    const uint64_t kind = mood == 0 ? 0 : draw (3);

    for (size_t at = page; at < length && at < page + PAGE; at += SECTOR) {
      const bool is_new = kind == 1 || (kind == 2 && draw (2));
      const unsigned char *from = is_new ? now : file->durable;
      const size_t there = is_new ? size : file->size;
      const size_t n = there > at ? there - at : 0;
      const size_t wanted = length - at < SECTOR ? length - at : SECTOR;

      memcpy (result + at, from + at, n < wanted ? n : wanted);
    }
  }
  if (syscall (SYS_ftruncate, file->fd, 0) != 0
      || syscall (SYS_pwrite64, file->fd, result, length, 0) != (long) length)
    die ("a torn file cannot be written");
  free (result);
  free (now);
}

void
disk_fail (uint64_t seed)
{
  const uint64_t mood = (state = seed, draw (3), draw (3)); /* none, all or some are lost */
  const size_t kept = mood == 0 ? n_changes : mood == 1 ? 0 : draw (n_changes + 1);

  for (size_t i = 0; i < n_files; i++)
    tear (&files[i]);
  for (size_t i = n_changes; i-- > kept;)
    undo (&changes[i]);
}
