/* Sums over single rows. */
#include "attacks/whitened/row-sums.h"

#include <math.h>

#include "core/base/vectorise.h"

/* In eight sums, so that it becomes vectors. */
ASSAY_VECTORISED static float
sum_of_products (const float *restrict a, const float *restrict b, gsize n)
{
  float sums[8] = { 0 };

  for (gsize j = 0; j + 8 <= n; j += 8)
    for (gsize l = 0; l < 8; l++)
      sums[l] += a[j + l] * b[j + l];
  for (gsize j = n / 8 * 8; j < n; j++)
    sums[0] += a[j] * b[j];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

float
row_dot (const float *restrict a, const float *restrict b, gsize n)
{
  return sum_of_products (a, b, n);
}

void
row_standardise (float *row, gsize n)
{
  double mean = 0, square = 0, deviation;

  for (gsize i = 0; i < n; i++)
    mean += row[i] / (double) n;
  for (gsize i = 0; i < n; i++)
    square += (row[i] - mean) * (row[i] - mean) / (double) n;
  deviation = square > 0 ? sqrt (square) : 1;
  for (gsize i = 0; i < n; i++)
    row[i] = (float) ((row[i] - mean) / deviation);
}
