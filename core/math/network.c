/* Layers of ReLUs, and a softmax above them; or nothing above them, for numbers: then p = Z and
 * s = 1 below, and the loss is half the mean squared distance.
 *
 * For a batch of B rows A_0, weights W_l (out x in) and biases b_l of layers l = 0 .. L - 1:
 *   Z_l = A_l W_l' + b_l,   A_(l+1) = max (Z_l, 0),   p = softmax (Z_(L-1))
 * With targets y (rows of sum s) the loss is -1/B sum y ln p, so that
 *   D_(L-1) = (s p - y) / B,   D_(l-1) = (D_l W_l) o [A_l > 0]
 *   dW_l = D_l' A_l + decay W_l,   db_l = 1' D_l
 * and V <- momentum V + dW, W <- W - rate V (Polyak 1964), the rate falling along half a cosine
 * (Loshchilov and Hutter 2017, "SGDR", equation 5, without restarts).
 *
 * Two loops a batch are parallel. The first takes shards of SHARD rows from A_0 to D_0: no row
 * depends on another. The second takes panels of PANEL units of a layer: a unit's gradient is one
 * product over all rows of the batch. Nothing is summed across pieces, and pieces do not depend on
 * the number of threads, so neither do results. */
#include "core/math/network.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/parallel.h"
#include "core/base/progress/loop.h"
#include "core/base/vectorise.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define SHARD 64 /* rows */
#define PANEL 64 /* units */

/* What the rows of a shard pass through. */
typedef struct {
  float *values[ASSAY_NETWORK_MAX_LAYERS + 1]; /* A_l; the last holds Z, then p: rows x widths[l] */
  float *deltas[ASSAY_NETWORK_MAX_LAYERS];     /* D_l: rows x widths[l + 1] */
} Passage;

/* ---- Kernels ---- */

ASSAY_VECTORISED static void
add_biases (const float *biases, gsize rows, gsize cols, float *inout_values)
{
  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < cols; j++)
      inout_values[i * cols + j] += biases[j];
}

ASSAY_VECTORISED static void
rectify (gsize count, float *inout_values)
{
  for (gsize i = 0; i < count; i++)
    inout_values[i] = inout_values[i] > 0 ? inout_values[i] : 0;
}

/* Keeps the derivative of values that a ReLU let through. */
ASSAY_VECTORISED static void
mask_deltas (const float *values, gsize count, float *inout_deltas)
{
  for (gsize i = 0; i < count; i++)
    inout_deltas[i] = values[i] > 0 ? inout_deltas[i] : 0;
}

/* A step of gradient descent. */
typedef struct {
  float rate;
  float momentum;
  float decay;
} Descent;

ASSAY_VECTORISED static void
descend (const Descent *descent, gsize count, const float *gradient, float *inout_velocity,
         float *inout_weights)
{
  const float rate = descent->rate, momentum = descent->momentum, decay = descent->decay;

  for (gsize i = 0; i < count; i++) {
    inout_velocity[i] = momentum * inout_velocity[i] + gradient[i] + decay * inout_weights[i];
    inout_weights[i] -= rate * inout_velocity[i];
  }
}

/* From A_0 to p. */
static void
pass_forward (const AssayNetwork *network, const Passage *passage, gsize rows)
{
  const AssayNetworkShape *shape = &network->shape;
  const gsize n_classes = shape->widths[shape->n_layers];

  for (gsize l = 0; l < shape->n_layers; l++) {
    const gsize in = shape->widths[l], out = shape->widths[l + 1];
    float *values = passage->values[l + 1];

    assay_linalg_product (ASSAY_NT, assay_view_of (passage->values[l], rows, in),
                          assay_view_of (network->weights[l], out, in), values, out);
    add_biases (network->biases[l], rows, out, values);
    if (l + 1 < shape->n_layers)
      rectify (rows * out, values);
  }
  for (gsize i = 0; i < rows && !network->gives_numbers; i++)
    assay_softmax (passage->values[shape->n_layers] + i * n_classes, n_classes);
}

