/* Ridge regression of many outputs at once, whose penalty is chosen by the leave-one-out error in
 * closed form (Hoerl and Kennard 1970; Allen 1974, PRESS; Golub, Heath and Wahba 1979).
 *
 * Inputs are standardised and outputs centred. With the thin factorization X = Z V' of the inputs,
 * Z'Z = diag (e), all penalties share
 *   y^ = Z diag (1 / (e + lambda)) Z'Y,   h_i = 1/n + sum_j z_ij^2 / (e_j + lambda)
 * and row i, left out, would have been missed by (y_i - y^_i) / (1 - h_i). The penalty with the
 * least sum of these squares is taken. Where there are more than 32 outputs, the sum is estimated
 * from 32 random combinations of them, with a relative error of sqrt (2 / (32 n)) at most.
 *
 * The factorization is the eigenproblem of X'X (d x d), and where there are fewer rows n than
 * inputs d, that of XX' (n x n): then rows are interpolated, and the penalty alone decides between
 * the many ways. Never is anything larger than MIN (n, d) squared factored: of more than
 * ASSAY_RIDGE_MOST_ROWS rows with more inputs than that, only so many are learned from.
 * Results are the same to the bit for any number of threads. */
#pragma once

#include "core/base/rng.h"
#include "core/learn/standard.h"

#define ASSAY_RIDGE_MOST_ROWS 4096

typedef struct {
  AssayStandard *standard; /* of the inputs */
  gsize outputs;
  double *offset;       /* outputs: their means */
  AssayMatrix *weights; /* inputs x outputs, of standardised inputs */
  double lambda;        /* divided by the mean of e: in units of an input's variance in all rows */
  double left_out;      /* mean over rows of the squared leave-one-out error, over all outputs */
  gboolean is_dual;     /* n x n was factored */
} AssayRidge;

/* Learns @outputs (n x q) from @inputs (n x d), n >= 2. Draws combinations of outputs from @key.
 * ASSAY_ERROR_NUMERIC for values that are not finite. */
AssayRidge *assay_ridge_new (AssayView inputs, AssayView outputs, AssayStreamKey key,
                             GError **error);
ASSAY_DECLARE_FREE (AssayRidge, assay_ridge_free)

AssayMatrix *assay_ridge_predict (const AssayRidge *ridge, AssayView inputs, GError **error);
