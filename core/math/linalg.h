/* The only file that calls BLAS and LAPACKE. Sizes are checked before they are narrowed to their
 * integers. Every routine but one runs on one thread and may be called from assay_parallel_for. */
#pragma once

#include "core/data/matrix.h"

G_BEGIN_DECLS

typedef struct {
  gsize rows;
  gsize cols;
  gsize stride;
  const double *data;
} AssayViewDouble;

/* Rows without gaps. */
static inline AssayView
assay_view_of (const float *data, gsize rows, gsize cols)
{
  return (AssayView){ rows, cols, cols, data };
}

static inline AssayViewDouble
assay_view_of_doubles (const double *data, gsize rows, gsize cols)
{
  return (AssayViewDouble){ rows, cols, cols, data };
}

/* Which operand of a product is transposed, in BLAS's letters: A B, A B' or A' B. */
typedef enum { ASSAY_NN, ASSAY_NT, ASSAY_TN } AssayForm;

/* C, row-major, its rows @stride_c elements apart, of the operands' shapes; it may be empty. */
void assay_linalg_product (AssayForm form, AssayView a, AssayView b, float *ret_c, gsize stride_c);
/* A B or A B' in parallel, by panels of rows of A; C without gaps. The same for any number of
 * threads; not from within assay_parallel_for. */
void assay_linalg_product_in_parallel (AssayForm form, AssayView a, AssayView b, float *ret_c);
void assay_linalg_product_double (AssayForm form, AssayViewDouble a, AssayViewDouble b,
                                  double *ret_c, gsize stride_c);

/* Replaces the @count rows (each of @cols, row-major without gaps, count <= cols) by an orthonormal
 * basis of their span (Householder QR in double). ASSAY_ERROR_NUMERIC when they are linearly
 * dependent to working precision. */
gboolean assay_linalg_orthonormalize (double *rows, gsize count, gsize cols, GError **error);

/* LAPACK leaves the signs of eigenvectors and singular vectors open. Here the component of largest
 * magnitude (the first of equal ones) is positive: in each eigenvector, and in each right singular
 * vector, whose left one follows. Vectors of equal or nearly equal values span the right space, but
 * which basis of it they are is LAPACK's choice. Orders (MIN (rows, cols)) are at most 20000. */

/* The @count largest eigenvalues (count <= n), descending, of the symmetric @matrix (n x n,
 * row-major; only its lower triangle is read), and their eigenvectors as rows (count x n;
 * NULL: not wanted). ASSAY_ERROR_NUMERIC when values are not finite. */
gboolean assay_linalg_symmetric_eigen (gsize n, gsize count, const double *matrix,
                                       double *ret_values, double *ret_vectors, GError **error);

/* The @count largest eigenvalues of A x = value B x, descending, for a symmetric @matrix A and a
 * symmetric positive definite @definite B (both n x n, row-major; only their lower triangles are
 * read), and the eigenvectors as rows (count x n) with x' B x = 1. ASSAY_ERROR_NUMERIC when B is
 * not positive definite to working precision, or values are not finite. */
typedef struct {
  gsize n;
  const double *matrix;
  const double *definite;
} AssayPencil;

gboolean assay_linalg_definite_eigen (const AssayPencil *pencil, gsize count, double *ret_values,
                                      double *ret_vectors, GError **error);

/* Room for a singular value decomposition U diag (s) V', with k = MIN (rows, cols). */
typedef struct {
  double *u;      /* rows x k; NULL: not wanted */
  double *values; /* k, descending */
  double *vt;     /* k x cols; NULL: not wanted */
} AssaySvd;

/* Fills @into for @matrix (rows x cols, row-major). ASSAY_ERROR_NUMERIC when values are not
 * finite. */
gboolean assay_linalg_svd (gsize rows, gsize cols, const double *matrix, const AssaySvd *into,
                           GError **error);

/* Solves A X = B for a symmetric positive definite @matrix A (n x n, row-major; only its lower
 * triangle is read) by Cholesky's factorization; B (n x @count, row-major) is replaced by X.
 * ASSAY_ERROR_NUMERIC when A is not positive definite to working precision, or values are not
 * finite; B is then untouched. */
gboolean assay_linalg_solve_spd (gsize n, gsize count, const double *matrix, double *right,
                                 GError **error);

/* Replaces a symmetric positive definite matrix (n x n, row-major; only its lower triangle is read)
 * by its inverse, both triangles: at d^3 multiplications 2.3 times as fast as a solution for the
 * unit matrix, and in place. Errors as above; the matrix is then lost. */
gboolean assay_linalg_invert_spd (gsize n, double *inout_matrix, GError **error);

/* Which BLAS answers: "OpenBLAS 0.3.21 ... SkylakeX"; for run.json and --version. Static. */
const char *assay_linalg_describe (void);

G_END_DECLS
