/* The obvious form of core/network. */
#include "tests/reference/naive-network.h"

#include <math.h>
#include <string.h>

#define STEP 1e-5

gsize
naive_network_size (const AssayNetworkShape *shape)
{
  gsize size = 0;

  for (gsize l = 0; l < shape->n_layers; l++)
    size += (shape->widths[l] + 1) * shape->widths[l + 1];
  return size;
}

void
naive_network_read (const AssayNetwork *network, double *ret_parameters)
{
  const AssayNetworkShape *shape = &network->shape;

  for (gsize l = 0; l < shape->n_layers; l++) {
    for (gsize i = 0; i < shape->widths[l] * shape->widths[l + 1]; i++)
      *ret_parameters++ = (double) network->weights[l][i];
    for (gsize i = 0; i < shape->widths[l + 1]; i++)
      *ret_parameters++ = (double) network->biases[l][i];
  }
}

/* Of one row. */
static double
row_loss (const AssayNetworkShape *shape, const double *parameters, const float *input,
          const float *target)
{
  const gsize n_classes = shape->widths[shape->n_layers];
  double values[256], next[256], sum = 0, loss = 0;

  for (gsize j = 0; j < shape->widths[0]; j++)
    values[j] = (double) input[j];
  for (gsize l = 0; l < shape->n_layers; l++) {
    const gsize in = shape->widths[l], out = shape->widths[l + 1];
    const double *biases = parameters + in * out;

    for (gsize u = 0; u < out; u++) {
      next[u] = biases[u];
      for (gsize j = 0; j < in; j++)
        next[u] += parameters[u * in + j] * values[j];
      if (l + 1 < shape->n_layers && next[u] < 0)
        next[u] = 0;
    }
    memcpy (values, next, out * sizeof *values);
    parameters = biases + out;
  }
  for (gsize c = 0; c < n_classes; c++)
    sum += exp (values[c]);
  for (gsize c = 0; c < n_classes; c++)
    loss -= (double) target[c] * log (exp (values[c]) / sum);
  return loss;
}

double
naive_network_loss (const AssayNetworkShape *shape, const double *parameters, AssayView inputs,
                    AssayView targets)
{
  double sum = 0;

  for (gsize i = 0; i < inputs.rows; i++)
    sum += row_loss (shape, parameters, assay_view_row (inputs, i), assay_view_row (targets, i));
  return sum / (double) inputs.rows;
}

void
naive_network_gradient (const AssayNetworkShape *shape, const double *parameters, AssayView inputs,
                        AssayView targets, double *ret_gradient)
{
  const gsize size = naive_network_size (shape);
  g_autofree double *moved = g_memdup2 (parameters, size * sizeof *parameters);

  for (gsize i = 0; i < size; i++) {
    double above;

    moved[i] = parameters[i] + STEP;
    above = naive_network_loss (shape, moved, inputs, targets);
    moved[i] = parameters[i] - STEP;
    ret_gradient[i] = (above - naive_network_loss (shape, moved, inputs, targets)) / (2 * STEP);
    moved[i] = parameters[i];
  }
}
