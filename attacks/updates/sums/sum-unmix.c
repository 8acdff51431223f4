/* The sum of updates gives its samples away: w_sum is what secure aggregation lets everybody know,
 * and N times the next model. Where fewer samples went into a step than there are classes, each
 * with one sample a user, their sum G = A X has few decompositions that training could have made
 * (attacks/updates/sums/sum-space.h), and the samples are read off it, though not whose they are.
 *
 * A step of as many samples as classes, or more, tells nothing here; nor does a sparse sum.
 *
 * Ours; the single update is in Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual
 * Learning Using Doubly Permuted Homomorphic Encryption", section A.2.1. */
#include "attacks/updates/samples/update-control.h"
#include "attacks/updates/samples/update-guess.h"
#include "attacks/updates/sums/sum-space.h"
#include "core/base/each.h"
#include "core/plugin/plugin.h"

static GPtrArray *
unmix (const SumSpace *space, AssayStream *stream)
{
  return space->training->loss == ASSAY_LOSS_HINGE ? sum_hinge (space, stream)
                                                   : sum_logistic (space, stream);
}

/* The samples of one step; how many there were to find in @inout_rank. */
static gboolean
attack_step (const AssayLinearTraining *training, const AssayRelease *release, gsize step,
             AssayStreamKey key, UpdateGuess *found, GError **error)
{
  const AssayView models = assay_array_view (assay_arrays_get (&release->arrays, "models"));
  const gint64 *users = ASSAY_PARAMETER (release, AssayUpdatesParameters, users);
  const gint64 *batch = ASSAY_PARAMETER (release, AssayUpdatesParameters, batch);
  const double factor = batch != NULL && *batch > 0 ? (double) *batch : 1;
  AssayStream stream = assay_stream (key, step);
  g_auto (UpdateGradient) gradient = { 0 };
  g_auto (SumSpace) space = { 0 };
  g_autoptr (GPtrArray) samples = NULL;
  g_autofree double *sum = assay_alloc (models.cols, sizeof *sum, "a sum", error);
  g_autofree double *values = g_new (double, assay_linear_width (training));

  if (sum == NULL || !update_gradient_init (training, &gradient, error)
      || !assay_updates_sum (release, step, sum, error))
    return FALSE;
  update_gradient_read (training, assay_view_row (models, step), sum, (gsize) *users, &gradient);
  if (!sum_space_init (training, assay_view_row (models, step), &gradient, &space, error))
    return FALSE;
  samples = unmix (&space, &stream);
  ASSAY_FOR_EACH (const SumSample, sample, samples) {
    for (gsize j = 0; j < space.width; j++) {
      values[j] = 0;
      for (gsize r = 0; r < space.rank; r++)
        values[j] += factor * sample->u[r] * space.vt[r * space.width + j];
    }
    update_guess_add (
        found,
        &(UpdateFound){ .values = values, .step = step, .user = -1, .label = sample->label });
  }
  return TRUE;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const AssayRelease *release = seen->release;
  const gsize steps = assay_updates_steps (release);
  AssayLinearTraining training;
  g_auto (UpdateGuess) found = { 0 };

  if (!update_training_of (release, &training, error))
    return FALSE;
  if (ASSAY_PARAMETER (release, AssayUpdatesParameters, users) == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "of how many users a sum is, the release does not say");
  update_guess_init (&found, training.cols);
  for (gsize t = 0; t < steps; t++)
    if (!attack_step (&training, release, t, context->stream, &found, error))
      return assay_prefix (error, "step %zu: ", t);
  ret_guess->says
      = g_strdup_printf ("%u samples in the sums of %zu steps", found.steps->len, steps);
  update_guess_take (&found, release, ret_guess);
  return TRUE;
}

/* ---- The control ---- */

/* Steps of two users, of either loss: sums that have to be taken apart. */
ASSAY_CONTROL (make_control, update_control_make, UpdateControl, void,
               .training = { .classes = 9, .cols = 24, .rate = 1e-2 }, .has_any_loss = TRUE,
               .users = 2, .steps = 12)

ASSAY_MEMORY (memory, void,
              shape->n_outputs * 8 * sizeof (double)
                  + shape->n_members * shape->cols * (sizeof (float) + 1) * 2)

ASSAY_ATTACK (sum_unmix, "sum-unmix",
  .summary = "Recover samples from the sum of what a few users made of the public model",
  .reference = { ASSAY_PAPER_DPHE, "section A.2.1; the attack on the sum is ours" },
  .memory = memory,
  .reads = ASSAY_RELEASE_UPDATES,
  .reads_gradients = TRUE,
  .needs = ASSAY_GRANT_NONE,
  .writes = update_guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "samples of two users are recovered from the sums of their updates",
               .make = make_control,
               .at_least = 0.5,
               .within = 1e-2 });
