/* The seed behind the choice of public images in mixtures, by trying seeds.
 *
 * For each of the first mixtures every public image has a score, the inner product of both,
 * absolute values where there is a mask (mixture-space.h), whitened where images are small. Its
 * rank becomes the normal number that stands at it, so that of images that a wrong seed draws the
 * scores are normal, of mean 0 and variance 1, whatever the release is; the images that are in a
 * mixture score higher. For each seed, generator and way to draw (known-dealing.h) the sum over
 * images and mixtures is compared with what chance gives (seed_least_score). After 2, 4, 8, ...
 * mixtures those are given up whose sum is below 0, 0.5, 1.25, 2 and 2.5 deviations.
 *
 * Draws begin at the first number after the seed, mixture by mixture in the order of the release.
 * Nothing else may be drawn between but weights: not masks of each mixture, nor crops. Weights
 * themselves are no evidence here. Of more than 4,096 public images, permutations of all of them
 * for each mixture are tried without weights between. */
#pragma once

#include "attacks/generators/known-dealing.h"
#include "attacks/generators/seed-search.h"

typedef struct {
  KnownGenerator generator;
  Dealing dealing;
  guint32 seed;
  double score; /* deviations off chance; 0: nothing was found */
} DrawsFound;

/* Whether the release is of mixtures with public images that the attacker has, and says how many:
 * @ret_shape, k and p. */
gboolean public_draws_shape (const AssayObservation *seen, DealShape *ret_shape);

/* Whether numbers have random signs, or nobody says. */
gboolean public_draws_are_masked (const AssayRelease *release);

gboolean public_draws_search (const SeedRange *range, const DealShape *shape,
                              const AssayObservation *seen, DrawsFound *ret_found, GError **error);

/* The public images of all n mixtures, n x p, by number. NULL with an error. */
gint64 *public_draws_all (const DealShape *shape, const DrawsFound *found, GError **error);

/* Takes the public images @drawn from @inout_rows, mixtures without a mask, and divides by what is
 * left: shares by least squares of differences between neighbouring pixels, of which images have
 * little in common. */
gboolean public_draws_remove (const DealShape *shape, const AssayObservation *seen,
                              const gint64 *drawn, AssayMatrix *inout_rows, GError **error);

/* "seed 7 of numpy.random.seed, public images dealt from a deck; 31 deviations off chance" */
char *public_draws_describe (const DrawsFound *found);
