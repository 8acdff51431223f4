#include "defenses/graphs/structural-training.h"

#include <math.h>

const char *const structural_diagonals[] = { "one", "zero", "skip", NULL };

gboolean
structural_loss_init (StructuralLoss *loss, gsize count, gsize bits, AssayArena *arena,
                      GError **error)
{
  loss->target = assay_arena_alloc (arena, count, count * sizeof (double), "pairs", error);
  return pair_terms_init (&loss->terms, count, bits, arena, error);
}

/* One of the three sums. */
typedef struct {
  const StructuralLoss *loss;
  const AssayPairedBatch *batch;
  double weight; /* of a pair */
} Term;

static void
fill_target (const StructuralLoss *loss, const gsize *items)
{
  const gsize n = loss->terms.count;

  for (gsize i = 0; i < n; i++) {
    loss->target[i * n + i] = loss->diagonal == DIAGONAL_ONE;
    for (gsize j = i + 1; j < n && loss->graph != NULL; j++)
      loss->target[i * n + j] = loss->target[j * n + i]
          = (double) assay_weighted_graph_at (loss->graph, items[i], items[j]);
  }
}

static double
compare_row (gsize i, gconstpointer data, double *inout_products)
{
  const Term *term = data;
  const double *target = term->loss->target + i * term->batch->count;
  const double bit = 1 / (double) term->batch->bits;
  double sum = 0;

  for (gsize j = 0; j < term->batch->count; j++) {
    const double gap = (inout_products[j] * bit + 1) / 2 - target[j];
    const double weight = i == j && term->loss->diagonal == DIAGONAL_SKIP ? 0 : term->weight;

    sum += weight * gap * gap;
    inout_products[j] = weight * gap * bit;
  }
  return sum;
}

/* (|u| - 1)^2 of all numbers of a side. */
static double
quantise (const AssayPairedBatch *batch, guint side, double weight, double *inout_slopes)
{
  double sum = 0;

  for (gsize k = 0; k < batch->count * batch->bits; k++) {
    const double number = batch->outputs[side][k], gap = fabs (number) - 1;

    sum += weight * gap * gap;
    inout_slopes[k] += 2 * weight * gap * (number < 0 ? -1 : 1);
  }
  return sum;
}

double
structural_loss (const AssayPairedBatch *batch, gpointer data,
                 double *const inout_slopes[ASSAY_N_PAIRED])
{
  const StructuralLoss *loss = data;
  const double pairs = (double) batch->count * (double) batch->count;
  const double numbers = (double) batch->count * (double) batch->bits;
  static const guint sides[][2] = { { ASSAY_PAIRED_IMAGE, ASSAY_PAIRED_IMAGE },
                                    { ASSAY_PAIRED_TEXT, ASSAY_PAIRED_TEXT },
                                    { ASSAY_PAIRED_IMAGE, ASSAY_PAIRED_TEXT } };
  double sum = 0;

  fill_target (loss, batch->items);
  for (guint t = 0; t < G_N_ELEMENTS (sides); t++) {
    const guint a = sides[t][0], b = sides[t][1];
    const PairSides pair
        = { batch->outputs[a], batch->outputs[b], inout_slopes[a], inout_slopes[b] };
    const Term term = { loss, batch, (a == b ? 1 : loss->cross) / pairs };

    sum += pair_terms_add (&loss->terms, &pair, compare_row, &term);
  }
  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    sum += quantise (batch, s, loss->quantisation / numbers, inout_slopes[s]);
  return sum;
}

gboolean
structural_release (const StructuralMethod *method, const AssayDefenseContext *context,
                    AssayView items, AssayRelease *ret_release, AssayTruth *ret_truth,
                    GError **error)
{
  const StructuralSettings *settings = method->settings;
  StructuralLoss loss = { .diagonal = (Diagonal) settings->diagonal,
                          .cross = settings->cross,
                          .quantisation = settings->quantisation };
  const PairedMethod trained = { PAIRED_TRAINING_OF (settings), structural_loss, &loss };
  g_auto (AssayArena) arena = { 0 };
  AssayWeightedGraph weights;

  if (!structural_loss_init (&loss, paired_training_batch (&trained.training, items.rows),
                             trained.training.bits, &arena, error))
    return FALSE;
  if (method->graph != NULL) {
    weights = assay_release_graph (method->graph);
    loss.graph = &weights;
  }
  return paired_training_release (&trained, context, items, ret_release, ret_truth, error);
}

guint64
structural_memory (const StructuralSettings *settings, const AssayShape *shape)
{
  return paired_training_memory (&PAIRED_TRAINING_OF (settings), shape);
}
