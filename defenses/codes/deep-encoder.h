/* The network of a deep hashing method: a row becomes c numbers u, whose signs are bits. Either a
 * hidden layer of ReLUs on standardised columns (core/learn/paired-encoders.h), or of rows that are
 * images three layers of convolutions (core/math/picture-kernels.h), a hidden layer and as many
 * numbers, trained on a tape (core/network/train.h). */
#pragma once

#include "core/learn/paired-encoders.h"
#include "defenses/codes/hash-learning.h"

typedef struct _DeepEncoder DeepEncoder;

/* With @is_linear u is what the last layer gives, else its tanh. ASSAY_ERROR_MISMATCH where there
 * are no labels, or convolutions are wanted of rows that are no images. */
DeepEncoder *deep_encoder_new (const HashTraining *training, const HashSettings *settings,
                               gboolean is_linear, GError **error);
ASSAY_DECLARE_FREE (DeepEncoder, deep_encoder_free)

/* Rows of a batch; the last of an epoch may have fewer. */
gsize deep_encoder_batch (const DeepEncoder *encoder);

/* Batches of random rows, each of which lowers @loss by a step of Adam. Where it diverges, the
 * weights of the last pass over the rows that ended well are kept, and the function says so;
 * ASSAY_ERROR_NUMERIC in the first pass. */
gboolean deep_encoder_train (DeepEncoder *encoder, AssayPairedLoss loss, gpointer data,
                             GError **error);

/* u of all training rows: t x c. From within a loss, too. */
gboolean deep_encoder_outputs (DeepEncoder *encoder, double *ret_outputs, GError **error);

AssayHashFunction *deep_encoder_function (const DeepEncoder *encoder, GError **error);
