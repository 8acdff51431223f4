/* The release of block-counts, from which hash functions can be trained as well, and its mechanism.
 */
#pragma once

#include "core/plugin/plugin.h"

/* What is counted: no edges; those of the dataset; or, as if they were edges, all pairs inside of
 * clusters, without noise. */
typedef enum { BLOCK_NONE, BLOCK_EDGES, BLOCK_CLUSTERS } BlockEdges;

extern const char *const block_edges[]; /* by BlockEdges, NULL at the end */

typedef struct {
  double epsilon;
  double delta;
  gint64 clusters;
  bool noise;
  guint edges;
} BlockCounts;

/* clang-format off */
/* The table of these settings, also of a struct that begins with a BlockCounts. */
#define BLOCK_PARAMETERS                                                                           \
  ASSAY_PARAM_REAL (BlockCounts, epsilon, 2, 1e-4, 60, "nats", "Privacy budget of one edge"),      \
  ASSAY_PARAM_REAL (BlockCounts, delta, 1e-5, 1e-30, 0.999999, "",                                 \
                    "Probability mass for which epsilon need not hold"),                           \
  ASSAY_PARAM_INT (BlockCounts, clusters, 50, 1, 2000, "", "How many clusters the items form"),    \
  ASSAY_PARAM_BOOL (BlockCounts, noise, TRUE,                                                      \
                    "Whether there is noise; without it nothing is claimed"),                      \
  ASSAY_PARAM_CHOICE (                                                                             \
      BlockCounts, edges, BLOCK_EDGES, block_edges,                                                \
      "What is counted: yes, the private edges; no, nothing, so that there is noise alone (a "     \
      "control); clusters, all pairs within clusters, which are public (a control)")
/* clang-format on */

/* Of one number: what noise an edge more or less needs. */
double block_deviation (const BlockCounts *settings, double epsilon);
/* The block of two clusters of @k: (0, 0), (0, 1), .. (0, k - 1), (1, 1), .. */
gsize block_of (gsize k, gsize a, gsize b);

/* Clusters @items, counts the edges of @context and fills @ret_release, of kind graph.
 * ASSAY_ERROR_MISMATCH where the dataset has no graph. */
gboolean block_release_make (const BlockCounts *settings, const AssayDefenseContext *context,
                             AssayView items, AssayRelease *ret_release, GError **error);

/* Four items in two clusters of two. Settings begin with a BlockCounts. */
extern const AssayMechanism block_mechanism;
