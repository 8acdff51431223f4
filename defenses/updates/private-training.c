/* Training by DP-SGD. */
#include "defenses/updates/private-training.h"

#include <math.h>
#include <string.h>

#include "core/base/free.h"
#include "core/base/interrupt.h"
#include "core/base/progress/loop.h"
#include "defenses/updates/sampled-sums.h"

enum { ITEM_ROWS, ITEM_NOISE };

static SampledSums
sums_of (const PrivateTraining *settings)
{
  return (SampledSums){ settings->epsilon, settings->delta, settings->rate,
                        (gsize) settings->rounds };
}

/* ---- Rounds ---- */

typedef struct {
  const PrivateTraining *settings;
  const PrivateModel *model;
  double deviation; /* of the noise */
  double *weights;
  double *sum; /* of clipped gradients, and its noise */
  double *velocity;
  gsize *rows; /* that take part */
  AssayStream taking_part, noise;
} Rounds;

ASSAY_LOCAL_CLEAR (Rounds, rounds_clear, g_free (self->sum), g_free (self->rows))

static gsize
draw_rows (Rounds *rounds)
{
  gsize n = 0;

  for (gsize i = 0; i < rounds->model->n_rows; i++)
    if (assay_stream_uniform (&rounds->taking_part) < rounds->settings->rate)
      rounds->rows[n++] = i;
  return n;
}

static gboolean
play_round (Rounds *rounds, GError **error)
{
  const PrivateTraining *settings = rounds->settings;
  const PrivateModel *model = rounds->model;
  const gsize count = draw_rows (rounds);

  memset (rounds->sum, 0, model->n_weights * sizeof (double));
  if (!model->add_rows (model->data, rounds->weights, rounds->rows, count, rounds->sum, error))
    return FALSE;
  for (gsize k = 0; k < model->n_weights; k++) {
    const double noise = rounds->deviation * assay_stream_normal (&rounds->noise);

    rounds->velocity[k] = settings->momentum * rounds->velocity[k]
                          + (rounds->sum[k] + noise) / (double) settings->batch;
    rounds->weights[k] -= settings->learning_rate * rounds->velocity[k];
  }
  return TRUE;
}

static gboolean
check_weights (const PrivateTraining *settings, const double *weights, gsize n, GError **error)
{
  for (gsize k = 0; k < n; k++)
    if (!isfinite ((float) weights[k]))
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "training diverged (learning_rate = %g); expected finite weights",
                         settings->learning_rate);
  return TRUE;
}

gboolean
private_training_run (const PrivateTraining *settings, const PrivateModel *model,
                      AssayStreamKey key, double *inout_weights, GError **error)
{
  const SampledSums sums = sums_of (settings);
  const gsize n = model->n_weights;
  g_auto (Rounds) rounds
      = { .settings = settings,
          .model = model,
          .deviation = settings->noise ? sampled_sums_noise (&sums) * settings->clip : 0,
          .weights = inout_weights,
          .taking_part = assay_stream (key, ITEM_ROWS),
          .noise = assay_stream (key, ITEM_NOISE) };
  g_auto (AssayLoop) loop = { "round", .turns = sums.rounds };

  rounds.sum = assay_alloc (2 * n, sizeof (double), "weights", error);
  rounds.rows = assay_alloc (MAX (model->n_rows, 1), sizeof (gsize), "rows of a round", error);
  if (rounds.sum == NULL || rounds.rows == NULL)
    return FALSE;
  rounds.velocity = rounds.sum + n;
  memset (rounds.velocity, 0, n * sizeof (double));
  for (gsize round = 0; round < sums.rounds; round++) {
    assay_loop_at (&loop, round);
    if (!assay_interrupt_goes_on (error) || !play_round (&rounds, error))
      return FALSE;
  }
  return check_weights (settings, inout_weights, n, error);
}

gboolean
private_training_check_labels (const AssayDefenseContext *context, gsize n, GError **error)
{
  if (context->labels == NULL || context->n_classes < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with labels of two classes or more to train on");
  for (gsize i = 0; i < n; i++)
    if (context->labels[i] < 0 || (gsize) context->labels[i] >= context->n_classes)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "secret %zu has the label %" G_GINT64_FORMAT "; expected 0 to %zu", i,
                         context->labels[i], context->n_classes - 1);
  return TRUE;
}

/* ---- The mechanism ---- */

static AssayBudget
budget (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const PrivateTraining *settings = data;

  return (AssayBudget){ settings->epsilon, settings->delta };
}

static gboolean
is_claimed (gconstpointer data)
{
  return ((const PrivateTraining *) data)->noise;
}

SAMPLED_SUMS_RUNS (PrivateTraining, sums_of)

const AssayMechanism private_training_mechanism = {
  .neighbours = "one labelled row more or less",
  .is_claimed = is_claimed,
  .budget = budget,
  .has_own_inputs = TRUE,
  .size = size,
  .n_proposed = 1,
  .pair = sampled_sums_pair,
  .run = run,
  .log_ratio = log_ratio,
};
