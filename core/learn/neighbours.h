/* Regression by nearest neighbours: the mean of the outputs of the k rows whose standardised inputs
 * are nearest, by exact search (FAISS). k is that of 1, 2, 4, ... ASSAY_NEIGHBOURS_MOST which has
 * the least error when every row is left out of its own neighbours. */
#pragma once

#include "core/learn/standard.h"

#define ASSAY_NEIGHBOURS_MOST 64
/* Rows that others are looked for among, at most; the first of them. */
#define ASSAY_NEIGHBOURS_MOST_ROWS 20000

typedef struct {
  AssayStandard *standard;
  AssayMatrix *inputs; /* standardised */
  AssayMatrix *outputs;
  gsize k;
} AssayNeighbours;

/* n >= 2. Of the rows, the first 1000 choose k. */
AssayNeighbours *assay_neighbours_new (AssayView inputs, AssayView outputs, GError **error);
ASSAY_DECLARE_FREE (AssayNeighbours, assay_neighbours_free)

AssayMatrix *assay_neighbours_predict (const AssayNeighbours *neighbours, AssayView inputs,
                                       GError **error);
