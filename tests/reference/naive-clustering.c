/* The clustering attack, word by word. */
#include "tests/reference/naive-clustering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/naive-attacks.h"
#include "tests/reference/naive-scan.h"

/* ---- Distance of two subspaces ---- */

static double
inner (const double *a, const double *b, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* One-sided Jacobi (Hestenes): rotates pairs of the @count vectors until all are orthogonal. Their
 * lengths are then the singular values. */
static void
make_orthogonal (double *vectors, gsize count, gsize n)
{
  for (guint sweep = 0; sweep < 60; sweep++)
    for (gsize p = 0; p < count; p++)
      for (gsize q = p + 1; q < count; q++) {
        double *x = vectors + p * n, *y = vectors + q * n;
        const double xx = inner (x, x, n), yy = inner (y, y, n), xy = inner (x, y, n);
        const double zeta = (yy - xx) / (2 * xy);
        const double t = (zeta >= 0 ? 1 : -1) / (fabs (zeta) + sqrt (1 + zeta * zeta));
        const double c = 1 / sqrt (1 + t * t), s = c * t;

        if (fabs (xy) <= 1e-16 * sqrt (xx * yy))
          continue;
        for (gsize i = 0; i < n; i++) {
          const double old = x[i];

          x[i] = c * old - s * y[i];
          y[i] = s * old + c * y[i];
        }
      }
}

double
naive_intersection_distance (const AssaySubspaces *subspaces, gsize a, gsize b, double cut)
{
  const gsize m = subspaces->dimension, d = subspaces->cols;
  g_autofree double *stack = g_new (double, 2 * m * d + 1);
  g_autofree double *gap = g_new (double, d);

  for (gsize i = 0; i < m * d; i++) {
    stack[i] = subspaces->basis[a * m * d + i];
    stack[m * d + i] = subspaces->basis[b * m * d + i];
  }
  for (gsize j = 0; j < d; j++)
    gap[j] = (double) subspaces->translation[a * d + j] - subspaces->translation[b * d + j];
  make_orthogonal (stack, 2 * m, d);
  for (guint round = 0; round < 2; round++)
    for (gsize i = 0; i < 2 * m; i++) {
      const double *vector = stack + i * d;
      const double square = inner (vector, vector, d), part = inner (gap, vector, d) / square;

      for (gsize j = 0; sqrt (square) > cut && j < d; j++)
        gap[j] -= part * vector[j];
    }
  return sqrt (inner (gap, gap, d));
}

/* ---- The attack ---- */

typedef struct {
  gsize row;
  double distance;
} Near;

static int
by_distance (const void *a, const void *b)
{
  const Near *x = a, *y = b;

  return (x->distance > y->distance) - (x->distance < y->distance);
}

static double
square_gap (const float *row, const double *centre, gsize d)
{
  double sum = 0;

  for (gsize j = 0; j < d; j++)
    sum += (row[j] - centre[j]) * (row[j] - centre[j]);
  return sum;
}

/* The centre of the first @count that is nearest to the row; the squared distance. */
static double
nearest_centre (const float *row, const double *centres, gsize count, gsize d, gsize *ret_centre)
{
  double best = INFINITY;

  for (gsize c = 0; c < count; c++) {
    const double square = square_gap (row, centres + c * d, d);

    if (square < best) {
      best = square;
      *ret_centre = c;
    }
  }
  return best;
}

/* The row farthest from the first @count centres; without centres the first. */
static gsize
farthest_from (const float *v, gsize n, const double *centres, gsize count, gsize d)
{
  gsize farthest = 0, label;
  double most = -1;

  for (gsize i = 0; count > 0 && i < n; i++) {
    const double square = nearest_centre (v + i * d, centres, count, d, &label);

    if (square > most) {
      most = square;
      farthest = i;
    }
  }
  return farthest;
}

/* k-means++ or farthest first, and Lloyd once; the sum of squares. */
static double
cluster_once (const float *v, gsize n, gsize d, const NaiveClustering *settings,
              AssayStream *stream, gsize *ret_labels)
{
  const gsize k = MIN (settings->clusters, n);
  g_autofree double *centres = g_new0 (double, k *d);
  g_autofree double *squares = g_new0 (double, n);
  double sum = 0;
  gsize label = 0;

  for (gsize c = 0; c < k; c++) {
    double total = 0, mark = 0;
    gsize drawn = n;

    for (gsize i = 0; c > 0 && i < n; i++)
      total += nearest_centre (v + i * d, centres, c, d, &label);
    if (settings->is_farthest_first)
      drawn = farthest_from (v, n, centres, c, d);
    else if (c == 0)
      drawn = assay_stream_below (stream, n);
    else
      mark = assay_stream_uniform (stream) * total;
    for (gsize i = 0; drawn == n; i++) {
      mark -= nearest_centre (v + i * d, centres, c, d, &label);
      if (mark < 0)
        drawn = i;
    }
    for (gsize j = 0; j < d; j++)
      centres[c * d + j] = v[drawn * d + j];
  }
  for (gsize round = 0; round <= settings->rounds; round++) {
    sum = 0;
    for (gsize i = 0; i < n; i++) {
      squares[i] = nearest_centre (v + i * d, centres, k, d, &ret_labels[i]);
      sum += squares[i];
    }
    for (gsize c = 0; round < settings->rounds && c < k; c++) {
      gsize size = 0, farthest = 0;

      memset (centres + c * d, 0, d * sizeof (double));
      for (gsize i = 0; i < n; i++) {
        size += ret_labels[i] == c;
        for (gsize j = 0; ret_labels[i] == c && j < d; j++)
          centres[c * d + j] += v[i * d + j];
      }
      for (gsize i = 0; i < n; i++)
        if (squares[i] > squares[farthest])
          farthest = i;
      for (gsize j = 0; j < d; j++)
        centres[c * d + j] = size > 0 ? centres[c * d + j] / (double) size : v[farthest * d + j];
      if (size == 0)
        squares[farthest] = 0; /* the next that lost all of its rows takes another */
    }
  }
  return sum;
}

/* Score of a candidate: with Q', the distance of the nearest of them; without, its weight. */
static double
score_candidate (const AssaySubspaces *subspaces, const double *candidate, double weight,
                 const gsize *meeting, gsize n_meeting)
{
  g_autofree float *row = g_new (float, subspaces->cols);
  double least = INFINITY;

  if (n_meeting == 0)
    return weight;
  for (gsize j = 0; j < subspaces->cols; j++)
    row[j] = (float) candidate[j];
  for (gsize i = 0; i < n_meeting; i++)
    least = MIN (least, naive_scan_distance (subspaces, meeting[i], row));
  return least;
}

NaiveGuess
naive_clustering_attack (const AssaySubspaces *subspaces, gsize index, const float *rows,
                         gsize count, const NaiveClustering *settings, AssayStreamKey key,
                         const gsize *meeting, gsize n_meeting)
{
  const gsize d = subspaces->cols, n = MIN (settings->neighbours, count);
  AssayStream stream = assay_stream (key, index);
  g_autofree Near *near = g_new (Near, count);
  g_autofree float *v = g_new (float, n *d);
  g_autofree gsize *labels = g_new0 (gsize, n);
  g_autofree gsize *tried = g_new0 (gsize, n);
  g_autofree double *candidate = g_new (double, d);
  NaiveGuess guess = { .estimate = g_new0 (double, d), .margin = INFINITY };
  double best_sum = INFINITY, best = -INFINITY;

  for (gsize i = 0; i < count; i++)
    near[i] = (Near){ i, naive_scan_distance (subspaces, index, rows + i * d) };
  qsort (near, count, sizeof (Near), by_distance);
  for (gsize i = 0; i < n; i++) {
    memcpy (v + i * d, rows + near[i].row * d, d * sizeof (float));
    if (i + 1 < count)
      guess.margin = MIN (guess.margin, near[i + 1].distance - near[i].distance);
  }
  for (gsize start = 0; start < settings->starts; start++) {
    const double sum = cluster_once (v, n, d, settings, &stream, tried);

    if (sum < best_sum) {
      best_sum = sum;
      memcpy (labels, tried, n * sizeof (gsize));
    }
  }
  for (gsize c = 0; c < MIN (settings->clusters, n); c++) {
    double weights = 0, score;

    memset (candidate, 0, d * sizeof (double));
    for (gsize i = 0; i < n; i++)
      if (labels[i] == c) {
        weights += 1 / near[i].distance;
        for (gsize j = 0; j < d; j++)
          candidate[j] += v[i * d + j] / near[i].distance;
      }
    for (gsize j = 0; j < d; j++)
      candidate[j] /= weights;
    naive_project (subspaces, index, candidate);
    score = score_candidate (subspaces, candidate, weights, meeting, n_meeting);
    guess.margin = MIN (guess.margin, fabs (score - best));
    if (score > best) {
      best = score;
      memcpy (guess.estimate, candidate, d * sizeof (double));
    }
  }
  return guess;
}
