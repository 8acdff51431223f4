/* Tight clusters of rows across the units that they are said to come from
 * (core/math/units.h has the rule). */
#pragma once

#include "core/base/rng.h"
#include "core/data/matrix.h"

typedef struct {
  gsize n_clusters;   /* of rows of several units */
  double correlation; /* intraclass */
  double n_effective;
  gsize *first; /* of each row, the first row of its cluster; without one, of its unit */
} AssayClusters;

/* @units: a number for each row, below the number of all. @usual: how far apart rows are. NULL:
 * rows of different units lie in no such clusters, or fewer than half of them do. */
AssayClusters *assay_clusters_find (AssayView rows, const gsize *units, double usual,
                                    AssayStreamKey key);
ASSAY_DECLARE_FREE (AssayClusters, assay_clusters_free)
