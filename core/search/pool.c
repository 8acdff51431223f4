/* The k smallest of a stream of candidates: quickselect among the kept and the fresh ones. */
#include "core/search/pool.h"

/* Kept and fresh keys as one array. */
static guint64 *
pool_at (const Pool *pool, gsize i)
{
  return i < pool->n_kept ? pool->kept + i : pool->fresh + (i - pool->n_kept);
}

static void
pool_swap (const Pool *pool, gsize i, gsize j)
{
  guint64 *a = pool_at (pool, i);
  guint64 *b = pool_at (pool, j);
  const guint64 key = *a;

  *a = *b;
  *b = key;
}

static void
pool_insertion_sort (const Pool *pool, gsize low, gsize high)
{
  for (gsize i = low + 1; i <= high; i++) {
    const guint64 key = *pool_at (pool, i);
    gsize j = i;

    for (; j > low && *pool_at (pool, j - 1) > key; j--)
      *pool_at (pool, j) = *pool_at (pool, j - 1);
    *pool_at (pool, j) = key;
  }
}

#define SMALL_RANGE 16
#define SAMPLE 15
#define SAMPLED_RANGE 256

/* Moves to @low a key that will probably end near @place: of evenly spaced ones, brought together
 * there and sorted, the one of that rank. */
static void
pool_choose_pivot (const Pool *pool, gsize low, gsize high, gsize place)
{
  const gsize n = high - low + 1;
  const gsize n_sample = n < SAMPLED_RANGE ? 3 : SAMPLE;

  for (gsize i = 0; i < n_sample; i++)
    pool_swap (pool, low + i, low + i * (n / n_sample) + n / n_sample / 2);
  pool_insertion_sort (pool, low, low + n_sample - 1);
  pool_swap (pool, low, low + (place - low) * n_sample / n);
}

/* Partitions [low, high] about one of its keys and returns where that ends; keys are distinct. No
 * branch depends on a key: half of such branches would be mispredicted. */
static gsize
pool_partition (const Pool *pool, gsize low, gsize high, gsize place)
{
  gsize cut = low + 1;
  guint64 pivot;

  pool_choose_pivot (pool, low, high, place);
  pivot = *pool_at (pool, low);
  for (gsize i = low + 1; i <= high; i++) {
    const gboolean is_below = *pool_at (pool, i) < pivot;

    pool_swap (pool, i, cut);
    cut += is_below;
  }
  pool_swap (pool, low, cut - 1);
  return cut - 1;
}

/* Puts the keys that sorting would put before @place before it, and the one that belongs there
 * at it. */
static void
pool_select (const Pool *pool, gsize low, gsize high, gsize place)
{
  while (high - low >= SMALL_RANGE) {
    const gsize cut = pool_partition (pool, low, high, place);

    if (cut == place)
      return;
    if (cut > place)
      high = cut - 1;
    else
      low = cut + 1;
  }
  pool_insertion_sort (pool, low, high);
}

static void
pool_sort (const Pool *pool, gsize low, gsize high)
{
  while (high - low >= SMALL_RANGE) {
    const gsize cut = pool_partition (pool, low, high, low + (high - low) / 2);

    /* The shorter side by recursion, for a depth of log2 (n) at most; low <= cut <= high. */
    if (cut - low < high - cut) {
      if (cut > low + 1)
        pool_sort (pool, low, cut - 1);
      low = cut + 1;
    } else {
      if (cut + 1 < high)
        pool_sort (pool, cut + 1, high);
      high = MAX (cut, low + 1) - 1;
    }
  }
  pool_insertion_sort (pool, low, high);
}

/* Keeps the smallest of all keys. */
static void
pool_compact (Pool *pool)
{
  if (pool->n_fresh > 0)
    pool_select (pool, 0, pool->n_kept + pool->n_fresh - 1, pool->n_kept - 1);
  pool->n_fresh = 0;
}

void
pool_add (Pool *pool, const guint64 *keys, gsize count, gsize k, gsize max_fresh)
{
  g_bit_lock (&pool->lock, 0);
  for (gsize i = 0; i < count; i++) {
    if (keys[i] >= atomic_load_explicit (&pool->bar, memory_order_relaxed))
      continue;
    if (pool->n_kept < k) {
      pool->kept[pool->n_kept++] = keys[i];
      continue;
    }
    pool->fresh[pool->n_fresh++] = keys[i];
    if (pool->n_fresh == max_fresh) {
      pool_compact (pool);
      atomic_store_explicit (&pool->bar, pool->kept[k - 1], memory_order_relaxed);
    }
  }
  g_bit_unlock (&pool->lock, 0);
}

void
pool_finish (Pool *pool, gsize k, float (*score) (guint64 key), float *ret_scores)
{
  pool_compact (pool);
  pool_sort (pool, 0, k - 1);
  for (gsize i = 0; i < k; i++) {
    ret_scores[i] = score (pool->kept[i]);
    pool->kept[i] &= G_MAXUINT32; /* from here on the row alone, in the result */
  }
}
