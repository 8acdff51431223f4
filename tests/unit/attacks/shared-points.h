/* Releases of affine-lifting, and which of their subspaces share public points. */
#pragma once

#include "core/plugin/plugin.h"

static const AssayStreamKey key = { { 5, 6 } };

typedef struct {
  AssayMatrix *public_matrix; /* as the attack sees it */
  AssayRows *public_rows, *database;
  AssayRelease *release;
  AssayTruth *truth;
  AssaySubspaces subspaces;
} SharedPoints;

void shared_points_clear (SharedPoints *scene);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SharedPoints, shared_points_clear)

/* A release of affine-lifting with the settings @lifting, and 400 public rows of @d columns. */
void shared_points_make (const char *lifting, gsize n, gsize n_database, gsize d, double length,
                         SharedPoints *scene);

/* How many adversarial descriptors the two have in common. */
gsize shared_points_count (const SharedPoints *scene, gsize a, gsize b);
