/* Hash functions with a hidden layer, trained on labels: u = P (max (H (x, 1), 0), 1), whose signs
 * are the bits. What the published losses ask of pairs of rows is a file each; here is what they
 * have in common. Networks are a hidden layer on features or pixels as they come, or small ones of
 * convolutions on images (defenses/codes/deep-encoder.h); those of the papers are larger, and most
 * were trained on ImageNet before. All are trained by Adam, theirs by stochastic gradient descent;
 * what else differs from a paper stands in its file. */
#pragma once

#include "core/data/formats/label-sets.h"
#include "defenses/codes/deep-encoder.h"
#include "defenses/codes/label-groups.h"

/* A batch, and for a pair whether its rows have the same label, or share one. */
typedef struct {
  gsize count, bits;
  const gsize *items;   /* of the training rows */
  const gint64 *labels; /* of the training rows */
  const gint64 *label_sets; /* of the training rows, label_words each; NULL: one label each */
  gsize label_words;
  double similar;       /* share of the ordered pairs of training rows that are alike */
  gsize step;           /* batches before */
} DeepBatch;

static inline gboolean
deep_are_alike (const DeepBatch *batch, gsize i, gsize j)
{
  const gsize a = batch->items[i], b = batch->items[j], words = batch->label_words;

  return batch->label_sets == NULL ? batch->labels[a] == batch->labels[b]
                                   : assay_label_sets_meet (batch->label_sets + a * words,
                                                            batch->label_sets + b * words, words);
}

/* A loss: a mean over ordered pairs of a batch, of inner products, and one over its rows. */
typedef struct {
  /* Numbers that are compared are tanh (rise (step) u); NULL: u. */
  double (*rise) (gsize step);
  /* The loss of the products h_i' h_j (count x count), in place of which come its slopes by them,
   * with the same slope at i, j and j, i. */
  double (*pairs) (const DeepBatch *batch, double *inout_products);
  /* What it costs that a number of a row is @u, and its slope; NULL: nothing. */
  double (*number) (const DeepBatch *batch, double u, double *ret_slope);
} DeepLoss;

/* The loss of the numbers @u (count x bits) of @batch, and its slopes by them. @work has room for
 * 2 count bits + count^2 numbers. */
double deep_loss_slope (const DeepLoss *loss, const DeepBatch *batch, const double *u, double *work,
                        double *ret_slopes);

/* Those that are published. */
extern const DeepLoss dpsh_loss, dsh_loss, hashnet_loss;

/* Learns by @loss. As the functions of hash-learning.h. */
AssayHashFunction *deep_hash_learn (const HashTraining *training, const HashSettings *settings,
                                    const DeepLoss *loss, GError **error);

/* DeepBatch.similar, of training rows whose groups these are. */
double deep_hash_similar (const LabelGroups *groups, gsize rows);

/* ln (1 + exp theta) without overflow, and its slope. */
double deep_softplus (double theta, double *ret_slope);

/* Settings of these defenses; @of: behind their help texts, of which others it takes. */
#define DEEP_PARAMETERS(Struct, of, ...)                                                           \
  ASSAY_PARAM_CHOICE (Struct, network, HASH_HIDDEN_LAYER, hash_networks,                           \
                      "A hidden layer on the numbers of a row, or of images three layers of "      \
                      "convolutions before it" of,                                                 \
                      ASSAY_PARAM_EXTRA),                                                          \
      ASSAY_PARAM_INT (Struct, channels, 16, 8, 256, "",                                           \
                       "network = convolutional: channels of the first layer, of which each of "   \
                       "the next has twice as many; a multiple of 8" of,                           \
                       ASSAY_PARAM_EXTRA),                                                         \
      ASSAY_PARAM_INT (Struct, hidden, 256, 1, 4096, "units", "Size of the hidden layer" of,       \
                       ##__VA_ARGS__),                                                             \
      ASSAY_PARAM_INT (Struct, steps, 5000, 1, 1000000, "batches",                                 \
                       "Training steps, of 128 rows each" of, ##__VA_ARGS__),                      \
      ASSAY_PARAM_REAL (Struct, rate, 1e-3, 1e-8, 1, "", "Learning rate of Adam" of,               \
                        ##__VA_ARGS__),                                                            \
      ASSAY_PARAM_INT (Struct, shift, 0, 0, 64, "pixels",                                          \
                       "network = convolutional: how far images are moved at most, each way, "     \
                       "afresh in every epoch of training; continued by their mirror images" of,   \
                       ASSAY_PARAM_EXTRA),                                                         \
      ASSAY_PARAM_BOOL (Struct, mirror, FALSE,                                                     \
                        "network = convolutional: whether one in two images is mirrored left to "  \
                        "right, afresh in every epoch of training" of,                             \
                        ASSAY_PARAM_EXTRA)

/* The defense with its settings. */
#define DEEP_DEFENSE(symbol, name, method, ...)                                                    \
  HASH_DEFENSE (symbol, name, method,                                                              \
                ASSAY_SETTINGS (HashSettings, HASH_PARAM_BITS (HashSettings),                      \
                                HASH_PARAM_TRAINING (HashSettings),                                \
                                HASH_PARAM_LEARNS_FROM (HashSettings),                             \
                                DEEP_PARAMETERS (HashSettings, "")),                               \
                __VA_ARGS__)
