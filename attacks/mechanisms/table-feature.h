/* What outputs have in common with others, as a number of a few: which cell of a table an output
 * falls into. Counted on either input, such tables are scores (score-tables.c). */
#pragma once

#include "attacks/mechanisms/event-score.h"

#define TABLE_MOST_CELLS 128

typedef struct _TableFeature TableFeature;
struct _TableFeature {
  gsize column, other; /* of the output; @other where two are compared */
  guint which;         /* a power of ten, a modulus */
  guint n_cells;
  guint n_edges; /* tails: the last key of each cell but the last */
  guint32 edges[TABLE_MOST_CELLS - 1];
  guint (*cell) (const TableFeature *feature, const float *row, gsize cols);
  char *(*describe) (const TableFeature *feature, guint cell);
};

/* How many features of a kind outputs of so many columns have. */
gsize table_feature_count (EventKind kind, gsize cols);

/* Feature number @index of them; tails are cut by @sample. */
void table_feature_make (EventKind kind, gsize index, const EventSample *sample,
                         TableFeature *ret_feature);
