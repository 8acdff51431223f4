/* Mixtures as short vectors whose inner products tell whether they share a secret. */
#pragma once

#include "core/base/rng.h"
#include "core/data/matrix.h"

/* The features F (N x d) and @precision, P, the inverse covariance that mixtures of public images
 * have (d x d). Their cosines are C = D F P F' D, D_i = <f_i, P f_i>^-1/2: what most images have in
 * common counts little in them. The @count leading eigenvectors of C, each times the root of its
 * eigenvalue, and rows scaled to length 1: N x count. C itself is never formed; they are found by
 * subspace iteration with @key's random start number @start (Halko, Martinsson and Tropp 2011,
 * "Finding Structure with Randomness", algorithm 4.4), at 4 N d count + 2 d^2 count operations a
 * step, and 2 N d^2 for D. */
AssayMatrix *mixture_embedding (AssayView features, AssayView precision, gsize count,
                                AssayStreamKey key, guint64 start, GError **error);
