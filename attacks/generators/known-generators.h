/* Generators that programs commonly draw from, and the numbers that each gives after it was seeded
 * with one integer, in the order in which a program gets them. For an attack that tries seeds
 * (weak-seed.c): nothing of Assay draws from them. */
#pragma once

#include <stdlib.h>

#include <glib.h>

#include "attacks/generators/mersenne-twister.h"
#include "attacks/generators/pcg64.h"

typedef enum {
  KNOWN_NUMPY_SEED, /* numpy.random.seed (s): MT19937 */
  KNOWN_NUMPY_RNG,  /* numpy.random.default_rng (s): PCG64 behind a SeedSequence */
  KNOWN_PYTHON,     /* random.seed (s): MT19937 by an array of one key */
  KNOWN_TORCH,      /* torch.manual_seed (s), on a CPU: MT19937 */
  KNOWN_C_RAND,     /* srand (s) of the GNU C library */
  N_KNOWN_GENERATORS
} KnownGenerator;

typedef enum {
  KNOWN_UNIFORM, /* in [0, 1) */
  KNOWN_NORMAL,  /* standard */
  KNOWN_LAPLACE, /* of scale 1 */
  KNOWN_BIT,     /* 0 or 1: a random integer below 2 */
  N_KNOWN_DRAWS
} KnownDraw;

extern const char *const known_generator_names[]; /* NULL ends */
extern const char *const known_generator_calls[]; /* what a program calls: "random.seed (Python)" */

/* One of them while it draws. A copy goes on by itself, but of KNOWN_C_RAND. */
typedef struct {
  KnownGenerator which;
  MersenneTwister twister;
  Pcg64 pcg;
  struct random_data rand;
  char rand_state[128];
  gboolean has_normal; /* the second of a pair, which the next call gives */
  double normal;
} KnownState;

void known_generator_seed (KnownState *ret_state, KnownGenerator which, guint32 seed);
double known_generator_uniform (KnownState *state);
/* A random integer below @n, 1 or more: numpy.random.randint, Generator.integers, random.randrange,
 * torch.randint, rand () % n. */
guint32 known_generator_below (KnownState *state, guint32 n);
/* The same where it is a place that a shuffle draws: Generator.permutation draws it otherwise. */
guint32 known_generator_place (KnownState *state, guint32 n);
/* One normal number; not of KNOWN_TORCH, which makes them in blocks. */
double known_generator_normal (KnownState *state);

/* Whether programs draw such numbers from it by a function of its own, or as everybody would. */
gboolean known_generator_has (KnownGenerator generator, KnownDraw draw);

/* The first @count numbers after @seed. Of torch's normals the last count % 16 would differ in a
 * tensor that ends there. Any thread. */
void known_generator_fill (KnownGenerator generator, KnownDraw draw, guint32 seed, gsize count,
                           double *ret_numbers);
