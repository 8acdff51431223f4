/* Eigenvalues, singular values and positive definite systems of linalg.h: by the identities
 * that define them, on spectra that are known, and on what must be refused.
 *
 * Tolerances: the algorithms are backward stable, so that residuals and departures from
 * orthonormality are a small multiple of n epsilon times the largest value (Higham 2002, "Accuracy
 * and stability of numerical algorithms"; Anderson et al. 1999, "LAPACK users' guide", sections 4.7
 * and 4.9). */
#include <float.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/math/linalg.h"
#include "tests/unit/assert-near.h"

static double *
random_matrix (gsize rows, gsize cols, guint64 item)
{
  AssayStream stream = assay_stream (assay_stream_key (23, 0, "data", ""), item);
  double *values = g_new0 (double, rows *cols + 1);

  for (gsize i = 0; i < rows * cols; i++)
    values[i] = assay_stream_normal (&stream);
  return values;
}

static double *
random_symmetric (gsize n, guint64 item)
{
  double *values = random_matrix (n, n, item);

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < i; j++)
      values[j * n + i] = values[i * n + j];
  return values;
}

/* The lower triangle alone is to be read. */
static double *
without_upper (const double *matrix, gsize n)
{
  double *lower = g_memdup2 (matrix, n * n * sizeof (double));

  for (gsize i = 0; i < n; i++)
    for (gsize j = i + 1; j < n; j++)
      lower[i * n + j] = NAN;
  return lower;
}

static double
norm_of (const double *values, gsize count)
{
  double sum = 0;

  for (gsize i = 0; i < count; i++)
    sum += values[i] * values[i];
  return sqrt (sum);
}

static double
dot (const double *a, gsize stride_a, const double *b, gsize stride_b, gsize count)
{
  double sum = 0;

  for (gsize i = 0; i < count; i++)
    sum += a[i * stride_a] * b[i * stride_b];
  return sum;
}

/* @count vectors: vector i starts at i * step, its components are @stride apart. */
static void
check_orthonormal (const double *vectors, gsize count, gsize cols, gsize step, gsize stride,
                   const char *what)
{
  for (gsize i = 0; i < count; i++)
    for (gsize j = 0; j <= i; j++)
      assert_near (dot (vectors + i * step, stride, vectors + j * step, stride, cols), i == j,
                   20 * (double) (cols + 1) * DBL_EPSILON, "%s: vectors %zu and %zu of %zu", what,
                   i, j, cols);
}

static void
check_sign (const double *vector, gsize cols, const char *what)
{
  double least = 0, most = 0;

  for (gsize j = 0; j < cols; j++) {
    least = MIN (least, vector[j]);
    most = MAX (most, vector[j]);
  }
  cr_assert (most >= -least, "%s: from %g to %g", what, least, most);
}

/* ---- Eigenvalues ---- */

static void
check_eigen (const double *matrix, gsize n, gsize count, double *ret_values)
{
  const double tolerance = 20 * (double) n * DBL_EPSILON * (norm_of (matrix, n * n) + DBL_MIN);
  g_autofree double *lower = without_upper (matrix, n);
  g_autofree double *alone = g_new (double, count);
  g_autofree double *vectors = g_new (double, count *n);

  cr_assert (assay_linalg_symmetric_eigen (n, count, lower, ret_values, vectors, NULL));
  cr_assert (assay_linalg_symmetric_eigen (n, count, lower, alone, NULL, NULL));
  check_orthonormal (vectors, count, n, n, 1, "eigenvectors");
  for (gsize k = 0; k < count; k++) {
    const double *v = vectors + k * n;

    cr_assert (k == 0 || ret_values[k] <= ret_values[k - 1], "%zu of %zu", k, count);
    assert_near (alone[k], ret_values[k], tolerance, "value %zu without vectors", k);
    check_sign (v, n, "eigenvector");
    for (gsize i = 0; i < n; i++)
      assert_near (dot (matrix + i * n, 1, v, 1, n), ret_values[k] * v[i], tolerance,
                   "%zu of %zu, A v at %zu", k, n, i);
  }
}

