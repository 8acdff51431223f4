/* The games member and cross: guesses that score records, or pairs of items. */
#include "core/games/guesses/scored.h"

#include "core/games/guesses/score-roc.h"

gboolean
assay_member_check (const AssayObservation *seen, const AssayGuess *guess, GError **error)
{
  const AssayArray *scores = assay_arrays_get (&guess->arrays, "member-scores");
  const gsize n = seen->records != NULL ? assay_rows_count (seen->records) : 0;

  return (scores != NULL && n > 0 && scores->shape[0] == n)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "expected member-scores of %zu records, found %zu", n,
                        scores != NULL ? scores->shape[0] : 0);
}

gboolean
assay_member_judge (const AssayTruth *truth, const AssayGuess *guess,
                    AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayArray *members = assay_arrays_get (&truth->arrays, "members");
  const AssayView scores = assay_array_view (assay_arrays_get (&guess->arrays, "member-scores"));
  const gsize n = members->shape[0];
  AssayRoc roc = { .scores = scores.data, .stride = 1, .n = n };
  g_autofree guint8 *is_positive = g_new (guint8, n);

  for (gsize i = 0; i < n; i++)
    is_positive[i] = assay_array_int64 (members)[i] != 0;
  roc.is_positive = is_positive;
  ret_outcome->n = n;
  return assay_roc_area (&roc, &ret_outcome->share, NULL, error);
}

gboolean
assay_cross_check (const AssayObservation *seen, const AssayGuess *guess, GError **error)
{
  const AssayArray *scores = assay_arrays_get (&guess->arrays, "cross-scores");
  const gsize n = assay_release_count (seen->release);
  const gsize m = seen->crossed != NULL ? assay_release_count (seen->crossed) : 0;

  return (scores != NULL && m > 0 && scores->shape[0] == n && scores->shape[1] == m)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "expected cross-scores of %zu x %zu items, found %zu x %zu", n, m,
                        scores != NULL ? scores->shape[0] : 0,
                        scores != NULL ? scores->shape[1] : 0);
}

gboolean
assay_cross_judge (const AssayTruth *truth, const AssayGuess *guess,
                   AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayArray *mates = assay_arrays_get (&truth->arrays, "mates");
  const AssayView scores = assay_array_view (assay_arrays_get (&guess->arrays, "cross-scores"));
  const gsize n = scores.rows, m = scores.cols;
  g_autofree guint8 *is_mate = assay_alloc (n, m, "pairs of items", error);
  const AssayRoc roc = { scores.data, 1, is_mate, n * m };

  if (is_mate == NULL)
    return FALSE;
  for (gsize j = 0; j < m; j++)
    is_mate[(gsize) assay_array_int64 (mates)[j] * m + j] = 1;
  ret_outcome->n = m;
  return assay_roc_area (&roc, &ret_outcome->share, NULL, error);
}
