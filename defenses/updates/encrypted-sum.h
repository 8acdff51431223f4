/* Sums of what users send, by doubly permuted homomorphic encryption (core/crypto/dphe.h): users,
 * aggregator and key generator in one process, and a record of all that goes between them. */
#pragma once

#include "core/crypto/dphe.h"
#include "core/crypto/paillier-setup.h"
#include "defenses/updates/federation.h"

typedef enum { PADDING_RANDOM, PADDING_NONE } DphePadding;
typedef enum { PERMUTATIONS_DOUBLE, PERMUTATIONS_SINGLE, PERMUTATIONS_NONE } DphePermutations;
typedef enum { RENEWAL_STEP, RENEWAL_FIXED } DpheRenewal;
typedef enum { ENCODING_FIXED, ENCODING_FLOATING } DpheEncoding;

typedef struct {
  double capacity; /* M as a share of P */
  guint padding;
  guint permutations;
  guint renewal;
  guint encoding;
  gboolean cheats; /* the aggregator adds one message up */
} EncryptedSumSettings;

typedef struct EncryptedSum EncryptedSum;

/* Over @steps steps. Takes @setup. @stream draws permutations. */
EncryptedSum *encrypted_sum_new (const EncryptedSumSettings *settings, AssayPaillierSetup *setup,
                                 gsize steps, const AssayStreamKey *stream);
ASSAY_DECLARE_FREE (EncryptedSum, encrypted_sum_free)

/* The `sum` of a FederationProtocol whose data is an EncryptedSum. */
gboolean encrypted_sum_add (const Federation *federation, gsize step, AssayView sent, gpointer data,
                            float *ret_sum, GError **error);

/* What the parties saw, as arrays of a release of kind updates. */
void encrypted_sum_take (EncryptedSum *sum, AssayRelease *ret_release);
/* `modulus` and `factors` of a release, and what the key was drawn from. The factors of a key from
 * the system's randomness are its owner's alone, and stand in no release. */
void encrypted_sum_take_key (const AssayPaillierSetup *setup, AssayRelease *ret_release);
