/* Keys that are set up, and that nothing of them stays in memory that was given back. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/crypto/paillier-setup.h"

/* ---- What is freed ---- */

/* Bytes of a secret, and how many blocks that GMP gave back held them. */
static guint8 secrets[4][64];
static gsize n_secrets, n_seen;

static void
look (const void *block, size_t size)
{
  for (gsize i = 0; i < n_secrets; i++)
    n_seen += memmem (block, size, secrets[i], sizeof secrets[i]) != NULL;
}

static void
free_block (void *block, size_t size)
{
  look (block, size);
  free (block);
}

static void *
move_block (void *block, size_t size, size_t new_size)
{
  void *moved = malloc (new_size);

  memcpy (moved, block, MIN (size, new_size));
  free_block (block, size);
  return moved;
}

static void
add_secret (const mpz_t number)
{
  assay_number_write (number, sizeof *secrets, secrets[n_secrets++]);
}

static AssayPaillierSetup *
set_up (guint randomness, GError **error)
{
  const AssayStreamKey stream = assay_stream_key (4, 0, "test", "setup");

  return assay_paillier_setup_new (
      &(AssayPaillierChoice){ .randomness = randomness, .seed = stream }, &stream, error);
}

/* Encrypts seven, decrypts it and frees all. */
static void
work_and_free (AssayPaillierSetup *setup)
{
  guint8 plaintext[128] = { 7 }, found[128], ciphertext[256];

  cr_assert (assay_paillier_encrypt (setup->encryptor, plaintext, 1, 0, ciphertext, NULL));
  cr_assert (assay_paillier_decrypt (setup->decryptor, ciphertext, 1, found, NULL));
  cr_assert_arr_eq (found, plaintext, sizeof found);
  assay_paillier_setup_free (setup);
}

/* The factors and the exponents of decryption, by either way of taking powers. What GMP itself
 * leaves behind while a key is drawn (a test for primes) is not looked at. */
Test (paillier_setup, keys_are_wiped)
{
  for (guint way = 0; way < 2; way++) {
    AssayPaillierSetup *setup = set_up (ASSAY_PAILLIER_SHORT, NULL);
    AssayPaillierKey *key = setup->key;
    mpz_t less;

    n_secrets = n_seen = 0;
    add_secret (key->p);
    add_secret (key->q);
    mpz_init (less);
    mpz_sub_ui (less, key->p, 1);
    add_secret (less);
    mpz_sub_ui (less, key->q, 1);
    add_secret (less);
    mp_set_memory_functions (NULL, move_block, free_block);
    assay_paillier_decryptor_free (setup->decryptor);
    setup->decryptor
        = assay_paillier_decryptor_new (key, way == 0 ? ASSAY_POWER_FASTEST : ASSAY_POWER_GMP);
    work_and_free (setup);
    cr_assert_eq (n_seen, 0, "way %u: %zu blocks", way, n_seen);
    mpz_clear (less); /* which is not wiped */
    cr_assert_eq (n_seen, 1);
    mp_set_memory_functions (NULL, NULL, NULL);
  }
}

/* ---- Where a key comes from ---- */

Test (paillier_setup, keys_of_a_seed_are_marked)
{
  g_autoptr (AssayPaillierSetup) one = set_up (ASSAY_PAILLIER_TEXTBOOK, NULL);
  g_autoptr (AssayPaillierSetup) again = set_up (ASSAY_PAILLIER_NONE, NULL);

  cr_assert (assay_paillier_setup_is_reproducible (one));
  cr_assert (mpz_cmp (assay_paillier_setup_public (one)->n, assay_paillier_setup_public (again)->n)
             == 0);
}

Test (paillier_setup, a_folder_that_is_not_there)
{
  const AssayStreamKey stream = assay_stream_key (4, 0, "test", "setup");
  g_autoptr (GError) error = NULL;

  cr_assert_null (assay_paillier_setup_new (
      &(AssayPaillierChoice){ .folder = "/nowhere/at-all", .seed = stream }, &stream, &error));
  cr_assert (strstr (error->message, "/nowhere/at-all: there is no such folder") != NULL, "%s",
             error->message);
}
