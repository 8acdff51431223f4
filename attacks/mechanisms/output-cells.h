/* One column of a mechanism's outputs, cut into cells on which a linear classifier can put its
 * weights: values that are taken exactly (special marks, 0 and 1, indices), and quantile bins of
 * the rest. */
#pragma once

#include "core/plugin/outputs.h"

#define CELLS_MOST_ATOMS 32
#define CELLS_MOST_BINS 16

typedef struct {
  gsize column;
  guint n_atoms, n_bins;              /* cells 0 .. n_atoms - 1 are atoms, then come the bins */
  guint64 atoms[CELLS_MOST_ATOMS];    /* keys of outputs, ascending */
  guint64 edges[CELLS_MOST_BINS - 1]; /* the last key of each bin but the last */
  double centre, scale;               /* of values that are no atoms; scale 0: there are none */
  double contrast; /* between the two inputs: difference of means in standard deviations */
} OutputCells;

/* Learns from @n rows a side of column @column. At most @budget cells and values together.
 * @scratch: 2 x n numbers. */
void output_cells_learn (OutputCells *cells, const AssayOutputs outputs[2], gsize n, gsize column,
                         guint budget, guint64 *scratch);

/* The cell of @value, less than n_atoms + n_bins + 1; the last number says: none of them. */
guint output_cells_find (const OutputCells *cells, double value);

/* (value - centre) / scale within +-8; 0 for atoms. @cell is the value's. */
double output_cells_standardise (const OutputCells *cells, guint cell, double value);
