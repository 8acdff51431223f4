/* Doubly permuted homomorphic encryption (Yonetani et al. 2017, "Privacy-Preserving Visual Learning
 * Using Doubly Permuted Homomorphic Encryption", algorithm 1 and equations 3 to 8): sums of sparse
 * vectors, of which only the values that are not 0 are encrypted.
 *
 * User n writes w^(n) = K^(n) v^(n), K^(n) with a single one in each of its M columns, and sends
 * the ciphertexts of v^(n) and the index matrix phi^(n) phi K^(n). All users share phi, the
 * aggregator knows every phi^(n), and the key generator everything. A matrix is kept as the row of
 * each of its columns, and a permutation as where each row goes: column m, of weight d, is sent
 * with the row phi^(n)[phi[d]].
 *
 * More values than the capacity M go in F = max (1, ceil (nz / M)) messages (shards) of exactly M
 * columns each; spare columns encrypt 0 in rows where the user's vector is 0. */
#pragma once

#include "core/crypto/paillier.h"

typedef struct {
  gsize weights;      /* P: the length of a vector */
  gsize capacity;     /* M, from 1 to P */
  gboolean is_padded; /* FALSE: one message of as many columns as there are values, M = nz */
} AssayDpheShape;

/* Permutations of P rows that a message goes through; NULL: none. */
typedef struct {
  const gint64 *shared; /* phi */
  const gint64 *own;    /* phi^(n) */
} AssayDphePermutations;

/* A user's messages of one step. Message s has columns starts[s] .. starts[s + 1] - 1. */
typedef struct {
  gsize n_messages;
  gsize *starts;  /* n_messages + 1 */
  gint64 *rows;   /* of each column, as sent */
  double *values; /* of each column: v, to be encrypted; wiped with the messages */
} AssayDpheMessages;

ASSAY_DECLARE_FREE (AssayDpheMessages, assay_dphe_messages_free)

/* A random permutation of @count rows. */
void assay_dphe_draw_permutation (AssayStream *stream, gsize count, gint64 *ret_permutation);
/* What undoes it. */
void assay_dphe_invert (const gint64 *permutation, gsize count, gint64 *ret_inverse);

/* A vector of P weights as messages; which value goes into which column, and where spare columns
 * stand, is drawn from @stream. Spare columns stand outside the support; in the rows of other
 * shards where that is too small. ASSAY_ERROR_PARAMETER: a capacity below 1 or above P. */
AssayDpheMessages *assay_dphe_decompose (const AssayDpheShape *shape, const double *weights,
                                         const AssayDphePermutations *permutations,
                                         AssayStream *stream, GError **error);

/* A message as the aggregator has it. */
typedef struct {
  gsize count;
  const gint64 *rows;        /* as sent */
  const guint8 *ciphertexts; /* of |n|/4 bytes each */
  const gint64 *exponents;   /* of floating-point numbers (encoding.h); NULL: fixed ones */
  const gint64 *own_inverse; /* undoes phi^(n); NULL: there is none */
} AssayDpheSent;

/* phi zeta (w_sum). */
typedef struct {
  gsize weights;       /* P */
  guint8 *ciphertexts; /* P of them */
  gint64 *exponents;   /* P, where messages have some; else NULL */
  guint32 *holders;    /* P: messages with a column in the row */
} AssayDpheSum;

ASSAY_DECLARE_FREE (AssayDpheSum, assay_dphe_sum_free)

/* The sum of @n_sent messages of vectors of @weights: for each row the product of its ciphertexts
 * and, for every message that has no column there, of @zero, an encryption of 0 (Enc0), which is
 * computed once. ASSAY_ERROR_DATA: a row that is not below P, or twice in one message; and as of
 * assay_paillier_add. */
AssayDpheSum *assay_dphe_aggregate (const AssayPaillierPublic *public_key, const guint8 *zero,
                                    gsize weights, const AssayDpheSent *sent, gsize n_sent,
                                    GError **error);

/* What the key generator hands back: the plaintexts of the sum in the order of weights, number d
 * that of row phi[d] (@shared NULL: d). Rows without holders are all one ciphertext, which is
 * decrypted once. The caller decodes the plaintexts (assay_decode_fixed) and wipes them. */
gboolean assay_dphe_reveal (const AssayPaillierDecryptor *decryptor, const AssayDpheSum *sum,
                            const gint64 *shared, guint8 *ret_plaintexts, GError **error);
