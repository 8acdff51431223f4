/* What was found near a release's subspaces, shared by those who attack it. It goes with the
 * release, or for lack of room (core/base/shared-work.h). */
#include <string.h>

#include "core/base/shared-work.h"
#include "core/search/scan-approximate.h"

/* How many neighbours were looked for last among rows of this owner. */
typedef struct {
  guint64 rows;
  gsize k;
} Known;

struct _AssayScanCache {
  guint64 owner;
  GMutex lock;
  GArray *known; /* Known */
};

AssayScanCache *
assay_scan_cache_new (void)
{
  AssayScanCache *cache = g_new0 (AssayScanCache, 1);

  cache->owner = assay_shared_owner ();
  g_mutex_init (&cache->lock);
  return cache;
}

void
assay_scan_cache_free (AssayScanCache *cache)
{
  if (cache->known != NULL) {
    assay_shared_forget_all (cache->owner);
    g_array_unref (cache->known);
  }
  g_mutex_clear (&cache->lock);
  g_free (cache);
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

static char *
name_of (guint64 rows, gsize k)
{
  return g_strdup_printf ("rows %" G_GUINT64_FORMAT " k %" G_GSIZE_FORMAT, rows, k);
}

/* The name under which @k neighbours or more are kept, if any are. */
static char *
find_name (AssayScanCache *cache, guint64 rows, gsize k)
{
  char *name = NULL;

  g_mutex_lock (&cache->lock);
  for (guint i = 0; cache->known != NULL && i < cache->known->len && name == NULL; i++) {
    const Known *known = &g_array_index (cache->known, Known, i);

    if (known->rows == rows && known->k >= k && k > 0)
      name = name_of (rows, known->k);
  }
  g_mutex_unlock (&cache->lock);
  return name != NULL ? name : name_of (rows, k);
}

/* With the lock held: what there is has to be forgotten with the release. */
static void
begin_to_know (AssayScanCache *cache)
{
  if (cache->known == NULL)
    cache->known = g_array_new (FALSE, FALSE, sizeof (Known));
}

static void
share (AssayScanCache *cache, const char *name, AssayNearest *nearest)
{
  const gsize bytes
      = nearest->n * nearest->k * (sizeof *nearest->rows + sizeof *nearest->distances);

  assay_shared_release (
      assay_shared_add (cache->owner, name, nearest, bytes, (GDestroyNotify) assay_nearest_free));
}

/* The k nearest are the first of these: fewer of the same rows are not kept beside them. */
static void
keep (AssayScanCache *cache, guint64 rows, AssayNearest *nearest)
{
  const Known now = { rows, nearest->k };
  g_autofree char *name = name_of (rows, nearest->k);

  g_mutex_lock (&cache->lock);
  begin_to_know (cache);
  for (guint i = cache->known->len; i > 0; i--) {
    const Known known = g_array_index (cache->known, Known, i - 1);
    g_autofree char *before = name_of (rows, known.k);

    if (known.rows != rows)
      continue;
    assay_shared_forget (cache->owner, before);
    g_array_remove_index (cache->known, i - 1);
  }
  g_array_append_val (cache->known, now);
  g_mutex_unlock (&cache->lock);
  share (cache, name, nearest);
}

AssayNearest *
assay_release_nearest (const AssayRelease *release, const AssayRows *rows, gsize k, GError **error)
{
  const AssaySubspaces subspaces = assay_release_subspaces (release);
  const AssayScale scale = assay_release_scale (release);
  const guint64 owner = assay_rows_owner (rows);
  g_autofree char *name = find_name (release->scans, owner, k);
  g_autoptr (AssayShared) kept = assay_shared_find (release->scans->owner, name);
  g_autoptr (AssayNearest) all = NULL;
  AssayNearest *result;

  if (kept != NULL)
    return first_of (assay_shared_value (kept), k, error);
  all = assay_scan_subspaces (&subspaces, rows, scale, k, error);
  if (all == NULL)
    return NULL;
  result = first_of (all, k, error);
  if (result != NULL)
    keep (release->scans, owner, g_steal_pointer (&all));
  return result;
}

/* What an approximate search reads may depend on k: what was found for another is another. */
AssayNearest *
assay_release_nearest_approximately (const AssayRelease *release, const AssayProbing *probing,
                                     const AssayRows *rows, gsize k, GError **error)
{
  const AssaySubspaces subspaces = assay_release_subspaces (release);
  AssayScanCache *cache = release->scans;
  g_autofree char *exact = name_of (assay_rows_owner (rows), k);
  g_autofree char *name = g_strdup_printf ("%s lists %" G_GSIZE_FORMAT " probes %" G_GSIZE_FORMAT,
                                           exact, probing->lists, probing->probes);
  g_autoptr (AssayShared) kept = assay_shared_find (cache->owner, name);
  AssayNearest *all, *result;

  if (probing->probes == probing->lists)
    return assay_release_nearest (release, rows, k, error);
  if (kept != NULL)
    return first_of (assay_shared_value (kept), k, error);
  all = assay_scan_approximately (probing, &subspaces, rows, assay_release_scale (release), k, NULL,
                                  error);
  if (all == NULL)
    return NULL;
  result = first_of (all, k, error);
  g_mutex_lock (&cache->lock);
  begin_to_know (cache);
  g_mutex_unlock (&cache->lock);
  share (cache, name, all);
  return result;
}