/* From D_(L-1) to D_0. */
static void
pass_backward (const AssayNetwork *network, const Passage *passage, gsize rows)
{
  const AssayNetworkShape *shape = &network->shape;

  for (gsize l = shape->n_layers - 1; l > 0; l--) {
    const gsize in = shape->widths[l], out = shape->widths[l + 1];

    assay_linalg_product (ASSAY_NN, assay_view_of (passage->deltas[l], rows, out),
                          assay_view_of (network->weights[l], out, in), passage->deltas[l - 1], in);
    mask_deltas (passage->values[l], rows * in, passage->deltas[l - 1]);
  }
}

/* ---- Networks ---- */

ASSAY_FREE_FUNC (AssayNetwork, assay_network_free, assay_arena_clear (&self->arena))

AssayNetwork *
assay_network_new (const AssayNetworkShape *shape, AssayStreamKey key, GError **error)
{
  g_autoptr (AssayNetwork) network = g_new0 (AssayNetwork, 1);

  g_return_val_if_fail (shape->n_layers >= 1 && shape->n_layers <= ASSAY_NETWORK_MAX_LAYERS, NULL);
  network->shape = *shape;
  for (gsize l = 0; l < shape->n_layers; l++) {
    const gsize in = shape->widths[l], out = shape->widths[l + 1];
    const double deviation = sqrt (2 / (double) in);
    AssayStream stream = assay_stream (key, l);

    network->weights[l]
        = assay_arena_alloc (&network->arena, out, in * sizeof (float), "weights", error);
    network->biases[l] = assay_arena_alloc (&network->arena, out, sizeof (float), "biases", error);
    if (network->arena.has_failed)
      return NULL;
    for (gsize o = 0; l + 1 < shape->n_layers && o < out; o++) {
      if (!assay_interrupt_goes_on (error))
        return NULL;
      for (gsize i = 0; i < in; i++)
        network->weights[l][o * in + i] = (float) (deviation * assay_stream_normal (&stream));
    }
  }
  return g_steal_pointer (&network);
}

/* ---- Room for a batch ---- */

/* A batch as one passage, of which a shard takes its rows; velocities; scratch for gradients. */
typedef struct {
  const AssayNetworkTraining *training;
  AssayNetwork *network;
  AssayView inputs;
  AssayView targets;
  const gsize *order; /* of the batch's rows */
  gsize rows;         /* of the batch */
  double rate;
  Passage passage;
  float *weight_velocities[ASSAY_NETWORK_MAX_LAYERS];
  float *bias_velocities[ASSAY_NETWORK_MAX_LAYERS];
  float *gradients;     /* PANEL x the widest input, and PANEL of biases, a worker */
  gsize gradients_size; /* of a worker */
  double *losses;       /* of the batch's rows */
  float *kept_weights[ASSAY_NETWORK_MAX_LAYERS]; /* of the last epoch; NULL: they are not wanted */
  float *kept_biases[ASSAY_NETWORK_MAX_LAYERS];
} Batch;

static void
make_passage (const AssayNetworkShape *shape, gsize rows, gboolean is_training, AssayArena *arena,
              Passage *passage, GError **error)
{
  for (gsize l = 0; l <= shape->n_layers; l++) {
    const gsize size = shape->widths[l] * sizeof (float);

    passage->values[l] = assay_arena_alloc (arena, rows, size, "values of a layer", error);
    if (is_training && l > 0)
      passage->deltas[l - 1]
          = assay_arena_alloc (arena, rows, size, "derivatives of a layer", error);
  }
}

/* The part of @passage that begins at row @first. */
static Passage
passage_from (const AssayNetworkShape *shape, const Passage *passage, gsize first)
{
  Passage part = { 0 };

  for (gsize l = 0; l <= shape->n_layers; l++)
    part.values[l] = passage->values[l] + first * shape->widths[l];
  for (gsize l = 0; l < shape->n_layers && passage->deltas[l] != NULL; l++)
    part.deltas[l] = passage->deltas[l] + first * shape->widths[l + 1];
  return part;
}

