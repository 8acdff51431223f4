/* The only file that calls FAISS, through its C API. */
#pragma once

#include "core/scan.h"

G_BEGIN_DECLS

/* The @k (at most base.rows) rows of @base nearest in L2 to each row of @queries, by exact search.
 * ASSAY_ERROR_MISMATCH when columns differ or k does not fit; ASSAY_ERROR_NUMERIC with FAISS's own
 * message. Does not depend on the number of threads. */
AssayNearest *assay_knn_search (AssayView base, AssayView queries, gsize k, GError **error);

G_END_DECLS
