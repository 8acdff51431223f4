/* Descriptors of a receiver, lifted to affine subspaces as those of a sender were, so that both can
 * be matched without either being shown (Dusmanu et al. 2021; read through LDP-FEAT, Pittaluga and
 * Zhuang 2023, section 3: subspace-to-subspace distances). */
#pragma once

#include "core/base/rng.h"
#include "core/math/subspace-distance.h"

/* Where the directions of the subspace of w come from: a_i - w for distinct rows a_i of the
 * database, U([-1, 1])^d, or m/2 (rounded down) of the former and the rest of the latter. */
typedef enum { LIFTING_RANDOM, LIFTING_ADVERSARIAL, LIFTING_HYBRID } LiftingVariant;

typedef struct {
  LiftingVariant variant;
  gsize dimension;
  const AssayRows *database; /* may be NULL for random */
  AssayScale scale;          /* of the database's rows */
  AssayStreamKey stream;
} ReferenceLifting;

/* Of the rows of @points; row i draws from item @items[i] of the stream. ASSAY_ERROR_MISMATCH: the
 * variant wants more distinct database rows than there are, or rows of other columns. */
AssayFlats *lifted_references_new (const ReferenceLifting *lifting, AssayView points,
                                   const guint64 *items, GError **error);
