/* Releases of kind statistics: numbers of all secrets together. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

typedef struct {
  guint noise;  /* AssayNoise (vectors.h): what was added to each number */
  double scale; /* of the noise, as of vectors */
} AssayStatisticsParameters;

G_END_DECLS
