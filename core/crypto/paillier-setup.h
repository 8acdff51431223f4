/* What works with Paillier's cryptosystem sets up: which key, from where, and what encrypts and
 * decrypts with it. One place for all defenses and mechanisms, so that a key from a seed is marked
 * as one wherever it comes from, and everything secret is wiped when it goes: keys and what is made
 * of them by assay_number_clear, seeds with the encryptor, and plaintexts by who made them.
 *
 * Powers with the key (p - 1 and q - 1, of decryption) go through mpz_powm_sec, or through lanes
 * that read a whole table whichever entry they take. No others have a secret exponent but those of
 * short randomness, which tables look up (power.h). Reductions modulo p^2 and the test for primes
 * are GMP's. */
#pragma once

#include "core/crypto/paillier.h"

/* Choices of settings: lengths of the modulus in bits, and their names. */
extern const guint assay_paillier_lengths[];
extern const char *const assay_paillier_length_names[]; /* "1024", "2048", "3072" */

typedef struct {
  guint length;       /* of assay_paillier_lengths; of a key in a folder what that has */
  guint randomness;   /* of ciphertexts, AssayPaillierRandomness */
  const char *folder; /* core/crypto/key-folder.h; NULL or "": a key is drawn from @seed */
  AssayStreamKey seed;
} AssayPaillierChoice;

typedef struct {
  AssayPaillierKey *key;
  AssayPaillierEncryptor *encryptor;
  AssayPaillierDecryptor *decryptor;
} AssayPaillierSetup;

/* @stream: of the randomness of ciphertexts. NULL with the errors of assay_key_folder_load. */
AssayPaillierSetup *assay_paillier_setup_new (const AssayPaillierChoice *choice,
                                              const AssayStreamKey *stream, GError **error);
ASSAY_DECLARE_FREE (AssayPaillierSetup, assay_paillier_setup_free)

/* What a report says of a key from a seed: that is one where no @folder is named, or where the key
 * in it says so itself. Else, and where it cannot be read (which protecting refuses), NULL. */
const char *assay_paillier_remark (const char *folder);
#define ASSAY_PAILLIER_SEED_REMARK                                                                 \
  "encrypted under a test key from a seed, which whoever knows it decrypts with: for audits alone"

static inline const AssayPaillierPublic *
assay_paillier_setup_public (const AssayPaillierSetup *setup)
{
  return &setup->key->public_key;
}

/* Whether the key is drawn from a seed: whoever knows that can decrypt. For tests and audits. */
static inline gboolean
assay_paillier_setup_is_reproducible (const AssayPaillierSetup *setup)
{
  return setup->key->is_reproducible;
}
