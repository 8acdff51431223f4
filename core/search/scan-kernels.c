/* The kernels of a scan. */
#include "core/search/scan-kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Compiled once for each of three generations of x86-64; the loader picks the one that runs. */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define FOR_EACH_PROCESSOR                                                                         \
  __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

typedef float Floats __attribute__ ((vector_size (LANES * sizeof (float))));
typedef gint32 Ints __attribute__ ((vector_size (LANES * sizeof (gint32))));
typedef gint8 Bytes __attribute__ ((vector_size (LANES)));

#define LOAD(vector, from) memcpy (&(vector), (from), sizeof (vector))
#define STORE(to, vector) memcpy ((to), &(vector), sizeof (vector))

FOR_EACH_PROCESSOR static void
subtract_squares (const float *rest, const float *products, gsize n_rows, gsize width,
                  float *ret_rest)
{
  for (gsize i = 0; i < width; i += TILE) {
    Floats sum[TILE / LANES];

    memcpy (sum, rest + i, sizeof sum);
    for (gsize j = 0; j < n_rows; j++) {
      Floats product[TILE / LANES];

      memcpy (product, products + j * PANEL + i, sizeof product);
      for (gsize l = 0; l < TILE / LANES; l++)
        sum[l] -= product[l] * product[l];
    }
    memcpy (ret_rest + i, sum, sizeof sum);
  }
}

FOR_EACH_PROCESSOR static gboolean
flag_near (const Squares *from, Bounds bounds, float *ret_squares, gint8 *ret_flags)
{
  const float *rest = from->rest, *products = from->products, *norms = from->norms;
  Ints any = { 0 };
  gint32 all[LANES];
  gint32 is_any = 0;

  for (gsize i = 0; i < from->width; i += LANES) {
    Floats left, product, norm, least, square;
    Ints is_low, is_near;
    Bytes flags;

    LOAD (left, rest + i);
    LOAD (product, products + i);
    LOAD (norm, norms + i);
    least = norm * bounds.slope + bounds.floor;
    square = (left + bounds.square) - 2 * product;
    is_low = square < least;
    square = (Floats) (((Ints) least & is_low) | ((Ints) square & ~is_low));
    is_near = ~(square > bounds.bar);
    any |= is_near;
    flags = __builtin_convertvector(is_near, Bytes);
    STORE (ret_squares + i, square);
    STORE (ret_flags + i, flags);
  }
  STORE (all, any);
  for (gsize l = 0; l < LANES; l++)
    is_any |= all[l];
  return is_any != 0;
}

FOR_EACH_PROCESSOR static void
measure_norms (const float *panel, gsize count, gsize cols, float *ret_norms)
{
  for (gsize i = 0; i < count; i++, panel += cols) {
    double lane[LANES] = { 0 };
    double sum = 0;
    gsize j = 0;

    for (; j + LANES <= cols; j += LANES)
      for (gsize l = 0; l < LANES; l++)
        lane[l] += (double) panel[j + l] * (double) panel[j + l];
    for (; j < cols; j++)
      sum += (double) panel[j] * (double) panel[j];
    for (gsize l = 0; l < LANES; l++)
      sum += lane[l];
    ret_norms[i] = (float) sum;
  }
}

/* What is compiled for several processors must be static: other files would look for it under a
 * name that clang 14 does not give it. */

void
scan_subtract_squares (const float *rest, const float *products, gsize n_rows, gsize width,
                       float *ret_rest)
{
  subtract_squares (rest, products, n_rows, width, ret_rest);
}

gboolean
scan_flag_near (const Squares *from, Bounds bounds, float *ret_squares, gint8 *ret_flags)
{
  return flag_near (from, bounds, ret_squares, ret_flags);
}

void
scan_measure_norms (const float *panel, gsize count, gsize cols, float *ret_norms)
{
  measure_norms (panel, count, cols, ret_norms);
}

double
scan_rounding_share (gsize cols, gsize dimension)
{
  const double lambda = 4;

  return lambda * sqrt ((double) cols + (double) dimension + 3) * (FLT_EPSILON / 2);
}

Bounds
scan_bounds (const AssaySubspaces *subspaces, float square, guint64 bar)
{
  const double share = scan_rounding_share (subspaces->cols, subspaces->dimension);

  return (Bounds){ .square = square,
                   .floor = (float) (share * (double) square + FLT_MIN),
                   .slope = (float) (3 * share),
                   .bar = key_square_bound (bar) };
}

float
scan_stack (const AssaySubspaces *subspaces, gsize number, gsize n_stacked, double *residual,
            float *ret_stack)
{
  const gsize dimension = subspaces->dimension, cols = subspaces->cols;
  const float *translation = subspaces->translation + number * cols;
  const float *basis = dimension > 0 ? subspaces->basis + number * dimension * cols : NULL;
  double square = 0;

  for (gsize c = 0; c < cols; c++)
    residual[c] = (double) translation[c];
  for (gsize j = 0; j < 2 * dimension; j++) {
    const float *row = basis + j % dimension * cols;
    double part = 0;

    for (gsize c = 0; c < cols; c++)
      part += (double) row[c] * residual[c];
    for (gsize c = 0; c < cols; c++)
      residual[c] -= part * (double) row[c];
  }
  for (gsize c = 0; c < cols; c++) {
    ret_stack[c] = (float) residual[c];
    square += (double) ret_stack[c] * (double) ret_stack[c];
  }
  if (n_stacked > 1)
    memcpy (ret_stack + cols, basis, (n_stacked - 1) * cols * sizeof (float));
  return (float) square;
}
