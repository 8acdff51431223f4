/* The integer points of all subspaces of a release. */
#pragma once

#include "attacks/lifting/integer-points.h"

#define LATTICE_PROBES 8
#define LATTICE_USUAL_LENGTH 600 /* of integer vectors, where none is given */

typedef struct {
  AssayStreamKey stream;
  PointRules rules;
  AssaySubspaces subspaces;
  gint64 deadline;       /* in monotonic microseconds; 0: none */
  IntegerPoints *points; /* n, filled in; to be cleared whether it fails or not */
  float *feet;           /* n x d, filled in: the points nearest to the origin */
  double precision;      /* filled in: with which integers stand in it; 0: there are none */
  double coarse;         /* filled in: the lower one of further vectors beside these; 0: none */
  gboolean is_unsettled; /* filled in: the deadline passed before the precision was known */
} LatticeSearch;

gboolean lattice_search_run (LatticeSearch *search, GError **error);
