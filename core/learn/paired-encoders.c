/* Training of paired encoders.
 *
 * Of a batch of B rows A_0 (a 1 behind each), with layers l = 0 .. L - 1,
 *   Z_l = A_l W_l',   A_(l+1) = (max (Z_l, 0), 1),   u = tanh (Z_(L-1));
 * with dE/du from the loss,
 *   D_(L-1) = dE/du o (1 - u^2),   D_(l-1) = (D_l W_l) o [A_l > 0],   dE/dW_l = D_l' A_l.
 * A step takes a few milliseconds: too few to share them between threads, which wait longer for
 * each other where a machine has other work than they win where it has none. */
#include "core/learn/paired-encoders.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/progress/loop.h"
#include "core/learn/adam.h"
#include "core/math/linalg.h"

enum { ITEM_START, ITEM_ORDER = ITEM_START + ASSAY_N_PAIRED };

/* ---- Encoders ---- */

void
assay_paired_encoders_free (AssayPairedEncoders *encoders)
{
  if (encoders == NULL)
    return;
  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    assay_standard_free (encoders->encoders[s].scale);
  assay_arena_clear (&encoders->arena);
  g_free (encoders);
}

static void
draw_weights (AssayPairedLayer *layer, double variance, AssayStream *stream)
{
  const double deviation = sqrt (variance / (double) layer->in);

  for (gsize i = 0; i < layer->out; i++)
    for (gsize j = 0; j < layer->in; j++)
      layer->weights[i * (layer->in + 1) + j] = deviation * assay_stream_normal (stream);
}

static void
make_layers (AssayPairedEncoder *encoder, const AssayPairedTraining *training, gsize cols,
             AssayArena *arena, GError **error)
{
  const gsize widths[]
      = { cols, training->hidden > 0 ? training->hidden : training->bits, training->bits };

  encoder->n_layers = training->hidden > 0 ? 2 : 1;
  for (guint l = 0; l < encoder->n_layers; l++) {
    AssayPairedLayer *layer = &encoder->layers[l];
    const gsize size = (widths[l] + 1) * sizeof (double);

    layer->in = widths[l];
    layer->out = widths[l + 1];
    layer->weights = assay_arena_alloc (arena, layer->out, size, "weights", error);
    layer->gradient = assay_arena_alloc (arena, layer->out, size, "weights", error);
    for (guint m = 0; m < 2; m++)
      layer->moments[m] = assay_arena_alloc (arena, layer->out, size, "weights", error);
  }
}

/* Columns that do not vary are 0. */
static void
fill_rows (AssayPairedEncoder *encoder, AssayView rows)
{
  for (gsize i = 0; i < rows.rows; i++) {
    double *row = encoder->rows + i * (rows.cols + 1);

    for (gsize j = 0; j < rows.cols; j++)
      row[j] = ((double) assay_view_row (rows, i)[j] - encoder->scale->mean[j])
               * encoder->scale->factor[j];
    row[rows.cols] = 1;
  }
}

static gboolean
make_encoder (AssayPairedEncoders *encoders, guint side, AssayView rows, GError **error)
{
  AssayPairedEncoder *encoder = &encoders->encoders[side];
  AssayStream stream = assay_stream (encoders->key, ITEM_START + side);

  if (!assay_view_check_finite (rows, "rows", error))
    return FALSE;
  encoder->scale = assay_standard_new (rows, error);
  if (encoder->scale == NULL)
    return FALSE;
  encoder->rows = assay_arena_alloc (&encoders->arena, rows.rows, (rows.cols + 1) * sizeof (double),
                                     "rows", error);
  make_layers (encoder, &encoders->training, rows.cols, &encoders->arena, error);
  if (encoders->arena.has_failed)
    return FALSE;
  fill_rows (encoder, rows);
  for (guint l = 0; l < encoder->n_layers; l++)
    draw_weights (&encoder->layers[l], l + 1 < encoder->n_layers ? 2 : 1, &stream);
  return TRUE;
}

AssayPairedEncoders *
assay_paired_encoders_new (const AssayView rows[ASSAY_N_PAIRED],
                           const AssayPairedTraining *training, AssayStreamKey key, GError **error)
{
  g_autoptr (AssayPairedEncoders) encoders = g_new0 (AssayPairedEncoders, 1);

  encoders->training = *training;
  encoders->n = rows[0].rows;
  encoders->training.batch = MIN (training->batch, encoders->n);
  encoders->key = key;
  encoders->n_encoders = rows[1].rows > 0 ? 2 : 1;
  for (guint s = 0; s < encoders->n_encoders; s++)
    if (!make_encoder (encoders, s, rows[s], error))
      return NULL;
  return g_steal_pointer (&encoders);
}

