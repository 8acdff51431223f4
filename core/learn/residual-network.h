/* A network of one hidden layer that learns what ridge regression leaves over: it is not to find
 * again what is linear. It sees the leading principal components of the inputs, and gives those of
 * the outputs. */
#pragma once

#include "core/learn/ridge.h"
#include "core/math/network.h"
#include "core/math/principal.h"

typedef struct {
  AssayRidge *ridge;
  AssayPrincipal *inputs; /* of standardised inputs */
  AssayPrincipal *outputs;
  AssayNetwork *network;
  double scale; /* of what it gives */
} AssayResidualNetwork;

/* n >= 2; errors as of ridge, and ASSAY_ERROR_NUMERIC where training diverges. */
AssayResidualNetwork *assay_residual_network_new (AssayView inputs, AssayView outputs,
                                                  AssayStreamKey key, GError **error);
ASSAY_DECLARE_FREE (AssayResidualNetwork, assay_residual_network_free)

AssayMatrix *assay_residual_network_predict (const AssayResidualNetwork *network, AssayView inputs,
                                             GError **error);
