/* Releases of kind codes: the bits of a hash in place of each secret, and it may be the hash
 * function (core/math/hash-function.h). */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

typedef struct {
  double flip_probability; /* of each bit, on its own */
} AssayCodesParameters;

/* Layers of convolutions that a hash function may begin with: arrays `kernels1` and so on. */
#define ASSAY_CODES_MAX_KERNELS 3
extern const char *const assay_codes_kernels[ASSAY_CODES_MAX_KERNELS];

/* The side of an image after such a layer, which goes on by two pixels. */
static inline gsize
assay_codes_halved (gsize side)
{
  return (side + 1) / 2;
}

/* That the codes in @array have as many bytes as the release's bits take, and no bit set beyond
 * them. @before: what a message on one of them begins with. */
gboolean assay_codes_check (const AssayRelease *release, const char *array, const char *before,
                            GError **error);
/* ASSAY_ERROR_MISMATCH unless the hash function's arrays in @release are all there or none, and
 * agree with each other and with the number of bits. */
gboolean assay_codes_check_function (const AssayRelease *release, GError **error);

G_END_DECLS
