/* The loss of DMP-MH's second phase (equation 3): similarities of paired codes against the weights
 * of a graph. */
#pragma once

#include "core/data/kinds/graph.h"
#include "core/learn/paired-encoders.h"
#include "defenses/pairs/pair-terms.h"

/* What an item and itself, whose two codes are a pair too, should be alike: entirely; not at all,
 * as the graph has no loops and equation 3 is printed; or nothing is asked of them. */
typedef enum { DIAGONAL_ONE, DIAGONAL_ZERO, DIAGONAL_SKIP } Diagonal;

extern const char *const structural_diagonals[]; /* by Diagonal, NULL at the end */

typedef struct {
  const AssayWeightedGraph *graph; /* W^; NULL: 0 between all items */
  Diagonal diagonal;
  double cross;        /* lambda */
  double quantisation; /* gamma */
  PairTerms terms;     /* room for a batch */
  double *target;      /* W^ of a batch: count x count */
} StructuralLoss;

/* Room for batches. FALSE where there is none, with ASSAY_ERROR_MEMORY. */
gboolean structural_loss_init (StructuralLoss *loss, gsize count, gsize bits, AssayArena *arena,
                               GError **error);

/* With S (a, b) = (a . b / K + 1) / 2 and B items of K bits,
 *   1/B^2 sum_ij (S (u_i, u_j) - W^_ij)^2 + (S (v_i, v_j) - W^_ij)^2
 *                + lambda (S (u_i, v_j) - W^_ij)^2
 *   + gamma / (B K) sum (|u| - 1)^2 + (|v| - 1)^2.
 * @data is a StructuralLoss (see AssayPairedLoss). */
double structural_loss (const AssayPairedBatch *batch, gpointer data,
                        double *const inout_slopes[ASSAY_N_PAIRED]);
