/* Homographies: fits to matches, maps, inverses. */
#include "metrics/matching/homography.h"

#include <math.h>
#include <string.h>

#include "core/math/linalg.h"
#include "metrics/matching/least-squares.h"

/* Singular values, and determinants, below this part of the largest are those of matches that leave
 * the homography open: rounding leaves 1e-15, and figures in files of 12 digits 1e-12. */
#define NEGLIGIBLE 1e-10

/* Coordinates moved by -(x, y) and then scaled. */
typedef struct {
  double x, y, scale;
} Frame;

static void
multiply (const double a[9], const double b[9], double ret_c[9])
{
  double c[9];

  for (gsize i = 0; i < 9; i++)
    c[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3]
           + a[i / 3 * 3 + 2] * b[6 + i % 3];
  memcpy (ret_c, c, sizeof c);
}

/* Into the frame, and out of it. */
static void
frame_matrix (Frame frame, double ret_in[9], double ret_out[9])
{
  const double in[9]
      = { frame.scale, 0, -frame.scale * frame.x, 0, frame.scale, -frame.scale * frame.y, 0, 0, 1 };
  const double out[9] = { 1 / frame.scale, 0, frame.x, 0, 1 / frame.scale, frame.y, 0, 0, 1 };

  memcpy (ret_in, in, sizeof in);
  memcpy (ret_out, out, sizeof out);
}

/* The determinant in proportion to the sum of its terms without their signs, which scaling of rows
 * and columns (units of the coordinates) leaves as it is. */
static double
relative_determinant (const double h[9])
{
  const double terms[6] = { h[0] * h[4] * h[8],  h[1] * h[5] * h[6],  h[2] * h[3] * h[7],
                            -h[2] * h[4] * h[6], -h[1] * h[3] * h[8], -h[0] * h[5] * h[7] };
  double sum = 0, size = 0;

  for (gsize i = 0; i < 6; i++) {
    sum += terms[i];
    size += fabs (terms[i]);
  }
  return size > 0 ? sum / size : 0;
}

void
assay_homography_scale (double h[9])
{
  double square = 0, divisor;

  for (gsize i = 0; i < 9; i++)
    square += h[i] * h[i];
  divisor = fabs (h[8]) > NEGLIGIBLE * sqrt (square) ? h[8] : sqrt (square);
  for (gsize i = 0; i < 9; i++)
    h[i] /= divisor;
}

/* Moves the points of each picture to their centre, at a mean distance of sqrt 2 from it (section
 * 4.4.4). NULL where points of one picture are all at one place. */
static AssayMatch *
normalise (const AssayMatch *matches, gsize n, Frame *ret_first, Frame *ret_second)
{
  Frame first = { 0 }, second = { 0 };
  double spread_first = 0, spread_second = 0;
  AssayMatch *moved;

  for (gsize i = 0; i < n; i++) {
    first.x += matches[i].x / (double) n;
    first.y += matches[i].y / (double) n;
    second.x += matches[i].u / (double) n;
    second.y += matches[i].v / (double) n;
  }
  for (gsize i = 0; i < n; i++) {
    spread_first += hypot (matches[i].x - first.x, matches[i].y - first.y) / (double) n;
    spread_second += hypot (matches[i].u - second.x, matches[i].v - second.y) / (double) n;
  }
  first.scale = G_SQRT2 / spread_first;
  second.scale = G_SQRT2 / spread_second;
  if (!(spread_first > 0 && spread_second > 0 && isfinite (first.scale) && isfinite (second.scale)))
    return NULL;
  moved = g_new (AssayMatch, n);
  for (gsize i = 0; i < n; i++)
    moved[i] = (AssayMatch){ (matches[i].x - first.x) * first.scale,
                             (matches[i].y - first.y) * first.scale,
                             (matches[i].u - second.x) * second.scale,
                             (matches[i].v - second.y) * second.scale };
  *ret_first = first;
  *ret_second = second;
  return moved;
}

/* Two equations a match (section 4.1, equation 4.3); rows of zeros below 9, so that the null vector
 * of 4 matches is among the singular vectors. */
static gboolean
solve_linear (const AssayMatch *matches, gsize n, double ret_h[9])
{
  const gsize rows = MAX (2 * n, 9);
  g_autofree double *equations = g_new0 (double, rows * 9);
  double values[9], vectors[81];

  for (gsize i = 0; i < n; i++) {
    const AssayMatch m = matches[i];
    const double pair[18] = { 0,   0,   0, -m.x, -m.y, -1, m.v * m.x,  m.v * m.y,  m.v,
                              m.x, m.y, 1, 0,    0,    0,  -m.u * m.x, -m.u * m.y, -m.u };

    memcpy (equations + 18 * i, pair, sizeof pair);
  }
  if (!assay_linalg_svd (rows, 9, equations, &(AssaySvd){ NULL, values, vectors }, NULL)
      || !(values[7] > NEGLIGIBLE * values[0]))
    return FALSE;
  memcpy (ret_h, vectors + 72, 9 * sizeof (double));
  return fabs (relative_determinant (ret_h)) > NEGLIGIBLE;
}

