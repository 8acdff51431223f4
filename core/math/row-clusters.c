/* Tight clusters of rows across the units that they are said to come from. */
#include "core/math/row-clusters.h"

#include <math.h>

#include "core/base/vectors.h"
#include "core/math/row-spread.h"

#define GAP 1.5
#define HARDLY_MORE 1.25
#define TIGHT 0.5     /* of the usual distance, at most */
#define MIN_PAIRS 200 /* fewer show no gap */

/* The largest distance above which there is a gap between the pairs; 0: there is none. */
static double
find_gap (const AssaySpread *spread, double most)
{
  const double *d = spread->nearest;
  gsize beyond = 0;
  double gap = 0;

  for (gsize i = 0; i < spread->n_pairs && d[i] <= most; i++) {
    while (beyond < spread->n_pairs && d[beyond] <= GAP * d[i])
      beyond++;
    if (i + 1 >= MIN_PAIRS && (double) beyond <= HARDLY_MORE * (double) (i + 1))
      gap = d[i];
  }
  return gap;
}

/* 1 - w / b, of the mean squares of distances up to @gap, and beyond. */
static double
correlate (const AssaySpread *spread, double gap)
{
  double within = 0, between = 0;
  gsize n = 0;

  for (gsize i = 0; i < spread->n_pairs; i++) {
    const double square = spread->nearest[i] * spread->nearest[i];

    if (spread->nearest[i] <= gap) {
      within += square;
      n++;
    } else {
      between += square;
    }
  }
  if (n == spread->n_pairs)
    return 1;
  return MAX (0, 1 - within / (double) n / (between / (double) (spread->n_pairs - n)));
}

/* Every row goes to the first leader within @radius, or leads itself. FALSE: more than @most do. */
static gboolean
follow_leaders (AssayView rows, double radius, gsize most, gsize *ret_leaders)
{
  const float square = (float) (radius * radius);
  g_autofree gsize *leaders = g_new (gsize, most);
  gsize n = 0;

  for (gsize i = 0; i < rows.rows; i++) {
    gsize l = 0;

    while (l < n
           && assay_lanes_squared_distance_float (assay_view_row (rows, i),
                                                  assay_view_row (rows, leaders[l]), rows.cols)
                  > square)
      l++;
    if (l == n && n == most)
      return FALSE;
    if (l == n)
      leaders[n++] = i;
    ret_leaders[i] = leaders[l];
  }
  return TRUE;
}

/* Clusters whose rows are of one unit say nothing against it: its rows keep together. Returns how
 * many rows are in others. */
static gsize
name_parts (AssayClusters *clusters, const gsize *leaders, const gsize *units, gsize n)
{
  g_autofree gboolean *crosses = g_new0 (gboolean, n);
  g_autoptr (GHashTable) firsts = g_hash_table_new (NULL, NULL); /* of units */
  gsize n_crossing = 0;

  for (gsize i = 0; i < n; i++)
    crosses[leaders[i]] |= units[i] != units[leaders[i]];
  for (gsize i = 0; i < n; i++) {
    gpointer first = NULL;

    clusters->first[i] = leaders[i];
    clusters->n_clusters += leaders[i] == i && crosses[i];
    n_crossing += crosses[leaders[i]];
    if (crosses[leaders[i]])
      continue;
    if (g_hash_table_lookup_extended (firsts, GSIZE_TO_POINTER (units[i]), NULL, &first)) {
      clusters->first[i] = GPOINTER_TO_SIZE (first);
    } else {
      clusters->first[i] = i;
      g_hash_table_insert (firsts, GSIZE_TO_POINTER (units[i]), GSIZE_TO_POINTER (i));
    }
  }
  return n_crossing;
}

static double
count_effective (const AssayClusters *clusters, gsize n)
{
  g_autofree double *sizes = g_new0 (double, n);
  double squares = 0;

  for (gsize i = 0; i < n; i++)
    sizes[clusters->first[i]]++;
  for (gsize i = 0; i < n; i++)
    squares += sizes[i] * sizes[i];
  return (double) n / (1 + (squares / (double) n - 1) * clusters->correlation);
}

AssayClusters *
assay_clusters_find (AssayView rows, const gsize *units, double usual, AssayStreamKey key)
{
  g_autoptr (AssaySpread) spread = assay_spread_new (rows, units, key);
  const double gap = spread != NULL ? find_gap (spread, TIGHT * usual) : 0;
  g_autoptr (AssayClusters) clusters = NULL;
  g_autofree gsize *leaders = NULL;
  double share;

  if (!(gap > 0))
    return NULL;
  share = assay_spread_share (spread, gap);
  leaders = g_new (gsize, rows.rows);
  /* k clusters have a share of 1 / k of the pairs within them, or more. */
  if (!follow_leaders (rows, (1 + GAP) / 2 * gap,
                       (gsize) MIN ((double) rows.rows / 2, ceil (4 / share)) + 1, leaders))
    return NULL;
  clusters = g_new0 (AssayClusters, 1);
  clusters->first = g_new (gsize, rows.rows);
  clusters->correlation = correlate (spread, gap);
  if (2 * name_parts (clusters, leaders, units, rows.rows) < rows.rows)
    return NULL;
  clusters->n_effective = count_effective (clusters, rows.rows);
  return g_steal_pointer (&clusters);
}

ASSAY_FREE_FUNC (AssayClusters, assay_clusters_free, g_free (self->first))
