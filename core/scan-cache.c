/* What was found near a release's subspaces, kept as long as the release lives. */
#include <string.h>

#include "core/scan.h"

/* What one release may keep; the oldest entry goes first. */
#define BUDGET ((gsize) 256 * 1024 * 1024)

typedef struct {
  AssayRows *rows; /* referenced, so that no other set can have its address */
  AssayNearest *nearest;
} Entry;

struct _AssayScanCache {
  GMutex lock;
  GPtrArray *entries; /* Entry, oldest first */
};

static void
entry_free (Entry *entry)
{
  assay_rows_unref (entry->rows);
  assay_nearest_free (entry->nearest);
  g_free (entry);
}

AssayScanCache *
assay_scan_cache_new (void)
{
  AssayScanCache *cache = g_new0 (AssayScanCache, 1);

  g_mutex_init (&cache->lock);
  cache->entries = g_ptr_array_new_with_free_func ((GDestroyNotify) entry_free);
  return cache;
}

void
assay_scan_cache_free (AssayScanCache *cache)
{
  g_ptr_array_unref (cache->entries);
  g_mutex_clear (&cache->lock);
  g_free (cache);
}

static gsize
bytes_of (const AssayNearest *nearest)
{
  return nearest->n * nearest->k * (sizeof *nearest->rows + sizeof *nearest->distances);
}

/* The first @k of each query's neighbours. */
static AssayNearest *
first_of (const AssayNearest *all, gsize k, GError **error)
{
  AssayNearest *nearest = assay_nearest_new (all->n, k, error);

  for (gsize i = 0; nearest != NULL && i < all->n; i++) {
    memcpy (nearest->rows + i * k, all->rows + i * all->k, k * sizeof *nearest->rows);
    memcpy (nearest->distances + i * k, all->distances + i * all->k,
            k * sizeof *nearest->distances);
  }
  return nearest;
}

static void
keep (AssayScanCache *cache, const AssayRows *rows, AssayNearest *nearest)
{
  Entry *entry = g_new (Entry, 1);
  gsize bytes = bytes_of (nearest);

  *entry = (Entry){ assay_rows_ref ((AssayRows *) rows), nearest };
  for (guint i = cache->entries->len; i > 0; i--) {
    const Entry *other = cache->entries->pdata[i - 1];

    bytes += bytes_of (other->nearest);
    if (other->rows == rows || bytes > BUDGET)
      g_ptr_array_remove_index (cache->entries, i - 1);
  }
  g_ptr_array_add (cache->entries, entry);
}

AssayNearest *
assay_release_nearest (const AssayRelease *release, const AssayRows *rows, gsize k, GError **error)
{
  const AssaySubspaces subspaces = assay_release_subspaces (release);
  const AssayScale scale = assay_release_scale (release);
  AssayScanCache *cache = release->scans;
  AssayNearest *found = NULL;
  AssayNearest *result;

  g_mutex_lock (&cache->lock);
  for (guint i = 0; i < cache->entries->len && found == NULL; i++) {
    const Entry *entry = cache->entries->pdata[i];

    if (entry->rows == rows && entry->nearest->k >= k && k > 0)
      found = first_of (entry->nearest, k, NULL);
  }
  g_mutex_unlock (&cache->lock);
  if (found != NULL)
    return found;

  result = assay_scan_subspaces (&subspaces, rows, scale, k, error);
  if (result == NULL || bytes_of (result) > BUDGET)
    return result;
  found = first_of (result, k, error);
  g_mutex_lock (&cache->lock);
  keep (cache, rows, result);
  g_mutex_unlock (&cache->lock);
  return found;
}
