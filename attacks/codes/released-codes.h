/* What attacks on codes have in common. */
#pragma once

#include "core/math/hash-function.h"
#include "core/plugin/plugin.h"

/* The bits of several releases of the same codes as numbers, n x bits: the mean over the releases
 * of +1 for a set bit and -1 for another, and of codes that were mostly negated (@is_negated) the
 * opposite. ASSAY_ERROR_MISMATCH where they are not codes of as many secrets and bits. */
AssayMatrix *released_codes_mean (const AssayObservation *seen, gsize n_repeats,
                                  gboolean is_negated, GError **error);

/* Control cases: @n rows of @cols normals, codes of @bits by a random linear hash function of them,
 * released as they are with the function. The truth has the rows and the codes. */
gboolean released_codes_control (gsize n, gsize cols, gsize bits, AssayStreamKey key,
                                 AssayControlCase *ret_case, GError **error);
