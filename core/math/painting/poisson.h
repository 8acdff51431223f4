/* Pictures of which levels and differences are wanted (Poisson blending): the least of
 *
 *   sum of anchor_p (f_p - c_p)^2 + sum over neighbours p, q of edge_pq (f_q - f_p - g_pq)^2. */
#pragma once

#include "core/base/free.h"

typedef struct _AssayPoisson AssayPoisson;

/* Of each pixel, row by row, and of its edges to the next ones; 0 at the last pixel of a line. */
typedef struct {
  double *anchor;
  double *right, *down;
} AssayPoissonWeights;

AssayPoisson *assay_poisson_new (gsize width, gsize height, GError **error);
ASSAY_DECLARE_FREE (AssayPoisson, assay_poisson_free)

/* To be set before it is solved; 0 at first. */
AssayPoissonWeights assay_poisson_weights (AssayPoisson *poisson);

/* Solves A f = b, A f being half of the gradient of the form: @inout_f has a first guess, @inout_b
 * is used up. Both have width x height numbers. */
void assay_poisson_solve (AssayPoisson *poisson, double *inout_f, double *inout_b);
