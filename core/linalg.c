/* BLAS and LAPACK, called on one thread and with checked sizes.
 *
 * A row-major count x cols matrix without gaps is the same memory as its column-major transpose,
 * cols x count; LAPACKE is called on that view, since its row-major calls copy and transpose. */
#include "core/linalg.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/error.h"

/* In OpenBLAS built on OpenMP this is a setting of the process, so once is enough. It also sets
 * how many threads OpenMP would use by default, which assay_parallel_for never relies on. */
static void
ensure_single_thread (void)
{
  static gsize is_done;

  if (g_once_init_enter (&is_done)) {
    openblas_set_num_threads (1);
    g_once_init_leave (&is_done, 1);
  }
}

static blasint
narrow (gsize size)
{
  g_assert (size <= INT_MAX);
  return (blasint) size;
}

void
assay_linalg_product_nt (gsize rows_a, gsize rows_b, gsize inner, const float *a, gsize stride_a,
                         const float *b, gsize stride_b, float *ret_c, gsize stride_c)
{
  g_assert (stride_a >= inner && stride_b >= inner && stride_c >= rows_b);
  if (rows_a == 0 || rows_b == 0)
    return;
  if (inner == 0) {
    for (gsize i = 0; i < rows_a; i++)
      memset (ret_c + i * stride_c, 0, rows_b * sizeof (float));
    return;
  }
  ensure_single_thread ();
  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, narrow (rows_a), narrow (rows_b),
               narrow (inner), 1, a, narrow (stride_a), b, narrow (stride_b), 0, ret_c,
               narrow (stride_c));
}

void
assay_linalg_product_nt_double (gsize rows_a, gsize rows_b, gsize inner, const double *a,
                                gsize stride_a, const double *b, gsize stride_b, double *ret_c,
                                gsize stride_c)
{
  g_assert (stride_a >= inner && stride_b >= inner && stride_c >= rows_b);
  if (rows_a == 0 || rows_b == 0)
    return;
  if (inner == 0) {
    for (gsize i = 0; i < rows_a; i++)
      memset (ret_c + i * stride_c, 0, rows_b * sizeof (double));
    return;
  }
  ensure_single_thread ();
  cblas_dgemm (CblasRowMajor, CblasNoTrans, CblasTrans, narrow (rows_a), narrow (rows_b),
               narrow (inner), 1, a, narrow (stride_a), b, narrow (stride_b), 0, ret_c,
               narrow (stride_c));
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
                         "row %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                         " depends linearly on those before it",
                         i, count);
  return TRUE;
}

gboolean
assay_linalg_orthonormalize (double *rows, gsize count, gsize cols, GError **error)
{
  const lapack_int height = narrow (cols);
  const lapack_int width = narrow (count);
  g_autofree double *lengths = NULL;
  g_autofree double *reflectors = NULL;
  lapack_int info;

  g_assert (count <= cols);
  if (count == 0)
    return TRUE;
  ensure_single_thread ();
  lengths = assay_alloc (count, sizeof (double), "lengths of rows", error);
  reflectors = assay_alloc (count, sizeof (double), "reflectors", error);
  if (lengths == NULL || reflectors == NULL)
    return FALSE;
  if (!measure_rows (rows, count, cols, lengths))
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "vectors to make orthonormal hold values that are not finite");

  info = LAPACKE_dgeqrf (LAPACK_COL_MAJOR, height, width, rows, height, reflectors);
  if (info == LAPACK_WORK_MEMORY_ERROR)
    return assay_fail (error, ASSAY_ERROR_MEMORY, "QR factorization: no memory");
  g_assert (info == 0);
  if (!check_rank (rows, count, cols, lengths, error))
    return FALSE;
  info = LAPACKE_dorgqr (LAPACK_COL_MAJOR, height, width, width, rows, height, reflectors);
  if (info == LAPACK_WORK_MEMORY_ERROR)
    return assay_fail (error, ASSAY_ERROR_MEMORY, "QR factorization: no memory");
  g_assert (info == 0);
  return TRUE;
}

const char *
assay_linalg_describe (void)
{
  static char *description;

  if (g_once_init_enter (&description))
    g_once_init_leave (&description, g_strstrip (g_strdup (openblas_get_config ())));
  return description;
}
