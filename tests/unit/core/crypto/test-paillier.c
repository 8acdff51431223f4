/* Paillier's cryptosystem: known answers that Python's integers gave, sums, keys, and what is
 * refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/crypto/encoding.h"
#include "core/crypto/packing.h"
#include "core/crypto/paillier.h"
#include "tests/reference/paillier-vectors.h"
#include "tests/unit/assert-near.h"

#define SEED 20
#define N_WEIGHTS G_N_ELEMENTS (vector_weights)

static AssayPaillierKey *
vector_key (const PaillierVector *vector)
{
  g_autoptr (GError) error = NULL;
  AssayPaillierKey *key;
  g_auto (mpz_t) p, q;

  mpz_init_set_str (p, vector->p, 16);
  mpz_init_set_str (q, vector->q, 16);
  key = assay_paillier_key_from_factors (vector->bits, p, q, TRUE, &error);
  cr_assert (key != NULL, "%s", error != NULL ? error->message : "no error");
  return key;
}

static void
assert_digest (const guint8 *bytes, gsize count, const char *expected, const char *what, guint bits)
{
  g_autofree char *found = g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes, count);

  cr_assert_str_eq (found, expected, "%s at %u bits: %s", what, bits, found);
}

/* The plaintexts of the vectors' weights. */
static guint8 *
encode (const AssayPaillierPublic *public_key)
{
  g_autoptr (GError) error = NULL;
  guint8 *plaintexts = g_malloc0 (N_WEIGHTS * assay_paillier_plaintext_bytes (public_key));

  cr_assert (assay_encode_fixed (public_key, vector_weights, N_WEIGHTS, 255, plaintexts, &error));
  return plaintexts;
}

static guint8 *
encrypt (const AssayPaillierPublic *public_key, AssayPaillierRandomness randomness,
         AssayPowerPath path)
{
  const AssayStreamKey stream = assay_stream_key (SEED, public_key->bits, "paillier", "encryption");
  g_autoptr (AssayPaillierEncryptor) encryptor
      = assay_paillier_encryptor_new (public_key, randomness, path, &stream);
  g_autofree guint8 *plaintexts = encode (public_key);
  g_autoptr (GError) error = NULL;
  guint8 *ciphertexts = g_malloc0 (N_WEIGHTS * assay_paillier_ciphertext_bytes (public_key));

  cr_assert (assay_paillier_encrypt (encryptor, plaintexts, N_WEIGHTS, 0, ciphertexts, &error));
  return ciphertexts;
}

static guint8 *
decrypt (const AssayPaillierKey *key, const guint8 *ciphertexts, gsize count, AssayPowerPath path)
{
  g_autoptr (AssayPaillierDecryptor) decryptor = assay_paillier_decryptor_new (key, path);
  g_autoptr (GError) error = NULL;
  guint8 *plaintexts = g_malloc0 (count * assay_paillier_plaintext_bytes (&key->public_key));

  cr_assert (assay_paillier_decrypt (decryptor, ciphertexts, count, plaintexts, &error), "%s",
             error != NULL ? error->message : "no error");
  return plaintexts;
}

static void
check_vector (const PaillierVector *vector, AssayPowerPath path)
{
  const char *const expected[] = { vector->textbook, vector->short_exponents, vector->none };
  g_autoptr (AssayPaillierKey) key = vector_key (vector);
  const AssayPaillierPublic *public_key = &key->public_key;
  const gsize plain = N_WEIGHTS * assay_paillier_plaintext_bytes (public_key);
  const gsize cipher = N_WEIGHTS * assay_paillier_ciphertext_bytes (public_key);
  g_autofree guint8 *plaintexts = encode (public_key);

  assert_digest (plaintexts, plain, vector->fixed, "fixed point", vector->bits);
  for (guint r = 0; r < G_N_ELEMENTS (expected); r++) {
    g_autofree guint8 *ciphertexts = encrypt (public_key, (AssayPaillierRandomness) r, path);
    g_autofree guint8 *decrypted = decrypt (key, ciphertexts, N_WEIGHTS, path);

    assert_digest (ciphertexts, cipher, expected[r], assay_paillier_randomness_names[r],
                   vector->bits);
    cr_assert (memcmp (decrypted, plaintexts, plain) == 0);
  }
}

Test (paillier, known_answers)
{
  for (gsize i = 0; i < G_N_ELEMENTS (paillier_vectors); i++)
    check_vector (&paillier_vectors[i], ASSAY_POWER_FASTEST);
}

/* The table of GMP alone takes a second at 3072 bits: the shortest suffices for the same code. */
Test (paillier, known_answers_by_gmp)
{
  check_vector (&paillier_vectors[0], ASSAY_POWER_GMP);
}

