/* Graphs that differ in one edge, and in their motifs as much as can be: what audits play. */
#pragma once

#include "core/plugin/common.h"
#include "defenses/graphs/dmp-settings.h"

#define DMP_N_PROPOSED 2

/* Nodes of the graphs of an audit, and how many the worst pair needs at least. */
gsize dmp_pair_nodes (const DmpGraph *settings);
gsize dmp_pair_least_nodes (const DmpGraph *settings);

/* Pair number @index, the worst first, from DMP_N_PROPOSED on drawn from @stream: 1 for each pair
 * of nodes (assay_pair_number) that is an edge, else 0. The first graph has the edge. */
void dmp_pair_fill (const DmpGraph *settings, guint index, AssayStream *stream, float *ret_first,
                    float *ret_second);

/* The rank by which an audit clips. Features are public, so that a rank by their cosines can be
 * any: that by numbers comes of features c_i e_0 + sqrt (1 - c_i^2) e_i, whose cosines c_i c_j
 * rise with the number of the neighbour where c does. */
AssayRank dmp_pair_rank (const DmpGraph *settings);

/* The graph of such numbers. */
AssayGraph *dmp_pair_graph (gsize n, const float *is_edge);

/* The check of a plugin that has these settings: whether there are such graphs, and the rest. */
gboolean dmp_pair_check (const DmpGraph *settings, const AssayShape *shape, GError **error);
