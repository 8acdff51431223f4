/* Two encoders, one of each modality of the same items, that are trained together: rows x and z
 * become u = tanh (f (x)) and v = tanh (g (z)), numbers between -1 and 1 whose signs are bits. What
 * is to come of them is a loss of the u and v of a batch, and that is the caller's. Items of one
 * modality have one encoder, the first, and no v. One thread, so that results do not depend on how
 * many there are. */
#pragma once

#include "core/base/rng.h"
#include "core/data/arena.h"
#include "core/learn/paired-hash.h"
#include "core/learn/standard.h"

typedef struct {
  gsize bits;
  gsize hidden; /* ReLUs between rows and numbers; 0: the encoders are linear */
  gsize steps;
  gsize batch;        /* B items a step; all, where there are fewer */
  double rate;        /* of Adam */
  gboolean is_linear; /* u = f (x): what becomes of it is up to the loss */
} AssayPairedTraining;

/* A layer gives W (x, 1): the bias is the last column. */
typedef struct {
  gsize in, out; /* without the bias */
  double *weights;
  double *gradient;
  double *moments[2]; /* of Adam; all of them out x (in + 1) */
} AssayPairedLayer;

typedef struct {
  AssayStandard *scale; /* of the columns */
  double *rows;         /* n x (d + 1): of mean 0 and deviation 1, and 1 behind them */
  guint n_layers;       /* 1 or 2 */
  AssayPairedLayer layers[2];
} AssayPairedEncoder;

typedef struct {
  AssayPairedTraining training; /* batch: as it is used */
  gsize n;
  guint n_encoders; /* 1 or 2 */
  AssayPairedEncoder encoders[ASSAY_N_PAIRED];
  AssayStreamKey key;
  AssayArena arena;
} AssayPairedEncoders;

typedef struct {
  gsize steps; /* after how many the weights are those that are kept */
  /* In this step, from 1, the loss was not finite, or after it weights were not: those of the last
   * pass over the items that ended well are kept. 0: none. */
  gsize diverged;
} AssayPairedReport;

/* What a reader of the report has to know of a training of @planned steps whose rate is the setting
 * @setting: that it diverged, and of which weights the codes are. NULL: it did not. */
char *assay_paired_report_say (const AssayPairedReport *report, gsize planned, const char *setting,
                               double rate);

/* Of a batch: the items, and what becomes of them. */
typedef struct {
  const gsize *items; /* count, from 0 to n - 1 */
  gsize count;
  gsize bits;
  const double *outputs[ASSAY_N_PAIRED]; /* u and v: count x bits */
} AssayPairedBatch;

/* The loss of @batch; sets @inout_slopes (count x bits of either side, 0 before) to its derivatives
 * by u and v. */
typedef double (*AssayPairedLoss) (const AssayPairedBatch *batch, gpointer data,
                                   double *const inout_slopes[ASSAY_N_PAIRED]);

/* Of @rows (n x d of either modality, two items at least; of one modality the second is empty).
 * Weights before tanh are normal of variance 1 / in, before ReLUs 2 / in; biases are 0. All comes
 * from @key. ASSAY_ERROR_MEMORY; ASSAY_ERROR_NUMERIC for rows that are not finite. */
AssayPairedEncoders *assay_paired_encoders_new (const AssayView rows[ASSAY_N_PAIRED],
                                                const AssayPairedTraining *training,
                                                AssayStreamKey key, GError **error);
ASSAY_DECLARE_FREE (AssayPairedEncoders, assay_paired_encoders_free)

/* All steps: each takes the next B items of a random order, of which there is a fresh one when
 * fewer than B are left, and lowers the loss by Adam. ASSAY_ERROR_NUMERIC where training
 * diverges in its first pass over the items, or, with @ret_report NULL, in any;
 * ASSAY_ERROR_CANCELLED upon Ctrl-C. */
gboolean assay_paired_encoders_train (AssayPairedEncoders *encoders, AssayPairedLoss loss,
                                      gpointer data, AssayPairedReport *ret_report, GError **error);

/* The loss of a batch as it stands, and in the layers its gradient: what a step is made of. NAN
 * where there is no memory for it, or upon Ctrl-C. */
double assay_paired_encoders_slope (AssayPairedEncoders *encoders, const gsize *items, gsize count,
                                    AssayPairedLoss loss, gpointer data);

/* W of layer @index, out x (in + 1), for rows as they are: scales are folded into layer 0. */
float *assay_paired_encoder_weights (const AssayPairedEncoder *encoder, guint index);

/* Adds the hash functions to @release, of rows as they are: scales are folded into layer 1. */
void assay_paired_encoders_release (const AssayPairedEncoders *encoders, AssayRelease *release);

guint64 assay_paired_encoders_memory (const AssayPairedTraining *training, gsize n, gsize cols);
