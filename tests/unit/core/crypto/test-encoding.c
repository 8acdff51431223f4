/* Weights as plaintexts: known answers, rounding, sums, and weights that do not fit. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/crypto/encoding.h"
#include "core/crypto/packing.h"
#include "core/crypto/paillier.h"
#include "tests/reference/paillier-vectors.h"

#define N_WEIGHTS G_N_ELEMENTS (vector_weights)
#define BYTES 128 /* of a plaintext at 1024 bits */

static AssayPaillierKey *
vector_key (const PaillierVector *vector)
{
  AssayPaillierKey *key;
  g_auto (mpz_t) p, q;

  mpz_init_set_str (p, vector->p, 16);
  mpz_init_set_str (q, vector->q, 16);
  key = assay_paillier_key_from_factors (vector->bits, p, q, TRUE, NULL);
  cr_assert (key != NULL);
  return key;
}

static void
assert_digest (const guint8 *bytes, gsize count, const char *expected)
{
  g_autofree char *found = g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes, count);

  cr_assert_str_eq (found, expected);
}

static void
assert_refused (gboolean is_done, GError **error, const char *words)
{
  cr_assert (!is_done, "not refused: %s", words);
  cr_assert (g_error_matches (*error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC));
  cr_assert (strstr ((*error)->message, words) != NULL, "%s", (*error)->message);
  g_clear_error (error);
}

/* What comes back is the weight rounded to 2^-40, halves to even. */
Test (encoding, fixed_point_comes_back)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  guint8 plaintexts[N_WEIGHTS * BYTES];
  double found[N_WEIGHTS];

  cr_assert (assay_encode_fixed (&key->public_key, vector_weights, N_WEIGHTS, 5, plaintexts, NULL));
  assay_decode_fixed (&key->public_key, plaintexts, N_WEIGHTS, found);
  for (gsize i = 0; i < N_WEIGHTS; i++)
    cr_assert_eq (found[i], rint (vector_weights[i] * 0x1p40) * 0x1p-40, "weight %zu", i);
}

/* The bound is exact: the largest number that fits, and the next. */
Test (encoding, fixed_point_has_a_range)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  const double most = mpz_get_d (key->public_key.n) / 2 * 0x1p-40 / 4; /* four users */
  double weights[] = { 1, -most * (1 - 1e-15), 3 }, found[3];
  guint8 plaintexts[3 * BYTES];
  g_autoptr (GError) error = NULL;

  cr_assert (assay_encode_fixed (&key->public_key, weights, 3, 4, plaintexts, &error));
  assay_decode_fixed (&key->public_key, plaintexts, 3, found);
  cr_assert_eq (found[1], weights[1]);
  weights[1] = -most * (1 + 1e-15);
  assert_refused (assay_encode_fixed (&key->public_key, weights, 3, 4, plaintexts, &error), &error,
                  "weight 1 is -");
  weights[1] = 1e308; /* beyond a double once it is scaled */
  assert_refused (assay_encode_fixed (&key->public_key, weights, 3, 4, plaintexts, &error), &error,
                  "weight 1 is 1e+308, the largest: sums of 4 such weights");
}

Test (encoding, weights_are_finite)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  const double weights[] = { 1, NAN }, infinite[] = { 1, 2, -INFINITY };
  guint8 plaintexts[3 * BYTES];
  gint64 exponents[3];
  g_autoptr (GError) error = NULL;

  assert_refused (assay_encode_fixed (&key->public_key, weights, 2, 3, plaintexts, &error), &error,
                  "weight 1 is nan");
  assert_refused (
      assay_encode_floating (&key->public_key, infinite, 3, plaintexts, exponents, &error), &error,
      "weight 2 is -inf");
  assert_refused (assay_packing_pack (&key->public_key, weights, 2, 20, plaintexts, &error), &error,
                  "weight 1 is nan");
}

