/* Triangles of a graph, counted at each edge. */
#pragma once

#include "core/graph/graph.h"

/* For each slot how many triangles its edge is in; returns how many there are in all. Costs the sum
 * over edges of the fewer neighbours of higher degree. ASSAY_ERROR_MEMORY. */
gboolean assay_graph_triangles (const AssayGraph *graph, guint32 *ret_counts, guint64 *ret_total,
                                GError **error);
