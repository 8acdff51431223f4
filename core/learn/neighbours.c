/* Regression by nearest neighbours. */
#include "core/learn/neighbours.h"

#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/search/knn.h"

#define CHOOSING 1000 /* rows that choose k */

ASSAY_FREE_FUNC (AssayNeighbours, assay_neighbours_free, assay_standard_free (self->standard),
                 assay_matrix_free (self->inputs), assay_matrix_free (self->outputs))

/* The mean outputs of @count rows. */
static void
average (const AssayMatrix *outputs, const gsize *rows, gsize count, float *ret_mean)
{
  memset (ret_mean, 0, outputs->cols * sizeof (float));
  for (gsize k = 0; k < count; k++)
    for (gsize j = 0; j < outputs->cols; j++)
      ret_mean[j] += outputs->data[rows[k] * outputs->cols + j] / (float) count;
}

/* Of row i the neighbours but itself, where it is among them; otherwise but the last. */
static void
leave_out (gsize i, gsize count, gsize *inout_rows)
{
  gsize own = count - 1;

  for (gsize k = 0; k < count; k++)
    if (inout_rows[k] == i) {
      own = k;
      break;
    }
  memmove (inout_rows + own, inout_rows + own + 1, (count - 1 - own) * sizeof (gsize));
}

static gboolean
choose (AssayNeighbours *neighbours, GError **error)
{
  const AssayView inputs = assay_matrix_view (neighbours->inputs);
  const gsize n = MIN (inputs.rows, CHOOSING), q = neighbours->outputs->cols;
  const gsize most = MIN (ASSAY_NEIGHBOURS_MOST, inputs.rows - 1);
  g_autoptr (AssayNearest) nearest
      = assay_knn_search (inputs, assay_view_rows (inputs, 0, n), most + 1, error);
  g_autofree float *mean = g_new (float, q);
  double least = G_MAXDOUBLE;

  if (nearest == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    leave_out (i, most + 1, nearest->rows + i * (most + 1));
  for (gsize k = 1; k <= most; k *= 2) {
    double sum = 0;

    for (gsize i = 0; i < n; i++) {
      average (neighbours->outputs, nearest->rows + i * (most + 1), k, mean);
      sum += assay_squared_distance (mean, assay_matrix_row (neighbours->outputs, i), q);
    }
    if (sum < least) {
      least = sum;
      neighbours->k = k;
    }
  }
  return TRUE;
}

AssayNeighbours *
assay_neighbours_new (AssayView inputs, AssayView outputs, GError **error)
{
  const gsize n = MIN (inputs.rows, ASSAY_NEIGHBOURS_MOST_ROWS);
  const AssayView used = assay_view_rows (inputs, 0, n);
  g_autoptr (AssayNeighbours) neighbours = g_new0 (AssayNeighbours, 1);

  g_return_val_if_fail (inputs.rows == outputs.rows && inputs.rows >= 2, NULL);
  neighbours->standard = assay_standard_new (used, error);
  if (neighbours->standard == NULL)
    return NULL;
  neighbours->inputs = assay_standard_apply (neighbours->standard, used, error);
  neighbours->outputs = assay_matrix_copy (assay_view_rows (outputs, 0, n), error);
  if (neighbours->inputs == NULL || neighbours->outputs == NULL || !choose (neighbours, error))
    return NULL;
  return g_steal_pointer (&neighbours);
}

AssayMatrix *
assay_neighbours_predict (const AssayNeighbours *neighbours, AssayView inputs, GError **error)
{
  g_autoptr (AssayMatrix) scaled = assay_standard_apply (neighbours->standard, inputs, error);
  g_autoptr (AssayNearest) nearest
      = scaled != NULL ? assay_knn_search (assay_matrix_view (neighbours->inputs),
                                           assay_matrix_view (scaled), neighbours->k, error)
                       : NULL;
  AssayMatrix *predicted
      = nearest != NULL ? assay_matrix_new (inputs.rows, neighbours->outputs->cols, error) : NULL;

  for (gsize i = 0; predicted != NULL && i < inputs.rows; i++)
    average (neighbours->outputs, nearest->rows + i * neighbours->k, neighbours->k,
             assay_matrix_row (predicted, i));
  return predicted;
}
