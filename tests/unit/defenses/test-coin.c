/* Coins of discrete mechanisms: frequencies against chances, and chances to the last bit. */
#include "defenses/mechanisms/coin.h"
#include "tests/unit/mechanism-case.h"

enum { N = 400000 };

Test (coin, have_their_chances)
{
  static const double chances[] = { 0, 0.001, 0.3, 0.5, 0.9, 0.9999, 1 };

  for (gsize i = 0; i < G_N_ELEMENTS (chances); i++) {
    const Coin coin = coin_new (chances[i], 1 - chances[i]);
    AssayStream stream = assay_stream (assay_stream_key (41, i, "coin", ""), 0);
    gsize heads = 0;

    for (gsize k = 0; k < N; k++)
      heads += (gsize) coin_is_heads (&coin, assay_stream_u32 (&stream), &stream);
    assert_near ((double) heads / N, chances[i],
                 DEVIATIONS * sqrt (chances[i] * (1 - chances[i]) / N), "chance %g", chances[i]);
  }
}

/* Given a first word of @first: the chance that is left to the words after it. */
Test (coin, are_not_rounded_to_32_bits)
{
  static const struct {
    double heads, tails;
    guint32 first;
    double then;
  } cases[] = {
    { 0x1p-33, 1 - 0x1p-33, 0, 0.5 },      { 0x1p-34, 1 - 0x1p-34, 0, 0.25 },
    { 1 - 0x1p-34, 0x1p-34, 0, 0.75 },     { 0x1.8p-33, 1 - 0x1.8p-33, 0, 0.75 },
    { 0x1p-33, 1 - 0x1p-33, 1, 0 },        { 0.25, 0.75, 0x40000000, 0 },
    { 0.25, 0.75, 0x3fffffff, 1 },         { 0.25 + 0x1p-33, 0.75, 0x40000000, 0.5 },
    { 1e-17, 1, 0, 1e-17 * 4294967296.0 }, { 1, 1e-17, 0, 1 - 1e-17 * 4294967296.0 },
    { 0.75, 0.25, 0x3fffffff, 0 },         { 0.75, 0.25, 0x40000001, 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Coin coin = coin_new (cases[i].heads, cases[i].tails);
    const double p = cases[i].then;
    AssayStream stream = assay_stream (assay_stream_key (41, i, "tie", ""), 0);
    gsize heads = 0;

    for (gsize k = 0; k < N; k++)
      heads += (gsize) coin_is_heads (&coin, cases[i].first, &stream);
    assert_near ((double) heads / N, p, DEVIATIONS * sqrt (p * (1 - p) / N) + 1e-6, "case %d",
                 (int) i);
  }
}

/* After a first word that ties, the chance's next 32 bits against the next word, and so on: made to
 * be just above what the stream will give, equal to it, or to differ only in the word after. */
Test (coin, compare_to_the_last_bit)
{
  for (guint64 item = 0; item < 100; item++) {
    const AssayStream start = assay_stream (assay_stream_key (41, 0, "digits", ""), item);
    AssayStream ahead = start;
    const double second = (double) assay_stream_u32 (&ahead);
    const double third = (double) (assay_stream_u32 (&ahead) >> 11); /* 53 bits in all */
    const double above[] = { second + 1, second + (third + 1) * 0x1p-21 };
    const double not_above[] = { second, MAX (second - 1, 0), second + third * 0x1p-21 };

    for (gsize i = 0; i < G_N_ELEMENTS (above); i++) {
      const Coin coin = coin_new (ldexp (above[i], -64), 1);
      AssayStream stream = start;

      cr_assert (coin_is_heads (&coin, 0, &stream), "item %d, case %zu", (int) item, i);
    }
    for (gsize i = 0; i < G_N_ELEMENTS (not_above); i++) {
      const Coin coin = coin_new (ldexp (not_above[i], -64), 1);
      AssayStream stream = start;

      cr_assert (!coin_is_heads (&coin, 0, &stream), "item %d, case %zu", (int) item, i);
    }
  }
}
