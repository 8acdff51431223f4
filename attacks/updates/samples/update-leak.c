/* One update gives its sample away: who reads a user's message w^(n) and knows the public model
 * that it was made of has the gradient between the two, and of one sample it is a x'
 * (attacks/updates/samples/update-sample.h). Of a batch, or a pass over many samples, the message
 * is a sum, and what is found a blend of them.
 *
 * One estimate for each message, in the order of the messages; one that tells nothing (the sample
 * met every margin) is all zeros and sure of no column. With an L1 penalty the columns of zero
 * weights are known to an interval only.
 *
 * Source: Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", section A.2.1; signs, both roots of the logistic loss and
 * sparse updates are ours. */
#include "attacks/updates/samples/update-control.h"
#include "attacks/updates/samples/update-guess.h"
#include "attacks/updates/samples/update-sample.h"
#include "core/plugin/plugin.h"

/* ---- The attack ---- */

static gboolean
attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
        AssayGuess *ret_guess, GError **error)
{
  const AssayRelease *release = seen->release;
  const AssayView models = assay_array_view (assay_arrays_get (&release->arrays, "models"));
  AssayView locals;
  AssayLinearTraining training;
  g_auto (UpdateGradient) gradient = { 0 };
  g_auto (UpdateSample) sample = { 0 };
  g_auto (UpdateGuess) found = { 0 };
  g_autofree double *after = NULL;
  gsize users, silent = 0;

  if (!update_messages_of (release, &locals, error)
      || !update_training_of (release, &training, error)
      || !update_gradient_init (&training, &gradient, error)
      || !update_sample_init (training.cols, &sample, error))
    return FALSE;
  users = locals.rows / assay_updates_steps (release);
  after = assay_alloc (models.cols, sizeof *after, "an update", error);
  if (after == NULL)
    return FALSE;
  update_guess_init (&found, training.cols);
  for (gsize l = 0; l < locals.rows; l++) {
    const float *model = assay_view_row (models, l / users);

    for (gsize i = 0; i < models.cols; i++)
      after[i] = (double) assay_view_row (locals, l)[i];
    update_gradient_read (&training, model, after, 1, &gradient);
    silent += !update_sample_solve (&training, model, &gradient, &sample);
    update_guess_add (&found, &(UpdateFound){ .values = sample.values,
                                              .is_known = sample.is_exact,
                                              .step = l / users,
                                              .user = (gint64) (l % users),
                                              .label = sample.label });
  }
  update_guess_take (&found, release, ret_guess);
  ret_guess->says = g_strdup_printf ("of %zu messages %zu tell nothing, as their samples met every "
                                     "margin",
                                     locals.rows, silent);
  return TRUE;
}

/* ---- The control ---- */

ASSAY_CONTROL (make_control, update_control_make, UpdateControl, void,
               .training = { .classes = 4, .cols = 16, .rate = 1e-2 }, .has_any_loss = TRUE,
               .users = 24, .steps = 1, .has_locals = TRUE)

ASSAY_ATTACK (update_leak, "update-leak",
  .summary = "Recover a sample from what one user made of the public model",
  .reference = { ASSAY_PAPER_DPHE, "section A.2.1" },
  .memory = update_guess_memory,
  .reads = ASSAY_RELEASE_UPDATES,
  .reads_gradients = TRUE,
  .needs = ASSAY_GRANT_MESSAGES,
  .reads_arrays = ASSAY_ARRAY_NAMES ("locals"),
  .writes = update_guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "samples are recovered from updates by one sample each",
               .make = make_control,
               .at_least = 0.9,
               .within = 1e-3 });