/* All pairs satisfy A v = lambda v, and the leading ones are the same ones. */
Test (linalg_lapack, eigenpairs_are_what_defines_them)
{
  static const gsize sizes[] = { 1, 2, 3, 10, 57, 130 };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
    const gsize n = sizes[s];
    g_autofree double *matrix = random_symmetric (n, n);
    g_autofree double *all = g_new (double, n);
    g_autofree double *leading = g_new (double, n);
    double trace = 0, sum = 0;

    check_eigen (matrix, n, n, all);
    for (gsize i = 0; i < n; i++) {
      trace += matrix[i * n + i];
      sum += all[i];
    }
    assert_near (sum, trace, 1e-13 * (double) (n * n), "trace at %zu", n);
    for (gsize count = 1; count < n; count = 2 * count + 1) {
      check_eigen (matrix, n, count, leading);
      for (gsize i = 0; i < count; i++)
        assert_near (leading[i], all[i], 1e-13 * (double) n, "leading %zu of %zu", i, n);
    }
  }
}

/* The second difference matrix has the eigenvalues 2 - 2 cos (k pi / (n + 1)), and eigenvectors
 * sin (i k pi / (n + 1)), k = 1 .. n. */
Test (linalg_lapack, spectrum_of_second_differences)
{
  enum { N = 40 };
  g_autofree double *matrix = g_new0 (double, N *N);
  double values[N], vectors[N * N];

  for (gsize i = 0; i < N; i++) {
    matrix[i * N + i] = 2;
    if (i > 0)
      matrix[i * N + i - 1] = -1;
  }
  for (gsize count = N; count > 0; count /= 3) {
    cr_assert (assay_linalg_symmetric_eigen (N, count, matrix, values, vectors, NULL));
    for (gsize k = 0; k < count; k++) {
      const double angle = (double) (N - k) * G_PI / (N + 1);
      double product = 0;

      assert_near (values[k], 2 - 2 * cos (angle), 1e-13, "value %zu", k);
      for (gsize i = 0; i < N; i++)
        product += vectors[k * N + i] * sin ((double) (i + 1) * angle) * sqrt (2.0 / (N + 1));
      assert_near (fabs (product), 1, 1e-12, "vector %zu", k);
    }
  }
}

/* A x = value B x: by what defines it, and B-orthonormal vectors, for definite and indefinite A.
 * With B = I + n / 2 or so, its condition is at most about 10. */
Test (linalg_lapack, eigenpairs_relative_to_a_definite_matrix)
{
  static const gsize sizes[] = { 1, 2, 5, 31, 90 };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
    const gsize n = sizes[s];
    g_autofree double *matrix = random_symmetric (n, 400 + n);
    g_autofree double *half = random_matrix (n, n, 500 + n);
    g_autofree double *definite = g_new (double, n *n);
    g_autofree double *lower = without_upper (matrix, n);
    g_autofree double *values = g_new (double, n);
    g_autofree double *vectors = g_new (double, n *n);
    g_autofree double *all = g_new (double, n);

    assay_linalg_product_double (ASSAY_NT, assay_view_of_doubles (half, n, n),
                                 assay_view_of_doubles (half, n, n), definite, n);
    for (gsize i = 0; i < n; i++)
      definite[i * n + i] += (double) n;
    for (gsize count = n; count > 0; count /= 3) {
      g_autofree double *definite_lower = without_upper (definite, n);
      const double tolerance = 1e-14 * (double) (n + 10);

      cr_assert (assay_linalg_definite_eigen (&(AssayPencil){ n, lower, definite_lower }, count,
                                              values, vectors, NULL));
      if (count == n)
        memcpy (all, values, n * sizeof (double));
      for (gsize k = 0; k < count; k++) {
        const double *x = vectors + k * n;

        assert_near (values[k], all[k], tolerance, "value %zu of %zu of %zu", k, count, n);
        cr_assert (k == 0 || values[k] <= values[k - 1], "%zu of %zu", k, count);
        check_sign (x, n, "eigenvector");
        for (gsize i = 0; i < n; i++)
          assert_near (dot (matrix + i * n, 1, x, 1, n),
                       values[k] * dot (definite + i * n, 1, x, 1, n),
                       tolerance * sqrt ((double) n), "%zu of %zu, A x at %zu", k, n, i);
        for (gsize j = 0; j <= k; j++) {
          double product = 0;

          for (gsize i = 0; i < n; i++)
            product += vectors[j * n + i] * dot (definite + i * n, 1, x, 1, n);
          assert_near (product, j == k, tolerance, "%zu and %zu of %zu", j, k, n);
        }
      }
    }
  }
}

