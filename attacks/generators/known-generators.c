#include "attacks/generators/known-generators.h"

#include <math.h>
#include <string.h>

#define TORCH_BLOCK 16 /* normals that it makes of as many uniform numbers at once */

const char *const known_generator_names[]
    = { "numpy-seed", "numpy-default-rng", "python", "torch", "c-rand", NULL };
const char *const known_generator_calls[] = { "numpy.random.seed",
                                              "numpy.random.default_rng",
                                              "random.seed (Python)",
                                              "torch.manual_seed",
                                              "srand (C)",
                                              NULL };

gboolean
known_generator_has (KnownGenerator generator, KnownDraw draw)
{
  return draw != KNOWN_LAPLACE || generator == KNOWN_NUMPY_SEED || generator == KNOWN_NUMPY_RNG;
}

void
known_generator_seed (KnownState *ret_state, KnownGenerator which, guint32 seed)
{
  ret_state->which = which;
  ret_state->has_normal = FALSE;
  switch (which) {
  case KNOWN_NUMPY_RNG:
    pcg64_seed (&ret_state->pcg, seed);
    break;
  case KNOWN_PYTHON:
    mersenne_seed_by_array (&ret_state->twister, seed);
    break;
  case KNOWN_C_RAND:
    memset (&ret_state->rand, 0, sizeof ret_state->rand);
    initstate_r (seed, ret_state->rand_state, sizeof ret_state->rand_state, &ret_state->rand);
    break;
  default:
    mersenne_seed (&ret_state->twister, seed);
  }
}

/* 0 .. RAND_MAX */
static guint32
next_rand (KnownState *generator)
{
  int32_t drawn = 0;

  random_r (&generator->rand, &drawn);
  return (guint32) drawn;
}

double
known_generator_uniform (KnownState *generator)
{
  guint32 high, low;

  switch (generator->which) {
  case KNOWN_NUMPY_RNG:
    return (double) (pcg64_next (&generator->pcg) >> 11) * 0x1p-53;
  case KNOWN_TORCH:
    return (double) (mersenne_next (&generator->twister) & 0xffffff) * 0x1p-24;
  case KNOWN_C_RAND:
    return next_rand (generator) / (RAND_MAX + 1.0);
  default:
    high = mersenne_next (&generator->twister) >> 5;
    low = mersenne_next (&generator->twister) >> 6;
    return (high * 0x1p26 + low) * 0x1p-53;
  }
}

/* NumPy's of its newer generators: Lemire's method on 32 bits. */
static guint32
below_by_product (KnownState *generator, guint32 n)
{
  const guint32 least = -n % n;
  guint64 product;

  do
    product = (guint64) pcg64_next_half (&generator->pcg) * n;
  while ((guint32) product < least);
  return (guint32) (product >> 32);
}

/* The lower bits of NumPy's numbers, and the upper ones of Python's, until they are below @n. Of
 * one bit Python draws two: 2 has two binary digits. */
static guint32
below_by_bits (KnownState *generator, guint32 n)
{
  const guint bits = (guint) g_bit_storage (generator->which == KNOWN_PYTHON ? n : n - 1);
  guint32 drawn;

  do {
    drawn = generator->which == KNOWN_NUMPY_RNG ? pcg64_next_half (&generator->pcg)
                                                : mersenne_next (&generator->twister);
    drawn = generator->which == KNOWN_PYTHON ? drawn >> (32 - bits)
                                             : drawn & (guint32) ((1ull << bits) - 1);
  } while (drawn >= n);
  return drawn;
}

guint32
known_generator_below (KnownState *generator, guint32 n)
{
  switch (generator->which) {
  case KNOWN_NUMPY_RNG:
    return n > 1 ? below_by_product (generator, n) : 0;
  case KNOWN_TORCH:
    return mersenne_next (&generator->twister) % n;
  case KNOWN_C_RAND:
    return next_rand (generator) % n;
  default:
    return n > 1 || generator->which == KNOWN_PYTHON ? below_by_bits (generator, n) : 0;
  }
}

