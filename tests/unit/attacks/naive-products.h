/* Inner products in double, and how near those in float32 come to them. */
#pragma once

#include <math.h>

#include <glib.h>

static inline double
naive_dot (const float *a, const float *b, gsize n)
{
  double sum = 0;

  for (gsize j = 0; j < n; j++)
    sum += (double) a[j] * b[j];
  return sum;
}

static inline double
naive_length (const float *a, gsize n)
{
  return sqrt (naive_dot (a, a, n));
}

/* What float32 sums of @d products may be off by. */
static inline double
tolerance_of (const float *a, const float *b, gsize d)
{
  return (double) d * 1.2e-7 * naive_length (a, d) * naive_length (b, d);
}
