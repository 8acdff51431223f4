/* Files and folders that programs of others must not see. */
#include "core/data/secret-paths.h"

static GMutex lock;
static GHashTable *paths; /* a set of strings */

char *
assay_cache_folder (void)
{
  const char *folder = g_getenv ("ASSAY_CACHE");

  if (folder == NULL)
    return g_build_filename (g_get_user_cache_dir (), "assay", NULL);
  return *folder != '\0' ? g_strdup (folder) : NULL;
}

void
assay_secret_path_add (const char *path)
{
  char *whole = g_canonicalize_filename (path, NULL);

  g_mutex_lock (&lock);
  if (paths == NULL)
    paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add (paths, whole);
  g_mutex_unlock (&lock);
}

static void
add_links (const char *folder, guint n_levels)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      assay_secret_path_add (path);
    if (n_levels > 1 && g_file_test (path, G_FILE_TEST_IS_DIR))
      add_links (path, n_levels - 1);
  }
}

void
assay_secret_links_add (const char *folder)
{
  add_links (folder, 2);
}

/* A folder before what it holds: what is hidden later is hidden in what is seen by then. */
static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
assay_secret_paths (void)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *cache = assay_cache_folder ();
  GHashTableIter at;
  gpointer path;

  if (cache != NULL)
    g_ptr_array_add (all, g_canonicalize_filename (cache, NULL));
  g_mutex_lock (&lock);
  if (paths != NULL) {
    g_hash_table_iter_init (&at, paths);
    while (g_hash_table_iter_next (&at, &path, NULL))
      g_ptr_array_add (all, g_strdup (path));
  }
  g_mutex_unlock (&lock);
  g_ptr_array_sort (all, compare_paths);
  return all;
}
