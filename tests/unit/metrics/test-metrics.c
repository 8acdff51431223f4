/* Metrics on examples small enough for paper. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/plugin/registry.h"
#include "core/stats/interval.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"

extern const AssayMetric assay_metric_recovery_rate;
extern const AssayMetric assay_metric_identification_rate;
extern const AssayMetric assay_metric_relative_error;
extern const AssayMetric assay_metric_search_recall;
extern const AssayMetric assay_metric_adversarial_found;
extern const AssayMetric assay_metric_ratio_test;

static void
take_floats (AssayArrays *arrays, const char *name, const float *values, gsize rows, gsize cols)
{
  assay_arrays_take (arrays, name,
                     assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ rows, cols },
                                       g_memdup2 (values, rows * cols * sizeof *values)));
}

static void
take_rows (AssayArrays *arrays, const gint64 *values, gsize rows, gsize cols)
{
  assay_arrays_take (arrays, "adversarial",
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ rows, cols },
                                       g_memdup2 (values, rows * cols * sizeof *values)));
}

typedef struct {
  AssayTruth *truth;
  AssayGuess *guess;
} Pair;

static void
pair_clear (Pair *pair)
{
  assay_truth_free (pair->truth);
  assay_guess_free (pair->guess);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

static Pair
pair_of (const float *secrets, const float *estimates, gsize rows, gsize cols)
{
  Pair pair = { assay_truth_new (), assay_guess_new () };

  if (secrets != NULL)
    take_floats (&pair.truth->arrays, "secrets", secrets, rows, cols);
  if (estimates != NULL)
    take_floats (&pair.guess->arrays, "estimates", estimates, rows, cols);
  return pair;
}

static AssayOutcomes
measure (const AssayMetric *metric, const char *assignments, const Pair *pair)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, assignments);
  AssayOutcomes outcomes = { 0 };
  GError *error = NULL;

  cr_assert (assay_metric_applies (metric, NULL, NULL, pair->truth, pair->guess));
  cr_assert (assay_step_measure (metric, &(AssayMetricContext){ .settings = settings->values },
                                 pair->truth, pair->guess, &outcomes, &error),
             "%s", error != NULL ? error->message : "");
  return outcomes;
}

static void
check_series (AssayOutcomes *outcomes, guint series, const double *expected, gsize n,
              double tolerance, const char *what)
{
  cr_assert (outcomes->n == n, "%s: %zu", what, outcomes->n);
  for (gsize i = 0; i < n; i++)
    cr_assert (fabs (outcomes->series[series][i] - expected[i]) <= tolerance,
               "%s, secret %zu: %.17g instead of %.17g", what, i, outcomes->series[series][i],
               expected[i]);
}

/* Secrets of lengths 5, 10, 2, 1 and estimates 1.25, 2.5, 3, 0 away: errors .25, .25, 1.5, 0,
 * all of them exact in binary. */
static const float secrets[] = { 3, 4, 6, 8, 0, 2, 1, 0 };
static const float estimates[] = { 3, 5.25f, 8.5f, 8, 0, -1, 1, 0 };
static const double errors[] = { 0.25, 0.25, 1.5, 0 };

Test (metrics, relative_error)
{
  g_auto (Pair) pair = pair_of (secrets, estimates, 4, 2);
  AssayOutcomes outcomes = measure (&assay_metric_relative_error, "", &pair);
  /* Of 0, .25, .25, 1.5 by type 7: .1875, .25, .5625. */
  static const double quartiles[] = { 0.25, 0.1875, 0.5625 };

  check_series (&outcomes, 0, errors, 4, 1e-15, "relative error");
  for (guint m = 0; m < 3; m++) {
    const AssayMeasure *one = &assay_metric_relative_error.measures[m];
    const AssayInterval interval = assay_interval (one, outcomes.series[one->series], NULL, 4, 0.95,
                                                   assay_stream_key (1, 0, "metric", ""));

    cr_assert (fabs (interval.estimate - quartiles[m]) < 1e-15, "%s: %g", one->name,
               interval.estimate);
  }
  cr_assert_str_eq (assay_metric_relative_error.measures[0].name, "relative-error-median");
  cr_assert_str_eq (assay_metric_relative_error.measures[1].name, "relative-error-lower-quartile");
  cr_assert_str_eq (assay_metric_relative_error.measures[2].name, "relative-error-upper-quartile");
  assay_outcomes_clear (&outcomes);
}

