/* The attacker who infers attributes, against releases with known answers. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/games/control-case.h"
#include "core/games/control.h"
#include "core/games/guesses/infer.h"
#include "core/stats/bound-test.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/attacks/noisy-rows.h"
#include "tests/unit/seeds.h"

extern const AssayAttack assay_attack_attribute_inference;
extern const AssayMetric assay_metric_attribute;

/* ---- Attributes ---- */

/* Three labels by two numbers of a row, and a table of two columns. */
static void
know_rows (AssayArrays *known, AssayMatrix *rows)
{
  const gsize n = rows->rows;
  gint64 *labels = g_new (gint64, n);
  gint64 *table = g_new (gint64, 2 * n);

  for (gsize i = 0; i < n; i++) {
    const float *row = assay_matrix_row (rows, i);

    labels[i] = row[0] > 0 ? 2 : row[1] > 0;
    table[2 * i] = 1;
    table[2 * i + 1] = row[2] > 1;
  }
  assay_arrays_take (known, "labels", assay_array_take (ASSAY_INT64, 1, &n, labels));
  assay_arrays_take_rows (known, "attributes", ASSAY_INT64, n, 2, table);
  assay_arrays_take (known, "secrets", assay_array_take_matrix (rows));
}

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
  AssayPairs *pairs;
} Case;

static void
case_clear (Case *c)
{
  assay_release_free (c->release);
  assay_truth_free (c->truth);
  assay_pairs_free (c->pairs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static Case
make_case (double noise, gsize n_pairs, guint64 seed)
{
  Case c = { .truth = assay_truth_new (), .pairs = assay_pairs_new (TRUE) };
  AssayMatrix *secrets = noisy_normals (SECRETS, seed, "secrets");
  AssayMatrix *own = noisy_normals (n_pairs, seed, "own");
  AssayRelease *own_release = noisy_released (assay_matrix_view (own), noise, seed, "own-noise");
  AssayTruth *known = assay_truth_new ();

  c.release = noisy_released (assay_matrix_view (secrets), noise, seed, "noise");
  know_rows (&c.truth->arrays, secrets);
  know_rows (&known->arrays, own);
  g_ptr_array_add (c.pairs->releases, assay_own_release_new (own_release, known, NULL));
  return c;
}

static AssayGuess *
play (const Case *c, const char *assignments, GError **error)
{
  const AssayAttack *attack = &assay_attack_attribute_inference;
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = noisy_key (1, "attack") };
  const AssayObservation seen = { .release = c->release, .pairs = c->pairs };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  return assay_attack_run (attack, &context, &seen, guess, error) ? g_steal_pointer (&guess) : NULL;
}

static double
share_right (const Case *c, const char *assignments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = play (c, assignments, &error);
  AssayControlOutcome outcome = { 0 };

  cr_assert (guess != NULL && assay_infer_judge (c->truth, guess, &outcome, &error), "%s",
             error->message);
  return outcome.share;
}

/* With little noise labels, columns and thresholds are told, by every learner. */
Test (inference, attributes_of_nearly_plain_rows_are_told)
{
  g_auto (Case) c = make_case (0.1, 600, 1);

  cr_assert_geq (share_right (&c, ""), 0.8);
  cr_assert_geq (share_right (&c, "learner=neighbours"), 0.75);
  cr_assert_geq (share_right (&c, "attribute=column column=1"), 0.85);
  cr_assert_geq (share_right (&c, "attribute=threshold column=4"), 0.9);
}

/* 200 seeds of releases that say nothing: attackers who took chance for knowledge would have an
 * excess above 0 more often than the level. */
Test (inference, attributes_of_independent_releases_are_not)
{
  const AssayMeasure *excess = NULL;
  gsize n_above = 0, n_learned = 0;

  for (const AssayMeasure *m = assay_metric_attribute.measures; m->name != NULL; m++)
    if (g_str_equal (m->name, "attribute-excess"))
      excess = m;
  for (guint64 seed = 1; seed <= 200; seed++) {
    g_auto (Case) c = make_case (-1, 80, seed);
    g_autoptr (AssayGuess) guess = play (&c, "learner=ridge", NULL);
    g_autoptr (AssaySample) sample = NULL;
    const AssayMetricContext context = { 0 };
    AssayOutcomes outcomes = { 0 };

    cr_assert (assay_metric_attribute.measure (&context, c.truth, guess, &outcomes, NULL));
    sample = assay_sample_new_excess (excess, outcomes.series[excess->success],
                                      outcomes.series[excess->control], NULL, outcomes.n);
    n_above += assay_bound_test (sample, 0, noisy_key (1, "")).p_above <= 0.05;
    n_learned += !g_str_has_prefix (guess->says, "learned nothing");
    assay_outcomes_clear (&outcomes);
  }
  /* Binomial (200, 0.05) exceeds 21 with probability 0.0005. */
  cr_assert_leq (n_above, 21, "%zu", n_above);
  cr_assert_leq (n_learned, 3, "%zu", n_learned);
}

Test (inference, what_cannot_be_inferred_is_refused)
{
  static const struct {
    const char *assignments, *message;
    AssayErrorCode code;
  } cases[] = {
    { "attribute=column column=0",
      "attack attribute-inference: the attribute has the value 1 in all 80 rows to learn from; "
      "expected two values at least",
      ASSAY_ERROR_DATA },
    { "attribute=column column=2",
      "attack attribute-inference: rows to learn from: attribute: column 2 of the attributes; "
      "expected one of the 2, from 0",
      ASSAY_ERROR_MISMATCH },
    { "attribute=threshold column=6",
      "attack attribute-inference: column = 6: expected one of the 6 of a row, from 0",
      ASSAY_ERROR_PARAMETER },
  };
  g_auto (Case) c = make_case (0.1, 80, 1);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *why = NULL;
    GError *error = NULL;

    cr_assert_null (play (&c, cases[i].assignments, &error));
    cr_assert (fixture_error_is (&error, (gint) cases[i].code, cases[i].message, NULL, &why), "%s",
               why);
  }
}

