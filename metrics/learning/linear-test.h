/* Models that users trained together, against the test rows of a dataset. */
#pragma once

#include "core/learn/linear-training.h"
#include "core/plugin/utility.h"

typedef struct {
  AssayLinearTraining shape;
  const AssayDataset *dataset;
  const AssayRelease *release;
  gsize n;         /* test rows */
  gsize n_weights; /* of a model */
  double *last;    /* the last model that was made public */
  double *first;   /* the first one, which no user had a part in */
} LinearTest;

ASSAY_DECLARE_CLEAR (LinearTest, linear_test_clear)

/* @are_clusters: models are to be centroids of clusters, else classifiers; a release that does not
 * say how users train is taken for what is asked for. ASSAY_ERROR_MISMATCH: models are the other,
 * the release does not say what its models are, or they are of another size
 * than the dataset's test rows, or these have no labels. */
gboolean linear_test_open (const AssayUtilityContext *context, const AssayReceived *received,
                           gboolean are_clusters, LinearTest *ret_test, GError **error);

/* Test row @i (shape.cols numbers), its columns scaled as users scaled theirs. */
void linear_test_row (const LinearTest *test, gsize i, float *ret_row);
