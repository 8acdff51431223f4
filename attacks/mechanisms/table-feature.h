/* What outputs have in common with others, as a number of a few: which cell of a table an output
 * falls into. Counted on either input, such tables are scores (score-tables.c). */
#pragma once

#include "attacks/mechanisms/event-score.h"

#define TABLE_MOST_CELLS 128

typedef struct _TableFeature TableFeature;
struct _TableFeature {
  gsize column, other; /* of the output; @other where two are compared */
  guint which;         /* a power of ten, a modulus */
  guint n_cells;       /* 0: the sample has no such feature */
  guint n_edges; /* tails: the last key of each cell but the last */
  guint64 edges[TABLE_MOST_CELLS - 1];
  double place, scale; /* bits: what is subtracted from the column, and of the noise */
  guint (*cell) (const TableFeature *feature, AssayOutputs outputs, gsize run);
  char *(*describe) (const TableFeature *feature, guint cell);
  /* The function of runner/witness/witness-head.py that gives the cells, and the fields above that
   * it takes: "digit column which". */
  const char *python;
};

/* The largest power of two that divides a number: as a cell, and in words. */
#define TABLE_POWERS 128
guint table_power_of (double value);
char *table_describe_power (const char *what, guint cell);

/* How many features of a kind outputs of so many columns have. */
gsize table_feature_count (EventKind kind, gsize cols);

/* Feature number @index of them; tails are cut by @sample. */
void table_feature_make (EventKind kind, gsize index, const EventSample *sample,
                         TableFeature *ret_feature);

/* The same of the order of columns (order-feature.c) ... */
gsize order_feature_count (gsize cols);
void order_feature_make (gsize index, gsize cols, TableFeature *ret_feature);
/* ... and of the lowest bits of outputs that are doubles (bit-feature.c). */
gsize bit_feature_count (gsize cols);
void bit_feature_make (gsize index, const EventSample *sample, TableFeature *ret_feature);
