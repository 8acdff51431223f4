/* Pairs of mixtures and their scores. */
#include "attacks/mixtures/pair-guess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vectors.h"

gsize
pair_guess_size (gsize n, gint64 pairs)
{
  gsize m = (gsize) (0.5 + sqrt (0.25 + 2 * (double) pairs));

  while (m * (m - 1) / 2 > (gsize) pairs)
    m--;
  return MIN (n, m);
}

static gsize *
choose_items (AssayStreamKey key, gsize n, gsize m, GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  gsize *order = assay_alloc (n, sizeof (gsize), "order of mixtures", error);

  if (order == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    order[i] = i;
  if (m < n) {
    assay_stream_permutation (&stream, n, order);
    qsort (order, m, sizeof *order, assay_compare_sizes);
  }
  return order;
}

gboolean
pair_guess_choose (const AssayRelease *release, gint64 pairs, AssayStreamKey key, gsize **ret_items,
                   AssayMatrix **ret_rows, GError **error)
{
  const AssayView images = assay_array_view (assay_arrays_get (&release->arrays, "images"));
  const gsize m = pair_guess_size (images.rows, pairs);
  g_autofree gsize *items = NULL;
  AssayMatrix *rows;

  if (m < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "a release of %zu mixture has no pair; expected 2 or more", images.rows);
  items = choose_items (key, images.rows, m, error);
  rows = items != NULL ? assay_matrix_new (m, images.cols, error) : NULL;
  if (rows == NULL)
    return FALSE;
  for (gsize i = 0; i < m; i++)
    memcpy (assay_matrix_row (rows, i), assay_view_row (images, items[i]),
            images.cols * sizeof (float));
  *ret_items = g_steal_pointer (&items);
  *ret_rows = rows;
  return TRUE;
}

gboolean
pair_guess_take (AssayGuess *ret_guess, const gsize *items, gsize m, float *scores, GError **error)
{
  const gsize p = m * (m - 1) / 2;
  gint64 *pairs = assay_alloc (p, 2 * sizeof (gint64), "pairs", error), *next = pairs;

  if (pairs == NULL) {
    g_free (scores);
    return FALSE;
  }
  for (gsize i = 0; i < m; i++)
    for (gsize j = i + 1; j < m; j++) {
      *next++ = (gint64) items[i];
      *next++ = (gint64) items[j];
    }
  assay_arrays_take_rows (&ret_guess->arrays, "pairs", ASSAY_INT64, p, 2, pairs);
  assay_arrays_take (&ret_guess->arrays, "scores", assay_array_take (ASSAY_FLOAT32, 1, &p, scores));
  return TRUE;
}
