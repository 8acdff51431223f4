/* Sums over all pairs of items of a batch of a function of an inner product, with their
 * derivatives: what losses of paired codes are made of. */
#pragma once

#include "core/data/arena.h"

/* Room for batches of @count items and rows of @bits numbers. */
typedef struct {
  gsize count, bits;
  double *slopes; /* count x count */
  double *part;   /* count x bits */
} PairTerms;

/* FALSE where there is no room, with ASSAY_ERROR_MEMORY. */
gboolean pair_terms_init (PairTerms *terms, gsize count, gsize bits, AssayArena *arena,
                          GError **error);

/* Rows x_i and y_j (count x bits), which may be the same, and where derivatives are added up. */
typedef struct {
  const double *x, *y;
  double *x_slopes, *y_slopes;
} PairSides;

/* @inout_products are x_i . y_j of one i and all j; makes of them the derivatives of the terms of
 * these pairs, and returns the sum of the terms. */
typedef double (*PairRow) (gsize i, gconstpointer data, double *inout_products);

/* The sum of all terms; their derivatives are added. */
double pair_terms_add (const PairTerms *terms, const PairSides *sides, PairRow row,
                       gconstpointer data);

/* X Y': count x count, of rows of @cols numbers. */
void pair_products (const double *x, const double *y, gsize count, gsize cols,
                    double *ret_products);
