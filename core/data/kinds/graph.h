/* Releases of kind graph: one graph with weights, whose nodes are the secrets. */
#pragma once

#include "core/data/exchange.h"

typedef struct {
  gint64 bound;  /* of the degrees of the graph that it was made from; 0: there was none */
  gint64 rounds; /* in which it was made */
  double scale;  /* deviation of the noise of each round; 0: none */
  /* What weights were divided by, after they were made ln (1 + w): w is exp (largest W^) - 1. */
  double largest;
} AssayGraphParameters;

/* Compressed rows: the neighbours of i, rising, are indices[indptr[i]] .. indices[indptr[i + 1] -
 * 1], and weights has an entry for each; an edge stands in the rows of both of its ends. */
typedef struct {
  gsize n;
  const gint64 *indptr, *indices;
  const float *weights;
} AssayWeightedGraph;

AssayWeightedGraph assay_release_graph (const AssayRelease *release);

/* The weight between two nodes; 0 where there is none. */
float assay_weighted_graph_at (const AssayWeightedGraph *graph, gsize i, gsize j);
