/* Distances between many affine subspaces of two sets, points among them: what matching of lifted
 * descriptors is made of (Dusmanu et al. 2021; LDP-FEAT, Pittaluga and Zhuang 2023, section 3).
 *
 * With P the projector onto span (B_D) + span (B_Q),
 *   dist (D, Q) = ||(I - P)(t_D - t_Q)||,
 * of a point w to D ||(w - t) - B'B (w - t)||, of two points the L2 distance. All in double. */
#pragma once

#include "core/data/exchange.h"

/* Affine subspaces ready for this: a basis that is orthonormal to double precision (that of a
 * release is to float32 only), and t', the point nearest to the origin. */
typedef struct {
  gsize count;     /* n */
  gsize dimension; /* m; 0: points */
  gsize cols;      /* d */
  double *stack;   /* n x (m + 1) x d: t', then the basis */
  double *squares; /* n: ||t'||^2 */
} AssayFlats;

/* The @count ones of @subspaces that @index numbers, in that order; NULL: its first @count. */
AssayFlats *assay_flats_new (const AssaySubspaces *subspaces, const gsize *index, gsize count,
                             GError **error);
ASSAY_DECLARE_FREE (AssayFlats, assay_flats_free)

/* A rectangle of pairs: @a with @b, @count_a x @count_b of them from the first ones on. */
typedef struct {
  const AssayFlats *a, *b; /* of as many columns */
  gsize first_a, count_a;
  gsize first_b, count_b;
} AssayFlatPairs;

/* dist^2 of each of the pairs, count_a x count_b, never negative. @room: scratch of
 * assay_flats_room () numbers. A direction whose sine to the other's span is below 1e-5 counts as
 * one of that span: what float32 leaves of one that two released subspaces share is well under. */
void assay_flats_squares (const AssayFlatPairs *pairs, double *room, double *ret_squares);
gsize assay_flats_room (const AssayFlatPairs *pairs);

/* Bytes that @count of them hold. */
double assay_flats_memory (gsize count, gsize dimension, gsize cols);
