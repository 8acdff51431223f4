/* The only file that calls FAISS, through its C API. */
#pragma once

#include "core/search/scan.h"

G_BEGIN_DECLS

/* The @k (at most base.rows) rows of @base nearest in L2 to each row of @queries, by exact search.
 * ASSAY_ERROR_MISMATCH when columns differ or k does not fit; ASSAY_ERROR_NUMERIC with FAISS's own
 * message. Does not depend on the number of threads. */
AssayNearest *assay_knn_search (AssayView base, AssayView queries, gsize k, GError **error);

/* @count centres of @rows (count <= rows.rows, without gaps between rows) by FAISS's k-means, its
 * coarse quantizer: @iterations of Lloyd's from rows drawn by its own generator, always seeded the
 * same; a centre that no row is nearest to takes a share of a large one's. Row-major, count x cols.
 * It runs on one thread, so that the centres do not depend on how many there are. Errors as above,
 * and ASSAY_ERROR_NUMERIC where values are so large that squares overflow. */
AssayMatrix *assay_knn_centres (AssayView rows, gsize count, guint iterations, GError **error);

G_END_DECLS
