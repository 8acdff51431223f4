/* Coins of an exactly stated chance. */
#include "defenses/mechanisms/coin.h"

#include <math.h>

#include "core/base/vectorise.h"

Coin
coin_new (double heads, double tails)
{
  const double scaled = ldexp (MIN (heads, tails), 32); /* at most 2^31 */
  const double threshold = floor (scaled);

  return (Coin){ .threshold = (guint32) threshold,
                 .rest = scaled - threshold,
                 .is_inverted = tails < heads };
}

/* Multiplying by 2^32 and subtracting the whole part are exact, and a double has no more than 53
 * bits to go through. */
gboolean
coin_break_tie (const Coin *coin, AssayStream *stream)
{
  double rest = coin->rest;

  while (rest > 0) {
    const double scaled = ldexp (rest, 32), digit = floor (scaled);
    const guint32 word = assay_stream_u32 (stream);

    if (word != (guint32) digit)
      return word < (guint32) digit;
    rest = scaled - digit;
  }
  return FALSE;
}

/* Throws by their first word alone; returns how many of them that does not decide. */
ASSAY_VECTORISED static guint32
throw_first (const Coin *coin, const guint32 *words, gsize count, float *ret_heads)
{
  const guint32 threshold = coin->threshold, is_inverted = coin->is_inverted ? 1 : 0;
  guint32 ties = 0;

  for (gsize i = 0; i < count; i++) {
    const guint32 is_rarer = words[i] < threshold;

    ties += words[i] == threshold;
    ret_heads[i] = (float) (gint32) (is_rarer ^ is_inverted);
  }
  return ties;
}

void
coin_throw_all (const Coin *coin, const guint32 *words, gsize count, AssayStream *stream,
                float *ret_heads)
{
  if (G_LIKELY (throw_first (coin, words, count, ret_heads) == 0))
    return;
  for (gsize i = 0; i < count; i++)
    ret_heads[i] = (float) coin_is_heads (coin, words[i], stream);
}
