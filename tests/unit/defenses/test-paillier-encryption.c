/* The mechanism paillier-encryption: what it puts out are ciphertexts of its input, fresh ones
 * where there is randomness, with exponents where the encoding has them. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/crypto/encoding.h"
#include "core/crypto/paillier.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"

#define RUNS 3
#define COLS 2
#define CIPHER 256 /* bytes of a ciphertext with 1024 bits */
#define WORDS 86   /* of 24 bits in it */

static const float input[COLS] = { -1.5F, 300 };

static const AssayDefense *
encryption (void)
{
  return (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, "paillier-encryption",
                                                     NULL);
}

/* RUNS runs on the input; returns the numbers of one. */
static gsize
run (const char *assignments, float *ret_outputs)
{
  const AssayMechanism *mechanism = encryption ()->mechanism;
  g_autoptr (AssaySettings) settings = fixture_settings (&encryption ()->plugin, assignments);
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "test", assignments), 0);
  gsize n_inputs, n_outputs;

  mechanism->size (settings->values, COLS, &n_inputs, &n_outputs);
  cr_assert_eq (n_inputs, COLS);
  cr_assert_leq (n_outputs, COLS * (WORDS + 1));
  mechanism->run (settings->values, COLS, &stream, input, RUNS, ret_outputs);
  return n_outputs;
}

static void
read_words (const float *words, guint8 *ret_ciphertext)
{
  for (gsize i = 0; i < CIPHER; i++)
    ret_ciphertext[i] = (guint8) ((guint32) words[i / 3] >> 8 * (i % 3));
}

/* Decrypted with the key of the seed, whoever draws it. */
static void
check_ciphertexts (const char *assignments, guint64 seed)
{
  const AssayStreamKey stream = assay_stream_key (seed, 0, "paillier-encryption", "1024");
  g_autoptr (AssayPaillierKey) key = assay_paillier_key_new (1024, &stream, NULL);
  g_autoptr (AssayPaillierDecryptor) decryptor
      = assay_paillier_decryptor_new (key, ASSAY_POWER_FASTEST);
  guint8 ciphertexts[RUNS * COLS * CIPHER], plaintexts[RUNS * COLS * CIPHER / 2];
  float outputs[RUNS * COLS * (WORDS + 1)];
  double found[RUNS * COLS];

  cr_assert_eq (run (assignments, outputs), COLS * WORDS);
  for (gsize i = 0; i < RUNS * COLS; i++)
    read_words (outputs + i * WORDS, ciphertexts + i * CIPHER);
  cr_assert (assay_paillier_decrypt (decryptor, ciphertexts, RUNS * COLS, plaintexts, NULL));
  assay_decode_fixed (&key->public_key, plaintexts, RUNS * COLS, found);
  for (gsize i = 0; i < RUNS * COLS; i++) {
    cr_assert_eq (found[i], (double) input[i % COLS], "%s: number %zu", assignments, i);
    for (gsize j = 0; j < i && strstr (assignments, "none") == NULL; j++)
      cr_assert (memcmp (ciphertexts + i * CIPHER, ciphertexts + j * CIPHER, CIPHER) != 0,
                 "%s: %zu and %zu are one ciphertext", assignments, i, j);
  }
}

Test (paillier_encryption, puts_out_ciphertexts)
{
  check_ciphertexts ("randomness=textbook key_seed=3", 3);
  check_ciphertexts ("randomness=short", 1);
  check_ciphertexts ("randomness=none", 1);
}

Test (paillier_encryption, without_randomness_runs_are_equal)
{
  float outputs[RUNS * COLS * (WORDS + 1)];
  const gsize count = run ("randomness=none", outputs);

  cr_assert (memcmp (outputs, outputs + count, count * sizeof *outputs) == 0);
}

Test (paillier_encryption, exponents_stay_in_clear)
{
  float outputs[RUNS * COLS * (WORDS + 1)];
  const gsize count = run ("encoding=floating randomness=short", outputs);

  cr_assert_eq (count, COLS * (WORDS + 1));
  for (gsize i = 0; i < RUNS; i++) {
    cr_assert_eq (outputs[i * count + COLS * WORDS], -13);     /* -1.5 = -0.75 x 2^1 */
    cr_assert_eq (outputs[i * count + COLS * WORDS + 1], -11); /* 300 = 0.586 x 2^9 */
  }
}

Test (paillier_encryption, secrets_are_finite)
{
  const AssayDefense *defense = encryption ();
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, "");
  const AssayDefenseContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (6, 0, "defense", ""),
                                        .mechanism = defense->mechanism };
  const float values[] = { 1, 2, 3, NAN };
  const AssayView secrets = { .rows = 2, .cols = 2, .stride = 2, .data = values };
  g_autoptr (AssayRelease) release = assay_release_new (defense->produces, defense->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (GError) error = NULL;

  cr_assert (!defense->protect (&context, secrets, release, truth, &error));
  cr_assert (strstr (error->message, "secret 1: weight 1 is nan") != NULL, "%s", error->message);
}
