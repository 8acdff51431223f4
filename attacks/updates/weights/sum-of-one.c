/* An aggregator that does not keep to the protocol passes one user's message on as if it were the
 * sum, and is told what it says: users who decrypt it, or who have the key, cannot tell how many
 * messages were added up. Every weight of the "sum" of a step is claimed to be that of the user
 * whose turn it was (`cheats`).
 *
 * Encryption alone does not keep from that; masks that cancel out between users do, as one user's
 * message without the others' is a random number (Bonawitz et al. 2017, "Practical Secure
 * Aggregation for Privacy-Preserving Machine Learning", section 4.1). The parties of Yonetani,
 * Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly Permuted
 * Homomorphic Encryption", section 2.2, are semi-honest: this is what that is worth. */
#include "attacks/updates/weights/weight-claims.h"
#include "attacks/updates/weights/weight-control.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"

static gboolean
attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
        AssayGuess *ret_guess, GError **error)
{
  const AssayArray *sums = assay_arrays_get (&seen->release->arrays, "sums");
  const gint64 *users = ASSAY_PARAMETER (seen->release, AssayUpdatesParameters, users);
  g_auto (WeightClaims) claims = { 0 };
  AssayView rows;

  if (sums == NULL || users == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "of model updates %s",
                       sums == NULL ? "the sums are not known (grant 'aggregator')"
                                    : "it is not known of how many users a sum is");
  rows = assay_array_view (sums);
  weight_claims_init (&claims);
  for (gsize t = 0; t < rows.rows; t++)
    for (gsize i = 0; i < rows.cols; i++) {
      const double value = (double) assay_view_row (rows, t)[i];

      if (value != 0)
        weight_claims_add (&claims, &(WeightClaim){ t, (gint64) t % *users, i, value });
    }
  weight_claims_take (&claims, ret_guess);
  return TRUE;
}

/* Of a single user the sum is one user's, whatever the aggregator does. */
WEIGHT_CONTROL (make_control, .users = 1, .steps = 3, .weights = 200, .held = 0.4,
                .has_locals = TRUE)

WEIGHT_ATTACK (sum_of_one, "sum-of-one",
  .summary = "Cheat as the aggregator: take the sum of a step as one user's own update",
  .reference = { ASSAY_PAPER_DPHE, "section 2.2, against semi-honest parties; the attack is ours" },
  .needs = ASSAY_GRANT_AGGREGATOR,
  .reads_arrays = ASSAY_ARRAY_NAMES ("sums"),
  .writes = weight_claims_arrays,
  .control = { .says = "the sum of one user is its update",
               .make = make_control,
               .at_least = 0.95 });
