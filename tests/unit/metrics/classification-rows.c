#include "tests/unit/metrics/classification-rows.h"

#include "tests/reference/fixtures.h"

AssayStreamKey
classification_key (guint64 trial)
{
  return assay_stream_key (23, trial, "classification", "");
}

/* Rows around +-1 in the first column, standard normal, times @scale; class 1 around +1. */
static AssayMatrix *
make_rows (gsize n, float scale, guint64 trial, AssayArray **ret_labels)
{
  AssayMatrix *rows = fixture_normal (n, COLS, trial);
  gint64 *labels = g_new (gint64, n);

  for (gsize i = 0; i < n; i++) {
    labels[i] = i % 2;
    assay_matrix_row (rows, i)[0] += labels[i] ? 1 : -1;
    for (gsize c = 0; c < COLS; c++)
      assay_matrix_row (rows, i)[c] *= scale;
  }
  *ret_labels = assay_array_take (ASSAY_INT64, 1, &n, labels);
  return rows;
}

void
classification_material_clear (Material *material)
{
  assay_matrix_free (material->secrets);
  assay_dataset_clear (&material->dataset);
}

Material
classification_material_make (float scale)
{
  Material material = { 0 };

  material.secrets = make_rows (SECRETS, scale, 1, &material.dataset.secret_data.labels);
  material.dataset.test
      = assay_rows_take_matrix (make_rows (TESTS, scale, 2, &material.dataset.test_data.labels));
  material.dataset.n_classes = 2;
  return material;
}
