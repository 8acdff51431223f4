/* Elementary functions that loops can be made vectors of, against those of long double. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/rng.h"
#include "core/base/vector-math.h"
#include "tests/unit/assert-near.h"

static AssayStream
stream_of (const char *test)
{
  return assay_stream (assay_stream_key (3, 0, test, ""), 0);
}

/* Beyond 2^52 a number has no bits below 1, and up to 2^53 it has none that a double has not. */
Test (vector_math, whole_numbers_are_exact)
{
  const guint64 most = G_GUINT64_CONSTANT (1) << 53;
  AssayStream stream = stream_of ("whole");
  static const guint64 edges[]
      = { 0, 1, 0xFFFFFFFF, G_GUINT64_CONSTANT (1) << 32, (G_GUINT64_CONSTANT (1) << 52) + 1 };

  for (gsize i = 0; i < G_N_ELEMENTS (edges); i++) {
    cr_assert (assay_double_of_whole (edges[i]) == (double) edges[i]);
    cr_assert (assay_double_of_whole (most - edges[i]) == (double) (most - edges[i]));
  }
  for (gsize i = 0; i < 100000; i++) {
    const guint64 any = assay_stream_below (&stream, most + 1);
    const guint64 whole = any >> assay_stream_below (&stream, 53);

    cr_assert (assay_double_of_whole (whole) == (double) whole, "%" G_GUINT64_FORMAT, whole);
  }
}

/* Below one unit in the last place, which is at most 2^-52 of the number. */
static void
check_log (double x)
{
  const long double expected = logl (x);

  cr_assert (fabsl (assay_log (x) - expected) <= 0x1p-52L * fabsl (expected), "ln %a: %a", x,
             assay_log (x));
}

/* All that (0, 1] offers an inversion: every power of two, both sides of where the exponent steps,
 * and numbers as near to 1 as there are; and beyond, up to the largest. */
Test (vector_math, logarithm)
{
  AssayStream stream = stream_of ("log");

  cr_assert (assay_log (1) == 0);
  for (gint k = -1021; k <= 1023; k++) {
    check_log (ldexp (1, k));
    check_log (ldexp (0x1.6a09e667f3bccp-1, k));
    check_log (ldexp (0x1.6a09e667f3bcdp-1, k));
    check_log (ldexp (0x1.6a09e667f3bcep-1, k));
  }
  check_log (G_MAXDOUBLE);
  for (gint k = 1; k <= 1000; k++) {
    check_log (1 - k * 0x1p-53);
    check_log (1 + k * 0x1p-52);
    check_log (k * 0x1p-53);
  }
  for (gsize i = 0; i < 1000000; i++) {
    check_log (1 - assay_stream_uniform (&stream));
    check_log (ldexp (1 + assay_stream_uniform (&stream), (gint) (i % 2000) - 1000));
    check_log (1 - ldexp (assay_stream_uniform (&stream), -(gint) (i % 50)));
  }
}

/* The angle within an eighth of a turn is rounded twice, by 2^-53 of pi/4 each, and the result once
 * more: 3e-16 in all. */
static void
check_turn (guint64 part)
{
  const long double angle = 2 * 3.14159265358979323846264338328L * part * 0x1p-53L;
  double cosine, sine;

  assay_cos_sin_of_turn (part, &cosine, &sine);
  assert_near (cosine, (double) cosl (angle), 3e-16, "cosine of %" G_GUINT64_FORMAT, part);
  assert_near (sine, (double) sinl (angle), 3e-16, "sine of %" G_GUINT64_FORMAT, part);
}

Test (vector_math, cosine_and_sine)
{
  static const double cosines[] = { 1, 0, -1, 0 }, sines[] = { 0, 1, 0, -1 };
  const guint64 turn = G_GUINT64_CONSTANT (1) << 53;
  AssayStream stream = stream_of ("turn");
  double cosine, sine;

  for (gsize q = 0; q < 4; q++) {
    assay_cos_sin_of_turn (q * (turn / 4), &cosine, &sine);
    cr_assert (cosine == cosines[q] && sine == sines[q], "%zu quarters: %g, %g", q, cosine, sine);
  }
  for (guint64 eighth = 0; eighth < 8; eighth++)
    for (guint64 k = 0; k < 1000; k++) {
      check_turn (eighth * (turn / 8) + k);
      check_turn ((eighth + 1) * (turn / 8) - 1 - k);
    }
  for (gsize i = 0; i < 1000000; i++)
    check_turn (assay_stream_below (&stream, turn));
  /* Small angles keep their relative precision. */
  for (guint64 part = 1; part < turn / 8; part *= 3) {
    assay_cos_sin_of_turn (part, &cosine, &sine);
    assert_near (sine / sin ((double) part * 0x1.921fb54442d18p-51), 1, 3e-16, "sine near 0");
  }
}
