/* Which descriptors of two pictures match: nearest neighbours between two sets of subspaces or
 * points, and the usual filters (Lowe 2004, section 7.1: ratio of nearest to second nearest
 * distance; mutual nearest neighbours). */
#pragma once

#include "core/data/arena.h"
#include "core/math/subspace-distance.h"

/* Of n released flats and r references. Of equal distances the first counts. */
typedef struct {
  gsize n;
  gsize n_references;
  gsize *nearest[2];   /* n each: nearest and second nearest reference */
  double *squares[2];  /* n each: their distances, squared; infinite where there is none */
  gsize *of_reference; /* r: the nearest flat */
  AssayArena arena;    /* of these arrays */
} Neighbours;

/* ASSAY_ERROR_MISMATCH: columns differ, or the spans fill the space, so that any two meet. Does not
 * depend on the number of threads. */
Neighbours *neighbours_new (const AssayFlats *released, const AssayFlats *references,
                            GError **error);
ASSAY_DECLARE_FREE (Neighbours, neighbours_free)

/* What was released of each of n_items descriptors: @width flats (n_items x width numbers), which
 * are matched one by one, or, with is_joint, as one whose distance is that of its nearest. */
typedef struct {
  gsize n_items;
  gsize width;
  const gsize *members; /* NULL: item i is flat i */
  gboolean is_joint;
} MatchedItems;

typedef enum { FILTER_NONE, FILTER_MUTUAL, FILTER_RATIO, FILTER_BOTH } MatchFilter;

typedef struct {
  gsize item;
  gsize reference;
} MatchedPair;

/* The pairs of an item and the reference nearest to it (or to one of its flats) that pass the
 * filter: no flat is nearer to the reference, and nearest < @ratio x second nearest distance.
 * Ordered by item; none occurs twice. Free with g_array_unref. */
GArray *matches_new (const Neighbours *neighbours, const MatchedItems *items, MatchFilter filter,
                     double ratio);