Test (inference, controls_are_won)
{
  static const struct {
    const AssayAttack *attack;
    const char *assignments;
  } cases[] = { { &assay_attack_attribute_inference, "" },
                { &assay_attack_attribute_inference, "learner=ridge attribute=column column=3" },
                { &assay_attack_attribute_inference,
                  "learner=ridge attribute=threshold column=100" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint64 seed = 1; seed <= 2; seed++) {
      g_autoptr (AssaySettings) settings
          = fixture_settings (&cases[i].attack->plugin, cases[i].assignments);
      g_autoptr (GError) error = NULL;
      AssayControlOutcome outcome = { 0 };

      cr_assert (assay_control_run (cases[i].attack, settings, seed, &outcome, &error), "%s",
                 error->message);
      cr_assert (outcome.is_won, "%s %s: %g", cases[i].attack->id, cases[i].assignments,
                 outcome.share);
    }
}

/* ---- The control ---- */

/* Areas of the control with @assignments over the seeds: their mean, and that all are won. */
static double
win_controls (const char *assignments, guint64 seeds)
{
  const AssayAttack *attack = &assay_attack_attribute_inference;
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  double mean = 0;

  for (guint64 seed = 0; seed < seeds; seed++) {
    AssayControlOutcome outcome;
    g_autoptr (GError) error = NULL;

    cr_assert (assay_control_run (attack, settings, seed, &outcome, &error), "%s",
               error != NULL ? error->message : "");
    cr_assert (outcome.is_won, "%s, seed %d: an area of %g", assignments, (int) seed,
               outcome.share);
    mean += outcome.share / (double) seeds;
  }
  return mean;
}

/* Won by each learner and, of a tenth of the rows, by the best; least squares have the area of the
 * closed form, from which an area of 400 rows is off by 0.001. */
Test (inference, control_is_won_with_every_learner)
{
  const guint64 seeds = test_seeds (2);
  const double cols = 8, pairs = 2000;
  const double rho = 1 / sqrt (1 + (cols - 1) / pairs * (M_PI / 2 - 1));
  const double area = 0.5 + 2 / M_PI * asin (rho / sqrt (2));

  cr_assert_float_eq (win_controls ("learner=ridge", seeds), area, 0.003);
  cr_assert_geq (win_controls ("learner=neighbours", seeds), 0.96);
  cr_assert_geq (win_controls ("learner=network", seeds), 0.97);
  cr_assert_geq (win_controls ("", seeds), 0.96);
  cr_assert_geq (win_controls ("attribute=threshold quantile=0.9", seeds), 0.97);
}

/* What nearly all rows have is told right by a constant guess, which does not win. */
Test (inference, control_is_not_won_by_what_nearly_all_have)
{
  const AssayAttack *attack = &assay_attack_attribute_inference;
  g_autoptr (AssaySettings) settings
      = fixture_settings (&attack->plugin, "attribute=threshold quantile=0.98 learner=ridge");

  for (guint64 seed = 0; seed < 3; seed++) {
    AssayControlOutcome outcome;

    cr_assert (assay_control_run (attack, settings, seed, &outcome, NULL) && !outcome.is_won);
  }
}
