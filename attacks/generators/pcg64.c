#include "attacks/generators/pcg64.h"

#include <math.h>

#define POOL 4
#define LAYERS 256
#define LAST_LAYER 3.6541528853610088 /* where the tail begins (Marsaglia and Tsang 2000) */

/* ---- Seeds: NumPy's SeedSequence, after O'Neill's seed_seq_fe ---- */

static guint32
hash_word (guint32 value, guint32 multiplier, guint32 *inout_constant)
{
  value ^= *inout_constant;
  *inout_constant *= multiplier;
  value *= *inout_constant;
  return value ^ (value >> 16);
}

static void
fill_pool (guint32 seed, guint32 *ret_pool)
{
  guint32 constant = 0x43b0d7e5u;

  for (guint i = 0; i < POOL; i++)
    ret_pool[i] = hash_word (i == 0 ? seed : 0, 0x931e8875u, &constant);
  for (guint from = 0; from < POOL; from++)
    for (guint to = 0; to < POOL; to++) {
      guint32 mixed;

      if (from == to)
        continue;
      mixed = 0xca01f9ddu * ret_pool[to]
              - 0x4973f715u * hash_word (ret_pool[from], 0x931e8875u, &constant);
      ret_pool[to] = mixed ^ (mixed >> 16);
    }
}

static void
step (Pcg64 *pcg)
{
  const unsigned __int128 multiplier
      = ((unsigned __int128) 0x2360ed051fc65da4u << 64) | 0x4385df649fccf645u;

  pcg->state = pcg->state * multiplier + pcg->increment;
}

void
pcg64_seed (Pcg64 *ret_pcg, guint32 seed)
{
  guint32 pool[POOL], constant = 0x8b51f9ddu;
  unsigned __int128 wide[2] = { 0, 0 }; /* where it starts, and its increment */

  fill_pool (seed, pool);
  for (guint i = 0; i < 2; i++)
    for (guint j = 0; j < 2; j++) {
      const guint64 low = hash_word (pool[2 * j], 0x58f38dedu, &constant);
      const guint64 high = hash_word (pool[2 * j + 1], 0x58f38dedu, &constant);

      wide[i] = (wide[i] << 64) | (high << 32) | low;
    }
  *ret_pcg = (Pcg64){ .increment = (wide[1] << 1) | 1 };
  step (ret_pcg);
  ret_pcg->state += wide[0];
  step (ret_pcg);
}

guint64
pcg64_next (Pcg64 *pcg)
{
  guint64 folded;
  guint turn;

  step (pcg);
  folded = (guint64) (pcg->state >> 64) ^ (guint64) pcg->state;
  turn = (guint) (pcg->state >> 122);
  return (folded >> turn) | (folded << ((64 - turn) & 63));
}

guint32
pcg64_next_half (Pcg64 *pcg)
{
  guint64 whole;

  if (pcg->has_half) {
    pcg->has_half = FALSE;
    return pcg->half;
  }
  whole = pcg64_next (pcg);
  pcg->half = (guint32) (whole >> 32);
  pcg->has_half = TRUE;
  return (guint32) whole;
}

/* ---- Normals ---- */

/* Of layer i: a draw below `inside` is within it, `width` scales a draw, `height` is the density at
 * its edge. */
typedef struct {
  guint64 inside[LAYERS];
  double width[LAYERS];
  double height[LAYERS];
} Ziggurat;

static double
density (double x)
{
  return exp (-0.5 * x * x);
}

static const Ziggurat *
ziggurat (void)
{
  static Ziggurat made;
  static gsize is_made = 0;

  if (g_once_init_enter (&is_made)) {
    const double scale = 0x1p52;
    const double area
        = LAST_LAYER * density (LAST_LAYER) + sqrt (G_PI / 2) * erfc (LAST_LAYER / G_SQRT2);
    const double base = area / density (LAST_LAYER);
    double edge = LAST_LAYER, last = LAST_LAYER;

    made.inside[0] = (guint64) (LAST_LAYER / base * scale);
    made.inside[1] = 0;
    made.width[0] = base / scale;
    made.width[LAYERS - 1] = LAST_LAYER / scale;
    made.height[0] = 1;
    made.height[LAYERS - 1] = density (LAST_LAYER);
    for (guint i = LAYERS - 2; i > 0; i--) {
      edge = sqrt (-2 * log (area / edge + density (edge)));
      made.inside[i + 1] = (guint64) (edge / last * scale);
      last = edge;
      made.height[i] = density (edge);
      made.width[i] = edge / scale;
    }
    g_once_init_leave (&is_made, 1);
  }
  return &made;
}

static double
uniform (Pcg64 *pcg)
{
  return (double) (pcg64_next (pcg) >> 11) * 0x1p-53;
}

double
pcg64_normal (Pcg64 *pcg)
{
  const Ziggurat *layers = ziggurat ();

  for (;;) {
    const guint64 word = pcg64_next (pcg);
    const guint layer = word & 0xff;
    const guint64 drawn = (word >> 9) & 0x000fffffffffffffu;
    const double x = (double) drawn * layers->width[layer];
    const gboolean is_negative = ((word >> 8) & 1) != 0;

    if (drawn < layers->inside[layer])
      return is_negative ? -x : x;
    if (layer == 0) {
      double beyond, height;

      do {
        beyond = -log1p (-uniform (pcg)) / LAST_LAYER;
        height = -log1p (-uniform (pcg));
      } while (height + height <= beyond * beyond);
      return ((drawn >> 8) & 1) != 0 ? -(LAST_LAYER + beyond) : LAST_LAYER + beyond;
    }
    if ((layers->height[layer - 1] - layers->height[layer]) * uniform (pcg) + layers->height[layer]
        < density (x))
      return is_negative ? -x : x;
  }
}
