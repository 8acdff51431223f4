/* Rows of an attacker's own beside what was released of them. */
#include "core/plugin/pairs.h"

#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/base/each.h"
#include "core/base/error.h"
#include "core/data/kinds/item-numbers.h"

#define MAX_RELEASES 1000000

AssayOwnRelease *
assay_own_release_new (AssayRelease *release, AssayTruth *truth, gsize *numbers)
{
  AssayOwnRelease *own = g_new0 (AssayOwnRelease, 1);

  own->release = release;
  own->numbers = numbers;
  assay_arrays_init (&own->known);
  assay_arrays_copy (&own->known, &truth->arrays);
  assay_truth_free (truth);
  return own;
}

ASSAY_FREE_FUNC (AssayOwnRelease, assay_own_release_free, assay_release_free (self->release),
                 assay_arrays_clear (&self->known), g_free (self->numbers))

AssayPairs *
assay_pairs_new (gboolean has_key)
{
  AssayPairs *pairs = g_new (AssayPairs, 1);

  *pairs = (AssayPairs){
    .releases = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_own_release_free),
    .has_key = has_key,
  };
  return pairs;
}

ASSAY_FREE_FUNC (AssayPairs, assay_pairs_free, g_ptr_array_unref (self->releases))

gsize
assay_pairs_count (const AssayPairs *pairs)
{
  gsize count = 0;

  for (guint i = 0; i < pairs->releases->len; i++)
    count += assay_own_rows (assay_pairs_get (pairs, i)).rows;
  return count;
}

gsize
assay_pairs_bytes (const AssayPairs *pairs)
{
  gsize bytes = 0;

  ASSAY_FOR_EACH (const AssayOwnRelease, own, pairs->releases) {
    bytes += assay_arrays_bytes (&own->release->arrays) + assay_arrays_bytes (&own->known);
  }
  return bytes;
}

gboolean
assay_pairs_gather (const AssayPairs *pairs, AssayRows **ret_rows, AssayRows **ret_released,
                    GError **error)
{
  const AssayOwnRelease *first = assay_pairs_get (pairs, 0);
  const gsize n = assay_pairs_count (pairs);
  g_autoptr (AssayMatrix) rows = assay_matrix_new (n, assay_own_rows (first).cols, error);
  g_autoptr (AssayMatrix) released
      = rows != NULL ? assay_matrix_new (n, assay_release_cols (first->release), error) : NULL;
  gsize done = 0;

  if (released == NULL)
    return FALSE;
  ASSAY_FOR_EACH (const AssayOwnRelease, own, pairs->releases) {
    const AssayView view = assay_own_rows (own);
    const float *points = assay_release_subspaces (own->release).translation;

    memcpy (assay_matrix_row (rows, done), view.data, view.rows * view.cols * sizeof (float));
    memcpy (assay_matrix_row (released, done), points,
            view.rows * released->cols * sizeof (float));
    done += view.rows;
  }
  *ret_rows = assay_rows_take_matrix (g_steal_pointer (&rows));
  *ret_released = assay_rows_take_matrix (g_steal_pointer (&released));
  return TRUE;
}

/* ---- Folders ---- */

static AssayOwnRelease *
read_one (const char *folder, GError **error)
{
  g_autofree char *release_path = g_build_filename (folder, "release", NULL);
  g_autofree char *truth_path = g_build_filename (folder, "truth", NULL);
  g_autoptr (AssayRelease) release = assay_release_read (release_path, error);
  g_autoptr (AssayTruth) truth = release != NULL ? assay_truth_read (truth_path, error) : NULL;
  gsize n;

  if (truth == NULL)
    return NULL;
  n = assay_arrays_get (&truth->arrays, "secrets")->shape[0];
  if (assay_kind (release->kind)->items == ASSAY_ITEM_OF_EACH_SECRET
      && assay_release_count (release) != n)
    return assay_fail_null (
        error, ASSAY_ERROR_MISMATCH,
        "%s: the release has %zu items, and the truth %zu secrets; expected a secret for "
        "each item, in its order",
        folder, assay_release_count (release), n);
  return assay_own_release_new (g_steal_pointer (&release), g_steal_pointer (&truth), NULL);
}

