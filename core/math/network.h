/* A classifier of rows: softmax regression, or layers of ReLUs before it, trained on shares of
 * classes by stochastic gradient descent. What an honest receiver of a release learns with; no
 * match for a convolutional network on photographs, but trained in a minute without a GPU. Why it
 * is no tape (core/network/tape.h) stands in docs/architecture.md.
 *
 * Results are the same to the bit for any number of threads. */
#pragma once

#include "core/base/rng.h"
#include "core/data/arena.h"

#define ASSAY_NETWORK_MAX_LAYERS 5 /* the last gives the classes */

/* Layer l takes widths[l] numbers to widths[l + 1]: the first width is that of a row, the last is
 * the number of classes. */
typedef struct {
  gsize n_layers; /* 1: softmax regression */
  gsize widths[ASSAY_NETWORK_MAX_LAYERS + 1];
} AssayNetworkShape;

static inline gsize
assay_network_widest_input (const AssayNetworkShape *shape)
{
  gsize widest = 0;

  for (gsize l = 0; l < shape->n_layers; l++)
    widest = MAX (widest, shape->widths[l]);
  return widest;
}

typedef struct {
  AssayNetworkShape shape;
  float *weights[ASSAY_NETWORK_MAX_LAYERS]; /* widths[l + 1] x widths[l] */
  float *biases[ASSAY_NETWORK_MAX_LAYERS];  /* widths[l + 1] */
  /* It gives numbers, no classes: outputs are those of the last layer, targets any numbers, and the
   * loss is half the squared distance. Set before training. */
  gboolean gives_numbers;
  AssayArena arena;
} AssayNetwork;

typedef struct {
  gsize epochs; /* that were completed: the weights that are kept are of the last of them */
  double loss;  /* of training in it: mean of the rows when each had its turn */
  gboolean has_diverged; /* ... in the one after it, with weights or a loss that are not finite */
} AssayNetworkReport;

typedef struct {
  gsize epochs; /* passes over the rows, each in a fresh random order */
  gsize batch;
  double learning_rate; /* of the first batch; falls to 0 along half a cosine */
  double momentum;
  double weight_decay;        /* this times |W|^2 / 2 is added to the loss; biases are left out */
  AssayNetworkReport *report; /* is told how it ended; NULL: nobody is */
} AssayNetworkTraining;

/* Normal weights of variance 2 / widths[l] (He et al. 2015) before a ReLU, 0 elsewhere. Draws from
 * items 0 .. ASSAY_NETWORK_MAX_LAYERS - 1 of @key. ASSAY_ERROR_MEMORY, ASSAY_ERROR_CANCELLED upon
 * Ctrl-C. */
AssayNetwork *assay_network_new (const AssayNetworkShape *shape, AssayStreamKey key,
                                 GError **error);
ASSAY_DECLARE_FREE (AssayNetwork, assay_network_free)

/* Lowers the mean over rows of -sum_c y_c ln p_c, where y is the row of @targets (n x classes, none
 * negative) and p that of predictions. Targets need not sum to 1: rows count by their sum. Epochs
 * draw from items ASSAY_NETWORK_MAX_LAYERS + 0, 1, ... of @key. ASSAY_ERROR_MISMATCH for other
 * sizes, ASSAY_ERROR_DATA for negative targets or targets that are all 0, ASSAY_ERROR_NUMERIC for
 * numbers that are not finite, and where training diverges in its first epoch, or, without a
 * report, in any. Upon Ctrl-C ASSAY_ERROR_CANCELLED: its weights are then of no use. */
gboolean assay_network_train (AssayNetwork *network, const AssayNetworkTraining *training,
                              AssayView inputs, AssayView targets, AssayStreamKey key,
                              GError **error);

/* The share that the network gives each class: @inputs' rows x classes. ASSAY_ERROR_NUMERIC for
 * inputs that are not finite, ASSAY_ERROR_CANCELLED upon Ctrl-C. */
gboolean assay_network_predict (const AssayNetwork *network, AssayView inputs, float *ret_shares,
                                GError **error);

guint64 assay_network_memory (const AssayNetworkShape *shape, gsize batch); /* bytes of training */
