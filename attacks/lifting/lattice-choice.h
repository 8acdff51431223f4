/* Which of the integer points of a subspace is the secret: what is known tells the others apart. */
#pragma once

#include "attacks/lifting/integer-points.h"
#include "core/data/rows.h"

typedef struct {
  gsize item;  /* whose point it is */
  gsize place; /* among the item's points */
  double key;  /* of its direction; equal points have equal keys to rounding */
  const gint64 *vector;
  double length;
  gint is_known; /* a row of the database has its direction */
  gsize shared;  /* other items that have it, too */
} LatticeCandidate;

typedef struct {
  gsize cols;
  GArray *sorted; /* of LatticeCandidate, by key */
  double *axis;   /* d: keys are projections on it */
} LatticeCandidates;

/* All points of the @n items, which have to outlive them. */
LatticeCandidates *lattice_candidates_new (const IntegerPoints *points, gsize n, gsize cols,
                                           AssayStream *stream);
void lattice_candidates_free (LatticeCandidates *candidates);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LatticeCandidates, lattice_candidates_free)

/* Marks those of which a row is a multiple; other lengths and types of the rows do not matter. */
void lattice_candidates_mark_known (LatticeCandidates *candidates, const AssayRows *rows);
/* Counts in how many other items from number @first on each occurs. */
void lattice_candidates_count_shared (LatticeCandidates *candidates, gsize first);
