/* Priors over the entries of a dictionary, out of public rows. */
#include "attacks/sets/vector-sets.h"

#include <math.h>
#include <string.h>

#include "core/search/knn.h"
#include "core/search/scan.h"

#define PANEL 4096   /* public rows that are quantised together */
#define NEAREST 1e-3 /* distances below are one: a copy of an entry is not infinitely likely */

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

/* Of @count rows of the panel, those that can be quantised move to its front, and their numbers
 * into @ret_places. Returns how many. */
static gsize
keep_usable (float *panel, gsize count, gsize cols, AssayScale scale, gsize *ret_places)
{
  gsize kept = 0;

  for (gsize i = 0; i < count; i++) {
    gboolean is_finite = TRUE, is_zero = TRUE;

    for (gsize j = 0; j < cols; j++) {
      is_finite &= isfinite (panel[i * cols + j]) != 0;
      is_zero &= panel[i * cols + j] == 0;
    }
    if (!is_finite || (is_zero && scale == ASSAY_SCALE_UNIT))
      continue;
    memmove (panel + cols * kept, panel + i * cols, cols * sizeof (float));
    ret_places[kept++] = i;
  }
  return kept;
}

static gboolean
quantise (const VectorSets *sets, const AssayRows *public_rows, gint64 *ret_words, GError **error)
{
  const gsize d = sets->entries.cols, n = assay_rows_count (public_rows);
  g_autoptr (AssayMatrix) panel = assay_matrix_new (MIN (PANEL, n), d, error);
  gsize places[PANEL];

  if (panel == NULL)
    return FALSE;
  for (gsize first = 0; first < n; first += PANEL) {
    const gsize count = MIN (PANEL, n - first);
    g_autoptr (AssayNearest) nearest = NULL;
    gsize kept;

    assay_rows_read (public_rows, first, count, sets->scale, panel->data);
    kept = keep_usable (panel->data, count, d, sets->scale, places);
    for (gsize i = 0; i < count; i++)
      ret_words[first + i] = -1;
    if (kept == 0)
      continue;
    nearest = assay_knn_search (sets->entries, assay_view_rows (assay_matrix_view (panel), 0, kept),
                                1, error);
    if (nearest == NULL)
      return FALSE;
    for (gsize i = 0; i < kept; i++)
      ret_words[first + places[i]] = (gint64) nearest->rows[i];
  }
  return TRUE;
}

/* By content: an equal dictionary that stands elsewhere makes the same of rows. */
static char *
name_kept (const VectorSets *sets, const char *what)
{
  const gsize k = sets->entries.rows, d = sets->entries.cols;
  g_autofree char *sha256 = g_compute_checksum_for_data (G_CHECKSUM_SHA256, sets->dictionary->data,
                                                         k * d * sizeof (float));

  return g_strdup_printf ("%s %d %zu %s", what, (int) sets->scale, k, sha256);
}

AssayArray *
vector_sets_words (const VectorSets *sets, const AssayRows *public_rows, GError **error)
{
  const gsize d = sets->entries.cols, n = assay_rows_count (public_rows);
  g_autofree char *key = NULL;
  g_autofree gint64 *words = NULL;
  AssayArray *kept;

  if (assay_rows_cols (public_rows) != d)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "the public set has %zu columns, but the dictionary has %zu",
                            assay_rows_cols (public_rows), d);
  key = name_kept (sets, "words");
  kept = assay_rows_kept (public_rows, key);
  if (kept != NULL)
    return kept;
  words = assay_alloc (n, sizeof (gint64), "words", error);
  if (words == NULL || !quantise (sets, public_rows, words, error))
    return NULL;
  kept = assay_array_take (ASSAY_INT64, 1, &n, g_steal_pointer (&words));
  return assay_rows_keep (public_rows, key, kept);
}

AssayArray *
vector_sets_masses (const VectorSets *sets, const AssayRows *public_rows, GError **error)
{
  const gsize k = sets->entries.rows;
  g_autofree char *key = name_kept (sets, "masses");
  AssayArray *kept = assay_rows_kept (public_rows, key);
  g_autoptr (AssayArray) words = NULL;
  gint64 *masses;

  if (kept != NULL)
    return kept;
  words = vector_sets_words (sets, public_rows, error);
  masses = words != NULL ? assay_alloc (k, sizeof (gint64), "masses", error) : NULL;
  if (masses == NULL)
    return NULL;
  for (gsize i = 0; i < words->shape[0]; i++)
    if (assay_array_int64 (words)[i] >= 0)
      masses[assay_array_int64 (words)[i]]++;
  return assay_rows_keep (public_rows, key, assay_array_take (ASSAY_INT64, 1, &k, masses));
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

ASSAY_CLEAR_FUNC (VectorSetsScores, vector_sets_scores_clear, assay_drop (self->distances, g_free),
                  assay_drop (self->masses, g_free), assay_drop (self->lifts, g_free))

/* Whether the prior ranks place @a above place @b, photographs left out. */
static gboolean
is_likelier_alone (const VectorSetsScores *scores, gsize a, gsize b)
{
  const double distance_a = scores->distances[a], distance_b = scores->distances[b];

  if (scores->prior == VECTOR_SETS_BOTH)
    return ((double) scores->masses[a] + 1) * pow (distance_b, 4)
           > ((double) scores->masses[b] + 1) * pow (distance_a, 4);
  if (scores->prior == VECTOR_SETS_MASS && scores->masses[a] != scores->masses[b])
    return scores->masses[a] > scores->masses[b];
  return distance_a < distance_b;
}

/* What the prior makes of a place, to be multiplied by its lift. */
static double
weight_of (const VectorSetsScores *scores, gsize place)
{
  const double near = pow (MAX ((double) scores->distances[place], NEAREST), -4);

  switch (scores->prior) {
  case VECTOR_SETS_NEAREST:
    return near;
  case VECTOR_SETS_MASS:
    return (double) scores->masses[place] + 1;
  default:
    return ((double) scores->masses[place] + 1) * near;
  }
}

/* Whether place @a ranks above place @b. */
static gboolean
is_likelier (const VectorSetsScores *scores, gsize a, gsize b)
{
  double of_a, of_b;

  if (scores->lifts == NULL)
    return is_likelier_alone (scores, a, b);
  of_a = weight_of (scores, a) * scores->lifts[a];
  of_b = weight_of (scores, b) * scores->lifts[b];
  return of_a != of_b ? of_a > of_b : is_likelier_alone (scores, a, b);
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
