/* What the attacks on subspaces share. */
#include "attacks/lifting/subspace.h"

#include <string.h>

#include "core/math/linalg.h"

const AssayArraySpec subspace_guess_arrays[] = {
  /* Numbers of rows of the database that lie in each subspace, the rows themselves, and those that
   * come closest to it after them, nearest first. */
  { "adversarial", "na", ASSAY_INT64, TRUE, 0 },
  { "forming", "nad", ASSAY_FLOAT32, TRUE, 0 },
  { "near", "nrd", ASSAY_FLOAT32, TRUE, 0 },
  /* How many other subspaces of the release meet each; the points that were considered. */
  { "intersecting", "n", ASSAY_INT64, TRUE, 0 },
  { "considered", "nkd", ASSAY_FLOAT32, TRUE, 0 },
  /* Of an approximate search, for a sample of the subspaces: which, how many of its k nearest rows
   * were found, k. */
  { "recall", "qt", ASSAY_INT64, TRUE, 0 },
  { .name = NULL },
};

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
    const double weight = 1.0 / distances[i];

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

/* Translation and basis of one control subspace; @span holds m x n directions. */
static gboolean
fill_control_subspace (const float *secret, double *span, gsize m, gsize n, AssayStream *stream,
                       float *ret_translation, float *ret_basis, GError **error)
{
  if (!assay_linalg_orthonormalize (span, m, n, error))
    return FALSE;
  for (gsize j = 0; j < n; j++)
    ret_translation[j] = secret[j];
  for (gsize i = 0; i < m; i++) {
    const double shift = assay_stream_between (stream, -1, 1);

    for (gsize j = 0; j < n; j++) {
      ret_translation[j] += (float) (shift * span[i * n + j]);
      ret_basis[i * n + j] = (float) span[i * n + j];
    }
  }
  return TRUE;
}

AssayRelease *
subspace_control_release (AssayView secrets, const float *others, gsize n_others, gsize dimension,
                          AssayStream *stream, GError **error)
{
  const gsize n = secrets.cols, m = dimension;
  g_autoptr (AssayMatrix) translation = assay_matrix_new (secrets.rows, n, error);
  g_autoptr (AssayMatrix) basis = assay_matrix_new (secrets.rows * m, n, error);
  g_autofree double *span = g_new (double, m * n);
  const gsize shape[] = { secrets.rows, m, n };
  AssayRelease *release;

  if (translation == NULL || basis == NULL)
    return NULL;
  for (gsize s = 0; s < secrets.rows; s++) {
    const float *secret = assay_view_row (secrets, s);

    for (gsize i = 0; i < m; i++)
      for (gsize j = 0; j < n; j++)
        span[i * n + j] = i < n_others
                              ? (double) others[(s * n_others + i) * n + j] - secret[j]
                              : assay_stream_between (stream, -1, 1);
    if (!fill_control_subspace (secret, span, m, n, stream, assay_matrix_row (translation, s),
                                basis->data + s * m * n, error))
      return NULL;
  }
  release = assay_release_new (ASSAY_RELEASE_SUBSPACES, "control");
  assay_arrays_take (&release->arrays, "translation",
                     assay_array_take_matrix (g_steal_pointer (&translation)));
  assay_arrays_take (&release->arrays, "basis",
                     assay_array_take (ASSAY_FLOAT32, 3, shape, g_steal_pointer (&basis->data)));
  return release;
}
