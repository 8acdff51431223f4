/* Counter-based random streams: Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as
 * easy as 1, 2, 3", section 3.3) from Random123.
 *
 * A stream is named, never seeded from a loop index: its 64-bit key is the head of
 * SHA-256("assay-stream/1", seed, trial, role, settings upstream of that role). Each item of work
 * (a secret, a resample) draws from its own substream: the item number is the upper half of the
 * counter. So the numbers of one item depend neither on threads nor on the order of items, and
 * changing an attack never changes a defense's noise. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint32 word[2];
} AssayStreamKey;

/* Words that are computed ahead: those of eight counters at once take no longer than those of two
 * by themselves. */
#define ASSAY_STREAM_BUFFER 32

typedef struct {
  AssayStreamKey key;
  guint64 item;
  guint64 block; /* the next counter value */
  guint32 buffer[ASSAY_STREAM_BUFFER];
  guint left; /* unread words of @buffer */
  double spare; /* second normal of a Box-Muller pair */
  gboolean has_spare;
} AssayStream;

AssayStreamKey assay_stream_key (guint64 seed, guint64 trial, const char *role,
                                 const char *settings);
AssayStream assay_stream (AssayStreamKey key, guint64 item);

/* Fills the buffer, which has been read to its end. */
void assay_stream_refill (AssayStream *stream);

static inline guint32
assay_stream_u32 (AssayStream *stream)
{
  if (G_UNLIKELY (stream->left == 0))
    assay_stream_refill (stream);
  return stream->buffer[ASSAY_STREAM_BUFFER - stream->left--];
}

/* The next @count words, the same as from so many single calls, without a call for each. */
void assay_stream_fill_u32 (AssayStream *stream, gsize count, guint32 *ret_words);
double assay_stream_uniform (AssayStream *stream); /* [0, 1), 53 bits */
double assay_stream_between (AssayStream *stream, double low, double high); /* [low, high) */
double assay_stream_normal (AssayStream *stream); /* mean 0, variance 1 (Box-Muller) */
double assay_stream_exponential (AssayStream *stream); /* mean 1 (inversion) */
double assay_stream_laplace (AssayStream *stream); /* mean 0, scale 1 (inversion) */
double assay_stream_gamma (AssayStream *stream, double shape); /* scale 1 */
/* The next @count of these, the same as from so many single calls, by loops that become vectors. */
void assay_stream_fill_laplace (AssayStream *stream, gsize count, double *ret_values);
/* @count normals that are not those of assay_stream_normal, whose logarithm, sine and cosine are
 * libm's: these are faster, and the same under every C library. */
void assay_stream_fast_normals (AssayStream *stream, gsize count, double *ret_values);

/* Uniform over 0 .. bound - 1 without bias (rejection); bound >= 1. */
guint64 assay_stream_below (AssayStream *stream, guint64 bound);
/* The same for small bounds from 32 bits a try. Of the product of a random word and the bound, the
 * upper half is the number; words whose lower half falls among the 2^32 mod bound smallest are
 * rejected (Lemire 2019, "Fast Random Integer Generation in an Interval"). */
static inline guint32
assay_stream_below_u32 (AssayStream *stream, guint32 bound)
{
  guint64 product = (guint64) assay_stream_u32 (stream) * bound;

  g_assert (bound >= 1);
  if (G_UNLIKELY ((guint32) product < bound)) {
    const guint32 reject = (0 - bound) % bound;

    while ((guint32) product < reject)
      product = (guint64) assay_stream_u32 (stream) * bound;
  }
  return (guint32) (product >> 32);
}

/* A uniformly random order of 0 .. n - 1 (Fisher-Yates). */
void assay_stream_permutation (AssayStream *stream, gsize n, gsize *ret_order);
/* @count distinct numbers of 0 .. n - 1, uniformly and in random order; count <= n. Costs
 * O(count^2) and no memory of n: meant for small counts. */
void assay_stream_choose (AssayStream *stream, gsize n, gsize count, gsize *ret_chosen);
/* The same, but ascending, and in O(n) for any count. */
void assay_stream_sample (AssayStream *stream, gsize n, gsize count, gsize *ret_sample);

G_END_DECLS
