/* Paillier's cryptosystem on many numbers at a time: encryption, sums of what is encrypted, and
 * decryption (Paillier 1999, "Public-key cryptosystems based on composite degree residuosity
 * classes"; sections 4 and 7).
 *
 * Plaintexts are numbers modulo n in |n|/8 bytes each, ciphertexts numbers modulo n^2 in |n|/4
 * bytes, the least significant first, one after another without gaps. encoding.h and packing.h make
 * plaintexts of weights. Every ciphertext has randomness of its own, of the item of a stream that
 * has its number, so that the bytes of a batch depend neither on threads nor on the processor. */
#pragma once

#include "core/crypto/paillier-key.h"
#include "core/crypto/power.h"

typedef enum {
  ASSAY_PAILLIER_TEXTBOOK, /* r^n, with r uniform over Z_n^* */
  /* h_s^a with h_s = h^n mod n^2, h = -y^2 mod n and a uniform below 2^(|n|/2) (Damgard, Jurik and
   * Nielsen 2010, "A generalization of Paillier's public-key system with applications to electronic
   * voting", section 4.2): it assumes in addition that such exponents cannot be told from longer
   * ones. One base serves all, so that tables do most of the work. */
  ASSAY_PAILLIER_SHORT,
  ASSAY_PAILLIER_NONE, /* no randomness, and no secrecy: (1 + m n). A control. */
} AssayPaillierRandomness;

extern const char *const assay_paillier_randomness_names[]; /* "textbook", "short", "none" */

typedef struct AssayPaillierEncryptor AssayPaillierEncryptor;

/* Encrypts for @public_key, which must stay. @stream: of all randomness; NULL: the system's, drawn
 * anew at every use. Tables of `short` are made here, and y is drawn, from item 2^64 - 1. */
AssayPaillierEncryptor *assay_paillier_encryptor_new (const AssayPaillierPublic *public_key,
                                                      AssayPaillierRandomness randomness,
                                                      AssayPowerPath path,
                                                      const AssayStreamKey *stream);
/* The same with randomness from @stream; it shares all else with @encryptor, which must stay. */
AssayPaillierEncryptor *
assay_paillier_encryptor_from (const AssayPaillierEncryptor *encryptor,
                               const AssayStreamKey *stream);
ASSAY_DECLARE_FREE (AssayPaillierEncryptor, assay_paillier_encryptor_free)

/* Encrypts @count plaintexts, number i with the randomness of item @first + i of the stream: no
 * number may be taken twice for one stream. ASSAY_ERROR_NUMERIC names a plaintext of n or more.
 * Runs over all threads. */
gboolean assay_paillier_encrypt (const AssayPaillierEncryptor *encryptor, const guint8 *plaintexts,
                                 gsize count, guint64 first, guint8 *ret_ciphertexts,
                                 GError **error);

/* inout[i] = inout[i] added[i] mod n^2: ciphertexts of the sums of plaintexts. ASSAY_ERROR_DATA
 * names a ciphertext that is 0, n^2 or more, or has a factor in common with n. */
gboolean assay_paillier_add (const AssayPaillierPublic *public_key, const guint8 *added,
                             gsize count, guint8 *inout_ciphertexts, GError **error);

/* inout = inout^(2^bits) mod n^2: the ciphertext of 2^bits times the plaintext, such as one with a
 * lower exponent (encoding.h). ASSAY_ERROR_DATA as above. */
gboolean assay_paillier_shift (const AssayPaillierPublic *public_key, guint bits,
                               guint8 *inout_ciphertext, GError **error);

typedef struct AssayPaillierDecryptor AssayPaillierDecryptor;

/* Decrypts with @key, which must stay. */
AssayPaillierDecryptor *assay_paillier_decryptor_new (const AssayPaillierKey *key,
                                                      AssayPowerPath path);
const AssayPaillierPublic *
assay_paillier_decryptor_public (const AssayPaillierDecryptor *decryptor);
ASSAY_DECLARE_FREE (AssayPaillierDecryptor, assay_paillier_decryptor_free)

/* The @count plaintexts, by the Chinese remainder theorem from c^(p - 1) mod p^2 and c^(q - 1) mod
 * q^2; nothing branches on bits of the exponents. ASSAY_ERROR_DATA as in assay_paillier_add. The
 * caller wipes the plaintexts. Runs over all threads. */
gboolean assay_paillier_decrypt (const AssayPaillierDecryptor *decryptor, const guint8 *ciphertexts,
                                 gsize count, guint8 *ret_plaintexts, GError **error);
