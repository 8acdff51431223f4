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

AssayMatrix *
pair_guess_rows (const AssayRelease *release, const gsize *items, gsize m, GError **error)
{
  const AssayView images = assay_array_view (assay_arrays_get (&release->arrays, "images"));
  AssayMatrix *rows = assay_matrix_new (m, images.cols, error);

  for (gsize i = 0; rows != NULL && i < m; i++)
    memcpy (assay_matrix_row (rows, i), assay_view_row (images, items[i]),
            images.cols * sizeof (float));
  return rows;
}

/* Pairs i < j of the @m @items, and their @scores, which are taken over. */
static gboolean
take_pairs (AssayGuess *guess, const gsize *items, gsize m, float *scores, GError **error)
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
  assay_arrays_take_rows (&guess->arrays, "pairs", ASSAY_INT64, p, 2, pairs);
  assay_arrays_take (&guess->arrays, "scores", assay_array_take (ASSAY_FLOAT32, 1, &p, scores));
  return TRUE;
}

gboolean
pair_guess_make (const AssayRelease *release, const PairScoring *scoring, AssayGuess *ret_guess,
                 GError **error)
{
  const gsize n = assay_release_count (release), m = pair_guess_size (n, scoring->pairs);
  g_autofree gsize *items = NULL;
  g_autofree float *scores = NULL;

  if (m < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "a release of %zu mixture has no pair; expected 2 or more", n);
  items = choose_items (scoring->key, n, m, error);
  scores = items != NULL ? assay_alloc (m * (m - 1) / 2, sizeof (float), "pairs", error) : NULL;
  return scores != NULL && scoring->score (scoring->data, items, m, scores, error)
         && take_pairs (ret_guess, items, m, g_steal_pointer (&scores), error);
}

/* ---- By estimates ---- */

static float
score_pair (const PairEstimates *found, gsize a, gsize b)
{
  const gint64 *of_a = found->estimates + a * found->per;
  const gint64 *of_b = found->estimates + b * found->per;
  double score = 0;

  for (gsize i = 0; i < found->per; i++)
    for (gsize j = 0; j < found->per; j++)
      if (of_a[i] >= 0 && of_a[i] == of_b[j])
        score += 1 + found->fits[of_a[i]];
  return (float) score;
}

gboolean
pair_guess_shared (gpointer estimates, const gsize *items, gsize m, float *ret_scores,
                   G_GNUC_UNUSED GError **error)
{
  for (gsize i = 0; i < m; i++)
    for (gsize j = i + 1; j < m; j++)
      *ret_scores++ = score_pair (estimates, items[i], items[j]);
  return TRUE;
}
