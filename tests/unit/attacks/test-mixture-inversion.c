/* mixture-inversion as a whole: what it recovers, its control, its errors. */
#include <criterion/criterion.h>

#include "core/base/parallel.h"
#include "core/games/control.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/instahide.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/inversion-sizes.h"

extern const AssayAttack assay_attack_mixture_inversion;
extern const AssayMetric assay_metric_image_recovery;

static double
median (double *values, gsize n)
{
  for (gsize i = 1; i < n; i++)
    for (gsize j = i; j > 0 && values[j] < values[j - 1]; j--) {
      const double larger = values[j - 1];

      values[j - 1] = values[j];
      values[j] = larger;
    }
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* ---- The whole ---- */

static AssayRelease *
make_release (const InstaHide *made, gboolean has_labels)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_MIXTURES, "test");

  release->geometry
      = (AssayGeometry){ .height = made->sizes.side, .width = made->sizes.side, .channels = 1 };
  assay_arrays_take (
      &release->arrays, "images",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (made->mixtures), NULL)));
  if (has_labels)
    assay_arrays_take (
        &release->arrays, "labels",
        assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (made->labels), NULL)));
  return release;
}

static AssayGuess *
run (const InstaHide *made, const char *assignments, const AssayRelease *release, GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_mixture_inversion.plugin, assignments);
  g_autoptr (AssayRows) public_rows = fixture_rows (made->publics);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (1, 0, "attack", "test") };
  const AssayObservation seen = { .release = release, .public_rows = public_rows };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  return assay_attack_run (&assay_attack_mixture_inversion, &context, &seen, guess, error)
             ? g_steal_pointer (&guess)
             : NULL;
}

/* The median correlation that the metric image-recovery finds. */
static double
judge (const InstaHide *made, const char *assignments, const AssayGuess *guess)
{
  const AssayMetric *metric = &assay_metric_image_recovery;
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, assignments);
  const AssayMetricContext context = { .settings = settings->values };
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  const AssayMeasure *measure = metric->measures;
  AssayOutcomes outcomes = { 0 };
  g_autofree double *likeness = NULL;

  truth->geometry
      = (AssayGeometry){ .height = made->sizes.side, .width = made->sizes.side, .channels = 1 };
  assay_arrays_take (
      &truth->arrays, "secrets",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (made->secrets), NULL)));
  cr_assert (metric->measure (&context, truth, guess, &outcomes, NULL));
  while (!g_str_equal (measure->name, "image-correlation"))
    measure++;
  likeness = g_memdup2 (outcomes.series[measure->series], made->sizes.n_secrets * sizeof *likeness);
  assay_outcomes_clear (&outcomes);
  return median (likeness, made->sizes.n_secrets);
}

/* In an order of the attack's own, which it says, so that the metric looks for it. */
Test (mixture_inversion, secrets_come_back)
{
  for (int has_labels = 0; has_labels < 2; has_labels++) {
    g_autoptr (InstaHide) made = instahide_new (&sizes);
    g_autoptr (AssayRelease) release = make_release (made, has_labels);
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayGuess) guess = run (made, "secrets=12 k=4", release, &error);
    const AssayArray *estimates;
    double likeness[12], middle;

    cr_assert_not_null (guess, "%s", error != NULL ? error->message : "");
    estimates = assay_arrays_get (&guess->arrays, "estimates");
    cr_assert_eq (estimates->shape[0], 12);
    instahide_compare (made, assay_array_view (estimates).data, likeness);
    middle = median (likeness, 12);
    cr_assert_geq (middle, has_labels ? 0.95 : 0.8, "labels %d: %g", has_labels, middle);
    assert_near (judge (made, "sign=free", guess), middle, 0.01, "labels %d", has_labels);
    cr_assert_leq (judge (made, "sign=free matching=order", guess), 0.5, "labels %d", has_labels);
  }
}

Test (mixture_inversion, is_the_same_on_any_number_of_threads)
{
  g_autoptr (InstaHide) made = instahide_new (&sizes);
  g_autoptr (AssayRelease) release = make_release (made, TRUE);
  g_autoptr (AssayGuess) first = NULL;

  for (guint threads = 1; threads <= 3; threads += 2) {
    g_autoptr (AssayGuess) guess = NULL;

    assay_parallel_set_threads (threads);
    guess = run (made, "secrets=12 k=4 rounds=1", release, NULL);
    cr_assert_not_null (guess);
    if (first == NULL) {
      first = g_steal_pointer (&guess);
      continue;
    }
    cr_assert_arr_eq (assay_array_view (assay_arrays_get (&guess->arrays, "estimates")).data,
                      assay_array_view (assay_arrays_get (&first->arrays, "estimates")).data,
                      12 * made->cols * sizeof (float), "%u threads", threads);
  }
}

/* Also with settings for mixtures of other kinds: what the control is made of, it says itself. */
Test (mixture_inversion, control_is_won)
{
  static const char *const choices[] = { "", "max_coefficient=0.2 k=6 secrets=3", "labels=no" };

  for (guint64 i = 0; i < G_N_ELEMENTS (choices); i++) {
    g_autoptr (AssaySettings) settings
        = fixture_settings (&assay_attack_mixture_inversion.plugin, choices[i]);
    AssayControlOutcome outcome;
    g_autoptr (GError) error = NULL;

    cr_assert (
        assay_control_run (&assay_attack_mixture_inversion, settings, i + 1, &outcome, &error),
        "%s: %s", choices[i], error != NULL ? error->message : "");
    cr_assert (outcome.is_won, "%s: %g", choices[i], outcome.share);
    cr_assert_eq (outcome.n, 10);
  }
}

/* ---- Errors ---- */

Test (mixture_inversion, errors_say_what_is_missing)
{
  static const struct {
    const char *settings;
    const char *message;
  } cases[] = {
    { "k=4",
      "attack mixture-inversion: secrets = 0: expected a number, as the release does not say how "
      "many mixtures there are of each secret (epochs, a divisor of 360)" },
    { "secrets=12",
      "attack mixture-inversion: k = 0: expected the release, or the setting k, to say how many "
      "images are in a mixture, 2 to 64" },
    { "secrets=361 k=4",
      "attack mixture-inversion: 360 mixtures of 361 secrets: expected 2 or more secrets, and as "
      "many mixtures" },
    { "secrets=12 k=4 max_coefficient=0.29",
      "attack mixture-inversion: max_coefficient = 0.29: expected at least 0.3, 1.2 / k, for "
      "mixtures of k = 4 images" },
  };
  g_autoptr (InstaHide) made = instahide_new (&sizes);
  g_autoptr (AssayRelease) release = make_release (made, FALSE);
  GError *error = NULL;
  char *why = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    cr_assert_null (run (made, cases[i].settings, release, &error));
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, cases[i].message, NULL, &why), "%s",
               why);
  }
}
