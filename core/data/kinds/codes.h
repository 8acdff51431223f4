/* Releases of kind codes: the bits of a hash in place of each secret, and it may be the hash
 * function (core/math/hash-function.h). */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

typedef struct {
  double flip_probability; /* of each bit, on its own */
} AssayCodesParameters;

/* That the codes in @array have as many bytes as the release's bits take, and no bit set beyond
 * them. @before: what a message on one of them begins with. */
gboolean assay_codes_check (const AssayRelease *release, const char *array, const char *before,
                            GError **error);
/* ASSAY_ERROR_MISMATCH unless the hash function's arrays in @release are all there or none, and
 * agree with each other and with the number of bits. */
gboolean assay_codes_check_function (const AssayRelease *release, GError **error);

G_END_DECLS
