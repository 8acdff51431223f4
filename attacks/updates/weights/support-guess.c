/* Which weights an update has, guessed from the sum alone: the larger |w_sum| the more likely
 * each user has a part in it. The paper says of the mean that its "indices are not useful" to
 * reveal those of any user, that is an area of 0.5 under the ROC curve.
 *
 * One score for all users of a step. Ours; the statement is in Yonetani, Boddeti, Kitani and Sato
 * 2017, "Privacy-Preserving Visual Learning Using Doubly Permuted Homomorphic Encryption",
 * section 2.5. */
#include <math.h>

#include "attacks/updates/weights/weight-claims.h"
#include "attacks/updates/weights/weight-control.h"
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
  g_autofree float *scores = assay_alloc (steps, weights * sizeof *scores, "scores", error);

  if (sum == NULL || scores == NULL)
    return FALSE;
  for (gsize t = 0; t < steps; t++) {
    if (!assay_updates_sum (release, t, sum, error))
      return FALSE;
    for (gsize i = 0; i < weights; i++)
      scores[t * weights + i] = (float) fabs (sum[i]);
  }
  assay_arrays_take_rows (&ret_guess->arrays, "support-scores", ASSAY_FLOAT32, steps, weights,
                          g_steal_pointer (&scores));
  return TRUE;
}

WEIGHT_CONTROL (make_control, .users = 4, .steps = 3, .weights = 200, .held = 0.1)

WEIGHT_ATTACK (support_guess, "support-guess",
  .summary = "Guess which weights users hold by how large the sum of their updates is",
  .reference = { ASSAY_PAPER_DPHE, "section 2.5; the attack is ours" },
  .needs = ASSAY_GRANT_NONE,
  .writes = weight_support_arrays,
  .control = { .says = "weights that one of four users holds are told from those that none holds",
               .make = make_control,
               .at_least = 0.75 });
