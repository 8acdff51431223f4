/* Share of adversarial descriptors that the attack found by row number: whether the first half of
 * the database attack works (LDP-FEAT, section 4.1, step 2). A secret's share, averaged; and how
 * many secrets had all of theirs found. */
#include "core/plugin/plugin.h"

static double
share_found (const gint64 *drawn, gsize n_drawn, const gint64 *found, gsize n_found)
{
  gsize hits = 0;

  for (gsize i = 0; i < n_drawn; i++)
    for (gsize j = 0; j < n_found; j++)
      if (drawn[i] == found[j]) {
        hits++;
        break;
      }
  return (double) hits / (double) n_drawn;
}

static gboolean
measure (G_GNUC_UNUSED const AssayMetricContext *context, const AssayTruth *truth,
         const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayArray *drawn = assay_arrays_get (&truth->arrays, "adversarial");
  const AssayArray *found = assay_arrays_get (&guess->arrays, "adversarial");
  const gsize n = drawn->shape[0];

  if (found->shape[0] != n)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "adversarial rows for %zu secrets, expected %zu", found->shape[0], n);
  if (!assay_outcomes_alloc (ret_outcomes, 2, n, error))
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const double share = share_found (assay_array_int64 (drawn) + i * drawn->shape[1],
                                      drawn->shape[1],
                                      assay_array_int64 (found) + i * found->shape[1],
                                      found->shape[1]);

    ret_outcomes->series[0][i] = share;
    ret_outcomes->series[1][i] = share == 1;
  }
  return TRUE;
}

static const char *const both_arrays[] = { "adversarial", NULL };

ASSAY_METRIC (adversarial_found, "adversarial-found",
  .summary = "Share of the adversarial descriptors that the attack found exactly",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 4.1, step 2" },
  .reads_truth = both_arrays,
  .reads_guess = both_arrays,
  ASSAY_MEASURES (2,
    ASSAY_MEASURE (0, "adversarial-found", MEAN, 0, 1, "share of adversarial descriptors",
                   "Share of a secret's adversarial descriptors that the attack named, averaged "
                   "over secrets",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (1, "adversarial-all-found", RATE, 0, 1, "share of secrets",
                   "Secrets for which every adversarial descriptor was named",
                   ASSAY_HIGHER_IS_WORSE)),
  .measure = measure);