static gboolean
make_batch (Batch *batch, AssayArena *arena, GError **error)
{
  const AssayNetworkShape *shape = &batch->network->shape;
  const gsize rows = MIN (batch->training->batch, batch->inputs.rows);

  batch->gradients_size = PANEL * (assay_network_widest_input (shape) + 1);
  batch->gradients = assay_arena_alloc (arena, assay_parallel_threads (),
                                        batch->gradients_size * sizeof (float), "gradients", error);
  make_passage (shape, rows, TRUE, arena, &batch->passage, error);
  batch->losses = assay_arena_alloc (arena, rows, sizeof (double), "losses", error);
  for (gsize l = 0; l < shape->n_layers; l++) {
    const gsize in = shape->widths[l], out = shape->widths[l + 1];

    if (batch->training->report != NULL) {
      batch->kept_weights[l]
          = assay_arena_alloc (arena, out, in * sizeof (float), "weights", error);
      batch->kept_biases[l] = assay_arena_alloc (arena, out, sizeof (float), "biases", error);
    }
    batch->weight_velocities[l]
        = assay_arena_alloc (arena, out, in * sizeof (float), "velocities", error);
    batch->bias_velocities[l] = assay_arena_alloc (arena, out, sizeof (float), "velocities", error);
  }
  return !arena->has_failed;
}

/* ---- Training ---- */

/* Rows of one shard, from the inputs to D_0. */
static gboolean
pass_shard (gsize index, G_GNUC_UNUSED guint worker, gpointer data, G_GNUC_UNUSED GError **error)
{
  const Batch *batch = data;
  const AssayNetworkShape *shape = &batch->network->shape;
  const gsize first = index * SHARD, rows = MIN (SHARD, batch->rows - first);
  const gsize cols = shape->widths[0], n_classes = shape->widths[shape->n_layers];
  const Passage passage = passage_from (shape, &batch->passage, first);

  for (gsize i = 0; i < rows; i++)
    memcpy (passage.values[0] + i * cols, assay_view_row (batch->inputs, batch->order[first + i]),
            cols * sizeof (float));
  pass_forward (batch->network, &passage, rows);
  for (gsize i = 0; i < rows; i++) {
    const float *target = assay_view_row (batch->targets, batch->order[first + i]);
    const float *shares = passage.values[shape->n_layers] + i * n_classes;
    float *delta = passage.deltas[shape->n_layers - 1] + i * n_classes;
    double sum = 0;

    batch->losses[first + i] = batch->network->gives_numbers
                                   ? assay_squared_distance (target, shares, n_classes) / 2
                                   : assay_cross_entropy (target, shares, n_classes);
    for (gsize c = 0; c < n_classes; c++)
      sum += (double) target[c];
    if (batch->network->gives_numbers)
      sum = 1;
    for (gsize c = 0; c < n_classes; c++)
      delta[c] = (float) ((sum * (double) shares[c] - (double) target[c]) / (double) batch->rows);
  }
  pass_backward (batch->network, &passage, rows);
  return TRUE;
}

static gsize
panels_of (const AssayNetworkShape *shape, gsize layer)
{
  return assay_pieces (shape->widths[layer + 1], PANEL);
}

/* A step for the units of one panel; panels are numbered through all layers. */
static gboolean
step_panel (gsize index, guint worker, gpointer data, G_GNUC_UNUSED GError **error)
{
  const Batch *batch = data;
  const AssayNetworkShape *shape = &batch->network->shape;
  const AssayNetworkTraining *training = batch->training;
  Descent descent
      = { (float) batch->rate, (float) training->momentum, (float) training->weight_decay };
  float *gradient = batch->gradients + worker * batch->gradients_size;
  float *bias_gradient = gradient + batch->gradients_size - PANEL;
  gsize layer = 0, first, units, in, out;

  for (; index >= panels_of (shape, layer); layer++)
    index -= panels_of (shape, layer);
  in = shape->widths[layer];
  out = shape->widths[layer + 1];
  first = index * PANEL;
  units = MIN (PANEL, out - first);
  assay_linalg_product (
      ASSAY_TN, (AssayView){ batch->rows, units, out, batch->passage.deltas[layer] + first },
      assay_view_of (batch->passage.values[layer], batch->rows, in), gradient, in);
  memset (bias_gradient, 0, PANEL * sizeof (float));
  for (gsize i = 0; i < batch->rows; i++)
    for (gsize j = 0; j < units; j++)
      bias_gradient[j] += batch->passage.deltas[layer][i * out + first + j];
  descend (&descent, units * in, gradient, batch->weight_velocities[layer] + first * in,
           batch->network->weights[layer] + first * in);
  descent.decay = 0;
  descend (&descent, units, bias_gradient, batch->bias_velocities[layer] + first,
           batch->network->biases[layer] + first);
  return TRUE;
}

