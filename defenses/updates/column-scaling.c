/* Columns of samples, scaled by mean and deviation. */
#include "defenses/updates/column-scaling.h"

#include <math.h>

AssayMatrix *
column_scaling_measure (AssayView rows, GError **error)
{
  g_autoptr (AssayMatrix) scaling = assay_matrix_new (2, rows.cols, error);

  for (gsize j = 0; scaling != NULL && j < rows.cols; j++) {
    double mean = 0, square = 0;

    for (gsize i = 0; i < rows.rows; i++)
      mean += (double) assay_view_row (rows, i)[j] / (double) rows.rows;
    for (gsize i = 0; i < rows.rows; i++) {
      const double off = (double) assay_view_row (rows, i)[j] - mean;

      square += off * off / (double) rows.rows;
    }
    scaling->data[j] = (float) mean;
    scaling->data[rows.cols + j] = square > 1e-20 ? (float) sqrt (square) : 1;
  }
  return g_steal_pointer (&scaling);
}

AssayMatrix *
column_scaling_apply (AssayView rows, const AssayMatrix *scaling, GError **error)
{
  AssayMatrix *scaled = assay_matrix_copy (rows, error);

  for (gsize i = 0; scaled != NULL && scaling != NULL && i < scaled->rows; i++)
    for (gsize j = 0; j < scaled->cols; j++) {
      float *x = assay_matrix_row (scaled, i) + j;

      *x = (*x - scaling->data[j]) / scaling->data[scaled->cols + j];
    }
  return scaled;
}