/* An error equal to tau counts as recovered, one above it does not. */
Test (metrics, recovery_rate_at_the_threshold)
{
  static const struct {
    const char *tau;
    double expected[4];
  } cases[] = {
    { "tau=0.25", { 1, 1, 0, 1 } },   { "tau=0.2499999", { 0, 0, 0, 1 } },
    { "", { 1, 1, 0, 1 } },           { "tau=1.5", { 1, 1, 1, 1 } },
    { "tau=1.4999", { 1, 1, 0, 1 } }, { "tau=0", { 0, 0, 0, 1 } },
  };
  g_auto (Pair) pair = pair_of (secrets, estimates, 4, 2);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    AssayOutcomes outcomes = measure (&assay_metric_recovery_rate, cases[i].tau, &pair);

    check_series (&outcomes, 0, cases[i].expected, 4, 0, cases[i].tau);
    assay_outcomes_clear (&outcomes);
  }
}

/* Numbers on a line: of the guesses for others as many are within tau as counted by hand. */
Test (metrics, recovery_by_chance)
{
  static const float private[] = { 10, 11, 20, 21, 40 };
  static const float guessed[] = { 11, 20, 10, 22, 39 };
  static const gint64 groups[] = { 0, 0, 1, 1, 2 }, one_group[] = { 0, 0, 0, 0, 0 };
  static const double rate[] = { 1, 0, 0, 1, 1 };
  static const double chance[] = { 0.25, 0.5, 0.5, 0.25, 0 };
  static const double of_other_groups[] = { 1 / 3., 1 / 3., 1 / 3., 1 / 3., 0 };
  g_auto (Pair) pair = pair_of (private, guessed, 5, 1);

  for (guint i = 0; i < 3; i++) {
    AssayOutcomes outcomes;

    if (i > 0)
      assay_arrays_take (&pair.truth->arrays, "groups",
                         assay_array_take (ASSAY_INT64, 1, (const gsize[]){ 5 },
                                           g_memdup2 (i == 1 ? groups : one_group,
                                                      sizeof groups)));
    outcomes = measure (&assay_metric_recovery_rate, "tau=0.12", &pair);
    check_series (&outcomes, 0, rate, 5, 0, "recovered");
    if (i == 2)
      cr_expect (outcomes.series[1] == NULL
                 && g_str_equal (outcomes.omitted[1],
                                 "there are no secrets of other groups to compare with"));
    else
      check_series (&outcomes, 1, i == 0 ? chance : of_other_groups, 5, 1e-15, "by chance");
    assay_outcomes_clear (&outcomes);
  }
}

/* One guess for everybody says nothing of anybody: what it recovers is chance, secret by secret,
 * also where a part only of the others is looked at. */
Test (metrics, one_guess_for_all_is_chance)
{
  enum { N = 300, D = 4 };
  g_autoptr (AssayMatrix) rows = fixture_normal (N, D, 1);
  g_autofree float *guessed = g_new (float, N *D);
  gsize recovered = 0;

  for (gsize i = 0; i < N * D; i++) {
    rows->data[i] += 2;
    guessed[i] = 2;
  }
  {
    g_auto (Pair) pair = pair_of (rows->data, guessed, N, D);
    AssayOutcomes outcomes = measure (&assay_metric_recovery_rate, "tau=0.5", &pair);

    check_series (&outcomes, 1, outcomes.series[0], N, 0, "chance");
    for (gsize i = 0; i < N; i++)
      recovered += outcomes.series[0][i] > 0;
    cr_expect (recovered > N / 4 && recovered < N, "%zu", recovered);
    assay_outcomes_clear (&outcomes);
  }
}

/* Secrets 1 and 3 are equal: an estimate nearest to the one is nearest to the other, and right for
 * both. Estimate 0 is nearer to secret 2, 4 to itself. */
Test (metrics, identification_with_duplicates)
{
  static const float private[] = { 0, 0, 5, 5, 1, 0, 5, 5, -3, 1 };
  static const float guessed[] = { 0.6f, 0, 4, 4, 1.2f, 0, 9, 9, -2, 2 };
  static const double expected[] = { 0, 1, 1, 1, 1 };
  static const double chance[] = { 0.2, 0.4, 0.2, 0.4, 0.2 };
  g_auto (Pair) pair = pair_of (private, guessed, 5, 2);
  AssayOutcomes outcomes = measure (&assay_metric_identification_rate, "", &pair);

  check_series (&outcomes, 0, expected, 5, 0, "identified");
  /* In a random order one of five is where it was, or one of two equal ones. */
  check_series (&outcomes, 1, chance, 5, 1e-15, "by chance");
  assay_outcomes_clear (&outcomes);
}

/* Rows {7, 9}: found both, in another order; one; none; one named twice counts once. The attack may
 * name more than there are. */
