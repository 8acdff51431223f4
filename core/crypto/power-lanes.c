/* Powers in lanes: numbers of GMP become pairs of rows of 52-bit digits (ifma.h) and back, and
 * exponents are taken some bits at a time. */
#include "core/crypto/power-lanes.h"

#include <string.h>

#include "core/crypto/ifma.h"

#define ALIGNMENT 64
#define NAILS (64 - IFMA_DIGIT_BITS) /* bits of a word that a digit leaves empty */
#define WINDOW 6                     /* bits of a public exponent taken at once, at most */
#define SECRET_WINDOW 4              /* and of a secret one, always */
#define BYTE_VALUES 256

struct AssayLanes {
  mpz_t m;
  mpz_t m2;
  IfmaModulus modulus;
  gsize words;    /* of a number of one lane: both parts */
  guint64 *enter; /* R^2 in all lanes: a product with it takes a number to Montgomery's form */
  guint64 *one;   /* 1: a product with it takes it back */
};

struct AssayLanesTable {
  const AssayLanes *lanes;
  gsize bytes;
  guint64 *rows; /* bytes x 256 x words, in Montgomery's form */
};

/* ---- Numbers in lanes ---- */

static guint64 *
buffer_new (const AssayLanes *lanes, gsize count)
{
  return g_aligned_alloc0 (count, lanes->words * IFMA_LANES * sizeof (guint64), ALIGNMENT);
}

static void
buffer_free (const AssayLanes *lanes, guint64 *buffer, gsize count)
{
  if (buffer != NULL)
    explicit_bzero (buffer, count * lanes->words * IFMA_LANES * sizeof (guint64));
  g_aligned_free (buffer);
}

static guint64 *
entry (const AssayLanes *lanes, guint64 *buffer, gsize index)
{
  return buffer + index * lanes->words * IFMA_LANES;
}

static void
write_digits (const mpz_t number, gsize digits, guint64 *ret_digits)
{
  gsize written;

  memset (ret_digits, 0, digits * sizeof *ret_digits);
  g_assert (mpz_sizeinbase (number, 2) <= digits * IFMA_DIGIT_BITS);
  mpz_export (ret_digits, &written, -1, sizeof *ret_digits, 0, NAILS, number);
}

static void
put_in_lane (const AssayLanes *lanes, const mpz_t number, gsize lane, guint64 *buffer)
{
  const gsize digits = lanes->modulus.digits;
  guint64 row[2 * IFMA_MAX_DIGITS];
  g_auto (mpz_t) upper, lower;

  assay_number_init (upper, mpz_sizeinbase (lanes->m2, 2));
  assay_number_init (lower, mpz_sizeinbase (lanes->m2, 2));
  mpz_fdiv_qr (upper, lower, number, lanes->m);
  write_digits (lower, digits, row);
  write_digits (upper, digits, row + digits);
  for (gsize w = 0; w < lanes->words; w++)
    buffer[w * IFMA_LANES + lane] = row[w];
  explicit_bzero (row, sizeof row);
}

static void
put_in_all_lanes (const AssayLanes *lanes, const mpz_t number, guint64 *buffer)
{
  for (gsize lane = 0; lane < IFMA_LANES; lane++)
    put_in_lane (lanes, number, lane, buffer);
}

/* Both parts may be m or more. */
static void
take_from_lane (const AssayLanes *lanes, const guint64 *buffer, gsize lane, mpz_t ret_number)
{
  const gsize digits = lanes->modulus.digits;
  guint64 row[2 * IFMA_MAX_DIGITS];
  g_auto (mpz_t) lower;

  assay_number_init (lower, digits * IFMA_DIGIT_BITS);
  for (gsize w = 0; w < lanes->words; w++)
    row[w] = buffer[w * IFMA_LANES + lane];
  mpz_import (lower, digits, -1, sizeof *row, 0, NAILS, row);
  mpz_import (ret_number, digits, -1, sizeof *row, 0, NAILS, row + digits);
  mpz_mul (ret_number, ret_number, lanes->m);
  mpz_add (ret_number, ret_number, lower);
  while (mpz_cmp (ret_number, lanes->m2) >= 0)
    mpz_sub (ret_number, ret_number, lanes->m2);
  explicit_bzero (row, sizeof row);
}

/* ---- The modulus ---- */

gboolean
assay_lanes_can (const mpz_t modulus)
{
  return ifma_is_there ()
         && mpz_sizeinbase (modulus, 2) + IFMA_SPARE_BITS <= IFMA_MAX_DIGITS * IFMA_DIGIT_BITS;
}

