/* Columns of a sample that an update does not tell. */
#include "attacks/updates/samples/column-completion.h"

#include <float.h>

#include "core/math/linalg.h"

ASSAY_CLEAR_FUNC (ColumnCompletion, column_completion_clear, assay_drop (self->rows, g_free),
                  assay_drop (self->mean, g_free), assay_drop (self->covariance, g_free))

gboolean
column_completion_init (const ColumnCompletionSettings *settings, AssayView rows,
                        ColumnCompletion *ret_completion, GError **error)
{
  const gsize n = rows.rows, d = rows.cols;
  g_auto (ColumnCompletion) made
      = { .count = n,
          .cols = d,
          .by_nearest = settings->by_nearest,
          .penalty = settings->penalty,
          .rows = assay_alloc (n * d, sizeof (double), "public rows", error),
          .mean = g_new0 (double, d) };

  if (made.rows == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      made.mean[j] += (double) assay_view_row (rows, i)[j] / (double) n;
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      made.rows[i * d + j] = (double) assay_view_row (rows, i)[j] - made.mean[j];
  if (!made.by_nearest) {
    const AssayViewDouble view = assay_view_of_doubles (made.rows, n, d);

    made.covariance = assay_alloc (d, d * sizeof (double), "a covariance", error);
    if (made.covariance == NULL)
      return FALSE;
    assay_linalg_product_double (ASSAY_TN, view, view, made.covariance, d);
    for (gsize i = 0; i < d * d; i++)
      made.covariance[i] /= (double) n;
  }
  *ret_completion = made;
  made = (ColumnCompletion){ 0 };
  return TRUE;
}

/* The numbers of the columns that are told. */
static gsize
list_told (const UpdateSample *sample, gsize *ret_told)
{
  gsize k = 0;

  for (gsize j = 0; j < sample->cols; j++)
    if (sample->is_exact[j])
      ret_told[k++] = j;
  return k;
}

static void
put (UpdateSample *sample, gsize j, double value)
{
  sample->values[j] = CLAMP (value, sample->low[j], sample->high[j]);
}

/* ---- Ridge ---- */

static gboolean
fill_by_ridge (const ColumnCompletion *completion, const gsize *told, gsize k,
               UpdateSample *inout_sample, GError **error)
{
  const gsize d = completion->cols;
  g_autofree double *matrix = assay_alloc (k, k * sizeof (double), "columns", error);
  g_autofree double *weights = assay_alloc (k, sizeof (double), "columns", error);
  double variance = 0;

  if (matrix == NULL || weights == NULL)
    return FALSE;
  for (gsize j = 0; j < d; j++)
    variance += completion->covariance[j * d + j] / (double) d;
  for (gsize a = 0; a < k; a++) {
    for (gsize b = 0; b <= a; b++)
      matrix[a * k + b] = completion->covariance[told[a] * d + told[b]];
    matrix[a * k + a] += completion->penalty * variance;
    weights[a] = inout_sample->values[told[a]] - completion->mean[told[a]];
  }
  if (!assay_linalg_solve_spd (k, 1, matrix, weights, error))
    return FALSE;
  for (gsize j = 0; j < d; j++) {
    double value = completion->mean[j];

    if (inout_sample->is_exact[j])
      continue;
    for (gsize a = 0; a < k; a++)
      value += completion->covariance[j * d + told[a]] * weights[a];
    put (inout_sample, j, value);
  }
  return TRUE;
}

/* ---- The nearest public row ---- */

static void
fill_by_nearest (const ColumnCompletion *completion, const gsize *told, gsize k,
                 UpdateSample *inout_sample)
{
  const gsize d = completion->cols;
  double least = DBL_MAX;
  gsize best = 0;

  for (gsize i = 0; i < completion->count; i++) {
    double distance = 0;

    for (gsize a = 0; a < k && distance < least; a++) {
      const double off = inout_sample->values[told[a]] - completion->mean[told[a]]
                         - completion->rows[i * d + told[a]];

      distance += off * off;
    }
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  for (gsize j = 0; j < d; j++)
    if (!inout_sample->is_exact[j])
      put (inout_sample, j, completion->mean[j] + completion->rows[best * d + j]);
}

gboolean
column_completion_fill (const ColumnCompletion *completion, UpdateSample *inout_sample,
                        GError **error)
{
  g_autofree gsize *told = g_new (gsize, inout_sample->cols);
  const gsize k = list_told (inout_sample, told);

  g_assert (k > 0 && inout_sample->cols == completion->cols);
  if (k == completion->cols)
    return TRUE;
  if (!completion->by_nearest)
    return fill_by_ridge (completion, told, k, inout_sample, error);
  fill_by_nearest (completion, told, k, inout_sample);
  return TRUE;
}
