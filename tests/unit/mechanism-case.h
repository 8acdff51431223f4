/* What tests of mechanisms have in common: a defense with settings, its runs, and counts of them
 * against probabilities. */
#pragma once

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/plugin/registry.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"

/* The chance of each statistical check to fail on right numbers. */
#define ALPHA 1e-6
/* Standard deviations that a count leaves with that chance, both sides. */
#define DEVIATIONS 4.9

typedef struct {
  const AssayDefense *defense;
  const AssayMechanism *mechanism;
  AssaySettings *settings;
  gsize cols, n_inputs, n_outputs;
  char *name; /* for messages */
} Case;

static inline void
case_clear (Case *c)
{
  assay_settings_free (c->settings);
  g_free (c->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static inline Case
case_of (const char *id, const char *assignments, gsize cols)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, id, NULL);
  Case c = { .defense = (const AssayDefense *) plugin, .cols = cols };

  cr_assert (plugin != NULL, "%s", id);
  c.mechanism = c.defense->mechanism;
  c.settings = fixture_settings (plugin, assignments);
  c.name = g_strdup_printf ("%s %s, %d columns", id, assignments, (int) cols);
  c.mechanism->size (c.settings->values, cols, &c.n_inputs, &c.n_outputs);
  return c;
}

static inline AssayStream
case_stream (const Case *c, const char *role)
{
  return assay_stream (assay_stream_key (41, 0, role, c->name), 0);
}

static inline void
case_pair (const Case *c, guint index, float *ret_first, float *ret_second)
{
  AssayStream stream = case_stream (c, "pair");

  stream.item = index;
  c->mechanism->pair (c->settings->values, c->cols, index, &stream, ret_first, ret_second);
}

/* @count runs, in parts of odd sizes as nothing may depend on them. Free with g_free. */
static inline float *
case_run (const Case *c, const char *role, const float *input, gsize count)
{
  float *outputs = g_new (float, count * c->n_outputs);
  AssayStream stream = case_stream (c, role);
  gsize part = 1;

  for (gsize done = 0; done < count; done += part) {
    part = MIN (count - done, 2 * part + 1);
    c->mechanism->run (c->settings->values, c->cols, &stream, input, part,
                       outputs + done * c->n_outputs);
  }
  return outputs;
}

static inline double
case_log_ratio (const Case *c, const float *first, const float *second, const float *output)
{
  double score;

  c->mechanism->log_ratio (c->settings->values, c->cols, (AssayInputPair){ first, second },
                           output, 1, &score);
  return score;
}

/* A share of @n against its probability. */
static inline void
assert_share (gsize count, gsize n, double p, const char *name, const char *what)
{
  const double bound = DEVIATIONS * sqrt (p * (1 - p) / (double) n) + 1.0 / (double) n;

  assert_near ((double) count / (double) n, p, bound, "%s: %s", name, what);
}

/* Pearson's chi-square of @counts against probabilities that add up to 1. */
static inline void
assert_frequencies (const gsize *counts, const double *p, gsize cells, const char *name)
{
  double n = 0, sum = 0, whole = 0;

  for (gsize i = 0; i < cells; i++)
    n += (double) counts[i];
  for (gsize i = 0; i < cells; i++) {
    const double gap = (double) counts[i] - n * p[i];

    whole += p[i];
    cr_assert (n * p[i] > 5, "%s: cell %zu is too rare for the test", name, i);
    sum += gap * gap / (n * p[i]);
  }
  assert_near (whole, 1, 1e-12, "%s: the reference", name);
  cr_assert (sum < sample_chi_square_bound (cells, ALPHA), "%s: chi-square %g of %zu cells", name,
             sum, cells);
}