AssayLanes *
assay_lanes_new (const mpz_t modulus)
{
  AssayLanes *lanes = g_new0 (AssayLanes, 1);
  const gsize bits = mpz_sizeinbase (modulus, 2) + IFMA_SPARE_BITS;
  const gsize digits
      = (bits + IFMA_DIGIT_BITS * IFMA_TILE - 1) / (IFMA_DIGIT_BITS * IFMA_TILE) * IFMA_TILE;
  const gsize r_bits = digits * IFMA_DIGIT_BITS;
  g_auto (mpz_t) r, work;

  assay_number_init (lanes->m, bits);
  assay_number_init (lanes->m2, 2 * bits);
  assay_number_init (r, 2 * r_bits);
  assay_number_init (work, 2 * r_bits);
  mpz_set (lanes->m, modulus);
  mpz_mul (lanes->m2, modulus, modulus);
  lanes->modulus.digits = digits;
  lanes->words = 2 * digits;
  write_digits (modulus, digits, lanes->modulus.modulus);
  mpz_set_ui (r, 1);
  mpz_mul_2exp (r, r, IFMA_DIGIT_BITS);
  mpz_invert (work, modulus, r);
  mpz_sub (work, r, work);
  lanes->modulus.inverse = mpz_get_ui (work);
  mpz_set_ui (r, 1);
  mpz_mul_2exp (r, r, r_bits);
  mpz_cdiv_q (work, r, modulus);
  mpz_mul (work, work, modulus);
  mpz_sub (work, work, r);
  mpz_add_ui (work, work, 1);
  write_digits (work, digits, lanes->modulus.lift);
  lanes->one = buffer_new (lanes, 1);
  lanes->enter = buffer_new (lanes, 1);
  mpz_mul (r, r, r);
  mpz_mod (r, r, lanes->m2);
  put_in_all_lanes (lanes, r, lanes->enter);
  mpz_set_ui (r, 1);
  put_in_all_lanes (lanes, r, lanes->one);
  return lanes;
}

void
assay_lanes_free (AssayLanes *lanes)
{
  if (lanes == NULL)
    return;
  buffer_free (lanes, lanes->enter, 1);
  buffer_free (lanes, lanes->one, 1);
  assay_number_clear (&lanes->m);
  assay_number_clear (&lanes->m2);
  explicit_bzero (lanes, sizeof *lanes); /* m is a secret when it is a factor of a modulus */
  g_free (lanes);
}

/* ---- One exponent ---- */

/* Bits @low .. @low + @count - 1; those above the exponent's are 0. */
static guint64
bits_of (const mpz_t exponent, gsize low, gsize count)
{
  guint64 bits = 0;

  for (gsize i = 0; i < count; i++)
    bits |= (guint64) mpz_tstbit (exponent, low + i) << i;
  return bits;
}

/* From the upper end by windows that end in a set bit: half of the table's entries suffice. */
static void
power_sliding (const AssayLanes *lanes, const mpz_t exponent, guint64 *inout)
{
  const IfmaModulus *m = &lanes->modulus;
  const gsize entries = (gsize) 1 << (WINDOW - 1); /* odd powers */
  guint64 *table = buffer_new (lanes, entries);
  guint64 *square = buffer_new (lanes, 1);
  gboolean has_begun = FALSE;

  memcpy (table, inout, lanes->words * IFMA_LANES * sizeof *table);
  ifma_square (m, inout, square);
  for (gsize e = 1; e < entries; e++)
    ifma_multiply (m, entry (lanes, table, e - 1), square, entry (lanes, table, e));
  ifma_multiply (m, lanes->enter, lanes->one, inout); /* exponent 0: 1 in Montgomery's form */
  for (gsize left = mpz_sizeinbase (exponent, 2); left > 0;) {
    gsize low;

    if (!mpz_tstbit (exponent, left - 1)) {
      if (has_begun)
        ifma_square (m, inout, inout);
      left--;
      continue;
    }
    low = left > WINDOW ? left - WINDOW : 0;
    while (!mpz_tstbit (exponent, low))
      low++;
    for (gsize i = low; i < left && has_begun; i++)
      ifma_square (m, inout, inout);
    ifma_multiply (m, inout, entry (lanes, table, bits_of (exponent, low, left - low) / 2), inout);
    has_begun = TRUE;
    left = low;
  }
  buffer_free (lanes, table, entries);
  buffer_free (lanes, square, 1);
}

/* Windows of a fixed size at fixed places: the same steps for all exponents of one length. */
static void
power_secret (const AssayLanes *lanes, const mpz_t exponent, guint64 *inout)
{
  const IfmaModulus *m = &lanes->modulus;
  const gsize entries = (gsize) 1 << SECRET_WINDOW;
  const gsize words = lanes->words * IFMA_LANES;
  const gsize bits = mpz_sizeinbase (exponent, 2);
  guint64 *table = buffer_new (lanes, entries);
  guint64 *factor = buffer_new (lanes, 1);

  ifma_multiply (m, lanes->enter, lanes->one, table);
  for (gsize e = 1; e < entries; e++)
    ifma_multiply (m, entry (lanes, table, e - 1), inout, entry (lanes, table, e));
  memcpy (inout, table, words * sizeof *table);
  for (gsize windows = (bits + SECRET_WINDOW - 1) / SECRET_WINDOW; windows > 0; windows--) {
    for (gsize i = 0; i < SECRET_WINDOW; i++)
      ifma_square (m, inout, inout);
    ifma_select (table, entries, words,
                 bits_of (exponent, (windows - 1) * SECRET_WINDOW, SECRET_WINDOW), factor);
    ifma_multiply (m, inout, factor, inout);
  }
  buffer_free (lanes, table, entries);
  buffer_free (lanes, factor, 1);
}

