/* BLAS and LAPACK, called on one thread and with checked sizes.
 *
 * A row-major count x cols matrix without gaps is the same memory as its column-major transpose,
 * cols x count; LAPACKE is called on that view, since its row-major calls copy and transpose. */
#include "core/math/linalg.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"

#define PANEL 128 /* rows of a product that one thread makes at a time */

/* OpenBLAS built on OpenMP takes as many threads as OpenMP would, which belongs to the calling
 * task: what one task has set another does not see. Inside of a parallel loop it takes one by
 * itself. */
static void
ensure_single_thread (void)
{
  if (!omp_in_parallel () && omp_get_max_threads () != 1)
    openblas_set_num_threads (1);
}

static blasint
narrow (gsize size)
{
  g_assert (size <= INT_MAX);
  return (blasint) size;
}

typedef struct {
  CBLAS_TRANSPOSE op_a, op_b;
  gsize rows, cols, inner;
} Shape;

static Shape
shape_of (AssayForm form, gsize rows_a, gsize cols_a, gsize rows_b, gsize cols_b)
{
  const gboolean turns_a = form == ASSAY_TN, turns_b = form == ASSAY_NT;

  g_assert ((turns_a ? rows_a : cols_a) == (turns_b ? cols_b : rows_b));
  return (Shape){ .op_a = turns_a ? CblasTrans : CblasNoTrans,
                  .op_b = turns_b ? CblasTrans : CblasNoTrans,
                  .rows = turns_a ? cols_a : rows_a,
                  .cols = turns_b ? rows_b : cols_b,
                  .inner = turns_a ? rows_a : cols_a };
}

/* Whether there is nothing to multiply; @ret_c is the product then, its numbers of @size bytes. */
static gboolean
is_empty_product (const Shape *shape, gpointer ret_c, gsize stride_c, gsize size)
{
  g_assert (stride_c >= shape->cols);
  for (gsize i = 0; shape->inner == 0 && i < shape->rows; i++)
    memset ((guint8 *) ret_c + i * stride_c * size, 0, shape->cols * size);
  return shape->rows == 0 || shape->cols == 0 || shape->inner == 0;
}

void
assay_linalg_product (AssayForm form, AssayView a, AssayView b, float *ret_c, gsize stride_c)
{
  const Shape shape = shape_of (form, a.rows, a.cols, b.rows, b.cols);

  g_assert (a.stride >= a.cols && b.stride >= b.cols);
  if (is_empty_product (&shape, ret_c, stride_c, sizeof *ret_c))
    return;
  ensure_single_thread ();
  cblas_sgemm (CblasRowMajor, shape.op_a, shape.op_b, narrow (shape.rows), narrow (shape.cols),
               narrow (shape.inner), 1, a.data, narrow (a.stride), b.data, narrow (b.stride), 0,
               ret_c, narrow (stride_c));
}

typedef struct {
  AssayForm form;
  AssayView a, b;
  gsize cols;
  float *c;
} Panels;

static void
multiply_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Panels *job = data;
  const gsize first = index * PANEL, count = MIN (PANEL, job->a.rows - first);

  assay_linalg_product (job->form, assay_view_rows (job->a, first, count), job->b,
                        job->c + first * job->cols, job->cols);
}

void
assay_linalg_product_in_parallel (AssayForm form, AssayView a, AssayView b, float *ret_c)
{
  Panels job
      = { .form = form, .a = a, .b = b, .cols = form == ASSAY_NT ? b.rows : b.cols, .c = ret_c };

  g_return_if_fail (form != ASSAY_TN);
  assay_parallel_for (assay_pieces (a.rows, PANEL), multiply_panel, &job);
}

void
assay_linalg_product_double (AssayForm form, AssayViewDouble a, AssayViewDouble b, double *ret_c,
                             gsize stride_c)
{
  const Shape shape = shape_of (form, a.rows, a.cols, b.rows, b.cols);

  g_assert (a.stride >= a.cols && b.stride >= b.cols);
  if (is_empty_product (&shape, ret_c, stride_c, sizeof *ret_c))
    return;
  ensure_single_thread ();
  cblas_dgemm (CblasRowMajor, shape.op_a, shape.op_b, narrow (shape.rows), narrow (shape.cols),
               narrow (shape.inner), 1, a.data, narrow (a.stride), b.data, narrow (b.stride), 0,
               ret_c, narrow (stride_c));
}

