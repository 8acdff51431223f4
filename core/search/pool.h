/* The k smallest of a stream of candidates, for searches alone (search-engine.h,
 * scan-approximate.c).
 *
 * A candidate is one integer, a key: (bits of the distance, row number). Its order is that of the
 * result, equal distances in row order. */
#pragma once

#include <float.h>
#include <glib.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define NO_KEY G_MAXUINT64 /* larger than any */

typedef struct {
  gint lock;
  gsize n_kept;
  gsize n_fresh;
  guint64 *kept; /* k */
  guint64 *fresh;
  _Atomic guint64 bar; /* the k-th smallest so far; others read it without the lock */
} Pool;

static inline guint64
key_from (float distance, gsize row)
{
  guint32 bits;

  memcpy (&bits, &distance, sizeof bits); /* in the order of the values, as none is negative */
  return (guint64) bits << 32 | row;
}

static inline float
key_distance (guint64 key)
{
  const guint32 bits = (guint32) (key >> 32);
  float distance;

  memcpy (&distance, &bits, sizeof distance);
  return distance;
}

/* No smaller than any square whose root is no larger than the distance of @key. */
static inline float
key_square_bound (guint64 key)
{
  const double distance = key == NO_KEY ? (double) INFINITY : (double) key_distance (key);

  return (float) (distance * distance * (1 + 2 * FLT_EPSILON));
}

static inline void
pool_init (Pool *ret_pool, gsize *kept, guint64 *fresh)
{
  *ret_pool = (Pool){ .kept = kept, .fresh = fresh };
  atomic_init (&ret_pool->bar, NO_KEY);
}

static inline guint64
pool_bar (const Pool *pool)
{
  return atomic_load_explicit (&pool->bar, memory_order_relaxed);
}

/* Takes in @count keys, of which those that do not pass the bar are nothing. @max_fresh is the room
 * of @fresh. */
void pool_add (Pool *pool, const guint64 *keys, gsize count, gsize k, gsize max_fresh);

/* Sorts the @k smallest; their keys become row numbers, and what @score makes of them is written
 * down. */
void pool_finish (Pool *pool, gsize k, float (*score) (guint64 key), float *ret_scores);
