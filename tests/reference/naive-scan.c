/* The distance of a row from an affine subspace, as it is defined. */
#include "tests/reference/naive-scan.h"

#include <math.h>

/* r = (I - B'B) r */
static void
project_out (const AssaySubspaces *subspaces, gsize index, double *r)
{
  const gsize m = subspaces->dimension;
  const gsize d = subspaces->cols;
  g_autofree double *parts = g_new0 (double, m + 1);

  for (gsize j = 0; j < m; j++)
    for (gsize c = 0; c < d; c++)
      parts[j] += (double) subspaces->basis[(index * m + j) * d + c] * r[c];
  for (gsize j = 0; j < m; j++)
    for (gsize c = 0; c < d; c++)
      r[c] -= parts[j] * (double) subspaces->basis[(index * m + j) * d + c];
}

double
naive_scan_distance (const AssaySubspaces *subspaces, gsize index, const float *row)
{
  const gsize d = subspaces->cols;
  g_autofree double *r = g_new (double, d);
  double square = 0;

  for (gsize c = 0; c < d; c++)
    r[c] = (double) row[c] - (double) subspaces->translation[index * d + c];
  /* Twice, because a basis in float32 is orthonormal to 1e-7 only. */
  project_out (subspaces, index, r);
  project_out (subspaces, index, r);
  for (gsize c = 0; c < d; c++)
    square += r[c] * r[c];
  return sqrt (square);
}

double *
naive_scan_distances (const AssaySubspaces *subspaces, gsize index, const float *rows, gsize count)
{
  double *distances = g_new (double, count);

  for (gsize i = 0; i < count; i++)
    distances[i] = naive_scan_distance (subspaces, index, rows + i * subspaces->cols);
  return distances;
}
