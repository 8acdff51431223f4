/* DPHE: messages hold the vector, hide what they are to hide, and their decrypted sum is the plain
 * sum. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/error.h"
#include "core/crypto/dphe.h"
#include "core/crypto/encoding.h"

#define WEIGHTS 60
#define USERS 4
#define PLAIN 128 /* bytes at 1024 bits */
#define CIPHER 256

static AssayStreamKey
test_key (const char *what)
{
  return assay_stream_key (7, 0, "test", what);
}

/* A vector with @n_values values, all multiples of 2^-20, in random places. */
static void
draw_vector (AssayStream *stream, gsize n_values, double *ret_weights)
{
  gsize order[WEIGHTS];

  memset (ret_weights, 0, WEIGHTS * sizeof *ret_weights);
  assay_stream_permutation (stream, WEIGHTS, order);
  for (gsize i = 0; i < n_values; i++)
    ret_weights[order[i]]
        = ((double) assay_stream_below (stream, 1 << 20) + 1) * 0x1p-18 * (i % 2 == 0 ? 1 : -1);
}

/* Columns stand in rows of their own within a message, and put together give the vector back. */
static void
check_messages (const AssayDpheShape *shape, const AssayDpheMessages *messages,
                const AssayDphePermutations *permutations, const double *weights)
{
  double found[WEIGHTS] = { 0 };
  gint64 shared[WEIGHTS], own[WEIGHTS];

  assay_dphe_invert (permutations->shared, WEIGHTS, shared);
  assay_dphe_invert (permutations->own, WEIGHTS, own);
  for (gsize s = 0; s < messages->n_messages; s++) {
    gboolean is_taken[WEIGHTS] = { FALSE };

    cr_assert (!shape->is_padded
               || messages->starts[s + 1] - messages->starts[s] == shape->capacity);
    for (gsize i = messages->starts[s]; i < messages->starts[s + 1]; i++) {
      const gint64 row = messages->rows[i];

      cr_assert (row >= 0 && row < WEIGHTS && !is_taken[row]);
      is_taken[row] = TRUE;
      found[shared[own[row]]] += messages->values[i];
    }
  }
  for (gsize d = 0; d < WEIGHTS; d++)
    cr_assert_eq (found[d], weights[d], "weight %zu: %g, not %g", d, found[d], weights[d]);
}

Test (dphe, messages_hold_the_vector)
{
  static const struct {
    gsize n_values, capacity, n_messages;
  } cases[]
      = { { 0, 6, 1 },   { 1, 6, 1 },   { 6, 6, 1 },   { 7, 6, 2 },   { 13, 6, 3 }, { 60, 6, 10 },
          { 55, 40, 2 }, { 60, 60, 1 }, { 30, 60, 1 }, { 60, 59, 2 }, { 3, 1, 3 } };
  AssayStream stream = assay_stream (test_key ("messages"), 0);
  gint64 shared[WEIGHTS], own[WEIGHTS];
  const AssayDphePermutations permutations = { shared, own };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint padded = 0; padded < 2; padded++) {
      const AssayDpheShape shape = { WEIGHTS, cases[i].capacity, padded != 0 };
      g_autoptr (AssayDpheMessages) messages = NULL;
      double weights[WEIGHTS];

      assay_dphe_draw_permutation (&stream, WEIGHTS, shared);
      assay_dphe_draw_permutation (&stream, WEIGHTS, own);
      draw_vector (&stream, cases[i].n_values, weights);
      messages = assay_dphe_decompose (&shape, weights, &permutations, &stream, NULL);
      cr_assert_eq (messages->n_messages, padded ? cases[i].n_messages : 1, "case %zu", i);
      cr_assert (padded || messages->starts[1] == cases[i].n_values);
      check_messages (&shape, messages, &permutations, weights);
    }
}

