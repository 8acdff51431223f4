#include "defenses/codes/deep-hash.h"

#include <math.h>
#include <string.h>

#include "core/math/linalg.h"
#include "defenses/codes/kernel-features.h"

#define BATCH 128

double
deep_softplus (double theta, double *ret_slope)
{
  const double rest = exp (-fabs (theta));

  *ret_slope = (theta > 0 ? 1 : rest) / (1 + rest);
  return MAX (theta, 0) + log1p (rest);
}

double
deep_hash_similar (const LabelGroups *groups, gsize rows)
{
  const double n = (double) rows;
  g_autofree double *counts = g_new0 (double, groups->n);
  double pairs = 0;

  for (gsize i = 0; i < rows; i++)
    counts[groups->of_rows[i]]++;
  for (gsize a = 0; a < groups->n; a++)
    for (gsize b = 0; b < groups->n; b++)
      if (label_groups_share (groups, a, b))
        pairs += counts[a] * (a == b ? counts[a] - 1 : counts[b]);
  return pairs / (n * (n - 1));
}

/* ---- A batch ---- */

double
deep_loss_slope (const DeepLoss *loss, const DeepBatch *batch, const double *u, double *work,
                 double *ret_slopes)
{
  const gsize count = batch->count, c = batch->bits;
  const double pairs = (double) count * (double) (count - 1), rows = (double) count;
  const double rise = loss->rise != NULL ? loss->rise (batch->step) : 0;
  double *numbers = work, *slopes = work + count * c, *products = work + 2 * count * c;
  const AssayViewDouble compared = assay_view_of_doubles (numbers, count, c);
  double sum;

  for (gsize k = 0; k < count * c; k++)
    numbers[k] = loss->rise != NULL ? tanh (rise * u[k]) : u[k];
  assay_linalg_product_double (ASSAY_NT, compared, compared, products, count);
  sum = loss->pairs (batch, products) / pairs;
  assay_linalg_product_double (ASSAY_NN, assay_view_of_doubles (products, count, count), compared,
                               slopes, c);
  for (gsize k = 0; k < count * c; k++) {
    const double h = numbers[k];
    double slope = 0;

    ret_slopes[k] = 2 * slopes[k] / pairs * (loss->rise != NULL ? rise * (1 - h * h) : 1);
    if (loss->number != NULL) {
      sum += loss->number (batch, u[k], &slope) / rows;
      ret_slopes[k] += slope / rows;
    }
  }
  return sum;
}

typedef struct {
  const DeepLoss *loss;
  DeepBatch batch;
  double *work;
} Training;

static double
lose (const AssayPairedBatch *batch, gpointer data, double *const inout_slopes[ASSAY_N_PAIRED])
{
  Training *training = data;
  double sum;

  training->batch.items = batch->items;
  training->batch.count = batch->count;
  sum = deep_loss_slope (training->loss, &training->batch, batch->outputs[0], training->work,
                         inout_slopes[0]);
  training->batch.step++;
  return sum;
}

/* ---- Encoders ---- */

AssayPairedEncoders *
deep_hash_encoder (const HashTraining *training, const HashSettings *settings, gboolean is_linear,
                   GError **error)
{
  const AssayPairedTraining terms = { .bits = (gsize) settings->bits,
                                      .hidden = (gsize) settings->hidden,
                                      .steps = (gsize) settings->steps,
                                      .batch = BATCH,
                                      .rate = settings->rate,
                                      .is_linear = is_linear };
  const AssayView rows[ASSAY_N_PAIRED] = { training->rows, { 0 } };

  if (!kernel_labels_check (training, error) || !hash_rows_check (training->rows, error))
    return NULL;
  return assay_paired_encoders_new (rows, &terms, training->stream, error);
}

/* The last hidden unit is 1 whatever the row: its weights of the second layer are the biases. */
AssayHashFunction *
deep_hash_function (const AssayPairedEncoders *encoders, GError **error)
{
  const AssayPairedEncoder *encoder = &encoders->encoders[0];
  const gsize cols = encoder->layers[0].in + 1, hidden = encoder->layers[0].out;
  const gsize bits = encoder->layers[1].out;
  g_autofree float *first = assay_paired_encoder_weights (encoder, 0);
  g_autofree float *second = assay_paired_encoder_weights (encoder, 1);
  g_autoptr (AssayHashFunction) function = assay_hash_function_new ();

  function->mean = assay_matrix_new (1, hidden + 1, error);
  function->hidden = assay_matrix_new (hidden + 1, cols, error);
  function->projection = assay_matrix_new (bits, hidden + 1, error);
  if (function->mean == NULL || function->hidden == NULL || function->projection == NULL)
    return NULL;
  memcpy (function->hidden->data, first, hidden * cols * sizeof (float));
  assay_matrix_row (function->hidden, hidden)[cols - 1] = 1;
  memcpy (function->projection->data, second, bits * (hidden + 1) * sizeof (float));
  return g_steal_pointer (&function);
}

AssayHashFunction *
deep_hash_learn (const HashTraining *training, const HashSettings *settings, const DeepLoss *loss,
                 GError **error)
{
  g_autoptr (AssayPairedEncoders) encoders = deep_hash_encoder (training, settings, TRUE, error);
  g_auto (AssayArena) arena = { 0 };
  g_auto (LabelGroups) groups = { 0 };
  Training batches = { .loss = loss };
  gsize batch, bits;

  if (encoders == NULL
      || !label_groups_find (training, NULL, training->rows.rows, &groups, error))
    return NULL;
  batch = encoders->training.batch;
  bits = encoders->training.bits;
  batches.batch = (DeepBatch){ .bits = bits,
                               .labels = training->labels,
                               .label_sets = training->label_sets,
                               .label_words = training->label_words,
                               .similar = deep_hash_similar (&groups, training->rows.rows) };
  batches.work
      = assay_arena_alloc (&arena, batch, (2 * bits + batch) * sizeof (double), "batch", error);
  if (arena.has_failed || !assay_paired_encoders_train (encoders, lose, &batches, error))
    return NULL;
  return deep_hash_function (encoders, error);
}
