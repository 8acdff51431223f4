/* Graphs as arrays of their edges, in which datasets and truths hold them. */
#pragma once

#include "core/data/array.h"
#include "core/graph/graph.h"

/* int64 E x 2: the lower end first, rising, each once. ASSAY_ERROR_MEMORY. */
AssayArray *assay_edge_array_new (const AssayGraph *graph, GError **error);
/* The graph of such edges between @n nodes. ASSAY_ERROR_DATA for ends that are not from 0 to n - 1,
 * and of edges of a node with itself; edges may stand there in any order and repeatedly. */
AssayGraph *assay_edge_array_graph (gsize n, const AssayArray *edges, GError **error);

/* The edges between the nodes @chosen, by their places in it, of a graph of @n nodes; each node is
 * chosen once at most. ASSAY_ERROR_MEMORY. */
AssayArray *assay_edge_array_among (const AssayArray *edges, gsize n, const gsize *chosen,
                                    gsize count, GError **error);
