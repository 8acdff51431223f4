/* Noisy mirror descent on weights of pairs of nodes. Under L = 1/2 ||W - tau||^2 + lambda ||W -
 * A||^2 every pair goes its own way. */
#pragma once

#include "core/base/rng.h"
#include "defenses/graphs/dmp-settings.h"

typedef struct {
  DmpMirror mirror;
  gsize rounds;
  double step;      /* eta */
  double sigma;     /* of the noise of a round; 0: none */
  double convexity; /* lambda */
} DmpDescent;

/* Makes T steps from @inout_weights, with g = (1 + 2 lambda) W - q + sigma z:
 *   KL         W <- W exp (-clip (eta g, +-20))
 *   Euclidean  W <- W - eta g
 * @motifs are q = tau + 2 lambda A of the @count pairs; z is drawn round by round, one a pair. */
void dmp_descend (const DmpDescent *descent, const double *motifs, gsize count, AssayStream *stream,
                  double *inout_weights);

/* ln (1 + max (0, w)) of all, divided by the largest of them, which is returned; all 0 where that
 * is. */
double dmp_log_normalise (float *inout_weights, gsize count);
