/* Cases of the game link that look like a cell: what was released is of known public rows.
 *
 *   vectors, planes, mixtures of one   of public rows, with a little noise
 *   statistics of a row's columns      a public row with a little noise, of a hundred or more
 *   codes with a hash function         the codes of public rows that no other public row has
 *   vector sets                        an entry of the dictionary and those next to it, whose mean,
 *                                      with a little noise, stands in place of a public row
 *   with pairs/                        vectors as they are, in pairs/ too; of other kinds, and of
 *                                      vectors with other columns than rows, what the defense made
 *                                      of the program's own rows, which stand among the public
 *                                      rows, a little changed, unless they are public rows
 * Codes without a function and without pairs/ have nothing to do with rows that anybody could know:
 * of these none is made. */
#include "attacks/external/likeness-cases.h"

#include <string.h>

#include "core/base/vectors.h"

enum { LEAST_PUBLIC = 100 }; /* for a single item, whose row is guessed with chance 1 in so many */

/* The public rows that the items are of; @chosen are those. */
static void
take_partners (Likeness *making, const gsize *chosen)
{
  gint64 *partners = g_new (gint64, making->n);

  for (gsize i = 0; i < making->n; i++)
    partners[i] = (gint64) chosen[i];
  likeness_take_numbers (making, "partners", making->n, partners);
}

/* ---- Rows as they are ---- */

static gboolean
link_rows (Likeness *making, GError **error)
{
  const AssayRelease *real = making->seen->release;
  const AssayRows *rows = making->seen->public_rows;
  g_autofree gsize *chosen = likeness_choose (assay_rows_count (rows), making->n, &making->stream);
  AssayMatrix *items = likeness_gather (rows, chosen, making->n, assay_release_scale (real), error);
  const char *name = real->kind == ASSAY_RELEASE_STATISTICS ? "statistics" : "vectors";

  if (items == NULL)
    return FALSE;
  take_partners (making, chosen);
  if (real->kind == ASSAY_RELEASE_SUBSPACES) {
    making->ret_case->release
        = likeness_planes (real, assay_matrix_view (items), &making->stream, error);
    assay_matrix_free (items);
    return making->ret_case->release != NULL;
  }
  likeness_change (items, &making->stream);
  if (real->kind == ASSAY_RELEASE_MIXTURES)
    return likeness_take_images (making, items);
  making->ret_case->release = likeness_release (real);
  assay_arrays_take (&making->ret_case->release->arrays, name, assay_array_take_matrix (items));
  return making->seen->pairs == NULL || likeness_pairs_as_they_are (making, error);
}

/* ---- Codes ---- */

/* Rows whose code no other row has; returns how many. */
static gsize
list_unique (const AssayArray *codes, gsize *ret_rows)
{
  const gsize n = codes->shape[0], bytes = codes->shape[1];
  g_autoptr (GHashTable) counts
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  gsize n_unique = 0;

  for (gsize i = 0; i < n; i++) {
    GBytes *code = g_bytes_new_static (codes->data + i * bytes, bytes);
    const gsize count = GPOINTER_TO_SIZE (g_hash_table_lookup (counts, code));

    g_hash_table_replace (counts, code, GSIZE_TO_POINTER (count + 1));
  }
  for (gsize i = 0; i < n; i++) {
    g_autoptr (GBytes) code = g_bytes_new_static (codes->data + i * bytes, bytes);

    if (GPOINTER_TO_SIZE (g_hash_table_lookup (counts, code)) == 1)
      ret_rows[n_unique++] = i;
  }
  return n_unique;
}

static gboolean
link_codes (Likeness *making, GError **error)
{
  const AssayRelease *real = making->seen->release;
  g_autoptr (AssayMatrix) rows
      = assay_rows_matrix (making->seen->public_rows, assay_release_scale (real), error);
  g_autoptr (AssayRelease) all
      = rows != NULL ? likeness_codes (real, assay_matrix_view (rows), error) : NULL;
  const AssayArray *codes = all != NULL ? assay_arrays_get (&all->arrays, "codes") : NULL;
  g_autofree gsize *unique = codes != NULL ? g_new (gsize, codes->shape[0]) : NULL;
  const gsize n_unique = codes != NULL ? list_unique (codes, unique) : 0;
  g_autofree gsize *chosen = NULL;

  if (codes == NULL || n_unique == 0)
    return codes != NULL;
  chosen = likeness_choose (n_unique, making->n, &making->stream);
  for (gsize i = 0; i < making->n; i++)
    chosen[i] = unique[chosen[i]];
  take_partners (making, chosen);
  making->ret_case->release = likeness_of_items (real, all, chosen, making->n, error);
  return making->ret_case->release != NULL;
}

/* ---- Vector sets ---- */

/* The @w entries nearest to entry @of, itself among them, in random order. */
static void
fill_set (AssayView dictionary, gsize of, gsize w, AssayStream *stream, gint64 *ret_set)
{
  g_autofree AssayRanked *all = g_new (AssayRanked, dictionary.rows);
  g_autofree gsize *order = likeness_choose (w, w, stream);

  for (gsize k = 0; k < dictionary.rows; k++) {
    all[k] = (AssayRanked){ .place = k };
    for (gsize j = 0; j < dictionary.cols; j++) {
      const double off
          = (double) assay_view_row (dictionary, k)[j] - assay_view_row (dictionary, of)[j];

      all[k].value += k == of ? 0 : off * off;
    }
  }
  assay_rank (all, dictionary.rows);
  for (gsize m = 0; m < w; m++)
    ret_set[m] = (gint64) all[order[m]].place;
}

