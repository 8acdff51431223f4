/* A line through differences of neighbours. */
#include "attacks/inversion/mixture-noise.h"

#include <math.h>

#define LAGS 3
#define MOST_ROWS 1000 /* mixtures that are looked at, spread evenly over all */
#define LEAST_PART 0.01
#define LEAST_SPREAD 0.02 /* of the distances' differences, beside their mean */

/* Mean squared differences of squares @step numbers apart, of the release and of public images. */
typedef struct {
  double released;
  double expected;
} Difference;

static gboolean
has_neighbour (const AssayGeometry *shape, gsize j, gsize down, gsize right)
{
  const gsize x = j / shape->channels % shape->width;
  const gsize y = j / shape->channels / shape->width;

  return x + right < shape->width && y + down < shape->height;
}

static Difference
measure (AssayView magnitudes, const AssayGeometry *shape, const Whitening *squared, gsize down,
         gsize right)
{
  const gsize d = magnitudes.cols, step = (down * shape->width + right) * shape->channels;
  const gsize n = MIN (magnitudes.rows, MOST_ROWS);
  Difference sum = { 0 };
  gsize count = 0;

  for (gsize j = 0; j < d; j++) {
    const double *row = squared->covariance + j * d;
    const gsize other = j + step;
    double mean, squares = 0;

    if (!has_neighbour (shape, j, down, right))
      continue;
    for (gsize i = 0; i < n; i++) {
      const float *e = assay_view_row (magnitudes, i * magnitudes.rows / n);
      const double gap = (double) e[j] * e[j] - (double) e[other] * e[other];

      squares += gap * gap / (double) n;
    }
    mean = squared->mean[j] - squared->mean[other];
    sum.released += squares;
    sum.expected += row[j] + squared->covariance[other * d + other] - 2 * row[other] + mean * mean;
    count++;
  }
  return (Difference){ sum.released / (double) MAX (count, 1),
                       sum.expected / (double) MAX (count, 1) };
}

/* The intercept of the least-squares line of what was released over what is expected. */
static double
intercept (const Difference *points, gsize n)
{
  double x = 0, y = 0, xx = 0, xy = 0;

  for (gsize i = 0; i < n; i++) {
    x += points[i].expected / (double) n;
    y += points[i].released / (double) n;
  }
  for (gsize i = 0; i < n; i++) {
    xx += (points[i].expected - x) * (points[i].expected - x) / (double) n;
    xy += (points[i].expected - x) * (points[i].released - y) / (double) n;
  }
  return xx > LEAST_SPREAD * LEAST_SPREAD * x * x ? y - xy / xx * x : 0;
}

double
mixture_noise_estimate (AssayView magnitudes, const AssayGeometry *geometry,
                        const Whitening *squared)
{
  Difference points[2 * LAGS];
  gsize n_points = 0;
  double mean = 0, added, variance;

  for (gsize lag = 1; lag <= LAGS; lag++) {
    if (geometry->width > 2 * LAGS)
      points[n_points++] = measure (magnitudes, geometry, squared, 0, lag);
    if (geometry->height > 2 * LAGS)
      points[n_points++] = measure (magnitudes, geometry, squared, lag, 0);
  }
  for (gsize i = 0; i < magnitudes.rows; i++)
    for (gsize j = 0; j < magnitudes.cols; j++) {
      const double e = assay_view_row (magnitudes, i)[j];

      mean += e * e / (double) magnitudes.cols;
    }
  mean /= (double) magnitudes.rows;
  added = n_points > 0 ? intercept (points, n_points) / 2 : 0;
  if (!(added > 0))
    return 0;
  /* 2 s^4 - 4 M s^2 + q = 0, the smaller solution; all of it noise is the most there can be. */
  variance = mean - sqrt (MAX (mean * mean - added / 2, 0));
  return variance > LEAST_PART * mean ? variance : 0;
}
