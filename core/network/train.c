/* Training. */
#include "core/network/train.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/progress/loop.h"
#include "core/base/vectorise.h"
#include "core/network/passage.h"

#define PANEL 4096 /* parameters that are changed together */

/* What all that pass through a tape work in. */
typedef struct {
  const AssayTape *tape;
  const AssayTapeExamples *examples;
  AssayPassage *passages; /* one a thread */
  guint n_passages;
  const gsize *order; /* of the batch's examples; NULL: from @first on */
  gsize first, rows;  /* of the batch */
  gsize epoch;
  double *losses;      /* a shard */
  float *gradients;    /* shards x parameters; NULL: forward alone */
  float *outputs;      /* NULL: none */
  const float *slopes; /* of the batch, in place of targets; NULL: examples have them */
  float *inputs;       /* derivatives; NULL: none */
  AssayArena arena;
} Run;

static void
run_clear (Run *run)
{
  for (guint i = 0; i < run->n_passages; i++)
    assay_passage_clear (&run->passages[i]);
  g_free (run->passages);
  assay_arena_clear (&run->arena);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

/* For batches of @batch rows at most. */
static gboolean
run_init (Run *run, const AssayTape *tape, gsize batch, gboolean has_gradients, GError **error)
{
  const gsize shards = assay_pieces (batch, tape->images);
  const guint threads = assay_parallel_threads ();

  const guint64 bytes = has_gradients ? assay_tape_training_bytes (tape, batch, threads)
                                      : threads * assay_tape_passage_bytes (tape);

  if (!assay_tape_check_memory (tape, bytes, error))
    return FALSE;
  run->tape = tape;
  run->n_passages = threads;
  run->passages = g_new0 (AssayPassage, threads);
  for (guint i = 0; i < threads; i++)
    if (!assay_passage_init (&run->passages[i], tape, has_gradients, error))
      return FALSE;
  run->losses = assay_arena_alloc (&run->arena, shards, sizeof (double), "losses", error);
  if (has_gradients)
    run->gradients = assay_arena_alloc (&run->arena, shards, tape->n_parameters * sizeof (float),
                                        "gradients of a network", error);
  return !run->arena.has_failed;
}

static void
draw_image (const Run *run, AssayPassage *passage, gsize image, gsize row)
{
  const AssayTape *tape = run->tape;
  const AssayBlocks blocks = tape->layers[ASSAY_TAPE_INPUT].blocks;
  const gsize numbers = assay_tape_numbers (assay_tape_output (tape));
  const gsize example = run->order != NULL ? run->order[row] : run->first + row;
  const gboolean is_asked = run->outputs == NULL && run->slopes == NULL;
  float *target = passage->targets + image * numbers;

  run->examples->draw (run->examples->data, example, run->epoch, passage->input,
                       is_asked ? target : NULL);
  for (gsize i = 0; i < numbers && run->slopes != NULL; i++)
    target[i] = run->slopes[row * numbers + i];
  assay_blocks_from_planes (blocks, assay_tape_input (tape).channels, passage->input,
                            passage->values[ASSAY_TAPE_INPUT] + image * assay_blocks_size (blocks));
}

static void
keep_input_deltas (const Run *run, const AssayPassage *passage, gsize first, gsize count)
{
  const AssayTape *tape = run->tape;
  const AssayTapeShape shape = assay_tape_input (tape);
  const AssayBlocks blocks = tape->layers[ASSAY_TAPE_INPUT].blocks;

  for (gsize i = 0; i < count; i++)
    assay_blocks_to_planes (blocks, shape.channels,
                            passage->deltas[ASSAY_TAPE_INPUT] + i * assay_blocks_size (blocks),
                            run->inputs + (run->first + first + i) * assay_tape_numbers (shape));
}

static gboolean
run_shard (gsize shard, guint worker, gpointer data, GError **error)
{
  Run *run = data;
  AssayPassage *passage = &run->passages[worker];
  const AssayTape *tape = run->tape;
  const gsize n = tape->images, first = shard * n, count = MIN (n, run->rows - first);
  const gsize numbers = assay_tape_numbers (assay_tape_output (tape));
  const gsize size = assay_blocks_size (tape->layers[ASSAY_TAPE_INPUT].blocks);
  double loss = 0;

  memset (passage->values[ASSAY_TAPE_INPUT], 0, n * size * sizeof (float));
  for (gsize i = 0; i < count; i++)
    draw_image (run, passage, i, first + i);
  if (!assay_passage_forward (passage, error))
    return FALSE;
  for (gsize i = 0; i < count && run->outputs != NULL; i++)
    assay_passage_output (passage, i, run->outputs + (run->first + first + i) * numbers);
  if (run->outputs != NULL)
    return TRUE;
  for (gsize i = 0; i < count; i++)
    loss += assay_passage_compare (passage, i, passage->targets + i * numbers,
                                   run->slopes != NULL ? 1 : (double) run->rows);
  for (gsize i = count; i < n; i++)
    assay_passage_skip (passage, i);
  run->losses[shard] = loss;
  if (run->gradients != NULL
      && !assay_passage_back (passage, run->inputs != NULL,
                              run->gradients + shard * tape->n_parameters, error))
    return FALSE;
  if (run->inputs != NULL)
    keep_input_deltas (run, passage, first, count);
  return TRUE;
}

/* The loss of the batch; 0 where outputs alone are wanted. */
static gboolean
run_batch (Run *run, double *ret_loss, GError **error)
{
  const gsize shards = assay_pieces (run->rows, run->tape->images);

  if (!assay_parallel_try (shards, run_shard, run, error))
    return FALSE;
  *ret_loss = 0;
  for (gsize i = 0; i < shards && run->outputs == NULL; i++)
    *ret_loss += run->losses[i];
  return TRUE;
}

/* ---- Steps ---- */

typedef struct {
  Run run;
  AssayTape *tape;
  const AssayTapeTraining *training;
  double rate;
  guint64 steps;
  float *moments[2];
  float *decays;           /* 1 for parameters that decay, and 0 */
  float *outputs, *slopes; /* of a batch, where whole batches are compared */
} Stepping;

ASSAY_VECTORISED static void
add_gradient (gsize n, const float *gradient, float *inout_sum)
{
  for (gsize i = 0; i < n; i++)
    inout_sum[i] += gradient[i];
}

/* What a step of Adam is made of. */
typedef struct {
  float first, second; /* of the moments */
  float rate;          /* with both corrections */
  float epsilon;
  float decay;
} Adam;

ASSAY_VECTORISED static void
step_adam (const Adam *adam, gsize n, const float *gradient, const float *decays,
           float *const *inout_moments_weights)
{
  const Adam a = *adam;
  float *m = inout_moments_weights[0], *v = inout_moments_weights[1], *w = inout_moments_weights[2];

  for (gsize i = 0; i < n; i++) {
    m[i] = a.first * m[i] + (1 - a.first) * gradient[i];
    v[i] = a.second * v[i] + (1 - a.second) * gradient[i] * gradient[i];
    w[i] -= a.rate * m[i] / (__builtin_sqrtf (v[i]) + a.epsilon) + a.decay * decays[i] * w[i];
  }
}

typedef struct {
  float rate, momentum, decay;
} Sgd;

ASSAY_VECTORISED static void
step_sgd (const Sgd *sgd, gsize n, const float *gradient, const float *decays,
          float *const *inout_moments_weights)
{
  const Sgd s = *sgd;
  float *v = inout_moments_weights[0], *w = inout_moments_weights[2];

  for (gsize i = 0; i < n; i++) {
    v[i] = s.momentum * v[i] + gradient[i] + s.decay * decays[i] * w[i];
    w[i] -= s.rate * v[i];
  }
}

static void
step_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Stepping *stepping = data;
  const AssayTapeTraining *training = stepping->training;
  const gsize all = stepping->tape->n_parameters, first = index * PANEL;
  const gsize n = MIN (PANEL, all - first);
  float *gradient = stepping->run.gradients + first;
  float *const changed[] = { stepping->moments[0] + first, stepping->moments[1] + first,
                             stepping->tape->parameters + first };

  for (gsize shard = 1; shard < assay_pieces (stepping->run.rows, stepping->tape->images); shard++)
    add_gradient (n, gradient + shard * all, gradient);
  if (training->descent == ASSAY_DESCENT_SGD) {
    const Sgd sgd = { (float) stepping->rate, (float) training->momentum, (float) training->decay };

    step_sgd (&sgd, n, gradient, stepping->decays + first, changed);
  } else {
    const double first_decay = training->momentum > 0 ? training->momentum : 0.9;
    const double t = (double) stepping->steps;
    const double second = sqrt (1 - pow (0.999, t));
    const Adam adam = { (float) first_decay, 0.999F,
                        (float) (stepping->rate * second / (1 - pow (first_decay, t))),
                        (float) (1e-8 * second), (float) (stepping->rate * training->decay) };

    step_adam (&adam, n, gradient, stepping->decays + first, changed);
  }
}

