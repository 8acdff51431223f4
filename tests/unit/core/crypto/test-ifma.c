/* The kernel of core/crypto/ifma.c against GMP: random products and squares of every length that
 * keys have, selection and transposition. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "core/crypto/ifma.h"
#include "core/crypto/numbers.h"
#include "core/crypto/power.h"

#define USUAL_PRODUCTS 20000 /* in the long tier ASSAY_TEST_PRODUCTS */

static guint64
products_to_test (void)
{
  const char *wanted = g_getenv ("ASSAY_TEST_PRODUCTS");

  return wanted != NULL ? g_ascii_strtoull (wanted, NULL, 10) : USUAL_PRODUCTS;
}

typedef struct {
  IfmaModulus modulus;
  mpz_t m, m2, r_inverse; /* 1 / R modulo m^2 */
} Case;

static void
to_digits (const mpz_t number, gsize digits, guint64 *ret)
{
  gsize written;

  for (gsize i = 0; i < digits; i++)
    ret[i] = 0;
  mpz_export (ret, &written, -1, 8, 0, 64 - IFMA_DIGIT_BITS, number);
}

static void
init_case (Case *c, guint bits, AssayEntropy *entropy)
{
  const gsize digits = (bits + IFMA_SPARE_BITS + 207) / 208 * 4;
  g_auto (mpz_t) r, work;

  mpz_inits (c->m, c->m2, c->r_inverse, r, work, NULL);
  mpz_setbit (work, bits);
  assay_number_draw (entropy, work, c->m);
  mpz_setbit (c->m, bits - 1);
  mpz_setbit (c->m, 0);
  mpz_mul (c->m2, c->m, c->m);
  c->modulus.digits = digits;
  to_digits (c->m, digits, c->modulus.modulus);
  mpz_ui_pow_ui (r, 2, IFMA_DIGIT_BITS);
  mpz_invert (work, c->m, r);
  c->modulus.inverse = (G_GUINT64_CONSTANT (1) << IFMA_DIGIT_BITS) - mpz_get_ui (work);
  mpz_ui_pow_ui (r, 2, IFMA_DIGIT_BITS * digits);
  mpz_invert (c->r_inverse, r, c->m2);
  mpz_cdiv_q (work, r, c->m);
  mpz_mul (work, work, c->m);
  mpz_sub (work, work, r);
  mpz_add_ui (work, work, 1);
  to_digits (work, digits, c->modulus.lift);
}

static void
clear_case (Case *c)
{
  mpz_clears (c->m, c->m2, c->r_inverse, NULL);
}

/* A part of a number: any below 2 m, now and then one of the ends. */
static void
draw_part (const Case *c, AssayEntropy *entropy, mpz_t bound, mpz_t ret)
{
  mpz_mul_2exp (bound, c->m, 1);
  assay_number_draw (entropy, bound, ret);
  switch (mpz_fdiv_ui (ret, 64)) {
  case 0:
    mpz_sub_ui (ret, bound, 1);
    break;
  case 1:
    mpz_set_ui (ret, 0);
    break;
  case 2:
    mpz_sub_ui (ret, c->m, 1);
    break;
  default:
    break;
  }
}

static guint64 *
numbers_new (const Case *c)
{
  return g_aligned_alloc0 (2 * c->modulus.digits * IFMA_LANES, sizeof (guint64), 64);
}

/* Fills all lanes, and says what number each holds. */
static void
draw_numbers (const Case *c, AssayEntropy *entropy, guint64 *ret_lanes, mpz_t *ret_values)
{
  const gsize digits = c->modulus.digits;
  guint64 row[IFMA_MAX_DIGITS];
  g_auto (mpz_t) part, bound;

  mpz_inits (part, bound, NULL);
  for (gsize lane = 0; lane < IFMA_LANES; lane++) {
    mpz_set_ui (ret_values[lane], 0);
    for (gsize half = 0; half < 2; half++) {
      draw_part (c, entropy, bound, part);
      to_digits (part, digits, row);
      for (gsize i = 0; i < digits; i++)
        ret_lanes[(half * digits + i) * IFMA_LANES + lane] = row[i];
      if (half == 1)
        mpz_mul (part, part, c->m);
      mpz_add (ret_values[lane], ret_values[lane], part);
    }
  }
}

