/* Mean, covariance and principal components against a naive reference, and what they are of rows
 * without variance. Tolerances: sums of n doubles are right to n epsilon of the sum of magnitudes;
 * eigenvectors to that over the gap between eigenvalues, which the data keeps wide. */
#include <float.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/math/principal.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-hashing.h"
#include "tests/unit/assert-near.h"

/* Normal rows whose columns have the deviations 1, 0.9, 0.81, ..., turned a little into each other,
 * and a mean of 5. */
static AssayMatrix *
spread_rows (gsize n, gsize d, guint64 trial)
{
  AssayMatrix *rows = fixture_normal (n, d, trial);

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      assay_matrix_row (rows, i)[j]
          = 5 + (float) pow (0.9, (double) j) * assay_matrix_row (rows, i)[j]
            + (j > 0 ? 0.1f * assay_matrix_row (rows, i)[j - 1] : 0);
  return rows;
}

Test (principal, like_the_naive_one)
{
  static const struct {
    gsize n, d, count;
  } cases[] = { { 2, 1, 1 },    { 7, 3, 2 },     { 40, 12, 12 },  { 511, 5, 5 },
                { 513, 17, 4 }, { 1100, 64, 8 }, { 600, 65, 10 }, { 9000, 6, 6 },
                /* Fewer rows than columns. */
                { 2, 9, 1 },    { 5, 17, 4 },    { 30, 60, 29 },  { 130, 140, 8 } };

  for (gsize t = 0; t < G_N_ELEMENTS (cases); t++) {
    const gsize n = cases[t].n, d = cases[t].d, count = cases[t].count;
    g_autoptr (AssayMatrix) rows = spread_rows (n, d, t);
    const AssayView view = assay_matrix_view (rows);
    g_autofree double *mean = g_new (double, d), *values = g_new (double, d);
    g_autofree double *vectors = g_new (double, d *d);
    g_autoptr (AssayPrincipal) found = assay_principal_new (view, count, NULL);
    g_autoptr (AssayMatrix) projected = assay_principal_project (found, view, NULL);

    naive_principal (view, mean, values, vectors);
    for (gsize j = 0; j < d; j++)
      assert_near (found->mean[j], mean[j], 100 * (double) n * DBL_EPSILON, "case %zu", t);
    for (gsize i = 0; i < count; i++) {
      assert_near (found->values[i], values[i], 1e-10, "case %zu, value %zu", t, i);
      for (gsize j = 0; j < d; j++)
        assert_near (found->vectors[i * d + j], vectors[i * d + j], 1e-7, "case %zu", t);
    }
    /* float32 of numbers below 5 in magnitude, and of sums of d of them. */
    for (gsize r = 0; r < n; r += 1 + n / 50)
      for (gsize i = 0; i < count; i++) {
        double y = 0;

        for (gsize j = 0; j < d; j++)
          y += ((double) rows->data[r * d + j] - mean[j]) * vectors[i * d + j];
        assert_near ((double) projected->data[r * count + i], y,
                     20 * sqrt ((double) d) * FLT_EPSILON + 1e-6, "case %zu, row %zu", t, r);
      }
  }
}

/* Squares of float32 of mean 1e4 cancel to one digit if they are not centred first, and in float32
 * to none. */
Test (principal, far_from_the_origin)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (2000, 4, 9);
  g_autoptr (AssayPrincipal) near = NULL, far = NULL;

  for (gsize i = 0; i < 2000 * 4; i++)
    rows->data[i] = roundf (rows->data[i] * 64) / 64; /* still a float32 at 10000 */
  near = assay_principal_new (assay_matrix_view (rows), 4, NULL);
  for (gsize i = 0; i < 2000 * 4; i++)
    rows->data[i] += 10000;
  far = assay_principal_new (assay_matrix_view (rows), 4, NULL);
  for (gsize j = 0; j < 4; j++) {
    assert_near (far->mean[j], near->mean[j] + 10000, 1e-8, "mean %zu", j);
    assert_near (far->values[j], near->values[j], 1e-8, "value %zu", j);
  }
}

