/* Graphs whose nodes have a bounded degree: each node lists the neighbours that it prefers, and
 * edges that are not listed go. */
#pragma once

#include "core/graph/graph.h"

typedef enum {
  ASSAY_PRUNE_MUTUAL, /* what both ends list stays */
  /* What either end lists, in order of preference, while both ends have fewer than `bound`; with
   * ASSAY_RANK_NUMBER in falling order of the larger end, then of the smaller one. */
  ASSAY_PRUNE_GREEDY,
  ASSAY_PRUNE_NONE, /* what either end lists stays, and degrees are not bounded */
} AssayPruning;

typedef enum {
  ASSAY_RANK_COSINE,     /* the higher `likeness` of the two first */
  ASSAY_RANK_HASH,       /* the lower splitmix64 (i << 32 | j) first, i < j */
  ASSAY_RANK_NUMBER,     /* the higher neighbour first */
  ASSAY_RANK_NEIGHBOURS, /* the higher cosine of the two rows of the adjacency matrix first, to 12
                          * decimals: it depends on the graph that is clipped */
} AssayRank;

extern const char *const assay_prunings[]; /* by AssayPruning, NULL at the end */
extern const char *const assay_ranks[];

/* splitmix64 (i << 32 | j) of two nodes i < j, which may be given in any order. */
guint64 assay_rank_hash (guint64 i, guint64 j);

/* Of pairs that are alike the lower neighbour comes first, and in a greedy order of all edges the
 * lower pair. */
typedef struct {
  AssayRank rank;
  AssayPruning pruning;
  gsize bound;
  /* Of a pair of nodes, in any order the same, finite; for ASSAY_RANK_COSINE alone. */
  double (*likeness) (gconstpointer data, gsize i, gsize j);
  gconstpointer data;
} AssayClipping;

/* ASSAY_ERROR_MEMORY. */
AssayGraph *assay_graph_clip (const AssayGraph *graph, const AssayClipping *clipping,
                              GError **error);