/* One part of the result of a lane; every digit has to be one. */
static void
read_part (const Case *c, const guint64 *lanes, gsize half, gsize lane, mpz_t ret)
{
  const gsize digits = c->modulus.digits;

  mpz_set_ui (ret, 0);
  for (gsize i = digits; i-- > 0;) {
    const guint64 digit = lanes[(half * digits + i) * IFMA_LANES + lane];

    cr_assert (digit >> IFMA_DIGIT_BITS == 0, "digit %zu of lane %zu has more than 52 bits", i,
               lane);
    mpz_mul_2exp (ret, ret, IFMA_DIGIT_BITS);
    mpz_add_ui (ret, ret, digit);
  }
}

static void
check_products (const Case *c, const guint64 *lanes, const mpz_t *x, const mpz_t *y)
{
  g_auto (mpz_t) lower, upper, expected;

  mpz_inits (lower, upper, expected, NULL);
  for (gsize lane = 0; lane < IFMA_LANES; lane++) {
    read_part (c, lanes, 0, lane, lower);
    read_part (c, lanes, 1, lane, upper);
    mpz_mul_2exp (expected, c->m, 1);
    cr_assert (mpz_cmp (lower, expected) < 0 && mpz_cmp (upper, expected) < 0,
               "lane %zu: a part is not below 2 m", lane);
    mpz_addmul (lower, upper, c->m);
    mpz_mod (lower, lower, c->m2);
    mpz_mul (expected, x[lane], y[lane]);
    mpz_mod (expected, expected, c->m2);
    mpz_mul (expected, expected, c->r_inverse);
    mpz_mod (expected, expected, c->m2);
    cr_assert (mpz_cmp (lower, expected) == 0, "lane %zu of a modulus of %zu bits", lane,
               mpz_sizeinbase (c->m, 2));
  }
}

static void
play_case (guint bits, guint64 products, AssayEntropy *entropy)
{
  mpz_t *x = assay_numbers_new (IFMA_LANES, 2 * bits);
  mpz_t *y = assay_numbers_new (IFMA_LANES, 2 * bits);
  guint64 *x_lanes, *y_lanes, *result;
  Case c;

  init_case (&c, bits, entropy);
  x_lanes = numbers_new (&c);
  y_lanes = numbers_new (&c);
  result = numbers_new (&c);
  for (guint64 done = 0; done < products; done += 2 * IFMA_LANES) {
    draw_numbers (&c, entropy, x_lanes, x);
    draw_numbers (&c, entropy, y_lanes, y);
    ifma_multiply (&c.modulus, x_lanes, y_lanes, result);
    check_products (&c, result, x, y);
    ifma_square (&c.modulus, x_lanes, x_lanes); /* in place */
    check_products (&c, x_lanes, x, x);
  }
  g_aligned_free (x_lanes);
  g_aligned_free (y_lanes);
  g_aligned_free (result);
  assay_numbers_free (x, IFMA_LANES);
  assay_numbers_free (y, IFMA_LANES);
  clear_case (&c);
}

/* Of the lengths of moduli and of their factors, and where digits run out. */
Test (ifma, products_are_gmps)
{
  static const guint lengths[] = { 65, 200, 201, 512, 1024, 1032, 1536, 2048, 3072 };
  const AssayStreamKey key = assay_stream_key (1, 0, "test", "products");
  AssayEntropy entropy = assay_entropy (&key, 0);

  if (!ifma_is_there ())
    cr_skip_test ("this processor has no AVX-512 IFMA");
  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    play_case (lengths[i], products_to_test () / G_N_ELEMENTS (lengths) + 1, &entropy);
}

