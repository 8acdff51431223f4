/* Priors over the entries of a dictionary, out of public rows. */
#include "attacks/sets/vector-sets.h"

#include <math.h>
#include <string.h>

#include "core/search/knn.h"
#include "core/search/scan.h"

#define PANEL 4096 /* public rows that are quantised together */

const char *const vector_sets_priors[] = { "nearest", "mass", "both", NULL };

VectorSets
vector_sets_of (const AssayRelease *release)
{
  const AssayArray *sets = assay_arrays_get (&release->arrays, "sets");
  const AssayArray *dictionary = assay_arrays_get (&release->arrays, "dictionary");

  return (VectorSets){ .n = sets->shape[0],
                       .w = sets->shape[1],
                       .members = assay_array_int64 (sets),
                       .dictionary = dictionary,
                       .entries = assay_array_view (dictionary),
                       .scale = assay_release_scale (release) };
}

/* Distance of each of @entries from the public row nearest to it. Those that repeat are looked up
 * once. */
static float *
public_distances (const VectorSets *sets, const AssayRows *public_rows, const gint64 *entries,
                  gsize count, GError **error)
{
  const gsize d = sets->entries.cols;
  g_autofree guint32 *places = NULL; /* of each entry among those in use, plus 1 */
  g_autoptr (AssayMatrix) used = NULL;
  g_autoptr (AssayNearest) nearest = NULL;
  AssaySubspaces points = { .cols = d };
  float *distances;

  places = assay_alloc (sets->entries.rows, sizeof (guint32), "entries in use", error);
  if (places == NULL)
    return NULL;
  used = assay_matrix_new (MIN (count, sets->entries.rows), d, error);
  if (used == NULL)
    return NULL;
  for (gsize i = 0; i < count; i++) {
    const gsize entry = (gsize) entries[i];

    if (places[entry] > 0)
      continue;
    memcpy (assay_matrix_row (used, points.count), assay_view_row (sets->entries, entry),
            d * sizeof (float));
    places[entry] = (guint32) ++points.count;
  }
  points.translation = used->data;
  nearest = assay_scan_subspaces (&points, public_rows, sets->scale, 1, error);
  distances = nearest != NULL ? assay_alloc (count, sizeof (float), "distances", error) : NULL;
  for (gsize i = 0; distances != NULL && i < count; i++)
    distances[i] = nearest->distances[places[entries[i]] - 1];
  return distances;
}

/* Of @count rows of the panel, those that can be quantised move to its front. Returns how many. */
static gsize
keep_usable (float *panel, gsize count, gsize cols, AssayScale scale)
{
  gsize kept = 0;

  for (gsize i = 0; i < count; i++) {
    gboolean is_finite = TRUE, is_zero = TRUE;

    for (gsize j = 0; j < cols; j++) {
      is_finite &= isfinite (panel[i * cols + j]) != 0;
      is_zero &= panel[i * cols + j] == 0;
    }
    if (is_finite && !(is_zero && scale == ASSAY_SCALE_UNIT))
      memmove (panel + cols * kept++, panel + i * cols, cols * sizeof (float));
  }
  return kept;
}

static gboolean
count_masses (const VectorSets *sets, const AssayRows *public_rows, gint64 *masses, GError **error)
{
  const gsize d = sets->entries.cols, n = assay_rows_count (public_rows);
  g_autoptr (AssayMatrix) panel = assay_matrix_new (MIN (PANEL, n), d, error);

  if (panel == NULL)
    return FALSE;
  for (gsize first = 0; first < n; first += PANEL) {
    const gsize count = MIN (PANEL, n - first);
    g_autoptr (AssayNearest) nearest = NULL;
    gsize kept;

    assay_rows_read (public_rows, first, count, sets->scale, panel->data);
    kept = keep_usable (panel->data, count, d, sets->scale);
    if (kept == 0)
      continue;
    nearest = assay_knn_search (sets->entries, assay_view_rows (assay_matrix_view (panel), 0, kept),
                                1, error);
    if (nearest == NULL)
      return FALSE;
    for (gsize i = 0; i < kept; i++)
      masses[nearest->rows[i]]++;
  }
  return TRUE;
}

AssayArray *
vector_sets_masses (const VectorSets *sets, const AssayRows *public_rows, GError **error)
{
  const gsize k = sets->entries.rows, d = sets->entries.cols;
  g_autofree char *sha256 = NULL;
  g_autofree char *key = NULL;
  g_autofree gint64 *masses = NULL;
  AssayArray *kept;

  if (assay_rows_cols (public_rows) != d)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "the public set has %zu columns, but the dictionary has %zu",
                            assay_rows_cols (public_rows), d);
  /* By content: an equal dictionary that stands elsewhere has the same masses. */
  sha256 = g_compute_checksum_for_data (G_CHECKSUM_SHA256, sets->dictionary->data,
                                        k * d * sizeof (float));
  key = g_strdup_printf ("masses %d %zu %s", (int) sets->scale, k, sha256);
  kept = assay_rows_kept (public_rows, key);
  if (kept != NULL)
    return kept;
  masses = assay_alloc (k, sizeof (gint64), "masses", error);
  if (masses == NULL || !count_masses (sets, public_rows, masses, error))
    return NULL;
  kept = assay_array_take (ASSAY_INT64, 1, &k, g_steal_pointer (&masses));
  return assay_rows_keep (public_rows, key, kept);
}

gboolean
vector_sets_score (const VectorSets *sets, const AssayRows *public_rows, const gint64 *entries,
                   gsize count, VectorSetsScores *inout_scores, GError **error)
{
  g_autoptr (AssayArray) masses = NULL;

  inout_scores->distances = public_distances (sets, public_rows, entries, count, error);
  if (inout_scores->distances == NULL)
    return FALSE;
  if (inout_scores->prior == VECTOR_SETS_NEAREST)
    return TRUE;
  masses = vector_sets_masses (sets, public_rows, error);
  inout_scores->masses
      = masses != NULL ? assay_alloc (count, sizeof (gint64), "masses", error) : NULL;
  for (gsize i = 0; inout_scores->masses != NULL && i < count; i++)
    inout_scores->masses[i] = assay_array_int64 (masses)[entries[i]];
  return inout_scores->masses != NULL;
}

void
vector_sets_scores_clear (VectorSetsScores *scores)
{
  g_clear_pointer (&scores->distances, g_free);
  g_clear_pointer (&scores->masses, g_free);
}

/* Whether the prior ranks place @a above place @b. */
static gboolean
is_likelier (const VectorSetsScores *scores, gsize a, gsize b)
{
  const double distance_a = scores->distances[a], distance_b = scores->distances[b];

  if (scores->prior == VECTOR_SETS_BOTH)
    return ((double) scores->masses[a] + 1) * pow (distance_b, 4)
           > ((double) scores->masses[b] + 1) * pow (distance_a, 4);
  if (scores->prior == VECTOR_SETS_MASS && scores->masses[a] != scores->masses[b])
    return scores->masses[a] > scores->masses[b];
  return distance_a < distance_b;
}

gsize
vector_sets_likeliest (const VectorSetsScores *scores, gsize first, gsize count)
{
  gsize best = first;

  for (gsize i = first + 1; i < first + count; i++)
    if (is_likelier (scores, i, best))
      best = i;
  return best - first;
}
