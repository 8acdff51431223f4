/* Mixing secrets again, without what else was in their mixtures. */
#include "metrics/images/private-parts.h"

static void
mix (AssayView images, const gint64 *sources, const float *coefficients, gsize n, float *ret_row)
{
  double sum = 0;

  for (gsize j = 0; j < n; j++)
    sum += coefficients[j];
  for (gsize j = 0; j < n; j++) {
    const float *image = assay_view_row (images, (gsize) sources[j]);
    const double share = sum > 0 ? coefficients[j] / sum : 1 / (double) n;

    for (gsize a = 0; a < images.cols; a++)
      ret_row[a] += (float) (share * image[a]);
  }
}

static gboolean
is_table (const AssayArray *array, AssayType type)
{
  return array->type == type && array->n_dimensions == 2 && array->shape[1] > 0;
}

AssayMatrix *
metric_private_parts (const AssayTruth *truth, AssayView images, GError **error)
{
  const AssayArray *sources = assay_arrays_get (&truth->arrays, "sources");
  const AssayArray *shares = assay_arrays_get (&truth->arrays, "coefficients");
  AssayMatrix *parts;

  if (sources == NULL || shares == NULL)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "the truth has no %s; of = private-part expects sources and "
                            "coefficients, which defenses that mix images tell",
                            sources == NULL ? "sources" : "coefficients");
  if (!is_table (sources, ASSAY_INT64) || !is_table (shares, ASSAY_FLOAT32)
      || shares->shape[0] != sources->shape[0] || shares->shape[1] < sources->shape[1]) {
    g_autofree char *left = assay_array_describe (sources), *right = assay_array_describe (shares);

    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "sources are %s and coefficients %s; expected int64 N x s and float32 "
                            "N x k with s from 1 to k",
                            left, right);
  }
  for (gsize i = 0; i < sources->shape[0] * sources->shape[1]; i++)
    if (assay_array_int64 (sources)[i] < 0
        || (guint64) assay_array_int64 (sources)[i] >= images.rows)
      return assay_fail_null (
          error, ASSAY_ERROR_DATA,
          "sources: row %zu names the secret %" G_GINT64_FORMAT "; expected 0 to %zu",
          i / sources->shape[1], assay_array_int64 (sources)[i], images.rows - 1);
  parts = assay_matrix_new (sources->shape[0], images.cols, error);
  for (gsize i = 0; parts != NULL && i < parts->rows; i++)
    mix (images, assay_array_int64 (sources) + i * sources->shape[1],
         assay_view_row (assay_array_view (shares), i), sources->shape[1],
         assay_matrix_row (parts, i));
  return parts;
}