guint32
known_generator_place (KnownState *generator, guint32 n)
{
  return generator->which == KNOWN_NUMPY_RNG && n > 1 ? below_by_bits (generator, n)
                                                      : known_generator_below (generator, n);
}

static double
laplace (KnownState *generator)
{
  double u;

  do
    u = known_generator_uniform (generator);
  while (!(u > 0));
  return u >= 0.5 ? -log (2 - u - u) : log (u + u);
}

/* Marsaglia's polar method, of which NumPy gives the second number first. */
static void
polar_normals (KnownState *generator, double *ret_pair)
{
  double x, y, square, factor;

  do {
    x = 2 * known_generator_uniform (generator) - 1;
    y = 2 * known_generator_uniform (generator) - 1;
    square = x * x + y * y;
  } while (square >= 1 || !(square > 0));
  factor = sqrt (-2 * log (square) / square);
  ret_pair[0] = factor * y;
  ret_pair[1] = factor * x;
}

/* Box and Muller's: random.gauss of Python has the angle first, others the radius. */
static void
box_muller_normals (KnownState *generator, double *ret_pair)
{
  const double first = known_generator_uniform (generator),
               second = known_generator_uniform (generator);
  const gboolean is_angle_first = generator->which == KNOWN_PYTHON;
  const double angle = 2 * G_PI * (is_angle_first ? first : second);
  const double radius = sqrt (-2 * log (1 - (is_angle_first ? second : first)));

  ret_pair[0] = radius * cos (angle);
  ret_pair[1] = radius * sin (angle);
}

/* Of a block of uniform numbers the first half are radii, the second angles. */
static void
torch_normals (KnownState *generator, double *ret_block)
{
  for (gsize i = 0; i < TORCH_BLOCK; i++)
    ret_block[i] = known_generator_uniform (generator);
  for (gsize i = 0; i < TORCH_BLOCK / 2; i++) {
    const double radius = sqrt (-2 * log (1 - ret_block[i]));
    const double angle = 2 * G_PI * ret_block[i + TORCH_BLOCK / 2];

    ret_block[i] = radius * cos (angle);
    ret_block[i + TORCH_BLOCK / 2] = radius * sin (angle);
  }
}

double
known_generator_normal (KnownState *generator)
{
  double pair[2];

  if (generator->which == KNOWN_NUMPY_RNG)
    return pcg64_normal (&generator->pcg);
  generator->has_normal = !generator->has_normal;
  if (!generator->has_normal)
    return generator->normal;
  if (generator->which == KNOWN_NUMPY_SEED)
    polar_normals (generator, pair);
  else
    box_muller_normals (generator, pair);
  generator->normal = pair[1];
  return pair[0];
}

static void
fill_normals (KnownState *generator, gsize count, double *ret_numbers)
{
  const gsize size = generator->which == KNOWN_TORCH ? TORCH_BLOCK : 2;
  double block[TORCH_BLOCK];

  for (gsize done = 0; done < count; done += size) {
    if (generator->which == KNOWN_NUMPY_RNG)
      for (gsize i = 0; i < size; i++)
        block[i] = pcg64_normal (&generator->pcg);
    else if (generator->which == KNOWN_TORCH)
      torch_normals (generator, block);
    else if (generator->which == KNOWN_NUMPY_SEED)
      polar_normals (generator, block);
    else
      box_muller_normals (generator, block);
    memcpy (ret_numbers + done, block, MIN (size, count - done) * sizeof (double));
  }
}

void
known_generator_fill (KnownGenerator which, KnownDraw draw, guint32 seed, gsize count,
                      double *ret_numbers)
{
  KnownState generator;

  known_generator_seed (&generator, which, seed);
  if (draw == KNOWN_NORMAL) {
    fill_normals (&generator, count, ret_numbers);
    return;
  }
  for (gsize i = 0; i < count; i++)
    ret_numbers[i] = draw == KNOWN_BIT       ? known_generator_below (&generator, 2)
                     : draw == KNOWN_LAPLACE ? laplace (&generator)
                                             : known_generator_uniform (&generator);
}
