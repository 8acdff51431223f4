/* Weights as plaintexts of Paillier's cryptosystem (paillier.h): numbers modulo n, where those
 * above n / 2 stand for negative ones. */
#pragma once

#include "core/crypto/paillier-key.h"

/* ---- Fixed point: round (w 2^40), halves to even ---- */

#define ASSAY_ENCODING_FRACTION 40 /* bits */

/* @count plaintexts of |n|/8 bytes each, whose sums over @users (>= 1) users can be decoded.
 * ASSAY_ERROR_NUMERIC: a weight that is not finite, or users x |w| x 2^40 is n / 2 or more, where
 * the largest weight is named. */
gboolean assay_encode_fixed (const AssayPaillierPublic *public_key, const double *weights,
                             gsize count, guint users, guint8 *ret_plaintexts, GError **error);
/* Digits beyond the 53 of a double are cut off. */
void assay_decode_fixed (const AssayPaillierPublic *public_key, const guint8 *plaintexts,
                         gsize count, double *ret_weights);

/* ---- Floating point, as python-paillier encodes by default ----
 *
 * w = mu 2^e with 1/2 <= |mu| < 1 becomes the exponent x = floor ((e - 53) / 4), which stays in
 * clear, and the number w 16^-x, a whole one of up to 56 bits; 0 has e = 0, and so the exponent
 * -14. What x shows is how large w is, within a factor of 16. */

#define ASSAY_ENCODING_BASE_BITS 4 /* 16 */
#define ASSAY_ENCODING_ZERO_EXPONENT (-14)

/* ASSAY_ERROR_NUMERIC: a weight that is not finite. All others fit. */
gboolean assay_encode_floating (const AssayPaillierPublic *public_key, const double *weights,
                                gsize count, guint8 *ret_plaintexts, gint64 *ret_exponents,
                                GError **error);
/* ASSAY_ERROR_NUMERIC names a number that is not within n / 3 of 0 (python-paillier's bound): a sum
 * that has overflowed, or what another key decrypted. */
gboolean assay_decode_floating (const AssayPaillierPublic *public_key, const guint8 *plaintexts,
                                const gint64 *exponents, gsize count, double *ret_weights,
                                GError **error);

/* Ciphertexts with their exponents. */
typedef struct {
  gsize count;
  guint8 *ciphertexts;
  gint64 *exponents;
} AssayFloatingCiphertexts;

/* Adds as many of @added to @inout on ciphertexts: of two exponents the higher is brought down to
 * the other, c^(16^difference), as python-paillier does. ASSAY_ERROR_NUMERIC: exponents so far
 * apart that the number does not fit; ASSAY_ERROR_DATA as of assay_paillier_add. */
gboolean assay_encoding_add_floating (const AssayPaillierPublic *public_key,
                                      const AssayFloatingCiphertexts *added,
                                      AssayFloatingCiphertexts *inout, GError **error);
