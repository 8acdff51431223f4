/* All secrets of mixtures of secrets alone, from rough estimates of them: coefficients and images
 * by turns, least squares in both.
 *
 * Mixtures Y = A X, N x d of n secrets, each row of A from 0 up with sum 1 and a few entries that
 * are not 0. What an average of the mixtures of one secret has left of the others is what they are
 * estimated to be themselves, so that a better estimate of each makes the others better:
 *   a_t = argmin ||y_t - sum_j a_tj x_j||^2,  a_tj >= 0,  sum_j a_tj = 1
 *         (accelerated projected gradients, Beck and Teboulle 2009, on the n x n Gram matrix);
 *   X   = argmin ||Y - A X||^2 + r ||X - X_before||^2,  within what pixels can be,
 * with r a fiftieth of the mean diagonal of A'A: fewer mixtures than secrets leave the rest as it
 * was. Many simplices may hold all mixtures; bounds on pixels that images reach make the secrets'
 * the one that is found (tests/unit/attacks/test-joint-averages.c).
 *
 * Cost: N n (6 d + 60 (2 n + 20)) operations a round. Memory: 4 N n + 16 n^2 + 12 n d bytes, and
 * 256 N a thread. The same to the bit for any number of threads. */
#pragma once

#include "core/plugin/plugin.h"

/* Improves @inout_estimates (n x d) @rounds times by the @mixtures (N x d), both of which may have
 * any mean. Pixels are kept from @black to @white unless these are equal. */
gboolean joint_averages (AssayView mixtures, gsize rounds, double black, double white,
                         AssayMatrix *inout_estimates, GError **error);
