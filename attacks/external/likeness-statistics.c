/* Cases of statistics, which are of all secrets together, that look like a cell.
 *
 * What a row of numbers says of secrets only the defense knows. So they are
 *   with pairs/   one of the releases that stand there, and the rows that it was made of
 *   without       one secret, which the numbers are: a public row or one of the database that has
 *                 as many columns, with a little noise, or where nothing of the kind is known the
 *                 released numbers in another order
 * Whether the guess is about these secrets is asked of all of them together: is it nearer to them
 * than to sets of as many other rows (core/games/control-like.c)? Those are drawn from all rows
 * that are known, or are the numbers in other orders. A histogram without pairs/, whose numbers are
 * no columns of rows that are known, has no such case. */
#include "attacks/external/likeness-cases.h"

#include <string.h>

/* Sets of rows that the secrets are held against, in `decoys`, one below the other. */
#define DECOY_SETS 128

static AssayView
numbers_of (const AssayRelease *release)
{
  return assay_array_view (assay_arrays_get (&release->arrays, "statistics"));
}

/* Sets of @size rows of @pool each, drawn with repetition; as one matrix. */
static gboolean
take_decoys (Likeness *making, AssayView pool, gsize size, GError **error)
{
  AssayMatrix *decoys = assay_matrix_new (DECOY_SETS * size, pool.cols, error);

  for (gsize i = 0; decoys != NULL && i < decoys->rows; i++)
    memcpy (assay_matrix_row (decoys, i),
            assay_view_row (pool, (gsize) assay_stream_below (&making->stream, pool.rows)),
            pool.cols * sizeof (float));
  if (decoys != NULL)
    assay_arrays_take (&making->ret_case->truth->arrays, "decoys",
                       assay_array_take_matrix (decoys));
  return decoys != NULL;
}

/* All rows of the program's own, one below the other. */
static AssayMatrix *
all_own_rows (const AssayPairs *pairs, GError **error)
{
  const gsize cols = assay_own_rows (assay_pairs_get (pairs, 0)).cols;
  AssayMatrix *all;
  gsize n = 0, at = 0;

  for (guint i = 0; i < pairs->releases->len; i++)
    n += assay_own_rows (assay_pairs_get (pairs, i)).rows;
  all = assay_matrix_new (n, cols, error);
  for (guint i = 0; all != NULL && i < pairs->releases->len; i++) {
    const AssayView rows = assay_own_rows (assay_pairs_get (pairs, i));

    for (gsize r = 0; r < rows.rows; r++)
      memcpy (assay_matrix_row (all, at++), assay_view_row (rows, r), cols * sizeof (float));
  }
  return all;
}

static gboolean
make_from_own (Likeness *making, GError **error)
{
  const AssayPairs *pairs = making->seen->pairs;
  const guint which = (guint) assay_stream_below (&making->stream, pairs->releases->len);
  const AssayOwnRelease *own = assay_pairs_get (pairs, which);
  g_autoptr (AssayMatrix) pool = all_own_rows (pairs, error);
  const gsize first[] = { 0 };

  if (pool == NULL
      || !likeness_take_secrets (making, assay_matrix_copy (assay_own_rows (own), error))
      || !take_decoys (making, assay_matrix_view (pool), assay_own_rows (own).rows, error))
    return FALSE;
  making->ret_case->release
      = likeness_of_items (making->seen->release, own->release, first, 1, error);
  return making->ret_case->release != NULL;
}

/* A secret that the numbers are, with a little noise. */
static gboolean
take_numbers (Likeness *making, AssayMatrix *numbers, GError **error)
{
  AssayMatrix *changed = assay_matrix_copy (assay_matrix_view (numbers), error);

  if (!likeness_take_secrets (making, numbers) || changed == NULL) {
    assay_matrix_free (changed);
    return FALSE;
  }
  likeness_change (changed, &making->stream);
  making->ret_case->release = likeness_release (making->seen->release);
  assay_arrays_take (&making->ret_case->release->arrays, "statistics",
                     assay_array_take_matrix (changed));
  return TRUE;
}

static gboolean
make_from_known (Likeness *making, const AssayRows *known, GError **error)
{
  const gsize n = assay_rows_count (known);
  const gsize chosen = (gsize) assay_stream_below (&making->stream, n);
  g_autoptr (AssayMatrix) pool = assay_rows_matrix (known, ASSAY_SCALE_NONE, error);
  AssayMatrix *row
      = pool != NULL ? likeness_gather (known, &chosen, 1, ASSAY_SCALE_NONE, error) : NULL;

  if (row == NULL)
    return FALSE;
  memcpy (assay_matrix_row (pool, chosen), assay_matrix_row (pool, n - 1),
          pool->cols * sizeof (float));
  return take_numbers (making, row, error)
         && take_decoys (making, assay_view_rows (assay_matrix_view (pool), 0, n - 1), 1, error);
}

static void
shuffle (AssayView numbers, AssayStream *stream, float *ret_row)
{
  g_autofree gsize *order = likeness_choose (numbers.cols, numbers.cols, stream);

  for (gsize j = 0; j < numbers.cols; j++)
    ret_row[j] = assay_view_row (numbers, 0)[order[j]];
}

static gboolean
make_from_numbers (Likeness *making, GError **error)
{
  const AssayView numbers = numbers_of (making->seen->release);
  g_autoptr (AssayMatrix) pool = assay_matrix_new (DECOY_SETS, numbers.cols, error);
  AssayMatrix *row = pool != NULL ? assay_matrix_new (1, numbers.cols, error) : NULL;

  if (row == NULL)
    return FALSE;
  shuffle (numbers, &making->stream, row->data);
  for (gsize i = 0; i < pool->rows; i++)
    shuffle (numbers, &making->stream, assay_matrix_row (pool, i));
  return take_numbers (making, row, error)
         && take_decoys (making, assay_matrix_view (pool), 1, error);
}

gboolean
likeness_statistics (Likeness *making, GError **error)
{
  const AssayObservation *seen = making->seen;
  const AssayRows *known = likeness_known_rows (seen, assay_release_cols (seen->release));

  if (seen->pairs != NULL)
    return make_from_own (making, error);
  if (known != NULL && assay_rows_count (known) > 1)
    return make_from_known (making, known, error);
  return seen->public_rows != NULL || seen->database != NULL || make_from_numbers (making, error);
}
