/* Hash functions: what takes a row of d numbers to a code of c bits. One form serves those that are
 * learned by the defenses of defenses/codes, so that receivers and attacks can apply any of them
 * without knowing which it is:
 *   with kernels, x is what layers of convolutions make of the row (core/math/picture-kernels.h)
 *   features    z = x - mean                                             (without anchors; f = d)
 *               z_i = exp (-||x - anchor_i||^2 / (2 width^2)) - mean_i   (with f anchors)
 *               z_i = max (h_i (x, 1), 0) - mean_i                       (with a hidden layer H)
 *   projection  p = P z, P c x f
 *   bit j       p_j > 0, or with waves (w, a): cos (w_j p_j + a_j) > 0
 * In a release they are the arrays mean f, projection c x f, anchors f x d, width 1, hidden
 * f x (d + 1), waves c x 2, picture 3 and kernels1 to kernels3 (core/data/kinds/codes.c). */
#pragma once

#include "core/data/codes.h"
#include "core/data/exchange.h"
#include "core/data/rows.h"
#include "core/math/picture-kernels.h"

typedef struct {
  AssayMatrix *mean;       /* 1 x f */
  AssayMatrix *projection; /* c x f */
  AssayMatrix *anchors;    /* f x d, or NULL */
  float width;             /* of the anchors' kernel, above 0; 0 without anchors */
  AssayMatrix *hidden;     /* f x (d + 1), the last column is the bias; or NULL */
  AssayMatrix *waves;      /* c x 2: frequency and phase, or NULL */
  AssayPictureKernels kernels; /* before a hidden layer; n = 0: none */
  char *says; /* of how it was learned: for the truth of releases, not for them; NULL: nothing */
} AssayHashFunction;

/* One that is learned is kept and used by several, and changed by none: free lets go of it. */
AssayHashFunction *assay_hash_function_new (void);
/* One of @bits whose mean is that of @cols numbers, with a projection still to be filled. */
AssayHashFunction *assay_hash_function_linear (const double *mean, gsize cols, gsize bits,
                                               GError **error);
AssayHashFunction *assay_hash_function_ref (AssayHashFunction *function);
ASSAY_DECLARE_FREE (AssayHashFunction, assay_hash_function_free)

gsize assay_hash_function_bits (const AssayHashFunction *function); /* c */
gsize assay_hash_function_cols (const AssayHashFunction *function); /* d */

/* The features z of @rows (each of d numbers), rows x f. ASSAY_ERROR_MISMATCH for other columns. In
 * parallel, the same for any number of threads. */
AssayMatrix *assay_hash_function_features (const AssayHashFunction *function, AssayView rows,
                                           GError **error);
/* What is cut at 0: p, or with waves cos (w p + a); rows x c. Its magnitude says how far a bit is
 * from being the other one. */
AssayMatrix *assay_hash_function_margins (const AssayHashFunction *function, AssayView rows,
                                          GError **error);
/* Packed codes, uint8 n x assay_code_bytes (c). */
AssayArray *assay_hash_function_codes (const AssayHashFunction *function, AssayView rows,
                                       GError **error);

/* Adds the function to a release of kind codes, and reads it from one (a copy; NULL with
 * ASSAY_ERROR_MISMATCH where the release has none, or one that is incomplete). */
void assay_hash_function_release (const AssayHashFunction *function, AssayRelease *release);
AssayHashFunction *assay_hash_function_from (const AssayRelease *release, GError **error);