gboolean
assay_homography_fit (const AssayMatch *matches, gsize n, double ret_h[9])
{
  g_autofree AssayMatch *moved = NULL;
  Frame first, second;
  double h[9], in[9], out[9], unused[9];

  if (n < 4)
    return FALSE;
  moved = normalise (matches, n, &first, &second);
  if (moved == NULL || !solve_linear (moved, n, h))
    return FALSE;
  frame_matrix (first, in, unused);
  frame_matrix (second, unused, out);
  multiply (h, in, h);
  multiply (out, h, h);
  assay_homography_scale (h);
  memcpy (ret_h, h, sizeof h);
  return TRUE;
}

/* Sum of squared distances in the second picture. With @gram (J'J, 8 x 8) and @slope (J'r), these
 * too, by the first 8 numbers of @h; h[8] stays. */
static double
reprojection (const AssayMatch *matches, gsize n, const double h[9], double *gram, double *slope)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++) {
    const AssayMatch m = matches[i];
    const double w = h[6] * m.x + h[7] * m.y + h[8];
    const double u = (h[0] * m.x + h[1] * m.y + h[2]) / w;
    const double v = (h[3] * m.x + h[4] * m.y + h[5]) / w;
    const double by_u[8] = { m.x / w, m.y / w, 1 / w, 0, 0, 0, -u * m.x / w, -u * m.y / w };
    const double by_v[8] = { 0, 0, 0, m.x / w, m.y / w, 1 / w, -v * m.x / w, -v * m.y / w };

    sum += (u - m.u) * (u - m.u) + (v - m.v) * (v - m.v);
    for (gsize j = 0; gram != NULL && j < 8; j++) {
      slope[j] += by_u[j] * (u - m.u) + by_v[j] * (v - m.v);
      for (gsize k = 0; k <= j; k++)
        gram[8 * j + k] += by_u[j] * by_u[k] + by_v[j] * by_v[k];
    }
  }
  return sum;
}

typedef struct {
  const AssayMatch *matches;
  gsize n;
} Matches;

static double
sum_of_squares (gconstpointer data, const double *h, double *gram, double *slope)
{
  const Matches *all = data;

  return reprojection (all->matches, all->n, h, gram, slope);
}

static void
change_homography (const double *h, const double *change, double *ret_h)
{
  for (gsize j = 0; j < 9; j++)
    ret_h[j] = h[j] - (j < 8 ? change[j] : 0);
}

gboolean
assay_homography_refine (const AssayMatch *matches, gsize n, double h[9])
{
  g_autofree AssayMatch *moved = NULL;
  Frame first, second;
  double refined[9], into_first[9], from_first[9], into_second[9], from_second[9];
  LeastSquares problem = { .unknowns = 8,
                           .numbers = 9,
                           .sum = sum_of_squares,
                           .change = change_homography };

  if (n < 4)
    return FALSE;
  moved = normalise (matches, n, &first, &second);
  if (moved == NULL)
    return FALSE;
  frame_matrix (first, into_first, from_first);
  frame_matrix (second, into_second, from_second);
  multiply (h, from_first, refined);
  multiply (into_second, refined, refined);
  /* In this frame it is the w of the centre. */
  if (refined[8] == 0)
    return FALSE;
  for (gsize j = 0; j < 9; j++)
    refined[j] /= j < 8 ? refined[8] : 1;
  refined[8] = 1;
  problem.data = &(const Matches){ moved, n };
  if (!least_squares_improve (&problem, refined))
    return FALSE;
  multiply (refined, into_first, refined);
  multiply (from_second, refined, refined);
  assay_homography_scale (refined);
  memcpy (h, refined, sizeof refined);
  return TRUE;
}

gboolean
assay_homography_apply (const double h[9], double x, double y, double *ret_u, double *ret_v)
{
  const double w = h[6] * x + h[7] * y + h[8];
  const double u = (h[0] * x + h[1] * y + h[2]) / w;
  const double v = (h[3] * x + h[4] * y + h[5]) / w;

  if (!isfinite (u) || !isfinite (v))
    return FALSE;
  *ret_u = u;
  *ret_v = v;
  return TRUE;
}

double
assay_homography_corner_error (const double estimate[9], const double truth[9], gsize width,
                               gsize height)
{
  double sum = 0;

  for (gsize i = 0; i < 4; i++) {
    const double x = i % 2 == 0 ? 0 : (double) width - 1;
    const double y = i / 2 == 0 ? 0 : (double) height - 1;
    double u, v, true_u, true_v;

    if (!assay_homography_apply (estimate, x, y, &u, &v)
        || !assay_homography_apply (truth, x, y, &true_u, &true_v))
      return INFINITY;
    sum += hypot (u - true_u, v - true_v);
  }
  return sum / 4;
}
