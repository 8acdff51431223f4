/* Applying the hash functions of paired codes. */
#include "core/learn/paired-hash.h"

#include "core/base/error.h"
#include "core/data/codes.h"
#include "core/math/linalg.h"

const char *const assay_paired_codes[] = { "image-codes", "text-codes" };
const char *const assay_paired_layer_1[] = { "image-layer1", "text-layer1" };
const char *const assay_paired_layer_2[] = { "image-layer2", "text-layer2" };

/* @layer (out x (in + 1), the bias last) of @inputs (n x in). */
static AssayMatrix *
apply (const AssayArray *layer, AssayView inputs, GError **error)
{
  const AssayView weights = assay_array_view (layer);
  const AssayView linear = { weights.rows, weights.cols - 1, weights.stride, weights.data };
  g_autoptr (AssayMatrix) outputs = assay_matrix_new (inputs.rows, weights.rows, error);

  if (outputs == NULL)
    return NULL;
  assay_linalg_product_in_parallel (ASSAY_NT, inputs, linear, outputs->data);
  for (gsize i = 0; i < outputs->rows; i++)
    for (gsize j = 0; j < outputs->cols; j++)
      assay_matrix_row (outputs, i)[j] += assay_view_row (weights, j)[linear.cols];
  return g_steal_pointer (&outputs);
}

AssayArray *
assay_paired_hash (const AssayRelease *release, AssayPairedSide side, AssayView rows,
                   GError **error)
{
  const AssayArray *first = assay_arrays_get (&release->arrays, assay_paired_layer_1[side]);
  const AssayArray *second = assay_arrays_get (&release->arrays, assay_paired_layer_2[side]);
  g_autoptr (AssayMatrix) hidden = NULL;
  g_autoptr (AssayMatrix) outputs = NULL;

  if (first == NULL)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "the release has no %s; expected its hash functions",
                            assay_paired_layer_1[side]);
  if (first->shape[1] != rows.cols + 1)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "%s takes rows of %zu numbers; expected %zu, as the modality has",
                            assay_paired_layer_1[side], first->shape[1] - 1, rows.cols);
  outputs = apply (first, rows, error);
  if (outputs == NULL || second == NULL)
    return outputs != NULL ? assay_codes_pack (assay_matrix_view (outputs), error) : NULL;
  hidden = g_steal_pointer (&outputs);
  for (gsize i = 0; i < hidden->rows * hidden->cols; i++)
    hidden->data[i] = MAX (hidden->data[i], 0);
  outputs = apply (second, assay_matrix_view (hidden), error);
  return outputs != NULL ? assay_codes_pack (assay_matrix_view (outputs), error) : NULL;
}
