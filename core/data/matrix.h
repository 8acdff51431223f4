/* Row-major float32 matrices and borrowed views of them. Sizes are size_t everywhere; narrowing to
 * the integers of BLAS, LAPACK and FAISS happens, checked, in linalg and knn only. */
#pragma once

#include "core/base/free.h"

G_BEGIN_DECLS

/* An owned rows x cols matrix, row-major without gaps, 64-byte aligned. */
typedef struct {
  gsize rows;
  gsize cols;
  float *data;
} AssayMatrix;

/* Borrowed rows x cols numbers; row i starts at data + i * stride. */
typedef struct {
  gsize rows;
  gsize cols;
  gsize stride;
  const float *data;
} AssayView;

/* @count elements of @size bytes, 64-byte aligned and zeroed; freed with g_free. Overflow and
 * exhaustion are ASSAY_ERROR_MEMORY and name @what. A count of 0 gives a valid, empty block. */
gpointer assay_alloc (gsize count, gsize size, const char *what, GError **error);

AssayMatrix *assay_matrix_new (gsize rows, gsize cols, GError **error);
AssayMatrix *assay_matrix_copy (AssayView view, GError **error);
ASSAY_DECLARE_FREE (AssayMatrix, assay_matrix_free)

AssayView assay_matrix_view (const AssayMatrix *matrix);
AssayView assay_view_rows (AssayView view, gsize first, gsize count);

static inline float *
assay_matrix_row (AssayMatrix *matrix, gsize row)
{
  return matrix->data + row * matrix->cols;
}

static inline const float *
assay_view_row (AssayView view, gsize row)
{
  return view.data + row * view.stride;
}

/* ASSAY_ERROR_NUMERIC naming @what, row and column of the first value that is not finite. */
gboolean assay_view_check_finite (AssayView view, const char *what, GError **error);

/* The same of shares of classes, a class a column: ASSAY_ERROR_DATA where one is negative, or none
 * is positive. */
gboolean assay_view_check_shares (AssayView shares, GError **error);

G_END_DECLS
