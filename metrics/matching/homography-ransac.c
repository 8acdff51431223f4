/* A homography from matches most of which may be wrong. */
#include <math.h>
#include <string.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#include "metrics/matching/homography.h"

/* Heights of triangles below this part of their longest side are no triangles: a pixel in 1000. */
#define THINNEST 1e-3
#define MAX_ROUNDS 10
#define MAX_FALSE_ALARMS 1e-3

typedef struct {
  const AssayMatch *matches;
  gsize n;
  double square; /* of the threshold */
  double h[9];   /* the best so far; w > 0 where matches agree */
  double cost;
  gsize n_inliers; /* 0: there is none yet */
  gboolean *is_inlier;
  AssayMatch *inliers; /* those matches, one after another */
} Search;

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

/* What a model costs; of one that costs @limit or more, some number from there on. */
static double
cost_of (const Search *search, const double h[9], double limit)
{
  double cost = 0;

  for (gsize i = 0; i < search->n && cost < limit; i++)
    cost += MIN (square_error (h, &search->matches[i]), search->square);
  return cost;
}

/* Makes a model the best; TRUE where other matches agree with it than with the one before. */
static gboolean
take (Search *search, const double h[9], double cost)
{
  gboolean is_other = FALSE;

  memcpy (search->h, h, sizeof search->h);
  search->cost = cost;
  search->n_inliers = 0;
  for (gsize i = 0; i < search->n; i++) {
    const gboolean is_inlier = square_error (h, &search->matches[i]) < search->square;

    is_other |= is_inlier != search->is_inlier[i];
    search->is_inlier[i] = is_inlier;
    if (is_inlier)
      search->inliers[search->n_inliers++] = search->matches[i];
  }
  return is_other;
}

typedef gboolean (*Fit) (const AssayMatch *matches, gsize n, double h[9]);

/* Fits the best model to the matches that agree with it until they stay the same. */
static void
improve (Search *search, Fit fit)
{
  for (gsize round = 0; round < MAX_ROUNDS; round++) {
    double h[9], cost;

    memcpy (h, search->h, sizeof h);
    if (!fit (search->inliers, search->n_inliers, h))
      return;
    /* The scale of a fit has w = 1 at the origin, which may be behind the horizon. */
    if (h[6] * search->inliers[0].x + h[7] * search->inliers[0].y + h[8] < 0)
      for (gsize j = 0; j < 9; j++)
        h[j] = -h[j];
    cost = cost_of (search, h, search->cost);
    if (!(cost < search->cost) || !take (search, h, cost))
      return;
  }
}

/* How many samples leave a chance of 1 - confidence that none agrees in all 4. */
static double
samples_needed (const Search *search, double confidence)
{
  const double share = (double) search->n_inliers / (double) search->n;

  return log1p (-confidence) / log1p (-pow (share, 4));
}

/* Whether wrong matches alone would hardly agree like this. */
static gboolean
is_meaningful (const Search *search)
{
  const double n = (double) search->n, agree = (double) search->n_inliers;
  const AssayMatch *m = search->matches;
  double left = m->u, right = m->u, top = m->v, bottom = m->v, chance;

  if (search->n_inliers == search->n)
    return TRUE;
  if (search->n_inliers <= 4)
    return FALSE;
  for (gsize i = 1; i < search->n; i++) {
    left = MIN (left, m[i].u);
    right = MAX (right, m[i].u);
    top = MIN (top, m[i].v);
    bottom = MAX (bottom, m[i].v);
  }
  chance = MIN (1, G_PI * search->square / ((right - left) * (bottom - top)));
  return lchoose (n, 4) + pbinom (agree - 5, n - 4, chance, FALSE, TRUE) <= log (MAX_FALSE_ALARMS);
}

gboolean
assay_homography_ransac (const AssayRansac *ransac, const AssayMatch *matches, gsize n,
                         AssayStream *stream, double ret_h[9], gboolean *ret_is_inlier)
{
  const double threshold = ransac->threshold, confidence = ransac->confidence;
  g_autofree gboolean *is_inlier = g_new0 (gboolean, n);
  g_autofree AssayMatch *inliers = g_new (AssayMatch, n);
  Search search = { .matches = matches,
                    .n = n,
                    .square = threshold * threshold,
                    .cost = INFINITY,
                    .is_inlier = is_inlier,
                    .inliers = inliers };
  double needed = INFINITY;

  g_return_val_if_fail (threshold > 0 && confidence > 0 && confidence < 1, FALSE);
  if (n < 4)
    return FALSE;
  for (gsize i = 0; i < ransac->max_iterations && (double) i < needed; i++) {
    AssayMatch sample[4];
    gsize chosen[4];
    double h[9], cost;

    assay_stream_choose (stream, n, 4, chosen);
    for (gsize j = 0; j < 4; j++)
      sample[j] = matches[chosen[j]];
    if (!solve_sample (sample, h))
      continue;
    cost = cost_of (&search, h, search.cost);
    if (!(cost < search.cost))
      continue;
    take (&search, h, cost);
    improve (&search, assay_homography_fit);
    needed = samples_needed (&search, confidence);
  }
  if (search.n_inliers == 0)
    return FALSE;
  improve (&search, assay_homography_refine);
  if (!is_meaningful (&search))
    return FALSE;
  memcpy (ret_h, search.h, sizeof search.h);
  assay_homography_scale (ret_h);
  if (ret_is_inlier != NULL)
    memcpy (ret_is_inlier, is_inlier, n * sizeof *is_inlier);
  return TRUE;
}