/* Spare columns stand outside the support as long as there are rows outside. */
Test (dphe, spare_columns_are_outside_the_support)
{
  const AssayDpheShape shape = { WEIGHTS, 20, TRUE };
  const AssayDphePermutations none = { NULL, NULL };
  AssayStream stream = assay_stream (test_key ("spare"), 0);
  gsize first_is_value = 0;

  for (gsize trial = 0; trial < 400; trial++) {
    g_autoptr (AssayDpheMessages) messages = NULL;
    double weights[WEIGHTS];

    draw_vector (&stream, 10, weights);
    messages = assay_dphe_decompose (&shape, weights, &none, &stream, NULL);
    for (gsize i = 0; i < 20; i++)
      cr_assert_eq (messages->values[i], weights[messages->rows[i]]);
    first_is_value += messages->values[0] != 0;
  }
  /* Nor does their place in the message tell them: half of the first columns, +- 4.5 deviations. */
  cr_assert (first_is_value > 155 && first_is_value < 245, "%zu of 400", first_is_value);
}

Test (dphe, capacities)
{
  const AssayDphePermutations none = { NULL, NULL };
  AssayStream stream = assay_stream (test_key ("capacities"), 0);
  const gsize wrong[] = { 0, WEIGHTS + 1 };
  double weights[WEIGHTS] = { 1 };

  for (gsize i = 0; i < 2; i++) {
    const AssayDpheShape shape = { WEIGHTS, wrong[i], TRUE };
    g_autoptr (GError) error = NULL;

    cr_assert (assay_dphe_decompose (&shape, weights, &none, &stream, &error) == NULL);
    cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_PARAMETER)
                   && strstr (error->message, "expected 1 to 60") != NULL,
               "%s", error->message);
  }
}

/* ---- The whole protocol ---- */

typedef struct {
  AssayPaillierKey *key;
  AssayPaillierEncryptor *encryptor;
  AssayPaillierDecryptor *decryptor;
  AssayDpheMessages *messages[USERS];
  guint8 *ciphertexts[USERS];
  gint64 shared[WEIGHTS], own[USERS][WEIGHTS], own_inverse[USERS][WEIGHTS];
  AssayDpheSent sent[USERS * WEIGHTS];
  gsize n_sent;
  guint8 zero[CIPHER];
  double expected[WEIGHTS];
} Round;

static void
send_messages (Round *r, guint user, AssayStream *stream, const AssayDpheShape *shape)
{
  const AssayDphePermutations permutations = { r->shared, r->own[user] };
  g_autofree guint8 *plaintexts = NULL;
  double weights[WEIGHTS];
  gsize n_columns;

  draw_vector (stream, 7 * user, weights); /* user 0 has an empty support */
  for (gsize d = 0; d < WEIGHTS; d++)
    r->expected[d] += weights[d];
  assay_dphe_draw_permutation (stream, WEIGHTS, r->own[user]);
  assay_dphe_invert (r->own[user], WEIGHTS, r->own_inverse[user]);
  r->messages[user] = assay_dphe_decompose (shape, weights, &permutations, stream, NULL);
  n_columns = r->messages[user]->starts[r->messages[user]->n_messages];
  plaintexts = g_malloc0 (n_columns * PLAIN);
  r->ciphertexts[user] = g_malloc0 (n_columns * CIPHER);
  cr_assert (assay_encode_fixed (&r->key->public_key, r->messages[user]->values, n_columns, USERS,
                                 plaintexts, NULL));
  cr_assert (assay_paillier_encrypt (r->encryptor, plaintexts, n_columns, 1000 * (user + 1),
                                     r->ciphertexts[user], NULL));
  for (gsize s = 0; s < r->messages[user]->n_messages; s++) {
    const gsize first = r->messages[user]->starts[s];

    r->sent[r->n_sent++]
        = (AssayDpheSent){
      .count = r->messages[user]->starts[s + 1] - first,
      .rows = first > 0 ? r->messages[user]->rows + first : r->messages[user]->rows,
      .ciphertexts
      = first > 0 ? r->ciphertexts[user] + first * CIPHER : r->ciphertexts[user],
      .own_inverse = r->own_inverse[user],
    };
  }
}

static void
init_round (Round *r, gboolean is_padded)
{
  const AssayStreamKey key = test_key ("round");
  const AssayDpheShape shape = { WEIGHTS, 6, is_padded };
  const guint8 nothing[PLAIN] = { 0 };
  AssayStream stream = assay_stream (key, 1);

  memset (r, 0, sizeof *r);
  r->key = assay_paillier_key_new (1024, &key, NULL);
  r->encryptor = assay_paillier_encryptor_new (&r->key->public_key, ASSAY_PAILLIER_SHORT,
                                               ASSAY_POWER_FASTEST, &key);
  r->decryptor = assay_paillier_decryptor_new (r->key, ASSAY_POWER_FASTEST);
  cr_assert (assay_paillier_encrypt (r->encryptor, nothing, 1, 2, r->zero, NULL));
  assay_dphe_draw_permutation (&stream, WEIGHTS, r->shared);
  for (guint user = 0; user < USERS; user++)
    send_messages (r, user, &stream, &shape);
}

