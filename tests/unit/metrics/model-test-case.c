/* A release of model updates and a dataset with test rows. */
#include "tests/unit/metrics/model-test-case.h"

#include <criterion/criterion.h>

#include "core/data/kinds/updates.h"
#include "tests/reference/fixtures.h"

void
model_test_case_clear (ModelTestCase *test)
{
  assay_dataset_clear (&test->dataset);
  assay_release_free (test->release);
  assay_truth_free (test->truth);
  assay_outcomes_clear (&test->outcomes);
}

static AssayStream
stream_of (guint64 item)
{
  return assay_stream (assay_stream_key (4, 0, "test", "models"), item);
}

static AssayArray *
take_labels (gint64 *labels, gsize n)
{
  return assay_array_take (ASSAY_INT64, 1, &n, labels);
}

static void
add_dataset (ModelTestCase *test)
{
  AssayStream stream = stream_of (0);
  AssayMatrix *rows = assay_matrix_new (CASE_ROWS, CASE_COLS, NULL);
  gint64 *labels = g_new (gint64, CASE_ROWS), *of_secrets = g_new (gint64, CASE_SECRETS);

  for (gsize i = 0; i < CASE_ROWS * CASE_COLS; i++)
    rows->data[i] = (float) assay_stream_below (&stream, 9) - 4;
  for (gsize j = 0; j < CASE_COLS; j++)
    rows->data[8 * CASE_COLS + j] = rows->data[7 * CASE_COLS + j];
  for (gsize i = 0; i < CASE_ROWS; i++)
    labels[i] = i % 6 == 0 ? 0 : i % 6 <= 2 ? 1 : 2;
  for (gsize i = 0; i < CASE_SECRETS; i++)
    of_secrets[i] = i < 17 ? 1 : i < 25 ? 2 : 0;
  test->dataset.test = assay_rows_take_matrix (rows);
  test->dataset.test_data.labels = take_labels (labels, CASE_ROWS);
  test->dataset.n_classes = CASE_CLASSES;
  assay_arrays_take (&test->truth->arrays, "labels", take_labels (of_secrets, CASE_SECRETS));
}

ModelTestCase
model_test_case_new (void)
{
  AssayStream stream = stream_of (1);
  ModelTestCase test = { .release = assay_release_new (ASSAY_RELEASE_UPDATES, "test"),
                         .truth = assay_truth_new () };
  AssayMatrix *models = assay_matrix_new (2, CASE_CLASSES * CASE_WIDTH, NULL);
  AssayMatrix *scaling = assay_matrix_new (2, CASE_COLS, NULL);
  const gsize cols = CASE_COLS;

  for (gsize i = 0; i < 2 * CASE_CLASSES * CASE_WIDTH; i++)
    models->data[i] = (float) assay_stream_normal (&stream);
  for (gsize j = 0; j < CASE_COLS; j++) {
    scaling->data[j] = 0.5f * (float) j;
    scaling->data[CASE_COLS + j] = 1 + 0.25f * (float) j;
  }
  assay_arrays_take (&test.release->arrays, "mean",
                     assay_array_take (ASSAY_FLOAT32, 1, &cols,
                                       g_memdup2 (scaling->data, cols * sizeof (float))));
  assay_arrays_take (&test.release->arrays, "deviation",
                     assay_array_take (ASSAY_FLOAT32, 1, &cols,
                                       g_memdup2 (scaling->data + cols, cols * sizeof (float))));
  assay_arrays_take_matrix (&test.release->arrays, "models", &models);
  assay_matrix_free (scaling);
  ASSAY_SET_PARAMETER (test.release, AssayUpdatesParameters, classes, (gint64) CASE_CLASSES);
  ASSAY_SET_PARAMETER (test.release, AssayUpdatesParameters, bias, true);
  ASSAY_SET_PARAMETER (test.release, AssayUpdatesParameters, trainer, ASSAY_TRAINER_PASS);
  add_dataset (&test);
  return test;
}

double
model_test_case_score (const ModelTestCase *test, gboolean is_first, gsize i, gsize c)
{
  const AssayArrays *arrays = &test->release->arrays;
  const float *mean = assay_array_view (assay_arrays_get (arrays, "mean")).data;
  const float *deviation = assay_array_view (assay_arrays_get (arrays, "deviation")).data;
  const float *weights = assay_view_row (assay_array_view (assay_arrays_get (arrays, "models")),
                                         is_first ? 0 : 1)
                         + c * CASE_WIDTH;
  double score = (double) weights[CASE_COLS];
  float row[CASE_COLS];

  assay_rows_read (test->dataset.test, i, 1, ASSAY_SCALE_NONE, row);
  for (gsize j = 0; j < CASE_COLS; j++)
    score += (double) weights[j] * (double) ((row[j] - mean[j]) / deviation[j]);
  return score;
}

gboolean
model_test_case_play (const AssayUtility *utility, const char *assignments, ModelTestCase *test,
                      GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&utility->plugin, assignments);
  const AssayUtilityContext context
      = { .settings = settings->values, .dataset = &test->dataset };
  const AssayReceived received = { test->release, test->truth };

  assay_outcomes_clear (&test->outcomes);
  return utility->assess (&context, &received, &test->outcomes, error);
}

double
model_test_case_mean (const ModelTestCase *test, guint series)
{
  double sum = 0;

  for (gsize i = 0; i < test->outcomes.n; i++)
    sum += test->outcomes.series[series][i];
  return sum / (double) test->outcomes.n;
}
