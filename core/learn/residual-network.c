/* A network for what ridge regression leaves over. */
#include "core/learn/residual-network.h"

#include <math.h>

#include "core/base/vectors.h"

#define MOST_INPUTS 128
#define HIDDEN 256
#define MOST_OUTPUTS 64

static const AssayNetworkTraining training = { .epochs = ASSAY_RESIDUAL_EPOCHS,
                                               .batch = 64,
                                               .learning_rate = 0.01,
                                               .momentum = 0.9,
                                               .weight_decay = 1e-4 };

ASSAY_FREE_FUNC (AssayResidualNetwork, assay_residual_network_free, assay_ridge_free (self->ridge),
                 assay_principal_free (self->inputs), assay_principal_free (self->outputs),
                 assay_network_free (self->network))

/* What the network sees: components of the standardised inputs, each of variance 1. */
static AssayMatrix *
see (const AssayResidualNetwork *network, AssayView inputs, GError **error)
{
  const AssayPrincipal *principal = network->inputs;
  g_autoptr (AssayMatrix) scaled = assay_standard_apply (network->ridge->standard, inputs, error);
  AssayMatrix *seen = scaled != NULL
                          ? assay_principal_project (principal, assay_matrix_view (scaled), error)
                          : NULL;

  for (gsize i = 0; seen != NULL && i < seen->rows; i++)
    for (gsize j = 0; j < seen->cols; j++)
      assay_matrix_row (seen, i)[j]
          *= j < principal->rank ? (float) (1 / sqrt (principal->values[j])) : 0;
  return seen;
}

/* What ridge leaves over, in components of the outputs; sets the scale. */
static AssayMatrix *
left_over (AssayResidualNetwork *network, AssayView inputs, AssayView outputs, GError **error)
{
  g_autoptr (AssayMatrix) left = assay_ridge_predict (network->ridge, inputs, error);
  AssayMatrix *components;
  double sum = 0;

  if (left == NULL)
    return NULL;
  /* Projecting takes the mean of the outputs away, which is not one of differences. */
  for (gsize i = 0; i < left->rows; i++)
    for (gsize j = 0; j < left->cols; j++)
      assay_matrix_row (left, i)[j]
          = (float) ((double) assay_view_row (outputs, i)[j]
                     - (double) assay_matrix_row (left, i)[j] + network->outputs->mean[j]);
  components = assay_principal_project (network->outputs, assay_matrix_view (left), error);
  if (components == NULL)
    return NULL;
  for (gsize i = 0; i < components->rows; i++)
    sum += assay_squared_norm (assay_matrix_row (components, i), components->cols);
  network->scale = sqrt (sum / (double) (components->rows * components->cols));
  for (gsize i = 0; network->scale > 0 && i < components->rows * components->cols; i++)
    components->data[i] = (float) ((double) components->data[i] / network->scale);
  return components;
}

static AssayPrincipal *
components_of (AssayView rows, gsize most, GError **error)
{
  return assay_principal_new (rows, MIN (most, MIN (rows.cols, rows.rows - 1)), error);
}

AssayResidualNetwork *
assay_residual_network_new (AssayView inputs, AssayView outputs, AssayStreamKey key, GError **error)
{
  g_autoptr (AssayResidualNetwork) network = g_new0 (AssayResidualNetwork, 1);
  g_autoptr (AssayMatrix) scaled = NULL;
  g_autoptr (AssayMatrix) seen = NULL;
  g_autoptr (AssayMatrix) targets = NULL;
  AssayNetworkShape shape = { .n_layers = 2 };
  AssayNetworkTraining reported = training;

  network->ridge = assay_ridge_new (inputs, outputs, key, error);
  scaled = network->ridge != NULL ? assay_standard_apply (network->ridge->standard, inputs, error)
                                  : NULL;
  if (scaled == NULL)
    return NULL;
  network->inputs = components_of (assay_matrix_view (scaled), MOST_INPUTS, error);
  network->outputs = components_of (outputs, MOST_OUTPUTS, error);
  if (network->inputs == NULL || network->outputs == NULL)
    return NULL;
  seen = see (network, inputs, error);
  targets = seen != NULL ? left_over (network, inputs, outputs, error) : NULL;
  if (targets == NULL)
    return NULL;
  shape.widths[0] = seen->cols;
  shape.widths[1] = HIDDEN;
  shape.widths[2] = targets->cols;
  network->network = assay_network_new (&shape, key, error);
  if (network->network == NULL)
    return NULL;
  network->network->gives_numbers = TRUE;
  reported.report = &network->report;
  if (!assay_network_train (network->network, &reported, assay_matrix_view (seen),
                            assay_matrix_view (targets), key, error))
    return NULL;
  return g_steal_pointer (&network);
}

/* Weights of shortly before a divergence are finite, and what they make of a row need not be. */
static gboolean
check_predicted (const AssayResidualNetwork *network, AssayView predicted, GError **error)
{
  const AssayNetworkReport *report = &network->report;
  g_autofree char *what
      = report->has_diverged
            ? g_strdup_printf ("training diverged in epoch %zu of %d; what the network of epoch "
                               "%zu predicts",
                               report->epochs + 1, ASSAY_RESIDUAL_EPOCHS, report->epochs)
            : g_strdup ("what the network predicts");

  return assay_view_check_finite (predicted, what, error);
}

AssayMatrix *
assay_residual_network_predict (const AssayResidualNetwork *network, AssayView inputs,
                                GError **error)
{
  const AssayPrincipal *outputs = network->outputs;
  g_autoptr (AssayMatrix) predicted = assay_ridge_predict (network->ridge, inputs, error);
  g_autoptr (AssayMatrix) seen = predicted != NULL ? see (network, inputs, error) : NULL;
  g_autoptr (AssayMatrix) given
      = seen != NULL ? assay_matrix_new (inputs.rows, outputs->count, error) : NULL;

  if (given == NULL
      || !assay_network_predict (network->network, assay_matrix_view (seen), given->data, error))
    return NULL;
  for (gsize i = 0; i < inputs.rows; i++)
    for (gsize k = 0; k < outputs->count; k++) {
      const double along = network->scale * (double) assay_matrix_row (given, i)[k];
      float *row = assay_matrix_row (predicted, i);

      for (gsize j = 0; j < outputs->cols; j++)
        row[j] += (float) (along * outputs->vectors[k * outputs->cols + j]);
    }
  return check_predicted (network, assay_matrix_view (predicted), error)
             ? g_steal_pointer (&predicted)
             : NULL;
}
