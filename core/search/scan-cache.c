/* The assay_release_nearest of scan.h and scan-approximate.h: what was found near a release's
 * subspaces is shared by those who attack it. It goes with the release, or for lack of room
 * (core/base/shared-work.h). */
#include <string.h>

#include "core/base/shared-work.h"
#include "core/search/scan-approximate.h"

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

/* What the caller has of @all, which is taken for the others; NULL where there is none. */
static AssayNearest *
share (const AssayRelease *release, const char *name, AssayNearest *all, gsize k, GError **error)
{
  AssayNearest *result = all != NULL ? first_of (all, k, error) : NULL;

  if (result == NULL)
    g_clear_pointer (&all, assay_nearest_free);
  else
    assay_shared_release (assay_shared_add (
        release->owner, name, all, all->n * all->k * (sizeof *all->rows + sizeof *all->distances),
        (GDestroyNotify) assay_nearest_free));
  return result;
}

/* One result is kept for each set of rows, the last: the k nearest are the first of any more. */
AssayNearest *
assay_release_nearest (const AssayRelease *release, const AssayRows *rows, gsize k, GError **error)
{
  const AssaySubspaces subspaces = assay_release_subspaces (release);
  const AssayScale scale = assay_release_scale (release);
  g_autofree char *name = g_strdup_printf ("rows %" G_GUINT64_FORMAT, assay_rows_owner (rows));
  g_autoptr (AssayShared) kept = assay_shared_find (release->owner, name);

  if (kept != NULL && k > 0 && ((const AssayNearest *) assay_shared_value (kept))->k >= k)
    return first_of (assay_shared_value (kept), k, error);
  return share (release, name, assay_scan_subspaces (&subspaces, rows, scale, k, error), k, error);
}

/* What an approximate search reads may depend on k: what was found for another is another. */
AssayNearest *
assay_release_nearest_approximately (const AssayRelease *release, const AssayProbing *probing,
                                     const AssayRows *rows, gsize k, GError **error)
{
  const AssaySubspaces subspaces = assay_release_subspaces (release);
  const AssaySearchSet set = { .rows = rows, .scale = assay_release_scale (release) };
  g_autofree char *name
      = g_strdup_printf ("rows %" G_GUINT64_FORMAT " k %zu lists %zu probes %zu",
                         assay_rows_owner (rows), k, probing->lists, probing->probes);
  g_autoptr (AssayShared) kept = NULL;

  if (probing->probes == probing->lists)
    return assay_release_nearest (release, rows, k, error);
  kept = assay_shared_find (release->owner, name);
  if (kept != NULL)
    return first_of (assay_shared_value (kept), k, error);
  return share (release, name, assay_scan_approximately (probing, &subspaces, &set, k, NULL, error),
                k, error);
}
