/* Scores of pairs: placements of the positives among the negatives. */
#include "core/games/pair-scores.h"

#include "core/base/error.h"
#include "core/games/guesses/score-roc.h"

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

gboolean
assay_pair_placements (const AssayPairScores *pairs, double rate, double *ret_placements,
                       float *ret_threshold, GError **error)
{
  g_autofree guint8 *is_positive = assay_alloc (pairs->n, 1, "pairs", error);
  const AssayRoc roc = { pairs->scores, 1, is_positive, pairs->n };
  gsize n_positive = 0;

  g_return_val_if_fail (rate >= 0 && rate < 1, FALSE);
  if (is_positive == NULL)
    return FALSE;
  for (gsize i = 0; i < pairs->n; i++) {
    is_positive[i] = pairs->shared[i] >= 0;
    n_positive += is_positive[i];
  }
  if (n_positive == 0 || n_positive == pairs->n)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s of the %zu pairs that were scored shares a secret; expected some that "
                       "do and some that do not",
                       n_positive == 0 ? "none" : "each", pairs->n);
  assay_roc_placements (&roc, rate, ret_placements, ret_threshold);
  return TRUE;
}
