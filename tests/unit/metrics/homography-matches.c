#include "tests/unit/metrics/homography-matches.h"

#include <math.h>
#include <string.h>

AssayStream
homography_stream (guint64 item)
{
  return assay_stream (assay_stream_key (41, 0, "test", "homography"), item);
}

void
homography_random (AssayStream *stream, double ret_h[9])
{
  double rows[8][9];

  for (gsize i = 0; i < 4; i++) {
    const double x = i % 2 == 0 ? 0 : WIDTH - 1, y = i / 2 == 0 ? 0 : HEIGHT - 1;
    const double u = x + assay_stream_between (stream, -0.2, 0.2) * WIDTH;
    const double v = y + assay_stream_between (stream, -0.2, 0.2) * HEIGHT;
    const double pair[2][9]
        = { { x, y, 1, 0, 0, 0, -u * x, -u * y, u }, { 0, 0, 0, x, y, 1, -v * x, -v * y, v } };

    memcpy (rows[2 * i], pair, sizeof pair);
  }
  for (gsize i = 0; i < 8; i++) {
    gsize pivot = i;

    for (gsize j = i; j < 8; j++)
      if (fabs (rows[j][i]) > fabs (rows[pivot][i]))
        pivot = j;
    for (gsize k = 0; k < 9; k++) {
      const double held = rows[i][k];

      rows[i][k] = rows[pivot][k];
      rows[pivot][k] = held;
    }
    for (gsize j = 0; j < 8; j++) {
      const double part = rows[j][i] / rows[i][i];

      for (gsize k = 0; j != i && k < 9; k++)
        rows[j][k] -= part * rows[i][k];
    }
  }
  for (gsize i = 0; i < 8; i++)
    ret_h[i] = rows[i][8] / rows[i][i];
  ret_h[8] = 1;
}

void
homography_map (const double h[9], double x, double y, double *ret_u, double *ret_v)
{
  const double w = h[6] * x + h[7] * y + h[8];

  *ret_u = (h[0] * x + h[1] * y + h[2]) / w;
  *ret_v = (h[3] * x + h[4] * y + h[5]) / w;
}

void
homography_matches (AssayStream *stream, const double h[9], gsize n, gsize n_right, double noise,
                    AssayMatch *ret_matches)
{
  for (gsize i = 0; i < n; i++) {
    AssayMatch *m = &ret_matches[i];

    m->x = assay_stream_between (stream, 0, WIDTH - 1);
    m->y = assay_stream_between (stream, 0, HEIGHT - 1);
    m->u = assay_stream_between (stream, 0, WIDTH - 1);
    m->v = assay_stream_between (stream, 0, HEIGHT - 1);
    if (i >= n_right)
      continue;
    homography_map (h, m->x, m->y, &m->u, &m->v);
    m->u += noise * assay_stream_normal (stream);
    m->v += noise * assay_stream_normal (stream);
  }
}

gboolean
homography_search (const AssayMatch *matches, gsize n, guint64 item, double ret_h[9],
                   gboolean *ret_is_inlier)
{
  AssayStream stream = homography_stream (item);

  return assay_homography_ransac (&(AssayRansac){ 3, 0.999, 5000, FALSE }, matches, n, &stream,
                                  ret_h, ret_is_inlier);
}

double
homography_sum_of_squares (const AssayMatch *matches, gsize n, const double h[9])
{
  double sum = 0;

  for (gsize i = 0; i < n; i++) {
    double u, v;

    homography_map (h, matches[i].x, matches[i].y, &u, &v);
    sum += (u - matches[i].u) * (u - matches[i].u) + (v - matches[i].v) * (v - matches[i].v);
  }
  return sum;
}
