/* Releases of kind graph with a weight for every pair of nodes. */
#pragma once

#include "core/data/exchange.h"

/* Compressed rows as the kind has them (core/data/kinds/graph.h). */
typedef struct {
  gsize n;
  gint64 *indptr, *indices;
  float *weights;
} GraphRows;

/* Room for @slots entries. ASSAY_ERROR_MEMORY. */
gboolean graph_rows_alloc (gsize n, gsize slots, GraphRows *ret_rows, GError **error);
/* The rows of all pairs, weights 0. ASSAY_ERROR_MEMORY. */
gboolean graph_rows_complete (gsize n, GraphRows *ret_rows, GError **error);
void graph_rows_clear (GraphRows *rows);

/* The slot of @j in the row of @i of a complete graph. */
static inline gsize
graph_rows_slot (gsize n, gsize i, gsize j)
{
  return i * (n - 1) + j - (j > i);
}

/* Takes them over. */
void graph_rows_take (GraphRows *rows, AssayRelease *release);
