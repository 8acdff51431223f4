/* K-means as it is defined. */
#include "tests/reference/naive-k-means.h"

#include <math.h>

#include "tests/reference/fixtures.h"

AssayMatrix *
naive_clustered (gsize rows, gsize cols, guint64 trial)
{
  AssayMatrix *matrix = fixture_normal (rows, cols, trial);
  g_autoptr (AssayMatrix) centres = fixture_normal (40, cols, 99);

  for (gsize i = 0; i < rows * cols; i++)
    matrix->data[i] = 0.4f * matrix->data[i] + centres->data[i / cols % 40 * cols + i % cols];
  return matrix;
}

static double
squared_distance (const float *a, const float *b, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += ((double) a[i] - (double) b[i]) * ((double) a[i] - (double) b[i]);
  return sum;
}

gsize
naive_nearest_entry (AssayView entries, const float *row, double *ret_square)
{
  gsize best = 0;

  *ret_square = INFINITY;
  for (gsize i = 0; i < entries.rows; i++) {
    const double square = squared_distance (assay_view_row (entries, i), row, entries.cols);

    if (square < *ret_square) {
      *ret_square = square;
      best = i;
    }
  }
  return best;
}

double
naive_quantisation_error (AssayView entries, const AssayMatrix *rows)
{
  double sum = 0, square;

  for (gsize i = 0; i < rows->rows; i++) {
    naive_nearest_entry (entries, rows->data + i * rows->cols, &square);
    sum += square;
  }
  return sum / (double) rows->rows;
}

guint
naive_lloyd_iteration (AssayMatrix *entries, const AssayMatrix *rows, AssayScale scale)
{
  const gsize d = rows->cols;
  g_autofree double *sums = g_new0 (double, entries->rows *d);
  g_autofree gsize *counts = g_new0 (gsize, entries->rows);
  guint n_empty = 0;

  for (gsize i = 0; i < rows->rows; i++) {
    double square;
    const gsize entry
        = naive_nearest_entry (assay_matrix_view (entries), rows->data + i * d, &square);

    counts[entry]++;
    for (gsize j = 0; j < d; j++)
      sums[entry * d + j] += (double) rows->data[i * d + j];
  }
  for (gsize entry = 0; entry < entries->rows; entry++) {
    double square = 0;

    for (gsize j = 0; j < d; j++)
      square += sums[entry * d + j] * sums[entry * d + j];
    n_empty += counts[entry] == 0;
    for (gsize j = 0; j < d && counts[entry] > 0; j++)
      entries->data[entry * d + j]
          = (float) (sums[entry * d + j]
                     / (scale == ASSAY_SCALE_UNIT ? sqrt (square) : (double) counts[entry]));
  }
  return n_empty;
}
