#include "defenses/pairs/cosine-loss.h"

#include <math.h>
#include <string.h>

/* Rows to length 1; those of zeros stay. Lengths may be NULL. */
static void
to_units (const double *rows, gsize count, gsize cols, double *ret_units, double *ret_lengths)
{
  for (gsize i = 0; i < count; i++) {
    double square = 0, length;

    for (gsize j = 0; j < cols; j++)
      square += rows[i * cols + j] * rows[i * cols + j];
    length = square > 0 ? sqrt (square) : 1;
    for (gsize j = 0; j < cols; j++)
      ret_units[i * cols + j] = rows[i * cols + j] / length;
    if (ret_lengths != NULL)
      ret_lengths[i] = length;
  }
}

gboolean
cosine_loss_init (CosineLoss *loss, const CosineMethod *method,
                  const AssayView rows[ASSAY_N_PAIRED], const AssayPairedTraining *training,
                  AssayArena *arena, GError **error)
{
  const gsize n = rows[0].rows, count = MIN (training->batch, n), bits = training->bits;

  *loss = (CosineLoss){ .method = method, .count = count, .bits = bits };
  loss->target = assay_arena_alloc (arena, count, count * sizeof (double), "pairs", error);
  loss->work = assay_arena_alloc (arena, count, count * sizeof (double), "pairs", error);
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    const gsize d = rows[s].cols;

    loss->cols[s] = d;
    loss->features[s] = assay_arena_alloc (arena, n, d * sizeof (double), "features", error);
    loss->batch[s] = assay_arena_alloc (arena, count, d * sizeof (double), "features", error);
    loss->alike[s] = assay_arena_alloc (arena, count, count * sizeof (double), "pairs", error);
    loss->units[s] = assay_arena_alloc (arena, count, (bits + 1) * sizeof (double), "codes", error);
    loss->slopes[s] = assay_arena_alloc (arena, count, bits * sizeof (double), "codes", error);
    if (arena->has_failed)
      return FALSE;
    for (gsize i = 0; i < n; i++)
      for (gsize j = 0; j < d; j++)
        loss->features[s][i * d + j] = (double) assay_view_row (rows[s], i)[j];
    to_units (loss->features[s], n, d, loss->features[s], NULL);
  }
  return pair_terms_init (&loss->terms, count, bits, arena, error);
}

/* s = 2 cos - 1 of the items of the batch, and S of it. */
static void
fill_target (const CosineLoss *loss, const gsize *items)
{
  const gsize count = loss->count;

  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    const gsize d = loss->cols[s];

    for (gsize i = 0; i < count; i++)
      memcpy (loss->batch[s] + i * d, loss->features[s] + items[i] * d, d * sizeof (double));
    pair_products (loss->batch[s], loss->batch[s], count, d, loss->alike[s]);
    for (gsize k = 0; k < count * count; k++)
      loss->alike[s][k] = 2 * loss->alike[s][k] - 1;
  }
  loss->method->target (count, loss->alike, loss->work, loss->target);
}

typedef struct {
  const CosineLoss *loss;
  double weight; /* of a pair */
} Term;

static double
compare_row (gsize i, gconstpointer data, double *inout_products)
{
  const Term *term = data;
  const double *target = term->loss->target + i * term->loss->count;
  double sum = 0;

  for (gsize j = 0; j < term->loss->count; j++) {
    const double gap = inout_products[j] - target[j];

    sum += term->weight * gap * gap;
    inout_products[j] = 2 * term->weight * gap;
  }
  return sum;
}

static double
align (const CosineLoss *loss)
{
  const double weight = loss->method->aligned / (double) loss->count;
  double sum = 0;

  for (gsize k = 0; k < loss->count * loss->bits; k++) {
    sum -= weight * loss->units[0][k] * loss->units[1][k];
    loss->slopes[0][k] -= weight * loss->units[1][k];
    loss->slopes[1][k] -= weight * loss->units[0][k];
  }
  return sum;
}

/* From slopes g by units e = u / |u| to those by u: (g - e (e . g)) / |u|. */
static void
pull_back (const CosineLoss *loss, guint side, double *inout_slopes)
{
  const gsize bits = loss->bits;
  const double *lengths = loss->units[side] + loss->count * bits;

  for (gsize i = 0; i < loss->count; i++) {
    const double *unit = loss->units[side] + i * bits, *slope = loss->slopes[side] + i * bits;
    double along = 0;

    for (gsize b = 0; b < bits; b++)
      along += unit[b] * slope[b];
    for (gsize b = 0; b < bits; b++)
      inout_slopes[i * bits + b] += (slope[b] - unit[b] * along) / lengths[i];
  }
}

double
cosine_loss (const AssayPairedBatch *batch, gpointer data,
             double *const inout_slopes[ASSAY_N_PAIRED])
{
  CosineLoss *loss = data;
  const gsize count = loss->count, bits = loss->bits;
  const double pairs = (double) count * (double) count;
  const Term cross = { loss, loss->method->cross / pairs };
  const Term intra = { loss, loss->method->intra / pairs };
  const PairSides both = { loss->units[0], loss->units[1], loss->slopes[0], loss->slopes[1] };
  double sum;

  g_return_val_if_fail (batch->count == count && batch->bits == bits, 0);
  fill_target (loss, batch->items);
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    to_units (batch->outputs[s], count, bits, loss->units[s], loss->units[s] + count * bits);
    memset (loss->slopes[s], 0, count * bits * sizeof (double));
  }
  sum = pair_terms_add (&loss->terms, &both, compare_row, &cross);
  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    sum += pair_terms_add (
        &loss->terms,
        &(PairSides){ loss->units[s], loss->units[s], loss->slopes[s], loss->slopes[s] },
        compare_row, &intra);
  sum += align (loss);
  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    pull_back (loss, s, inout_slopes[s]);
  return sum;
}

gboolean
cosine_loss_release (const CosineMethod *method, const AssayDefenseContext *context,
                     AssayView items, AssayRelease *ret_release, AssayTruth *ret_truth,
                     GError **error)
{
  const CosineSettings *settings = context->settings;
  AssayView rows[ASSAY_N_PAIRED];
  g_auto (AssayArena) arena = { 0 };
  CosineLoss loss;
  const PairedMethod trained = { PAIRED_TRAINING_OF (settings), cosine_loss, &loss };

  return paired_split (context, items, rows, error)
         && cosine_loss_init (&loss, method, rows, &trained.training, &arena, error)
         && paired_training_release (&trained, context, items, ret_release, ret_truth, error);
}

guint64
cosine_loss_memory (const AssayPairedTraining *training, const AssayShape *shape)
{
  const guint64 n = shape->n_secrets, count = paired_training_batch (training, shape->n_secrets);

  return paired_training_memory (training, shape)
         + sizeof (double)
               * ((n + count) * shape->cols + count * (4 * count + 4 * training->bits + 2));
}
