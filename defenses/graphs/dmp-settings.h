/* Settings of dmp-graph, whose parts all read them. */
#pragma once

#include <stdbool.h>

#include "core/graph/clipping.h"
#include "core/graph/motifs.h"

G_BEGIN_DECLS

typedef enum { DMP_MIRROR_KL, DMP_MIRROR_EUCLIDEAN } DmpMirror;
typedef enum { DMP_SUPPORT_ALL, DMP_SUPPORT_PRIVATE } DmpSupport;
typedef enum { DMP_EXACT, DMP_PAPER_1, DMP_PAPER_2 } DmpCalibration;
typedef enum { DMP_DEGREE, DMP_CLIPPED, DMP_INPUT, DMP_LOCAL } DmpSensitivity;
typedef enum { DMP_EDGE_OF_GRAPH, DMP_EDGE_OF_CLIPPED } DmpRelation;
typedef enum { DMP_TOUCHED, DMP_ALL } DmpAudited;
typedef enum { DMP_PRIVATE, DMP_FEATURES } DmpGraphSource;

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

G_END_DECLS