/* A repeated eigenvalue: I + 1 1' has n + 1 once and 1 otherwise. */
Test (linalg_lapack, repeated_eigenvalues)
{
  enum { N = 25 };
  g_autofree double *matrix = g_new (double, N *N);
  double values[N];

  for (gsize i = 0; i < N * N; i++)
    matrix[i] = i % (N + 1) == 0 ? 2 : 1;
  for (gsize count = N; count > 0; count /= 2) {
    check_eigen (matrix, N, count, values);
    for (gsize i = 0; i < count; i++)
      assert_near (values[i], i == 0 ? N + 1 : 1, 1e-12, "value %zu of %zu", i, count);
  }
}

/* Rows of [[3, 4], [4, -3]] / 5: eigenvalues 1 and -1, eigenvectors (2, 1) and (1, -2) / sqrt 5. Of
 * the second, -2 is largest, so that it becomes (-1, 2). */
Test (linalg_lapack, signs_are_fixed)
{
  static const double matrix[] = { 0.6, 0.8, 0.8, -0.6 };
  static const double expected[] = { 2, 1, -1, 2 };
  double values[2], vectors[4], u[4], vt[4];

  cr_assert (assay_linalg_symmetric_eigen (2, 2, matrix, values, vectors, NULL));
  assert_near (values[0], 1, 1e-15, "first");
  assert_near (values[1], -1, 1e-15, "second");
  for (gsize i = 0; i < 4; i++)
    assert_near (vectors[i], expected[i] / sqrt (5), 1e-15, "component %zu", i);

  /* diag (-3, 2): the right vectors are unit vectors, the left ones carry the sign. */
  cr_assert (
      assay_linalg_svd (2, 2, (const double[]){ -3, 0, 0, 2 }, &(AssaySvd){ u, values, vt }, NULL));
  for (gsize i = 0; i < 4; i++) {
    assert_near (vt[i], i % 3 == 0, 1e-15, "vt %zu", i);
    assert_near (u[i], i == 0 ? -1 : i == 3, 1e-15, "u %zu", i);
  }
}

/* ---- Singular values ---- */

static void
check_svd (const double *matrix, gsize rows, gsize cols)
{
  const gsize rank = MIN (rows, cols);
  const double tolerance
      = 20 * (double) MAX (rows, cols) * DBL_EPSILON * (norm_of (matrix, rows * cols) + DBL_MIN);
  g_autofree double *s = g_new (double, rank);
  g_autofree double *u = g_new (double, rows *rank);
  g_autofree double *vt = g_new (double, rank *cols);
  g_autofree double *alone = g_new (double, MAX (rows, cols) * rank);

  cr_assert (assay_linalg_svd (rows, cols, matrix, &(AssaySvd){ u, s, vt }, NULL));
  check_orthonormal (u, rank, rows, 1, rank, "u");
  check_orthonormal (vt, rank, cols, cols, 1, "vt");
  for (gsize k = 0; k < rank; k++) {
    cr_assert (s[k] >= 0 && (k == 0 || s[k] <= s[k - 1]), "%zu of %zu", k, rank);
    check_sign (vt + k * cols, cols, "vt");
  }
  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < cols; j++) {
      double sum = 0;

      for (gsize k = 0; k < rank; k++)
        sum += u[i * rank + k] * s[k] * vt[k * cols + j];
      assert_near (sum, matrix[i * cols + j], tolerance, "%zu x %zu: (%zu, %zu)", rows, cols, i, j);
    }
  /* What is asked for does not change what is found. */
  cr_assert (assay_linalg_svd (rows, cols, matrix, &(AssaySvd){ alone, s, NULL }, NULL));
  cr_assert (memcmp (alone, u, rows * rank * sizeof (double)) == 0, "u alone");
  cr_assert (assay_linalg_svd (rows, cols, matrix, &(AssaySvd){ NULL, s, alone }, NULL));
  cr_assert (memcmp (alone, vt, rank * cols * sizeof (double)) == 0, "vt alone");
  cr_assert (assay_linalg_svd (rows, cols, matrix, &(AssaySvd){ NULL, alone, NULL }, NULL));
  for (gsize k = 0; k < rank; k++)
    assert_near (alone[k], s[k], tolerance, "value %zu alone", k);
}

