/* Releases of kind vector-sets: in place of each secret a set of rows of a dictionary. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

typedef struct {
  double epsilon; /* of the draw of one set */
} AssayVectorSetsParameters;

G_END_DECLS
