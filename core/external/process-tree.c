/* Descendants of a process. */
#include "core/external/process-tree.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 64
#define KIB 1024

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

/* Resident pages, of each what is this process's part. The kernel walks over its page tables. */
static guint64
proportional_size (int pid)
{
  char path[PATH_SIZE], line[256];
  guint64 kib = 0;
  FILE *file;

  g_snprintf (path, sizeof path, "/proc/%d/smaps_rollup", pid);
  file = fopen (path, "re");
  if (file == NULL)
    return resident_size (pid);
  while (fgets (line, sizeof line, file) != NULL
         && sscanf (line, "Pss: %" G_GUINT64_FORMAT, &kib) != 1)
    ;
  fclose (file);
  return kib * KIB;
}

guint64
assay_process_tree_memory (GPid root, guint64 enough)
{
  guint tasks;
  g_autoptr (GArray) pids = list_tree (root, G_MAXUINT - 1, &tasks);
  guint64 size = 0;

  for (guint i = 0; i < pids->len; i++)
    size += resident_size (g_array_index (pids, int, i));
  if (size <= enough)
    return size;
  size = 0;
  for (guint i = 0; i < pids->len; i++)
    size += proportional_size (g_array_index (pids, int, i));
  return size;
}