Test (metrics, adversarial_found)
{
  static const gint64 drawn[] = { 7, 9, 7, 9, 7, 9, 7, 9 };
  static const gint64 found[] = { 9, 1, 7, 1, 2, 9, 1, 2, 3, 7, 7, 7 };
  static const double shares[] = { 1, 0.5, 0, 0.5 }, all[] = { 1, 0, 0, 0 };
  g_auto (Pair) pair = pair_of (secrets, NULL, 4, 2);
  AssayOutcomes outcomes;

  take_rows (&pair.truth->arrays, drawn, 4, 2);
  cr_assert (
      !assay_metric_applies (&assay_metric_adversarial_found, NULL, NULL, pair.truth, pair.guess));
  cr_assert (
      !assay_metric_applies (&assay_metric_recovery_rate, NULL, NULL, pair.truth, pair.guess));
  take_rows (&pair.guess->arrays, found, 4, 3);
  outcomes = measure (&assay_metric_adversarial_found, "", &pair);
  check_series (&outcomes, 0, shares, 4, 0, "shares");
  check_series (&outcomes, 1, all, 4, 0, "all");
  assay_outcomes_clear (&outcomes);
}

/* The forming descriptors 0 (the secret), 10 and 1000 on a line. Of the rows nearest to a subspace
 * five stand at 1 (of the secret: 1 to 9), five at 5 (of neither), ten at 9 (of 10), thirty at 4.5
 * (4.5 to 5.5 is a ratio of 0.82). Rows beyond the first fifty are not looked at. */
Test (metrics, ratio_test)
{
  static const float zero[] = { 0 }, forming[] = { 10, 1000 };
  static const struct {
    const char *ratio;
    double shares[4];
  } cases[] = { { "", { 0.3, 0.75, 0.5, 1 } },
                { "ratio=0.83", { 0.9, 0.75, 0.5, 1 } },
                { "ratio=0.1", { 0, 0, 0, 0 } } };
  const gsize of_forming[] = { 1, 2, 1 }, of_near[] = { 1, 52, 1 };
  g_auto (Pair) pair = pair_of (zero, NULL, 1, 1);
  float near[52];

  for (gsize r = 0; r < 52; r++)
    near[r] = r < 5 ? 1 : r < 10 ? 5 : r < 20 ? 9 : r < 50 ? 4.5f : 0;
  cr_assert (!assay_metric_applies (&assay_metric_ratio_test, NULL, NULL, pair.truth, pair.guess));
  assay_arrays_take (
      &pair.guess->arrays, "forming",
      assay_array_take (ASSAY_FLOAT32, 3, of_forming, g_memdup2 (forming, sizeof forming)));
  assay_arrays_take (&pair.guess->arrays, "near",
                     assay_array_take (ASSAY_FLOAT32, 3, of_near, g_memdup2 (near, sizeof near)));
  cr_assert (assay_guess_check (pair.guess, assay_registry_guess_arrays (), NULL));
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    AssayOutcomes outcomes = measure (&assay_metric_ratio_test, cases[c].ratio, &pair);

    for (guint s = 0; s < 4; s++)
      check_series (&outcomes, s, &cases[c].shares[s], 1, 1e-12, cases[c].ratio);
    assay_outcomes_clear (&outcomes);
  }
}

/* Items 3, 0 and 2, of which all, half and none of four nearest rows were found; with groups, each
 * unit has its item's. */
Test (metrics, search_recall)
{
  static const gint64 rows[] = { 3, 4, 4, 0, 2, 4, 2, 0, 4 }, groups[] = { 5, 6, 7, 8 };
  static const double shares[] = { 1, 0.5, 0 }, none[] = { -1, -1, -1 }, of_items[] = { 8, 5, 7 };
  g_auto (Pair) pair = pair_of (secrets, NULL, 4, 2);

  cr_assert (
      !assay_metric_applies (&assay_metric_search_recall, NULL, NULL, pair.truth, pair.guess));
  assay_arrays_take (
      &pair.guess->arrays, "recall",
      assay_array_take (ASSAY_INT64, 2, (const gsize[]){ 3, 3 }, g_memdup2 (rows, sizeof rows)));
  cr_assert (assay_guess_check (pair.guess, assay_registry_guess_arrays (), NULL));
  for (guint round = 0; round < 2; round++) {
    AssayOutcomes outcomes = measure (&assay_metric_search_recall, "", &pair);

    check_series (&outcomes, 0, shares, 3, 0, "shares");
    check_series (&outcomes, 1, round == 0 ? none : of_items, 3, 0, "units");
    assay_outcomes_clear (&outcomes);
    assay_arrays_take (
        &pair.truth->arrays, "groups",
        assay_array_take (ASSAY_INT64, 1, (const gsize[]){ 4 }, g_memdup2 (groups, sizeof groups)));
  }
}

/* ---- Errors ---- */

