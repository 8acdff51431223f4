/* Small clusterings: a few hundred rows into a few clusters, many times, each on one thread. */
#pragma once

#include "core/base/rng.h"

G_BEGIN_DECLS

/* Lloyd's algorithm from centres chosen by k-means++ (Arthur and Vassilvitskii 2007), in double, at
 * most @rounds rounds; the best of @starts. @rows is n x d; 1 <= @k <= n. @ret_labels (n) says of
 * each row in which of the k clusters it is; clusters may be empty where rows are equal. Returns
 * the sum of squared distances from the clusters' centres. The same draws, the same labels, to the
 * bit: FAISS's clustering has a generator, threads and single-precision sums of its own, and pays
 * for them at this size. */
double k_means (const float *rows, gsize n, gsize d, gsize k, gsize rounds, gsize starts,
                AssayStream *stream, gsize *ret_labels);

G_END_DECLS