/* The loss of the batch that is set. */
static gboolean
lose_batch (Stepping *stepping, double *ret_loss, GError **error)
{
  const AssayTapeTraining *training = stepping->training;
  Run *run = &stepping->run, forward = *run;
  double given;

  if (training->compare == NULL)
    return run_batch (run, ret_loss, error);
  forward.outputs = stepping->outputs;
  forward.slopes = NULL;
  if (!run_batch (&forward, &given, error))
    return FALSE;
  *ret_loss = training->compare (training->compare_data, run->order, run->rows, stepping->outputs,
                                 stepping->slopes);
  run->slopes = stepping->slopes;
  return run_batch (run, &given, error);
}

/* A loss that is not finite ends the epoch, and is what @ret_loss then says. */
static gboolean
train_epoch (Stepping *stepping, const gsize *order, gsize epoch, double *ret_loss, GError **error)
{
  const AssayTapeTraining *training = stepping->training;
  Run *run = &stepping->run;
  const gsize n = run->examples->n, n_batches = assay_pieces (n, training->batch);
  g_auto (AssayLoop) batches = { "batch", .turns = n_batches };

  *ret_loss = 0;
  run->epoch = epoch;
  for (gsize b = 0; b < n_batches && isfinite (*ret_loss); b++) {
    const double done
        = ((double) epoch + (double) b / (double) n_batches) / (double) training->epochs;
    double loss;

    assay_loop_at (&batches, b);
    run->order = order + b * training->batch;
    run->rows = MIN (training->batch, n - b * training->batch);
    if (!lose_batch (stepping, &loss, error))
      return FALSE;
    *ret_loss += loss * (double) run->rows / (double) n;
    if (!isfinite (loss))
      break;
    stepping->rate = training->rate * (1 + cos (G_PI * done)) / 2;
    stepping->steps++;
    assay_parallel_for (assay_pieces (stepping->tape->n_parameters, PANEL), step_panel, stepping);
    assay_tape_turn (stepping->tape);
  }
  return TRUE;
}

