/* The kernels of a scan, for scan.c and scan-approximate.c alone: they read one panel of rows,
 * PANEL at most, whose products with the subspaces stand in rows of PANEL floats. */
#pragma once

#include "core/data/exchange.h"
#include "core/search/pool.h"
#include "core/search/search-panel.h"

typedef struct {
  float square; /* ||t'||^2 */
  float floor;  /* least squared distance: floor + slope ||w||^2 */
  float slope;
  float bar; /* largest squared distance that is of interest */
} Bounds;

/* ret_rest = rest - the sum of squares down each column of @products (n_rows x PANEL). */
void scan_subtract_squares (const float *rest, const float *products, gsize n_rows, gsize width,
                            float *ret_rest);

/* What the squared distances of a panel from one subspace are made of. */
typedef struct {
  const float *rest;     /* ||w||^2 - ||B w||^2 */
  const float *products; /* w.t' */
  const float *norms;
  gsize width;
} Squares;

/* Flags the distances that may pass the bar (NaN does), and returns whether any does. */
gboolean scan_flag_near (const Squares *from, Bounds bounds, float *ret_squares, gint8 *ret_flags);

/* ||w||^2 of each row of a panel. */
void scan_measure_norms (const float *panel, gsize count, gsize cols, float *ret_norms);

/* Rounding of the squared distance, in units of ||w||^2. A sum of n products x.y in float32 makes
 * n rounding errors, each of at most u = 2^-24 times the sum so far, which is at most ||x|| ||y||;
 * taken as independent with mean 0, as probabilistic error analysis does (Higham and Mary 2019, "A
 * new approach to probabilistic rounding error analysis"), they add up to a deviation of at most
 * sqrt (n / 3) u ||x|| ||y||. With g = lambda sqrt (n) u, lambda = 4, that is seven deviations:
 *   2 w.t'      is off by at most  2 g ||w|| ||t'||  <=  g (||w||^2 + ||t'||^2),
 *   ||B w||^2   is off by at most  2 g ||w|| ||B w|| <=  2 g ||w||^2,
 * together g (3 ||w||^2 + ||t'||^2); n = d + m + 3 also counts the additions of the epilogue. */
double scan_rounding_share (gsize cols, gsize dimension);

/* For the distances from a subspace whose ||t'||^2 is @square and the bar of whose pool is @bar. */
Bounds scan_bounds (const AssaySubspaces *subspaces, float square, guint64 bar);

static inline guint64
key_of_square (float square, gsize row)
{
  return key_from (isnan (square) ? INFINITY : sqrtf (square), row);
}

/* The first @n_stacked, one at least, of the rows [t'; B] of subspace @number, and ||t'||^2. It is
 * t' = t - B'B t, by projecting twice: the basis is orthonormal to float32 only, and t may be much
 * longer than t'. @residual is room for as many numbers as there are columns. */
float scan_stack (const AssaySubspaces *subspaces, gsize number, gsize n_stacked, double *residual,
                  float *ret_stack);
