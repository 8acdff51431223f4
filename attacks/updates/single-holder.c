/* A sum of sparse updates shows values as they were sent: what a single user holds is not hidden by
 * being added up. The attack claims every weight of w_sum that is not 0 to be one user's, whose it
 * is it does not know; it is right as often as a weight of the union has one holder.
 *
 * Claims are of the sums, or, without the grant `aggregator`, of the models, which everyone sees.
 * Ours; Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", say that the sum "remains ambiguous" (section 2.5). */
#include "attacks/updates/weight-claims.h"
#include "attacks/updates/weight-control.h"
#include "core/base/error.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"

static gboolean
attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
        AssayGuess *ret_guess, GError **error)
{
  const AssayRelease *release = seen->release;
  const gsize steps = assay_updates_steps (release);
  const gsize weights = assay_arrays_get (&release->arrays, "models")->shape[1];
  g_autofree double *sum = assay_alloc (weights, sizeof *sum, "a sum", error);
  g_auto (WeightClaims) claims = { 0 };

  if (sum == NULL)
    return FALSE;
  weight_claims_init (&claims);
  for (gsize t = 0; t < steps; t++) {
    if (!assay_updates_sum (release, t, sum, error))
      return FALSE;
    for (gsize i = 0; i < weights; i++)
      if (sum[i] != 0)
        weight_claims_add (&claims, &(WeightClaim){ t, -1, i, sum[i] });
  }
  weight_claims_take (&claims, ret_guess);
  return TRUE;
}

/* Supports so thin that most of what is held is held by one. */
WEIGHT_CONTROL (make_control, .users = 4, .steps = 3, .weights = 200, .held = 0.05)

ASSAY_ATTACK (single_holder, "single-holder",
  .summary = "Read values that a single user holds off the sum of sparse updates",
  .reference = { "Yonetani, Boddeti, Kitani and Sato 2017, Privacy-Preserving Visual Learning "
                 "Using Doubly Permuted Homomorphic Encryption",
                 "section 2.5; the attack is ours" },
  .reads = ASSAY_RELEASE_UPDATES,
  .needs = ASSAY_GRANT_NONE,
  .writes = weight_claims_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "values that one of four users holds are read off their sum",
               .make = make_control,
               .at_least = 0.6 });
