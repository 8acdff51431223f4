/* A homography from matches most of which may be wrong. */
#include <math.h>
#include <string.h>

#include "metrics/matching/consensus.h"
#include "metrics/matching/homography.h"

/* Heights of triangles below this part of their longest side are no triangles: a pixel in 1000. */
#define THINNEST 1e-3

typedef struct {
  const AssayMatch *matches;
  gsize n;
} Matches;

typedef struct {
  double x, y;
} Point;

/* Twice the area of the triangle, positive where it turns from x to y; 0 where it is thin. */
static double
turn (Point a, Point b, Point c)
{
  const double abx = b.x - a.x, aby = b.y - a.y, acx = c.x - a.x, acy = c.y - a.y;
  const double bcx = c.x - b.x, bcy = c.y - b.y;
  const double longest
      = MAX (MAX (abx * abx + aby * aby, acx * acx + acy * acy), bcx * bcx + bcy * bcy);
  const double area = abx * acy - aby * acx;

  return fabs (area) > THINNEST * longest ? area : 0;
}

/* The triangles of 4 points without point i, with i in the place of point 3: up to det (p0, p1, p2)
 * the coefficients of p3 = sum l_i p_i. */
static void
turns (const Point p[4], double ret_turns[4])
{
  ret_turns[0] = turn (p[3], p[1], p[2]);
  ret_turns[1] = turn (p[0], p[3], p[2]);
  ret_turns[2] = turn (p[0], p[1], p[3]);
  ret_turns[3] = turn (p[0], p[1], p[2]);
}

/* With P = (p0, p1, p2), p3 = P l, and Q, m of the second picture: H = Q diag (m_i / l_i) P^-1. All
 * m_i / l_i have to be positive: then w > 0 at all 4 points and det H > 0. */
static gboolean
solve_sample (const AssayMatch sample[4], double ret_h[9])
{
  Point p[4], q[4];
  double l[4], m[4];

  for (gsize i = 0; i < 4; i++) {
    p[i] = (Point){ sample[i].x, sample[i].y };
    q[i] = (Point){ sample[i].u, sample[i].v };
  }
  turns (p, l);
  turns (q, m);
  for (gsize i = 0; i < 4; i++)
    if (!(l[i] * m[i] > 0))
      return FALSE;
  memset (ret_h, 0, 9 * sizeof (double));
  for (gsize i = 0; i < 3; i++) {
    const Point a = p[(i + 1) % 3], b = p[(i + 2) % 3];
    const double weight = m[i] / l[i] / m[3];
    const double row[3] = { a.y - b.y, b.x - a.x, a.x * b.y - a.y * b.x }; /* of det (P) P^-1 */

    for (gsize j = 0; j < 3; j++) {
      ret_h[j] += weight * q[i].x * row[j];
      ret_h[3 + j] += weight * q[i].y * row[j];
      ret_h[6 + j] += weight * row[j];
    }
  }
  return TRUE;
}

/* Squared reprojection error, infinite behind the horizon. */
static double
square_error (const double h[9], const AssayMatch *m)
{
  const double w = h[6] * m->x + h[7] * m->y + h[8];
  const double u = h[0] * m->x + h[1] * m->y + h[2] - m->u * w;
  const double v = h[3] * m->x + h[4] * m->y + h[5] - m->v * w;

  return w > 0 ? (u * u + v * v) / (w * w) : INFINITY;
}

static gsize
solve (gconstpointer data, const gsize *chosen, double *ret_models)
{
  const Matches *all = data;
  AssayMatch sample[4];

  for (gsize j = 0; j < 4; j++)
    sample[j] = all->matches[chosen[j]];
  return solve_sample (sample, ret_models) ? 1 : 0;
}

static double
match_error (gconstpointer data, const double *h, gsize match)
{
  return square_error (h, &((const Matches *) data)->matches[match]);
}

static double
cost_of (gconstpointer data, const double *h, double square, double limit)
{
  const Matches *all = data;
  double cost = 0;

  for (gsize i = 0; i < all->n && cost < limit; i++)
    cost += MIN (square_error (h, &all->matches[i]), square);
  return cost;
}

/* Matches that agree all have w > 0. */
static void
turn_to_front (const AssayMatch *match, double h[9])
{
  /* The scale of a fit has w = 1 at the origin, which may be behind the horizon. */
  if (h[6] * match->x + h[7] * match->y + h[8] < 0)
    for (gsize j = 0; j < 9; j++)
      h[j] = -h[j];
}

static AssayMatch *
gather (const Matches *all, const gsize *which, gsize n)
{
  AssayMatch *some = g_new (AssayMatch, n);

  for (gsize i = 0; i < n; i++)
    some[i] = all->matches[which[i]];
  return some;
}

static gboolean
fit_by (gboolean (*method) (const AssayMatch *, gsize, double *), const Matches *all,
        const gsize *which, gsize n, double *h)
{
  g_autofree AssayMatch *some = gather (all, which, n);

  if (!method (some, n, h))
    return FALSE;
  turn_to_front (&some[0], h);
  return TRUE;
}

static gboolean
fit (gconstpointer data, const gsize *which, gsize n, double *h)
{
  return fit_by (assay_homography_fit, data, which, n, h);
}

static gboolean
refine (gconstpointer data, const gsize *which, gsize n, double *h)
{
  return fit_by (assay_homography_refine, data, which, n, h);
}

/* That of a match that falls anywhere in the bounding box of the second points. */
static double
chance_of (const AssayMatch *m, gsize n, double threshold)
{
  double left = m->u, right = m->u, top = m->v, bottom = m->v;

  for (gsize i = 1; i < n; i++) {
    left = MIN (left, m[i].u);
    right = MAX (right, m[i].u);
    top = MIN (top, m[i].v);
    bottom = MAX (bottom, m[i].v);
  }
  return MIN (1, G_PI * threshold * threshold / ((right - left) * (bottom - top)));
}

gboolean
assay_homography_ransac (const AssayRansac *ransac, const AssayMatch *matches, gsize n,
                         AssayStream *stream, double ret_h[9], gboolean *ret_is_inlier)
{
  const Matches all = { matches, n };
  const ConsensusProblem problem
      = { .data = &all,
          .n = n,
          .sample = 4,
          .models = 1,
          .numbers = 9,
          .solve = solve,
          .error = match_error,
          .cost = cost_of,
          .fit = fit,
          .refine = refine,
          .chance = n > 0 ? chance_of (matches, n, ransac->threshold) : 1 };

  if (!consensus_find (&problem, ransac, stream, ret_h, ret_is_inlier))
    return FALSE;
  assay_homography_scale (ret_h);
  return TRUE;
}
