/* The game member. */
#include "core/games/guesses/member.h"

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
