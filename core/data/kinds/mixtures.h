/* Releases of kind mixtures: images that several secrets, and public images, were mixed into. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

typedef struct {
  gint64 k;               /* images in each mixture */
  gint64 partners;        /* of them, public ones */
  gint64 epochs;          /* mixtures that were made for each secret */
  double max_coefficient; /* none is larger */
  double private_share;   /* the coefficients of the secrets sum to this at least */
  double owner_share;     /* the mean coefficient of the secret that a mixture was made for */
  bool mask;              /* every number has a random sign */
} AssayMixturesParameters;

G_END_DECLS
