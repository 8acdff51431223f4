/* The kernel, in intrinsics.
 *
 * Both reductions go by columns: the digits that are worth 2^(52 k) of all products are summed up
 * in 64-bit lanes, where 4,095 of them fit, for IFMA_TILE values of k at a time. A tile of four
 * digits by four gives 32 products in 14 sums, enough of them that none waits for another; the sums
 * of one reduction are at work while the other waits for its quotient, whose digits come one by
 * one. */
#include "core/crypto/ifma.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define FOR_IFMA __attribute__ ((target ("avx512f,avx512ifma")))
#define INLINE_IFMA FOR_IFMA static inline __attribute__ ((always_inline))
#define BLOCKS (IFMA_MAX_DIGITS / IFMA_TILE)

/* Sums of the lower and the upper halves of products: low[k] is worth as much as high[k - 1]. */
typedef struct {
  __m512i low[2 * IFMA_TILE - 1];
  __m512i high[2 * IFMA_TILE - 1];
} Sums;

/* One of the two reductions under way. */
typedef struct {
  __m512i carry[IFMA_TILE]; /* what the columns so far leave to the next ones */
  __m512i quotient[IFMA_MAX_DIGITS];
} Reduction;

gboolean
ifma_is_there (void)
{
  return __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512ifma");
}

INLINE_IFMA void
clear_sums (Sums *sums)
{
  for (gsize k = 0; k < G_N_ELEMENTS (sums->low); k++)
    sums->low[k] = sums->high[k] = _mm512_setzero_si512 ();
}

INLINE_IFMA void
double_sums (Sums *sums)
{
  for (gsize k = 0; k < G_N_ELEMENTS (sums->low); k++) {
    sums->low[k] = _mm512_add_epi64 (sums->low[k], sums->low[k]);
    sums->high[k] = _mm512_add_epi64 (sums->high[k], sums->high[k]);
  }
}