static gboolean
read_several (const char *folder, AssayPairs *pairs, GError **error)
{
  for (guint i = 0; i < MAX_RELEASES; i++) {
    g_autofree char *name = g_strdup_printf ("%u", i);
    g_autofree char *path = g_build_filename (folder, name, NULL);
    AssayOwnRelease *own;

    if (!g_file_test (path, G_FILE_TEST_IS_DIR))
      break;
    own = read_one (path, error);
    if (own == NULL)
      return FALSE;
    g_ptr_array_add (pairs->releases, own);
  }
  return pairs->releases->len > 0
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s: expected the folders release and truth in it, as `assay protect` "
                        "writes them, or folders 0, 1, ... with these",
                        folder);
}

AssayPairs *
assay_pairs_read (const char *folder, GError **error)
{
  g_autofree char *release = g_build_filename (folder, "release", NULL);
  g_autoptr (AssayPairs) pairs = assay_pairs_new (TRUE);
  AssayOwnRelease *own;

  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: there is no such folder", folder);
  if (!g_file_test (release, G_FILE_TEST_IS_DIR))
    return read_several (folder, pairs, error) ? g_steal_pointer (&pairs) : NULL;
  own = read_one (folder, error);
  if (own == NULL)
    return NULL;
  g_ptr_array_add (pairs->releases, own);
  return g_steal_pointer (&pairs);
}

static gboolean
write_one (const AssayOwnRelease *own, const char *folder, GError **error)
{
  g_autofree char *release = g_build_filename (folder, "release", NULL);
  g_autofree char *place = g_build_filename (folder, "truth", NULL);
  g_autoptr (AssayTruth) truth = assay_truth_new ();

  assay_arrays_copy (&truth->arrays, &own->known);
  truth->geometry = own->release->geometry;
  if (g_mkdir_with_parents (folder, 0777) != 0)
    return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot create the folder: %s", folder,
                       g_strerror (errno));
  return assay_release_write (own->release, release, error)
         && assay_truth_write (truth, place, error);
}

gboolean
assay_pairs_write (const AssayPairs *pairs, const char *folder, GError **error)
{
  for (guint i = 0; i < pairs->releases->len; i++) {
    g_autofree char *name = g_strdup_printf ("%u", i);
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (!write_one (assay_pairs_get (pairs, i), path, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- Checks ---- */

static gboolean
check_one (const AssayOwnRelease *own, const AssayRelease *release, gsize cols, GError **error)
{
  const gsize numbers = assay_item_numbers_count (own->release, 0);
  const gsize expected = assay_item_numbers_count (release, 0);
  const gsize width = assay_own_rows (own).cols;

  if (own->release->kind != release->kind)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "holds %s, but the release under attack %s",
                       assay_release_kind_name (own->release->kind),
                       assay_release_kind_name (release->kind));
  if (numbers != expected)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "an item has %zu numbers, but one of the release under attack %zu", numbers,
                       expected);
  if (own->release->is_unit_norm != release->is_unit_norm)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "rows were %s to length 1, but those of the release under attack %s",
                       own->release->is_unit_norm ? "scaled" : "not scaled",
                       release->is_unit_norm ? "were" : "were not");
  return width == cols
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "rows have %zu columns, but those of the first release of pairs %zu", width,
                        cols);
}

/* A row for every item says nothing of how items differ. */
static gboolean
check_varied (const AssayPairs *pairs, GError **error)
{
  const AssayView first = assay_own_rows (assay_pairs_get (pairs, 0));

  for (guint i = 0; i < pairs->releases->len; i++) {
    const AssayView rows = assay_own_rows (assay_pairs_get (pairs, i));

    for (gsize r = 0; r < rows.rows; r++)
      if (memcmp (assay_view_row (rows, r), first.data, first.cols * sizeof (float)) != 0)
        return TRUE;
  }
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "pairs: all %zu rows are equal; expected two different ones at least",
                     assay_pairs_count (pairs));
}

gboolean
assay_pairs_check (const AssayPairs *pairs, const AssayRelease *release, GError **error)
{
  gsize cols;

  if (pairs->releases->len == 0 || assay_own_rows (assay_pairs_get (pairs, 0)).rows == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "pairs: there are no rows; expected some");
  cols = assay_own_rows (assay_pairs_get (pairs, 0)).cols;
  for (guint i = 0; i < pairs->releases->len; i++)
    if (!check_one (assay_pairs_get (pairs, i), release, cols, error))
      return assay_prefix (error, "pairs: release %u: ", i);
  return check_varied (pairs, error);
}
