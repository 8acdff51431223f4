#include "tests/unit/defenses/query-answers.h"

#include <math.h>
#include <string.h>

#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"

double
query_slack (double p, double n)
{
  const double lambda = log (2 / 1e-9);

  return sqrt (2 * p * (1 - p) * lambda / n) + 2 * lambda / (3 * n);
}

const AssayDefense *
query_defense (const char *id)
{
  return (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, id, NULL);
}

AssayStream
query_stream (guint64 trial)
{
  return assay_stream (assay_stream_key (5, trial, "test-broken-mechanisms", ""), 0);
}

float *
query_run (const char *id, const char *assignments, const float *input, gsize cols, gsize n)
{
  const AssayDefense *defense = query_defense (id);
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  AssayStream stream = query_stream (1);
  gsize n_inputs, n_outputs;
  float *outputs;

  defense->mechanism->size (settings->values, cols, &n_inputs, &n_outputs);
  outputs = g_new (float, n *n_outputs);
  defense->mechanism->run (settings->values, cols, &stream, input, n, outputs);
  return outputs;
}

void
query_propose (const char *id, const char *assignments, gsize cols, guint index, float *ret_first,
               float *ret_second)
{
  const AssayDefense *defense = query_defense (id);
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  AssayStream stream = query_stream (2 + index);

  defense->mechanism->pair (settings->values, cols, index, &stream, ret_first, ret_second);
}

double
query_laplace_cdf (double x, double b)
{
  if (b == 0)
    return x >= 0;
  return x < 0 ? exp (x / b) / 2 : 1 - exp (-x / b) / 2;
}

double
query_share (const float *outputs, const float *symbols, gsize cols, gsize n)
{
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    count += memcmp (outputs + i * cols, symbols, cols * sizeof (float)) == 0;
  return (double) count / (double) n;
}