Test (encoding, floating_point_is_python_pailliers)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  guint8 plaintexts[N_WEIGHTS * BYTES];
  gint64 exponents[N_WEIGHTS];
  double found[N_WEIGHTS];

  cr_assert (assay_encode_floating (&key->public_key, vector_weights, N_WEIGHTS, plaintexts,
                                    exponents, NULL));
  assert_digest (plaintexts, sizeof plaintexts, paillier_vectors[0].floating);
  cr_assert (
      assay_decode_floating (&key->public_key, plaintexts, exponents, N_WEIGHTS, found, NULL));
  for (gsize i = 0; i < N_WEIGHTS; i++) {
    cr_assert_eq (exponents[i], vector_exponents[i], "weight %zu", i);
    cr_assert_eq (found[i], vector_weights[i], "weight %zu", i);
  }
}

/* The smallest and the largest doubles as well. */
Test (encoding, floating_point_loses_nothing)
{
  const double weights[] = { 4.9e-324, -2.2250738585072014e-308, 1.7976931348623157e308, -0.0 };
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  guint8 plaintexts[4 * BYTES];
  gint64 exponents[4];
  double found[4];

  cr_assert (assay_encode_floating (&key->public_key, weights, 4, plaintexts, exponents, NULL));
  cr_assert (assay_decode_floating (&key->public_key, plaintexts, exponents, 4, found, NULL));
  for (gsize i = 0; i < 4; i++)
    cr_assert_eq (found[i], weights[i], "weight %zu: %g", i, found[i]);
}

Test (encoding, floating_sums_meet_at_the_lower_exponent)
{
  const double one[] = { 3, 1e-9, -7.5, 0 }, other[] = { 1e-6, 1e9, -7.5, 1e300 };
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  const AssayPaillierPublic *public_key = &key->public_key;
  g_autoptr (AssayPaillierEncryptor) encryptor
      = assay_paillier_encryptor_new (public_key, ASSAY_PAILLIER_SHORT, ASSAY_POWER_FASTEST, NULL);
  g_autoptr (AssayPaillierDecryptor) decryptor
      = assay_paillier_decryptor_new (key, ASSAY_POWER_FASTEST);
  guint8 plaintexts[4 * BYTES], sums[4 * 2 * BYTES], more[4 * 2 * BYTES];
  gint64 exponents[4], more_exponents[4];
  AssayFloatingCiphertexts sum = { 4, sums, exponents };
  const AssayFloatingCiphertexts added = { 4, more, more_exponents };
  double found[4];
  g_autoptr (GError) error = NULL;

  cr_assert (assay_encode_floating (public_key, one, 4, plaintexts, exponents, NULL));
  cr_assert (assay_paillier_encrypt (encryptor, plaintexts, 4, 0, sums, NULL));
  cr_assert (assay_encode_floating (public_key, other, 4, plaintexts, more_exponents, NULL));
  cr_assert (assay_paillier_encrypt (encryptor, plaintexts, 4, 4, more, NULL));
  assert_refused (assay_encoding_add_floating (public_key, &added, &sum, &error), &error,
                  "ciphertext 3: exponents -14 and 236 are too far apart");
  sum.count = 3;
  cr_assert (assay_encode_floating (public_key, one, 3, plaintexts, exponents, NULL));
  cr_assert (assay_paillier_encrypt (encryptor, plaintexts, 3, 8, sums, NULL));
  cr_assert (assay_encoding_add_floating (public_key, &added, &sum, NULL));
  cr_assert (assay_paillier_decrypt (decryptor, sums, 3, plaintexts, NULL));
  cr_assert (assay_decode_floating (public_key, plaintexts, exponents, 3, found, NULL));
  for (gsize i = 0; i < 3; i++)
    cr_assert (fabs (found[i] - (one[i] + other[i])) <= 0x1p-52 * fabs (one[i] + other[i]),
               "sum %zu: %.17g", i, found[i]);
}