/* What LAPACKE says of a call on checked arguments. */
static gboolean
check_info (lapack_int info, const char *what, GError **error)
{
  if (info == LAPACK_WORK_MEMORY_ERROR)
    return assay_fail (error, ASSAY_ERROR_MEMORY, "%s: no memory", what);
  g_assert (info >= 0);
  if (info > 0)
    return assay_fail (error, ASSAY_ERROR_NUMERIC, "%s: did not converge", what);
  return TRUE;
}

/* Length of each row; FALSE when one of the values is not finite. */
static gboolean
measure_rows (const double *rows, gsize count, gsize cols, double *ret_lengths)
{
  for (gsize i = 0; i < count; i++) {
    ret_lengths[i] = cblas_dnrm2 (narrow (cols), rows + i * cols, 1);
    if (!isfinite (ret_lengths[i]))
      return FALSE;
  }
  return TRUE;
}

/* Row i depends on those before it when what is left of it orthogonal to them, |R(i,i)|, is no
 * more than the rounding of its own length: the backward error of Householder QR is column-wise,
 * of order cols * epsilon (Higham 2002, "Accuracy and stability of numerical algorithms", theorem
 * 19.4). */
static gboolean
check_rank (const double *factors, gsize count, gsize cols, const double *lengths, GError **error)
{
  const double tolerance = 4 * (double) cols * DBL_EPSILON;

  for (gsize i = 0; i < count; i++)
    if (!(fabs (factors[i * cols + i]) > tolerance * lengths[i]))
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "row %zu of %zu depends linearly on those before it", i, count);
  return TRUE;
}

gboolean
assay_linalg_orthonormalize (double *rows, gsize count, gsize cols, GError **error)
{
  static const char what[] = "QR factorization";
  const lapack_int height = narrow (cols), width = narrow (count);
  g_autofree double *lengths = assay_alloc (count, sizeof (double), "lengths of rows", error);
  g_autofree double *reflectors
      = lengths != NULL ? assay_alloc (count, sizeof (double), "reflectors", error) : NULL;

  g_assert (count <= cols);
  if (reflectors == NULL)
    return FALSE;
  if (count == 0)
    return TRUE;
  ensure_single_thread ();
  if (!measure_rows (rows, count, cols, lengths))
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "vectors to make orthonormal hold values that are not finite");
  return check_info (LAPACKE_dgeqrf (LAPACK_COL_MAJOR, height, width, rows, height, reflectors),
                     what, error)
         && check_rank (rows, count, cols, lengths, error)
         && check_info (
             LAPACKE_dorgqr (LAPACK_COL_MAJOR, height, width, width, rows, height, reflectors),
             what, error);
}

static gboolean
fail_not_finite (gsize i, gsize j, gsize rows, gsize cols, const char *what, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_NUMERIC,
                     "%s: row %zu, column %zu of %zu x %zu is not finite", what, i, j, rows, cols);
}

static gboolean
check_finite (const double *values, gsize rows, gsize cols, const char *what, GError **error)
{
  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < cols; j++)
      if (!isfinite (values[i * cols + j]))
        return fail_not_finite (i, j, rows, cols, what, error);
  return TRUE;
}

/* Work space of 4 n^2 numbers and more is counted in LAPACK's 32-bit integers. */
static gboolean
check_order (gsize n, const char *what, GError **error)
{
  enum { MAX_ORDER = 20000 };

  if (n > MAX_ORDER)
    return assay_fail (error, ASSAY_ERROR_MEMORY,
                       "%s: an order of %zu is more than the %d that are possible", what, n,
                       MAX_ORDER);
  return TRUE;
}

/* For LAPACK to overwrite. */
static double *
copy_finite (const double *values, gsize rows, gsize cols, const char *what, GError **error)
{
  double *copy;

  if (!check_finite (values, rows, cols, what, error))
    return NULL;
  copy = assay_alloc (rows * cols, sizeof (double), what, error);
  if (copy != NULL)
    memcpy (copy, values, rows * cols * sizeof (double));
  return copy;
}

/* The lower triangle, for LAPACK to overwrite; 0 above it. */
static double *
copy_lower (gsize n, const double *values, const char *what, GError **error)
{
  double *copy;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j <= i; j++)
      if (!isfinite (values[i * n + j])) {
        fail_not_finite (i, j, n, n, what, error);
        return NULL;
      }
  copy = assay_alloc (n * n, sizeof (double), what, error);
  for (gsize i = 0; copy != NULL && i < n; i++) {
    memcpy (copy + i * n, values + i * n, (i + 1) * sizeof (double));
    memset (copy + i * n + i + 1, 0, (n - i - 1) * sizeof (double));
  }
  return copy;
}

