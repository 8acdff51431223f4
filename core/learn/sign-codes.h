/* Codes of a graph's nodes in which what joins them is still there: the other end of the scale
 * from codes that have nothing of the graph in them. */
#pragma once

#include "core/graph/graph.h"

/* A code of @bits bits for each node (n x ceil (bits / 8) bytes): bit b is whether the node's
 * component of eigenvector b + 2 of D^-1/2 A D^-1/2 is above the median of that vector, A the
 * adjacency matrix and D its degrees, eigenvalues falling; the first has no more than degrees in
 * it. ASSAY_ERROR_MISMATCH where there are too few nodes, ASSAY_ERROR_MEMORY. */
guint8 *assay_graph_sign_codes (const AssayGraph *graph, gsize bits, GError **error);
