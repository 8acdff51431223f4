/* The one kernel by which databases and public sets are searched: for each of many queries the k
 * best rows of a set that need not fit into memory.
 *
 * Rows come a panel at a time from wherever they lie, mostly a mapped file. On the way they are
 * converted and scaled (core/data/rows.h) and, if that is what is compared, made into features or
 * codes. A panel is compared with one block of queries after another, by a matrix product or by
 * words that differ. An epilogue makes scores of that while it is in cache, and what passes the bar
 * goes to the query's pool, a bounded set of the k best. So memory is what panels, pools and the
 * result take, however large the set. Here are inner products, their squares and Hamming distances;
 * distances from affine subspaces, and from points as those of dimension 0, are in scan.h.
 *
 * Searches that do not use this kernel: knn.h, whose sets are in memory, goes through FAISS;
 * attacks that fit an image after each one that they find need all products of a mixture before
 * they know the next query (public-pursuit, joint-removal, whitened-signs); whitened-scores takes
 * the best of many combinations of two products; similarity-search compares windows of pictures;
 * and rankings of all rows select none (attacks/mixtures/mixture-scores.h,
 * metrics/retrieval/ranking.h). */
#pragma once

#include "core/data/codes.h"
#include "core/data/rows.h"

G_BEGIN_DECLS

/* For each of n queries the k best rows, best first; equally good ones in row order. */
typedef struct {
  gsize n;
  gsize k;
  gsize *rows;      /* n x k */
  float *distances; /* n x k, not squared; of products the scores */
} AssayNearest;

AssayNearest *assay_nearest_new (gsize n, gsize k, GError **error);
ASSAY_DECLARE_FREE (AssayNearest, assay_nearest_free)

/* Makes of @panel, the rows from number @first on, what is compared: as many rows of features
 * (float), or of the words of codes (guint64), without gaps; and what is added to the products with
 * each (@ret_offsets, zeros when it is called). From several threads; of several panels that fail,
 * the first is reported. */
typedef gboolean (*AssaySearchShape) (AssayView panel, gsize first, gpointer data,
                                      gpointer ret_features, float *ret_offsets, GError **error);

typedef struct {
  const AssayRows *rows;
  AssayScale scale;
  AssaySearchShape shape; /* NULL: rows are compared as they are; codes are packed in their bytes,
                           * which are given as rows of such numbers */
  gpointer data;          /* for it */
} AssaySearchSet;

typedef enum {
  ASSAY_SEARCH_PRODUCT,        /* q.w + offset */
  ASSAY_SEARCH_SQUARED_PRODUCT /* (q.w)^2 + offset */
} AssaySearchScore;

/* The @k rows (1 to all) of the largest scores. Rows whose score is not a number come last, at
 * minus infinity. The result does not depend on the number of threads, to the bit. Memory beyond
 * the result and what @shape takes stays under 256 MiB, for up to 16,384 columns.
 * ASSAY_ERROR_MISMATCH: columns differ, k is 0 or too large, 2^32 rows or more; or as @shape
 * fails. */
AssayNearest *assay_search_products (AssaySearchScore score, AssayView queries,
                                     const AssaySearchSet *set, gsize k, GError **error);

/* The @k rows of the least Hamming distances. ASSAY_ERROR_DATA where the set has no @shape and a
 * row holds what is no byte. */
AssayNearest *assay_search_codes (const AssayCodes *queries, const AssaySearchSet *set, gsize k,
                                  GError **error);

G_END_DECLS
