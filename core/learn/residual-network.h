/* A network of one hidden layer that learns what ridge regression leaves over: it is not to find
 * again what is linear. It sees the leading principal components of the inputs, and gives those of
 * the outputs. */
#pragma once

#include "core/learn/ridge.h"
#include "core/math/network.h"
#include "core/math/principal.h"

#define ASSAY_RESIDUAL_EPOCHS 30 /* of a training that does not diverge */

typedef struct {
  AssayRidge *ridge;
  AssayPrincipal *inputs; /* of standardised inputs */
  AssayPrincipal *outputs;
  AssayNetwork *network;
  double scale;              /* of what it gives */
  AssayNetworkReport report; /* of its training: the weights are of the last epoch that it counts */
} AssayResidualNetwork;

/* n >= 2; errors as of ridge, and ASSAY_ERROR_NUMERIC where training diverges in its first epoch.
 * In a later one: the network that it was after the one before, and @report says so. */
AssayResidualNetwork *assay_residual_network_new (AssayView inputs, AssayView outputs,
                                                  AssayStreamKey key, GError **error);
ASSAY_DECLARE_FREE (AssayResidualNetwork, assay_residual_network_free)

/* ASSAY_ERROR_NUMERIC for inputs that are not finite, and where what it would predict is not. */
AssayMatrix *assay_residual_network_predict (const AssayResidualNetwork *network, AssayView inputs,
                                             GError **error);
