/* Which points of an affine subspace are integer vectors, up to their scale. */
#pragma once

#include "attacks/lifting/integer-lattice.h"

typedef struct {
  double length; /* L2 norm that integer vectors have; 0: any */
  double spread; /* within this of it */
  double unit;   /* what 1 is in integers, where points are not scaled to unit length */
} PointRules;

typedef struct {
  gsize rank;       /* of the lattice */
  gsize count;      /* points, shortest first */
  gsize n_coarse;   /* the last ones, which stand in D less precisely than those before them */
  gint64 *vectors;  /* count x d */
  gboolean is_unit; /* the points of D are the vectors scaled to unit length; otherwise by 1/unit */
  gboolean is_cut;  /* there were too many vectors to look at */
  gboolean is_late; /* the time was up before all that there may be was looked for */
} IntegerPoints;

/* The integer vectors that are points of D, of a lattice in its span. */
void integer_points_find (const Span *span, const IntegerLattice *lattice, const PointRules *rules,
                          const LatticeView *view, IntegerPoints *ret_points);
/* Adds points of @coarse that @points has not, as coarse ones. */
void integer_points_add_coarse (IntegerPoints *points, const IntegerPoints *coarse, gsize cols);
void integer_points_clear (IntegerPoints *points);
