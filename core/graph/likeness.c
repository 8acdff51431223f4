/* How alike the features of two items are. */
#include "core/graph/likeness.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectorise.h"
#include "core/graph/graph.h"

const char *const assay_similarities[] = { "joint", "first", "second", NULL };

typedef struct {
  gsize first, end;
} Columns;

/* Rows of the columns become those minus their mean, of @length. */
static void
centre (AssayMatrix *rows, Columns columns, double length)
{
  g_autofree double *mean = g_new0 (double, MAX (rows->cols, 1));

  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = columns.first; j < columns.end; j++)
      mean[j] += (double) assay_matrix_row (rows, i)[j] / (double) rows->rows;
  for (gsize i = 0; i < rows->rows; i++) {
    float *row = assay_matrix_row (rows, i);
    double square = 0;

    for (gsize j = columns.first; j < columns.end; j++) {
      row[j] = (float) ((double) row[j] - mean[j]);
      square += (double) row[j] * (double) row[j];
    }
    for (gsize j = columns.first; j < columns.end && square > 0; j++)
      row[j] = (float) (length * (double) row[j] / sqrt (square));
  }
}

AssayMatrix *
assay_likeness_rows (AssayView items, gsize first_cols, AssaySimilarity similarity, GError **error)
{
  const gboolean is_joint = similarity == ASSAY_SIMILARITY_JOINT && first_cols > 0;
  const gboolean has_first = similarity != ASSAY_SIMILARITY_SECOND;
  const gboolean has_second = similarity != ASSAY_SIMILARITY_FIRST && first_cols > 0;
  AssayMatrix *rows;

  if (first_cols == 0 && similarity != ASSAY_SIMILARITY_JOINT)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "similarity = %s: expected items of two modalities",
                            assay_similarities[similarity]);
  rows = assay_matrix_copy (items, error);
  if (rows == NULL)
    return NULL;
  /* What does not count has length 0. */
  centre (rows, (Columns){ 0, first_cols > 0 ? first_cols : items.cols },
          !has_first ? 0
          : is_joint ? G_SQRT2 / 2
                     : 1);
  if (first_cols > 0)
    centre (rows, (Columns){ first_cols, items.cols },
            !has_second ? 0
            : is_joint  ? G_SQRT2 / 2
                        : 1);
  return rows;
}

ASSAY_VECTORISED static double
product (const float *a, const float *b, gsize cols)
{
  double sums[4] = { 0 };
  gsize k = 0;

  for (; k + 4 <= cols; k += 4)
    for (guint l = 0; l < 4; l++)
      sums[l] += (double) a[k + l] * (double) b[k + l];
  for (; k < cols; k++)
    sums[0] += (double) a[k] * (double) b[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double
assay_likeness_of_pair (gconstpointer data, gsize i, gsize j)
{
  const AssayMatrix *rows = data;

  return product (rows->data + i * rows->cols, rows->data + j * rows->cols, rows->cols);
}

typedef struct {
  const AssayMatrix *rows;
  float *values;
} Filling;

static void
fill_row (gsize i, guint worker, gpointer data)
{
  const Filling *filling = data;
  const gsize n = filling->rows->rows;

  (void) worker;
  for (gsize j = i + 1; j < n; j++)
    filling->values[assay_pair_number (n, i, j)]
        = (float) assay_likeness_of_pair (filling->rows, i, j);
}

void
assay_likeness_fill (const AssayMatrix *rows, float *ret_values)
{
  Filling filling = { rows, ret_values };

  assay_parallel_for (rows->rows, fill_row, &filling);
}
