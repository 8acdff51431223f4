/* What was the secret? The attacker runs the defense on rows of their own (grant `mechanism`), or
 * knows pairs of a folder, and learns to undo it, whatever it is (game reconstruct).
 *
 * Release: of any kind; an item is seen as the numbers of its kind, which do not change where the
 * release only looks different (core/data/kinds/item-numbers.h).
 * Knowledge: pairs, that is rows beside what was released of them: with the key of the release
 * under attack, or each release with one of its own, and then nothing is learned that rests on the
 * key.
 * Guess: E [row | item] by the learner that does best on held-out rows of the attacker's own
 * (core/learn/learner.h); where it is no better there than the best constant, that constant, and
 * the guess says so. Items of several secrets give estimates in no order; what was released of all
 * secrets together gives one estimate, of their mean, for each of them.
 * Fewer pairs than numbers of an item: ridge factors a matrix of pairs x pairs, and interpolates.
 * Source: the reconstruction attack of Balle, Cherubin and Hayes 2022, "Reconstructing Training
 * Data with Informed Adversaries", section 4, with a release in place of a model. */
#include "attacks/adaptive/own-examples.h"

typedef struct {
  guint learner;
} LearnedInversion;

/* The one estimate that there is, for each secret. */
static AssayMatrix *
repeat (const AssayMatrix *estimate, gsize n, GError **error)
{
  AssayMatrix *estimates = assay_matrix_new (n, estimate->cols, error);

  for (gsize i = 0; estimates != NULL && i < n; i++)
    for (gsize j = 0; j < estimate->cols; j++)
      assay_matrix_row (estimates, i)[j] = estimate->data[j];
  return estimates;
}

/* Of all secrets together the release does not say how many there are: as many as in the first of
 * the attacker's own. */
static gsize
count_secrets (const AssayObservation *seen)
{
  return seen->shadow != NULL ? assay_shadow_secrets (seen->shadow)
                              : assay_own_rows (assay_pairs_get (seen->pairs, 0)).rows;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const LearnedInversion *settings = context->settings;
  const AssayItems items = assay_kind (seen->release->kind)->items;
  g_auto (OwnExamples) examples = { 0 };
  g_autoptr (AssayLearner) learner = NULL;
  g_autoptr (AssayMatrix) inputs = NULL;
  AssayMatrix *estimates;

  if (!own_examples_new (seen->pairs, &examples, error))
    return FALSE;
  learner = own_examples_learn (&examples, settings->learner, context->stream, error);
  inputs = learner != NULL ? own_examples_see (&examples, seen->release, error) : NULL;
  if (inputs == NULL)
    return FALSE;
  estimates = assay_learner_predict (learner, assay_matrix_view (inputs), error);
  if (estimates != NULL && items == ASSAY_ITEM_OF_ALL_SECRETS) {
    AssayMatrix *one = estimates;

    estimates = repeat (one, count_secrets (seen), error);
    assay_matrix_free (one);
  }
  if (estimates == NULL)
    return FALSE;
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  ret_guess->is_unordered = items == ASSAY_ITEMS_OF_SEVERAL_SECRETS;
  ret_guess->says = assay_learner_describe (learner);
  return TRUE;
}

ASSAY_CONTROL (make_control, own_control_make, OwnControl, void, .n_secrets = 16, .n_pairs = 400,
               .cols = 8)

ASSAY_MEMORY (memory, void, own_examples_memory (shape, shape->cols))

ASSAY_ATTACK (learned_inversion, "learned-inversion",
  .summary = "Run the defense on other rows, and learn to invert it",
  .reference = { "Balle, Cherubin and Hayes 2022, Reconstructing Training Data with Informed "
                 "Adversaries",
                 "section 4; here with a release in place of a model" },
  ASSAY_SETTINGS (LearnedInversion,
    ASSAY_PARAM_CHOICE (LearnedInversion, learner, ASSAY_LEARNER_BEST, assay_learner_names,
                        "The learner; best: the one that does best on held-out rows of the "
                        "attacker's own",
                        ASSAY_PARAM_TRIES_ALL)),
  .memory = memory,
  .reads = ASSAY_RELEASE_ANY,
  .needs = ASSAY_GRANT_MECHANISM,
  .adapts = TRUE,
  .wants_pairs = TRUE,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "given 400 pairs, rows that were turned by an unknown rotation are turned "
                       "back",
               .make = make_control,
               .at_least = 0.9,
               .within = 0.5 });
