/* Where a calibrated camera stood. */
#include "metrics/matching/pose.h"

#include <math.h>
#include <string.h>

#include "metrics/matching/least-squares.h"

/* R X + t */
static void
place (const double pose[12], const double point[3], double ret_p[3])
{
  for (gsize i = 0; i < 3; i++)
    ret_p[i] = pose[3 * i] * point[0] + pose[3 * i + 1] * point[1] + pose[3 * i + 2] * point[2]
               + pose[9 + i];
}

gboolean
pose_project (const PoseLens *lens, const double pose[12], const double point[3], double *ret_x,
              double *ret_y)
{
  double p[3];

  place (pose, point, p);
  if (!(p[2] > 0))
    return FALSE;
  *ret_x = lens->focal * p[0] / p[2] + lens->cx;
  *ret_y = lens->focal * p[1] / p[2] + lens->cy;
  return TRUE;
}

/* ---- Refinement ---- */

/* Unknown are a small rotation w after R, exp ([w]x) R, and the translation: with p = R X + t and
 * q = R X the changes of p are w x q and those of t. */
static double
sum_of_squares (gconstpointer data, const double *pose, double *gram, double *slope)
{
  const PoseMatches *all = data;
  const double f = all->lens->focal;
  double sum = 0;

  for (gsize i = 0; i < all->n; i++) {
    const PoseMatch *m = &all->matches[i];
    double p[3], q[3], rest[2], by[2][6];

    place (pose, m->point, p);
    if (!(p[2] > 0))
      return INFINITY;
    rest[0] = f * p[0] / p[2] + all->lens->cx - m->x;
    rest[1] = f * p[1] / p[2] + all->lens->cy - m->y;
    sum += rest[0] * rest[0] + rest[1] * rest[1];
    if (gram == NULL)
      continue;
    for (gsize k = 0; k < 3; k++)
      q[k] = p[k] - pose[9 + k];
    for (gsize k = 0; k < 2; k++) {
      const double to[3]
          = { k == 0 ? f / p[2] : 0, k == 1 ? f / p[2] : 0, -f * p[k] / (p[2] * p[2]) };

      by[k][0] = q[1] * to[2] - q[2] * to[1]; /* q x to, as to . (w x q) = w . (q x to) */
      by[k][1] = q[2] * to[0] - q[0] * to[2];
      by[k][2] = q[0] * to[1] - q[1] * to[0];
      memcpy (by[k] + 3, to, sizeof to);
      for (gsize j = 0; j < 6; j++) {
        slope[j] += by[k][j] * rest[k];
        for (gsize l = 0; l <= j; l++)
          gram[6 * j + l] += by[k][j] * by[k][l];
      }
    }
  }
  return sum;
}

/* By Rodrigues' formula. */
static void
change_pose (const double *pose, const double *change, double *ret_pose)
{
  const double w[3] = { -change[0], -change[1], -change[2] };
  const double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], angle = sqrt (square);
  const double a = angle > 0 ? sin (angle) / angle : 1;
  const double b = angle > 0 ? 2 * pow (sin (angle / 2) / angle, 2) : 0.5;
  const double skew[9] = { 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0 };
  double turn[9];

  for (gsize i = 0; i < 9; i++) {
    const double outer = w[i / 3] * w[i % 3] - (i / 3 == i % 3 ? square : 0); /* skew squared */

    turn[i] = (i / 3 == i % 3 ? 1 : 0) + a * skew[i] + b * outer;
  }
  for (gsize i = 0; i < 9; i++)
    ret_pose[i] = turn[i / 3 * 3] * pose[i % 3] + turn[i / 3 * 3 + 1] * pose[3 + i % 3]
                  + turn[i / 3 * 3 + 2] * pose[6 + i % 3];
  for (gsize i = 0; i < 3; i++)
    ret_pose[9 + i] = pose[9 + i] - change[3 + i];
}

