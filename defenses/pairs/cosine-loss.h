/* The loss of unsupervised cross-modal hashing by reconstruction: cosines of codes of a batch
 * against a matrix of how alike its items are, which is made of their features. */
#pragma once

#include "defenses/pairs/pair-terms.h"
#include "defenses/pairs/paired-training.h"

/* Makes the matrix S of a batch (@count squared) from s = 2 cos - 1 of the rows of either modality
 * (the same size each, as @work has, and not needed afterwards). */
typedef void (*CosineTarget) (gsize count, double *const inout_alike[ASSAY_N_PAIRED], double *work,
                              double *ret_target);

typedef struct {
  double cross;   /* weight of u against v */
  double intra;   /* of u against u, and of v against v */
  double aligned; /* of an item's own two codes */
  CosineTarget target;
} CosineMethod;

extern const CosineMethod cosine_djsrh, cosine_jdsh;

typedef struct {
  const CosineMethod *method;
  gsize count, bits; /* of a batch */
  gsize cols[ASSAY_N_PAIRED];
  double *features[ASSAY_N_PAIRED]; /* n x d: rows as they are, of length 1 */
  double *batch[ASSAY_N_PAIRED];    /* those of a batch */
  double *alike[ASSAY_N_PAIRED];    /* count x count */
  double *work, *target;            /* the same; S */
  double *units[ASSAY_N_PAIRED];    /* u and v of length 1: count x bits */
  double *slopes[ASSAY_N_PAIRED];   /* by these */
  PairTerms terms;
} CosineLoss;

/* FALSE where there is no room, with ASSAY_ERROR_MEMORY. */
gboolean cosine_loss_init (CosineLoss *loss, const CosineMethod *method,
                           const AssayView rows[ASSAY_N_PAIRED],
                           const AssayPairedTraining *training, AssayArena *arena, GError **error);

/* With B items, the mean over i and j of
 *   cross (cos (u_i, v_j) - S_ij)^2 + intra ((cos (u_i, u_j) - S_ij)^2 + (cos (v_i, v_j) - S_ij)^2)
 * less `aligned` times the mean over i of cos (u_i, v_i). @data is a CosineLoss (see
 * AssayPairedLoss). */
double cosine_loss (const AssayPairedBatch *batch, gpointer data,
                    double *const inout_slopes[ASSAY_N_PAIRED]);

guint64 cosine_loss_memory (const AssayPairedTraining *training, const AssayShape *shape);

/* What the settings of such a defense are held in, and its descriptor: trained by @method. */
typedef struct {
  PAIRED_TRAINING_FIELDS;
} CosineSettings;

/* Trains with the loss by the settings of @context, which are CosineSettings, and fills
 * @ret_release and @ret_truth (paired-training.h). */
gboolean cosine_loss_release (const CosineMethod *method, const AssayDefenseContext *context,
                              AssayView items, AssayRelease *ret_release, AssayTruth *ret_truth,
                              GError **error);

#define COSINE_DEFENSE(symbol, name, method, ...)                                                  \
  static gboolean protect (const AssayDefenseContext *context, AssayView items,                    \
                           AssayRelease *ret_release, AssayTruth *ret_truth, GError **error)       \
  {                                                                                                \
    return cosine_loss_release (&method, context, items, ret_release, ret_truth, error);           \
  }                                                                                                \
  ASSAY_MEMORY (memory, CosineSettings,                                                            \
                cosine_loss_memory (&PAIRED_TRAINING_OF (settings), shape))                        \
  ASSAY_DEFENSE (symbol, name,                                                                     \
                 ASSAY_SETTINGS (CosineSettings, PAIRED_TRAINING_PARAMETERS (CosineSettings)),     \
                 .memory = memory, .produces = ASSAY_RELEASE_PAIRED_CODES, .protect = protect,     \
                 __VA_ARGS__)
