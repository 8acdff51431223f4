/* Cases of known outcome for attacks on subspaces, made without the defense, so that a fault there
 * cannot hide one here. */
#pragma once

#include "core/games/control-case.h"
#include "core/plugin/plugin.h"

/* An affine subspace of @dimension m for each row of @secrets, through that row and its @n_others
 * rows of @others (n x n_others x d), and beyond them in random directions. */
AssayRelease *subspace_control_release (AssayView secrets, const float *others, gsize n_others,
                                        gsize dimension, AssayStream *stream, GError **error);

/* Subspaces in random directions through secrets that are the first of the public rows, all of
 * them normal. */
typedef struct {
  gsize n_secrets;
  gsize n_public;
  gsize cols;
  gsize dimension; /* 0: they are released as they are, as vectors */
} SubspaceControl;

gboolean subspace_control_make (const SubspaceControl *control, AssayStreamKey key,
                                AssayControlCase *ret_case, GError **error);

/* Public rows in tight clusters, a tenth as wide as they lie apart: one around each secret, and
 * some that subspaces have in common, because each goes through points of them. */
typedef struct {
  gsize n_secrets;
  gsize cols;
  gsize dimension;
  gsize own;           /* rows around each secret */
  gsize n_common;      /* clusters in common ... */
  const gsize *common; /* ... and the rows around each of them */
  gsize n_through;     /* of them, each subspace goes through so many */
  gboolean is_through_rows; /* through rows of theirs, and secrets are points of their clusters;
                             * otherwise both are the centres */
  gsize n_rows; /* at least so many rows, those beyond the above in clusters elsewhere */
} SubspaceClusters;

gboolean subspace_clusters_make (const SubspaceClusters *clusters, AssayStreamKey key,
                                 AssayControlCase *ret_case, GError **error);
