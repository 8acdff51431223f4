/* What a graph says of each pair of nodes: triangles over its edges, or common neighbours. A vector
 * over pairs i < j in the order of assay_pair_number. */
#pragma once

#include "core/graph/graph.h"

typedef enum {
  ASSAY_MOTIF_TRIANGLES, /* A_ij (A^2)_ij: triangles that the edge is in, 0 where there is none */
  ASSAY_MOTIF_CODEGREE,  /* (A^2)_ij: common neighbours, of all pairs */
} AssayMotif;

extern const char *const assay_motifs[]; /* by AssayMotif, NULL at the end */

/* The motif of the pair, and @edge for an edge on top of it. */
double assay_motif_of_pair (const AssayGraph *graph, AssayMotif motif, double edge, gsize i,
                            gsize j);
/* The same of the pairs of @i with all nodes above it. @paths: room for a number of each node,
 * which may hold anything. */
void assay_motif_fill_row (const AssayGraph *graph, AssayMotif motif, double edge, gsize i,
                           guint32 *paths, double *ret_values);
/* The largest number of common neighbours of any pair of nodes. ASSAY_ERROR_MEMORY. */
gboolean assay_motif_largest_codegree (const AssayGraph *graph, gsize *ret_largest, GError **error);