Test (paillier, keys_are_those_of_the_stream)
{
  const PaillierVector *vector = &paillier_vectors[0];
  const AssayStreamKey stream = assay_stream_key (SEED, vector->bits, "paillier", "key");
  g_autoptr (AssayPaillierKey) key = assay_paillier_key_new (vector->bits, &stream, NULL);
  g_autoptr (AssayPaillierKey) expected = vector_key (vector);

  cr_assert (mpz_cmp (key->p, expected->p) == 0 && mpz_cmp (key->q, expected->q) == 0);
  cr_assert (key->is_reproducible);
}

Test (paillier, keys_of_the_system_differ)
{
  g_autoptr (AssayPaillierKey) one = assay_paillier_key_new (1024, NULL, NULL);
  g_autoptr (AssayPaillierKey) other = assay_paillier_key_new (1024, NULL, NULL);

  cr_assert (!one->is_reproducible && mpz_cmp (one->public_key.n, other->public_key.n) != 0);
  cr_assert_eq (mpz_sizeinbase (one->public_key.n, 2), 1024);
}

/* Sums are those of the plain numbers to the last digit, since all are multiples of 2^-40. */
Test (paillier, decrypted_sums_are_plain_sums)
{
  enum { USERS = 5, COUNT = 70 }; /* more than a piece of work */
  const AssayStreamKey stream = assay_stream_key (3, 0, "test", "sums");
  AssayStream numbers = assay_stream (stream, 1000000);
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  const AssayPaillierPublic *public_key = &key->public_key;
  const gsize bytes = COUNT * assay_paillier_ciphertext_bytes (public_key);
  g_autoptr (AssayPaillierEncryptor) encryptor = assay_paillier_encryptor_new (
      public_key, ASSAY_PAILLIER_SHORT, ASSAY_POWER_FASTEST, &stream);
  g_autofree guint8 *plaintexts = g_malloc0 (bytes);
  g_autofree guint8 *sum = g_malloc0 (bytes);
  g_autofree guint8 *more = g_malloc0 (bytes);
  g_autofree guint8 *decrypted = NULL;
  double expected[COUNT] = { 0 }, weights[COUNT], found[COUNT];

  for (guint user = 0; user < USERS; user++) {
    for (gsize i = 0; i < COUNT; i++) {
      weights[i] = rint (assay_stream_normal (&numbers) * 0x1p40) * 0x1p-40;
      expected[i] += weights[i];
    }
    cr_assert (assay_encode_fixed (public_key, weights, COUNT, USERS, plaintexts, NULL));
    cr_assert (assay_paillier_encrypt (encryptor, plaintexts, COUNT, user * COUNT,
                                       user == 0 ? sum : more, NULL));
    cr_assert (user == 0 || assay_paillier_add (public_key, more, COUNT, sum, NULL));
  }
  decrypted = decrypt (key, sum, COUNT, ASSAY_POWER_FASTEST);
  assay_decode_fixed (public_key, decrypted, COUNT, found);
  for (gsize i = 0; i < COUNT; i++)
    cr_assert_eq (found[i], expected[i], "sum %zu: %.17g, not %.17g", i, found[i], expected[i]);
}

Test (paillier, known_sums)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  const AssayPaillierPublic *public_key = &key->public_key;
  g_autofree guint8 *one = encrypt (public_key, ASSAY_PAILLIER_TEXTBOOK, ASSAY_POWER_FASTEST);
  g_autofree guint8 *other = encrypt (public_key, ASSAY_PAILLIER_TEXTBOOK, ASSAY_POWER_GMP);

  cr_assert (assay_paillier_add (public_key, one, N_WEIGHTS, other, NULL));
  assert_digest (other, N_WEIGHTS * assay_paillier_ciphertext_bytes (public_key),
                 paillier_vectors[0].doubled, "twice the textbook", 1024);
}

Test (paillier, threads_change_nothing)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  const AssayPaillierPublic *public_key = &key->public_key;
  const AssayStreamKey stream = assay_stream_key (4, 0, "test", "threads");
  g_autoptr (AssayPaillierEncryptor) encryptor = assay_paillier_encryptor_new (
      public_key, ASSAY_PAILLIER_SHORT, ASSAY_POWER_FASTEST, &stream);
  const gsize count = 200, bytes = count * assay_paillier_ciphertext_bytes (public_key);
  g_autofree guint8 *plaintexts = g_malloc0 (count * assay_paillier_plaintext_bytes (public_key));
  g_autofree guint8 *one = g_malloc0 (bytes);
  g_autofree guint8 *many = g_malloc0 (bytes);

  assay_parallel_set_threads (1);
  cr_assert (assay_paillier_encrypt (encryptor, plaintexts, count, 7, one, NULL));
  assay_parallel_set_threads (3);
  cr_assert (assay_paillier_encrypt (encryptor, plaintexts, count, 7, many, NULL));
  cr_assert (memcmp (one, many, bytes) == 0);
}

