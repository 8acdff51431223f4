/* The omega-subset sampler. */
#include "defenses/mechanisms/subset-sampler.h"

#include <math.h>

#include "defenses/mechanisms/coin.h"

void
subset_inclusion (const SubsetSampler *sampler, double *ret_in, double *ret_out)
{
  const double k = (double) sampler->dictionary, m = (double) sampler->members;
  const double weight = m * exp (sampler->epsilon);

  *ret_in = weight / (weight + k - m);
  *ret_out = (k - m) / (weight + k - m);
}

/* @count distinct numbers below @n, in random order, by drawing again what is there already. */
static inline void
draw_by_rejection (AssayStream *stream, guint32 n, gsize count, float *ret_numbers)
{
  for (gsize i = 0; i < count;) {
    const float number = (float) assay_stream_below_u32 (stream, n);
    gboolean is_new = TRUE;

    for (gsize j = 0; j < i; j++)
      is_new &= ret_numbers[j] != number;
    ret_numbers[i] = number;
    i += is_new;
  }
}

/* The same as the first places of a shuffle of @numbers, which hold each number below @n once.
 * Whatever order they come in, the one they are left in serves for the next draw. */
static void
draw_by_shuffle (AssayStream *stream, guint32 *numbers, guint32 n, gsize count, float *ret_numbers)
{
  for (guint32 i = 0; i < count; i++) {
    const guint32 place = i + assay_stream_below_u32 (stream, n - i);
    const guint32 number = numbers[place];

    numbers[place] = numbers[i];
    numbers[i] = number;
    ret_numbers[i] = (float) number;
  }
}

/* Sets up to which drawing again is never slow: most draws of so few are new. */
#define SMALL_SET 64

/* 0 .. n - 1 for draw_by_shuffle; NULL where rejection, of about count^2 / 2 steps a set, costs
 * less than writing them down. */
static guint32 *
numbers_to_shuffle (guint32 n, gsize count, gsize n_sets)
{
  const gsize steps = count * count / 2;
  guint32 *numbers;

  if (steps < n && (count <= SMALL_SET || n_sets <= n / steps))
    return NULL;
  numbers = g_new (guint32, n);
  for (guint32 i = 0; i < n; i++)
    numbers[i] = i;
  return numbers;
}

void
subset_sample (const SubsetSampler *sampler, AssayStream *stream, float value, gsize count,
               float *ret_sets)
{
  const gsize m = sampler->members;
  const guint32 others = (guint32) sampler->dictionary - 1;
  g_autofree guint32 *numbers = numbers_to_shuffle (others, m, count);
  double in, out;
  Coin coin;

  subset_inclusion (sampler, &in, &out);
  coin = coin_new (in, out);
  for (gsize i = 0; i < count; i++) {
    float *set = ret_sets + i * m;
    const gboolean is_in = coin_is_heads (&coin, assay_stream_u32 (stream), stream);
    const gsize n_drawn = is_in ? m - 1 : m;

    if (numbers != NULL)
      draw_by_shuffle (stream, numbers, others, n_drawn, set);
    else
      draw_by_rejection (stream, others, n_drawn, set);
    /* The others are numbered without the secret. */
    for (gsize j = 0; j < n_drawn; j++)
      set[j] += set[j] >= value ? 1 : 0;
    if (is_in) {
      const gsize place = assay_stream_below_u32 (stream, (guint32) m);

      set[m - 1] = set[place];
      set[place] = value;
    }
  }
}
