/* Logistic regression with an L2 penalty, to the optimum, of rows with signs and without a bias:
 *   w = argmin 1/n sum_i ln (1 + exp (-s_i f_i w . x_i)) + lambda / 2 |w|^2.
 * core/math/logistic.h is faster and less exact: what is audited as a function of its rows must not
 * depend on where a search stopped. */
#pragma once

#include "core/data/matrix.h"

typedef struct {
  AssayView rows;
  const gsize *chosen; /* @count of the rows; NULL: all of them */
  gsize count;
  const gint64 *labels; /* of rows; NULL: all signs are 1 */
  gint64 positive;      /* the label whose sign is 1; of others it is -1 */
  const double *factors; /* f, of rows; NULL: 1 */
} AssaySignedRows;

/* To a distance of 1e-12 / @penalty, which is above 0. */
void assay_logistic_optimum (const AssaySignedRows *rows, double penalty, double *ret_weights);
