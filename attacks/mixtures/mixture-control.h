/* Cases of known outcome for attacks on mixtures: images mixed here rather than by a defense, so
 * that a fault there cannot hide one here. */
#pragma once

#include "core/games/control-case.h"
#include "core/plugin/plugin.h"

typedef struct {
  gsize n_secrets;
  gsize n_public;
  gsize side;       /* images are side x side x 1 */
  gsize n_sources;  /* secrets in a mixture, its owner among them; 0: it alone */
  gsize n_partners; /* public images in it */
  gsize n_epochs;   /* mixtures of each secret; 0: one */
  gboolean has_mask;
  gboolean is_positive; /* pixels are squares of normal numbers */
  /* Not 0: images are smooth, as two secrets in a mixture tell the signs of neighbours by. Pixels
   * are averaged over so many, each way, and scaled to mean 0 and variance 1 in each image. */
  gsize window;
  double most_private; /* of smooth images: share of the secrets at most; 0: whatever is drawn */
  const AssayRows *public_rows; /* @n_public images that were drawn before; NULL: others */
  gboolean is_single; /* the second secret of each mixture is its owner again */
} MixtureControl;

/* Secrets and public images of independent standard normal numbers, mixed with coefficients that
 * are uniform, divided by their sum, and redrawn until none is above 0.65, and of smooth images
 * until those of the secrets sum to 0.3 or more, and to most_private at most. Fills everything
 * that mixtures have: release (whose parameters name k, epochs and the largest coefficient), truth
 * with secrets, sources, partners and owners, public rows, groups. */
gboolean mixture_control_make (const MixtureControl *control, AssayStreamKey key,
                               AssayControlCase *ret_case, GError **error);
