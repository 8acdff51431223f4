/* Settings of dmp-graph, whose parts all read them. */
#pragma once

#include <stdbool.h>

#include "core/base/param.h"
#include "core/graph/clipping.h"
#include "core/graph/likeness.h"
#include "core/graph/motifs.h"

typedef enum { DMP_MIRROR_KL, DMP_MIRROR_EUCLIDEAN } DmpMirror;
typedef enum { DMP_SUPPORT_ALL, DMP_SUPPORT_PRIVATE } DmpSupport;
typedef enum { DMP_EXACT, DMP_PAPER_1, DMP_PAPER_2 } DmpCalibration;
typedef enum { DMP_DEGREE, DMP_CLIPPED, DMP_INPUT, DMP_LOCAL } DmpSensitivity;
typedef enum { DMP_EDGE_OF_GRAPH, DMP_EDGE_OF_CLIPPED } DmpRelation;
typedef enum { DMP_TOUCHED, DMP_ALL } DmpAudited;
typedef enum { DMP_PRIVATE, DMP_FEATURES, DMP_NONE } DmpGraphSource;

typedef struct {
  double epsilon;
  double delta;
  gint64 bound; /* D */
  guint pruning;
  guint rank;
  guint statistic;
  double convexity;
  guint mirror;
  gint64 rounds; /* T; 0: dmp_rounds chooses */
  double step;   /* eta; 0: dmp_step chooses */
  double start;
  guint support;
  bool noise;
  guint calibration;
  bool composition;
  guint sensitivity;
  guint graph;
  guint similarity;
  guint relation;
  gint64 nodes;
  guint audited;
} DmpGraph;

extern const char *const dmp_mirrors[]; /* by their enumerations, NULL at the end */
extern const char *const dmp_supports[];
extern const char *const dmp_calibrations[];
extern const char *const dmp_sensitivities[];
extern const char *const dmp_relations[];
extern const char *const dmp_audiences[];
extern const char *const dmp_sources[];

/* The table of these settings, also of a struct that begins with a DmpGraph. */
/* clang-format off */
#define DMP_GRAPH_PARAMETERS                                                                       \
  ASSAY_PARAM_REAL (DmpGraph, epsilon, 2, 1e-4, 60, "nats", "Privacy budget that is claimed"),     \
  ASSAY_PARAM_REAL (DmpGraph, delta, 1e-5, 1e-30, 0.999999, "",                                    \
                    "Probability mass for which epsilon need not hold"),                           \
  ASSAY_PARAM_INT (DmpGraph, bound, 100, 2, 100000, "neighbours",                                  \
                   "The most neighbours that a node lists (D)"),                                   \
  ASSAY_PARAM_CHOICE (DmpGraph, pruning, ASSAY_PRUNE_MUTUAL, assay_prunings,                       \
                      "Which edges stay: those that both ends list; those that either end "        \
                      "lists, in order of preference while both have room; or all that either "    \
                      "lists"),                                                                    \
  ASSAY_PARAM_CHOICE (                                                                             \
      DmpGraph, rank, ASSAY_RANK_COSINE, assay_ranks,                                              \
      "Which neighbours a node lists first: those with the higher cosine of features, the "        \
      "lower hash of the pair or the higher number, which are public; or, a known mistake, the "   \
      "higher cosine of rows of the private graph"),                                               \
  ASSAY_PARAM_CHOICE (                                                                             \
      DmpGraph, statistic, ASSAY_MOTIF_TRIANGLES, assay_motifs,                                    \
      "What is released: the triangles at each edge, or the common neighbours of each pair"),      \
  ASSAY_PARAM_REAL (DmpGraph, convexity, 0, 0, 1e6, "",                                            \
                    "Weight lambda of ||W - A||^2 (theorem 2), which none of the "                 \
                    "sensitivities covers"),                                                       \
  ASSAY_PARAM_CHOICE (DmpGraph, mirror, DMP_MIRROR_KL, dmp_mirrors,                                \
                      "The distance that a step of mirror descent keeps small"),                   \
  ASSAY_PARAM_INT (DmpGraph, rounds, 0, 0, 100000, "", "Rounds T; 0: 10, or 100 without noise"),   \
  ASSAY_PARAM_REAL (DmpGraph, step, 0, 0, 1e6, "",                                                 \
                    "Step size eta; 0: 1 / (T sigma_1), or 1 / D without noise"),                  \
  ASSAY_PARAM_REAL (DmpGraph, start, 1, 1e-9, 1e9, "", "The weight that every pair starts with"),  \
  ASSAY_PARAM_CHOICE (                                                                             \
      DmpGraph, support, DMP_SUPPORT_ALL, dmp_supports,                                            \
      "Which pairs have a weight: all; or, a known mistake, the edges of the clipped graph"),      \
  ASSAY_PARAM_BOOL (DmpGraph, noise, TRUE,                                                         \
                    "Whether there is noise; without it nothing is claimed"),                      \
  ASSAY_PARAM_CHOICE (DmpGraph, calibration, DMP_EXACT, dmp_calibrations,                          \
                      "How sigma is chosen: the smallest for which the claim holds; or c "         \
                      "Delta2 sqrt (T ln (1 / delta)) / epsilon with c = 1 or c = sqrt (2)"),      \
  ASSAY_PARAM_BOOL (DmpGraph, composition, TRUE,                                                   \
                    "Whether sigma grows with sqrt (T); without it each round has the whole "      \
                    "budget"),                                                                     \
  ASSAY_PARAM_CHOICE (DmpGraph, sensitivity, DMP_INPUT, dmp_sensitivities,                         \
                      "Sensitivity Delta2: D, as published; that of one edge of the clipped "      \
                      "graph; that of one edge of the graph before it is clipped; or, a known "    \
                      "mistake, that of this very graph"),                                         \
  ASSAY_PARAM_CHOICE (DmpGraph, graph, DMP_PRIVATE, dmp_sources,                                   \
                      "What is clipped: the dataset's private graph; all pairs, by their "         \
                      "features, so that nothing is private; or nothing, the control"),            \
  ASSAY_PARAM_CHOICE (DmpGraph, similarity, ASSAY_SIMILARITY_JOINT, assay_similarities,            \
                      "Similarity of items of two modalities: the mean of both cosines, or the "   \
                      "cosine of one"),                                                            \
  ASSAY_PARAM_CHOICE (DmpGraph, relation, DMP_EDGE_OF_GRAPH, dmp_relations,                        \
                      "What the graphs of an audit differ in: one edge of the graph, or of the "   \
                      "clipped graph"),                                                            \
  ASSAY_PARAM_INT (DmpGraph, nodes, 0, 0, 5000, "",                                                \
                   "Nodes of the graphs of an audit; 0: as many as the pair of graphs that "       \
                   "leaks most needs"),                                                            \
  ASSAY_PARAM_CHOICE (DmpGraph, audited, DMP_TOUCHED, dmp_audiences,                               \
                      "Pairs of nodes that an audit looks at: those whose weights the two "        \
                      "graphs change, which tell as much as all; or all")
/* clang-format on */
