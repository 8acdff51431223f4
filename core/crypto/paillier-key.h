/* Keys of Paillier's cryptosystem (Paillier 1999), with generator 1 + n: c = (1 + m n) r^n mod n^2.
 *
 * The modulus n = p q has primes of equal length with p = q = 3 (mod 4), gcd (p - 1, q - 1) = 2 (as
 * randomness of DJN wants, see paillier.h) and gcd (n, phi (n)) = 1. */
#pragma once

#include "core/crypto/numbers.h"

/* What everyone may know. Ciphertexts are below n^2. */
typedef struct {
  guint bits; /* 1024, 2048 or 3072 */
  mpz_t n;
  mpz_t n2;
} AssayPaillierPublic;

/* What the key generator alone has. All of it is wiped when it goes. */
typedef struct {
  AssayPaillierPublic public_key;
  mpz_t p, q;
  gboolean is_reproducible; /* drawn from a named stream: for tests and audits, never for use */
} AssayPaillierKey;

/* Lengths in bytes. */
static inline gsize
assay_paillier_plaintext_bytes (const AssayPaillierPublic *public_key)
{
  return public_key->bits / 8;
}

static inline gsize
assay_paillier_ciphertext_bytes (const AssayPaillierPublic *public_key)
{
  return public_key->bits / 4;
}

/* TRUE for 1024, 2048 and 3072; else ASSAY_ERROR_PARAMETER. */
gboolean assay_paillier_check_bits (guint bits, GError **error);

/* The number that ciphertext @index is. ASSAY_ERROR_DATA: it is 0, or n^2 or more. */
gboolean assay_paillier_read_ciphertext (const AssayPaillierPublic *public_key,
                                         const guint8 *ciphertexts, gsize index, mpz_t ret_number,
                                         GError **error);

/* A new key of @bits bits from the system's randomness, or where @stream is given from item 0 of
 * it, and then marked as reproducible. ASSAY_ERROR_PARAMETER: another length. */
AssayPaillierKey *assay_paillier_key_new (guint bits, const AssayStreamKey *stream, GError **error);
/* The key whose factors these are. ASSAY_ERROR_DATA: they are not two primes of @bits / 2 bits as a
 * key has them. */
AssayPaillierKey *assay_paillier_key_from_factors (guint bits, const mpz_t p, const mpz_t q,
                                                   gboolean is_reproducible, GError **error);
ASSAY_DECLARE_FREE (AssayPaillierKey, assay_paillier_key_free)
