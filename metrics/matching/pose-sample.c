/* P3P: poses from three points (Persson and Nordberg 2018, "Lambda Twist: an accurate fast robust
 * perspective three point (P3P) solver").
 *
 * The depths l_i of points x_i in the directions y_i satisfy ||l_i y_i - l_j y_j||^2 = a_ij =
 * ||x_i - x_j||^2, or l'M_ij l = a_ij. Two homogeneous equations follow, l'D1 l = l'D2 l = 0
 * with D1 = a_23 M_12 - a_12 M_23 and D2 = a_23 M_13 - a_13 M_23. A member D0 of their pencil is
 * singular (a cubic); it is a pair of planes, and each of these meets the other cone in two
 * lines at most. Both are found here by a basis of the plane, which knows no special case; the
 * depths are then polished by Newton's method on the three equations. */
#include "core/math/linalg.h"
#include "metrics/matching/pose.h"

#include <math.h>
#include <string.h>

#define NEWTON_STEPS 3
#define NEGLIGIBLE 1e-12

static const gsize pair_of[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };

typedef struct {
  double squares[3]; /* a_12, a_13, a_23 */
  double cosines[3]; /* between the directions */
} Triangle;

static double
dot (const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void
cross (const double *a, const double *b, double *ret_c)
{
  ret_c[0] = a[1] * b[2] - a[2] * b[1];
  ret_c[1] = a[2] * b[0] - a[0] * b[2];
  ret_c[2] = a[0] * b[1] - a[1] * b[0];
}

static double
determinant (const double m[9])
{
  double c[3];

  cross (m + 3, m + 6, c);
  return dot (m, c);
}

/* a'M b */
static double
form (const double *a, const double m[9], const double *b)
{
  return a[0] * dot (m, b) + a[1] * dot (m + 3, b) + a[2] * dot (m + 6, b);
}

/* M_ij for a pair of points. */
static void
distance_form (const Triangle *triangle, gsize pair, double ret_m[9])
{
  const gsize i = pair_of[pair][0], j = pair_of[pair][1];

  memset (ret_m, 0, 9 * sizeof (double));
  ret_m[3 * i + i] = ret_m[3 * j + j] = 1;
  ret_m[3 * i + j] = ret_m[3 * j + i] = -triangle->cosines[pair];
}

/* A real root of c3 x^3 + c2 x^2 + c1 x + c0, c3 not 0: by bisection between bounds that hold all
 * roots (Cauchy), and Newton's steps at the end. */
static double
cubic_root (const double c[4])
{
  const double a = c[2] / c[3], b = c[1] / c[3], d = c[0] / c[3];
  double high = 1 + MAX (MAX (fabs (a), fabs (b)), fabs (d)), low = -high, x = 0;

  for (gsize i = 0; i < 200 && high - low > 1e-15 * MAX (fabs (low), fabs (high)); i++) {
    x = 0.5 * (low + high);
    if (((x + a) * x + b) * x + d > 0)
      high = x;
    else
      low = x;
  }
  return 0.5 * (low + high);
}

/* A singular member of the pencil of @d1 and @d2, and the one of them that it is less like. */
static void
singular_member (const double d1[9], const double d2[9], double ret_d0[9], const double **ret_other)
{
  const double first = determinant (d1), second = determinant (d2);
  const gboolean is_swapped = fabs (first) > fabs (second);
  const double *a = is_swapped ? d2 : d1, *b = is_swapped ? d1 : d2; /* det (a + g b) = 0 */
  double c[4] = { is_swapped ? second : first, 0, 0, is_swapped ? first : second }, gamma = 0;

  for (gsize i = 0; i < 3; i++) {
    double adjoint[3];

    cross (a + 3 * ((i + 1) % 3), a + 3 * ((i + 2) % 3), adjoint);
    c[1] += dot (b + 3 * i, adjoint);
    cross (b + 3 * ((i + 1) % 3), b + 3 * ((i + 2) % 3), adjoint);
    c[2] += dot (a + 3 * i, adjoint);
  }
  if (c[3] != 0)
    gamma = cubic_root (c);
  for (gsize i = 0; i < 9; i++)
    ret_d0[i] = a[i] + gamma * b[i];
  *ret_other = fabs (gamma) > 1 ? a : b;
}

/* The lines in which the plane across @normal meets the cone l'D l = 0: at most two. */
static gsize
lines_of_plane (const double normal[3], const double d[9], double ret_lines[2][3])
{
  const gsize least = fabs (normal[0]) < fabs (normal[1])
                          ? (fabs (normal[0]) < fabs (normal[2]) ? 0 : 2)
                          : (fabs (normal[1]) < fabs (normal[2]) ? 1 : 2);
  double axis[3] = { 0 }, p[3], q[3], pp, pq, qq, root, half;
  gsize n = 0;

  axis[least] = 1;
  cross (normal, axis, p);
  cross (normal, p, q);
  half = sqrt (dot (q, q) / dot (p, p));
  for (gsize i = 0; i < 3; i++)
    p[i] *= half; /* both of one length */
  pp = form (p, d, p);
  pq = form (p, d, q);
  qq = form (q, d, q);
  root = pq * pq - pp * qq;
  if (!(root >= 0))
    return 0;
  /* pp u^2 + 2 pq u v + qq v^2 = 0: (u, v) = (-s, pp) and (qq, -s), s = pq +- root, without
   * cancellation. */
  half = pq + (pq < 0 ? -sqrt (root) : sqrt (root));
  for (gsize k = 0; k < 2; k++) {
    const double u = k == 0 ? -half : qq, v = k == 0 ? pp : -half;

    if (!(fabs (u) + fabs (v) > 0))
      continue;
    for (gsize i = 0; i < 3; i++)
      ret_lines[n][i] = u * p[i] + v * q[i];
    n++;
  }
  return n;
}

/* Depths on the line through @line, all positive. */
static gboolean
scale_depths (const Triangle *triangle, const double line[3], double ret_depths[3])
{
  double wanted = 0, found = 0, scale;

  for (gsize pair = 0; pair < 3; pair++) {
    double m[9];

    distance_form (triangle, pair, m);
    wanted += triangle->squares[pair];
    found += form (line, m, line);
  }
  if (!(found > 0))
    return FALSE;
  scale = sqrt (wanted / found) * (line[0] < 0 ? -1 : 1);
  for (gsize i = 0; i < 3; i++)
    ret_depths[i] = scale * line[i];
  return ret_depths[0] > 0 && ret_depths[1] > 0 && ret_depths[2] > 0;
}

static void
polish (const Triangle *triangle, double depths[3])
{
  for (gsize step = 0; step < NEWTON_STEPS; step++) {
    double jacobian[9] = { 0 }, rest[3], whole;

    for (gsize pair = 0; pair < 3; pair++) {
      const gsize i = pair_of[pair][0], j = pair_of[pair][1];
      const double b = triangle->cosines[pair];

      rest[pair] = depths[i] * depths[i] + depths[j] * depths[j] - 2 * b * depths[i] * depths[j]
                   - triangle->squares[pair];
      jacobian[3 * pair + i] = 2 * (depths[i] - b * depths[j]);
      jacobian[3 * pair + j] = 2 * (depths[j] - b * depths[i]);
    }
    whole = determinant (jacobian);
    if (whole == 0)
      return;
    for (gsize i = 0; i < 3; i++) {
      double replaced[9];

      memcpy (replaced, jacobian, sizeof replaced);
      for (gsize row = 0; row < 3; row++)
        replaced[3 * row + i] = rest[row];
      depths[i] -= determinant (replaced) / whole;
    }
  }
}

/* The motion that takes the points to where they are before the camera: R = Y X^-1, of two sides of
 * the triangle and their normal. */
static void
motion (const double points[3][3], const double seen[3][3], double ret_pose[12])
{
  double x[3][3], y[3][3], inverse[3][3], volume;

  for (gsize i = 0; i < 3; i++) {
    x[0][i] = points[0][i] - points[1][i];
    x[1][i] = points[0][i] - points[2][i];
    y[0][i] = seen[0][i] - seen[1][i];
    y[1][i] = seen[0][i] - seen[2][i];
  }
  cross (x[0], x[1], x[2]);
  cross (y[0], y[1], y[2]);
  for (gsize i = 0; i < 3; i++)
    cross (x[(i + 1) % 3], x[(i + 2) % 3], inverse[i]);
  volume = dot (x[0], inverse[0]);
  for (gsize r = 0; r < 3; r++) {
    ret_pose[9 + r] = seen[0][r];
    for (gsize c = 0; c < 3; c++) {
      ret_pose[3 * r + c] = 0;
      for (gsize i = 0; i < 3; i++)
        ret_pose[3 * r + c] += y[i][r] * inverse[i][c] / volume;
      ret_pose[9 + r] -= ret_pose[3 * r + c] * points[0][c];
    }
  }
}

static gboolean
measure (const double directions[3][3], const double points[3][3], Triangle *ret_triangle)
{
  double sides[2][3], normal[3];

  for (gsize pair = 0; pair < 3; pair++) {
    const gsize i = pair_of[pair][0], j = pair_of[pair][1];
    double difference[3];

    for (gsize k = 0; k < 3; k++)
      difference[k] = points[i][k] - points[j][k];
    if (pair < 2)
      memcpy (sides[pair], difference, sizeof difference);
    ret_triangle->squares[pair] = dot (difference, difference);
    ret_triangle->cosines[pair] = dot (directions[i], directions[j]);
  }
  cross (sides[0], sides[1], normal);
  return dot (normal, normal) > NEGLIGIBLE * ret_triangle->squares[0] * ret_triangle->squares[1];
}

gsize
pose_of_three (const double directions[3][3], const double points[3][3], double ret_poses[4 * 12])
{
  Triangle triangle;
  double m[3][9], d1[9], d2[9], d0[9], values[3], vectors[9];
  const double *other;
  gsize n = 0;

  if (!measure (directions, points, &triangle))
    return 0;
  for (gsize pair = 0; pair < 3; pair++)
    distance_form (&triangle, pair, m[pair]);
  for (gsize i = 0; i < 9; i++) {
    d1[i] = triangle.squares[2] * m[0][i] - triangle.squares[0] * m[2][i];
    d2[i] = triangle.squares[2] * m[1][i] - triangle.squares[1] * m[2][i];
  }
  singular_member (d1, d2, d0, &other);
  if (!assay_linalg_symmetric_eigen (3, 3, d0, values, vectors, NULL) || !(values[0] > 0)
      || !(values[2] < 0))
    return 0;
  for (gsize side = 0; side < 2; side++) {
    const double s = (side == 0 ? 1 : -1) * sqrt (-values[2] / values[0]);
    double normal[3], lines[2][3];
    gsize n_lines;

    for (gsize i = 0; i < 3; i++)
      normal[i] = vectors[i] - s * vectors[6 + i];
    n_lines = lines_of_plane (normal, other, lines);
    for (gsize k = 0; k < n_lines; k++) {
      double depths[3], seen[3][3];

      if (!scale_depths (&triangle, lines[k], depths))
        continue;
      polish (&triangle, depths);
      for (gsize i = 0; i < 9; i++)
        seen[i / 3][i % 3] = depths[i / 3] * directions[i / 3][i % 3];
      motion (points, seen, ret_poses + 12 * n++);
    }
  }
  return n;
}
