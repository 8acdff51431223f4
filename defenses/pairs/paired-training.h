/* Defenses that train paired encoders with a loss of their own and release them as hash functions,
 * with the codes that these give the items. */
#pragma once

#include "core/learn/paired-encoders.h"
#include "core/plugin/plugin.h"
#include "defenses/pairs/paired-release.h"

/* clang-format off */
/* The settings of training: fields of a struct, and their rows of its table. */
#define PAIRED_TRAINING_FIELDS                                                                     \
  gint64 bits;                                                                                     \
  gint64 hidden;                                                                                   \
  gint64 steps;                                                                                    \
  gint64 batch;                                                                                    \
  double learning_rate

#define PAIRED_TRAINING_PARAMETERS(Struct)                                                         \
  ASSAY_PARAM_INT (Struct, bits, 32, 1, 1024, "bits", "Length of either code"),                    \
  ASSAY_PARAM_INT (Struct, hidden, 0, 0, 4096, "units",                                            \
                   "Hidden ReLUs of an encoder; 0: it is linear"),                                 \
  ASSAY_PARAM_INT (Struct, steps, 1000, 1, 1000000, "", "Training steps, a batch each"),           \
  ASSAY_PARAM_INT (Struct, batch, 256, 2, 4096, "items",                                           \
                   "Items in a step (B); the loss is over all pairs of them; all items, where "    \
                   "there are fewer"),                                                             \
  ASSAY_PARAM_REAL (Struct, learning_rate, 0.003, 1e-6, 10, "", "Learning rate of Adam")
/* clang-format on */

#define PAIRED_TRAINING_OF(settings)                                                               \
  ((AssayPairedTraining){ (gsize) (settings)->bits, (gsize) (settings)->hidden,                    \
                          (gsize) (settings)->steps, (gsize) (settings)->batch,                    \
                          (settings)->learning_rate, FALSE })

/* How many items a batch of @n items has. */
static inline gsize
paired_training_batch (const AssayPairedTraining *training, gsize n)
{
  return MIN (training->batch, n);
}

/* Trains with @loss on @items, or takes the functions that are the release's key, and fills
 * @ret_release, of kind paired-codes. Where training diverges, the weights of the last pass over
 * the items that ended well are kept, and @ret_truth says so; ASSAY_ERROR_NUMERIC in the first
 * pass. */
typedef struct {
  AssayPairedTraining training;
  AssayPairedLoss loss;
  gpointer data;
} PairedMethod;

gboolean paired_training_release (const PairedMethod *method, const AssayDefenseContext *context,
                                  AssayView items, AssayRelease *ret_release, AssayTruth *ret_truth,
                                  GError **error);

/* Bytes of training, and of the losses of pair-terms.h. */
guint64 paired_training_memory (const AssayPairedTraining *training, const AssayShape *shape);
