/* Short bases of integer lattices. */
#pragma once

#include <glib.h>

/* Replaces the @count rows (each of @cols, row-major) by a basis of the lattice that they span,
 * reduced by LLL (Lenstra, Lenstra and Lovász 1982; delta 0.99, eta 0.51): its rows are short and
 * nearly orthogonal, the shorter ones first by tendency. Rows must be linearly independent. The
 * same result for the same rows on every thread. ASSAY_ERROR_NUMERIC where a number of the basis
 * does not fit into 64 bits, ASSAY_ERROR_IO where FLINT cannot be loaded. */
gboolean assay_lattice_reduce (gint64 *inout_rows, gsize count, gsize cols, GError **error);

/* The same, a few more rows at a time, with a look at the clock after each: after @deadline (in
 * monotonic microseconds; 0: never) @ret_is_late is TRUE, and the rows are a basis that is not yet
 * reduced. */
gboolean assay_lattice_reduce_until (gint64 *inout_rows, gsize count, gsize cols, gint64 deadline,
                                     gboolean *ret_is_late, GError **error);