gboolean
pose_refine (const PoseMatches *matches, double pose[12])
{
  const LeastSquares problem = {
    .data = matches, .unknowns = 6, .numbers = 12, .sum = sum_of_squares, .change = change_pose
  };

  return matches->n >= 3 && least_squares_improve (&problem, pose);
}

/* ---- Search ---- */

static gsize
solve (gconstpointer data, const gsize *chosen, double *ret_models)
{
  const PoseMatches *all = data;
  double directions[3][3], points[3][3];

  for (gsize i = 0; i < 3; i++) {
    const PoseMatch *m = &all->matches[chosen[i]];
    const double x = (m->x - all->lens->cx) / all->lens->focal;
    const double y = (m->y - all->lens->cy) / all->lens->focal;
    const double length = sqrt (x * x + y * y + 1);

    directions[i][0] = x / length;
    directions[i][1] = y / length;
    directions[i][2] = 1 / length;
    memcpy (points[i], m->point, sizeof points[i]);
  }
  return pose_of_three (directions, points, ret_models);
}

static double
match_error (gconstpointer data, const double *pose, gsize match)
{
  const PoseMatches *all = data;
  const PoseMatch *m = &all->matches[match];
  double x, y;

  if (!pose_project (all->lens, pose, m->point, &x, &y))
    return INFINITY;
  return (x - m->x) * (x - m->x) + (y - m->y) * (y - m->y);
}

static double
cost_of (gconstpointer data, const double *pose, double square, double limit)
{
  const PoseMatches *all = data;
  double cost = 0;

  for (gsize i = 0; i < all->n && cost < limit; i++)
    cost += MIN (match_error (data, pose, i), square);
  return cost;
}

static gboolean
refine (gconstpointer data, const gsize *which, gsize n, double *pose)
{
  const PoseMatches *all = data;
  g_autofree PoseMatch *some = g_new (PoseMatch, n);

  for (gsize i = 0; i < n; i++)
    some[i] = all->matches[which[i]];
  return pose_refine (&(const PoseMatches){ all->lens, some, n }, pose);
}

gboolean
pose_ransac (const PoseMatches *matches, const AssayRansac *ransac, AssayStream *stream,
             double ret_pose[12], gboolean *ret_is_inlier)
{
  const PoseLens *lens = matches->lens;
  const double square = ransac->threshold * ransac->threshold;
  const ConsensusProblem problem
      = { .data = matches,
          .n = matches->n,
          .sample = 3,
          .models = 4,
          .numbers = 12,
          .solve = solve,
          .error = match_error,
          .cost = cost_of,
          .fit = refine,
          .refine = refine,
          .chance = MIN (1, G_PI * square / (lens->width * lens->height)) };

  return consensus_find (&problem, ransac, stream, ret_pose, ret_is_inlier);
}

void
pose_difference (const double a[12], const double b[12], double *ret_metres, double *ret_degrees)
{
  double square = 0, trace = 0, skew = 0;
  const double *both[2] = { a, b };
  double stands[2][3], relative[9];

  for (gsize k = 0; k < 2; k++)
    for (gsize i = 0; i < 3; i++) {
      stands[k][i] = 0;
      for (gsize j = 0; j < 3; j++)
        stands[k][i] -= both[k][3 * j + i] * both[k][9 + j];
    }
  for (gsize i = 0; i < 3; i++)
    square += (stands[0][i] - stands[1][i]) * (stands[0][i] - stands[1][i]);
  for (gsize i = 0; i < 9; i++) /* A B' */
    relative[i] = a[i / 3 * 3] * b[i % 3 * 3] + a[i / 3 * 3 + 1] * b[i % 3 * 3 + 1]
                  + a[i / 3 * 3 + 2] * b[i % 3 * 3 + 2];
  trace = relative[0] + relative[4] + relative[8];
  skew = hypot (hypot (relative[7] - relative[5], relative[2] - relative[6]),
                relative[3] - relative[1]);
  *ret_metres = sqrt (square);
  *ret_degrees = atan2 (skew, trace - 1) * 180 / G_PI; /* 2 sin and 2 cos of the angle */
}