Test (encoding, what_another_key_decrypted_is_refused)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  const gint64 exponent = 0;
  guint8 plaintext[BYTES];
  double found;
  g_autoptr (GError) error = NULL;
  g_auto (mpz_t) number;

  mpz_init (number);
  mpz_fdiv_q_ui (number, key->public_key.n, 2);
  assay_number_write (number, BYTES, plaintext);
  assert_refused (assay_decode_floating (&key->public_key, plaintext, &exponent, 1, &found, &error),
                  &error, "plaintext 0 is not within a third");
  assert_refused (assay_packing_unpack (&key->public_key, plaintext, 1, 0, &found, &error), &error,
                  "plaintext 0 is no sum of up to 255 packed ones");
}

/* ---- Packing ---- */

Test (packing, slots_are_those_of_the_paper)
{
  const gsize slots[] = { 24, 49, 74 };

  for (gsize i = 0; i < G_N_ELEMENTS (paillier_vectors); i++) {
    g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[i]);

    cr_assert_eq (assay_packing_slots (&key->public_key), slots[i]);
    cr_assert_eq (assay_packing_plaintexts (&key->public_key, 206848),
                  (206848 + slots[i] - 1) / slots[i]);
  }
}

Test (packing, known_answer)
{
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  guint8 plaintext[BYTES];

  cr_assert (assay_packing_pack (&key->public_key, vector_weights, N_WEIGHTS, VECTOR_FRACTION,
                                 plaintext, NULL));
  assert_digest (plaintext, BYTES, paillier_vectors[0].packed);
}

/* 255 users with the largest weights of either sign, in neighbouring slots: none spills over. */
Test (packing, sums_of_255_stay_in_their_slots)
{
  enum { COUNT = 30 }; /* more than one plaintext */
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  const AssayPaillierPublic *public_key = &key->public_key;
  const gint fraction = assay_packing_fraction (1.5);
  const double most = (0x1p32 - 1) * ldexp (1, -fraction);
  double weights[COUNT], found[COUNT];
  guint8 plaintexts[2 * BYTES], sums[2 * BYTES];
  g_auto (mpz_t) sum;

  mpz_init (sum);
  cr_assert_eq (fraction, 31);
  cr_assert_eq (assay_packing_plaintexts (public_key, COUNT), 2);
  for (gsize i = 0; i < COUNT; i++)
    weights[i] = i % 3 == 0 ? most : i % 3 == 1 ? -most : 0;
  cr_assert (assay_packing_pack (public_key, weights, COUNT, fraction, plaintexts, NULL));
  for (gsize i = 0; i < 2; i++) {
    assay_number_read (plaintexts + i * BYTES, BYTES, sum);
    mpz_mul_ui (sum, sum, 255);
    mpz_mod (sum, sum, public_key->n);
    assay_number_write (sum, BYTES, sums + i * BYTES);
  }
  cr_assert (assay_packing_unpack (public_key, sums, COUNT, fraction, found, NULL));
  for (gsize i = 0; i < COUNT; i++)
    cr_assert_eq (found[i], 255 * weights[i], "slot %zu: %.17g", i, found[i]);
}

Test (packing, fractions_hold_the_largest)
{
  const double largest[] = { 1, 1.9999999999, 2, 0.3, 1e-3, 12345.678, 1 - 0x1p-53 };
  g_autoptr (AssayPaillierKey) key = vector_key (&paillier_vectors[0]);
  guint8 plaintext[BYTES];
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (largest); i++) {
    const gint fraction = assay_packing_fraction (largest[i]);

    cr_assert (assay_packing_pack (&key->public_key, &largest[i], 1, fraction, plaintext, NULL),
               "%g with %d bits", largest[i], fraction);
    assert_refused (
        assay_packing_pack (&key->public_key, &largest[i], 1, fraction + 1, plaintext, &error),
        &error, "the largest: with");
  }
}