/* ---- A batch ---- */

/* Room for one, and what a pass through it needs. */
typedef struct {
  AssayPairedEncoders *encoders;
  const gsize *items;
  gsize count;
  double *values[ASSAY_N_PAIRED][2]; /* A_l: count x (in + 1) */
  double *outputs[ASSAY_N_PAIRED];   /* u: count x bits */
  double *slopes[ASSAY_N_PAIRED];    /* dE/du, then D_(L-1) */
  double *hidden[ASSAY_N_PAIRED];    /* D_0 where there are two layers */
  double step;                       /* the number of the step; 0: gradients alone */
} Pass;

static gboolean
make_pass (AssayPairedEncoders *encoders, gsize count, AssayArena *arena, Pass *ret_pass,
           GError **error)
{
  const gsize bits = encoders->training.bits;

  *ret_pass = (Pass){ .encoders = encoders, .count = count };
  for (guint s = 0; s < encoders->n_encoders; s++) {
    const AssayPairedEncoder *encoder = &encoders->encoders[s];

    for (guint l = 0; l < encoder->n_layers; l++)
      ret_pass->values[s][l] = assay_arena_alloc (
          arena, count, (encoder->layers[l].in + 1) * sizeof (double), "values", error);
    ret_pass->outputs[s]
        = assay_arena_alloc (arena, count, bits * sizeof (double), "values", error);
    ret_pass->slopes[s] = assay_arena_alloc (arena, count, bits * sizeof (double), "values", error);
    ret_pass->hidden[s] = assay_arena_alloc (
        arena, count, MAX (encoders->training.hidden, 1) * sizeof (double), "values", error);
  }
  return !arena->has_failed;
}

static AssayViewDouble
weights_of (const AssayPairedLayer *layer)
{
  return assay_view_of_doubles (layer->weights, layer->out, layer->in + 1);
}

static void
pass_forward (const Pass *pass, guint side)
{
  const AssayPairedEncoder *encoder = &pass->encoders->encoders[side];
  const gsize cols = encoder->layers[0].in + 1, bits = pass->encoders->training.bits;
  double *outputs = pass->outputs[side];

  for (gsize i = 0; i < pass->count; i++)
    memcpy (pass->values[side][0] + i * cols, encoder->rows + pass->items[i] * cols,
            cols * sizeof (double));
  for (guint l = 0; l < encoder->n_layers; l++) {
    const AssayPairedLayer *layer = &encoder->layers[l];
    const gboolean is_last = l + 1 == encoder->n_layers;
    const gsize stride = is_last ? bits : layer->out + 1;
    double *into = is_last ? outputs : pass->values[side][l + 1];

    assay_linalg_product_double (
        ASSAY_NT, assay_view_of_doubles (pass->values[side][l], pass->count, layer->in + 1),
        weights_of (layer), into, stride);
    for (gsize i = 0; i < pass->count && !is_last; i++) {
      for (gsize j = 0; j < layer->out; j++)
        into[i * stride + j] = MAX (into[i * stride + j], 0);
      into[i * stride + layer->out] = 1;
    }
  }
  for (gsize k = 0; k < pass->count * bits && !pass->encoders->training.is_linear; k++)
    outputs[k] = tanh (outputs[k]);
  memset (pass->slopes[side], 0, pass->count * bits * sizeof (double));
}

