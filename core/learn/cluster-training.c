/* Clusters that users find together. */
#include "core/learn/cluster-training.h"

#include <math.h>

#include "core/base/vectors.h"

gsize
assay_cluster_nearest (const AssayLinearTraining *training, const double *centroids,
                       const float *row)
{
  const gsize d = training->cols;
  double least = assay_lanes_squared_distance (row, centroids, d);
  gsize nearest = 0;

  for (gsize c = 1; c < training->classes; c++) {
    const double square = assay_lanes_squared_distance (row, centroids + c * d, d);

    if (square < least) {
      least = square;
      nearest = c;
    }
  }
  return nearest;
}

static void
shrink_centroids (const AssayLinearTraining *training, double *inout_centroids)
{
  const double threshold = training->penalty * training->mix;
  const double divisor = 1 + training->penalty * (1 - training->mix);

  for (gsize i = 0; training->penalty > 0 && i < training->classes * training->cols; i++) {
    double *v = inout_centroids + i;

    *v = fabs (*v) > threshold ? copysign (fabs (*v) - threshold, *v) / divisor : 0;
  }
}

void
assay_cluster_pass (const AssayLinearTraining *training, const AssayLinearSamples *samples,
                    gsize batch, double *inout_centroids)
{
  const gsize d = training->cols, size = batch == 0 ? samples->count : batch;
  g_autofree gsize *nearest = g_new (gsize, MIN (size, samples->count) + 1);
  g_autofree double *counts = g_new0 (double, training->classes);

  for (gsize first = 0; first < samples->count; first += size) {
    const gsize count = MIN (size, samples->count - first);

    for (gsize i = 0; i < count; i++)
      nearest[i] = assay_cluster_nearest (
          training, inout_centroids, assay_view_row (samples->rows, samples->chosen[first + i]));
    for (gsize i = 0; i < count; i++) {
      const float *row = assay_view_row (samples->rows, samples->chosen[first + i]);
      double *centroid = inout_centroids + nearest[i] * d;

      counts[nearest[i]]++;
      for (gsize j = 0; j < d; j++)
        centroid[j] += ((double) row[j] - centroid[j]) / counts[nearest[i]];
    }
  }
  shrink_centroids (training, inout_centroids);
}