Test (principal, rank_is_that_of_the_rows)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (100, 6, 3);
  g_autoptr (AssayPrincipal) found = NULL, constant = NULL;

  for (gsize i = 0; i < 100; i++) {
    float *row = assay_matrix_row (rows, i);

    row[3] = 0.3f * row[0] - 0.7f * row[1]; /* to rounding */
    row[4] = 7.1f;
    row[5] = row[2];
  }
  found = assay_principal_new (assay_matrix_view (rows), 6, NULL);
  cr_assert (found->rank == 3, "%zu", found->rank);
  for (gsize i = 0; i < 100 * 6; i++)
    rows->data[i] = 0.1f;
  constant = assay_principal_new (assay_matrix_view (rows), 6, NULL);
  cr_assert (constant->rank == 0, "%zu", constant->rank);
}

/* Of few rows that are copies of four, of three, or all the same: vectors are orthonormal beyond
 * the rank, too. */
Test (principal, rank_of_few_rows)
{
  enum { N = 12, D = 40, COUNT = 12 };
  g_autoptr (AssayMatrix) rows = fixture_normal (N, D, 5);
  static const gsize ranks[] = { 3, 2, 0 }; /* of four, three and one different row */

  for (gsize t = 0; t < G_N_ELEMENTS (ranks); t++) {
    g_autoptr (AssayPrincipal) found = NULL;

    for (gsize i = ranks[t] + 1; i < N; i++)
      memcpy (assay_matrix_row (rows, i), assay_matrix_row (rows, i % (ranks[t] + 1)),
              D * sizeof (float));
    found = assay_principal_new (assay_matrix_view (rows), COUNT, NULL);
    cr_assert (found->rank == ranks[t], "case %zu: %zu", t, found->rank);
    for (gsize i = 0; i < COUNT; i++) {
      cr_assert (fabs (found->values[i]) <= 1e-12 * found->values[0] || i < found->rank);
      for (gsize k = 0; k <= i; k++) {
        double product = 0;

        for (gsize j = 0; j < D; j++)
          product += found->vectors[i * D + j] * found->vectors[k * D + j];
        assert_near (product, i == k, 1e-13, "case %zu, vectors %zu and %zu", t, i, k);
      }
    }
  }
}

/* Variances that are 10^10 apart: X'u alone is orthogonal to 10^-6 only. */
Test (principal, small_variances_of_few_rows)
{
  enum { N = 8, D = 30 };
  g_autoptr (AssayMatrix) rows = fixture_normal (N, D, 6);
  g_autoptr (AssayPrincipal) found = NULL;

  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < D; j++)
      assay_matrix_row (rows, i)[j] *= j < D / 2 ? 1 : 1e-5f;
  for (gsize i = 4; i < N; i++)
    memcpy (assay_matrix_row (rows, i), assay_matrix_row (rows, i - 4), D / 2 * sizeof (float));
  found = assay_principal_new (assay_matrix_view (rows), N - 1, NULL);
  cr_assert_eq (found->rank, (gsize) N - 1);
  cr_assert (found->values[N - 2] < 1e-9 * found->values[0]);
  for (gsize i = 0; i + 1 < N; i++)
    for (gsize k = 0; k < i; k++) {
      double product = 0;

      for (gsize j = 0; j < D; j++)
        product += found->vectors[i * D + j] * found->vectors[k * D + j];
      assert_near (product, 0, 1e-13, "vectors %zu and %zu", i, k);
    }
}

Test (principal, same_for_any_number_of_threads)
{
  static const gsize sizes[][2] = { { 5000, 150 }, { 150, 1100 } };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
    const gsize n = sizes[s][0], d = sizes[s][1];
    g_autoptr (AssayMatrix) rows = spread_rows (n, d, 4);
    AssayPrincipal *found[2];
    AssayMatrix *projected[2];

    for (guint t = 0; t < 2; t++) {
      assay_parallel_set_threads (t == 0 ? 1 : 3);
      found[t] = assay_principal_new (assay_matrix_view (rows), 20, NULL);
      projected[t] = assay_principal_project (found[t], assay_matrix_view (rows), NULL);
    }
    cr_assert (memcmp (found[0]->mean, found[1]->mean, d * sizeof (double)) == 0);
    cr_assert (memcmp (found[0]->vectors, found[1]->vectors, 20 * d * sizeof (double)) == 0);
    cr_assert (memcmp (projected[0]->data, projected[1]->data, n * 20 * sizeof (float)) == 0);
    for (guint t = 0; t < 2; t++) {
      assay_principal_free (found[t]);
      assay_matrix_free (projected[t]);
    }
  }
}
