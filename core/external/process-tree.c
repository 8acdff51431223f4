/* Descendants of a process. */
#include "core/external/process-tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PATH_SIZE 64
#define KIB 1024
#define STAT_BLOCK 512 /* the unit of st_blocks */

/* Adds the children that one thread of @pid has; there are none where it has ended by now. */
static void
add_children (int pid, const char *thread, GArray *pids)
{
  char path[PATH_SIZE];
  FILE *file;
  int child;

  g_snprintf (path, sizeof path, "/proc/%d/task/%s/children", pid, thread);
  file = fopen (path, "re");
  if (file == NULL)
    return;
  while (fscanf (file, "%d", &child) == 1)
    g_array_append_val (pids, child);
  fclose (file);
}

/* Adds its children, and returns how many threads it has. */
static guint
visit (int pid, GArray *pids)
{
  char path[PATH_SIZE];
  g_autoptr (GDir) dir = NULL;
  const char *thread;
  guint n = 0;

  g_snprintf (path, sizeof path, "/proc/%d/task", pid);
  dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (thread = g_dir_read_name (dir)) != NULL) {
    add_children (pid, thread, pids);
    n++;
  }
  return n;
}

/* @root and its descendants, as far as they have more than @enough tasks together. */
static GArray *
list_tree (GPid root, guint enough, guint *ret_tasks)
{
  GArray *pids = g_array_new (FALSE, FALSE, sizeof (int));
  const int first = (int) root;

  *ret_tasks = 0;
  g_array_append_val (pids, first);
  for (guint i = 0; i < pids->len && *ret_tasks <= enough; i++)
    *ret_tasks += visit (g_array_index (pids, int, i), pids);
  return pids;
}

guint
assay_process_tree_tasks (GPid root, guint enough)
{
  guint tasks;

  g_array_unref (list_tree (root, enough, &tasks));
  return tasks;
}

/* Resident pages; what is shared counts in each process. */
static guint64
resident_size (int pid)
{
  char path[PATH_SIZE];
  guint64 total = 0, pages = 0;
  FILE *file;

  g_snprintf (path, sizeof path, "/proc/%d/statm", pid);
  file = fopen (path, "re");
  if (file == NULL)
    return 0;
  if (fscanf (file, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, &total, &pages) != 2)
    pages = 0;
  fclose (file);
  return pages * (guint64) sysconf (_SC_PAGESIZE);
}

/* Resident pages, of each what is this process's part, and of that what is of files in memory. The
 * kernel walks over its page tables. */
static guint64
proportional_size (int pid, guint64 *shared)
{
  char path[PATH_SIZE], line[256];
  guint64 kib = 0, of_files = 0;
  FILE *file;

  g_snprintf (path, sizeof path, "/proc/%d/smaps_rollup", pid);
  file = fopen (path, "re");
  if (file == NULL)
    return resident_size (pid);
  while (fgets (line, sizeof line, file) != NULL)
    if (sscanf (line, "Pss: %" G_GUINT64_FORMAT, &kib) != 1)
      sscanf (line, "Pss_Shmem: %" G_GUINT64_FORMAT, &of_files);
  fclose (file);
  *shared += of_files * KIB;
  return kib * KIB;
}

/* ---- Files without a name ---- */

typedef struct {
  guint64 size;      /* of all, in bytes */
  guint64 in_memory; /* of those that are on no disk */
  GHashTable *seen;  /* what several have open counts once */
} Unnamed;

static gboolean
is_in_memory (int pid, const char *descriptor)
{
  char path[PATH_SIZE];
  struct statfs about;

  g_snprintf (path, sizeof path, "/proc/%d/fd/%s", pid, descriptor);
  return statfs (path, &about) == 0 && about.f_type == TMPFS_MAGIC;
}

static void
add_if_unnamed (int folder, int pid, const char *descriptor, Unnamed *sum)
{
  struct stat about;
  guint64 size;

  if (fstatat (folder, descriptor, &about, 0) != 0 || !S_ISREG (about.st_mode)
      || about.st_nlink > 0
      || !g_hash_table_add (sum->seen, g_strdup_printf ("%ju:%ju", (uintmax_t) about.st_dev,
                                                        (uintmax_t) about.st_ino)))
    return;
  size = (guint64) about.st_blocks * STAT_BLOCK;
  sum->size += size;
  if (is_in_memory (pid, descriptor))
    sum->in_memory += size;
}

static Unnamed
count_unnamed (const GArray *pids)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Unnamed sum = { .seen = seen };

  for (guint i = 0; i < pids->len; i++) {
    const int pid = g_array_index (pids, int, i);
    const struct dirent *entry;
    char path[PATH_SIZE];
    DIR *dir;

    g_snprintf (path, sizeof path, "/proc/%d/fd", pid);
    dir = opendir (path);
    while (dir != NULL && (entry = readdir (dir)) != NULL)
      add_if_unnamed (dirfd (dir), pid, entry->d_name, &sum);
    if (dir != NULL)
      closedir (dir);
  }
  sum.seen = NULL;
  return sum;
}

guint64
assay_process_tree_unnamed (GPid root)
{
  guint tasks;
  g_autoptr (GArray) pids = list_tree (root, G_MAXUINT - 1, &tasks);

  return count_unnamed (pids).size;
}

/* ---- Memory ---- */

/* Of files in memory that are mapped the pages are counted already. */
guint64
assay_process_tree_memory (GPid root, guint64 enough)
{
  guint tasks;
  g_autoptr (GArray) pids = list_tree (root, G_MAXUINT - 1, &tasks);
  const guint64 in_memory = count_unnamed (pids).in_memory;
  guint64 size = 0, shared = 0;

  for (guint i = 0; i < pids->len; i++)
    size += resident_size (g_array_index (pids, int, i));
  if (size + in_memory <= enough)
    return size + in_memory;
  size = 0;
  for (guint i = 0; i < pids->len; i++)
    size += proportional_size (g_array_index (pids, int, i), &shared);
  return size + MAX (in_memory, shared) - shared;
}
