/* Several weights in one plaintext: slots of 41 bits, one beside the other, each with room for the
 * sum of 255 weights of 32 bits and a sign. Adding ciphertexts adds all slots. A modulus of 1024,
 * 2048 or 3072 bits has 24, 49 or 74 slots, and so many weights cost one encryption. */
#pragma once

#include "core/crypto/paillier-key.h"

#define ASSAY_PACKING_WEIGHT_BITS 32
#define ASSAY_PACKING_MAX_USERS 255
#define ASSAY_PACKING_SLOT_BITS 41 /* 32, the sign, and 8 for sums of 255 */

/* Weights in a plaintext. */
gsize assay_packing_slots (const AssayPaillierPublic *public_key);
/* Plaintexts that @count weights take; the slots that the last has left over hold 0. */
gsize assay_packing_plaintexts (const AssayPaillierPublic *public_key, gsize count);
/* The most bits after the point with which weights up to @largest fit into a slot. All users take
 * the same, of a bound that is public. */
gint assay_packing_fraction (double largest);

/* Weights as round (w 2^fraction), halves to even. ASSAY_ERROR_NUMERIC: one is not finite, or
 * |w| 2^fraction is 2^32 or more, where the largest is named. */
gboolean assay_packing_pack (const AssayPaillierPublic *public_key, const double *weights,
                             gsize count, gint fraction, guint8 *ret_plaintexts, GError **error);
/* The sums in the slots. ASSAY_ERROR_NUMERIC names a plaintext that is none of up to 255 packed
 * ones. */
gboolean assay_packing_unpack (const AssayPaillierPublic *public_key, const guint8 *plaintexts,
                               gsize count, gint fraction, double *ret_weights, GError **error);
