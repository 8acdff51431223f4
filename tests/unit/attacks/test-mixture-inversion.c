/* mixture-inversion as a whole: what it recovers, its control, its errors. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/games/control.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/instahide.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/inversion-sizes.h"
#include "tests/unit/seeds.h"

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

/* In an order of the attack's own, which it says, so that the metric looks for it; of scales and
 * labels that are as they should be nothing is said. */
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
    cr_assert (strstr (guess->says, "scale") == NULL
                   && (has_labels || strstr (guess->says, "labels") == NULL),
               "%s", guess->says);
    assert_near (judge (made, "sign=free", guess), middle, 0.01, "labels %d", has_labels);
    cr_assert_leq (judge (made, "sign=free matching=order", guess), 0.5, "labels %d", has_labels);
  }
}

Test (mixture_inversion, is_the_same_on_any_number_of_threads)
{
  g_autoptr (InstaHide) made = instahide_new (&sizes);
  g_autoptr (AssayRelease) release = make_release (made, TRUE);
  g_autoptr (AssayGuess) first = NULL;

  TEST_OF_RESULTS ();
  for (guint threads = 1; threads <= 3; threads += 2) {
    g_autoptr (AssayGuess) guess = NULL;

    assay_parallel_set_threads (threads);
    guess = run (made, "secrets=12 k=4 rounds=1 tries=2", release, NULL);
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

/* With settings for mixtures of other kinds: what the control is made of, it says itself. That
 * without settings is played by test-plugins-run. */
Test (mixture_inversion, control_is_won)
{
  static const char *const choices[]
      = { "max_coefficient=0.2 k=6 secrets=3 tries=1", "labels=no tries=1" };

  for (guint64 i = 0; i < G_N_ELEMENTS (choices); i++) {
    g_autoptr (AssaySettings) settings
        = fixture_settings (&assay_attack_mixture_inversion.plugin, choices[i]);
    AssayControlOutcome outcome;
    g_autoptr (GError) error = NULL;

    cr_assert (
        assay_control_run (&assay_attack_mixture_inversion, settings, i + 2, &outcome, &error),
        "%s: %s", choices[i], error != NULL ? error->message : "");
    cr_assert (outcome.is_won, "%s: %g", choices[i], outcome.share);
    cr_assert_eq (outcome.n, 10);
  }
}

/* ---- Pairs ---- */

static gboolean
have_one_in_common (const guint32 *a, const guint32 *b)
{
  return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

/* A third of all pairs share a secret: of these most share an estimate, of the others few do. In so
 * few mixtures the smaller of two secrets is often taken for another. */
Test (mixture_inversion, pairs_share_what_their_estimates_say)
{
  g_autoptr (InstaHide) made = instahide_new (&sizes);
  g_autoptr (AssayRelease) release = make_release (made, TRUE);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = run (made, "game=pair pairs=5000 secrets=12 k=4", release, &error);
  const AssayArray *pairs;
  const float *scores;
  gsize counts[2][2] = { { 0, 0 }, { 0, 0 } };

  cr_assert_not_null (guess, "%s", error != NULL ? error->message : "");
  cr_assert_null (assay_arrays_get (&guess->arrays, "estimates"));
  pairs = assay_arrays_get (&guess->arrays, "pairs");
  scores = assay_array_view (assay_arrays_get (&guess->arrays, "scores")).data;
  cr_assert_eq (pairs->shape[0], 100 * 99 / 2);
  for (gsize i = 0; i < pairs->shape[0]; i++) {
    const gint64 *pair = assay_array_int64 (pairs) + 2 * i;

    counts[have_one_in_common (made->sources + 2 * pair[0], made->sources + 2 * pair[1])]
          [scores[i] > 0]++;
    cr_assert (scores[i] >= 0 && scores[i] <= 8, "pair %zu: %g", i, (double) scores[i]);
  }
  cr_assert (counts[1][1] > 2 * counts[1][0] && 2 * counts[0][1] < counts[0][0],
             "of one secret %zu told, %zu not; of none %zu told", counts[1][1], counts[1][0],
             counts[0][1]);
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

/* ---- Where the attacker is told less, or something else ---- */

static double
median_of (const InstaHide *made, const AssayGuess *guess)
{
  g_autofree double *likeness = g_new (double, made->sizes.n_secrets);

  instahide_compare (made, assay_array_view (assay_arrays_get (&guess->arrays, "estimates")).data,
                     likeness);
  return median (likeness, made->sizes.n_secrets);
}

/* Labels that were dealt to mixtures at random are noticed, and do no more harm than none
 * (secrets_come_back), after which parts are taken first. */
Test (mixture_inversion, invented_labels_are_noticed)
{
  g_autoptr (InstaHide) made = instahide_new (&sizes);
  g_autoptr (AssayRelease) labelled = NULL;
  g_autoptr (AssayGuess) with = NULL;
  g_autoptr (AssayMatrix) right = assay_matrix_copy (assay_matrix_view (made->labels), NULL);
  AssayStream stream = assay_stream (assay_stream_key (2, 0, "labels", "test"), 0);
  g_autofree gsize *order = g_new (gsize, made->total);

  assay_stream_permutation (&stream, made->total, order);
  for (gsize t = 0; t < made->total; t++)
    memcpy (assay_matrix_row (made->labels, t), assay_matrix_row (right, order[t]),
            sizes.n_classes * sizeof (float));
  labelled = make_release (made, TRUE);
  with = run (made, "secrets=12 k=4 tries=1", labelled, NULL);
  cr_assert_not_null (strstr (with->says, "labels have nothing to do with the mixtures"), "%s",
                      with->says);
  cr_assert_geq (median_of (made, with), 0.8, "%g", median_of (made, with));
}

/* Public images from 0 to 1, where the release has mean 0 and variance 1, are brought to its scale;
 * what has no scale in common with it is refused. */
Test (mixture_inversion, scale_of_public_images_is_found)
{
  g_autoptr (InstaHide) made = instahide_new (&sizes);
  g_autoptr (AssayRelease) release = make_release (made, TRUE);
  g_autoptr (AssayGuess) guess = NULL;
  float *values = made->publics->data;
  const gsize count = made->publics->rows * made->cols;
  GError *error = NULL;

  for (gsize i = 0; i < count; i++)
    values[i] = 0.5f + 0.12f * values[i];
  guess = run (made, "secrets=12 k=4 tries=1", release, &error);
  cr_assert_not_null (guess, "%s", error != NULL ? error->message : "");
  cr_assert_not_null (strstr (guess->says, "public images are on another scale"), "%s",
                      guess->says);
  cr_assert_geq (median_of (made, guess), 0.95);
  for (gsize i = 0; i < count; i++)
    values[i] = i % 97 == 0 ? 900 : 0.001f * values[i];
  cr_assert_null (run (made, "secrets=12 k=4", release, &error));
  cr_assert_not_null (strstr (error->message, "expected public images on the scale of the release"),
                      "%s", error->message);
  g_clear_error (&error);
}

/* Eight mixtures of each secret, too few for squares. */
Test (mixture_inversion, secrets_come_back_from_few_mixtures)
{
  InstaHideSizes few = sizes;
  g_autoptr (InstaHide) made = NULL;
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayGuess) guess = NULL;

  few.n_epochs = 8;
  made = instahide_new (&few);
  release = make_release (made, FALSE);
  guess = run (made, "secrets=12 k=4 tries=1", release, NULL);
  cr_assert_geq (median_of (made, guess), 0.8, "%g; %s", median_of (made, guess), guess->says);
}

/* One in two secrets is mirrored each time; nobody says so. There may be more groups than are
 * secrets. */
Test (mixture_inversion, mirrored_secrets_come_back)
{
  InstaHideSizes mirrored = sizes;
  g_autoptr (InstaHide) made = NULL;
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayGuess) once = NULL;
  g_autoptr (AssayGuess) guess = NULL;

  mirrored.n_epochs = 60;
  mirrored.has_flips = true;
  mirrored.n_secrets = 6;
  made = instahide_new (&mirrored);
  release = make_release (made, TRUE);
  once = run (made, "secrets=6 k=4 tries=1", release, NULL);
  guess = run (made, "secrets=6 k=4", release, NULL);
  cr_assert_not_null (strstr (guess->says, "secrets were mirrored"), "%s", guess->says);
  cr_assert_geq (judge (made, "sign=free", guess), 0.85, "%g, with one try %g; %s",
                 judge (made, "sign=free", guess), judge (made, "sign=free", once), guess->says);
  cr_assert_lt (once->confidence, guess->confidence);
}

/* Noise of 0.3 of the pixels' deviation, which is estimated. */
Test (mixture_inversion, secrets_come_back_under_noise)
{
  g_autoptr (InstaHide) made = instahide_new (&sizes);
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayGuess) guess = NULL;
  AssayStream stream = assay_stream (assay_stream_key (4, 0, "noise", "test"), 0);

  for (gsize i = 0; i < made->total * made->cols; i++)
    made->mixtures->data[i] += (float) (0.3 * assay_stream_normal (&stream));
  release = make_release (made, TRUE);
  guess = run (made, "secrets=12 k=4 tries=1", release, NULL);
  cr_assert_not_null (strstr (guess->says, "every number has noise of deviation "), "%s",
                      guess->says);
  cr_assert_geq (median_of (made, guess), 0.9, "%g; %s", median_of (made, guess), guess->says);
}
