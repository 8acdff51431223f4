/* The integer vectors in the linear span of an affine subspace, as a lattice. */
#pragma once

#include "core/base/rng.h"
#include "core/data/exchange.h"

/* The span of one subspace D = t + span (B) of a release, in double. */
typedef struct {
  gsize cols;    /* d */
  gsize width;   /* m + 1, or m where D goes through the origin */
  double *frame; /* width x d, orthonormal: the direction of the foot, then the basis */
  double *foot;  /* d: the point of D nearest to the origin, t - B'B t */
  double foot2;  /* its squared length; 0: D goes through the origin */
} Span;

gboolean span_fill (const AssaySubspaces *subspaces, gsize index, Span *ret_span, GError **error);
void span_clear (Span *span);

/* How an integer vector is told from others: what lies outside of the span counts @precision times,
 * and @columns of the d columns are looked at first. */
typedef struct {
  double precision;
  gsize columns;
  gint64 deadline; /* in monotonic microseconds, after which no further step is begun; 0: none */
} LatticeView;

/* The precision that rounding to float32 leaves. */
#define LATTICE_FLOAT_PRECISION 1e7

/* How far from an integer a number of a vector may stand. */
double lattice_within (double precision);

/* Columns that tell integer vectors of about @length from others, of a span of @width; all @cols
 * where no number does. */
gsize lattice_view_columns (double precision, gsize width, gsize cols, double length);

/* Vectors of integers, which span all of them that lie in the span. */
typedef struct {
  gsize rank;
  gint64 *rows;     /* rank x d, a reduced basis */
  gboolean is_late; /* the deadline passed: the rank is 0 */
} IntegerLattice;

gboolean integer_lattice_find (const Span *span, const LatticeView *view, AssayStream *stream,
                               IntegerLattice *ret_lattice, GError **error);
void integer_lattice_clear (IntegerLattice *lattice);