/* ---- What is refused ---- */

static void
assert_refused (gboolean is_done, GError **error, AssayErrorCode code, const char *words)
{
  cr_assert (!is_done, "not refused: %s", words);
  cr_assert (g_error_matches (*error, ASSAY_ERROR, (gint) code), "%s", (*error)->message);
  cr_assert (strstr ((*error)->message, words) != NULL, "%s", (*error)->message);
  g_clear_error (error);
}

Test (paillier, lengths_of_keys)
{
  g_autoptr (GError) error = NULL;

  assert_refused (assay_paillier_key_new (1000, NULL, &error) != NULL, &error,
                  ASSAY_ERROR_PARAMETER, "1000 bits: expected 1024, 2048 or 3072");
}

Test (paillier, factors_that_make_no_key)
{
  const PaillierVector *vector = &paillier_vectors[0];
  g_autoptr (GError) error = NULL;
  g_auto (mpz_t) p, q;

  mpz_init_set_str (p, vector->p, 16);
  mpz_init_set_str (q, vector->q, 16);
  assert_refused (assay_paillier_key_from_factors (1024, p, p, TRUE, &error) != NULL, &error,
                  ASSAY_ERROR_DATA, "they are equal");
  mpz_add_ui (q, q, 4);
  assert_refused (assay_paillier_key_from_factors (1024, p, q, TRUE, &error) != NULL, &error,
                  ASSAY_ERROR_DATA, "factors of a Paillier key: ");
  assert_refused (assay_paillier_key_from_factors (2048, p, q, TRUE, &error) != NULL, &error,
                  ASSAY_ERROR_DATA, "half as long");
}

Test (paillier, ciphertexts_of_another_key)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  const AssayPaillierPublic *public_key = &key->public_key;
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);
  g_autoptr (AssayPaillierDecryptor) decryptor
      = assay_paillier_decryptor_new (key, ASSAY_POWER_FASTEST);
  g_autofree guint8 *three
      = encrypt (public_key, ASSAY_PAILLIER_NONE, ASSAY_POWER_FASTEST); /* the first of many */
  guint8 plaintexts[3 * 128];
  g_autofree guint8 *units = g_memdup2 (three, 3 * bytes);
  g_autoptr (GError) error = NULL;

  assay_number_write (public_key->n2, bytes, three + 2 * bytes);
  assert_refused (assay_paillier_decrypt (decryptor, three, 3, plaintexts, &error), &error,
                  ASSAY_ERROR_DATA, "ciphertext 2 is not between 1 and n^2 - 1");
  assert_refused (assay_paillier_add (public_key, units, 3, three, &error), &error,
                  ASSAY_ERROR_DATA, "ciphertext 2 is not between 1 and n^2 - 1");
}

Test (paillier, ciphertexts_that_are_not_invertible)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  const AssayPaillierPublic *public_key = &key->public_key;
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);
  g_autoptr (AssayPaillierDecryptor) decryptor
      = assay_paillier_decryptor_new (key, ASSAY_POWER_FASTEST);
  g_autofree guint8 *three = encrypt (public_key, ASSAY_PAILLIER_NONE, ASSAY_POWER_FASTEST);
  g_autofree guint8 *units = g_memdup2 (three, 3 * bytes);
  guint8 plaintexts[3 * 128];
  g_autoptr (GError) error = NULL;

  assay_number_write (key->q, bytes, three + bytes);
  assert_refused (assay_paillier_decrypt (decryptor, three, 3, plaintexts, &error), &error,
                  ASSAY_ERROR_DATA, "ciphertext 1 is not invertible");
  assert_refused (assay_paillier_shift (public_key, 4, three + bytes, &error), &error,
                  ASSAY_ERROR_DATA, "is not invertible");
  assert_refused (assay_paillier_add (public_key, units, 3, three, &error), &error,
                  ASSAY_ERROR_DATA, "ciphertext 1 is not invertible");
}

Test (paillier, plaintexts_beyond_the_modulus)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  g_autoptr (AssayPaillierEncryptor) encryptor = assay_paillier_encryptor_new (
      &key->public_key, ASSAY_PAILLIER_NONE, ASSAY_POWER_FASTEST, NULL);
  guint8 plaintexts[2 * 128] = { 0 }, ciphertexts[2 * 256];
  g_autoptr (GError) error = NULL;

  assay_number_write (key->public_key.n, 128, plaintexts + 128);
  assert_refused (assay_paillier_encrypt (encryptor, plaintexts, 2, 0, ciphertexts, &error), &error,
                  ASSAY_ERROR_NUMERIC, "plaintext 1 is not below the modulus");
}
