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

  cr_assert_float_eq (deviations[0], sqrt (2.0 / 3), 1e-12);
  cr_assert_float_eq (deviations[1], 816.74, 0.01);
  cr_assert_eq (deviations[2], 0);
  cr_assert_float_eq (of_two[0], 0.5, 1e-12);
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

Test (column_units, widest_column)
{
  g_autoptr (AssayMatrix) matrix = make_rows ();
  g_autoptr (AssayRows) rows = assay_rows_borrow (assay_matrix_view (matrix));
  g_autoptr (AssayMatrix) zeros = assay_matrix_new (3, 2, NULL);
  g_autoptr (AssayRows) constant = assay_rows_borrow (assay_matrix_view (zeros));
  gsize column;
  double share;

  cr_assert (assay_column_widest (rows, &column, &share, NULL));
  cr_assert_eq (column, 1);
  cr_assert_float_eq (share, 1 - 1e-6, 1e-6);
  cr_assert (assay_column_widest (constant, &column, &share, NULL));
  cr_assert_eq (share, 0);
}
