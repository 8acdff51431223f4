/* Goodness of fit. */
#include "tests/reference/sample-tests.h"

#include <math.h>
#include <stdlib.h>

static int
compare (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double *
sorted (const double *sample, gsize n)
{
  double *copy = g_memdup2 (sample, n * sizeof (double));

  qsort (copy, n, sizeof (double), compare);
  return copy;
}

double
sample_ks_distance (const double *sample, gsize n, double (*cdf) (double x))
{
  g_autofree double *values = sorted (sample, n);
  double distance = 0;

  for (gsize i = 0; i < n; i++) {
    const double expected = cdf (values[i]);

    distance = MAX (distance, MAX (expected - (double) i / (double) n,
                                   (double) (i + 1) / (double) n - expected));
  }
  return distance;
}

double
sample_ks_two (const double *a, gsize n_a, const double *b, gsize n_b)
{
  g_autofree double *x = sorted (a, n_a);
  g_autofree double *y = sorted (b, n_b);
  double distance = 0;
  gsize i = 0, j = 0;

  while (i < n_a && j < n_b) {
    const double at = MIN (x[i], y[j]);

    while (i < n_a && x[i] == at)
      i++;
    while (j < n_b && y[j] == at)
      j++;
    distance = MAX (distance, fabs ((double) i / (double) n_a - (double) j / (double) n_b));
  }
  return distance;
}

double
sample_ks_bound (gsize n, double alpha)
{
  return sqrt (log (2 / alpha) / 2 / (double) n);
}

double
sample_ks_two_bound (gsize n_a, gsize n_b, double alpha)
{
  return sqrt (log (2 / alpha) / 2 * (1 / (double) n_a + 1 / (double) n_b));
}

double
sample_chi_square (const gsize *counts, gsize cells)
{
  double total = 0, sum = 0;

  for (gsize i = 0; i < cells; i++)
    total += (double) counts[i];
  for (gsize i = 0; i < cells; i++) {
    const double gap = (double) counts[i] - total / (double) cells;

    sum += gap * gap;
  }
  return sum / (total / (double) cells);
}

double
sample_normal_cdf (double z)
{
  return erfc (-z / sqrt (2.0)) / 2;
}

double
sample_chi_square_bound (gsize cells, double alpha)
{
  const double freedom = (double) (cells - 1), spread = 2 / (9 * freedom);
  double low = 0, high = 10;

  for (guint i = 0; i < 60; i++) {
    const double middle = (low + high) / 2;

    if (sample_normal_cdf (-middle) > alpha)
      low = middle;
    else
      high = middle;
  }
  return freedom * pow (1 - spread + low * sqrt (spread), 3);
}
