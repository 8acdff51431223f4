/* Stands before the C library (LD_PRELOAD): the calls that change what is below POWER_LOSS_ROOT.
 *
 * POWER_LOSS_AT=N: at the N-th of them the power fails, before it is made, by the dice of N; the
 * process ends as by kill -9. Without it the number of calls is written to POWER_LOSS_SAVED/calls.
 * POWER_LOSS_MODEL=ordered or posix (see disk.h). POWER_LOSS_LIES=1: syncs do nothing, which shows
 * that the tests see what a missing sync does. Programs that it starts are not observed. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "disk.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX], saved[PATH_MAX];
static unsigned long n_calls, fails_at;
static pid_t observed;

__attribute__ ((constructor)) static void
begin (void)
{
  const char *at = getenv ("POWER_LOSS_AT"), *model = getenv ("POWER_LOSS_MODEL");

  if (getenv ("POWER_LOSS_ROOT") == NULL || getenv ("POWER_LOSS_SAVED") == NULL)
    return;
  snprintf (root, sizeof root, "%s/", getenv ("POWER_LOSS_ROOT"));
  snprintf (saved, sizeof saved, "%s", getenv ("POWER_LOSS_SAVED"));
  fails_at = at != NULL ? strtoul (at, NULL, 10) : 0;
  disk_init (saved, model == NULL || strcmp (model, "posix") != 0,
             getenv ("POWER_LOSS_LIES") != NULL);
  observed = getpid ();
  unsetenv ("LD_PRELOAD");
}

__attribute__ ((destructor)) static void
end (void)
{
  char place[PATH_MAX + 8];
  int fd;

  if (observed != getpid ())
    return;
  snprintf (place, sizeof place, "%s/calls", saved);
  fd = (int) syscall (SYS_openat, AT_FDCWD, place, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd >= 0)
    dprintf (fd, "%lu\n", n_calls);
}

/* @path as an absolute one, if it is below the root and this process is the one observed. */
static const char *
below (const char *path, char *whole)
{
  char here[PATH_MAX];

  if (observed != getpid () || path == NULL)
    return NULL;
  if (path[0] == '/')
    snprintf (whole, PATH_MAX, "%s", path);
  else if (getcwd (here, sizeof here) != NULL)
    snprintf (whole, PATH_MAX, "%.2000s/%.2000s", here, path);
  return strncmp (whole, root, strlen (root)) == 0 ? whole : NULL;
}

static bool
is_below (int fd)
{
  char link[64], path[PATH_MAX], whole[PATH_MAX];
  ssize_t length;

  if (observed != getpid ())
    return false;
  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  length = readlink (link, path, sizeof path - 1);
  if (length <= 0 || path[0] != '/') /* a pipe, or an eventfd */
    return false;
  path[length] = '\0';
  return below (path, whole) != NULL;
}

/* With the mutex held. */
static void
count (void)
{
  if (++n_calls != fails_at)
    return;
  disk_fail (n_calls);
  kill (getpid (), SIGKILL);
  pause ();
}

static int
open_it (int at, const char *path, int flags, mode_t mode)
{
  char whole[PATH_MAX];
  const bool is_write = (flags & O_ACCMODE) != O_RDONLY && (flags & O_TMPFILE) != O_TMPFILE;
  const char *place = is_write && (at == AT_FDCWD || path[0] == '/') ? below (path, whole) : NULL;
  struct stat about;
  bool is_new;
  int fd, cause;

  if (place == NULL)
    return (int) syscall (SYS_openat, at, path, flags, mode);
  pthread_mutex_lock (&mutex);
  is_new = stat (place, &about) != 0;
  if (is_new || (flags & O_TRUNC))
    count ();
  if (!is_new && (flags & O_TRUNC)) { /* what it held is read before it goes */
    fd = (int) syscall (SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0)
      disk_open (fd, false);
  }
  fd = (int) syscall (SYS_openat, at, path, flags, mode);
  cause = errno;
  if (fd >= 0) {
    disk_open (fd, is_new);
    if (is_new)
      disk_made (CREATED, "", place, NULL);
  }
  pthread_mutex_unlock (&mutex);
  errno = cause;
  return fd;
}

#define MODE(flags)                                                                                \
  mode_t mode = 0;                                                                                 \
  va_list rest;                                                                                    \
  va_start (rest, flags);                                                                          \
  if ((flags) & (O_CREAT | O_TMPFILE))                                                             \
    mode = va_arg (rest, mode_t);                                                                  \
  va_end (rest)

int
open (const char *path, int flags, ...)
{
  MODE (flags);
  return open_it (AT_FDCWD, path, flags, mode);
}

int
open64 (const char *path, int flags, ...)
{
  MODE (flags);
  return open_it (AT_FDCWD, path, flags, mode);
}

int
openat (int at, const char *path, int flags, ...)
{
  MODE (flags);
  return open_it (at, path, flags, mode);
}

int
openat64 (int at, const char *path, int flags, ...)
{
  MODE (flags);
  return open_it (at, path, flags, mode);
}

/* The writes of a stream are not seen, which only makes fewer moments to fail at: what the file
 * holds is looked at when it is synced and when the power fails. */
