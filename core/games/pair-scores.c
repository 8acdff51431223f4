/* Scores of pairs: placements of the positives among the negatives. */
#include "core/games/pair-scores.h"

#include <stdlib.h>

#include "core/base/error.h"

gint64
assay_pair_shared (const AssayArray *sources, gint64 a, gint64 b)
{
  const gsize s = sources->shape[1];
  const gint64 *of_a = assay_array_int64 (sources) + (gsize) a * s;
  const gint64 *of_b = assay_array_int64 (sources) + (gsize) b * s;
  gint64 shared = -1;

  for (gsize i = 0; i < s; i++)
    for (gsize j = 0; j < s; j++)
      if (of_a[i] == of_b[j] && (shared < 0 || of_a[i] < shared))
        shared = of_a[i];
  return shared;
}

static int
compare_floats (const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

/* How many of the ascending @sorted are below @value, or not above it. */
static gsize
count_below (const float *sorted, gsize n, float value, gboolean with_equal)
{
  gsize low = 0, high = n;

  while (low < high) {
    const gsize middle = low + (high - low) / 2;

    if (sorted[middle] < value || (with_equal && sorted[middle] <= value))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

gboolean
assay_pair_placements (const AssayPairScores *pairs, double rate, double *ret_placements,
                       float *ret_threshold, GError **error)
{
  const float *scores = pairs->scores;
  const gint64 *shared = pairs->shared;
  const gsize n = pairs->n;
  g_autofree float *negatives = assay_alloc (n, sizeof (float), "scores of pairs", error);
  gsize n_negative = 0;

  g_return_val_if_fail (rate >= 0 && rate < 1, FALSE);
  if (negatives == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (shared[i] < 0)
      negatives[n_negative++] = scores[i];
  if (n_negative == 0 || n_negative == n)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s of the %zu pairs that were scored shares a secret; expected some that "
                       "do and some that do not",
                       n_negative == 0 ? "each" : "none", n);
  qsort (negatives, n_negative, sizeof *negatives, compare_floats);
  for (gsize i = 0; i < n; i++)
    if (shared[i] >= 0)
      ret_placements[i] = 0.5
                          * ((double) count_below (negatives, n_negative, scores[i], FALSE)
                             + (double) count_below (negatives, n_negative, scores[i], TRUE))
                          / (double) n_negative;
  if (ret_threshold != NULL)
    *ret_threshold = negatives[n_negative - 1 - (gsize) (rate * (double) n_negative)];
  return TRUE;
}