/* Written out, because a compiler keeps in registers what has constant places. */
#define ADD_PRODUCT(i, j)                                                                          \
  sums->low[(i) + (j)] = _mm512_madd52lo_epu64 (sums->low[(i) + (j)], a##i, b##j);                 \
  sums->high[(i) + (j)] = _mm512_madd52hi_epu64 (sums->high[(i) + (j)], a##i, b##j);
/* clang-format off */
#define ADD_PRODUCTS                                                                               \
  ADD_PRODUCT (0, 0) ADD_PRODUCT (1, 0) ADD_PRODUCT (2, 0) ADD_PRODUCT (3, 0)                      \
  ADD_PRODUCT (0, 1) ADD_PRODUCT (1, 1) ADD_PRODUCT (2, 1) ADD_PRODUCT (3, 1)                      \
  ADD_PRODUCT (0, 2) ADD_PRODUCT (1, 2) ADD_PRODUCT (2, 2) ADD_PRODUCT (3, 2)                      \
  ADD_PRODUCT (0, 3) ADD_PRODUCT (1, 3) ADD_PRODUCT (2, 3) ADD_PRODUCT (3, 3)
/* clang-format on */

/* Blocks @first .. @end - 1 of @a by those of @b that make column @column. */
INLINE_IFMA void
add_tiles (Sums *sums, const __m512i *a, const __m512i *b, gsize first, gsize end, gsize column)
{
  for (gsize i = first; i < end; i++) {
    const __m512i *const x = a + IFMA_TILE * i;
    const __m512i *const y = b + IFMA_TILE * (column - i);
    const __m512i a0 = x[0], a1 = x[1], a2 = x[2], a3 = x[3];
    const __m512i b0 = y[0], b1 = y[1], b2 = y[2], b3 = y[3];

    ADD_PRODUCTS
  }
}

/* The same with the modulus, which is the same in all lanes. */
INLINE_IFMA void
add_modulus (Sums *sums, const __m512i *a, const guint64 *modulus, gsize first, gsize end,
             gsize column)
{
  for (gsize i = first; i < end; i++) {
    const __m512i *const x = a + IFMA_TILE * i;
    const guint64 *const y = modulus + IFMA_TILE * (column - i);
    const __m512i a0 = x[0], a1 = x[1], a2 = x[2], a3 = x[3];
    const __m512i b0 = _mm512_set1_epi64 ((gint64) y[0]), b1 = _mm512_set1_epi64 ((gint64) y[1]);
    const __m512i b2 = _mm512_set1_epi64 ((gint64) y[2]), b3 = _mm512_set1_epi64 ((gint64) y[3]);

    ADD_PRODUCTS
  }
}

/* What is summed up for the columns of a block and the next. */
INLINE_IFMA void
join_sums (const Sums *sums, const __m512i *carry, __m512i *ret_columns)
{
  ret_columns[0] = _mm512_add_epi64 (carry[0], sums->low[0]);
  for (gsize k = 1; k < IFMA_TILE; k++)
    ret_columns[k]
        = _mm512_add_epi64 (carry[k], _mm512_add_epi64 (sums->low[k], sums->high[k - 1]));
  for (gsize k = IFMA_TILE; k < 2 * IFMA_TILE - 1; k++)
    ret_columns[k] = _mm512_add_epi64 (sums->low[k], sums->high[k - 1]);
  ret_columns[2 * IFMA_TILE - 1] = sums->high[2 * IFMA_TILE - 2];
}

/* The digit of the quotient that makes column @s vanish, and what is left of the columns. */
#define SOLVE(s)                                                                                   \
  q = _mm512_madd52lo_epu64 (zero, c[s], inverse);                                                 \
  ret_quotient[s] = q;                                                                             \
  c[s] = _mm512_madd52lo_epu64 (c[s], q, m0);                                                      \
  c[(s) + 1] = _mm512_madd52hi_epu64 (c[(s) + 1], q, m0);                                          \
  c[(s) + 1] = _mm512_add_epi64 (c[(s) + 1], _mm512_srli_epi64 (c[s], IFMA_DIGIT_BITS));           \
  c[(s) + 1] = _mm512_madd52lo_epu64 (c[(s) + 1], q, m1);                                          \
  c[(s) + 2] = _mm512_madd52hi_epu64 (c[(s) + 2], q, m1);                                          \
  c[(s) + 2] = _mm512_madd52lo_epu64 (c[(s) + 2], q, m2);                                          \
  c[(s) + 3] = _mm512_madd52hi_epu64 (c[(s) + 3], q, m2);                                          \
  c[(s) + 3] = _mm512_madd52lo_epu64 (c[(s) + 3], q, m3);                                          \
  c[(s) + 4] = _mm512_madd52hi_epu64 (c[(s) + 4], q, m3);

INLINE_IFMA void
solve_block (const IfmaModulus *modulus, const Sums *sums, __m512i *carry, __m512i *ret_quotient)
{
  const __m512i zero = _mm512_setzero_si512 ();
  const __m512i inverse = _mm512_set1_epi64 ((gint64) modulus->inverse);
  const __m512i m0 = _mm512_set1_epi64 ((gint64) modulus->modulus[0]);
  const __m512i m1 = _mm512_set1_epi64 ((gint64) modulus->modulus[1]);
  const __m512i m2 = _mm512_set1_epi64 ((gint64) modulus->modulus[2]);
  const __m512i m3 = _mm512_set1_epi64 ((gint64) modulus->modulus[3]);
  __m512i c[2 * IFMA_TILE], q;

  join_sums (sums, carry, c);
  SOLVE (0)
  SOLVE (1)
  SOLVE (2)
  SOLVE (3)
  for (gsize k = 0; k < IFMA_TILE; k++)
    carry[k] = c[IFMA_TILE + k];
}

/* The columns are digits of the result once what is above 52 bits has gone on to the next. */
INLINE_IFMA void
write_block (const Sums *sums, __m512i *carry, __m512i *ret_digits)
{
  const __m512i mask = _mm512_set1_epi64 ((1LL << IFMA_DIGIT_BITS) - 1);
  __m512i c[2 * IFMA_TILE];

  join_sums (sums, carry, c);
  for (gsize k = 0; k < IFMA_TILE; k++) {
    ret_digits[k] = _mm512_and_si512 (c[k], mask);
    c[k + 1] = _mm512_add_epi64 (c[k + 1], _mm512_srli_epi64 (c[k], IFMA_DIGIT_BITS));
  }
  for (gsize k = 0; k < IFMA_TILE; k++)
    carry[k] = c[IFMA_TILE + k];
}

/* The second reduction begins with a multiple of m less the quotient of the first: R - 1 less the
 * quotient is its complement, digit by digit. */
INLINE_IFMA void
begin_block (const IfmaModulus *modulus, const __m512i *quotient, gsize block, __m512i *carry)
{
  const __m512i mask = _mm512_set1_epi64 ((1LL << IFMA_DIGIT_BITS) - 1);

  for (gsize k = 0; k < IFMA_TILE; k++) {
    const gsize digit = IFMA_TILE * block + k;
    const __m512i lift = _mm512_set1_epi64 ((gint64) modulus->lift[digit]);

    carry[k] = _mm512_add_epi64 (carry[k],
                                 _mm512_add_epi64 (lift, _mm512_xor_si512 (quotient[digit], mask)));
  }
}

/* What is the same for squares and products: how a block of columns ends once the products of x and
 * y are in its sums. */
INLINE_IFMA void
end_block (const IfmaModulus *modulus, Sums *sums, Reduction *reduction, gsize column,
           __m512i *ret_digits)
{
  const gsize blocks = modulus->digits / IFMA_TILE;
  const gsize first = column < blocks ? 0 : column - blocks + 1;

  add_modulus (sums, reduction->quotient, modulus->modulus, first, MIN (column, blocks), column);
  if (column < blocks)
    solve_block (modulus, sums, reduction->carry, reduction->quotient + IFMA_TILE * column);
  else
    write_block (sums, reduction->carry, ret_digits + IFMA_TILE * (column - blocks));
}

INLINE_IFMA void
begin_reduction (Reduction *reduction)
{
  for (gsize k = 0; k < IFMA_TILE; k++)
    reduction->carry[k] = _mm512_setzero_si512 ();
}

FOR_IFMA void
ifma_multiply (const IfmaModulus *modulus, const guint64 *x, const guint64 *y, guint64 *ret)
{
  const gsize blocks = modulus->digits / IFMA_TILE;
  const __m512i *const x0 = (const __m512i *) x, *const x1 = x0 + modulus->digits;
  const __m512i *const y0 = (const __m512i *) y, *const y1 = y0 + modulus->digits;
  __m512i *const ret0 = (__m512i *) ret, *const ret1 = ret0 + modulus->digits;
  Reduction lower, upper;

  begin_reduction (&lower);
  begin_reduction (&upper);
  for (gsize column = 0; column < 2 * blocks; column++) {
    const gsize first = column < blocks ? 0 : column - blocks + 1;
    const gsize end = MIN (column + 1, blocks);
    Sums sums, upper_sums;

    clear_sums (&sums);
    add_tiles (&sums, x0, y0, first, end, column);
    clear_sums (&upper_sums);
    add_tiles (&upper_sums, x0, y1, first, end, column);
    add_tiles (&upper_sums, x1, y0, first, end, column);
    end_block (modulus, &sums, &lower, column, ret0);
    if (column < blocks)
      begin_block (modulus, lower.quotient, column, upper.carry);
    end_block (modulus, &upper_sums, &upper, column, ret1);
  }
}

FOR_IFMA void
ifma_square (const IfmaModulus *modulus, const guint64 *x, guint64 *ret)
{
  const gsize blocks = modulus->digits / IFMA_TILE;
  const __m512i *const x0 = (const __m512i *) x, *const x1 = x0 + modulus->digits;
  __m512i *const ret0 = (__m512i *) ret, *const ret1 = ret0 + modulus->digits;
  Reduction lower, upper;

  begin_reduction (&lower);
  begin_reduction (&upper);
  for (gsize column = 0; column < 2 * blocks; column++) {
    const gsize first = column < blocks ? 0 : column - blocks + 1;
    const gsize end = MIN (column + 1, blocks);
    const gsize half = (column + 1) / 2; /* blocks below it meet another than themselves */
    Sums sums, upper_sums;

    clear_sums (&sums);
    add_tiles (&sums, x0, x0, first, half, column);
    double_sums (&sums);
    if (column % 2 == 0)
      add_tiles (&sums, x0, x0, half, half + 1, column);
    clear_sums (&upper_sums);
    add_tiles (&upper_sums, x0, x1, first, end, column);
    double_sums (&upper_sums);
    end_block (modulus, &sums, &lower, column, ret0);
    if (column < blocks)
      begin_block (modulus, lower.quotient, column, upper.carry);
    end_block (modulus, &upper_sums, &upper, column, ret1);
  }
}

FOR_IFMA void
ifma_select (const guint64 *table, gsize entries, gsize words, guint64 which, guint64 *ret)
{
  const __m512i wanted = _mm512_set1_epi64 ((gint64) which);

  for (gsize w = 0; w < words; w += IFMA_LANES) {
    __m512i found = _mm512_setzero_si512 ();

    for (gsize e = 0; e < entries; e++) {
      const __mmask8 is_it = _mm512_cmpeq_epi64_mask (_mm512_set1_epi64 ((gint64) e), wanted);

      found = _mm512_or_si512 (
          found, _mm512_maskz_mov_epi64 (is_it, _mm512_load_si512 (table + e * words + w)));
    }
    _mm512_store_si512 (ret + w, found);
  }
}

/* Eight words of eight rows: pairs of words, of pairs, and of those. */
INLINE_IFMA void
transpose (__m512i *rows)
{
  __m512i pairs[8], fours[8];

  for (gsize i = 0; i < 8; i += 2) {
    pairs[i] = _mm512_unpacklo_epi64 (rows[i], rows[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi64 (rows[i], rows[i + 1]);
  }
  for (gsize i = 0; i < 8; i += 4)
    for (gsize k = 0; k < 2; k++) {
      fours[i + k] = _mm512_shuffle_i64x2 (pairs[i + k], pairs[i + k + 2], 0x88);
      fours[i + k + 2] = _mm512_shuffle_i64x2 (pairs[i + k], pairs[i + k + 2], 0xdd);
    }
  for (gsize k = 0; k < 4; k++) {
    rows[k] = _mm512_shuffle_i64x2 (fours[k], fours[k + 4], 0x88);
    rows[k + 4] = _mm512_shuffle_i64x2 (fours[k], fours[k + 4], 0xdd);
  }
}

FOR_IFMA void
ifma_gather (const guint64 *const rows[IFMA_LANES], gsize words, guint64 *ret)
{
  for (gsize w = 0; w < words; w += 8) {
    __m512i eight[8];

    for (gsize i = 0; i < 8; i++)
      eight[i] = _mm512_loadu_si512 (rows[i] + w);
    transpose (eight);
    for (gsize i = 0; i < 8; i++)
      _mm512_store_si512 (ret + (w + i) * IFMA_LANES, eight[i]);
  }
}

#else

gboolean
ifma_is_there (void)
{
  return FALSE;
}

void
ifma_multiply (G_GNUC_UNUSED const IfmaModulus *modulus, G_GNUC_UNUSED const guint64 *x,
               G_GNUC_UNUSED const guint64 *y, G_GNUC_UNUSED guint64 *ret)
{
  g_assert_not_reached ();
}

void
ifma_square (G_GNUC_UNUSED const IfmaModulus *modulus, G_GNUC_UNUSED const guint64 *x,
             G_GNUC_UNUSED guint64 *ret)
{
  g_assert_not_reached ();
}

void
ifma_select (G_GNUC_UNUSED const guint64 *table, G_GNUC_UNUSED gsize entries,
             G_GNUC_UNUSED gsize words, G_GNUC_UNUSED guint64 which, G_GNUC_UNUSED guint64 *ret)
{
  g_assert_not_reached ();
}

void
ifma_gather (G_GNUC_UNUSED const guint64 *const rows[IFMA_LANES], G_GNUC_UNUSED gsize words,
             G_GNUC_UNUSED guint64 *ret)
{
  g_assert_not_reached ();
}

#endif
