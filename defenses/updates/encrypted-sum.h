/* Sums of what users send, by doubly permuted homomorphic encryption (core/crypto/dphe.h): users,
 * aggregator and key generator in one process, and a record of all that goes between them. */
#pragma once

#include "core/crypto/dphe.h"
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
  guint randomness; /* AssayPaillierRandomness */
} EncryptedSumSettings;

typedef struct EncryptedSum EncryptedSum;

/* For @users users and @weights weights over @steps steps. Takes @key. @stream draws permutations
 * and what is random in messages. */
EncryptedSum *encrypted_sum_new (const EncryptedSumSettings *settings, AssayPaillierKey *key,
                                 gsize steps, const AssayStreamKey *stream);
void encrypted_sum_free (EncryptedSum *sum);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (EncryptedSum, encrypted_sum_free)

/* The `sum` of a FederationAggregator whose data is an EncryptedSum. */
gboolean encrypted_sum_add (const Federation *federation, gsize step, AssayView sent, gpointer data,
                            float *ret_sum, GError **error);

/* What the parties saw, as arrays of a release of kind updates. */
void encrypted_sum_take (EncryptedSum *sum, AssayRelease *ret_release);
/* The arrays `modulus` and `factors` of a release. */
void encrypted_sum_take_key (const AssayPaillierKey *key, AssayArrays *arrays);
