/* The loss of pairwise cross-modal hashing: the likelihood of which items of a batch are alike,
 * by inner products of their codes. */
#pragma once

#include "core/graph/graph.h"
#include "defenses/pairs/pair-terms.h"
#include "defenses/pairs/paired-training.h"

/* What says that two items are alike. */
typedef enum { LIKELIHOOD_LABELS, LIKELIHOOD_GRAPH } LikelihoodTarget;

extern const char *const likelihood_targets[]; /* by LikelihoodTarget, NULL at the end */

#define LIKELIHOOD_PARAMETER_TARGET(Struct)                                                        \
  ASSAY_PARAM_CHOICE (Struct, target, LIKELIHOOD_LABELS, likelihood_targets,                       \
                      "Which items are alike: those that share a label, or those that the "        \
                      "dataset's private graph joins")

typedef struct {
  const gint64 *labels;    /* of the items, of which equal ones are alike; NULL: */
  const AssayGraph *graph; /* joined ones are, and an item and itself */
  double intra;            /* weight of the likelihood inside either modality */
  double decorrelation;    /* of covariances of different bits */
  PairTerms terms;         /* room for a batch */
  double *centred;         /* count x bits */
  double *products;        /* bits x bits */
} LikelihoodLoss;

/* Room for batches. FALSE where there is none, with ASSAY_ERROR_MEMORY. */
gboolean likelihood_loss_init (LikelihoodLoss *loss, gsize count, gsize bits, AssayArena *arena,
                               GError **error);

/* With B items, K bits, Theta (a, b) = a . b / 2, s_ij = 1 of items that are alike, else 0, and
 * f (a, b) the mean over i and j of ln (1 + exp Theta (a_i, b_j)) - s_ij Theta (a_i, b_j),
 *   f (u, v) + intra (f (u, u) + f (v, v))
 *   + (||C - u||^2 + ||C - v||^2) / B^2 + (||sum_i u_i||^2 + ||sum_i v_i||^2) / B^3
 *   + decorrelation / 2 sum_(k != l) (cov (u_k, u_l)^2 + cov (v_k, v_l)^2),
 * where C = sign (u + v), held fixed. @data is a LikelihoodLoss (AssayPairedLoss). */
double likelihood_loss (const AssayPairedBatch *batch, gpointer data,
                        double *const inout_slopes[ASSAY_N_PAIRED]);

/* Trains with it, by the labels or the graph of @context, and fills @ret_release and
 * @ret_truth (paired-training.h). */
typedef struct {
  AssayPairedTraining training;
  LikelihoodTarget target;
  double intra, decorrelation;
} LikelihoodMethod;

gboolean likelihood_release (const LikelihoodMethod *method, const AssayDefenseContext *context,
                             AssayView items, AssayRelease *ret_release, AssayTruth *ret_truth,
                             GError **error);
