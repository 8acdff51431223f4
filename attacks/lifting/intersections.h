/* Which affine subspaces of a release meet each other (LDP-FEAT, Pittaluga and Zhuang 2023, section
 * 4.2, step 4): two that were lifted with the same database descriptor both hold it.
 *
 * With P the projector onto span (B_D) + span (B_Q),
 *   dist (D, Q) = ||(I - P)(t_D - t_Q)||.
 * When two descriptors are shared, their difference lies in both spans, the stack [B_D; B_Q] is
 * singular, and P is that of its numerical rank. */
#pragma once

#include "core/data/exchange.h"

/* The subspaces in double: a basis that is orthonormal to double precision (that of a release is to
 * float32 only, which would cost distances half of their digits), and t', the point nearest to the
 * origin. */
typedef struct {
  gsize count;
  gsize dimension;
  gsize cols;
  double *stack;   /* n x (m + 1) x d: t', then the basis */
  double *lengths; /* n: of t as it was released */
} Frames;

/* ASSAY_ERROR_MISMATCH where 2m >= d: any two subspaces then meet, and it tells nothing. */
Frames *frames_new (const AssaySubspaces *subspaces, GError **error);
ASSAY_DECLARE_FREE (Frames, frames_free)

/* dist (a, b). The rank of the stack is cut where a direction of b has a sine of @factor times what
 * float32 makes of 0 or less (frames_rounding_sine). */
double frames_distance (const Frames *frames, gsize a, gsize b, double factor);

/* How far apart two subspaces of a release may be that share a point of @length (L2 norm), and how
 * large the sine between them of a direction that they share, because both were rounded to
 * float32. */
double frames_rounding (const Frames *frames, gsize a, gsize b, double length);
double frames_rounding_sine (const Frames *frames);

/* dist (point, subspace @index), @point of d. */
double frames_point_distance (const Frames *frames, gsize index, const float *point);

/* For each of the n subspaces those of the first @n_others that it meets, itself left out, in
 * ascending order: dist <= @factor x frames_rounding, where shared points are no longer than
 * @lengths[i] (n). An array of n arrays of gsize; does not depend on the number of threads. */
GPtrArray *frames_find_intersections (const Frames *frames, gsize n_others, const double *lengths,
                                      double factor, GError **error);
