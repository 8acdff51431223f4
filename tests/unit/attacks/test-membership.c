/* The attacker who infers membership, against releases with known answers. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/games/control-case.h"
#include "core/games/control.h"
#include "core/stats/bound-test.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/attacks/noisy-rows.h"
#include "tests/unit/seeds.h"

extern const AssayAttack assay_attack_membership;
extern const AssayMetric assay_metric_member;

/* ---- Membership ---- */

/* A defense that releases rows with noise, means of groups of five, or nothing of them. */
typedef enum { NOISE, GROUPS, MEAN, NOTHING } Kind;

typedef struct {
  Kind kind;
  guint64 seed;
} Defense;

static AssayRelease *
defend (const Defense *defense, AssayView rows, guint64 number)
{
  g_autofree char *role = g_strdup_printf ("release-%" G_GUINT64_FORMAT, number);
  g_autoptr (AssayMatrix) means = NULL;
  AssayRelease *release;

  if (defense->kind == NOISE)
    return noisy_released (rows, 0.3, defense->seed, role);
  if (defense->kind == NOTHING)
    return noisy_released (rows, -1, defense->seed, role);
  means = assay_matrix_new (defense->kind == MEAN ? 1 : rows.rows / 5, COLS, NULL);
  for (gsize i = 0; i < means->rows * (rows.rows / means->rows); i++)
    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (means, i % means->rows)[j]
          += assay_view_row (rows, i)[j] / (float) (rows.rows / means->rows);
  if (defense->kind == GROUPS)
    return assay_control_vectors (assay_matrix_view (means), NULL);
  release = assay_release_new (ASSAY_RELEASE_STATISTICS, "mean");
  assay_arrays_take_matrix (&release->arrays, "statistics", &means);
  return release;
}

static gboolean
run_defense (gconstpointer data, guint64 number, const AssayOwnRows *own, AssayShadowMade *ret_made,
             G_GNUC_UNUSED GError **error)
{
  ret_made->truth = assay_truth_new ();
  assay_arrays_take (&ret_made->truth->arrays, "secrets",
                     assay_array_take_matrix (assay_matrix_copy (own->rows, NULL)));
  ret_made->release = defend (data, own->rows, number + 1);
  return TRUE;
}

/* The area under the ROC curve, and in @ret_scores (may be NULL) what was guessed. */
static double
attack_members (const Defense *defense, gsize n_secrets, guint64 runs, const char *assignments,
                AssayArray **ret_scores, GError **error)
{
  const gsize n = 2 * n_secrets;
  g_autoptr (AssayMatrix) records = noisy_normals (n, defense->seed, "records");
  g_autoptr (AssayRows) rows = assay_rows_borrow (assay_matrix_view (records));
  /* The first half is in: the attack does not look at numbers of records. */
  g_autoptr (AssayRelease) release
      = defend (defense, assay_view_rows (assay_matrix_view (records), 0, n_secrets), 0);
  g_autoptr (AssayShadow) shadow
      = assay_shadow_new (&(AssayShadowTerms){ .run = run_defense,
                                               .data = (gpointer) defense,
                                               .runs = runs,
                                               .choice = noisy_key (defense->seed, "choice"),
                                               .n_secrets = n_secrets });
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_membership.plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = noisy_key (defense->seed, "attack") };
  const AssayObservation seen = { .release = release, .shadow = shadow, .records = rows };
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  gint64 *members = g_new0 (gint64, n);
  const AssayMetricContext measuring = { 0 };
  AssayOutcomes outcomes = { 0 };
  double area = 0;

  for (gsize i = 0; i < n_secrets; i++)
    members[i] = 1;
  assay_arrays_take (&truth->arrays, "members", assay_array_take (ASSAY_INT64, 1, &n, members));
  if (!assay_attack_run (&assay_attack_membership, &context, &seen, guess, error))
    return -1;
  cr_assert (assay_metric_member.measure (&measuring, truth, guess, &outcomes, NULL));
  for (gsize i = 0; i < outcomes.n; i++)
    area += outcomes.series[0][i] / (double) outcomes.n;
  assay_outcomes_clear (&outcomes);
  if (ret_scores != NULL)
    *ret_scores = assay_array_copy (assay_arrays_get (&guess->arrays, "member-scores"));
  return area;
}

Test (membership, members_are_told_where_the_release_shows_them)
{
  const Defense noise = { NOISE, 1 }, groups = { GROUPS, 2 }, mean = { MEAN, 3 };

  cr_assert_gt (attack_members (&noise, SECRETS, 20, "", NULL, NULL), 0.95);
  /* A row is a fifth of its group's mean, and its distance to the nearest of 12. */
  cr_assert_gt (attack_members (&groups, SECRETS, 64, "", NULL, NULL), 0.55);
  /* The inner product with the mean of 20 of 6 numbers: z = sqrt (6 / 20) apart. */
  cr_assert_gt (attack_members (&mean, 20, 200, "", NULL, NULL), 0.55);
}

/* What the metric makes of @scores, of which the first half is of members: hits, baseline, control
 * and excess in the mean; NAN where it is left out. */
