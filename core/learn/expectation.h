/* How a learner did on rows that it did not see, and whether that is better than the best constant.
 * It is by a paired one-sided test of the squared errors at z = 3, and in each part by itself. */
#pragma once

#include "core/data/matrix.h"

typedef enum {
  ASSAY_LEARNER_BEST,
  ASSAY_LEARNER_RIDGE,
  ASSAY_LEARNER_TRIMMED_RIDGE,
  ASSAY_LEARNER_DIRECTIONS, /* the same of rows that are divided by their lengths */
  ASSAY_LEARNER_NEIGHBOURS,
  ASSAY_LEARNER_NETWORK,
} AssayLearnerKind;

/* How it expects to do, by the held-out rows. */
typedef struct {
  AssayLearnerKind kind; /* which was taken */
  gboolean has_learned;  /* better than the best constant */
  double error;          /* median of ||y^ - y|| / ||y|| over held-out rows */
  double constant_error; /* the same of the constant */
  double explained;      /* 1 - sum of squared errors / that of the constant */
  gsize n_learned, n_held;
} AssayExpectation;

typedef struct {
  AssayView outputs;     /* n x q: y */
  AssayView predictions; /* n x q: y^ */
  const double *mean;    /* q: the constant */
  const guint *parts;    /* n: of each row; NULL: all are of one */
} AssayHeldRows;

/* Over rows: of the squared distances from what was wanted, and from their mean. */
double assay_mean_squared_error (AssayView predicted, AssayView wanted);
double assay_rows_variance (AssayView rows);

/* Sets all but `kind` and `n_learned`. ASSAY_ERROR_MEMORY. */
gboolean assay_expectation_find (const AssayHeldRows *held, AssayExpectation *ret_expects,
                                 GError **error);
