/* Random Flipping (algorithm 1 of "private hashing", PHashing and PITQ): every bit of every code is
 * turned with the same probability. */
#pragma once

#include "core/base/rng.h"
#include "core/data/codes.h"

/* ASSAY_ERROR_PARAMETER unless @beta is in [0, 1). */
gboolean random_flipping_check (double beta, GError **error);

/* @codes (uint8 n x bytes, of @bits) with every bit turned with probability @beta; the code of row
 * i draws from assay_stream (@key, i). */
AssayArray *random_flipping_apply (const AssayArray *codes, gsize bits, double beta,
                                   AssayStreamKey key, GError **error);

/* The same of @count signs, +1 or -1, of one code. */
void random_flipping_signs (double beta, AssayStream *stream, gsize count, float *inout_signs);