static void
measure_scores (const float *scores, gsize n, double *ret_means)
{
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  gint64 *members = g_new0 (gint64, n);
  const AssayMetricContext context = { 0 };
  const AssayMeasure *excess = assay_metric_member.measures;
  AssayOutcomes outcomes = { 0 };

  while (!g_str_equal (excess->name, "member-excess"))
    excess++;
  for (gsize i = 0; i < n / 2; i++)
    members[i] = 1;
  assay_arrays_take (&truth->arrays, "members", assay_array_take (ASSAY_INT64, 1, &n, members));
  assay_arrays_take (
      &guess->arrays, "member-scores",
      assay_array_take (ASSAY_FLOAT32, 1, &n, g_memdup2 (scores, n * sizeof *scores)));
  cr_assert (assay_metric_member.measure (&context, truth, guess, &outcomes, NULL));
  for (guint s = 0; s < 4; s++)
    ret_means[s] = NAN;
  for (guint s = 0; s < 4; s++) {
    const double *series = outcomes.series[excess->success + s];

    for (gsize i = 0; series != NULL && i < outcomes.n; i++)
      ret_means[s] = (i > 0 ? ret_means[s] : 0) + series[i] / (double) outcomes.n;
  }
  assay_outcomes_clear (&outcomes);
}

/* By hand: of four members three are in the upper half, so that of the others one is, and the
 * excess is (3/4 - 1/4) / (3/4). Equal scores say nothing; on the line they share what is left. */
Test (membership, hits_stand_beside_baseline_and_control)
{
  static const float told[] = { 5, 7, 6, 1, 0, 4.5f, 2, 3 };
  static const float alike[] = { 1, 1, 1, 1 };
  static const float ties[] = { 3, 2, 2, 1 };
  static const float reversed[] = { 0, 0, 1, 1 };
  double means[4];

  measure_scores (told, 8, means);
  cr_assert (means[0] == 0.75 && means[1] == 0.5 && means[2] == 0.25);
  cr_assert_float_eq (means[3], 2.0 / 3, 1e-12);
  measure_scores (alike, 4, means);
  cr_assert (means[0] == 0.5 && means[2] == 0.5 && means[3] == 0);
  measure_scores (ties, 4, means);
  cr_assert (means[0] == 0.75 && means[2] == 0.25);
  measure_scores (reversed, 4, means);
  cr_assert (means[0] == 0 && means[2] == 1 && isnan (means[3]));
}

/* Scores that say nothing, of 30 members and 30 others: "no excess" is refused at the level of 5 %
 * of 200 seeds no more often than that; 20 are 3 standard deviations above. */
Test (membership, excess_of_scores_that_say_nothing_is_none)
{
  const AssayMeasure *excess = assay_metric_member.measures;
  gsize n_refused = 0;

  TEST_OF_CHANCE ();
  while (!g_str_equal (excess->name, "member-excess"))
    excess++;
  for (guint64 seed = 1; seed <= 200; seed++) {
    const gsize n = 60;
    g_autoptr (AssayMatrix) scores = noisy_normals (10, seed, "scores");
    g_autoptr (AssayGuess) guess = assay_guess_new ();
    g_autoptr (AssayTruth) truth = assay_truth_new ();
    gint64 *members = g_new0 (gint64, n);
    const AssayMetricContext context = { 0 };
    AssayOutcomes outcomes = { 0 };
    g_autoptr (AssaySample) sample = NULL;

    cr_assert (scores->rows * scores->cols == n);
    for (gsize i = 0; i < n; i += 2)
      members[i] = 1;
    assay_arrays_take (&truth->arrays, "members", assay_array_take (ASSAY_INT64, 1, &n, members));
    assay_arrays_take (
        &guess->arrays, "member-scores",
        assay_array_take (ASSAY_FLOAT32, 1, &n, g_memdup2 (scores->data, n * sizeof (float))));
    cr_assert (assay_metric_member.measure (&context, truth, guess, &outcomes, NULL));
    sample = assay_sample_new_excess (excess, outcomes.series[excess->success],
                                      outcomes.series[excess->control], NULL, outcomes.n);
    n_refused += assay_bound_test (sample, 0, noisy_key (seed, "")).p_above <= 0.05;
    assay_outcomes_clear (&outcomes);
  }
  cr_assert_leq (n_refused, 20);
}

/* 200 seeds of releases that say nothing: the mean of the area under the ROC curve is one half, and
 * none is far from it. */
Test (membership, members_of_independent_releases_are_not)
{
  TEST_OF_CHANCE ();

  double sum = 0;
  gsize n_above = 0;

  for (guint64 seed = 1; seed <= 200; seed++) {
    const Defense nothing = { NOTHING, seed };
    const double area = attack_members (&nothing, 30, 8, "", NULL, NULL);

    sum += area / 200;
    /* Its deviation is sqrt (61 / (12 * 900)) = .0752 of 30 and 30. */
    n_above += area > 0.5 + 1.645 * 0.0752;
  }
  cr_assert_float_eq (sum, 0.5, 4 * 0.0752 / sqrt (200), "%g", sum);
  cr_assert_leq (n_above, 21, "%zu", n_above);
}

Test (membership, too_few_runs_are_refused)
{
  const Defense noise = { NOISE, 1 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  attack_members (&noise, 20, 7, "", NULL, &error);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "attack membership: mechanism_runs: 7 are left; expected 8 at least",
                               NULL, &why),
             "%s", why);
}

Test (membership, the_same_on_any_number_of_threads)
{
  TEST_OF_RESULTS ();

  const Defense groups = { GROUPS, 2 };
  g_autoptr (AssayArray) one = NULL;
  g_autoptr (AssayArray) three = NULL;

  assay_parallel_set_threads (1);
  attack_members (&groups, SECRETS, 12, "", &one, NULL);
  assay_parallel_set_threads (3);
  attack_members (&groups, SECRETS, 12, "", &three, NULL);
  cr_assert_eq (memcmp (one->data, three->data, 2 * SECRETS * sizeof (float)), 0);
}

Test (membership, controls_are_won)
{
  static const struct {
    const AssayAttack *attack;
    const char *assignments;
  } cases[] = { { &assay_attack_membership, "" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint64 seed = 1; seed <= 3; seed++) {
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
