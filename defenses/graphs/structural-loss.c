#include "defenses/graphs/structural-loss.h"

#include <math.h>

const char *const structural_diagonals[] = { "one", "zero", "skip", NULL };

/* One of the three sums. */
typedef struct {
  const StructuralLoss *loss;
  const AssayPairedBatch *batch;
  double weight; /* of a pair */
} Term;

static double
target_of (const Term *term, gsize i, gsize j)
{
  const gsize *items = term->batch->items;

  if (i == j)
    return term->loss->diagonal == DIAGONAL_ONE;
  return term->loss->graph != NULL
             ? (double) assay_weighted_graph_at (term->loss->graph, items[i], items[j])
             : 0;
}

static double
compare_row (gsize i, gconstpointer data, double *inout_products)
{
  const Term *term = data;
  const double bits = (double) term->batch->bits;
  double sum = 0;

  for (gsize j = 0; j < term->batch->count; j++) {
    const double gap = (inout_products[j] / bits + 1) / 2 - target_of (term, i, j);
    const double weight = i == j && term->loss->diagonal == DIAGONAL_SKIP ? 0 : term->weight;

    sum += weight * gap * gap;
    inout_products[j] = weight * gap / bits;
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
