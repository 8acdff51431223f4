/* How far apart rows usually are: the scale by which some of them are called near. */
#pragma once

#include "core/base/rng.h"
#include "core/data/matrix.h"

/* Pairs of rows at random, or all where they are few. */
typedef struct {
  gsize n_pairs;   /* looked at */
  double *nearest; /* their distances, ascending */
  double usual;    /* nine pairs in ten are at most so far apart */
} AssaySpread;

/* Euclidean distances of pairs of different numbers in @parts (NULL: of different rows); NULL:
 * there is no such pair. */
AssaySpread *assay_spread_new (AssayView rows, const gsize *parts, AssayStreamKey key);
ASSAY_DECLARE_FREE (AssaySpread, assay_spread_free)

/* The share of the pairs that are at most @distance apart. */
double assay_spread_share (const AssaySpread *spread, double distance);

/* The share of pairs that would be within @distance (at most half the usual) if rows thinned out
 * towards each other as they do from the usual distance to half of it: a power of the distance. It
 * is higher than the truth, as rows thin out faster near by, and knows nothing of copies. */
double assay_spread_chance (const AssaySpread *spread, double distance);

/* Divides every column by its standard deviation, or by the median of those of all columns that
 * vary where that is larger: no column's unit decides which rows are near, and none that hardly
 * varies is blown up. Of rows @like (0 rows: none) the larger deviation counts. Returns how many
 * columns vary. */
gsize assay_rows_scale_columns (AssayMatrix *inout_rows, AssayMatrix *inout_like);
