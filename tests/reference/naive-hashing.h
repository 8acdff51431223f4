/* Principal components and spectral hashing as they are defined, for comparison with
 * core/math/principal.c and defenses/codes/sh.c. */
#pragma once

#include "core/data/matrix.h"

G_BEGIN_DECLS

/* Mean (d), and all eigenvalues (d, descending) and eigenvectors (d x d, as rows, the component of
 * largest magnitude positive) of the covariance, by Jacobi's rotations. */
void naive_principal (AssayView rows, double *ret_mean, double *ret_values, double *ret_vectors);

/* What spectral hashing of @bits bits cuts at 0, of every row (n x bits), in the form of the
 * authors' program: a table of modes, of which each bit is a product of sines over components. */
double *naive_spectral_margins (AssayView rows, gsize bits);

G_END_DECLS
