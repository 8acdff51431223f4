/* What the attacks on subspaces share. */
#include "attacks/lifting/subspace.h"

const AssayArraySpec subspace_guess_arrays[] = {
  /* Numbers of rows of the database that lie in each subspace, the rows themselves, and those that
   * come closest to it after them, nearest first. */
  { "adversarial", "na", ASSAY_INT64, TRUE, 0 },
  { "forming", "nad", ASSAY_FLOAT32, TRUE, 0 },
  { "near", "nrd", ASSAY_FLOAT32, TRUE, 0 },
  /* How many other subspaces of the release meet each; the points that were considered. */
  { "intersecting", "n", ASSAY_INT64, TRUE, 0 },
  { "considered", "nkd", ASSAY_FLOAT32, TRUE, 0 },
  /* How many points of each subspace are integers, and how many of them nothing else explains. */
  { "possible", "n", ASSAY_INT64, TRUE, 0 },
  { "remaining", "n", ASSAY_INT64, TRUE, 0 },
  /* Of an approximate search, for a sample of the subspaces: which, how many of its k nearest rows
   * were found, k. */
  { "recall", "qt", ASSAY_INT64, TRUE, 0 },
  { .name = NULL },
};

float *
subspace_guess (const AssaySubspaces *subspaces, AssayGuess *ret_guess, GError **error)
{
  AssayMatrix *estimates = assay_matrix_new (subspaces->count, subspaces->cols, error);
  float *data;

  if (estimates == NULL)
    return NULL;
  data = estimates->data;
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  return data;
}

void
subspace_project (const AssaySubspaces *subspaces, gsize index, const float *point,
                  float *ret_projected)
{
  const gsize n = subspaces->cols;
  const float *translation = subspaces->translation + index * n;
  g_autofree double *sum = g_new (double, n);

  for (gsize j = 0; j < n; j++)
    sum[j] = translation[j];
  for (gsize i = 0; i < subspaces->dimension; i++) {
    const float *direction = subspaces->basis + (index * subspaces->dimension + i) * n;
    double product = 0;

    for (gsize j = 0; j < n; j++)
      product += (double) direction[j] * ((double) point[j] - translation[j]);
    for (gsize j = 0; j < n; j++)
      sum[j] += product * direction[j];
  }
  for (gsize j = 0; j < n; j++)
    ret_projected[j] = (float) sum[j];
}

void
subspace_weighted_centre (const float *rows, const float *distances, gsize count, gsize cols,
                          float *ret_centre)
{
  g_autofree double *sum = g_new0 (double, cols);
  double total = 0;

  for (gsize i = 0; i < count; i++) {
    const double weight = distances != NULL ? 1.0 / distances[i] : 1.0;

    total += weight;
    for (gsize j = 0; j < cols; j++)
      sum[j] += weight * rows[i * cols + j];
  }
  for (gsize j = 0; j < cols; j++)
    ret_centre[j] = (float) (sum[j] / total);
}

AssayArray *
subspace_gather_places (const AssayNearest *nearest, gsize first, gsize count,
                        const AssayRows *rows, AssayScale scale, GError **error)
{
  const gsize d = assay_rows_cols (rows);
  const gsize shape[] = { nearest->n, count, d };
  float *gathered = assay_alloc (nearest->n, count * d * sizeof (float), "rows found", error);

  if (gathered == NULL)
    return NULL;
  for (gsize i = 0; i < nearest->n; i++)
    assay_rows_gather (rows, nearest->rows + i * nearest->k + first, count, scale,
                       gathered + i * count * d);
  return assay_array_take (ASSAY_FLOAT32, 3, shape, gathered);
}
