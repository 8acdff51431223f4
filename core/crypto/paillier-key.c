/* Keys of Paillier's cryptosystem. */
#include "core/crypto/paillier-key.h"

#include <string.h>

#include "core/base/error.h"

#define PRIME_ROUNDS 40 /* of Miller and Rabin, for which GMP takes Baillie, PSW and 16 rounds */

gboolean
assay_paillier_check_bits (guint bits, GError **error)
{
  if (bits != 1024 && bits != 2048 && bits != 3072)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "a Paillier modulus of %u bits: expected 1024, 2048 or 3072", bits);
  return TRUE;
}

static void
fill_public (AssayPaillierPublic *public_key, guint bits, const mpz_t n)
{
  public_key->bits = bits;
  assay_number_init (public_key->n, bits);
  assay_number_init (public_key->n2, 2 * bits);
  mpz_set (public_key->n, n);
  mpz_mul (public_key->n2, n, n);
}

static void
clear_public (AssayPaillierPublic *public_key)
{
  assay_number_clear (&public_key->n);
  assay_number_clear (&public_key->n2);
}

gboolean
assay_paillier_read_ciphertext (const AssayPaillierPublic *public_key, const guint8 *ciphertexts,
                                gsize index, mpz_t ret_number, GError **error)
{
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);

  assay_number_read (ciphertexts + index * bytes, bytes, ret_number);
  if (mpz_sgn (ret_number) == 0 || mpz_cmp (ret_number, public_key->n2) >= 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "ciphertext %zu is not between 1 and n^2 - 1 for the modulus n of %u bits: "
                       "it was made with another key",
                       index, public_key->bits);
  return TRUE;
}

/* A prime of @bits bits that is 3 modulo 4, with its two highest bits set, so that the product of
 * two has twice as many bits. */
static void
draw_prime (AssayEntropy *entropy, guint bits, mpz_t ret_prime)
{
  g_auto (mpz_t) bound;

  assay_number_init (bound, bits + 1);
  mpz_setbit (bound, bits);
  do {
    assay_number_draw (entropy, bound, ret_prime);
    mpz_setbit (ret_prime, bits - 1);
    mpz_setbit (ret_prime, bits - 2);
    mpz_setbit (ret_prime, 1);
    mpz_setbit (ret_prime, 0);
  } while (mpz_probab_prime_p (ret_prime, PRIME_ROUNDS) == 0);
}

/* Whether two primes make a key, and if not, why. */
static const char *
find_fault (guint bits, const mpz_t p, const mpz_t q)
{
  g_auto (mpz_t) a, b;

  assay_number_init (a, 2 * bits);
  assay_number_init (b, 2 * bits);
  if (mpz_sizeinbase (p, 2) != bits / 2 || mpz_sizeinbase (q, 2) != bits / 2)
    return "they are not half as long as the modulus";
  if (mpz_cmp (p, q) == 0)
    return "they are equal";
  if (mpz_fdiv_ui (p, 4) != 3 || mpz_fdiv_ui (q, 4) != 3)
    return "they are not both 3 modulo 4";
  mpz_sub_ui (a, p, 1);
  mpz_sub_ui (b, q, 1);
  mpz_gcd (a, a, b);
  if (mpz_cmp_ui (a, 2) != 0)
    return "p - 1 and q - 1 have more in common than 2";
  mpz_sub_ui (a, p, 1);
  mpz_mul (a, a, b);
  mpz_mul (b, p, q);
  if (mpz_sizeinbase (b, 2) != bits)
    return "their product is shorter than the modulus";
  mpz_gcd (a, a, b);
  if (mpz_cmp_ui (a, 1) != 0)
    return "n and phi (n) have a common factor";
  return NULL;
}

static AssayPaillierKey *
make_key (guint bits, const mpz_t p, const mpz_t q, gboolean is_reproducible)
{
  AssayPaillierKey *key = g_new0 (AssayPaillierKey, 1);
  g_auto (mpz_t) n;

  assay_number_init (n, bits);
  mpz_mul (n, p, q);
  fill_public (&key->public_key, bits, n);
  assay_number_init (key->p, bits / 2);
  assay_number_init (key->q, bits / 2);
  mpz_set (key->p, p);
  mpz_set (key->q, q);
  key->is_reproducible = is_reproducible;
  return key;
}

AssayPaillierKey *
assay_paillier_key_new (guint bits, const AssayStreamKey *stream, GError **error)
{
  AssayEntropy entropy = assay_entropy (stream, 0);
  AssayPaillierKey *key;
  g_auto (mpz_t) p, q;

  assay_number_init (p, bits);
  assay_number_init (q, bits);
  if (!assay_paillier_check_bits (bits, error))
    return NULL;
  do {
    draw_prime (&entropy, bits / 2, p);
    draw_prime (&entropy, bits / 2, q);
  } while (find_fault (bits, p, q) != NULL);
  key = make_key (bits, p, q, stream != NULL);
  explicit_bzero (&entropy, sizeof entropy);
  return key;
}

AssayPaillierKey *
assay_paillier_key_from_factors (guint bits, const mpz_t p, const mpz_t q, gboolean is_reproducible,
                                 GError **error)
{
  const char *fault;

  if (!assay_paillier_check_bits (bits, error))
    return NULL;
  fault = find_fault (bits, p, q);
  if (fault == NULL
      && (mpz_probab_prime_p (p, PRIME_ROUNDS) == 0 || mpz_probab_prime_p (q, PRIME_ROUNDS) == 0))
    fault = "they are not both prime";
  if (fault != NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "two numbers that are not the factors of a Paillier key: %s", fault);
  return make_key (bits, p, q, is_reproducible);
}

ASSAY_FREE_FUNC (AssayPaillierKey, assay_paillier_key_free, clear_public (&self->public_key),
                 assay_number_clear (&self->p), assay_number_clear (&self->q))
