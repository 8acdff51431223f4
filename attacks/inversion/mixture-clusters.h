/* Which two of n secrets are in each mixture, from an embedding in which mixtures that share a
 * secret are near each other. */
#pragma once

#include "core/data/matrix.h"

/* @embedding (N x r) has rows of length 1.
 *   1. The neighbours of a mixture (those of largest inner products, a fifth of as many as share a
 *      secret with it) share its one secret or its other: split in two along their leading
 *      direction, their two means are candidates for secrets.
 *   2. n candidates are taken in order of density, each the one with most candidates about it that
 *      are about none taken before, and made better by k-means.
 *   3. A mixture is explained by the two centres, with weights of at least 0, in whose span most of
 *      it lies; the centres are fitted to that by least squares, and it is explained again.
 *   4. A secret that got no centre is the leading direction of what is left unexplained: it takes
 *      the place of the centre that is missed least, as long as more is explained so.
 * @ret_pairs and @ret_shares (N x 2): the centres, never equal, and their weights. ret_shares of 0
 * are possible. 2 <= n <= N. */
gboolean mixture_clusters_explain (AssayView embedding, gsize n_secrets, guint32 *ret_pairs,
                                   float *ret_shares, GError **error);
