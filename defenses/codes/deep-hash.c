#include "defenses/codes/deep-hash.h"

#include <math.h>
#include <string.h>

#include "core/math/linalg.h"
#include "defenses/codes/kernel-features.h"

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
  /* One row has no pairs. */
  const double pairs = MAX ((double) count * (double) (count - 1), 1), rows = (double) count;
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

/* ---- Learning ---- */

AssayHashFunction *
deep_hash_learn (const HashTraining *training, const HashSettings *settings, const DeepLoss *loss,
                 GError **error)
{
  g_autoptr (DeepEncoder) encoder = deep_encoder_new (training, settings, TRUE, error);
  g_auto (AssayArena) arena = { 0 };
  g_auto (LabelGroups) groups = { 0 };
  Training batches = { .loss = loss };
  gsize batch, bits;

  if (encoder == NULL
      || !label_groups_find (training, NULL, training->rows.rows, &groups, error))
    return NULL;
  batch = deep_encoder_batch (encoder);
  bits = (gsize) settings->bits;
  batches.batch = (DeepBatch){ .bits = bits,
                               .labels = training->labels,
                               .label_sets = training->label_sets,
                               .label_words = training->label_words,
                               .similar = deep_hash_similar (&groups, training->rows.rows) };
  batches.work
      = assay_arena_alloc (&arena, batch, (2 * bits + batch) * sizeof (double), "batch", error);
  if (arena.has_failed || !deep_encoder_train (encoder, lose, &batches, error))
    return NULL;
  return deep_encoder_function (encoder, error);
}
