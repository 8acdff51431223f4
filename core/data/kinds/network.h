/* Releases of kind network: a network that was trained on the secrets, and made public. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

/* What the network is (core/network/classifier/image-classifier.h), and what it takes. */
typedef struct {
  gint64 height, width, channels; /* of an image */
  gint64 classes;
  gint64 filters; /* channels of its first convolution */
  gint64 blocks;
  gint64 stride;
  double black, white; /* of the numbers of an image */
} AssayNetworkParameters;

G_END_DECLS
