/* A sum of sparse updates shows values as they were sent: what a single user holds is not hidden by
 * being added up. The attack claims every weight of w_sum that is not 0 to be one user's, whose it
 * is it does not know; it is right as often as a weight of the union has one holder.
 *
 * With `names` it guesses whose, at random: what anybody can do who knows how many users there are,
 * and what a party of the protocol has to do better than (theorem 8).
 *
 * Claims are of the sums, or, without the grant `aggregator`, of the models, which everyone sees.
 * Ours; Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", say that the sum "remains ambiguous" (section 2.5). */
#include "attacks/updates/weights/weight-claims.h"
#include "attacks/updates/weights/weight-control.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"

typedef struct {
  bool names;
} SingleHolder;

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const AssayRelease *release = seen->release;
  const gsize steps = assay_updates_steps (release);
  const gsize weights = assay_arrays_get (&release->arrays, "models")->shape[1];
  g_autofree double *sum = assay_alloc (weights, sizeof *sum, "a sum", error);
  const gboolean names = ((const SingleHolder *) context->settings)->names;
  const gint64 *users = ASSAY_PARAMETER (release, AssayUpdatesParameters, users);
  AssayStream stream = assay_stream (context->stream, 0);
  g_auto (WeightClaims) claims = { 0 };

  if (names && users == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "names = yes: it is not known how many users there are");
  if (sum == NULL)
    return FALSE;
  weight_claims_init (&claims);
  for (gsize t = 0; t < steps; t++) {
    if (!assay_updates_sum (release, t, sum, error))
      return FALSE;
    for (gsize i = 0; i < weights; i++)
      if (sum[i] != 0)
        weight_claims_add (
            &claims,
            &(WeightClaim){ t, names ? (gint64) assay_stream_below (&stream, (guint64) *users) : -1,
                            i, sum[i] });
  }
  weight_claims_take (&claims, ret_guess);
  return TRUE;
}

/* Supports so thin that most of what is held is held by one; with names, of one user. */
ASSAY_CONTROL (make_control, weight_control_make, WeightControl, SingleHolder,
               .users = settings->names ? 1 : 4, .steps = 3, .weights = 200, .held = 0.05)

WEIGHT_ATTACK (single_holder, "single-holder",
  .summary = "Read values that a single user holds from the sum of sparse updates",
  .reference = { ASSAY_PAPER_DPHE, "section 2.5; the attack is ours" },
  ASSAY_SETTINGS (SingleHolder,
    ASSAY_PARAM_BOOL (SingleHolder, names, FALSE, "Name a user for each value, drawn at random",
                      ASSAY_PARAM_EXTRA)),
  .needs = ASSAY_GRANT_NONE,
  .writes = weight_claims_arrays,
  .control = { .says = "values that one of four users holds are read from their sum",
               .make = make_control,
               .at_least = 0.6 });
