/* The utility clustering-agreement: which cluster a test row is in, and what is refused. */
#include <criterion/criterion.h>

#include "core/data/kinds/updates.h"
#include "core/stats/mutual-information.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/model-test-case.h"

extern const AssayUtility assay_utility_clustering_agreement;
extern const AssayUtility assay_utility_detection;
extern const AssayUtility assay_utility_model_accuracy;

enum { LARGER, MEAN, FIRST };

/* Two models of three centroids: of the second each stands where the rows of one class are, which
 * lie on a line, and of the first all stand far beyond one end of it, the last the nearest. */
static ModelTestCase
clusters_new (void)
{
  ModelTestCase test = model_test_case_new ();
  AssayMatrix *models = assay_matrix_new (2, CASE_CLASSES * CASE_COLS, NULL);
  AssayMatrix *rows = assay_matrix_new (CASE_ROWS, CASE_COLS, NULL);
  const gint64 *labels = assay_role_labels (&test.dataset.test_data);

  for (gsize i = 0; i < CASE_ROWS; i++)
    for (gsize j = 0; j < CASE_COLS; j++)
      rows->data[i * CASE_COLS + j]
          = 10 * (float) labels[i] + 0.01f * (float) ((i * 7 + j) % 5);
  for (gsize c = 0; c < CASE_CLASSES; c++)
    for (gsize j = 0; j < CASE_COLS; j++) {
      /* Scaled as the test case scales columns: mean j / 2, deviation 1 + j / 4. */
      const float mean = 0.5f * (float) j, deviation = 1 + 0.25f * (float) j;

      models->data[c * CASE_COLS + j] = 500 - (float) c;
      models->data[(CASE_CLASSES + c) * CASE_COLS + j] = (10 * (float) c - mean) / deviation;
    }
  assay_rows_unref (test.dataset.test);
  test.dataset.test = assay_rows_take_matrix (rows);
  assay_arrays_take_matrix (&test.release->arrays, "models", &models);
  ASSAY_SET_PARAMETER (test.release, AssayUpdatesParameters, bias, false);
  ASSAY_SET_PARAMETER (test.release, AssayUpdatesParameters, trainer, ASSAY_TRAINER_CLUSTERS);
  return test;
}

Test (clustering_agreement, centroids_of_classes_agree)
{
  g_auto (ModelTestCase) test = clusters_new ();

  cr_assert (model_test_case_play (&assay_utility_clustering_agreement, "", &test, NULL));
  assert_near (model_test_case_mean (&test, LARGER), 1, 1e-12, "larger");
  assert_near (model_test_case_mean (&test, MEAN), 1, 1e-12, "mean");
  assert_near (model_test_case_mean (&test, FIRST), 0, 1e-12, "all in one cluster");
}

/* Rows of which some have another label: against the partitions themselves. */
Test (clustering_agreement, as_the_partitions_say)
{
  g_auto (ModelTestCase) test = clusters_new ();
  const gint64 *labels = assay_role_labels (&test.dataset.test_data);
  const gsize n = CASE_ROWS;
  gint64 clusters[CASE_ROWS], *mixed = g_new (gint64, CASE_ROWS);
  AssayPartitions partitions = { mixed, clusters, CASE_ROWS, CASE_CLASSES, CASE_CLASSES };
  double larger, mean;

  for (gsize i = 0; i < n; i++) {
    clusters[i] = labels[i];
    mixed[i] = i % 4 == 0 ? 2 : labels[i];
  }
  assay_array_free (test.dataset.test_data.labels);
  test.dataset.test_data.labels = assay_array_take (ASSAY_INT64, 1, &n, mixed);
  larger = assay_adjusted_information (&partitions, ASSAY_INFORMATION_MAX, NULL);
  mean = assay_adjusted_information (&partitions, ASSAY_INFORMATION_ARITHMETIC, NULL);
  cr_assert (larger > 0.2 && larger < mean && mean < 0.9, "%g and %g", larger, mean);
  cr_assert (model_test_case_play (&assay_utility_clustering_agreement, "", &test, NULL));
  assert_near (model_test_case_mean (&test, LARGER), larger, 1e-12, "larger");
  assert_near (model_test_case_mean (&test, MEAN), mean, 1e-12, "mean");
}

static void
refused (const AssayUtility *utility, ModelTestCase *test, const char *message)
{
  g_autoptr (GError) error = NULL;

  cr_assert (!model_test_case_play (utility, "", test, &error));
  cr_assert (strstr (error->message, message) != NULL, "%s", error->message);
}

Test (clustering_agreement, what_cannot_be_measured)
{
  g_auto (ModelTestCase) clusters = clusters_new ();
  g_auto (ModelTestCase) classes = model_test_case_new ();
  const gsize n = CASE_ROWS;

  refused (&assay_utility_clustering_agreement, &classes,
           "models are classifiers; expected centroids");
  refused (&assay_utility_detection, &clusters,
           "models are centroids of clusters; expected classifiers");
  refused (&assay_utility_model_accuracy, &clusters,
           "models are centroids of clusters; expected classifiers");
  assay_array_free (clusters.dataset.test_data.labels);
  clusters.dataset.test_data.labels
      = assay_array_take (ASSAY_INT64, 1, &n, g_new0 (gint64, CASE_ROWS));
  refused (&assay_utility_clustering_agreement, &clusters, "all 60 test rows have one class");
}