static void
clear_round (Round *r)
{
  for (guint user = 0; user < USERS; user++) {
    assay_dphe_messages_free (r->messages[user]);
    g_free (r->ciphertexts[user]);
  }
  assay_paillier_encryptor_free (r->encryptor);
  assay_paillier_decryptor_free (r->decryptor);
  assay_paillier_key_free (r->key);
}

Test (dphe, decrypted_sums_are_plain_sums)
{
  for (guint padded = 0; padded < 2; padded++) {
    guint8 plaintexts[WEIGHTS * PLAIN];
    g_autoptr (AssayDpheSum) sum = NULL;
    double found[WEIGHTS];
    gsize n_held = 0;
    Round r;

    init_round (&r, padded != 0);
    sum = assay_dphe_aggregate (&r.key->public_key, r.zero, WEIGHTS, r.sent, r.n_sent, NULL);
    cr_assert (assay_dphe_reveal (r.decryptor, sum, r.shared, plaintexts, NULL));
    assay_decode_fixed (&r.key->public_key, plaintexts, WEIGHTS, found);
    for (gsize d = 0; d < WEIGHTS; d++) {
      cr_assert_eq (found[d], r.expected[d], "weight %zu: %g, not %g", d, found[d], r.expected[d]);
      n_held += sum->holders[d];
    }
    /* Supports of 0, 7, 14 and 21; in shards of six 1 + 2 + 3 + 4 messages. */
    cr_assert_eq (n_held, padded ? 60 : 42);
    clear_round (&r);
  }
}

/* A row that nobody holds is the encryption of 0 once for each message, as equation 5 has it. */
Test (dphe, rows_that_nobody_holds)
{
  g_autoptr (AssayDpheSum) sum = NULL;
  guint8 expected[CIPHER] = { 1 };
  gsize n_empty = 0;
  Round r;

  init_round (&r, FALSE);
  sum = assay_dphe_aggregate (&r.key->public_key, r.zero, WEIGHTS, r.sent, r.n_sent, NULL);
  for (gsize s = 0; s < r.n_sent; s++)
    cr_assert (assay_paillier_add (&r.key->public_key, r.zero, 1, expected, NULL));
  for (gsize row = 0; row < WEIGHTS; row++)
    if (sum->holders[row] == 0) {
      cr_assert (memcmp (sum->ciphertexts + row * CIPHER, expected, CIPHER) == 0);
      n_empty++;
    }
  cr_assert (n_empty > 0);
  clear_round (&r);
}

Test (dphe, messages_that_are_none)
{
  gint64 rows[] = { 3, WEIGHTS };
  g_autoptr (GError) error = NULL;
  AssayDpheSent bad;
  Round r;

  init_round (&r, FALSE);
  bad = (AssayDpheSent){ .count = 2, .rows = rows, .ciphertexts = r.ciphertexts[3] };
  cr_assert (assay_dphe_aggregate (&r.key->public_key, r.zero, WEIGHTS, &bad, 1, &error) == NULL);
  cr_assert (strstr (error->message, "message 0, column 1: row 60, where vectors have 60") != NULL,
             "%s", error->message);
  g_clear_error (&error);
  rows[1] = 3;
  cr_assert (assay_dphe_aggregate (&r.key->public_key, r.zero, WEIGHTS, &bad, 1, &error) == NULL);
  cr_assert (strstr (error->message, "row 3 has a column already") != NULL, "%s", error->message);
  g_clear_error (&error);
  rows[1] = 4;
  memset (r.ciphertexts[3] + CIPHER, 0, CIPHER);
  cr_assert (assay_dphe_aggregate (&r.key->public_key, r.zero, WEIGHTS, &bad, 1, &error) == NULL);
  cr_assert (strstr (error->message, "message 0: ciphertext 1 is not between 1") != NULL, "%s",
             error->message);
  clear_round (&r);
}
