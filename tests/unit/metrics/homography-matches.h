/* Random homographies, and matches of which some are right. */
#pragma once

#include "core/base/rng.h"
#include "metrics/matching/homography.h"

enum { WIDTH = 640, HEIGHT = 480, MOST = 2000 };

AssayStream homography_stream (guint64 item);

/* From WIDTH x HEIGHT to a quadrangle whose corners are up to a fifth of the sides away: by the
 * equations of its four corners, which are solved here by Gauss and Jordan. */
void homography_random (AssayStream *stream, double ret_h[9]);

/* By the definition. */
void homography_map (const double h[9], double x, double y, double *ret_u, double *ret_v);

/* The first @n_right of @n matches follow @h up to @noise; the others are anything. */
void homography_matches (AssayStream *stream, const double h[9], gsize n, gsize n_right,
                         double noise, AssayMatch *ret_matches);

gboolean homography_search (const AssayMatch *matches, gsize n, guint64 item, double ret_h[9],
                            gboolean *ret_is_inlier);

double homography_sum_of_squares (const AssayMatch *matches, gsize n, const double h[9]);