/* Mean loss of other examples, with the weights as they are; in the room of a batch. */
static gboolean
measure_loss (const Run *run, const AssayTapeExamples *examples, gsize batch, double *ret_loss,
              GError **error)
{
  Run other = *run;
  double loss;

  *ret_loss = 0;

  other.examples = examples;
  other.order = NULL;
  other.epoch = ASSAY_EPOCH_NONE;
  other.gradients = NULL;
  for (other.first = 0; other.first < examples->n; other.first += batch) {
    other.rows = MIN (batch, examples->n - other.first);
    if (!run_batch (&other, &loss, error))
      return FALSE;
    *ret_loss += loss * (double) other.rows / (double) examples->n;
  }
  return TRUE;
}

static gboolean
stepping_init (Stepping *stepping, const AssayTapeExamples *examples, GError **error)
{
  AssayTape *tape = stepping->tape;
  const gsize batch = MIN (stepping->training->batch, examples->n);
  AssayArena *arena = &stepping->run.arena;

  if (!run_init (&stepping->run, tape, batch, TRUE, error))
    return FALSE;
  stepping->run.examples = examples;
  for (guint i = 0; i < 2; i++)
    stepping->moments[i]
        = assay_arena_alloc (arena, tape->n_parameters, sizeof (float), "moments", error);
  stepping->decays = assay_arena_alloc (arena, tape->n_parameters, sizeof (float), "decays", error);
  if (stepping->training->compare != NULL) {
    const gsize numbers = batch * assay_tape_numbers (assay_tape_output (tape));

    stepping->outputs = assay_arena_alloc (arena, numbers, sizeof (float), "outputs", error);
    stepping->slopes = assay_arena_alloc (arena, numbers, sizeof (float), "outputs", error);
  }
  if (arena->has_failed)
    return FALSE;
  for (guint l = 0; l < tape->n_layers; l++)
    for (gsize i = 0; tape->layers[l].type == ASSAY_LAYER_CONVOLVE && i < tape->layers[l].n_weights;
         i++)
      stepping->decays[tape->layers[l].first + i] = 1;
  return TRUE;
}

/* Weights, and what Adam and momentum know of gradients: divided by the root of an infinite square
 * no step is any longer, so that a network would seem to have learned all that it can. */
static gboolean
is_finite (const Stepping *stepping)
{
  const float *const numbers[]
      = { stepping->tape->parameters, stepping->moments[0], stepping->moments[1] };

  for (guint of = 0; of < G_N_ELEMENTS (numbers); of++)
    for (gsize i = 0; i < stepping->tape->n_parameters; i++)
      if (!isfinite (numbers[of][i]))
        return FALSE;
  return TRUE;
}

/* Keeps what is best so far, or sees that training has diverged. @inout_loss is of training, then,
 * where there are any, of held-out examples. */
static gboolean
judge_epoch (Stepping *stepping, double *inout_loss, float *best, AssayTapeReport *report,
             GError **error)
{
  const AssayTape *tape = stepping->tape;
  const AssayTapeTraining *training = stepping->training;
  const AssayTapeExamples *held_out = training->held_out;
  const double loss = *inout_loss;
  double other = (double) NAN;

  report->has_diverged = !isfinite (loss) || !is_finite (stepping);
  if (!report->has_diverged && held_out != NULL) {
    if (!measure_loss (&stepping->run, held_out, training->batch, &other, error))
      return FALSE;
    report->has_diverged = !isfinite (other);
    *inout_loss = other;
  }
  if (report->has_diverged)
    return TRUE;
  report->epochs++;
  if (held_out != NULL && report->best > 0 && other >= report->held_out)
    return TRUE;
  report->best = report->epochs;
  report->loss = loss;
  report->held_out = other;
  memcpy (best, tape->parameters, tape->n_parameters * sizeof (float));
  return TRUE;
}

