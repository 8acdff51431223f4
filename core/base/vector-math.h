/* Elementary functions as straight lines of basic IEEE 754 operations: no branch, no table, no
 * call. Loops around them become vectors, and they give the same bits in a vector, alone, under
 * every compiler and with every C library, which libm does not promise.
 *
 * The reductions and polynomials are those of fdlibm (Sun Microsystems 1993, "Freely distributable
 * LIBM", e_log.c, k_sin.c, k_cos.c), whose error is below one unit in the last place; what is left
 * out is their treatment of arguments that are not asked for here. */
#pragma once

#include <glib.h>
#include <string.h>

static inline guint64
assay_bits_of_double (double value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static inline double
assay_double_of_bits (guint64 bits)
{
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* A whole number up to 2^53, exactly. AVX2 cannot convert 64-bit numbers: the halves become the
 * last bits of 2^84 and of 2^52, which are taken away again. */
static inline double
assay_double_of_whole (guint64 whole)
{
  const double upper = assay_double_of_bits (whole >> 32 | G_GUINT64_CONSTANT (0x4530000000000000));
  const double lower
      = assay_double_of_bits ((whole & 0xFFFFFFFF) | G_GUINT64_CONSTANT (0x4330000000000000));

  return (upper - 0x1.00000001p84) + lower;
}

/* ln x of a positive, normal number. x = 2^k m with m in [sqrt (1/2), sqrt (2)), f = m - 1,
 * s = f / (2 + f): ln m = f - s (f - R), R = 2 s^2/3 + 2 s^4/5 + ..., by a polynomial in s^2. */
static inline double
assay_log (double x)
{
  /* The bits of sqrt (1/2), rounded; and what brings them to those of 1. */
  const guint64 least = G_GUINT64_CONSTANT (0x3FE6A09E667F3BCD);
  const guint64 lift = G_GUINT64_CONSTANT (0x3FF0000000000000) - least;
  const guint64 bits = assay_bits_of_double (x) + lift;
  /* The biased exponent, as the last bits of 2^52. */
  const double k = assay_double_of_bits (bits >> 52 | G_GUINT64_CONSTANT (0x4330000000000000))
                   - (0x1p52 + 1023);
  const double m = assay_double_of_bits ((bits & G_GUINT64_CONSTANT (0xFFFFFFFFFFFFF)) + least);
  const double f = m - 1, s = f / (2 + f), z = s * s, w = z * z;
  const double half_square = 0.5 * f * f;
  const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  /* R in odd and in even powers of z. */
  double odd = 1.479819860511658591e-01, even = 1.531383769920937332e-01;

  odd = 1.818357216161805012e-01 + w * odd;
  odd = 2.857142874366239149e-01 + w * odd;
  odd = 6.666666666666735130e-01 + w * odd;
  even = 2.222219843214978396e-01 + w * even;
  even = 3.999999999940941908e-01 + w * even;
  return s * (half_square + (z * odd + w * even)) + k * ln2_low - half_square + f + k * ln2_high;
}

/* Cosine and sine of @part / 2^53 of a turn, part < 2^53. The nearest quarter of a turn is taken
 * away in whole numbers, so exactly; the rest is within pi/4. */
static inline void
assay_cos_sin_of_turn (guint64 part, double *ret_cos, double *ret_sin)
{
  const guint64 eighth = G_GUINT64_CONSTANT (1) << 50, quarter = 2 * eighth;
  const guint64 quarters = (part + eighth) >> 51;
  const double rest = assay_double_of_whole ((part + eighth) & (quarter - 1)) - (double) eighth;
  const double x = rest * 0x1.921fb54442d18p-51; /* 2 pi / 2^53 */
  const double z = x * x, half = 0.5 * z, w = 1 - half;
  double sine = 1.58969099521155010221e-10, cosine = -1.13596475577881948265e-11;
  guint64 exchange;

  sine = -2.50507602534068634195e-08 + z * sine;
  sine = 2.75573137070700676789e-06 + z * sine;
  sine = -1.98412698298579493134e-04 + z * sine;
  sine = 8.33333333332248946124e-03 + z * sine;
  sine = -1.66666666666666324348e-01 + z * sine;
  sine = x + z * x * sine;
  cosine = 2.08757232129817482790e-09 + z * cosine;
  cosine = -2.75573143513906633035e-07 + z * cosine;
  cosine = 2.48015872894767294178e-05 + z * cosine;
  cosine = -1.38888888888741095749e-03 + z * cosine;
  cosine = 4.16666666666666019037e-02 + z * cosine;
  cosine = w + ((1 - w - half) + z * z * cosine);
  /* After an odd number of quarters they change places; then the signs. */
  exchange = (assay_bits_of_double (cosine) ^ assay_bits_of_double (sine)) & (0 - (quarters & 1));

  *ret_cos = assay_double_of_bits (assay_bits_of_double (cosine) ^ exchange
                                   ^ ((quarters + 1) & 2) << 62);
  *ret_sin = assay_double_of_bits (assay_bits_of_double (sine) ^ exchange ^ (quarters & 2) << 62);
}
