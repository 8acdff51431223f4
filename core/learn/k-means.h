/* Small clusterings: a few hundred rows into a few clusters, many times, each on one thread. */
#pragma once

#include "core/base/rng.h"

typedef struct {
  const float *rows; /* n x d */
  gsize n, d;
  gsize k;      /* clusters; 1 <= k <= n */
  gsize rounds; /* of Lloyd's algorithm, at most */
  gsize starts; /* of which the best is kept */
  gboolean is_farthest_first; /* one start, which draws nothing */
} AssayKMeans;

/* Lloyd's algorithm, in double, from centres chosen by k-means++ (Arthur and Vassilvitskii 2007);
 * or farthest first (Gonzalez 1985): row 0, and then the row farthest from all centres so far.
 * @ret_labels (n) says of each row in which cluster it is; clusters may be empty where rows are
 * equal. @ret_centres (k x d): what rows were nearest to; NULL: not asked for. Returns the sum of
 * squared distances from the clusters' centres. The same draws, the same labels, to the bit. Not
 * FAISS's clustering, which at this size takes ten times as long (docs/dependencies.md). */
double assay_k_means (const AssayKMeans *job, AssayStream *stream, gsize *ret_labels,
                      double *ret_centres);