/* The lower triangle by rows is the upper one by columns. @factors (n x n) is overwritten; values
 * ascend, and eigenvectors are its rows or those of @vectors (count x n). */
static lapack_int
decompose_symmetric (gsize n, gsize count, double *factors, double *values, double *vectors)
{
  const lapack_int order = narrow (n), least = narrow (n - count + 1);
  const char job = vectors != NULL ? 'V' : 'N';
  g_autofree lapack_int *support = NULL;
  lapack_int info, found = 0;

  /* Divide and conquer keeps vectors of clustered values orthogonal, but always finds all. */
  if (count == n) {
    info = LAPACKE_dsyevd (LAPACK_COL_MAJOR, job, 'U', order, factors, order, values);
    if (vectors != NULL)
      memcpy (vectors, factors, n * n * sizeof (double));
    return info;
  }
  support = g_new (lapack_int, 2 * n);
  info = LAPACKE_dsyevr (LAPACK_COL_MAJOR, job, 'I', 'U', order, factors, order, 0, 0, least, order,
                         0, &found, values, vectors, order, support);
  g_assert (info != 0 || found == order - least + 1);
  return info;
}

gboolean
assay_linalg_symmetric_eigen (gsize n, gsize count, const double *matrix, double *ret_values,
                              double *ret_vectors, GError **error)
{
  static const char what[] = "eigenvalues of a symmetric matrix";
  g_autofree double *factors = NULL;
  g_autofree double *values = NULL;
  g_autofree double *vectors = NULL;

  g_assert (count <= n);
  if (count == 0)
    return TRUE;
  if (!check_order (n, what, error))
    return FALSE;
  ensure_single_thread ();
  factors = copy_lower (n, matrix, what, error);
  values = assay_alloc (n, sizeof (double), what, error);
  if (factors == NULL || values == NULL
      || (ret_vectors != NULL
          && (vectors = assay_alloc (count * n, sizeof (double), what, error)) == NULL))
    return FALSE;
  if (!check_info (decompose_symmetric (n, count, factors, values, vectors), what, error))
    return FALSE;
  for (gsize i = 0; i < count; i++) {
    ret_values[i] = values[count - 1 - i];
    if (vectors != NULL)
      assay_turn_up (
          memcpy (ret_vectors + i * n, vectors + (count - 1 - i) * n, n * sizeof (double)), n);
  }
  return TRUE;
}

static gboolean
factorize_in_place (gsize n, double *inout_matrix, const char *what, GError **error)
{
  const lapack_int info
      = LAPACKE_dpotrf (LAPACK_COL_MAJOR, 'U', narrow (n), inout_matrix, narrow (n));

  if (info > 0)
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "%s: the matrix of %zu x %zu is not positive definite (its leading minor of "
                       "order %d is not positive)",
                       what, n, n, (int) info);
  return check_info (info, what, error);
}

/* The factor L of B = L L' by rows, which by LAPACK's columns is its transpose; 0 above it. */
static double *
factorize_definite (gsize n, const double *matrix, const char *what, GError **error)
{
  g_autofree double *factors = copy_lower (n, matrix, what, error);

  return factors != NULL && factorize_in_place (n, factors, what, error)
             ? g_steal_pointer (&factors)
             : NULL;
}

/* With B = L L', the eigenvalues are those of inv (L) A inv (L)', whose vectors are L' x. */
gboolean
assay_linalg_definite_eigen (const AssayPencil *pencil, gsize count, double *ret_values,
                             double *ret_vectors, GError **error)
{
  const gsize n = pencil->n;
  static const char what[] = "eigenvalues relative to a definite matrix";
  const lapack_int order = narrow (n);
  g_autofree double *factors = NULL;
  g_autofree double *reduced = NULL;

  g_assert (count <= n);
  if (count == 0)
    return TRUE;
  if (!check_order (n, what, error))
    return FALSE;
  ensure_single_thread ();
  factors = factorize_definite (n, pencil->definite, what, error);
  reduced = factors != NULL ? copy_lower (n, pencil->matrix, what, error) : NULL;
  if (reduced == NULL)
    return FALSE;
  if (!check_info (LAPACKE_dsygst (LAPACK_COL_MAJOR, 1, 'U', order, reduced, order, factors, order),
                   what, error)
      || !assay_linalg_symmetric_eigen (n, count, reduced, ret_values, ret_vectors, error))
    return FALSE;
  cblas_dtrsm (CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, order,
               narrow (count), 1, factors, order, ret_vectors, order);
  for (gsize i = 0; i < count; i++)
    assay_turn_up (ret_vectors + i * n, n);
  return TRUE;
}

