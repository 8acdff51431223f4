/* Coins of an exactly stated chance, one random word a throw. */
#pragma once

#include "core/base/rng.h"

/* The rarer side comes up if a number U ~ U(0, 1), read from a stream 32 bits at a time, is below
 * its chance. The first 32 bits nearly always decide; where they are equal, the next word does, and
 * so on, so that nothing is rounded to 2^-32: a side of chance 1e-13 does come up, and a mechanism
 * does not lose its epsilon of 30 to its coin. */
typedef struct {
  guint32 threshold;    /* the first 32 bits of the chance of the rarer side */
  double rest;          /* those that follow, as a number in [0, 1) */
  gboolean is_inverted; /* tails are the rarer side */
} Coin;

/* @heads + @tails = 1; both are given because the smaller of them is not to be had from the larger
 * without loss. */
Coin coin_new (double heads, double tails);

/* Whether a word that equals the threshold counts as below it, by further words of @stream. */
gboolean coin_break_tie (const Coin *coin, AssayStream *stream);

/* Whether a throw is heads; @word is random, and no other throw has used it. */
static inline gboolean
coin_is_heads (const Coin *coin, guint32 word, AssayStream *stream)
{
  gboolean is_rarer = word < coin->threshold;

  if (G_UNLIKELY (word == coin->threshold))
    is_rarer = coin_break_tie (coin, stream);
  return is_rarer != coin->is_inverted;
}

/* A throw for each of @count random words: 1 for heads, 0 for tails. */
void coin_throw_all (const Coin *coin, const guint32 *words, gsize count, AssayStream *stream,
                     float *ret_heads);
