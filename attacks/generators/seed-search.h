/* Seeds and generators, tried one by one on what of a release hints at its random numbers.
 *
 * For each seed and each generator (known-generators.h) the numbers g are made that a program would
 * have drawn, one for each number of the release, row by row, after `offsets` - 1 others at most,
 * and used in each way of the release's kind:
 *   vectors   noise: normal, Laplace or uniform
 *   codes     bits flipped where a uniform number is below p, or above 1 - p. Where p is not known
 *             .03, .1, .25 and .45 are tried: flips of a p between correlate with those of one of
 *             them by .7 or more, and once found they tell p
 *   mixtures  signs: of a uniform number against 1/2, of a normal, or a random bit
 * The best score (seed-evidence.h) is the seed if it is more than chance gives: with T tries, more
 * than sqrt (2 ln (10^9 T)) deviations, which happens once in 10^9 attacks on numbers from
 * elsewhere, and of flips more by as much as their sum is not normal. The first
 * numbers are looked at, and all of them where these show 2.5 deviations. */
#pragma once

#include "attacks/generators/known-generators.h"
#include "attacks/generators/seed-evidence.h"

typedef enum {
  SEED_NORMAL_NOISE,
  SEED_LAPLACE_NOISE,
  SEED_UNIFORM_NOISE,
  SEED_FLIP_BELOW,
  SEED_FLIP_ABOVE,
  SEED_SIGN_OF_UNIFORM,
  SEED_SIGN_OF_NORMAL,
  SEED_SIGN_OF_BIT,
  N_SEED_USES
} SeedUse;

/* What is tried. */
typedef struct {
  guint generator; /* 0: all; else 1 + KnownGenerator */
  guint32 first_seed;
  gsize seeds;
  gsize offsets;
  double flip_probability; /* of codes; 0: not known */
} SeedRange;

typedef struct {
  KnownGenerator generator;
  SeedUse use;
  double flip_probability; /* of codes */
  guint32 seed;
  gsize offset;
  double score; /* deviations off chance; 0: nothing was found */
} SeedFound;

/* Deviations that chance does not reach in @tries, where each number adds @most of them at most, by
 * Bernstein's inequality: of rare flips, whose sum is not normal. 0: it is. */
double seed_least_score (double tries, double most);
/* Generators that @range asks for. */
guint seed_range_generators (const SeedRange *range);

/* ASSAY_ERROR_MEMORY, or the end of a run that was interrupted. */
gboolean seed_search (const SeedRange *range, AssayReleaseKind kind, const SeedEvidence *evidence,
                      SeedFound *ret_found, GError **error);

/* The numbers that stand behind @rows rows of @cols, in their places: noise of mean 0, signs, and
 * of flips 1 - p where a bit is flipped and -p where it is not. NULL with an error. */
AssayMatrix *seed_numbers_behind (const SeedFound *found, gsize rows, gsize cols, GError **error);

/* The p of flips that were found, by what @evidence says of each of its bits: where the sum of its
 * weights less their mean is the largest. */
gboolean seed_estimate_flips (const SeedEvidence *evidence, SeedFound *inout_found, GError **error);

/* "seed 1234 of random.seed (Python), normal noise, from number 0; 19 deviations off chance" */
char *seed_describe (const SeedFound *found);