static gboolean
is_over (const AssayTapeTraining *training, const AssayTapeReport *report)
{
  return report->has_diverged
         || (training->patience > 0 && report->epochs - report->best >= training->patience);
}

static gboolean
train_all (Stepping *stepping, AssayStreamKey key, AssayTapeReport *report, GError **error)
{
  AssayTape *tape = stepping->tape;
  const AssayTapeTraining *training = stepping->training;
  AssayArena *arena = &stepping->run.arena;
  const gsize n = stepping->run.examples->n;
  gsize *order = assay_arena_alloc (arena, n, sizeof *order, "order of examples", error);
  float *best = assay_arena_alloc (arena, tape->n_parameters, sizeof (float), "weights", error);
  g_auto (AssayLoop) epochs = { "epoch", .turns = training->epochs };
  double loss;

  if (arena->has_failed)
    return FALSE;
  for (gsize epoch = 0; epoch < training->epochs && !is_over (training, report); epoch++) {
    AssayStream stream = assay_stream (key, ASSAY_TAPE_MAX_LAYERS + epoch);

    assay_loop_at (&epochs, epoch);
    assay_stream_permutation (&stream, n, order);
    if (!train_epoch (stepping, order, epoch, &loss, error)
        || !judge_epoch (stepping, &loss, best, report, error))
      return FALSE;
    assay_loop_measured (&epochs, training->held_out != NULL ? "held-out loss" : "loss", loss);
  }
  if (report->best == 0)
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "training diverged in its first epoch (rate %g); expected a lower rate",
                       training->rate);
  memcpy (tape->parameters, best, tape->n_parameters * sizeof (float));
  assay_tape_turn (tape);
  return TRUE;
}

gboolean
assay_tape_train (AssayTape *tape, const AssayTapeTraining *training,
                  const AssayTapeExamples *examples, AssayStreamKey key,
                  AssayTapeReport *ret_report, GError **error)
{
  Stepping stepping = { .tape = tape, .training = training };
  AssayTapeReport report = { .held_out = (double) NAN };
  gboolean is_trained;

  g_return_val_if_fail (training->batch > 0 && training->epochs > 0, FALSE);
  g_return_val_if_fail ((training->compare != NULL) == (tape->loss == ASSAY_TAPE_LOSS_GIVEN)
                            && (training->compare == NULL || training->held_out == NULL),
                        FALSE);
  if (examples->n == 0 || (training->held_out != NULL && training->held_out->n == 0))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "no examples to train a network on, or to hold out; expected one at least");
  is_trained
      = stepping_init (&stepping, examples, error) && train_all (&stepping, key, &report, error);
  run_clear (&stepping.run);
  if (is_trained && ret_report != NULL)
    *ret_report = report;
  /* Who is not told cannot tell anybody. */
  else if (is_trained && report.has_diverged)
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "training diverged in epoch %zu (rate %g); expected a finite loss",
                       report.epochs + 1, training->rate);
  return is_trained;
}

/* ---- Without steps ---- */

gboolean
assay_tape_predict (const AssayTape *tape, const AssayTapeExamples *examples, float *ret_outputs,
                    GError **error)
{
  g_auto (Run) run = { .examples = examples, .epoch = ASSAY_EPOCH_NONE, .rows = examples->n };
  double loss;

  if (!run_init (&run, tape, examples->n, FALSE, error))
    return FALSE;
  run.outputs = ret_outputs;
  return run_batch (&run, &loss, error);
}

gboolean
assay_tape_differentiate (const AssayTape *tape, const AssayTapeExamples *examples,
                          double *ret_loss, float *ret_gradient, float *ret_inputs, GError **error)
{
  g_auto (Run) run = { .examples = examples, .epoch = ASSAY_EPOCH_NONE, .rows = examples->n };

  if (!run_init (&run, tape, examples->n, TRUE, error))
    return FALSE;
  run.inputs = ret_inputs;
  if (!run_batch (&run, ret_loss, error))
    return FALSE;
  for (gsize shard = 1; shard < assay_pieces (run.rows, tape->images); shard++)
    add_gradient (tape->n_parameters, run.gradients + shard * tape->n_parameters, run.gradients);
  if (ret_gradient != NULL)
    memcpy (ret_gradient, run.gradients, tape->n_parameters * sizeof (float));
  return TRUE;
}
