/* Several weights in one plaintext. */
#include "core/crypto/packing.h"

#include <math.h>

#include "core/base/error.h"

#define LIMIT ((double) (1ULL << ASSAY_PACKING_WEIGHT_BITS))

gsize
assay_packing_slots (const AssayPaillierPublic *public_key)
{
  return public_key->bits / ASSAY_PACKING_SLOT_BITS;
}

gsize
assay_packing_plaintexts (const AssayPaillierPublic *public_key, gsize count)
{
  const gsize slots = assay_packing_slots (public_key);

  return count / slots + (count % slots != 0);
}

gint
assay_packing_fraction (double largest)
{
  gint fraction;

  if (!(largest > 0) || !isfinite (largest))
    return 0;
  fraction = ASSAY_PACKING_WEIGHT_BITS - 1 - ilogb (largest);
  /* Just below a power of two, a weight may be rounded up to it. */
  return rint (ldexp (largest, fraction)) < LIMIT ? fraction : fraction - 1;
}

static gboolean
check_weights (const double *weights, gsize count, gint fraction, GError **error)
{
  gsize largest = 0;

  for (gsize i = 0; i < count; i++) {
    if (!isfinite (weights[i]))
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "weight %zu is %g, which cannot be packed: expected a finite number", i,
                         weights[i]);
    if (fabs (weights[i]) > fabs (weights[largest]))
      largest = i;
  }
  if (count > 0 && fabs (rint (ldexp (weights[largest], fraction))) >= LIMIT)
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "weight %zu is %g, the largest: with %d bits after the point a slot holds "
                       "weights below %g",
                       largest, weights[largest], fraction, ldexp (LIMIT, -fraction));
  return TRUE;
}

gboolean
assay_packing_pack (const AssayPaillierPublic *public_key, const double *weights, gsize count,
                    gint fraction, guint8 *ret_plaintexts, GError **error)
{
  const gsize bytes = assay_paillier_plaintext_bytes (public_key);
  const gsize slots = assay_packing_slots (public_key);
  g_auto (mpz_t) sum, slot;

  assay_number_init (sum, public_key->bits);
  assay_number_init (slot, 2 * ASSAY_PACKING_SLOT_BITS);
  if (!check_weights (weights, count, fraction, error))
    return FALSE;
  for (gsize first = 0; first < count; first += slots) {
    mpz_set_ui (sum, 0);
    for (gsize i = MIN (first + slots, count); i-- > first;) {
      mpz_mul_2exp (sum, sum, ASSAY_PACKING_SLOT_BITS);
      mpz_set_d (slot, rint (ldexp (weights[i], fraction)));
      mpz_add (sum, sum, slot);
    }
    if (mpz_sgn (sum) < 0)
      mpz_add (sum, sum, public_key->n);
    assay_number_write (sum, bytes, ret_plaintexts + first / slots * bytes);
  }
  return TRUE;
}

/* The lowest slot, which may be negative and then has borrowed from the next. */
static double
take_slot (mpz_t inout_sum, mpz_t slot)
{
  mpz_fdiv_r_2exp (slot, inout_sum, ASSAY_PACKING_SLOT_BITS);
  mpz_fdiv_q_2exp (inout_sum, inout_sum, ASSAY_PACKING_SLOT_BITS);
  if (mpz_tstbit (slot, ASSAY_PACKING_SLOT_BITS - 1)) {
    mpz_add_ui (inout_sum, inout_sum, 1);
    return mpz_get_d (slot) - (double) (1ULL << ASSAY_PACKING_SLOT_BITS);
  }
  return mpz_get_d (slot);
}

gboolean
assay_packing_unpack (const AssayPaillierPublic *public_key, const guint8 *plaintexts, gsize count,
                      gint fraction, double *ret_weights, GError **error)
{
  const gsize bytes = assay_paillier_plaintext_bytes (public_key);
  const gsize slots = assay_packing_slots (public_key);
  g_auto (mpz_t) sum, slot;

  assay_number_init (sum, public_key->bits + 1);
  assay_number_init (slot, 2 * ASSAY_PACKING_SLOT_BITS);
  for (gsize first = 0; first < count; first += slots) {
    assay_number_read (plaintexts + first / slots * bytes, bytes, sum);
    mpz_sub (slot, public_key->n, sum);
    if (mpz_cmp (slot, sum) <= 0)
      mpz_sub (sum, sum, public_key->n);
    for (gsize i = first; i < MIN (first + slots, count); i++)
      ret_weights[i] = ldexp (take_slot (sum, slot), -fraction);
    for (gsize i = count; i < first + slots; i++)
      if (take_slot (sum, slot) != 0)
        break;
    if (mpz_sgn (sum) != 0)
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "plaintext %zu is no sum of up to %d packed ones: it has overflowed, or "
                         "the key is another",
                         first / slots, ASSAY_PACKING_MAX_USERS);
  }
  return TRUE;
}
