/* Training of one-against-all linear classifiers: gradient steps and passes of stochastic descent
 * with an elastic-net penalty, as users of federated learning make them.
 *
 * A model is classes x width numbers, class after class; width is the columns of a sample and, with
 * a bias, one more, the weight of a column of ones, which is not penalised. With the margin
 * m_k = y_k (w_k . x), y_k = 1 for the sample's class and -1 for others, sample x has in row k the
 * gradient a_k x of the loss:
 *   hinge     a_k = -y_k where m_k <= 1, else 0
 *   logistic  a_k = -y_k / (1 + exp (m_k))
 * and Q = mean loss + lambda (rho |w|_1 + (1 - rho) / 2 |w|^2).
 *
 * Source: Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", equation 9 and section A.2. */
#pragma once

#include "core/data/kinds/updates.h"

typedef struct {
  gsize classes;
  gsize cols; /* of a sample */
  gboolean has_bias;
  AssayLoss loss;
  double rate;    /* gamma */
  double penalty; /* lambda */
  double mix;     /* rho */
} AssayLinearTraining;

/* Labelled samples: @chosen are rows of @rows. */
typedef struct {
  AssayView rows;
  const gint64 *labels;
  const gsize *chosen;
  gsize count;
} AssayLinearSamples;

static inline gsize
assay_linear_width (const AssayLinearTraining *training)
{
  return training->cols + (training->has_bias ? 1 : 0);
}

static inline gsize
assay_linear_weights (const AssayLinearTraining *training)
{
  return training->classes * assay_linear_width (training);
}

/* w_k . x of every class. */
void assay_linear_scores (const AssayLinearTraining *training, const double *weights,
                          const float *row, double *ret_scores);
/* The a_k of a sample with these scores. */
void assay_linear_slopes (const AssayLinearTraining *training, const double *scores, gint64 label,
                          double *ret_slopes);

/* One proximal gradient step on the mean loss of all samples:
 *   w+ = S ((1 - gamma lambda (1 - rho)) w - gamma / b sum_i a_i x_i', gamma lambda rho),
 * S (v, t) = sign (v) max (|v| - t, 0). */
void assay_linear_step (const AssayLinearTraining *training, const AssayLinearSamples *samples,
                        double *inout_weights);

/* One pass of stochastic gradient descent, sample by sample in their order. A soft threshold after
 * each sample never gets sparse, as every row that moves gets dense, and so the penalty is
 * cumulative (Tsuruoka, Tsujii and Ananiadou 2009, "Stochastic Gradient Descent Training for
 * L1-regularized Log-linear Models with Cumulative Penalty", section 3.2): with u what any weight
 * could have been penalised by, and q what it was,
 *   v > 0: v' = max (0, v - (u + q)),  v < 0: v' = min (0, v + (u - q)),  q += v' - v;
 * both are 0 when a pass begins. */
void assay_linear_pass (const AssayLinearTraining *training, const AssayLinearSamples *samples,
                        double *inout_weights);

/* Logistic regression of each class against all others, to the optimum (logistic-optimum.h):
 * logistic loss, rho = 0, lambda above 0 and no bias. Does not depend on what @ret_weights were. */
void assay_linear_optimum (const AssayLinearTraining *training, const AssayLinearSamples *samples,
                           double *ret_weights);

/* The class of the highest score; the first of equals. */
gsize assay_linear_classify (const AssayLinearTraining *training, const double *weights,
                             const float *row);
