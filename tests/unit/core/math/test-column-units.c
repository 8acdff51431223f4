/* Columns in units of their own. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/math/column-units.h"

/* Columns of deviations sqrt (2/3), 1000 sqrt (2/3) and 0, and a column of tiny numbers. */
static AssayMatrix *
make_rows (void)
{
  static const float values[3][4]
      = { { 1, 1000.1F, 7, 1e-38F }, { 2, 2000.3F, 7, -1e-38F }, { 3, 3000.7F, 7, 3e-38F } };
  AssayMatrix *matrix = assay_matrix_new (3, 4, NULL);

  for (gsize i = 0; i < 3; i++)
    for (gsize j = 0; j < 4; j++)
      assay_matrix_row (matrix, i)[j] = values[i][j];
  return matrix;
}

Test (column_units, powers_of_two_next_to_deviations)
{
  g_autoptr (AssayMatrix) matrix = make_rows ();
  g_autoptr (AssayRows) rows = assay_rows_borrow (assay_matrix_view (matrix));
  g_autofree double *deviations = assay_column_deviations (rows, 0, NULL);
  g_autofree double *of_two = assay_column_deviations (rows, 2, NULL);
  g_autofree float *units = assay_column_units (rows, NULL);
  double low, high;

  cr_assert_float_eq (deviations[0], sqrt (2.0 / 3), 1e-12);
  cr_assert_float_eq (deviations[1], 816.74, 0.01);
  cr_assert_eq (deviations[2], 0);
  cr_assert_float_eq (of_two[0], 0.5, 1e-12);
  cr_assert (assay_column_deviation_range (rows, &low, &high, NULL));
  cr_assert_eq (low, deviations[3], "the constant column is not the least");
  cr_assert_eq (high, deviations[1]);
  cr_assert_eq (units[0], 1);
  cr_assert_eq (units[1], 1024);
  cr_assert_eq (units[2], 1, "a constant column");
  cr_assert_eq (units[3], 0x1p-120F, "as small as units may be");
}

/* Whoever multiplies gets the numbers back to the bit. */
Test (column_units, nothing_is_lost)
{
  g_autoptr (AssayMatrix) matrix = make_rows ();
  const AssayView view = assay_matrix_view (matrix);
  g_autoptr (AssayRows) rows = assay_rows_borrow (view);
  g_autofree float *units = assay_column_units (rows, NULL);
  g_autoptr (AssayMatrix) scaled = assay_columns_divide (view, units, NULL);
  g_autoptr (AssayMatrix) back = assay_columns_multiply (assay_matrix_view (scaled), units, NULL);

  cr_assert_eq (assay_matrix_row (scaled, 1)[1], 2000.3F / 1024);
  for (gsize i = 0; i < 3; i++)
    for (gsize j = 0; j < 4; j++)
      cr_assert_eq (assay_matrix_row (back, i)[j], assay_matrix_row (matrix, i)[j]);
}

/* That of rows x cols numbers, column j of which is +- deviations[j]. */
static AssayColumnSpread
spread_of (const double *deviations, gsize cols)
{
  g_autoptr (AssayMatrix) matrix = assay_matrix_new (2, cols, NULL);
  g_autoptr (AssayRows) rows = assay_rows_borrow (assay_matrix_view (matrix));
  AssayColumnSpread spread;

  for (gsize j = 0; j < cols; j++) {
    assay_matrix_row (matrix, 0)[j] = (float) deviations[j];
    assay_matrix_row (matrix, 1)[j] = (float) -deviations[j];
  }
  cr_assert (assay_column_spread (rows, &spread, NULL));
  return spread;
}

Test (column_units, widest_column)
{
  static const double one[] = { 2, 3000, 3 }, none[] = { 0, 0 };
  const AssayColumnSpread spread = spread_of (one, 3), constant = spread_of (none, 2);

  cr_assert_eq (spread.widest, 1);
  cr_assert_float_eq (spread.share, 1 - 13 / 9e6, 1e-9);
  cr_assert (constant.share == 0 && constant.n_large == 0);
}

/* Two of four columns, 16 times the others or more; three do not let two pass for all. */
Test (column_units, columns_that_outweigh_the_rest)
{
  static const double two[] = { 1, 320, 20, 400 }, near[] = { 1, 319, 20, 400 };
  static const double three[] = { 1, 400, 20, 400, 400 }, varying[] = { 1, 400, 0, 400 };
  static const double one[] = { 1, 3, 1, 1 }, many[] = { 1, 9, 400, 1, 400, 400, 20, 1 };
  const AssayColumnSpread spread = spread_of (two, 4), of_many = spread_of (many, 8);

  cr_assert (spread.n_large == 2 && spread.widest == 3);
  cr_assert_float_eq (spread.large_share, 262400 / 262801.0, 1e-9);
  cr_assert_eq (spread_of (near, 4).n_large, 0, "15.95 times");
  cr_assert_eq (spread_of (three, 5).n_large, 0, "the larger half");
  cr_assert_eq (spread_of (varying, 4).n_large, 0, "one constant");
  cr_assert_eq (spread_of (one, 4).n_large, 0, "three quarters of the variance");
  cr_assert (of_many.n_large == 3 && of_many.widest == 2);
}