/* The mean of each of @n sets of @w entries. */
static AssayMatrix *
means_of (AssayView dictionary, const gint64 *sets, gsize n, gsize w, GError **error)
{
  AssayMatrix *means = assay_matrix_new (n, dictionary.cols, error);

  for (gsize i = 0; means != NULL && i < n * w; i++)
    for (gsize j = 0; j < dictionary.cols; j++)
      assay_matrix_row (means, i / w)[j]
          += assay_view_row (dictionary, (gsize) sets[i])[j] / (float) w;
  return means;
}

/* The public rows with @rows, changed a little, at @places. */
static gboolean
plant_public (Likeness *making, AssayMatrix *rows, const gsize *places, GError **error)
{
  AssayMatrix *all = rows != NULL
                         ? assay_rows_matrix (making->seen->public_rows, ASSAY_SCALE_NONE, error)
                         : NULL;

  if (all == NULL)
    return FALSE;
  likeness_change (rows, &making->stream);
  for (gsize i = 0; i < rows->rows; i++)
    memcpy (assay_matrix_row (all, places[i]), assay_matrix_row (rows, i),
            all->cols * sizeof (float));
  making->ret_case->public_rows = assay_rows_take_matrix (all);
  return TRUE;
}

static gboolean
link_sets (Likeness *making, GError **error)
{
  const AssayRelease *real = making->seen->release;
  const AssayView dictionary = assay_array_view (assay_arrays_get (&real->arrays, "dictionary"));
  const gsize w = assay_arrays_get (&real->arrays, "sets")->shape[1], n = making->n;
  const gsize n_public = assay_rows_count (making->seen->public_rows);
  const gsize n_sets = MIN (MIN (n, dictionary.rows), n_public);
  g_autofree gsize *entries = likeness_choose (dictionary.rows, n_sets, &making->stream);
  g_autofree gsize *places = likeness_choose (n_public, n_sets, &making->stream);
  g_autofree gsize *chosen = g_new (gsize, n);
  g_autofree gint64 *sets = g_new (gint64, n_sets * w);
  g_autoptr (AssayMatrix) means = NULL;
  gint64 *released;

  for (gsize i = 0; i < n_sets; i++)
    fill_set (dictionary, entries[i], w, &making->stream, sets + i * w);
  means = means_of (dictionary, sets, n_sets, w, error);
  if (!plant_public (making, means, places, error))
    return FALSE;
  released = g_new (gint64, n * w);
  for (gsize i = 0; i < n; i++) {
    chosen[i] = places[i % n_sets];
    memcpy (released + i * w, sets + i % n_sets * w, w * sizeof *sets);
  }
  take_partners (making, chosen);
  making->ret_case->release = likeness_release (real);
  assay_arrays_take (&making->ret_case->release->arrays, "sets",
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ n, w }, released));
  return TRUE;
}

/* ---- What the defense made of rows of the program's own ---- */

static gboolean
link_pairs (Likeness *making, GError **error)
{
  const AssayOwnRelease *own = assay_pairs_get (making->seen->pairs, 0);
  const AssayView rows = assay_own_rows (own);
  const gsize n_public = assay_rows_count (making->seen->public_rows);
  const gsize n_rows = MIN (MIN (rows.rows, n_public), making->n);
  g_autofree gsize *chosen = likeness_choose (rows.rows, n_rows, &making->stream);
  g_autofree gsize *places = likeness_choose (n_public, n_rows, &making->stream);
  g_autofree gsize *items = g_new (gsize, making->n);
  g_autofree gsize *partners = g_new (gsize, making->n);
  g_autoptr (AssayRows) all_own = assay_rows_borrow (rows);

  for (gsize i = 0; i < making->n; i++) {
    items[i] = chosen[i % n_rows];
    partners[i] = own->numbers != NULL ? own->numbers[items[i]] : places[i % n_rows];
  }
  if (own->numbers == NULL) {
    g_autoptr (AssayMatrix) planted
        = likeness_gather (all_own, chosen, n_rows, ASSAY_SCALE_NONE, error);

    if (!plant_public (making, planted, places, error))
      return FALSE;
  }
  take_partners (making, partners);
  making->ret_case->release
      = likeness_of_items (making->seen->release, own->release, items, making->n, error);
  return making->ret_case->release != NULL;
}

gboolean
likeness_link (Likeness *making, GError **error)
{
  const AssayObservation *seen = making->seen;
  const AssayRelease *real = seen->release;
  const gsize cols = seen->public_rows != NULL ? assay_rows_cols (seen->public_rows) : 0;
  const gboolean is_of_rows = cols > 0 && assay_release_cols (real) == cols;
  const gboolean is_of_own = cols > 0 && seen->pairs != NULL
                             && assay_own_rows (assay_pairs_get (seen->pairs, 0)).cols == cols;

  switch (real->kind) {
  case ASSAY_RELEASE_MIXTURES:
    return !is_of_rows || link_rows (making, error);
  case ASSAY_RELEASE_VECTORS:
    if (is_of_rows)
      return link_rows (making, error);
    return !is_of_own || link_pairs (making, error);
  case ASSAY_RELEASE_STATISTICS:
    return !is_of_rows || seen->pairs != NULL || assay_rows_count (seen->public_rows) < LEAST_PUBLIC
           || link_rows (making, error);
  case ASSAY_RELEASE_SUBSPACES:
    if (is_of_own)
      return link_pairs (making, error);
    return !is_of_rows || link_rows (making, error);
  case ASSAY_RELEASE_CODES:
    if (is_of_own)
      return link_pairs (making, error);
    return assay_arrays_get (&real->arrays, "projection") == NULL || !is_of_rows
           || link_codes (making, error);
  case ASSAY_RELEASE_VECTOR_SETS:
    if (is_of_own)
      return link_pairs (making, error);
    return !is_of_rows || link_sets (making, error);
  default:
    return TRUE;
  }
}