Test (ifma, selects_one_entry)
{
  const gsize words = 2 * 4 * IFMA_LANES, entries = 16;
  guint64 *table, *found;

  if (!ifma_is_there ())
    cr_skip_test ("this processor has no AVX-512 IFMA");
  table = g_aligned_alloc0 (entries * words, sizeof *table, 64);
  found = g_aligned_alloc0 (words, sizeof *found, 64);
  for (gsize i = 0; i < entries * words; i++)
    table[i] = i + 1;
  for (gsize which = 0; which < entries; which++) {
    ifma_select (table, entries, words, which, found);
    for (gsize w = 0; w < words; w++)
      cr_assert_eq (found[w], which * words + w + 1);
  }
  g_aligned_free (table);
  g_aligned_free (found);
}

Test (ifma, gathers_rows_into_lanes)
{
  const gsize words = 40;
  guint64 data[IFMA_LANES][40];
  const guint64 *rows[IFMA_LANES];
  guint64 *lanes;

  if (!ifma_is_there ())
    cr_skip_test ("this processor has no AVX-512 IFMA");
  lanes = g_aligned_alloc0 (words * IFMA_LANES, sizeof *lanes, 64);
  for (gsize lane = 0; lane < IFMA_LANES; lane++) {
    rows[lane] = data[lane];
    for (gsize w = 0; w < words; w++)
      data[lane][w] = 100 * lane + w;
  }
  ifma_gather (rows, words, lanes);
  for (gsize w = 0; w < words; w++)
    for (gsize lane = 0; lane < IFMA_LANES; lane++)
      cr_assert_eq (lanes[w * IFMA_LANES + lane], 100 * lane + w);
  g_aligned_free (lanes);
}

/* Powers by both ways: exponents that windows end in at every place, of the shortest and of keys'
 * length; and of counts that do not fill the lanes. */
Test (power, both_ways_agree)
{
  const AssayStreamKey key = assay_stream_key (2, 0, "test", "powers");
  AssayEntropy entropy = assay_entropy (&key, 0);
  g_auto (mpz_t) m, m2, exponent;

  mpz_inits (m, m2, exponent, NULL);
  mpz_setbit (m2, 1024);
  assay_number_draw (&entropy, m2, m);
  mpz_setbit (m, 1023);
  mpz_setbit (m, 0);
  mpz_mul (m2, m, m);
  for (gsize count = 1; count <= 17; count += 4) {
    g_autoptr (AssayPower) fast = assay_power_new (m, ASSAY_POWER_FASTEST);
    g_autoptr (AssayPower) plain = assay_power_new (m, ASSAY_POWER_GMP);
    mpz_t *bases[3] = { assay_numbers_new (count, 4096), assay_numbers_new (count, 4096),
                        assay_numbers_new (count, 4096) };

    mpz_set_ui (exponent, 0);
    mpz_setbit (exponent, 9 * count);
    assay_number_draw (&entropy, exponent, exponent);
    mpz_setbit (exponent, count);
    for (gsize i = 0; i < count; i++) {
      assay_number_draw (&entropy, m2, bases[0][i]);
      mpz_set (bases[1][i], bases[0][i]);
      mpz_powm (bases[2][i], bases[0][i], exponent, m2);
    }
    assay_power_raise (fast, exponent, FALSE, bases[0], count);
    assay_power_raise (count % 2 == 0 ? plain : fast, exponent, TRUE, bases[1], count);
    for (gsize i = 0; i < count; i++)
      cr_assert (mpz_cmp (bases[0][i], bases[2][i]) == 0 && mpz_cmp (bases[1][i], bases[2][i]) == 0,
                 "number %zu of %zu", i, count);
    for (gsize i = 0; i < G_N_ELEMENTS (bases); i++)
      assay_numbers_free (bases[i], count);
  }
}
