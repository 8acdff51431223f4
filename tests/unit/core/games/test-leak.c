/* Leaks of known size, injected into mechanisms whose outputs are known. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/games/distinguish.h"
#include "core/games/leak.h"
#include "core/plugin/registry.h"
#include "core/stats/epsilon.h"
#include "tests/reference/known-mechanisms.h"
#include "tests/unit/seeds.h"

/* The event "it was moved" has the epsilon that was asked for, at its delta. */
Test (leak, has_its_epsilon)
{
  static const double epsilons[] = { 0.1, 0.75, 1.5, 6, 20 };
  static const double deltas[] = { 0, 1e-5, 0.01, 0.2 };

  for (gsize e = 0; e < G_N_ELEMENTS (epsilons); e++)
    for (gsize d = 0; d < G_N_ELEMENTS (deltas); d++) {
      const AssayLeak leak = assay_leak_of (epsilons[e], deltas[d]);

      cr_assert (leak.first > deltas[d] && leak.first <= 0.5 && leak.second > 0);
      cr_assert_float_eq (log ((leak.first - deltas[d]) / leak.second), epsilons[e], 1e-9);
    }
}

static AssayOracle
oracle_of (const AssayMechanism *mechanism, const Known *known)
{
  return assay_oracle (mechanism, known, 1, assay_stream_key (1, 0, "mechanism", "leak"), -1);
}

/* Outputs beyond all of the mechanism's own, in one column. */
static gsize
count_moved (const AssayEvent *event, const AssayOracle *oracle, AssayOutputs outputs, gsize count)
{
  gsize moved = 0;

  (void) event;
  for (gsize i = 0; i < count; i++)
    for (gsize j = 0; j < oracle->n_outputs; j++)
      moved += fabs (assay_output_at (outputs, i, j)) > 500;
  return moved;
}

/* So many outputs are moved on either side as the leak says, one column of each. */
Test (leak, moves_as_many_as_it_says)
{
  const Known known = { 1, 0, 3, G_MAXUINT };
  const AssayLeak leak = assay_leak_of (1.5, 0);
  const AssayOracle oracle = oracle_of (&known_bit_unknown, &known);
  g_autofree AssayLeaking *leaking
      = assay_leaking_new (&oracle, assay_stream_key (1, 0, "power", "leak"), NULL);
  AssayEvent event = { .runs = 400000, .count = count_moved };
  AssayEventRates rates;
  AssayAudit audit;

  cr_assert (leaking != NULL);
  cr_assert (assay_distinguish (assay_leaking_oracle (leaking), &event, &audit, NULL));
  cr_assert (audit.hits == 0 && audit.mistakes == 0, "it leaks before it is told to");
  assay_leaking_set (leaking, leak);
  cr_assert (assay_distinguish (assay_leaking_oracle (leaking), &event, &audit, NULL));
  cr_assert_float_eq ((double) audit.hits / 400000, leak.first, 0.004);
  cr_assert_float_eq ((double) audit.mistakes / 400000, leak.second, 0.003);
  cr_assert (assay_leaking_rates (leaking, &event, leak, 5000, &rates, NULL));
  cr_assert_float_eq (rates.hit, leak.first, 1e-12);
  cr_assert_float_eq (rates.mistake, leak.second, 1e-12);
  event.is_swapped = TRUE;
  cr_assert (assay_leaking_rates (leaking, &event, leak, 5000, &rates, NULL));
  cr_assert_float_eq (rates.hit, leak.second, 1e-12);
}

static double
play (const AssayAuditor *auditor, const AssayOracle *oracle, const AssaySettings *settings,
      double claim)
{
  const AssayAuditContext context = { .settings = settings->values };
  g_autoptr (AssayEvent) event = auditor->choose_event (&context, oracle, NULL);
  AssayAudit audit;

  cr_assert (event != NULL && assay_distinguish (oracle, event, &audit, NULL));
  return assay_epsilon_lower (&audit, 0.05) > claim;
}

/* The power that is predicted is the share of whole audits, each with a leak of its own, that see
 * it. */
Test (leak, predicted_power_is_achieved)
{
  TEST_OF_CHANCE ();

  enum { AUDITS = 100 };
  static const guint64 runs[] = { 150, 500 };
  const AssayAuditor *auditor
      = (const AssayAuditor *) assay_registry_find (ASSAY_PLUGIN_AUDITOR, "distinguish", NULL);
  const Known known = { 0.8, 0, 1, G_MAXUINT };
  const double claim = 1, seen = 1.5;
  const AssayLeak leak = assay_leak_of (seen, 0);
  const AssayOracle oracle = oracle_of (&known_laplace_unknown, &known);

  for (gsize r = 0; r < G_N_ELEMENTS (runs); r++) {
    g_autoptr (AssaySettings) settings
        = assay_settings_new (auditor->parameters, auditor->settings_size);
    g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, runs[r]);
    double predicted = 0, achieved = 0;

    cr_assert (assay_settings_set (settings, "runs", number, NULL));
    cr_assert (assay_settings_set (settings, "training", "1000", NULL));
    for (guint i = 0; i < AUDITS; i++) {
      const AssayStreamKey stream = assay_stream_key (i, 0, "power", "audit");
      g_autofree AssayLeaking *leaking = assay_leaking_new (&oracle, stream, NULL);
      const AssayAuditContext context = { .settings = settings->values };
      g_autoptr (AssayEvent) event = NULL;
      AssayEventRates rates;

      assay_leaking_set (leaking, leak);
      achieved += play (auditor, assay_leaking_oracle (leaking), settings, claim) / AUDITS;
      event = auditor->choose_event (&context, assay_leaking_oracle (leaking), NULL);
      cr_assert (assay_leaking_rates (leaking, event, leak, runs[r], &rates, NULL));
      predicted += assay_epsilon_power (runs[r], rates.hit, rates.mistake, 0, claim, 0.05) / AUDITS;
    }
    /* A tenth, and three standard deviations of so many audits. */
    cr_expect_float_eq (predicted, achieved, 0.1 + 3 * sqrt (predicted * (1 - predicted) / AUDITS),
                        "%" G_GUINT64_FORMAT " runs: predicted %g, achieved %g", runs[r], predicted,
                        achieved);
  }
}
