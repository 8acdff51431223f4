/* Where a calibrated camera stood, from matches of its pixels with points in space (Hartley and
 * Zisserman 2004, "Multiple view geometry in computer vision", chapters 6 and 7).
 *
 * A pose is 12 numbers, R (3 x 3, row-major, a rotation) and t: the point X is at p = R X + t
 * before the camera, which looks along the third axis, and its pixel is (f p_x / p_z + c_x, f
 * p_y / p_z + c_y) where p_z > 0. The camera stands at -R't. */
#pragma once

#include "metrics/matching/consensus.h"

typedef struct {
  double focal;  /* pixels */
  double cx, cy; /* pixels */
  double width, height;
} PoseLens;

typedef struct {
  double x, y;     /* pixels */
  double point[3]; /* metres */
} PoseMatch;

typedef struct {
  const PoseLens *lens;
  const PoseMatch *matches;
  gsize n;
} PoseMatches;

/* The pixel of a point; FALSE where it is not before the camera. */
gboolean pose_project (const PoseLens *lens, const double pose[12], const double point[3],
                       double *ret_x, double *ret_y);

/* The poses, at most 4, from which three points are seen in three directions of unit length: up to
 * rounding, all of them (P3P; the form of Persson and Nordberg 2018, "Lambda Twist"). Returns how
 * many; none for points on a line. */
gsize pose_of_three (const double directions[3][3], const double points[3][3],
                     double ret_poses[4 * 12]);

/* Moves @pose to a minimum nearby of the squared distances in pixels; the sum never grows. FALSE,
 * and @pose unchanged, for fewer than 3 matches or points that are not before the camera. */
gboolean pose_refine (const PoseMatches *matches, double pose[12]);

/* The pose that most matches agree with (consensus.h), by samples of three. Wrong matches are
 * expected anywhere in the picture. FALSE, with the outputs untouched: there is no consensus. */
gboolean pose_ransac (const PoseMatches *matches, const AssayRansac *ransac, AssayStream *stream,
                      double ret_pose[12], gboolean *ret_is_inlier);

/* How far apart two cameras stand, and the angle between their directions, in degrees. */
void pose_difference (const double a[12], const double b[12], double *ret_metres,
                      double *ret_degrees);
