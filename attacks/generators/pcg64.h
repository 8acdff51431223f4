/* PCG64 (O'Neill 2014, XSL-RR on 128 bits), seeded as NumPy's default_rng (s) does: by a
 * SeedSequence of one word of 32 bits. */
#pragma once

#include <glib.h>

typedef struct {
  unsigned __int128 state, increment;
  guint32 half; /* the upper half of a number of which the lower one was given */
  gboolean has_half;
} Pcg64;

void pcg64_seed (Pcg64 *ret_pcg, guint32 seed);
guint64 pcg64_next (Pcg64 *pcg);
guint32 pcg64_next_half (Pcg64 *pcg); /* 32 bits: the lower half first */
double pcg64_normal (Pcg64 *pcg);     /* NumPy's ziggurat of 256 layers */
