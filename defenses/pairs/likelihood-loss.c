#include "defenses/pairs/likelihood-loss.h"

#include <math.h>
#include <string.h>

#include "core/graph/edge-array.h"
#include "core/math/linalg.h"

const char *const likelihood_targets[] = { "labels", "graph", NULL };

typedef struct {
  const LikelihoodLoss *loss;
  const AssayPairedBatch *batch;
  double weight; /* of a pair */
} Term;

static gboolean
are_alike (const Term *term, gsize i, gsize j)
{
  const gsize a = term->batch->items[i], b = term->batch->items[j];

  if (term->loss->labels != NULL)
    return term->loss->labels[a] == term->loss->labels[b];
  return a == b || assay_graph_find (term->loss->graph, a, b) != ASSAY_GRAPH_NONE;
}

/* ln (1 + exp theta) = max (theta, 0) + ln (1 + exp -|theta|), and its slope in the same terms. */
static double
compare_row (gsize i, gconstpointer data, double *inout_products)
{
  const Term *term = data;
  double sum = 0;

  for (gsize j = 0; j < term->batch->count; j++) {
    const double theta = inout_products[j] / 2, rest = exp (-fabs (theta));
    const double share = (theta > 0 ? 1 : rest) / (1 + rest);
    const double alike = are_alike (term, i, j);

    sum += term->weight * (MAX (theta, 0) + log1p (rest) - alike * theta);
    inout_products[j] = term->weight * (share - alike) / 2;
  }
  return sum;
}

/* Numbers near the corners of a cube that is common to both modalities. */
static double
quantise (const AssayPairedBatch *batch, double *const inout_slopes[ASSAY_N_PAIRED])
{
  const double weight = 1 / ((double) batch->count * (double) batch->count);
  double sum = 0;

  for (gsize k = 0; k < batch->count * batch->bits; k++) {
    const double corner = batch->outputs[0][k] + batch->outputs[1][k] > 0 ? 1 : -1;

    for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
      const double gap = batch->outputs[s][k] - corner;

      sum += weight * gap * gap;
      inout_slopes[s][k] += 2 * weight * gap;
    }
  }
  return sum;
}

/* As many bits of 1 as of -1. */
static double
balance (const AssayPairedBatch *batch, guint side, double *inout_slopes)
{
  const gsize bits = batch->bits;
  const double weight = 1 / pow ((double) batch->count, 3);
  double sum = 0;

  for (gsize b = 0; b < bits; b++) {
    double total = 0;

    for (gsize i = 0; i < batch->count; i++)
      total += batch->outputs[side][i * bits + b];
    sum += weight * total * total;
    for (gsize i = 0; i < batch->count; i++)
      inout_slopes[i * bits + b] += 2 * weight * total;
  }
  return sum;
}

/* Rows less their mean. */
static void
centre (gsize count, gsize bits, double *inout_rows)
{
  for (gsize b = 0; b < bits; b++) {
    double sum = 0;

    for (gsize i = 0; i < count; i++)
      sum += inout_rows[i * bits + b];
    for (gsize i = 0; i < count; i++)
      inout_rows[i * bits + b] -= sum / (double) count;
  }
}

/* Bits that say different things. With rows e = u - mean and covariances R = e'e / B, their
 * diagonal at 0, the slope is 2 e R / B: the means of e R are 0, so that those of u have no part in
 * it. */
static double
decorrelate (const LikelihoodLoss *loss, const AssayPairedBatch *batch, guint side,
             double *inout_slopes)
{
  const gsize bits = batch->bits, count = batch->count;
  const AssayViewDouble rows = assay_view_of_doubles (loss->centred, count, bits);
  double sum = 0;

  memcpy (loss->centred, batch->outputs[side], count * bits * sizeof (double));
  centre (count, bits, loss->centred);
  assay_linalg_product_double (ASSAY_TN, rows, rows, loss->products, bits);
  for (gsize k = 0; k < bits; k++)
    for (gsize l = 0; l < bits; l++) {
      double *product = &loss->products[k * bits + l];

      *product = k != l ? *product / (double) count : 0;
      sum += loss->decorrelation / 2 * *product * *product;
    }
  assay_linalg_product_double (ASSAY_NN, rows, assay_view_of_doubles (loss->products, bits, bits),
                               loss->terms.part, bits);
  for (gsize k = 0; k < count * bits; k++)
    inout_slopes[k] += 2 * loss->decorrelation * loss->terms.part[k] / (double) count;
  return sum;
}

gboolean
likelihood_loss_init (LikelihoodLoss *loss, gsize count, gsize bits, AssayArena *arena,
                      GError **error)
{
  loss->centred = assay_arena_alloc (arena, count, bits * sizeof (double), "codes", error);
  loss->products = assay_arena_alloc (arena, bits, bits * sizeof (double), "products", error);
  return pair_terms_init (&loss->terms, count, bits, arena, error);
}

double
likelihood_loss (const AssayPairedBatch *batch, gpointer data,
                 double *const inout_slopes[ASSAY_N_PAIRED])
{
  const LikelihoodLoss *loss = data;
  const double weight = 1 / ((double) batch->count * (double) batch->count);
  const Term cross = { loss, batch, weight }, intra = { loss, batch, loss->intra * weight };
  const PairSides both = { batch->outputs[0], batch->outputs[1], inout_slopes[0], inout_slopes[1] };
  double sum = pair_terms_add (&loss->terms, &both, compare_row, &cross);

  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    const double *outputs = batch->outputs[s];
    const PairSides own = { outputs, outputs, inout_slopes[s], inout_slopes[s] };

    if (loss->intra > 0)
      sum += pair_terms_add (&loss->terms, &own, compare_row, &intra);
    if (loss->decorrelation > 0)
      sum += decorrelate (loss, batch, s, inout_slopes[s]);
    sum += balance (batch, s, inout_slopes[s]);
  }
  return sum + quantise (batch, inout_slopes);
}

/* What says which items are alike; of @ret_graph the caller frees. */
static gboolean
take_target (const LikelihoodMethod *method, const AssayDefenseContext *context, gsize n,
             LikelihoodLoss *inout_loss, AssayGraph **ret_graph, GError **error)
{
  if (method->target == LIKELIHOOD_LABELS) {
    inout_loss->labels = context->labels;
    return context->labels != NULL
           || assay_fail (error, ASSAY_ERROR_MISMATCH,
                          "expected a dataset with labels of the secrets, or target = graph");
  }
  if (context->edges == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with a private graph between the secrets (such as "
                       "interactions), or target = labels");
  inout_loss->graph = *ret_graph = assay_edge_array_graph (n, context->edges, error);
  return *ret_graph != NULL;
}

gboolean
likelihood_release (const LikelihoodMethod *method, const AssayDefenseContext *context,
                    AssayView items, AssayRelease *ret_release, AssayTruth *ret_truth,
                    GError **error)
{
  g_auto (AssayArena) arena = { 0 };
  g_autoptr (AssayGraph) graph = NULL;
  LikelihoodLoss loss = { .intra = method->intra, .decorrelation = method->decorrelation };
  const PairedMethod trained = { method->training, likelihood_loss, &loss };
  AssayView rows[ASSAY_N_PAIRED];

  return paired_split (context, items, rows, error)
         && likelihood_loss_init (&loss, paired_training_batch (&method->training, items.rows),
                                  method->training.bits, &arena, error)
         && (context->key_of != NULL
             || take_target (method, context, items.rows, &loss, &graph, error))
         && paired_training_release (&trained, context, items, ret_release, ret_truth, error);
}