static void
pass_backward (const Pass *pass, guint side)
{
  AssayPairedEncoder *encoder = &pass->encoders->encoders[side];
  const gsize bits = pass->encoders->training.bits;
  double *deltas = pass->slopes[side];

  for (gsize k = 0; k < pass->count * bits && !pass->encoders->training.is_linear; k++)
    deltas[k] *= 1 - pass->outputs[side][k] * pass->outputs[side][k];
  for (guint l = encoder->n_layers; l-- > 0;) {
    AssayPairedLayer *layer = &encoder->layers[l];
    const AssayViewDouble from = assay_view_of_doubles (deltas, pass->count, layer->out);
    const double *values = pass->values[side][l];
    const gsize cols = layer->in + 1;

    assay_linalg_product_double (ASSAY_TN, from, assay_view_of_doubles (values, pass->count, cols),
                                 layer->gradient, cols);
    if (l > 0) {
      deltas = pass->hidden[side];
      assay_linalg_product_double (ASSAY_NN, from,
                                   (AssayViewDouble){ layer->out, layer->in, cols, layer->weights },
                                   deltas, layer->in);
      for (gsize i = 0; i < pass->count; i++)
        for (gsize j = 0; j < layer->in; j++)
          if (values[i * cols + j] <= 0)
            deltas[i * layer->in + j] = 0;
    }
    if (pass->step > 0)
      assay_adam_step (&(AssayAdam){ layer->out * cols, layer->weights, layer->gradient,
                                     layer->moments[0], layer->moments[1] },
                       pass->encoders->training.rate, pass->step);
  }
}

/* Not a number upon Ctrl-C, too: a pass over all items takes long. */
static double
play (Pass *pass, AssayPairedLoss loss, gpointer data)
{
  AssayPairedBatch batch = {
    pass->items, pass->count, pass->encoders->training.bits, { pass->outputs[0], pass->outputs[1] }
  };
  double lost;

  for (guint s = 0; s < pass->encoders->n_encoders; s++)
    pass_forward (pass, s);
  if (assay_interrupt_is_wanted ())
    return NAN;
  lost = loss (&batch, data, pass->slopes);
  for (guint s = 0; s < pass->encoders->n_encoders; s++)
    pass_backward (pass, s);
  return lost;
}

double
assay_paired_encoders_slope (AssayPairedEncoders *encoders, const gsize *items, gsize count,
                             AssayPairedLoss loss, gpointer data)
{
  g_auto (AssayArena) arena = { 0 };
  Pass pass;

  if (!make_pass (encoders, count, &arena, &pass, NULL))
    return NAN;
  pass.items = items;
  return play (&pass, loss, data);
}

/* ---- Training ---- */

/* The weights after the last pass over the items that ended well. */
typedef struct {
  double *weights[ASSAY_N_PAIRED][2]; /* NULL: nobody wants them */
  gsize steps;                        /* after which; 0: there are none */
} Kept;

static gsize
count_weights (const AssayPairedLayer *layer)
{
  return layer->out * (layer->in + 1);
}

static gboolean
make_kept (const AssayPairedEncoders *encoders, AssayArena *arena, Kept *ret_kept, GError **error)
{
  for (guint s = 0; s < encoders->n_encoders; s++)
    for (guint l = 0; l < encoders->encoders[s].n_layers; l++)
      ret_kept->weights[s][l]
          = assay_arena_alloc (arena, count_weights (&encoders->encoders[s].layers[l]),
                               sizeof (double), "weights", error);
  return !arena->has_failed;
}

/* FALSE where they are not finite. */
static gboolean
keep_weights (const AssayPairedEncoders *encoders, gsize steps, Kept *kept)
{
  for (guint s = 0; s < encoders->n_encoders; s++)
    for (guint l = 0; l < encoders->encoders[s].n_layers; l++) {
      const AssayPairedLayer *layer = &encoders->encoders[s].layers[l];

      for (gsize i = 0; i < count_weights (layer); i++)
        if (!isfinite (layer->weights[i]))
          return FALSE;
    }
  for (guint s = 0; s < encoders->n_encoders; s++)
    for (guint l = 0; l < encoders->encoders[s].n_layers; l++)
      memcpy (kept->weights[s][l], encoders->encoders[s].layers[l].weights,
              count_weights (&encoders->encoders[s].layers[l]) * sizeof (double));
  kept->steps = steps;
  return TRUE;
}

/* Goes back to what is kept. */
static gboolean
give_up (AssayPairedEncoders *encoders, const Kept *kept, gsize step, AssayPairedReport *ret_report,
         GError **error)
{
  if (kept->steps == 0)
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "training diverges in step %zu of %zu, before a pass over the items was "
                       "complete (learning rate %g); expected a lower one",
                       step, encoders->training.steps, encoders->training.rate);
  for (guint s = 0; s < encoders->n_encoders; s++)
    for (guint l = 0; l < encoders->encoders[s].n_layers; l++)
      memcpy (encoders->encoders[s].layers[l].weights, kept->weights[s][l],
              count_weights (&encoders->encoders[s].layers[l]) * sizeof (double));
  *ret_report = (AssayPairedReport){ .steps = kept->steps, .diverged = step };
  return TRUE;
}

