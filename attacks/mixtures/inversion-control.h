/* A case of known outcome for mixture-inversion: smooth images, mixed here rather than by a
 * defense, so that a fault there cannot hide one here. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  gsize n_secrets;
  gsize n_public;
  gsize n_epochs; /* mixtures of each secret, with one other */
  gsize n_partners;
  gsize side;         /* images are side x side x 1 */
  gsize window;       /* pixels that noise is averaged over, each way; 0: 3 */
  gboolean is_single; /* both secrets of a mixture are the same */
  gboolean is_open;   /* there is no mask */
} InversionControl;

/* Images are normal noise, averaged over windows and scaled to mean 0 and variance 1. Fills
 * release, truth (secrets, sources, partners) and public rows; coefficients are uniform, divided by
 * their sum, and redrawn until none is above 0.65 and those of the secrets sum to 0.3 or more. */
gboolean inversion_control_make (const InversionControl *control, AssayStreamKey key,
                                 AssayControlCase *ret_case, GError **error);
