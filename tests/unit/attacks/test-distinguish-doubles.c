/* What the attack `distinguish` sees of mechanisms that put out doubles: their bits, bit by bit.
 * With ASSAY_TEST_SEEDS = 25 24 have to be seen; otherwise all of 3. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/games/leak.h"
#include "core/stats/epsilon.h"
#include "tests/reference/double-mechanisms.h"
#include "tests/unit/attacks/audit-play.h"
#include "tests/unit/seeds.h"

static const Known known = { 1, 0, 1, G_MAXUINT };

/* In how many seeds the claim of epsilon 1 is violated at level 0.05; @says begins each event. */
static guint64
count_seen (const AssayMechanism *mechanism, const char *score, const char *says)
{
  g_autofree char *text = g_strdup_printf ("runs=20000 training=20000 score=%s", score);
  guint64 seen = 0;

  for (guint64 seed = 1; seed <= test_seeds (3); seed++) {
    const AuditOutcome outcome = audit_play (mechanism, &known, text, seed);

    seen += assay_epsilon_lower (&outcome.audit, 0.05) > 1;
    cr_assert (says == NULL || g_str_has_prefix (outcome.says, says), "%s", outcome.says);
  }
  return seen;
}

static void
check_seen (const AssayMechanism *mechanism, const char *score, const char *says)
{
  const guint64 seeds = test_seeds (3), enough = seeds - (seeds >= 25);
  const guint64 seen = count_seen (mechanism, score, says);

  cr_assert (seen >= enough, "%s: %d of %d", score, (int) seen, (int) seeds);
}

/* By its own score and by auto; nothing that is additive in values sees it. */
Test (distinguish_doubles, inversion_leaves_its_input_in_the_bits)
{
  static const AssayMechanism *const all[]
      = { &double_inversion, &double_far, &double_expovariate, &double_wide };

  for (gsize m = 0; m < G_N_ELEMENTS (all); m++) {
    check_seen (all[m], "bits", "score of the bits");
    check_seen (all[m], "auto", NULL);
    cr_assert (count_seen (all[m], "classifier", NULL) <= test_seeds (3) / 10, "%zu", m);
  }
}

/* Far more than the claim of 1: the outputs that one input cannot give. */
Test (distinguish_doubles, inversion_is_certified_far_above_its_claim)
{
  const AuditOutcome outcome
      = audit_play (&double_inversion, &known, "runs=100000 training=20000", 1);

  cr_assert (assay_epsilon_lower (&outcome.audit, 0.05) > 5, "%g",
             assay_epsilon_lower (&outcome.audit, 0.05));
}

/* Rounded to a grid of 2^-20, nothing is left of it. */
Test (distinguish_doubles, snapping_takes_it_away)
{
  cr_assert (count_seen (&double_snapped, "bits", NULL) <= test_seeds (3) / 10);
  cr_assert (count_seen (&double_snapped, "auto", NULL) <= test_seeds (3) / 10);
}

/* Noise that float32 has no room for is seen by a score of values. */
Test (distinguish_doubles, values_are_not_rounded)
{
  check_seen (&double_offset, "classifier", NULL);
  check_seen (&double_offset, "auto", NULL);
}

Test (distinguish_doubles, zeros_of_both_signs_and_subnormals_are_values)
{
  static const AssayMechanism *const all[] = { &double_negative_zero, &double_subnormal };
  static const char *const scores[] = { "bits", "repeats", "classifier", "auto" };

  for (gsize m = 0; m < G_N_ELEMENTS (all); m++)
    for (gsize s = 0; s < G_N_ELEMENTS (scores); s++)
      check_seen (all[m], scores[s], NULL);
}

/* The region that is said separates -0 from 0, and names numbers that float32 has not. */
Test (distinguish_doubles, regions_are_said_in_doubles)
{
  const AuditOutcome outcome
      = audit_play (&double_subnormal, &known, "runs=20000 training=20000 score=repeats", 1);

  cr_assert (strstr (outcome.says, "e-324") != NULL, "%s", outcome.says);
}

/* Its outputs are moved as those of float32 are, and seen. */
Test (distinguish_doubles, leaks_can_be_injected)
{
  const AssayOracle oracle
      = assay_oracle (&double_snapped, &known, 1, assay_stream_key (1, 0, "mechanism", "leak"), -1);
  g_autofree AssayLeaking *leaking
      = assay_leaking_new (&oracle, assay_stream_key (1, 0, "power", "leak"), NULL);
  g_autoptr (AssaySettings) settings = audit_settings ("runs=20000 training=20000");
  const AssayAuditContext context = { .settings = settings->values };
  const AssayLeak leak = assay_leak_of (3, 0);
  g_autoptr (AssayEvent) event = NULL;
  AssayEventRates rates;

  cr_assert (leaking != NULL);
  assay_leaking_set (leaking, leak);
  event = audit_auditor ()->choose_event (&context, assay_leaking_oracle (leaking), NULL);
  cr_assert (event != NULL);
  cr_assert (assay_leaking_rates (leaking, event, leak, 20000, &rates, NULL));
  cr_assert (log (rates.hit / rates.mistake) > 2, "%g and %g", rates.hit, rates.mistake);
}