static gboolean
train_epoch (Batch *batch, const gsize *order, gsize epoch, double *ret_loss, GError **error)
{
  const AssayNetworkTraining *training = batch->training;
  const AssayNetworkShape *shape = &batch->network->shape;
  const gsize n = batch->inputs.rows, n_batches = (n + training->batch - 1) / training->batch;
  g_auto (AssayLoop) batches = { "batch", .turns = n_batches };
  gsize n_panels = 0;

  *ret_loss = 0;
  for (gsize l = 0; l < shape->n_layers; l++)
    n_panels += panels_of (shape, l);
  for (gsize b = 0; b < n_batches; b++) {
    const double done
        = ((double) epoch + (double) b / (double) n_batches) / (double) training->epochs;

    assay_loop_at (&batches, b);
    batch->order = order + b * training->batch;
    batch->rows = MIN (training->batch, n - b * training->batch);
    batch->rate = training->learning_rate * (1 + cos (G_PI * done)) / 2;
    if (!assay_parallel_try (assay_pieces (batch->rows, SHARD), pass_shard, batch, error)
        || !assay_parallel_try (n_panels, step_panel, batch, error))
      return FALSE;
    for (gsize i = 0; i < batch->rows; i++)
      *ret_loss += batch->losses[i] / (double) n;
  }
  return TRUE;
}

static gboolean
is_finite (const AssayNetwork *network)
{
  const AssayNetworkShape *shape = &network->shape;

  for (gsize l = 0; l < shape->n_layers; l++) {
    for (gsize i = 0; i < shape->widths[l] * shape->widths[l + 1]; i++)
      if (!isfinite (network->weights[l][i]))
        return FALSE;
    for (gsize i = 0; i < shape->widths[l + 1]; i++)
      if (!isfinite (network->biases[l][i]))
        return FALSE;
  }
  return TRUE;
}

static void
copy_all (const AssayNetworkShape *shape, float *const *weights, float *const *biases,
          float *const *ret_weights, float *const *ret_biases)
{
  for (gsize l = 0; l < shape->n_layers; l++) {
    const gsize out = shape->widths[l + 1];

    memcpy (ret_weights[l], weights[l], shape->widths[l] * out * sizeof (float));
    memcpy (ret_biases[l], biases[l], out * sizeof (float));
  }
}

/* Keeps the weights of epoch @epoch, or goes back to those before. FALSE: there are none. */
static gboolean
end_epoch (Batch *batch, gsize epoch, double loss, AssayNetworkReport *report)
{
  AssayNetwork *network = batch->network;

  report->has_diverged = !isfinite (loss) || !is_finite (network);
  if (report->has_diverged && (epoch == 0 || batch->kept_weights[0] == NULL))
    return FALSE;
  if (report->has_diverged) {
    copy_all (&network->shape, batch->kept_weights, batch->kept_biases, network->weights,
              network->biases);
    return TRUE;
  }
  *report = (AssayNetworkReport){ .epochs = epoch + 1, .loss = loss };
  if (batch->kept_weights[0] != NULL)
    copy_all (&network->shape, network->weights, network->biases, batch->kept_weights,
              batch->kept_biases);
  return TRUE;
}

static gboolean
train_all (Batch *batch, gsize *order, AssayStreamKey key, AssayNetworkReport *report,
           GError **error)
{
  g_auto (AssayLoop) epochs = { "epoch", .turns = batch->training->epochs };
  double loss;

  for (gsize epoch = 0; epoch < batch->training->epochs && !report->has_diverged; epoch++) {
    AssayStream stream = assay_stream (key, ASSAY_NETWORK_MAX_LAYERS + epoch);

    assay_loop_at (&epochs, epoch);
    assay_stream_permutation (&stream, batch->inputs.rows, order);
    if (!train_epoch (batch, order, epoch, &loss, error))
      return FALSE;
    if (!end_epoch (batch, epoch, loss, report))
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "training diverged in epoch %zu at learning_rate = %g; expected a "
                         "smaller one, or smaller inputs",
                         epoch + 1, batch->training->learning_rate);
    assay_loop_measured (&epochs, "loss", loss);
  }
  return TRUE;
}

