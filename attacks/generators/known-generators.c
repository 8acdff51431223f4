#include "attacks/generators/known-generators.h"

#include <math.h>
#include <string.h>

#include "attacks/generators/mersenne-twister.h"
#include "attacks/generators/pcg64.h"

#define TORCH_BLOCK 16 /* normals that it makes of as many uniform numbers at once */

const char *const known_generator_names[]
    = { "numpy-seed", "numpy-default-rng", "python", "torch", "c-rand", NULL };
const char *const known_generator_calls[] = { "numpy.random.seed",
                                              "numpy.random.default_rng",
                                              "random.seed (Python)",
                                              "torch.manual_seed",
                                              "srand (C)",
                                              NULL };

typedef struct {
  KnownGenerator which;
  MersenneTwister twister;
  Pcg64 pcg;
  struct random_data rand;
  char rand_state[128];
} Generator;

gboolean
known_generator_has (KnownGenerator generator, KnownDraw draw)
{
  return draw != KNOWN_LAPLACE || generator == KNOWN_NUMPY_SEED || generator == KNOWN_NUMPY_RNG;
}

static void
seed_generator (Generator *ret_generator, KnownGenerator which, guint32 seed)
{
  ret_generator->which = which;
  switch (which) {
  case KNOWN_NUMPY_RNG:
    pcg64_seed (&ret_generator->pcg, seed);
    break;
  case KNOWN_PYTHON:
    mersenne_seed_by_array (&ret_generator->twister, seed);
    break;
  case KNOWN_C_RAND:
    memset (&ret_generator->rand, 0, sizeof ret_generator->rand);
    initstate_r (seed, ret_generator->rand_state, sizeof ret_generator->rand_state,
                 &ret_generator->rand);
    break;
  default:
    mersenne_seed (&ret_generator->twister, seed);
  }
}

/* 0 .. RAND_MAX */
static guint32
next_rand (Generator *generator)
{
  int32_t drawn = 0;

  random_r (&generator->rand, &drawn);
  return (guint32) drawn;
}

static double
uniform (Generator *generator)
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

/* A random integer below 2. */
static double
bit (Generator *generator)
{
  guint32 drawn;

  switch (generator->which) {
  case KNOWN_NUMPY_RNG: /* Lemire's method keeps the upper bit */
    return pcg64_next_half (&generator->pcg) >> 31;
  case KNOWN_C_RAND:
    return next_rand (generator) & 1;
  case KNOWN_PYTHON: /* two bits, until they are below 2 */
    do
      drawn = mersenne_next (&generator->twister) >> 30;
    while (drawn > 1);
    return drawn;
  default:
    return mersenne_next (&generator->twister) & 1;
  }
}

static double
laplace (Generator *generator)
{
  double u;

  do
    u = uniform (generator);
  while (!(u > 0));
  return u >= 0.5 ? -log (2 - u - u) : log (u + u);
}

/* Marsaglia's polar method, of which NumPy gives the second number first. */
static void
polar_normals (Generator *generator, double *ret_pair)
{
  double x, y, square, factor;

  do {
    x = 2 * uniform (generator) - 1;
    y = 2 * uniform (generator) - 1;
    square = x * x + y * y;
  } while (square >= 1 || !(square > 0));
  factor = sqrt (-2 * log (square) / square);
  ret_pair[0] = factor * y;
  ret_pair[1] = factor * x;
}

/* Box and Muller's: random.gauss of Python has the angle first, others the radius. */
static void
box_muller_normals (Generator *generator, double *ret_pair)
{
  const double first = uniform (generator), second = uniform (generator);
  const gboolean is_angle_first = generator->which == KNOWN_PYTHON;
  const double angle = 2 * G_PI * (is_angle_first ? first : second);
  const double radius = sqrt (-2 * log (1 - (is_angle_first ? second : first)));

  ret_pair[0] = radius * cos (angle);
  ret_pair[1] = radius * sin (angle);
}

/* Of a block of uniform numbers the first half are radii, the second angles. */
static void
torch_normals (Generator *generator, double *ret_block)
{
  for (gsize i = 0; i < TORCH_BLOCK; i++)
    ret_block[i] = uniform (generator);
  for (gsize i = 0; i < TORCH_BLOCK / 2; i++) {
    const double radius = sqrt (-2 * log (1 - ret_block[i]));
    const double angle = 2 * G_PI * ret_block[i + TORCH_BLOCK / 2];

    ret_block[i] = radius * cos (angle);
    ret_block[i + TORCH_BLOCK / 2] = radius * sin (angle);
  }
}

static void
fill_normals (Generator *generator, gsize count, double *ret_numbers)
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
  Generator generator;

  seed_generator (&generator, which, seed);
  if (draw == KNOWN_NORMAL) {
    fill_normals (&generator, count, ret_numbers);
    return;
  }
  for (gsize i = 0; i < count; i++)
    ret_numbers[i] = draw == KNOWN_BIT       ? bit (&generator)
                     : draw == KNOWN_LAPLACE ? laplace (&generator)
                                             : uniform (&generator);
}
