/* What users get of finding clusters together: test rows are put into the cluster whose centroid is
 * nearest, and how much the clusters have in common with the classes of the rows is measured by
 * mutual information, adjusted for chance (core/stats/mutual-information.h).
 *
 * Papers of 2010 to 2018 adjust by the larger of the two entropies, later programs by their mean.
 * A test row is one unit; its outcome is what it does to the measure, which is the mean of
 * outcomes. */
#include "core/base/error.h"
#include "core/learn/cluster-training.h"
#include "core/stats/mutual-information.h"
#include "metrics/learning/linear-test.h"

enum { LARGER, MEAN, FIRST, N_SERIES };

static gboolean
check_labels (const AssayPartitions *partitions, GError **error)
{
  for (gsize i = 1; i < partitions->n; i++)
    if (partitions->one[i] != partitions->one[0])
      return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "all %zu test rows have one class; expected two or more, as clusters of rows "
                     "that are alike agree with anything",
                     partitions->n);
}

/* The nearest cluster of each test row, of the last model and of the first. */
static gboolean
find_clusters (const LinearTest *test, gint64 *ret_last, gint64 *ret_first, GError **error)
{
  g_autofree float *row = assay_alloc (test->shape.cols, sizeof *row, "a row", error);

  if (row == NULL)
    return FALSE;
  for (gsize i = 0; i < test->n; i++) {
    linear_test_row (test, i, row);
    ret_last[i] = (gint64) assay_cluster_nearest (&test->shape, test->last, row);
    ret_first[i] = (gint64) assay_cluster_nearest (&test->shape, test->first, row);
  }
  return TRUE;
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  g_auto (LinearTest) test = { 0 };
  g_autofree gint64 *clusters = NULL;
  AssayPartitions partitions = { .n_one = context->dataset->n_classes };

  if (!linear_test_open (context, received, TRUE, &test, error))
    return FALSE;
  clusters = assay_alloc (2 * test.n, sizeof *clusters, "clusters", error);
  partitions.one = assay_role_labels (&context->dataset->test_data);
  partitions.n = test.n;
  partitions.n_other = test.shape.classes;
  partitions.other = clusters;
  if (clusters == NULL || !check_labels (&partitions, error)
      || !find_clusters (&test, clusters, clusters + test.n, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, test.n, error))
    return FALSE;
  assay_adjusted_information (&partitions, ASSAY_INFORMATION_MAX, ret_outcomes->series[LARGER]);
  assay_adjusted_information (&partitions, ASSAY_INFORMATION_ARITHMETIC,
                              ret_outcomes->series[MEAN]);
  partitions.other = clusters + test.n;
  assay_adjusted_information (&partitions, ASSAY_INFORMATION_MAX, ret_outcomes->series[FIRST]);
  return TRUE;
}

ASSAY_UTILITY (clustering_agreement, "clustering-agreement",
  .summary = "How well clusters that users found together match the classes of test rows",
  .reference = { "Vinh, Epps and Bailey 2010, Information Theoretic Measures for Clusterings "
                 "Comparison: Variants, Properties, Normalization and Correction for Chance",
                 "adjusted mutual information" },
  .reads = ASSAY_RELEASE_UPDATES,
  .needs = ASSAY_HAS_TEST_LABELS,
  .has_own_units = TRUE,
  .repeats_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (LARGER, "cluster-information", MEAN, -1, 1, "adjusted mutual information",
                   "Between classes of test rows and clusters of the last model, divided by the "
                   "larger entropy",
                   ASSAY_HEADLINE, .is_influence = TRUE),
    ASSAY_MEASURE (MEAN, "cluster-information-arithmetic", MEAN, -1, 1,
                   "adjusted mutual information", "The same, divided by the mean of both entropies",
                   .is_influence = TRUE),
    ASSAY_MEASURE (FIRST, "first-cluster-information", MEAN, -1, 1, "adjusted mutual information",
                   "The same as the first, of the model that users begin with",
                   .is_influence = TRUE)),
  .assess = assess);