gboolean
assay_paired_encoders_train (AssayPairedEncoders *encoders, AssayPairedLoss loss, gpointer data,
                             AssayPairedReport *ret_report, GError **error)
{
  const gsize batch = encoders->training.batch, batches = encoders->n / batch;
  g_auto (AssayArena) arena = { 0 };
  gsize *order = assay_arena_alloc (&arena, encoders->n, sizeof *order, "order of items", error);
  g_auto (AssayLoop) steps = { "batch", .turns = encoders->training.steps };
  Kept kept = { .steps = 0 };
  double lost;
  Pass pass;

  if (!make_pass (encoders, batch, &arena, &pass, error)
      || (ret_report != NULL && !make_kept (encoders, &arena, &kept, error)))
    return FALSE;
  for (gsize step = 0; step < encoders->training.steps; step++) {
    AssayStream stream = assay_stream (encoders->key, ITEM_ORDER + step / batches);

    assay_loop_at (&steps, step);
    if (step % batches == 0)
      assay_stream_permutation (&stream, encoders->n, order);
    pass.items = order + step % batches * batch;
    pass.step = (double) (step + 1);
    if (!assay_interrupt_goes_on (error))
      return FALSE;
    lost = play (&pass, loss, data);
    assay_loop_measured (&steps, "loss", lost);
    if (!isfinite (lost))
      return assay_interrupt_goes_on (error)
             && give_up (encoders, &kept, step + 1, ret_report, error);
    if (ret_report != NULL && ((step + 1) % batches == 0 || step + 1 == encoders->training.steps)
        && !keep_weights (encoders, step + 1, &kept))
      return give_up (encoders, &kept, step + 1, ret_report, error);
  }
  if (ret_report != NULL)
    *ret_report = (AssayPairedReport){ .steps = encoders->training.steps };
  return TRUE;
}

char *
assay_paired_report_say (const AssayPairedReport *report, gsize planned, const char *setting,
                         double rate)
{
  return report->diverged == 0
             ? NULL
             : g_strdup_printf ("training diverged by batch %zu of %zu (%s = %g): the codes are of "
                                "the weights after batch %zu",
                                report->diverged, planned, setting, rate, report->steps);
}

/* ---- The release ---- */

float *
assay_paired_encoder_weights (const AssayPairedEncoder *encoder, guint index)
{
  const AssayPairedLayer *layer = &encoder->layers[index];
  const gsize cols = layer->in + 1;
  float *weights = g_new (float, layer->out *cols);

  for (gsize i = 0; i < layer->out; i++) {
    const double *row = layer->weights + i * cols;
    double bias = row[layer->in];

    for (gsize j = 0; j < layer->in; j++) {
      const double weight = index == 0 ? row[j] * encoder->scale->factor[j] : row[j];

      weights[i * cols + j] = (float) weight;
      bias -= index == 0 ? weight * encoder->scale->mean[j] : 0;
    }
    weights[i * cols + layer->in] = (float) bias;
  }
  return weights;
}

static void
release_layer (const AssayPairedEncoder *encoder, guint index, const char *name,
               AssayRelease *release)
{
  assay_arrays_take_rows (&release->arrays, name, ASSAY_FLOAT32, encoder->layers[index].out,
                          encoder->layers[index].in + 1,
                          assay_paired_encoder_weights (encoder, index));
}

void
assay_paired_encoders_release (const AssayPairedEncoders *encoders, AssayRelease *release)
{
  for (guint s = 0; s < encoders->n_encoders; s++) {
    release_layer (&encoders->encoders[s], 0, assay_paired_layer_1[s], release);
    if (encoders->encoders[s].n_layers > 1)
      release_layer (&encoders->encoders[s], 1, assay_paired_layer_2[s], release);
  }
}

guint64
assay_paired_encoders_memory (const AssayPairedTraining *training, gsize n, gsize cols)
{
  const guint64 units = training->hidden + training->bits;

  return sizeof (double)
         * ((guint64) n * (cols + 3) + 5 * units * (cols + training->hidden + 3)
            + (guint64) MIN (training->batch, n) * (cols + 3 + 4 * units));
}
