/* Weights as plaintexts. */
#include "core/crypto/encoding.h"

#include <float.h>
#include <math.h>

#include "core/base/error.h"
#include "core/crypto/paillier.h"

static gboolean
check_finite (const double *weights, gsize count, GError **error)
{
  for (gsize i = 0; i < count; i++)
    if (!isfinite (weights[i]))
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "weight %zu is %g, which cannot be encrypted: expected a finite number", i,
                         weights[i]);
  return TRUE;
}

static gsize
find_largest (const double *weights, gsize count)
{
  gsize largest = 0;

  for (gsize i = 1; i < count; i++)
    if (fabs (weights[i]) > fabs (weights[largest]))
      largest = i;
  return largest;
}

/* A number of either sign as one modulo n. */
static void
write_signed (const AssayPaillierPublic *public_key, mpz_t number, guint8 *ret_plaintext)
{
  if (mpz_sgn (number) < 0)
    mpz_add (number, number, public_key->n);
  assay_number_write (number, assay_paillier_plaintext_bytes (public_key), ret_plaintext);
}

static void
read_signed (const AssayPaillierPublic *public_key, const guint8 *plaintext, mpz_t ret_number)
{
  g_auto (mpz_t) twice;

  assay_number_init (twice, public_key->bits + 1);
  assay_number_read (plaintext, assay_paillier_plaintext_bytes (public_key), ret_number);
  mpz_mul_2exp (twice, ret_number, 1);
  if (mpz_cmp (twice, public_key->n) >= 0)
    mpz_sub (ret_number, ret_number, public_key->n);
}

/* number x 2^exponent, cut to 53 bits. */
static double
scale_number (const mpz_t number, gint64 exponent)
{
  long own;
  const double mantissa = mpz_get_d_2exp (&own, number);

  return ldexp (mantissa, (int) CLAMP (own + exponent, -100000, 100000));
}

/* ---- Fixed point ---- */

static void
scale_weight (double weight, mpz_t ret_number)
{
  if (fabs (weight) < 0x1p53) {
    mpz_set_d (ret_number, rint (ldexp (weight, ASSAY_ENCODING_FRACTION)));
    return;
  }
  mpz_set_d (ret_number, weight); /* whole */
  mpz_mul_2exp (ret_number, ret_number, ASSAY_ENCODING_FRACTION);
}

/* Room for the largest double, scaled, and for the modulus. */
static gsize
room (const AssayPaillierPublic *public_key)
{
  return MAX (public_key->bits, DBL_MAX_EXP) + 2 * ASSAY_ENCODING_FRACTION;
}

static gboolean
check_fixed_range (const AssayPaillierPublic *public_key, const double *weights, gsize count,
                   guint users, GError **error)
{
  gsize largest;
  g_auto (mpz_t) sum;

  assay_number_init (sum, room (public_key));
  if (!check_finite (weights, count, error))
    return FALSE;
  if (count == 0)
    return TRUE;
  largest = find_largest (weights, count);
  scale_weight (fabs (weights[largest]), sum);
  mpz_mul_ui (sum, sum, 2UL * MAX (users, 1));
  if (mpz_cmp (sum, public_key->n) >= 0)
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "weight %zu is %g, the largest: sums of %u such weights, with %d bits after "
                       "the point, do not fit into a modulus of %u bits, which holds up to %g",
                       largest, weights[largest], users, ASSAY_ENCODING_FRACTION, public_key->bits,
                       scale_number (public_key->n, -1 - ASSAY_ENCODING_FRACTION) / MAX (users, 1));
  return TRUE;
}

gboolean
assay_encode_fixed (const AssayPaillierPublic *public_key, const double *weights, gsize count,
                    guint users, guint8 *ret_plaintexts, GError **error)
{
  const gsize bytes = assay_paillier_plaintext_bytes (public_key);
  g_auto (mpz_t) number;

  assay_number_init (number, room (public_key));
  if (!check_fixed_range (public_key, weights, count, users, error))
    return FALSE;
  for (gsize i = 0; i < count; i++) {
    scale_weight (weights[i], number);
    write_signed (public_key, number, ret_plaintexts + i * bytes);
  }
  return TRUE;
}

