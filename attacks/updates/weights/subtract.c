/* What is left of a sum when one user takes its own update away: of two users the other's update,
 * exactly, and of three a sum of two, of which a user sees most weights as another sent them.
 *
 * The user is the first one, whose own updates are the array `own` (grant `user`). Claims are as in
 * single-holder, of sum less own; of two users they name the other. A weight that is left is 0 up
 * to the rounding of float32.
 *
 * Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", section 2.5 asks for three users for this reason. */
#include <float.h>
#include <math.h>

#include "attacks/updates/weights/weight-claims.h"
#include "attacks/updates/weights/weight-control.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"

#define ROUNDING 8 /* so many times the float32 epsilon of the largest term is 0 */

static gboolean
attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
        AssayGuess *ret_guess, GError **error)
{
  const AssayRelease *release = seen->release;
  const AssayArray *own = assay_arrays_get (&release->arrays, "own");
  const gint64 *users = ASSAY_PARAMETER (release, AssayUpdatesParameters, users);
  const gsize steps = assay_updates_steps (release);
  const gsize weights = assay_arrays_get (&release->arrays, "models")->shape[1];
  g_autofree double *sum = assay_alloc (weights, sizeof *sum, "a sum", error);
  g_auto (WeightClaims) claims = { 0 };

  if (own == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release has no updates of a user's own: expected 'own'");
  if (sum == NULL)
    return FALSE;
  weight_claims_init (&claims);
  for (gsize t = 0; t < steps; t++) {
    if (!assay_updates_sum (release, t, sum, error))
      return FALSE;
    for (gsize i = 0; i < weights; i++) {
      const double mine = (double) assay_view_row (assay_array_view (own), t)[i];
      const double left = sum[i] - mine;

      if (fabs (left) > ROUNDING * (double) FLT_EPSILON * MAX (fabs (sum[i]), fabs (mine)))
        weight_claims_add (&claims,
                           &(WeightClaim){ t, users != NULL && *users == 2 ? 1 : -1, i, left });
    }
  }
  weight_claims_take (&claims, ret_guess);
  return TRUE;
}

WEIGHT_CONTROL (make_control, .users = 2, .steps = 3, .weights = 200, .held = 0.4, .has_own = TRUE)

WEIGHT_ATTACK (subtract, "subtract",
  .summary = "Subtract one user's own update from the sum, and read the others' from the rest",
  .reference = { ASSAY_PAPER_DPHE, "section 2.5" },
  .needs = ASSAY_GRANT_USER,
  .reads_arrays = ASSAY_ARRAY_NAMES ("own"),
  .writes = weight_claims_arrays,
  .control = { .says = "of two users, each reads the other's update",
               .make = make_control,
               .at_least = 0.95 });
