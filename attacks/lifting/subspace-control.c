/* Subspaces through secrets that can be found. */
#include "attacks/lifting/subspace-control.h"

#include <string.h>

#include "core/math/linalg.h"

/* The basis of one control subspace from @span, m x n orthonormal directions, and its translation,
 * which arrives as the secret and is moved within the subspace. */
static void
fill_control_subspace (const double *span, gsize m, gsize n, AssayStream *stream,
                       float *inout_translation, float *ret_basis)
{
  for (gsize i = 0; i < m; i++) {
    const double shift = assay_stream_between (stream, -1, 1);

    for (gsize j = 0; j < n; j++) {
      inout_translation[j] += (float) (shift * span[i * n + j]);
      ret_basis[i * n + j] = (float) span[i * n + j];
    }
  }
}

AssayRelease *
subspace_control_release (AssayView secrets, const float *others, gsize n_others, gsize dimension,
                          AssayStream *stream, GError **error)
{
  const gsize n = secrets.cols, m = dimension;
  g_autoptr (AssayMatrix) translation = assay_matrix_copy (secrets, error);
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
    if (!assay_linalg_orthonormalize (span, m, n, error))
      return NULL;
    fill_control_subspace (span, m, n, stream, assay_matrix_row (translation, s),
                           basis->data + s * m * n);
  }
  release = assay_release_new (ASSAY_RELEASE_SUBSPACES, "control");
  assay_arrays_take_matrix (&release->arrays, "translation", &translation);
  assay_arrays_take (&release->arrays, "basis",
                     assay_array_take (ASSAY_FLOAT32, 3, shape, g_steal_pointer (&basis->data)));
  return release;
}

gboolean
subspace_control_make (const SubspaceControl *control, AssayStreamKey key,
                       AssayControlCase *ret_case, GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  AssayMatrix *rows = assay_control_normals (control->n_public, control->cols, &stream, error);
  AssayView secrets;
  AssayRelease *release;

  if (rows == NULL)
    return FALSE;
  secrets = assay_view_rows (assay_matrix_view (rows), 0, control->n_secrets);
  ret_case->public_rows = assay_rows_take_matrix (rows); /* whose numbers stay where they are */
  release = control->dimension == 0
                ? assay_control_vectors (secrets, error)
                : subspace_control_release (secrets, NULL, 0, control->dimension, &stream, error);
  return assay_control_take (ret_case, release, assay_matrix_copy (secrets, error));
}

/* ---- Clusters ---- */

static void
draw_near (const float *centre, gsize cols, AssayStream *stream, float *ret_point)
{
  for (gsize j = 0; j < cols; j++)
    ret_point[j] = centre[j] + 0.1f * (float) assay_stream_normal (stream);
}

/* Fills the rows from number @first on with clusters of 32 rows elsewhere. */
static void
draw_elsewhere (AssayMatrix *rows, gsize first, AssayStream *stream)
{
  enum { CLUSTER = 32 };
  g_autofree float *centre = g_new (float, rows->cols);

  for (gsize i = first; i < rows->rows; i++) {
    for (gsize j = 0; j < rows->cols && (i - first) % CLUSTER == 0; j++)
      centre[j] = (float) assay_stream_normal (stream);
    draw_near (centre, rows->cols, stream, assay_matrix_row (rows, i));
  }
}

/* The rows of all clusters, one cluster after the other. */
static void
draw_clusters (const SubspaceClusters *clusters, AssayMatrix *centres, AssayStream *stream,
               AssayMatrix *rows)
{
  gsize row = 0;

  for (gsize c = 0; c < centres->rows; c++) {
    const gsize size
        = c < clusters->n_secrets ? clusters->own : clusters->common[c - clusters->n_secrets];

    for (gsize i = 0; i < size; i++)
      draw_near (assay_matrix_row (centres, c), rows->cols, stream, assay_matrix_row (rows, row++));
  }
}

/* What subspace @i goes through beside its secret, n_through x cols. */
static void
choose_others (const SubspaceClusters *clusters, AssayMatrix *centres, AssayMatrix *rows, gsize i,
               float *ret_others)
{
  gsize first = clusters->n_secrets * clusters->own;

  for (gsize j = 0; j < clusters->n_through; j++) {
    const gsize centre = clusters->n_secrets + (i + 1 + j) % clusters->n_common;
    const float *point = clusters->is_through_rows
                             ? assay_matrix_row (rows, first + i % clusters->common[j])
                             : assay_matrix_row (centres, centre);

    memcpy (ret_others + j * rows->cols, point, rows->cols * sizeof (float));
    first += clusters->common[j];
  }
}

gboolean
subspace_clusters_make (const SubspaceClusters *clusters, AssayStreamKey key,
                        AssayControlCase *ret_case, GError **error)
{
  const gsize n = clusters->n_secrets, cols = clusters->cols, through = clusters->n_through;
  gsize n_rows = n * clusters->own;
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) centres
      = assay_control_normals (n + clusters->n_common, cols, &stream, error);
  g_autoptr (AssayMatrix) others = assay_matrix_new (n * through + 1, cols, error);
  g_autoptr (AssayMatrix) rows = NULL;
  AssayMatrix *secrets;
  AssayRelease *release;

  for (gsize c = 0; c < clusters->n_common; c++)
    n_rows += clusters->common[c];
  rows = assay_matrix_new (MAX (n_rows, clusters->n_rows), cols, error);
  if (centres == NULL || others == NULL || rows == NULL)
    return FALSE;
  secrets = assay_matrix_copy (assay_view_rows (assay_matrix_view (centres), 0, n), error);
  if (secrets == NULL)
    return FALSE;
  for (gsize i = 0; clusters->is_through_rows && i < n; i++)
    draw_near (assay_matrix_row (centres, i), cols, &stream, assay_matrix_row (secrets, i));
  draw_clusters (clusters, centres, &stream, rows);
  for (gsize i = 0; i < n; i++)
    choose_others (clusters, centres, rows, i, others->data + i * through * cols);
  draw_elsewhere (rows, n_rows, &stream);
  release = subspace_control_release (assay_matrix_view (secrets), others->data, through,
                                      clusters->dimension, &stream, error);
  ret_case->public_rows = assay_rows_take_matrix (g_steal_pointer (&rows));
  return assay_control_take (ret_case, release, secrets);
}
