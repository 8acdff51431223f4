/* Gradients of known images, for the control of attacks on gradients: made here rather than by a
 * defense, so that a fault there cannot hide one here. */
#pragma once

#include "core/games/control-case.h"
#include "core/network/sigmoid-network.h"

typedef struct {
  gsize n;    /* images, of which none is mixed, and gradients */
  gsize side; /* images are side x side x 1 */
  gsize classes;
  AssaySigmoidForm form;
  gsize units;
  gsize window; /* over which pixels are averaged each way; 0: they are independent */
} GradientCase;

/* Images of standard normal numbers, independent or alike, with a random label each, and the
 * gradients of a network of random weights, which are in the release. */
gboolean gradient_case_make (const GradientCase *made, AssayStreamKey key,
                             AssayControlCase *ret_case, GError **error);
