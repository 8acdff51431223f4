/* K-means as it is defined, for comparison with core/search/dictionary.c. */
#pragma once

#include "core/data/matrix.h"
#include "core/data/rows.h"

G_BEGIN_DECLS

/* Normal rows, of deviation 0.4, around 40 centres. */
AssayMatrix *naive_clustered (gsize rows, gsize cols, guint64 trial);

/* The entry nearest to @row, the first of equals. */
gsize naive_nearest_entry (AssayView entries, const float *row, double *ret_square);

/* Mean squared distance of @rows from the entries nearest to them. */
double naive_quantisation_error (AssayView entries, const AssayMatrix *rows);

/* One of Lloyd's iterations, spherical under ASSAY_SCALE_UNIT; entries without a row stay where
 * they are. Returns how many those are. */
guint naive_lloyd_iteration (AssayMatrix *entries, const AssayMatrix *rows, AssayScale scale);

G_END_DECLS