void
assay_lanes_power (const AssayLanes *lanes, const mpz_t exponent, gboolean is_secret,
                   mpz_t *inout_numbers, gsize count)
{
  guint64 *power = buffer_new (lanes, 1);

  g_assert (count <= IFMA_LANES);
  for (gsize lane = 0; lane < count; lane++)
    put_in_lane (lanes, inout_numbers[lane], lane, power);
  ifma_multiply (&lanes->modulus, power, lanes->enter, power);
  if (is_secret)
    power_secret (lanes, exponent, power);
  else
    power_sliding (lanes, exponent, power);
  ifma_multiply (&lanes->modulus, power, lanes->one, power);
  for (gsize lane = 0; lane < count; lane++)
    take_from_lane (lanes, power, lane, inout_numbers[lane]);
  buffer_free (lanes, power, 1);
}

/* ---- One base ---- */

static guint64 *
table_row (const AssayLanesTable *table, gsize place, gsize value)
{
  return table->rows + (place * BYTE_VALUES + value) * table->lanes->words;
}

static void
keep_row (const AssayLanesTable *table, const guint64 *numbers, gsize lane, guint64 *ret_row)
{
  for (gsize w = 0; w < table->lanes->words; w++)
    ret_row[w] = numbers[w * IFMA_LANES + lane];
}

/* Rows of eight places at a time, one in each lane; @bases holds base^(256^i) for them. */
static void
fill_places (AssayLanesTable *table, gsize first, gsize count, const guint64 *bases)
{
  const AssayLanes *lanes = table->lanes;
  guint64 *power = buffer_new (lanes, 1);

  ifma_multiply (&lanes->modulus, lanes->enter, lanes->one, power);
  for (gsize value = 0; value < BYTE_VALUES; value++) {
    for (gsize lane = 0; lane < count; lane++)
      keep_row (table, power, lane, table_row (table, first + lane, value));
    ifma_multiply (&lanes->modulus, power, bases, power);
  }
  buffer_free (lanes, power, 1);
}

AssayLanesTable *
assay_lanes_table_new (const AssayLanes *lanes, const mpz_t base, gsize bytes)
{
  AssayLanesTable *table = g_new0 (AssayLanesTable, 1);
  guint64 *step = buffer_new (lanes, 1);
  guint64 *bases = buffer_new (lanes, 1);

  table->lanes = lanes;
  table->bytes = bytes;
  table->rows = g_aligned_alloc0 (bytes * BYTE_VALUES, lanes->words * sizeof (guint64), ALIGNMENT);
  put_in_all_lanes (lanes, base, step);
  ifma_multiply (&lanes->modulus, step, lanes->enter, step);
  for (gsize first = 0; first < bytes; first += IFMA_LANES) {
    const gsize count = MIN (IFMA_LANES, bytes - first);

    for (gsize lane = 0; lane < count; lane++) {
      for (gsize w = 0; w < lanes->words; w++)
        bases[w * IFMA_LANES + lane] = step[w * IFMA_LANES];
      for (gsize i = 0; i < 8; i++)
        ifma_square (&lanes->modulus, step, step);
    }
    fill_places (table, first, count, bases);
  }
  buffer_free (lanes, step, 1);
  buffer_free (lanes, bases, 1);
  return table;
}

ASSAY_FREE_FUNC (AssayLanesTable, assay_lanes_table_free, g_aligned_free (self->rows))

void
assay_lanes_table_power (const AssayLanesTable *table, const guint8 *exponents, gsize count,
                         mpz_t *ret_numbers)
{
  const AssayLanes *lanes = table->lanes;
  guint64 *power = buffer_new (lanes, 1);
  guint64 *factor = buffer_new (lanes, 1);

  g_assert (count >= 1 && count <= IFMA_LANES);
  for (gsize place = 0; place < table->bytes; place++) {
    const guint64 *rows[IFMA_LANES];

    for (gsize lane = 0; lane < IFMA_LANES; lane++)
      rows[lane]
          = table_row (table, place, exponents[(lane < count ? lane : 0) * table->bytes + place]);
    ifma_gather (rows, lanes->words, place == 0 ? power : factor);
    if (place > 0)
      ifma_multiply (&lanes->modulus, power, factor, power);
  }
  ifma_multiply (&lanes->modulus, power, lanes->one, power);
  for (gsize lane = 0; lane < count; lane++)
    take_from_lane (lanes, power, lane, ret_numbers[lane]);
  buffer_free (lanes, power, 1);
  buffer_free (lanes, factor, 1);
}
