/* Parts of cases of known outcome. */
#include "core/games/control-case.h"

AssayMatrix *
assay_control_normals (gsize rows, gsize cols, AssayStream *stream, GError **error)
{
  AssayMatrix *matrix = assay_matrix_new (rows, cols, error);

  for (gsize i = 0; matrix != NULL && i < rows * cols; i++)
    matrix->data[i] = (float) assay_stream_normal (stream);
  return matrix;
}

AssayRelease *
assay_control_vectors (AssayView secrets, GError **error)
{
  AssayMatrix *vectors = assay_matrix_copy (secrets, error);
  AssayRelease *release;

  if (vectors == NULL)
    return NULL;
  release = assay_release_new (ASSAY_RELEASE_VECTORS, "control");
  assay_arrays_take (&release->arrays, "vectors", assay_array_take_matrix (vectors));
  return release;
}

gboolean
assay_control_take (AssayControlCase *ret_case, AssayRelease *release, AssayMatrix *secrets)
{
  const gboolean is_whole = release != NULL && secrets != NULL;

  ret_case->release = release;
  ret_case->truth = assay_truth_new ();
  if (secrets != NULL)
    assay_arrays_take (&ret_case->truth->arrays, "secrets", assay_array_take_matrix (secrets));
  return is_whole;
}
