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

typedef struct {
  AssayStreamKey key;
  guint64 item;
  guint64 block; /* the next counter value */
  guint32 buffer[4];
  guint left; /* unread words of @buffer */
  double spare; /* second normal of a Box-Muller pair */
  gboolean has_spare;
} AssayStream;

AssayStreamKey assay_stream_key (guint64 seed, guint64 trial, const char *role,
                                 const char *settings);
AssayStream assay_stream (AssayStreamKey key, guint64 item);

guint32 assay_stream_u32 (AssayStream *stream);
double assay_stream_uniform (AssayStream *stream); /* [0, 1), 53 bits */
double assay_stream_between (AssayStream *stream, double low, double high); /* [low, high) */
double assay_stream_normal (AssayStream *stream); /* mean 0, variance 1 (Box-Muller) */
/* Uniform over 0 .. bound - 1 without bias (rejection); bound >= 1. */
guint64 assay_stream_below (AssayStream *stream, guint64 bound);
/* A uniformly random order of 0 .. n - 1 (Fisher-Yates). */
void assay_stream_permutation (AssayStream *stream, gsize n, gsize *ret_order);
/* @count distinct numbers of 0 .. n - 1, uniformly and in random order; count <= n. Costs
 * O(count^2) and no memory of n: meant for small counts. */
void assay_stream_choose (AssayStream *stream, gsize n, gsize count, gsize *ret_chosen);

G_END_DECLS
