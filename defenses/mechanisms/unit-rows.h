/* Small datasets whose rows are at most 1 long, as mechanisms that learn a linear classifier take
 * them: a row is z = y x, a sample times its class of 1 or -1, which is all that such a loss
 * depends on. Neighbours differ in row 0. */
#pragma once

#include "core/base/rng.h"
#include "core/data/matrix.h"

typedef struct {
  gsize rows;
  gsize cols;
} UnitRows;

/* By what a row is multiplied so that it is at most 1 long: 1 / |row|, or 1. */
double unit_rows_factor (const float *row, gsize cols);

/* The pair whose two models differ in all columns alike, so that no L1 norm is larger: with
 * p = (1, -1, 1, -1, ..) and q = (1, 1, 1, 1, ..) over sqrt (d), row 0 is @along p + @across q in
 * the one, @along p - @across q in the other, and all other rows are @others p. Of one column there
 * is no p: row 0 is @across and -@across, others are @others. An odd last column is zero. */
typedef struct {
  double along;
  double across;
  double others;
} UnitRowsPair;

void unit_rows_opposite (UnitRows size, const UnitRowsPair *pair, float *ret_first,
                         float *ret_second);
/* Random rows 1 long, of which row 0 is replaced by another. */
void unit_rows_random (UnitRows size, AssayStream *stream, float *ret_first, float *ret_second);
