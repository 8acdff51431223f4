/* The only file that calls BLAS and LAPACKE. Sizes are checked before they are narrowed to their
 * integers. Every routine runs on one thread and may be called from assay_parallel_for. */
#pragma once

#include "core/matrix.h"

G_BEGIN_DECLS

/* C = A B' with A rows_a x inner, B rows_b x inner, C rows_a x rows_b, all row-major with the
 * given strides (elements). */
void assay_linalg_product_nt (gsize rows_a, gsize rows_b, gsize inner, const float *a,
                              gsize stride_a, const float *b, gsize stride_b, float *ret_c,
                              gsize stride_c);
/* The same in double. */
void assay_linalg_product_nt_double (gsize rows_a, gsize rows_b, gsize inner, const double *a,
                                     gsize stride_a, const double *b, gsize stride_b, double *ret_c,
                                     gsize stride_c);

/* Replaces the @count rows (each of @cols, row-major without gaps, count <= cols) by an orthonormal
 * basis of their span (Householder QR in double). ASSAY_ERROR_NUMERIC when they are linearly
 * dependent to working precision. */
gboolean assay_linalg_orthonormalize (double *rows, gsize count, gsize cols, GError **error);

/* Which BLAS answers: "OpenBLAS 0.3.21 ... SkylakeX"; for run.json and --version. Static. */
const char *assay_linalg_describe (void);

G_END_DECLS