static gboolean
check_sizes (const AssayNetworkShape *shape, AssayView inputs, AssayView targets, GError **error)
{
  const gsize cols = shape->widths[0], n_classes = shape->widths[shape->n_layers];

  if (inputs.cols == cols && targets.cols == n_classes && inputs.rows == targets.rows
      && inputs.rows > 0)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "%zu rows of %zu columns with %zu rows of %zu shares; expected one row of "
                     "%zu shares for each row of %zu columns, and a row at least",
                     inputs.rows, inputs.cols, targets.rows, targets.cols, n_classes, cols);
}

gboolean
assay_network_train (AssayNetwork *network, const AssayNetworkTraining *training, AssayView inputs,
                     AssayView targets, AssayStreamKey key, GError **error)
{
  g_auto (AssayArena) arena = { 0 };
  Batch batch = { .training = training, .network = network, .inputs = inputs, .targets = targets };
  AssayNetworkReport report = { 0 };
  gsize *order;

  g_return_val_if_fail (training->batch > 0, FALSE);
  if (!check_sizes (&network->shape, inputs, targets, error)
      || !assay_view_check_finite (inputs, "inputs", error)
      || !(network->gives_numbers ? assay_view_check_finite (targets, "shares of classes", error)
                                  : assay_view_check_shares (targets, error))
      || !make_batch (&batch, &arena, error))
    return FALSE;
  order = assay_arena_alloc (&arena, inputs.rows, sizeof *order, "order of rows", error);
  if (order == NULL || !train_all (&batch, order, key, &report, error))
    return FALSE;
  if (training->report != NULL)
    *training->report = report;
  return TRUE;
}

/* ---- Predictions ---- */

typedef struct {
  const AssayNetwork *network;
  AssayView inputs;
  Passage passage; /* SHARD rows a worker */
  float *shares;
} Prediction;

static gboolean
predict_shard (gsize index, guint worker, gpointer data, G_GNUC_UNUSED GError **error)
{
  const Prediction *prediction = data;
  const AssayNetworkShape *shape = &prediction->network->shape;
  const gsize first = index * SHARD, rows = MIN (SHARD, prediction->inputs.rows - first);
  const gsize cols = shape->widths[0], n_classes = shape->widths[shape->n_layers];
  const Passage passage = passage_from (shape, &prediction->passage, worker * SHARD);

  for (gsize i = 0; i < rows; i++)
    memcpy (passage.values[0] + i * cols, assay_view_row (prediction->inputs, first + i),
            cols * sizeof (float));
  pass_forward (prediction->network, &passage, rows);
  memcpy (prediction->shares + first * n_classes, passage.values[shape->n_layers],
          rows * n_classes * sizeof (float));
  return TRUE;
}

gboolean
assay_network_predict (const AssayNetwork *network, AssayView inputs, float *ret_shares,
                       GError **error)
{
  const AssayNetworkShape *shape = &network->shape;
  g_auto (AssayArena) arena = { 0 };
  Prediction prediction = { .network = network, .inputs = inputs, .shares = ret_shares };

  if (inputs.cols != shape->widths[0])
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "expected rows of %zu columns, found %zu",
                       shape->widths[0], inputs.cols);
  if (!assay_view_check_finite (inputs, "inputs", error))
    return FALSE;
  make_passage (shape, SHARD * assay_parallel_threads (), FALSE, &arena, &prediction.passage,
                error);
  if (arena.has_failed)
    return FALSE;
  return assay_parallel_try (assay_pieces (inputs.rows, SHARD), predict_shard, &prediction, error);
}

/* ---- What is known beforehand ---- */

guint64
assay_network_memory (const AssayNetworkShape *shape, gsize batch)
{
  const guint64 widest = assay_network_widest_input (shape);
  guint64 numbers = assay_parallel_threads () * PANEL * (widest + 1);

  for (gsize l = 0; l < shape->n_layers; l++)
    numbers += (guint64) shape->widths[l + 1] * (3 * (shape->widths[l] + 1) + 2 * batch);
  return (numbers + (guint64) batch * (shape->widths[0] + 2)) * sizeof (float);
}
