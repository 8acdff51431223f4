/* Models that users trained together, against the test rows of a dataset. */
#include "metrics/learning/linear-test.h"

#include "core/base/error.h"

ASSAY_CLEAR_FUNC (LinearTest, linear_test_clear, assay_drop (self->last, g_free),
                  assay_drop (self->first, g_free))

/* What models are, by the public parameters of the release. */
static gboolean
shape_of (const AssayRelease *release, AssayLinearTraining *ret_shape, GError **error)
{
  const gint64 *classes = ASSAY_PARAMETER (release, AssayUpdatesParameters, classes);
  const bool *bias = ASSAY_PARAMETER (release, AssayUpdatesParameters, bias);

  if (classes == NULL || bias == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release does not say what its models are; expected the parameters "
                       "'classes' and 'bias'");
  ret_shape->classes = (gsize) *classes;
  ret_shape->has_bias = *bias;
  ret_shape->cols = assay_release_cols (release);
  return TRUE;
}

static gboolean
check_trainer (const AssayRelease *release, gboolean are_clusters, GError **error)
{
  const guint *trainer = ASSAY_PARAMETER (release, AssayUpdatesParameters, trainer);

  if (trainer == NULL || (*trainer == ASSAY_TRAINER_CLUSTERS) == are_clusters)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH, "models are %s; expected %s",
                     are_clusters ? "classifiers" : "centroids of clusters",
                     are_clusters ? "centroids (trainer = clusters)"
                                  : "classifiers (trainer = pass or step)");
}

static gboolean
check_material (const AssayDataset *dataset, const AssayLinearTraining *shape, GError **error)
{
  if (dataset->test == NULL || dataset->test_data.labels == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with rows to test with, and their labels");
  return assay_rows_cols (dataset->test) == shape->cols
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "test rows have %zu columns; expected %zu, as samples have",
                        assay_rows_cols (dataset->test), shape->cols);
}

gboolean
linear_test_open (const AssayUtilityContext *context, const AssayReceived *received,
                  gboolean are_clusters, LinearTest *ret_test, GError **error)
{
  const AssayRelease *release = received->release;
  const AssayView models = assay_array_view (assay_arrays_get (&release->arrays, "models"));
  g_auto (LinearTest) test = { .dataset = context->dataset, .release = release };

  if (!shape_of (release, &test.shape, error) || !check_trainer (release, are_clusters, error)
      || !check_material (context->dataset, &test.shape, error))
    return FALSE;
  test.n = assay_rows_count (context->dataset->test);
  test.n_weights = models.cols;
  test.last = assay_alloc (models.cols, sizeof (double), "models", error);
  test.first = assay_alloc (models.cols, sizeof (double), "models", error);
  if (test.last == NULL || test.first == NULL)
    return FALSE;
  for (gsize i = 0; i < models.cols; i++) {
    test.last[i] = (double) assay_view_row (models, models.rows - 1)[i];
    test.first[i] = (double) assay_view_row (models, 0)[i];
  }
  *ret_test = test;
  test.last = test.first = NULL;
  return TRUE;
}

void
linear_test_row (const LinearTest *test, gsize i, float *ret_row)
{
  const AssayArray *mean = assay_arrays_get (&test->release->arrays, "mean");
  const AssayArray *deviation = assay_arrays_get (&test->release->arrays, "deviation");

  assay_rows_read (test->dataset->test, i, 1, ASSAY_SCALE_NONE, ret_row);
  for (gsize j = 0; mean != NULL && deviation != NULL && j < test->shape.cols; j++)
    ret_row[j]
        = (ret_row[j] - assay_array_view (mean).data[j]) / assay_array_view (deviation).data[j];
}