void
assay_decode_fixed (const AssayPaillierPublic *public_key, const guint8 *plaintexts, gsize count,
                    double *ret_weights)
{
  const gsize bytes = assay_paillier_plaintext_bytes (public_key);
  g_auto (mpz_t) number;

  assay_number_init (number, room (public_key));
  for (gsize i = 0; i < count; i++) {
    read_signed (public_key, plaintexts + i * bytes, number);
    ret_weights[i] = scale_number (number, -ASSAY_ENCODING_FRACTION);
  }
}

/* ---- Floating point ---- */

static gint64
floor_quotient (gint64 value, gint64 by)
{
  return value / by - (value % by < 0);
}

/* w = mantissa 16^exponent exactly. */
static gint64
split_weight (double weight, mpz_t ret_mantissa)
{
  int e;
  const double mu = frexp (weight, &e);
  const int last = e - DBL_MANT_DIG; /* what the lowest bit is worth */
  const gint64 exponent = floor_quotient (last, ASSAY_ENCODING_BASE_BITS);

  mpz_set_d (ret_mantissa, ldexp (mu, DBL_MANT_DIG));
  mpz_mul_2exp (ret_mantissa, ret_mantissa, (gsize) (last - ASSAY_ENCODING_BASE_BITS * exponent));
  return exponent;
}

gboolean
assay_encode_floating (const AssayPaillierPublic *public_key, const double *weights, gsize count,
                       guint8 *ret_plaintexts, gint64 *ret_exponents, GError **error)
{
  const gsize bytes = assay_paillier_plaintext_bytes (public_key);
  g_auto (mpz_t) number;

  assay_number_init (number, room (public_key));
  if (!check_finite (weights, count, error))
    return FALSE;
  for (gsize i = 0; i < count; i++) {
    ret_exponents[i] = split_weight (weights[i], number);
    write_signed (public_key, number, ret_plaintexts + i * bytes);
  }
  return TRUE;
}

gboolean
assay_decode_floating (const AssayPaillierPublic *public_key, const guint8 *plaintexts,
                       const gint64 *exponents, gsize count, double *ret_weights, GError **error)
{
  const gsize bytes = assay_paillier_plaintext_bytes (public_key);
  g_auto (mpz_t) number, thrice;

  assay_number_init (number, room (public_key));
  assay_number_init (thrice, room (public_key));
  for (gsize i = 0; i < count; i++) {
    read_signed (public_key, plaintexts + i * bytes, number);
    mpz_mul_ui (thrice, number, 3);
    if (mpz_cmpabs (thrice, public_key->n) >= 0)
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "plaintext %zu is not within a third of the modulus of 0: a sum has "
                         "overflowed, or the key is another",
                         i);
    ret_weights[i]
        = scale_number (number, ASSAY_ENCODING_BASE_BITS * CLAMP (exponents[i], -10000, 10000));
  }
  return TRUE;
}

gboolean
assay_encoding_add_floating (const AssayPaillierPublic *public_key,
                             const AssayFloatingCiphertexts *added, AssayFloatingCiphertexts *inout,
                             GError **error)
{
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);
  const gint64 most = (public_key->bits - 2 * DBL_MANT_DIG) / ASSAY_ENCODING_BASE_BITS;
  g_autofree guint8 *lowered = g_memdup2 (added->ciphertexts, inout->count * bytes);

  for (gsize i = 0; i < inout->count; i++) {
    const gint64 apart = added->exponents[i] - inout->exponents[i];
    guint8 *const higher = (apart > 0 ? lowered : inout->ciphertexts) + i * bytes;

    if (ABS (apart) > most)
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "ciphertext %zu: exponents %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                         " are too far apart to be added with a modulus of %u bits",
                         i, inout->exponents[i], added->exponents[i], public_key->bits);
    if (apart != 0
        && !assay_paillier_shift (public_key, (guint) (ASSAY_ENCODING_BASE_BITS * ABS (apart)),
                                  higher, error))
      return assay_prefix (error, "ciphertext %zu: ", i);
    inout->exponents[i] = MIN (inout->exponents[i], added->exponents[i]);
  }
  return assay_paillier_add (public_key, lowered, inout->count, inout->ciphertexts, error);
}
