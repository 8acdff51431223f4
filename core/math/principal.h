/* Mean, covariance and principal components of rows: m = 1/n sum x, C = 1/n sum (x - m)(x - m)',
 * and the leading eigenvectors of C (PCA). In double, over panels of fixed size whose sums are
 * added in their order: the same to the bit for any number of threads. */
#pragma once

#include "core/data/matrix.h"

/* The mean of @rows (n x d, n >= 1). */
gboolean assay_principal_mean (AssayView rows, double *ret_mean, GError **error);
/* The mean of their squared distances from @from in each column, added up in pieces of @panel rows;
 * NULL: of the numbers themselves. */
gboolean assay_column_means (AssayView rows, const double *from, gsize panel, double *ret_mean,
                             GError **error);

typedef struct {
  gsize count;     /* k components */
  gsize cols;      /* d */
  double *mean;    /* d */
  double *values;  /* k: variances along the components, descending */
  double *vectors; /* k x d, orthonormal rows */
  gsize rank;      /* of the k, those along which rows vary by more than rounding */
} AssayPrincipal;

/* The first @count components of @rows; 1 <= count <= d. NULL with ASSAY_ERROR_MEMORY, or with
 * ASSAY_ERROR_NUMERIC where values are not finite. Components beyond the rank are LAPACK's choice
 * of an orthonormal completion. */
AssayPrincipal *assay_principal_new (AssayView rows, gsize count, GError **error);
ASSAY_DECLARE_FREE (AssayPrincipal, assay_principal_free)

/* (rows - mean) vectors', n x k. */
AssayMatrix *assay_principal_project (const AssayPrincipal *principal, AssayView rows,
                                      GError **error);

/* Bytes that it holds at its peak. */
guint64 assay_principal_memory (gsize cols, gsize count);
