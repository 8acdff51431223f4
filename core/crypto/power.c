/* Powers by GMP, and the choice between it and lanes. */
#include "core/crypto/power.h"

#include <string.h>

#include "core/crypto/power-lanes.h"

#define BYTE_VALUES 256

struct AssayPower {
  mpz_t m2;
  AssayLanes *lanes; /* NULL: by GMP */
};

struct AssayPowerTable {
  const AssayPower *power;
  AssayLanesTable *lanes; /* NULL: by GMP */
  gsize bytes;
  gsize limbs;     /* of a row */
  mp_limb_t *rows; /* bytes x 256 x limbs */
};

AssayPower *
assay_power_new (const mpz_t modulus, AssayPowerPath path)
{
  AssayPower *power = g_new0 (AssayPower, 1);

  assay_number_init (power->m2, 2 * mpz_sizeinbase (modulus, 2));
  mpz_mul (power->m2, modulus, modulus);
  if (path == ASSAY_POWER_FASTEST && assay_lanes_can (modulus))
    power->lanes = assay_lanes_new (modulus);
  return power;
}

ASSAY_FREE_FUNC (AssayPower, assay_power_free, assay_lanes_free (self->lanes),
                 assay_number_clear (&self->m2))

void
assay_power_raise (const AssayPower *power, const mpz_t exponent, gboolean is_secret,
                   mpz_t *inout_numbers, gsize count)
{
  if (power->lanes != NULL) {
    for (gsize i = 0; i < count; i += ASSAY_POWER_GROUP)
      assay_lanes_power (power->lanes, exponent, is_secret, inout_numbers + i,
                         MIN (ASSAY_POWER_GROUP, count - i));
    return;
  }
  for (gsize i = 0; i < count; i++)
    if (is_secret)
      mpz_powm_sec (inout_numbers[i], inout_numbers[i], exponent, power->m2);
    else
      mpz_powm (inout_numbers[i], inout_numbers[i], exponent, power->m2);
}

/* ---- Tables ---- */

static mp_limb_t *
table_row (const AssayPowerTable *table, gsize place, gsize value)
{
  return table->rows + (place * BYTE_VALUES + value) * table->limbs;
}

static void
fill_rows (AssayPowerTable *table, const mpz_t base)
{
  const gsize bits = 2 * mpz_sizeinbase (table->power->m2, 2);
  g_auto (mpz_t) step, value;

  assay_number_init (step, bits);
  assay_number_init (value, bits);
  mpz_set (step, base);
  for (gsize place = 0; place < table->bytes; place++) {
    mpz_set_ui (value, 1);
    for (gsize j = 0; j < BYTE_VALUES; j++) {
      memcpy (table_row (table, place, j), mpz_limbs_read (value),
              mpz_size (value) * sizeof (mp_limb_t));
      mpz_mul (value, value, step);
      mpz_mod (value, value, table->power->m2);
    }
    mpz_set (step, value); /* base^(256^place x 256) */
  }
}

AssayPowerTable *
assay_power_table_new (const AssayPower *power, const mpz_t base, gsize bytes)
{
  AssayPowerTable *table = g_new0 (AssayPowerTable, 1);

  table->power = power;
  table->bytes = bytes;
  if (power->lanes != NULL) {
    table->lanes = assay_lanes_table_new (power->lanes, base, bytes);
    return table;
  }
  table->limbs = mpz_size (power->m2);
  table->rows = g_new0 (mp_limb_t, bytes * BYTE_VALUES * table->limbs);
  fill_rows (table, base);
  return table;
}

ASSAY_FREE_FUNC (AssayPowerTable, assay_power_table_free, assay_lanes_table_free (self->lanes),
                 g_free (self->rows))

static void
raise_one (const AssayPowerTable *table, const guint8 *exponent, mpz_t ret_number)
{
  mpz_t row;

  mpz_set_ui (ret_number, 1);
  for (gsize place = 0; place < table->bytes; place++) {
    mpz_roinit_n (row, table_row (table, place, exponent[place]), (mp_size_t) table->limbs);
    mpz_mul (ret_number, ret_number, row);
    mpz_mod (ret_number, ret_number, table->power->m2);
  }
}

void
assay_power_table_raise (const AssayPowerTable *table, const guint8 *exponents, gsize count,
                         mpz_t *ret_numbers)
{
  for (gsize i = 0; i < count; i += ASSAY_POWER_GROUP) {
    const gsize group = MIN (ASSAY_POWER_GROUP, count - i);
    const guint8 *of_group = exponents + i * table->bytes;

    if (table->lanes != NULL)
      assay_lanes_table_power (table->lanes, of_group, group, ret_numbers + i);
    else
      for (gsize j = 0; j < group; j++)
        raise_one (table, of_group + j * table->bytes, ret_numbers[i + j]);
  }
}
