/* Simple graphs: no loops, no edge twice, no directions. */
#pragma once

#include "core/base/free.h"

/* Nodes are 0 .. n - 1, and there are at most so many. */
#define ASSAY_GRAPH_MAX_NODES (1u << 31)
/* A slot that is none. */
#define ASSAY_GRAPH_NONE G_MAXSIZE

/* Compressed rows: the neighbours of i, rising, are ends[starts[i]] .. ends[starts[i + 1] - 1]. An
 * edge has two slots, one in the row of either end. */
typedef struct {
  gsize n;
  gsize *starts; /* n + 1 */
  guint32 *ends; /* starts[n] */
} AssayGraph;

typedef struct {
  guint32 from, to;
} AssayLink;

/* What was in a list of links beside the edges that became of it. */
typedef struct {
  gsize loops;   /* links of a node to itself, which are left out */
  gsize repeats; /* links that had been there in the same direction */
  gsize one_way; /* edges of which there was one direction alone */
} AssayLinkCounts;

/* The graph of @links, in any order, whose ends are below @n. @ret_counts may be NULL.
 * ASSAY_ERROR_MEMORY. */
AssayGraph *assay_graph_new (gsize n, const AssayLink *links, gsize count,
                             AssayLinkCounts *ret_counts, GError **error);
/* Of all pairs of @n nodes; ASSAY_ERROR_MEMORY. */
AssayGraph *assay_graph_complete (gsize n, GError **error);
/* The edges whose slots are marked in @keep (both slots of an edge alike). */
AssayGraph *assay_graph_subset (const AssayGraph *graph, const guint8 *keep, GError **error);
ASSAY_DECLARE_FREE (AssayGraph, assay_graph_free)

static inline gsize
assay_graph_slots (const AssayGraph *graph)
{
  return graph->starts[graph->n];
}

static inline gsize
assay_graph_edges (const AssayGraph *graph)
{
  return assay_graph_slots (graph) / 2;
}

static inline gsize
assay_graph_degree (const AssayGraph *graph, gsize node)
{
  return graph->starts[node + 1] - graph->starts[node];
}

/* Where @b stands among the neighbours of @a; ASSAY_GRAPH_NONE: it is none. */
gsize assay_graph_find (const AssayGraph *graph, gsize a, gsize b);
/* How many neighbours @a and @b have in common. */
gsize assay_graph_common (const AssayGraph *graph, gsize a, gsize b);
/* For each slot the other one of its edge. */
void assay_graph_twins (const AssayGraph *graph, gsize *ret_twins);

/* Pairs i < j in lexicographic order: (0, 1), (0, 2), .. (0, n - 1), (1, 2), .. */
static inline gsize
assay_pair_count (gsize n)
{
  return n * (n - 1) / 2;
}

static inline gsize
assay_pair_number (gsize n, gsize i, gsize j)
{
  return i * (2 * n - i - 1) / 2 + j - i - 1;
}
