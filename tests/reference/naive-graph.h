/* Graphs as full matrices of 0 and 1, n x n, and what is done to them as it is written down: no
 * rows, no sorting, every pair and triple looked at. */
#pragma once

#include "core/base/rng.h"
#include "core/graph/clipping.h"

G_BEGIN_DECLS

/* Each pair an edge with probability @p; and as a graph. Free with g_free. */
guint8 *naive_graph_draw (gsize n, double p, AssayStream *stream);
AssayGraph *naive_graph_rows (gsize n, const guint8 *matrix);
guint8 *naive_graph_matrix (const AssayGraph *graph);

/* Nodes that are neighbours of both. */
gsize naive_graph_common (gsize n, const guint8 *matrix, gsize i, gsize j);

/* What is left of it. */
guint8 *naive_graph_clip (gsize n, const guint8 *matrix, const AssayClipping *clipping);

G_END_DECLS
