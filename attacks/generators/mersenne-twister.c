#include "attacks/generators/mersenne-twister.h"

#define SHIFT 397

void
mersenne_seed (MersenneTwister *ret_twister, guint32 seed)
{
  guint32 *words = ret_twister->words;

  words[0] = seed;
  for (guint32 i = 1; i < MERSENNE_WORDS; i++)
    words[i] = 1812433253u * (words[i - 1] ^ (words[i - 1] >> 30)) + i;
  ret_twister->used = 0;
}

void
mersenne_seed_by_array (MersenneTwister *ret_twister, guint32 key)
{
  guint32 *words = ret_twister->words;
  guint32 i = 1;

  mersenne_seed (ret_twister, 19650218u);
  for (guint k = 0; k < 2 * MERSENNE_WORDS - 1; k++) {
    const guint32 before = words[i - 1] ^ (words[i - 1] >> 30);

    words[i] = k < MERSENNE_WORDS ? (words[i] ^ (before * 1664525u)) + key
                                  : (words[i] ^ (before * 1566083941u)) - i;
    if (++i == MERSENNE_WORDS) {
      words[0] = words[MERSENNE_WORDS - 1];
      i = 1;
    }
  }
  words[0] = 0x80000000u;
}

/* Word @i of the next round: each is made as it is asked for, of words before and behind it in the
 * state they have in the round as a whole. Few words of many seeds are asked for. */
static guint32
twist (guint32 *words, guint i)
{
  const guint32 next = words[i + 1 < MERSENNE_WORDS ? i + 1 : 0];
  const guint32 far = words[i + SHIFT < MERSENNE_WORDS ? i + SHIFT : i + SHIFT - MERSENNE_WORDS];
  const guint32 mixed = (words[i] & 0x80000000u) | (next & 0x7fffffffu);

  return words[i] = far ^ (mixed >> 1) ^ (-(mixed & 1) & 0x9908b0dfu);
}

guint32
mersenne_next (MersenneTwister *twister)
{
  guint32 word = twist (twister->words, twister->used);

  if (++twister->used == MERSENNE_WORDS)
    twister->used = 0;
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680u;
  word ^= (word << 15) & 0xefc60000u;
  return word ^ (word >> 18);
}
