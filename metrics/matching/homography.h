/* Homographies between two pictures of a plane: H maps (x, y) of the first picture to (u, v) of the
 * second, (u w, v w, w)' = H (x, y, 1)' (Hartley and Zisserman 2004, "Multiple view geometry in
 * computer vision", chapter 4). H is 3 x 3, row-major, and means the same at any scale but 0; the
 * ones made here have h[8] = 1, or where that is 0 (the origin is mapped to infinity) unit norm.
 * Coordinates are pixels and have to be finite. */
#pragma once

#include "metrics/matching/consensus.h"

typedef struct {
  double x, y; /* in the first picture */
  double u, v; /* in the second */
} AssayMatch;

/* The direct linear transform on normalised coordinates (section 4.4, algorithm 4.2): least squares
 * of the algebraic error over all matches. FALSE where they do not determine a homography: fewer
 * than 4, or points of one picture that but for one of them are all on a line. */
gboolean assay_homography_fit (const AssayMatch *matches, gsize n, double ret_h[9]);

/* Moves @h to a minimum nearby of the squared distances in the second picture, by at most 20 steps
 * of Levenberg and Marquardt (section 4.2.2 and appendix 6.2): the maximum likelihood estimate
 * where its points alone are off, normally and equally. The sum never grows. FALSE, and @h
 * unchanged, for fewer than 4 matches or where @h takes their centre to infinity. */
gboolean assay_homography_refine (const AssayMatch *matches, gsize n, double h[9]);

/* The homography that most matches agree with (consensus.h). A match agrees where its point of the
 * first picture is mapped to within the threshold of that of the second (forward reprojection
 * error), and is not seen from behind the horizon. Samples of 4 matches with three points near a
 * line, or whose triangles turn the other way in the second picture (a plane seen from behind,
 * section 4.7.1), count as drawn but are not tried. Wrong matches are expected anywhere in the
 * bounding box of the second points.
 *
 * FALSE, without error and with the outputs untouched: there is no consensus. */
gboolean assay_homography_ransac (const AssayRansac *ransac, const AssayMatch *matches, gsize n,
                                  AssayStream *stream, double ret_h[9], gboolean *ret_is_inlier);

/* Gives @h the scale described above. */
void assay_homography_scale (double h[9]);

/* FALSE where the point is mapped to infinity. */
gboolean assay_homography_apply (const double h[9], double x, double y, double *ret_u,
                                 double *ret_v);

/* The mean distance, in pixels of the second picture, between where the two map the centres of the
 * corner pixels of a first picture of @width x @height (DeTone, Malisiewicz and Rabinovich 2018,
 * SuperPoint, section 7.3); infinite where one of them is mapped to infinity. */
double assay_homography_corner_error (const double estimate[9], const double truth[9], gsize width,
                                      gsize height);
