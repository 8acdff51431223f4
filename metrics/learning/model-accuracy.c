/* What users get of training a classifier together: how well the last model that was made public
 * knows test rows, and, to compare, how well the first one did, which no user had a part in.
 *
 * One test row is one unit. A row that is tested in several trials stays one unit. */
#include "core/data/grant.h"
#include "core/learn/linear-training.h"
#include "core/plugin/plugin.h"

enum { LAST, FIRST, N_SERIES };

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

/* Scales a row as users scaled theirs. */
static void
scale_row (const AssayRelease *release, gsize cols, float *inout_row)
{
  const AssayArray *mean = assay_arrays_get (&release->arrays, "mean");
  const AssayArray *deviation = assay_arrays_get (&release->arrays, "deviation");

  for (gsize j = 0; mean != NULL && deviation != NULL && j < cols; j++)
    inout_row[j]
        = (inout_row[j] - assay_array_view (mean).data[j]) / assay_array_view (deviation).data[j];
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayDataset *dataset = context->dataset;
  const AssayView models
      = assay_array_view (assay_arrays_get (&received->release->arrays, "models"));
  AssayLinearTraining shape = { 0 };
  g_autofree double *weights = NULL;
  g_autofree float *row = NULL;

  if (!shape_of (received->release, &shape, error) || !check_material (dataset, &shape, error))
    return FALSE;
  weights = assay_alloc (2 * models.cols, sizeof *weights, "models", error);
  row = assay_alloc (shape.cols, sizeof *row, "a row", error);
  if (weights == NULL || row == NULL
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, assay_rows_count (dataset->test), error))
    return FALSE;
  for (gsize i = 0; i < models.cols; i++) {
    weights[i] = (double) assay_view_row (models, models.rows - 1)[i];
    weights[models.cols + i] = (double) assay_view_row (models, 0)[i];
  }
  for (gsize i = 0; i < ret_outcomes->n; i++) {
    const gint64 label = assay_role_labels (&dataset->test_data)[i];

    assay_rows_read (dataset->test, i, 1, ASSAY_SCALE_NONE, row);
    scale_row (received->release, shape.cols, row);
    for (guint s = LAST; s <= FIRST; s++)
      ret_outcomes->series[s][i]
          = (gint64) assay_linear_classify (&shape, weights + s * models.cols, row) == label;
  }
  return TRUE;
}

static const AssayMeasure measures[] = {
  ASSAY_MEASURE (LAST, "model-accuracy", RATE, 0, 1, "share of test rows",
                 "Test rows whose class the last model names", ASSAY_HEADLINE),
  ASSAY_MEASURE (FIRST, "first-model-accuracy", RATE, 0, 1, "share of test rows",
                 "... and the first one, which users had no part in"),
  ASSAY_MEASURE_END,
};

ASSAY_UTILITY (model_accuracy, "model-accuracy",
  .summary = "How well the model that users trained together knows test rows",
  .reference = { "Yonetani, Boddeti, Kitani and Sato 2017, Privacy-Preserving Visual Learning "
                 "Using Doubly Permuted Homomorphic Encryption",
                 "section 4.1, table 1" },
  .reads = ASSAY_RELEASE_UPDATES,
  .needs = ASSAY_HAS_LABELS | ASSAY_HAS_TEST_LABELS,
  .has_own_units = TRUE,
  .repeats_units = TRUE,
  .n_series = N_SERIES,
  .measures = measures,
  .assess = assess);