FILE *
fopen64 (const char *path, const char *mode)
{
  const int flags
      = (mode[0] == 'r'   ? (strchr (mode, '+') ? O_RDWR : O_RDONLY)
         : mode[0] == 'w' ? (strchr (mode, '+') ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC
                          : (strchr (mode, '+') ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND)
        | (strchr (mode, 'e') ? O_CLOEXEC : 0) | (strchr (mode, 'x') ? O_EXCL : 0);
  const int fd = open_it (AT_FDCWD, path, flags, 0666);

  return fd < 0 ? NULL : fdopen (fd, mode);
}

FILE *
fopen (const char *path, const char *mode)
{
  return fopen64 (path, mode);
}

/* The mutex is held until the call has been made, so that no moment is in its middle but the one
 * that disk_fail makes of it. */
#define OF_A_FILE(fd, call)                                                                        \
  long result;                                                                                     \
  int cause;                                                                                       \
  if (!is_below (fd))                                                                              \
    return call;                                                                                   \
  pthread_mutex_lock (&mutex);                                                                     \
  count ();                                                                                        \
  result = call;                                                                                   \
  cause = errno;                                                                                   \
  pthread_mutex_unlock (&mutex);                                                                   \
  errno = cause;                                                                                   \
  return result

ssize_t
write (int fd, const void *data, size_t size)
{
  OF_A_FILE (fd, syscall (SYS_write, fd, data, size));
}

ssize_t
pwrite64 (int fd, const void *data, size_t size, off64_t at)
{
  OF_A_FILE (fd, syscall (SYS_pwrite64, fd, data, size, at));
}

ssize_t
pwrite (int fd, const void *data, size_t size, off_t at)
{
  return pwrite64 (fd, data, size, at);
}

static int
cut (int fd, off64_t size)
{
  OF_A_FILE (fd, (int) syscall (SYS_ftruncate, fd, size));
}

int
ftruncate64 (int fd, off64_t size)
{
  return cut (fd, size);
}

int
ftruncate (int fd, off_t size)
{
  return cut (fd, size);
}

static int
sync_it (int fd)
{
  if (!is_below (fd) && observed != getpid ())
    return (int) syscall (SYS_fsync, fd);
  pthread_mutex_lock (&mutex);
  count ();
  disk_sync (fd);
  pthread_mutex_unlock (&mutex);
  return 0;
}

int
fsync (int fd)
{
  return sync_it (fd);
}

int
fdatasync (int fd)
{
  return sync_it (fd);
}

static int
rename_it (const char *from, const char *to, unsigned flags)
{
  char whole_from[PATH_MAX], whole_to[PATH_MAX];
  const char *a = below (from, whole_from), *b = below (to, whole_to);
  char *kept;
  int fd, result, cause;

  if (a == NULL || b == NULL)
    return (int) syscall (SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
  pthread_mutex_lock (&mutex);
  count ();
  /* Of a file that another program wrote nothing is on the disk. */
  fd = (int) syscall (SYS_openat, AT_FDCWD, from, O_RDONLY | O_CLOEXEC, 0);
  if (fd >= 0)
    disk_open (fd, true);
  kept = flags == 0 ? disk_save (b) : NULL;
  result = (int) syscall (SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
  cause = errno;
  if (result == 0)
    disk_made (flags & 2 ? EXCHANGED : RENAMED, a, b, kept);
  pthread_mutex_unlock (&mutex);
  errno = cause;
  return result;
}

int
rename (const char *from, const char *to)
{
  return rename_it (from, to, 0);
}

int
renameat2 (int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
  if (from_at != AT_FDCWD || to_at != AT_FDCWD)
    return (int) syscall (SYS_renameat2, from_at, from, to_at, to, flags);
  return rename_it (from, to, flags);
}

/* Calls that change the folder @path stands in. */
static int
change (const char *path, DiskChange what, long number, long argument)
{
  char whole[PATH_MAX];
  const char *place = below (path, whole);
  char *kept = NULL;
  int result, cause;

  if (place == NULL)
    return (int) syscall (number, AT_FDCWD, path, argument);
  pthread_mutex_lock (&mutex);
  count ();
  if (what == REMOVED)
    kept = disk_save (place);
  result = (int) syscall (number, AT_FDCWD, path, argument);
  cause = errno;
  if (result == 0)
    disk_made (what, "", place, kept);
  pthread_mutex_unlock (&mutex);
  errno = cause;
  return result;
}

int
unlink (const char *path)
{
  return change (path, REMOVED, SYS_unlinkat, 0);
}

int
rmdir (const char *path)
{
  return change (path, REMOVED_FOLDER, SYS_unlinkat, AT_REMOVEDIR);
}

int
mkdir (const char *path, mode_t mode)
{
  return change (path, MADE_FOLDER, SYS_mkdirat, (long) mode);
}

int
link (const char *from, const char *to)
{
  char whole[PATH_MAX];
  const char *place = below (to, whole);
  int result, cause;

  if (place == NULL)
    return (int) syscall (SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  pthread_mutex_lock (&mutex);
  count ();
  result = (int) syscall (SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  cause = errno;
  if (result == 0)
    disk_made (CREATED, "", place, NULL);
  pthread_mutex_unlock (&mutex);
  errno = cause;
  return result;
}
