/* Logistic regression by L-BFGS (liblbfgs): the classifier of audits whose density is not known. */
#pragma once

#include "core/data/matrix.h"

/* Fits P (label = 1) = 1 / (1 + exp (-(x . w + b))) with an L2 penalty of @penalty |w|^2 / 2 (the
 * mean loss is penalised; b is not). @features: n x d without gaps. @ret_weights: d numbers, then
 * b. ASSAY_ERROR_NUMERIC where it does not converge to a finite point. Deterministic: sums are
 * taken in a fixed order, whatever the number of threads. */
gboolean assay_logistic_fit (AssayView features, const guint8 *labels, double penalty,
                             double *ret_weights, GError **error);

/* @n rows of @d features, of which each has @k entries that need not be 0: in row i,
 * @values[i k + e] in column @columns[i k + e], which is below @d. Two entries of one column add
 * up. */
typedef struct {
  gsize n, d, k;
  const guint32 *columns;
  const float *values;
} AssaySparseRows;

/* assay_logistic_fit() in time n k a step in place of n d: for cells of which each column of an
 * output is in one. */
gboolean assay_logistic_fit_sparse (const AssaySparseRows *rows, const guint8 *labels,
                                    double penalty, double *ret_weights, GError **error);
