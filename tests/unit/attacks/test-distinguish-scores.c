/* Each score of the attack `distinguish` on a mechanism that only it sees. In the long tier with 25
 * seeds (ASSAY_TEST_SEEDS), of which 24 have to be seen; otherwise with 3, and all of them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attacks/mechanisms/table-feature.h"
#include "core/stats/epsilon.h"
#include "tests/reference/leaky-mechanisms.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/audit-play.h"
#include "tests/unit/seeds.h"

/* In how many seeds the claim of epsilon 1 is violated at level 0.05. */
static guint64
count_seen (const AssayMechanism *mechanism, guint runs, const char *score, const char *says)
{
  g_autofree char *text = g_strdup_printf ("runs=%u training=%u score=%s", runs, runs, score);
  const Known known = { 1, 0, 1, G_MAXUINT };
  guint64 seen = 0;

  for (guint64 seed = 1; seed <= test_seeds (3); seed++) {
    const AuditOutcome outcome = audit_play (mechanism, &known, text, seed);

    seen += assay_epsilon_lower (&outcome.audit, 0.05) > 1;
    cr_assert (says == NULL || g_str_has_prefix (outcome.says, says), "%s", outcome.says);
  }
  return seen;
}

/* By its own score and by auto, and not by the classifier. */
static void
check_seen (const AssayMechanism *mechanism, guint runs, const char *score, const char *says,
            gboolean is_blind)
{
  const guint64 seeds = test_seeds (3), enough = seeds - (seeds >= 25);
  const guint64 seen = count_seen (mechanism, runs, score, says);
  const guint64 by_auto = count_seen (mechanism, runs, "auto", NULL);

  cr_assert (seen >= enough, "%s: %d of %d", score, (int) seen, (int) seeds);
  cr_assert (by_auto >= enough, "%s, auto: %d of %d", score, (int) by_auto, (int) seeds);
  cr_assert (!is_blind || count_seen (mechanism, runs, "classifier", NULL) <= seeds / 10, "%s",
             score);
}

Test (distinguish_scores, trees_see_two_columns_together)
{
  check_seen (&leaky_interaction, 20000, "trees", "score of the trees", TRUE);
}

Test (distinguish_scores, repeats_see_a_rare_exact_leak)
{
  check_seen (&leaky_rare, 100000, "repeats", "score of values that repeat", TRUE);
}

Test (distinguish_scores, repeats_see_a_small_generator)
{
  check_seen (&leaky_generator, 40000, "repeats", "score of values that repeat", TRUE);
}

Test (distinguish_scores, repeats_see_rows_that_come_again)
{
  check_seen (&leaky_rows, 40000, "repeats", "score of values that repeat", TRUE);
}

Test (distinguish_scores, tails_go_beyond_eight_deviations)
{
  check_seen (&leaky_tails, 60000, "tails", "score of the tails", TRUE);
}

Test (distinguish_scores, digits_that_are_kept)
{
  check_seen (&leaky_digits, 20000, "digits", "score of the digits", TRUE);
}

Test (distinguish_scores, order_of_columns)
{
  check_seen (&leaky_order, 20000, "order", "score of the order", TRUE);
}

/* The classifier has a bin for NaN too. */
Test (distinguish_scores, outputs_that_are_not_finite)
{
  check_seen (&leaky_nan, 40000, "finite", "score of what is finite", FALSE);
}

/* ---- What an event says ---- */

static void
run_constant (const void *settings, gsize cols, AssayStream *stream, const float *input,
              gsize count, float *ret_outputs)
{
  (void) settings;
  (void) cols;
  (void) stream;
  (void) input;
  for (gsize i = 0; i < count; i++)
    ret_outputs[i] = 0.5f;
}

Test (distinguish_scores, constant_mechanism_has_epsilon_zero)
{
  static const AssayMechanism constant = { .budget = known_budget,
                                           .size = known_size,
                                           .n_proposed = 1,
                                           .pair = known_pair,
                                           .run = run_constant };
  const Known known = { 1, 0, 1, G_MAXUINT };
  const AuditOutcome outcome = audit_play (&constant, &known, "runs=5000 training=4000", 1);

  cr_assert_str_eq (outcome.says,
                    "another output than the one that every training run on both inputs gave "
                    "(y1 = 0.5), which has epsilon 0, pair 0");
  cr_assert (outcome.audit.hits == 0 && outcome.audit.mistakes == 0);
}

/* Of Laplace noise around @centre, at most @value. */
static double
laplace_below (double value, double centre)
{
  const double far = 2 * (value - centre);

  return far < 0 ? 0.5 * exp (far) : 1 - 0.5 * exp (-far);
}

/* Counted again by hand: the intervals that are said have the share of the runs that was seen. */
Test (distinguish_scores, region_of_a_column)
{
  static const char *const score_names[] = { "classifier", "tails", "auto" };
  const Known known = { 2, 0, 1, G_MAXUINT };

  for (gsize s = 0; s < G_N_ELEMENTS (score_names); s++) {
    g_autofree char *text = g_strdup_printf ("runs=100000 training=20000 score=%s", score_names[s]);
    const AuditOutcome outcome = audit_play (&known_laplace_unknown, &known, text, 1);
    const gboolean is_swapped = outcome.says[0] != '\0' && strstr (outcome.says, " below ") != NULL;
    const char *at = strstr (outcome.says, ": ");
    double share = 0;

    cr_assert (at != NULL, "%s", outcome.says);
    for (at += 2; at != NULL; at = strstr (at, " or ") != NULL ? strstr (at, " or ") + 4 : NULL) {
      double low = -INFINITY, high = INFINITY;

      cr_assert (sscanf (at, "%lf <= y1 <= %lf", &low, &high) == 2
                     || sscanf (at, "y1 >= %lf", &low) == 1 || sscanf (at, "y1 <= %lf", &high) == 1,
                 "%s", at);
      share += laplace_below (high, is_swapped ? 0 : 1) - laplace_below (low, is_swapped ? 0 : 1);
    }
    assert_near ((double) outcome.audit.hits / 1e5, share, 0.008, "%s", outcome.says);
  }
}

/* "where y2 < y1 <= y3" of these three values. */
static gboolean
is_true (const char *says, const float *row)
{
  g_auto (GStrv) words = g_strsplit (says, " ", -1);

  for (guint w = 1; words[w + 1] != NULL; w += 2) {
    const float low = row[words[w][1] - '1'], high = row[words[w + 2][1] - '1'];

    if (g_str_equal (words[w + 1], "<") ? !(low < high) : !(low <= high))
      return FALSE;
  }
  return TRUE;
}

/* What is said of the order of three columns is true of all rows with it, and of no others. */
Test (distinguish_scores, orders_are_said_as_they_are)
{
  const gsize last = order_feature_count (3) - 1;
  TableFeature feature;

  order_feature_make (last, 3, &feature);
  for (guint code = 0; code < 27; code++) {
    const float row[] = { (float) (code % 3), (float) (code / 3 % 3), (float) (code / 9) };
    const guint cell = feature.cell (&feature, (AssayOutputs){ row, 3, FALSE }, 0);

    for (guint other = 0; other < 6; other++) {
      g_autofree char *says = feature.describe (&feature, other);

      cr_assert_eq (is_true (says, row), other == cell, "%s of %g %g %g", says, (double) row[0],
                    (double) row[1], (double) row[2]);
    }
  }
}