Test (linalg_lapack, singular_values_and_vectors_are_what_defines_them)
{
  static const gsize sizes[] = { 1, 2, 9, 30, 70 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (sizes); j++) {
      g_autofree double *matrix = random_matrix (sizes[i], sizes[j], 100 + i * 5 + j);

      check_svd (matrix, sizes[i], sizes[j]);
    }
}

/* The squares of the singular values are the eigenvalues of A' A; an outer product has one, the
 * product of the lengths; of zeros all are 0. */
Test (linalg_lapack, known_singular_values)
{
  enum { ROWS = 31, COLS = 12 };
  g_autofree double *matrix = random_matrix (ROWS, COLS, 5);
  g_autofree double *x = random_matrix (ROWS, 1, 6);
  g_autofree double *y = random_matrix (COLS, 1, 7);
  g_autofree double *zeros = g_new0 (double, ROWS *COLS);
  double gram[COLS * COLS], squares[COLS], s[COLS];

  assay_linalg_product_double (ASSAY_TN, assay_view_of_doubles (matrix, ROWS, COLS),
                               assay_view_of_doubles (matrix, ROWS, COLS), gram, COLS);
  cr_assert (assay_linalg_symmetric_eigen (COLS, COLS, gram, squares, NULL, NULL));
  cr_assert (assay_linalg_svd (ROWS, COLS, matrix, &(AssaySvd){ NULL, s, NULL }, NULL));
  for (gsize k = 0; k < COLS; k++)
    assert_near (s[k] * s[k], squares[k], 1e-12, "square %zu", k);

  for (gsize i = 0; i < ROWS * COLS; i++)
    matrix[i] = x[i / COLS] * y[i % COLS];
  check_svd (matrix, ROWS, COLS);
  cr_assert (assay_linalg_svd (ROWS, COLS, matrix, &(AssaySvd){ NULL, s, NULL }, NULL));
  assert_near (s[0], norm_of (x, ROWS) * norm_of (y, COLS), 1e-13, "outer product");
  assert_near (s[1], 0, 1e-13, "outer product, second");
  check_svd (zeros, ROWS, COLS);
}

/* ---- Positive definite systems ---- */

Test (linalg_lapack, positive_definite_systems_are_solved)
{
  static const gsize sizes[] = { 1, 2, 8, 33, 100 };
  static const gsize counts[] = { 1, 3, 40 };

  for (gsize a = 0; a < G_N_ELEMENTS (sizes); a++)
    for (gsize b = 0; b < G_N_ELEMENTS (counts); b++) {
      const gsize n = sizes[a], count = counts[b];
      g_autofree double *half = random_matrix (n, n, 200 + n);
      g_autofree double *expected = random_matrix (n, count, 300 + count);
      g_autofree double *matrix = g_new (double, n *n);
      g_autofree double *right = g_new (double, n *count);
      g_autofree double *lower = NULL;

      assay_linalg_product_double (ASSAY_NT, assay_view_of_doubles (half, n, n),
                                   assay_view_of_doubles (half, n, n), matrix, n);
      for (gsize i = 0; i < n; i++)
        matrix[i * n + i] += (double) n; /* condition at most 1 + |half|^2 / n, about 5 */
      for (gsize i = 0; i < n; i++)
        for (gsize j = 0; j < count; j++)
          right[i * count + j] = dot (matrix + i * n, 1, expected + j, count, n);
      lower = without_upper (matrix, n);
      cr_assert (assay_linalg_solve_spd (n, count, lower, right, NULL));
      for (gsize i = 0; i < n * count; i++)
        assert_near (right[i], expected[i], 1e-14 * (double) (n + 10), "%zu x %zu: %zu", n, count,
                     i);
    }
}

