/* A case of known outcome that has the shape of a cell: as many pixels, images in a mixture,
 * mixtures of each secret and secrets. What an attack does not find in it, it could not have found
 * in the cell either. */
#pragma once

#include "core/plugin/plugin.h"

/* The most mixtures of such a case: those of the challenge of Huang et al. 2020. */
#define MIXTURE_LIKENESS_MOST 5000

/* What the attack takes the release to be, where the release does not say it itself. */
typedef struct {
  gsize k;         /* images in a mixture */
  gsize n_secrets; /* n */
  double max_coefficient;
} MixtureLikeness;

/* The secrets are images of the public set (AssayObservation.public_rows), as they are, drawn anew
 * for each case, and the others of the set stay public. They are mixed as the release says that it
 * was: T = N / n mixtures of each, k images in a mixture of which `partners` are public, uniform
 * coefficients with its bounds, a random sign for every number unless it says that there is none.
 * Where the release has labels each secret is given one of the classes. What a release does not
 * say, crops or noise, the case has not.
 *
 * n is smaller than the cell's, and all else the same, where it would be more than a quarter of
 * the public set, or all would be more than MIXTURE_LIKENESS_MOST mixtures. Fewer than two secrets,
 * or than k images in all: no case is made (@ret_case keeps no release). */
gboolean mixture_likeness_make (const MixtureLikeness *like, AssayStreamKey key,
                                const AssayObservation *seen, AssayControlCase *ret_case,
                                GError **error);
