/* Settings of dmp-graph, whose parts all read them. */
#pragma once

#include <stdbool.h>

#include "core/base/param.h"
#include "core/graph/clipping.h"
#include "core/graph/likeness.h"
#include "core/graph/motifs.h"

G_BEGIN_DECLS

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
                   "D: how many neighbours a node lists"),                                         \
  ASSAY_PARAM_CHOICE (DmpGraph, pruning, ASSAY_PRUNE_MUTUAL, assay_prunings,                       \
                      "Edges that stay: those that both ends list; or those that either does, in " \
                      "order of preference while both have room; or all of these"),                \
  ASSAY_PARAM_CHOICE (                                                                             \
      DmpGraph, rank, ASSAY_RANK_COSINE, assay_ranks,                                              \
      "Which neighbours are listed first: those with the higher cosine of features, "              \
      "the lower hash of the pair, or the higher number, which are public; or, by "                \
      "mistake, the higher cosine of rows of the private graph"),                                  \
  ASSAY_PARAM_CHOICE (                                                                             \
      DmpGraph, statistic, ASSAY_MOTIF_TRIANGLES, assay_motifs,                                    \
      "What is released: triangles at each edge, or common neighbours of each pair"),              \
  ASSAY_PARAM_REAL (DmpGraph, convexity, 0, 0, 1e6, "",                                            \
                    "lambda: weight of ||W - A||^2 (theorem 2), which no sensitivity here covers"),\
  ASSAY_PARAM_CHOICE (DmpGraph, mirror, DMP_MIRROR_KL, dmp_mirrors,                                \
                      "The distance that a step keeps small"),                                     \
  ASSAY_PARAM_INT (DmpGraph, rounds, 0, 0, 100000, "", "T; 0: 10, or without noise 100"),          \
  ASSAY_PARAM_REAL (DmpGraph, step, 0, 0, 1e6, "",                                                 \
                    "eta; 0: 1 / (T sigma_1), or without noise 1 / D"),                            \
  ASSAY_PARAM_REAL (DmpGraph, start, 1, 1e-9, 1e9, "", "Weight of every pair at first"),           \
  ASSAY_PARAM_CHOICE (                                                                             \
      DmpGraph, support, DMP_SUPPORT_ALL, dmp_supports,                                            \
      "Pairs that have a weight: all, or by mistake the edges of the clipped graph"),              \
  ASSAY_PARAM_BOOL (DmpGraph, noise, TRUE,                                                         \
                    "Whether there is noise; without it nothing is claimed"),                     \
  ASSAY_PARAM_CHOICE (DmpGraph, calibration, DMP_EXACT, dmp_calibrations,                          \
                      "sigma: the smallest for which the claim holds; or c Delta2 sqrt (T ln (1 / "\
                      "delta)) / epsilon with c = 1 or the root of 2"),                            \
  ASSAY_PARAM_BOOL (DmpGraph, composition, TRUE,                                                   \
                    "Whether sigma grows with the root of T; without it each round has the whole " \
                    "budget"),                                                                     \
  ASSAY_PARAM_CHOICE (DmpGraph, sensitivity, DMP_INPUT, dmp_sensitivities,                         \
                      "Delta2: D, as published; for one edge of the clipped graph; for one edge "  \
                      "of the graph before it is clipped; or by mistake of the very graph"),       \
  ASSAY_PARAM_CHOICE (DmpGraph, graph, DMP_PRIVATE, dmp_sources,                                   \
                      "What is clipped: the dataset's private graph, or all pairs (nothing is "    \
                      "private); or there is no graph, the control"),                              \
  ASSAY_PARAM_CHOICE (DmpGraph, similarity, ASSAY_SIMILARITY_JOINT, assay_similarities,            \
                      "Of items of two modalities: the mean of their cosines, or that of one"),    \
  ASSAY_PARAM_CHOICE (DmpGraph, relation, DMP_EDGE_OF_GRAPH, dmp_relations,                        \
                      "Neighbours of an audit: one edge of the graph, or of the clipped graph"),   \
  ASSAY_PARAM_INT (DmpGraph, nodes, 0, 0, 5000, "",                                                \
                   "Of the graphs of an audit; 0: as many as the pair that leaks most needs"),     \
  ASSAY_PARAM_CHOICE (DmpGraph, audited, DMP_TOUCHED, dmp_audiences,                               \
                      "Pairs of nodes that an audit looks at: those that the two graphs touch, "   \
                      "which tell as much as all")
/* clang-format on */

G_END_DECLS