/* ---- Bad input ---- */

static void
check_refused (gboolean is_done, GError *error, const char *message)
{
  cr_assert (!is_done, "%s", message);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC), "%s", error->message);
  cr_assert (strstr (error->message, message) != NULL, "'%s' instead of '%s'", error->message,
             message);
  g_error_free (error);
}

Test (linalg_lapack, systems_that_are_not_positive_definite_are_refused)
{
  static const double indefinite[] = { 1, 0, 0, 0, 1, 2, 0, 2, 3 }; /* second minor 1, third -1 */
  static const double singular[] = { 1, 1, 1, 1 };
  static const double broken[] = { 1, 0, NAN, 1 };
  static const double unit[] = { 1, 0, 0, 1 };
  double right[] = { 1, 2, 3 };
  GError *error = NULL;
  gboolean is_done;

  is_done = assay_linalg_solve_spd (3, 1, indefinite, right, &error);
  check_refused (is_done, g_steal_pointer (&error),
                 "3 x 3 is not positive definite (its leading minor of order 3");
  is_done = assay_linalg_solve_spd (2, 1, singular, right, &error);
  check_refused (is_done, g_steal_pointer (&error), "leading minor of order 2");
  is_done = assay_linalg_solve_spd (2, 1, broken, right, &error);
  check_refused (is_done, g_steal_pointer (&error), "row 1, column 0 of 2 x 2 is not finite");
  cr_assert (right[0] == 1 && right[1] == 2 && right[2] == 3, "untouched");
  is_done = assay_linalg_definite_eigen (&(AssayPencil){ 3, indefinite, indefinite }, 1, right,
                                         right, &error);
  check_refused (is_done, g_steal_pointer (&error),
                 "3 x 3 is not positive definite (its leading minor of order 3");
  right[1] = INFINITY;
  is_done = assay_linalg_solve_spd (2, 1, unit, right, &error);
  check_refused (is_done, g_steal_pointer (&error), "row 1, column 0 of 2 x 1 is not finite");
}

Test (linalg_lapack, values_that_are_not_finite_are_refused)
{
  double matrix[] = { 1, 2, 2, 1, 0, -INFINITY };
  double values[] = { 7, 7 };
  GError *error = NULL;
  gboolean is_done = assay_linalg_svd (2, 3, matrix, &(AssaySvd){ NULL, values, NULL }, &error);

  check_refused (is_done, g_steal_pointer (&error), "row 1, column 2 of 2 x 3 is not finite");
  matrix[2] = NAN;
  is_done = assay_linalg_symmetric_eigen (2, 1, matrix, values, NULL, &error);
  check_refused (is_done, g_steal_pointer (&error), "row 1, column 0 of 2 x 2 is not finite");
  cr_assert (values[0] == 7 && values[1] == 7, "untouched");
  is_done = assay_linalg_symmetric_eigen (20001, 1, matrix, values, NULL, &error);
  cr_assert (!is_done);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY), "%s", error->message);
  g_error_free (error);
}

Test (linalg_lapack, nothing_is_easy)
{
  cr_assert (assay_linalg_symmetric_eigen (0, 0, NULL, NULL, NULL, NULL));
  cr_assert (assay_linalg_svd (0, 3, NULL, &(AssaySvd){ NULL, NULL, NULL }, NULL));
  cr_assert (assay_linalg_solve_spd (0, 3, NULL, NULL, NULL));
}
