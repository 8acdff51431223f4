/* Training by DP-SGD (Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar and Zhang 2016, "Deep
 * Learning with Differential Privacy", algorithm 1), whatever is trained.
 *
 * In each of T rounds every row takes part with probability q; its gradient is scaled to a length
 * of at most C; the sum gets noise N (0, (z C)^2) on each weight, and is divided by `batch`. Steps
 * are those of descent with momentum. z is the least for which the Renyi accountant has (epsilon,
 * delta) (defenses/updates/sampled-sums.h). q and `batch` are settings and not computed from the
 * number of rows, which is private. */
#pragma once

#include "core/plugin/plugin.h"

/* Members of the settings of a defense that trains so; they come first. */
#define PRIVATE_TRAINING_SETTINGS                                                                  \
  double epsilon;                                                                                  \
  double delta;                                                                                    \
  double rate; /* q */                                                                             \
  gint64 batch;                                                                                    \
  gint64 rounds; /* T */                                                                           \
  double clip;   /* C */                                                                           \
  double learning_rate;                                                                            \
  double momentum;                                                                                 \
  bool noise

typedef struct {
  PRIVATE_TRAINING_SETTINGS;
} PrivateTraining;

#define PRIVATE_TRAINING_PARAMETERS(Struct)                                                        \
  ASSAY_PARAM_REAL (Struct, epsilon, 2, 1e-2, 60, "nats", "Privacy budget of one row"),            \
      ASSAY_PARAM_REAL (Struct, delta, 1e-5, 1e-30, 0.999999, "",                                  \
                        "Probability mass for which epsilon need not hold"),                       \
      ASSAY_PARAM_REAL (Struct, rate, 0.0256, 1e-6, 1, "",                                         \
                        "Probability q that a row takes part in a round"),                         \
      ASSAY_PARAM_INT (Struct, batch, 256, 1, 100000000, "rows",                                   \
                       "What a sum is divided by: the rows that are expected in a round"),         \
      ASSAY_PARAM_INT (Struct, rounds, 400, 1, 1000000, "", "Training rounds (T)"),                \
      ASSAY_PARAM_REAL (Struct, clip, 1, 1e-6, 1e6, "",                                            \
                        "Norm to which gradients are clipped (C)"),                                \
      ASSAY_PARAM_REAL (Struct, learning_rate, 0.1, 1e-9, 1e6, "", "Learning rate of each step"),  \
      ASSAY_PARAM_REAL (Struct, momentum, 0.9, 0, 0.999999, "",                                    \
                        "Share of a step that the next one goes on with"),                         \
      ASSAY_PARAM_BOOL (Struct, noise, TRUE,                                                       \
                        "Whether there is noise; without it nothing is claimed")

/* What is trained. */
typedef struct {
  gsize n_rows;
  gsize n_weights;
  /* Adds the clipped gradients of @rows, @count of them in order, at @weights to @inout_sum. */
  gboolean (*add_rows) (gpointer data, const double *weights, const gsize *rows, gsize count,
                        double *inout_sum, GError **error);
  gpointer data;
} PrivateModel;

/* @inout_weights: those it begins with. ASSAY_ERROR_NUMERIC where weights do not remain finite;
 * ASSAY_ERROR_MEMORY, ASSAY_ERROR_CANCELLED upon Ctrl-C, for which each round asks. */
gboolean private_training_run (const PrivateTraining *settings, const PrivateModel *model,
                               AssayStreamKey key, double *inout_weights, GError **error);
/* ASSAY_ERROR_MISMATCH for a dataset without labels of two classes at least, ASSAY_ERROR_DATA for a
 * label that is none of them. */
gboolean private_training_check_labels (const AssayDefenseContext *context, gsize n,
                                        GError **error);

/* Of settings that begin with those above: noisy sums of a row that is there or not. */
extern const AssayMechanism private_training_mechanism;
#define PRIVATE_TRAINING_CLAIM                                                                     \
  "(epsilon, delta)-differential privacy of the rows, between sets of rows that differ in "        \
  "one row with its label"
