/* Counter-based random streams: Philox4x32-10. */
#include "core/base/rng.h"

#include <math.h>
#include <string.h>

#include "core/base/philox.h"
#include "core/base/vector-math.h"
#include "core/base/vectorise.h"

AssayStreamKey
assay_stream_key (guint64 seed, guint64 trial, const char *role, const char *settings)
{
  g_autofree char *numbers = g_strdup_printf ("%" G_GUINT64_FORMAT "\n%" G_GUINT64_FORMAT "\n",
                                              seed, trial);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const char *parts[] = { "assay-stream/1\n", numbers, role, "\n", settings };
  guint8 digest[32];
  gsize length = sizeof digest;
  AssayStreamKey key;

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    g_checksum_update (checksum, (const guchar *) parts[i], (gssize) strlen (parts[i]));
  g_checksum_get_digest (checksum, digest, &length);
  for (gsize i = 0; i < 2; i++)
    key.word[i] = (guint32) digest[4 * i] | (guint32) digest[4 * i + 1] << 8
                  | (guint32) digest[4 * i + 2] << 16 | (guint32) digest[4 * i + 3] << 24;
  return key;
}

AssayStream
assay_stream (AssayStreamKey key, guint64 item)
{
  return (AssayStream){ .key = key, .item = item };
}

/* @count counters, four words each. */
static void
next_blocks (AssayStream *stream, gsize count, guint32 *ret_words)
{
  assay_philox_fill (stream->key.word, stream->item, stream->block, count, ret_words);
  stream->block += count;
}

void
assay_stream_refill (AssayStream *stream)
{
  next_blocks (stream, ASSAY_STREAM_BUFFER / 4, stream->buffer);
  stream->left = ASSAY_STREAM_BUFFER;
}

void
assay_stream_fill_u32 (AssayStream *stream, gsize count, guint32 *ret_words)
{
  const gsize buffered = MIN (count, stream->left);
  const gsize blocks = (count - buffered) / ASSAY_STREAM_BUFFER * (ASSAY_STREAM_BUFFER / 4);

  memcpy (ret_words, stream->buffer + (ASSAY_STREAM_BUFFER - stream->left),
          buffered * sizeof *ret_words);
  stream->left -= (guint) buffered;
  next_blocks (stream, blocks, ret_words + buffered);
  for (gsize i = buffered + 4 * blocks; i < count; i++)
    ret_words[i] = assay_stream_u32 (stream);
}

static guint64
next_u64 (AssayStream *stream)
{
  const guint64 low = assay_stream_u32 (stream);

  return low | (guint64) assay_stream_u32 (stream) << 32;
}

double
assay_stream_uniform (AssayStream *stream)
{
  return (double) (next_u64 (stream) >> 11) * 0x1p-53;
}

double
assay_stream_between (AssayStream *stream, double low, double high)
{
  return low + (high - low) * assay_stream_uniform (stream);
}

double
assay_stream_normal (AssayStream *stream)
{
  double radius, angle;

  if (stream->has_spare) {
    stream->has_spare = FALSE;
    return stream->spare;
  }
  /* 1 - u lies in (0, 1], so the logarithm is finite. */
  radius = sqrt (-2.0 * log (1.0 - assay_stream_uniform (stream)));
  angle = 2.0 * G_PI * assay_stream_uniform (stream);
  stream->spare = radius * sin (angle);
  stream->has_spare = TRUE;
  return radius * cos (angle);
}

guint64
assay_stream_below (AssayStream *stream, guint64 bound)
{
  /* Reject the 2^64 mod bound smallest words, so that every remainder is equally likely. They are
   * below the bound, as few words are: others need not be divided for it. */
  guint64 word;

  g_assert (bound >= 1);
  do
    word = next_u64 (stream);
  while (word < bound && word < (G_MAXUINT64 - bound + 1) % bound);
  return word % bound;
}

void
assay_stream_permutation (AssayStream *stream, gsize n, gsize *ret_order)
{
  for (gsize i = 0; i < n; i++)
    ret_order[i] = i;
  for (gsize i = n; i > 1; i--) {
    const gsize j = assay_stream_below (stream, i);
    const gsize last = ret_order[i - 1];

    ret_order[i - 1] = ret_order[j];
    ret_order[j] = last;
  }
}

void
assay_stream_choose (AssayStream *stream, gsize n, gsize count, gsize *ret_chosen)
{
  g_assert (count <= n);
  for (gsize i = 0; i < count; i++) {
    gboolean is_new;

    do {
      ret_chosen[i] = assay_stream_below (stream, n);
      is_new = TRUE;
      for (gsize j = 0; j < i; j++)
        if (ret_chosen[j] == ret_chosen[i])
          is_new = FALSE;
    } while (!is_new);
  }
}

/* Each number is taken with the probability that is left for it (Knuth, The Art of Computer
 * Programming, volume 2, section 3.4.2, algorithm S). */
void
assay_stream_sample (AssayStream *stream, gsize n, gsize count, gsize *ret_sample)
{
  gsize taken = 0;

  g_assert (count <= n);
  for (gsize i = 0; taken < count; i++)
    if (assay_stream_below (stream, n - i) < count - taken)
      ret_sample[taken++] = i;
}

/* ---- Many at once ----
 *
 * Laplace by inversion, normal by Box and Muller: loops over words of the stream that become
 * vectors. A single exponential or Laplace number is made by the same functions. */

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

/* Marsaglia and Tsang 2000, "A Simple Method for Generating Gamma Variables"; below shape 1 by
 * their note on u^(1 / shape). */
double
assay_stream_gamma (AssayStream *stream, double shape)
{
  const double boost = shape < 1 ? pow (1 - assay_stream_uniform (stream), 1 / shape) : 1;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt (9 * d);

  for (;;) {
    const double x = assay_stream_normal (stream), root = 1 + c * x;
    const double v = root * root * root, u = 1 - assay_stream_uniform (stream);

    if (root > 0 && log (u) < x * x / 2 + d - d * v + d * log (v))
      return boost * d * v;
  }
}

double
assay_stream_laplace (AssayStream *stream)
{
  guint64 word;

  fill_u64 (stream, 1, &word);
  return laplace_of (word);
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
assay_stream_fast_normals (AssayStream *stream, gsize count, double *ret_values)
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
