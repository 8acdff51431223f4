/* MT19937 (Matsumoto and Nishimura 1998), as NumPy, Python, PyTorch and C++ seed and read it. */
#pragma once

#include <glib.h>

#define MERSENNE_WORDS 624

typedef struct {
  guint32 words[MERSENNE_WORDS];
  guint used; /* words of this round; the others are those of the round before */
} MersenneTwister;

/* By one number: init_genrand of the authors' code of 2002. */
void mersenne_seed (MersenneTwister *ret_twister, guint32 seed);
/* By an array of one key, as Python does: init_by_array. */
void mersenne_seed_by_array (MersenneTwister *ret_twister, guint32 key);
guint32 mersenne_next (MersenneTwister *twister);
