/* The public rows that lattice candidates are records of, nearest first.
 *
 * The likeliest candidates of a subspace are those that nothing known explains, or else the ones
 * that are as likely as the likeliest. Public rows are ranked by their distance from the nearest of
 * them, both scaled to length 1. Where all of them are rows of the database, or there are none, the
 * secret was not found, and rows are ranked by their distance from the subspace. */
#include "attacks/lifting/lattice-link.h"

#include <string.h>

#include "core/base/vectors.h"
#include "core/search/scan.h"

/* The @keep nearest rows of several lists (@count records), each row once; each list is of @keep
 * rows or more, so that there are enough. */
static void
take_nearest (AssayRanked *records, gsize count, gsize keep, gint64 *ret_rows)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
  gsize n = 0;

  assay_rank (records, count);
  for (gsize i = 0; i < count && n < keep; i++)
    if (g_hash_table_add (taken, GSIZE_TO_POINTER (records[i].place + 1)))
      ret_rows[n++] = (gint64) records[i].place;
}

/* ---- Subspaces without a candidate ---- */

static gboolean
has_candidate (const LatticeStandings *standings, gsize item)
{
  return standings->search->points[item].count > 0
         && !standings->items[item][lattice_standings_best (standings, item)].is_known;
}

/* Ranks rows for those by their distance from the subspace. */
static gboolean
rank_by_subspace (const LatticeStandings *standings, const AssayObservation *seen, gsize keep,
                  gint64 *ret_rows, GError **error)
{
  const AssaySubspaces *all = &standings->search->subspaces;
  const gsize m = all->dimension, d = all->cols;
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autofree float *bases = NULL, *translations = NULL;
  g_autoptr (AssayNearest) nearest = NULL;

  for (gsize i = 0; i < all->count; i++)
    if (!has_candidate (standings, i))
      g_array_append_val (items, i);
  if (items->len == 0)
    return TRUE;
  bases = assay_alloc (items->len, m * d * sizeof (float), "bases", error);
  translations = assay_alloc (items->len, d * sizeof (float), "translations", error);
  if (bases == NULL || translations == NULL)
    return FALSE;
  for (gsize i = 0; i < items->len; i++) {
    const gsize item = g_array_index (items, gsize, i);

    memcpy (bases + i * m * d, all->basis + item * m * d, m * d * sizeof (float));
    memcpy (translations + i * d, all->translation + item * d, d * sizeof (float));
  }
  nearest
      = assay_scan_subspaces (&(AssaySubspaces){ .count = items->len,
                                                 .dimension = m,
                                                 .cols = d,
                                                 .basis = bases,
                                                 .translation = translations },
                              seen->public_rows, assay_release_scale (seen->release), keep, error);
  for (gsize i = 0; nearest != NULL && i < items->len; i++)
    for (gsize r = 0; r < keep; r++)
      ret_rows[g_array_index (items, gsize, i) * keep + r] = (gint64) nearest->rows[i * keep + r];
  return nearest != NULL;
}

/* ---- All ---- */

/* Row by row of @nearest, whose queries are the points of all subspaces one after another. */
static void
rank_by_points (const LatticeStandings *standings, const AssayNearest *nearest, gint64 *ret_rows)
{
  const LatticeSearch *search = standings->search;
  const gsize keep = nearest->k;
  gsize first = 0;

  for (gsize i = 0; i < search->subspaces.count; first += search->points[i++].count) {
    const gsize count = search->points[i].count;
    const LatticeStanding *own = standings->items[i];
    const gsize best = count > 0 ? lattice_standings_best (standings, i) : 0;
    g_autofree AssayRanked *records = g_new (AssayRanked, count * keep + 1);
    gsize n = 0;

    if (!has_candidate (standings, i))
      continue;
    for (gsize p = 0; p < count; p++)
      for (gsize r = 0; r < keep && lattice_standing_is_like (own + p, own + best); r++) {
        const gsize place = (first + p) * keep + r;

        records[n++] = (AssayRanked){ nearest->distances[place], nearest->rows[place] };
      }
    take_nearest (records, n, keep, ret_rows + i * keep);
  }
}

gint64 *
lattice_link (const LatticeStandings *standings, const AssayObservation *seen, gsize keep,
              GError **error)
{
  const gsize n = standings->search->subspaces.count;
  g_autoptr (AssayMatrix) points = lattice_directions (standings->search, error);
  g_autofree gint64 *rows
      = points != NULL ? assay_alloc (n, keep * sizeof (gint64), "candidates", error) : NULL;

  if (rows == NULL)
    return NULL;
  if (points->rows > 0) {
    g_autoptr (AssayNearest) nearest = assay_scan_subspaces (
        &(AssaySubspaces){
            .count = points->rows, .cols = points->cols, .translation = points->data },
        seen->public_rows, ASSAY_SCALE_UNIT, keep, error);

    if (nearest == NULL)
      return NULL;
    rank_by_points (standings, nearest, rows);
  }
  return rank_by_subspace (standings, seen, keep, rows, error) ? g_steal_pointer (&rows) : NULL;
}
