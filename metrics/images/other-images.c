/* Drawing images that were not protected. */
#include "metrics/images/other-images.h"

static gsize
count_of (const AssayRows *rows)
{
  return rows != NULL ? assay_rows_count (rows) : 0;
}

/* Trials share the images to draw from, but not the draw: its stream is that of the secrets. */
static AssayStream
stream_of (AssayView secrets)
{
  g_autoptr (GBytes) first
      = g_bytes_new_static (assay_view_row (secrets, 0), secrets.cols * sizeof (float));

  return assay_stream (assay_stream_key (0, 0, "metric", "other-images"), g_bytes_hash (first));
}

gboolean
metric_other_images (const AssayMetricContext *context, const AssayTruth *truth,
                     AssayMatrix **ret_others, char **ret_why, GError **error)
{
  const AssayView secrets = assay_array_view (assay_arrays_get (&truth->arrays, "secrets"));
  const AssayDataset *dataset = context->dataset;
  const gsize n_test = dataset != NULL ? count_of (dataset->test) : 0;
  const gsize n_public = dataset != NULL ? count_of (dataset->public_rows) : 0;
  const gsize n_pool = n_test >= secrets.rows ? n_test : n_public;
  const AssayRows *pool;
  AssayStream stream = stream_of (secrets);
  g_autofree gsize *order = NULL;
  AssayMatrix *others;

  if (n_pool < secrets.rows) {
    *ret_why = g_strdup_printf ("there are %zu test and %zu public images to compare with; "
                                "expected as many of one kind as secrets, %zu",
                                n_test, n_public, secrets.rows);
    return TRUE;
  }
  pool = n_test >= secrets.rows ? dataset->test : dataset->public_rows;
  if (assay_rows_cols (pool) != secrets.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "images of %zu numbers beside the secrets; expected %zu as these have",
                       assay_rows_cols (pool), secrets.cols);
  order = assay_alloc (n_pool, sizeof (gsize), "other images", error);
  if (order == NULL)
    return FALSE;
  others = assay_matrix_new (secrets.rows, secrets.cols, error);
  if (others == NULL)
    return FALSE;
  assay_stream_permutation (&stream, n_pool, order);
  assay_rows_gather (pool, order, secrets.rows,
                     context->release != NULL ? assay_release_scale (context->release)
                                              : ASSAY_SCALE_NONE,
                     others->data);
  *ret_others = others;
  return TRUE;
}