/* Of A' = V S U', which is what the memory of A holds by columns: V by columns is V' by rows. */
static lapack_int
decompose (gsize rows, gsize cols, const double *matrix, double *factors, const AssaySvd *into)
{
  double *values = into->values, *u = into->u, *vt = into->vt;
  const lapack_int height = narrow (cols), width = narrow (rows), rank = MIN (height, width);
  const char job = vt != NULL ? 'S' : 'N';
  g_autofree double *off_diagonal = NULL;
  lapack_int info = LAPACKE_dgesdd (LAPACK_COL_MAJOR, job, height, width, factors, height, values,
                                    vt, height, u, rank);

  if (info <= 0)
    return info;
  /* Where divide and conquer fails, QR iterations, which are slower, need not. */
  memcpy (factors, matrix, rows * cols * sizeof (double));
  off_diagonal = g_new (double, rank);
  return LAPACKE_dgesvd (LAPACK_COL_MAJOR, job, job, height, width, factors, height, values, vt,
                         height, u, rank, off_diagonal);
}

gboolean
assay_linalg_svd (gsize rows, gsize cols, const double *matrix, const AssaySvd *into,
                  GError **error)
{
  static const char what[] = "singular value decomposition";
  const gsize rank = MIN (rows, cols);
  const gboolean has_vectors = into->u != NULL || into->vt != NULL;
  g_autofree double *factors = NULL;
  g_autofree double *values = NULL;
  g_autofree double *u = NULL;
  g_autofree double *vt = NULL;

  if (rank == 0)
    return TRUE;
  if (!check_order (rank, what, error))
    return FALSE;
  ensure_single_thread ();
  factors = copy_finite (matrix, rows, cols, what, error);
  values = assay_alloc (rank, sizeof (double), what, error);
  if (factors == NULL || values == NULL
      || (has_vectors
          && ((u = assay_alloc (rows * rank, sizeof (double), what, error)) == NULL
              || (vt = assay_alloc (rank * cols, sizeof (double), what, error)) == NULL)))
    return FALSE;
  if (!check_info (decompose (rows, cols, matrix, factors, &(AssaySvd){ u, values, vt }), what,
                   error))
    return FALSE;
  for (gsize i = 0; has_vectors && i < rank; i++)
    if (assay_turn_up (vt + i * cols, cols))
      for (gsize j = 0; j < rows; j++)
        u[j * rank + i] = -u[j * rank + i];
  memcpy (into->values, values, rank * sizeof (double));
  if (into->u != NULL)
    memcpy (into->u, u, rows * rank * sizeof (double));
  if (into->vt != NULL)
    memcpy (into->vt, vt, rank * cols * sizeof (double));
  return TRUE;
}

gboolean
assay_linalg_solve_spd (gsize n, gsize count, const double *matrix, double *right, GError **error)
{
  static const char what[] = "symmetric positive definite system";
  const blasint order = narrow (n), width = narrow (count);
  g_autofree double *factors = NULL;

  if (n == 0 || count == 0)
    return TRUE;
  ensure_single_thread ();
  if (!check_finite (right, n, count, what, error))
    return FALSE;
  factors = factorize_definite (n, matrix, what, error);
  if (factors == NULL)
    return FALSE;
  /* By rows the factor is L of A = L L'. */
  cblas_dtrsm (CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, order, width, 1,
               factors, order, right, width);
  cblas_dtrsm (CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, order, width, 1,
               factors, order, right, width);
  return TRUE;
}

gboolean
assay_linalg_invert_spd (gsize n, double *inout_matrix, GError **error)
{
  static const char what[] = "inverse of a symmetric positive definite matrix";
  const lapack_int order = narrow (n);
  lapack_int info;

  if (!check_order (n, what, error) || !check_finite (inout_matrix, n, n, what, error))
    return FALSE;
  ensure_single_thread ();
  if (!factorize_in_place (n, inout_matrix, what, error))
    return FALSE;
  info = LAPACKE_dpotri (LAPACK_COL_MAJOR, 'U', order, inout_matrix, order);
  for (gsize i = 0; info == 0 && i < n; i++)
    for (gsize j = 0; j < i; j++)
      inout_matrix[j * n + i] = inout_matrix[i * n + j];
  return check_info (info, what, error);
}

const char *
assay_linalg_describe (void)
{
  static char *description;

  if (g_once_init_enter (&description))
    g_once_init_leave (&description, g_strstrip (g_strdup (openblas_get_config ())));
  return description;
}
