/* The obvious form of core/network: the loss in double, its gradient by differences. */
#pragma once

#include "core/math/network.h"

G_BEGIN_DECLS

/* Weights and biases of all layers in one list: weights of layer 0, its biases, layer 1, ... */
gsize naive_network_size (const AssayNetworkShape *shape);
void naive_network_read (const AssayNetwork *network, double *ret_parameters);

/* -1/n sum_i sum_c y_ic ln p_ic. */
double naive_network_loss (const AssayNetworkShape *shape, const double *parameters,
                           AssayView inputs, AssayView targets);
/* Central differences of that, all parameters. */
void naive_network_gradient (const AssayNetworkShape *shape, const double *parameters,
                             AssayView inputs, AssayView targets, double *ret_gradient);

G_END_DECLS