static void
check_error (const AssayMetric *metric, const Pair *pair, gint code, const char *message)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, "");
  AssayOutcomes outcomes = { 0 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!assay_step_measure (metric, &(AssayMetricContext){ .settings = settings->values },
                                  pair->truth, pair->guess, &outcomes, &error),
             "%s", message);
  cr_assert (fixture_error_is (&error, code, message, NULL, &why), "%s", why);
  cr_assert (outcomes.n == 0 && outcomes.series[0] == NULL, "%s", message);
}

Test (metrics, shapes_that_do_not_fit)
{
  static const AssayMetric *const metrics[]
      = { &assay_metric_recovery_rate, &assay_metric_identification_rate,
          &assay_metric_relative_error };
  static const gint64 rows[] = { 1, 2, 3 };
  static const float zeros[] = { 1, 2, 0, 0 };
  g_auto (Pair) fewer = pair_of (secrets, NULL, 4, 2);
  g_auto (Pair) narrow = pair_of (secrets, NULL, 4, 2);
  g_auto (Pair) zero = pair_of (zeros, zeros, 2, 2);

  take_floats (&fewer.guess->arrays, "estimates", estimates, 3, 2);
  take_floats (&narrow.guess->arrays, "estimates", estimates, 4, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (metrics); i++) {
    g_autofree char *of_fewer = g_strdup_printf (
        "metric %s: estimates are 3 x 2, but the secrets are 4 x 2", metrics[i]->id);
    g_autofree char *of_narrow = g_strdup_printf (
        "metric %s: estimates are 4 x 1, but the secrets are 4 x 2", metrics[i]->id);

    check_error (metrics[i], &fewer, ASSAY_ERROR_MISMATCH, of_fewer);
    check_error (metrics[i], &narrow, ASSAY_ERROR_MISMATCH, of_narrow);
  }
  check_error (&assay_metric_recovery_rate, &zero, ASSAY_ERROR_DATA,
               "metric recovery-rate: secret 1 is all zeros: it has no relative error");
  take_rows (&fewer.truth->arrays, rows, 3, 1);
  take_rows (&fewer.guess->arrays, rows, 1, 3);
  check_error (&assay_metric_adversarial_found, &fewer, ASSAY_ERROR_MISMATCH,
               "metric adversarial-found: adversarial rows for 1 secrets, expected 3");
  for (guint i = 0; i < 2; i++)
    assay_arrays_take (&narrow.guess->arrays, i == 0 ? "forming" : "near",
                       assay_array_take (ASSAY_FLOAT32, 3, (const gsize[]){ 1, 4, 2 },
                                         g_memdup2 (secrets, 8 * sizeof (float))));
  check_error (&assay_metric_ratio_test, &narrow, ASSAY_ERROR_MISMATCH,
               "metric ratio-test: rows near the subspaces are 1 x 4 x 2, expected 4 x 50 or more "
               "x 2");
}

Test (metrics, recall_that_cannot_be)
{
  static const struct {
    gint64 row[3];
    const char *message;
  } wrong[] = {
    { { 4, 1, 2 }, "recall: row 0 is of item 4, expected one of 4" },
    { { -1, 1, 2 }, "recall: row 0 is of item -1, expected one of 4" },
    { { 0, 3, 2 }, "recall: row 0 has 3 found of 2, expected 0 to all of 1 or more" },
    { { 0, -1, 2 }, "recall: row 0 has -1 found of 2, expected 0 to all of 1 or more" },
    { { 0, 0, 0 }, "recall: row 0 has 0 found of 0, expected 0 to all of 1 or more" },
  };
  static const gsize shapes[][2] = { { 1, 3 }, { 1, 2 }, { 0, 3 } };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong) + 2; i++) {
    const gsize *shape = shapes[i < G_N_ELEMENTS (wrong) ? 0 : i - G_N_ELEMENTS (wrong) + 1];
    g_auto (Pair) pair = pair_of (secrets, NULL, 4, 2);
    g_autofree char *message
        = i < G_N_ELEMENTS (wrong)
              ? g_strdup_printf ("metric search-recall: %s", wrong[i].message)
              : g_strdup_printf ("metric search-recall: recall is %zu x %zu, expected one row or "
                                 "more of 3 columns",
                                 shape[0], shape[1]);

    assay_arrays_take (
        &pair.guess->arrays, "recall",
        assay_array_take (ASSAY_INT64, 2, shape,
                          g_memdup2 (wrong[i % G_N_ELEMENTS (wrong)].row, 3 * sizeof (gint64))));
    check_error (&assay_metric_search_recall, &pair,
                 i < G_N_ELEMENTS (wrong) ? ASSAY_ERROR_DATA : ASSAY_ERROR_MISMATCH, message);
  }
}
