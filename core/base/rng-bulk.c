/* Random numbers of a shape, many at once: exponential and Laplace by inversion, normal by Box and
 * Muller. Each is a loop over words of the stream that becomes vectors. What is drawn singly is
 * drawn by the same functions, so that it is the same. */
#include <math.h>

#include "core/base/rng.h"
#include "core/base/vector-math.h"
#include "core/base/vectorise.h"

/* Pairs of words that are drawn at once. */
#define PAIRS 256

/* -ln (1 - u) for u = the upper 53 of 64 bits: 1 - u lies in (0, 1], so that it is finite. */
static inline double
exponential_of (guint64 word)
{
  const guint64 rest = (G_GUINT64_CONSTANT (1) << 53) - (word >> 11);

  return -assay_log (assay_double_of_whole (rest) * 0x1p-53);
}

/* One bit of the 64 is the sign, 53 others the magnitude. */
static inline double
laplace_of (guint64 word)
{
  return assay_double_of_bits (assay_bits_of_double (exponential_of (word)) ^ (~word & 1) << 63);
}

ASSAY_VECTORISED static void
exponentials_of (const guint64 *words, gsize count, double *ret_values)
{
  for (gsize i = 0; i < count; i++)
    ret_values[i] = exponential_of (words[i]);
}

ASSAY_VECTORISED static void
laplaces_of (const guint64 *words, gsize count, double *ret_values)
{
  for (gsize i = 0; i < count; i++)
    ret_values[i] = laplace_of (words[i]);
}

/* Of each two words a squared radius and a direction. */
ASSAY_VECTORISED static void
polar_of (const guint64 *words, gsize count, double *ret_squares, double *ret_cos, double *ret_sin)
{
  for (gsize i = 0; i < count; i++) {
    ret_squares[i] = 2 * exponential_of (words[2 * i]);
    assay_cos_sin_of_turn (words[2 * i + 1] >> 11, &ret_cos[i], &ret_sin[i]);
  }
}

/* @count numbers of 64 bits, each of two words, the lower half first. */
static void
fill_u64 (AssayStream *stream, gsize count, guint64 *ret_words)
{
  guint32 halves[2 * PAIRS];

  assay_stream_fill_u32 (stream, 2 * count, halves);
  for (gsize i = 0; i < count; i++)
    ret_words[i] = halves[2 * i] | (guint64) halves[2 * i + 1] << 32;
}

double
assay_stream_exponential (AssayStream *stream)
{
  guint64 word;

  fill_u64 (stream, 1, &word);
  return exponential_of (word);
}

double
assay_stream_laplace (AssayStream *stream)
{
  guint64 word;

  fill_u64 (stream, 1, &word);
  return laplace_of (word);
}

void
assay_stream_fill_exponential (AssayStream *stream, gsize count, double *ret_values)
{
  guint64 words[PAIRS];

  for (gsize done = 0; done < count; done += PAIRS) {
    const gsize n = MIN (PAIRS, count - done);

    fill_u64 (stream, n, words);
    exponentials_of (words, n, ret_values + done);
  }
}

void
assay_stream_fill_laplace (AssayStream *stream, gsize count, double *ret_values)
{
  guint64 words[PAIRS];

  for (gsize done = 0; done < count; done += PAIRS) {
    const gsize n = MIN (PAIRS, count - done);

    fill_u64 (stream, n, words);
    laplaces_of (words, n, ret_values + done);
  }
}

void
assay_stream_fill_normal (AssayStream *stream, gsize count, double *ret_values)
{
  guint64 words[PAIRS];
  double radius[PAIRS / 2], cosine[PAIRS / 2], sine[PAIRS / 2];

  for (gsize done = 0; done < count; done += PAIRS) {
    const gsize n = MIN (PAIRS, count - done);

    fill_u64 (stream, n + n % 2, words);
    polar_of (words, (n + 1) / 2, radius, cosine, sine);
    for (gsize i = 0; i < (n + 1) / 2; i++)
      radius[i] = sqrt (radius[i]);
    for (gsize i = 0; i < n / 2; i++) {
      ret_values[done + 2 * i] = radius[i] * cosine[i];
      ret_values[done + 2 * i + 1] = radius[i] * sine[i];
    }
    if (n % 2 == 1)
      ret_values[done + n - 1] = radius[n / 2] * cosine[n / 2];
  }
}
