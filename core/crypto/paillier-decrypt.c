/* Decryption.
 *
 * c^(p - 1) = 1 + L p modulo p^2, where L = m L(g) modulo p with L(g) that of g = 1 + n: the factor
 * r^n is gone, since n (p - 1) is a multiple of the order of the units modulo p^2 over that of its
 * powers of g. L(g) = (p - 1) q = -q, so that m = -L / q modulo p. */

#include "core/base/error.h"
#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/crypto/paillier.h"

#define PIECE 64 /* ciphertexts of a piece of work: a multiple of ASSAY_POWER_GROUP */

/* What a plaintext modulo one prime takes. */
typedef struct {
  mpz_t prime;
  mpz_t square;
  mpz_t exponent; /* prime - 1 */
  mpz_t scale;    /* -1 / other prime, modulo prime */
  AssayPower *power;
} Prime;

struct AssayPaillierDecryptor {
  const AssayPaillierKey *key;
  Prime p, q;
  mpz_t join; /* 1 / q modulo p */
};

static void
init_prime (Prime *prime, const mpz_t value, const mpz_t other, AssayPowerPath path)
{
  const gsize bits = mpz_sizeinbase (value, 2);

  assay_number_init (prime->prime, bits);
  assay_number_init (prime->square, 2 * bits);
  assay_number_init (prime->exponent, bits);
  assay_number_init (prime->scale, 2 * bits);
  mpz_set (prime->prime, value);
  mpz_mul (prime->square, value, value);
  mpz_sub_ui (prime->exponent, value, 1);
  mpz_invert (prime->scale, other, value);
  mpz_sub (prime->scale, value, prime->scale);
  prime->power = assay_power_new (value, path);
}

static ASSAY_CLEAR_FUNC (Prime, clear_prime, assay_number_clear (&self->prime),
                         assay_number_clear (&self->square), assay_number_clear (&self->exponent),
                         assay_number_clear (&self->scale), assay_power_free (self->power))

AssayPaillierDecryptor *
assay_paillier_decryptor_new (const AssayPaillierKey *key, AssayPowerPath path)
{
  AssayPaillierDecryptor *decryptor = g_new0 (AssayPaillierDecryptor, 1);

  decryptor->key = key;
  init_prime (&decryptor->p, key->p, key->q, path);
  init_prime (&decryptor->q, key->q, key->p, path);
  assay_number_init (decryptor->join, key->public_key.bits);
  mpz_invert (decryptor->join, key->q, key->p);
  return decryptor;
}

const AssayPaillierPublic *
assay_paillier_decryptor_public (const AssayPaillierDecryptor *decryptor)
{
  return &decryptor->key->public_key;
}

ASSAY_FREE_FUNC (AssayPaillierDecryptor, assay_paillier_decryptor_free, clear_prime (&self->p),
                 clear_prime (&self->q), assay_number_clear (&self->join))

typedef struct {
  const AssayPaillierDecryptor *decryptor;
  const guint8 *ciphertexts;
  gsize count;
  guint8 *plaintexts;
} Decryption;

/* The plaintexts modulo one prime, of a piece's ciphertexts; the first of it is number @first. */
static gboolean
decrypt_modulo (const Prime *prime, const mpz_t *ciphertexts, gsize first, gsize count,
                mpz_t *ret_residues, GError **error)
{
  for (gsize i = 0; i < count; i++) {
    mpz_mod (ret_residues[i], ciphertexts[i], prime->square);
    if (mpz_divisible_p (ret_residues[i], prime->prime))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "ciphertext %zu is not invertible: it has a factor in common with the "
                         "modulus",
                         first + i);
  }
  assay_power_raise (prime->power, prime->exponent, TRUE, ret_residues, count);
  for (gsize i = 0; i < count; i++) {
    mpz_sub_ui (ret_residues[i], ret_residues[i], 1);
    mpz_divexact (ret_residues[i], ret_residues[i], prime->prime);
    mpz_mul (ret_residues[i], ret_residues[i], prime->scale);
    mpz_mod (ret_residues[i], ret_residues[i], prime->prime);
  }
  return TRUE;
}

/* m = m_q + q ((m_p - m_q) / q mod p). */
static void
join_residues (const AssayPaillierDecryptor *decryptor, mpz_t inout_p, const mpz_t residue_q)
{
  mpz_sub (inout_p, inout_p, residue_q);
  mpz_mul (inout_p, inout_p, decryptor->join);
  mpz_mod (inout_p, inout_p, decryptor->p.prime);
  mpz_mul (inout_p, inout_p, decryptor->q.prime);
  mpz_add (inout_p, inout_p, residue_q);
}

static gboolean
read_ciphertexts (const Decryption *decryption, gsize first, gsize count, mpz_t *ret_numbers,
                  GError **error)
{
  const AssayPaillierPublic *public_key = &decryption->decryptor->key->public_key;

  for (gsize i = 0; i < count; i++)
    if (!assay_paillier_read_ciphertext (public_key, decryption->ciphertexts, first + i,
                                         ret_numbers[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
decrypt_piece (gsize piece, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Decryption *decryption = data;
  const AssayPaillierDecryptor *decryptor = decryption->decryptor;
  const gsize plain = assay_paillier_plaintext_bytes (&decryptor->key->public_key);
  const gsize first = piece * PIECE;
  const gsize count = MIN (PIECE, decryption->count - first);
  const gsize room = 2 * decryptor->key->public_key.bits;
  mpz_t *ciphertexts = assay_numbers_new (count, room);
  mpz_t *residues = assay_numbers_new (2 * count, room);
  const gboolean is_done
      = read_ciphertexts (decryption, first, count, ciphertexts, error)
        && decrypt_modulo (&decryptor->p, ciphertexts, first, count, residues, error)
        && decrypt_modulo (&decryptor->q, ciphertexts, first, count, residues + count, error);

  for (gsize i = 0; i < count && is_done; i++) {
    join_residues (decryptor, residues[i], residues[count + i]);
    assay_number_write (residues[i], plain, decryption->plaintexts + (first + i) * plain);
  }
  assay_numbers_free (ciphertexts, count);
  assay_numbers_free (residues, 2 * count);
  return is_done;
}

gboolean
assay_paillier_decrypt (const AssayPaillierDecryptor *decryptor, const guint8 *ciphertexts,
                        gsize count, guint8 *ret_plaintexts, GError **error)
{
  Decryption decryption = { decryptor, ciphertexts, count, ret_plaintexts };

  return assay_parallel_try (assay_pieces (count, PIECE), decrypt_piece, &decryption, error);
}
