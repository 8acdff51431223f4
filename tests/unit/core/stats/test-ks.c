/* The metric that is made of the Kolmogorov-Smirnov test: statistics by hand, chance levels without
 * a leak, and what it finds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/stats/ks.h"
#include "metrics/images/image-statistics.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/encodings-case.h"
#include "tests/unit/seeds.h"

extern const AssayMetric assay_metric_ks_test;
extern const AssayDefense assay_defense_mixup;

enum {
  TOLD_APART,
  CORRECTED_P,
  DISTANCE,
  BY_MEAN,
  BY_DEVIATION,
  BY_VARIATION,
  BY_PIXELS,
  ONE_IN_ALL,
  ONE_IN_OTHERS,
  N_SERIES
};

static AssayStreamKey
key_of (guint64 trial)
{
  return assay_stream_key (31, trial, "test-ks", "");
}

/* ---- Statistics of images ---- */

Test (ks, statistics_by_hand)
{
  /* 2 x 2 pixels of 2 channels: 1 -2, 3 4 / 5 6, -7 8. */
  static const float image[] = { 1, -2, 3, 4, 5, 6, -7, 8 };
  static const double means[] = { 18 / 8.0, 36 / 8.0 }, squares[] = { 204 / 8.0, 204 / 8.0 };
  /* In rows 2 + 6 + 12 + 2, in columns 4 + 8 + 10 + 4; of absolute values 2 + 2 + 2 + 2 and
   * 4 + 4 + 4 + 4. */
  static const double variations[] = { 48, 24 };
  const AssayGeometry geometry = { .height = 2, .width = 2, .channels = 2 };

  for (guint a = 0; a < 2; a++) {
    ImageStatistics statistics;
    double found[IMAGE_N_STATISTICS];

    cr_assert (image_statistics_init (&geometry, 8, a == 1, 5, &statistics, NULL));
    image_statistics_of (&statistics, image, found);
    assert_near (found[IMAGE_MEAN], means[a], 1e-12, "mean %u", a);
    assert_near (found[IMAGE_DEVIATION], sqrt (squares[a] - means[a] * means[a]), 1e-12,
                 "deviation %u", a);
    assert_near (found[IMAGE_VARIATION], variations[a], 1e-12, "variation %u", a);
    for (guint p = 0; p < IMAGE_N_PLACES; p++) {
      const double pixel = (double) image[statistics.places[p]];

      assert_near (found[IMAGE_FIRST_PIXEL + p], a == 1 ? fabs (pixel) : pixel, 0, "pixel");
      for (guint q = 0; q < p; q++)
        cr_assert (statistics.places[p] != statistics.places[q]);
    }
  }
}

/* ---- The metric ---- */

/* @each normal encodings of each of @n secrets, in turn; those of secret 0 are brighter. */
static Case
make_case (gsize n, gsize each, float brighter, guint64 trial)
{
  AssayMatrix *images = fixture_normal (n * each, COLS, trial);

  for (gsize i = 0; i < n * each; i += n)
    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (images, i)[j] += brighter;
  return make_encodings (n, each, images);
}

static AssayOutcomes
measure (const char *assignments, const Case *c)
{
  const AssayMetric *metric = &assay_metric_ks_test;
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, assignments);
  AssayOutcomes outcomes = { 0 };
  g_autoptr (GError) error = NULL;

  cr_assert (assay_metric_applies (metric, NULL, c->release, c->truth, c->guess));
  cr_assert (assay_step_measure (
                 metric,
                 &(AssayMetricContext){ .settings = settings->values, .release = c->release },
                 c->truth, c->guess, &outcomes, &error),
             "%s", error != NULL ? error->message : "");
  return outcomes;
}

static double
mean_of (const AssayOutcomes *outcomes, guint series)
{
  double sum = 0;

  for (gsize i = 0; i < outcomes->n; i++)
    sum += outcomes->series[series][i];
  return sum / (double) outcomes->n;
}

/* Without a leak 600 secrets are told apart at rates of 5 % at most: 5 deviations of a binomial are
 * 0.045. Of one statistic, whose p takes many values, nearly 5 %, so that at least 0.5 % are. */
Test (ks, without_a_leak)
{
  TEST_OF_CHANCE ();

  g_auto (Case) c = make_case (600, 16, 0, 1);
  AssayOutcomes outcomes = measure ("", &c);

  for (guint s = BY_MEAN; s <= BY_PIXELS; s++) {
    cr_expect (mean_of (&outcomes, s) <= 0.095, "series %u: %g", s, mean_of (&outcomes, s));
    cr_expect (mean_of (&outcomes, s) >= 0.005, "series %u: %g", s, mean_of (&outcomes, s));
  }
  cr_expect (mean_of (&outcomes, TOLD_APART) <= 0.095, "%g", mean_of (&outcomes, TOLD_APART));
  cr_expect (outcomes.n == 600);
  for (gsize i = 0; i < outcomes.n; i++)
    cr_expect (outcomes.series[TOLD_APART][i] == (outcomes.series[CORRECTED_P][i] < 0.05));
  assay_outcomes_clear (&outcomes);
}

/* By definition, from the same statistics: the distance at every value, and the p of it. */
Test (ks, against_the_definition)
{
  enum { N = 5, EACH = 12, TOTAL = N * EACH };
  g_auto (Case) c = make_case (N, EACH, 1, 2);
  const AssayView images = assay_array_view (assay_arrays_get (&c.release->arrays, "images"));
  AssayOutcomes outcomes = measure ("places_seed=3", &c);
  ImageStatistics statistics;
  double values[TOTAL][IMAGE_N_STATISTICS];

  cr_assert (image_statistics_init (&c.release->geometry, COLS, FALSE, 3, &statistics, NULL));
  for (gsize i = 0; i < TOTAL; i++)
    image_statistics_of (&statistics, assay_view_row (images, i), values[i]);
  for (gsize secret = 0; secret < N; secret++) {
    double largest = 0, least = 1, one = 0;

    for (guint s = 0; s < IMAGE_N_STATISTICS; s++) {
      guint64 most = 0;

      for (gsize at = 0; at < TOTAL; at++) {
        gsize own = 0, others = 0, others_above = 0;

        for (gsize i = 0; i < TOTAL; i++) {
          own += i % N == secret && values[i][s] <= values[at][s];
          others += i % N != secret && values[i][s] <= values[at][s];
          others_above += i % N != secret && values[i][s] > values[at][s];
        }
        most = MAX (most, (guint64) labs ((long) (own * (TOTAL - EACH)) - (long) (others * EACH)));
        if (at % N == secret)
          one += assay_ks_p (1, TOTAL - EACH, MAX (others, others_above));
      }
      largest = MAX (largest, (double) most / (EACH * (TOTAL - EACH)));
      least = MIN (least, assay_ks_p (EACH, TOTAL - EACH, most));
    }
    assert_near (outcomes.series[DISTANCE][secret], largest, 1e-12, "distance %zu", secret);
    assert_near (outcomes.series[CORRECTED_P][secret], MIN (1, 7 * least), 1e-12, "p %zu", secret);
    assert_near (outcomes.series[ONE_IN_OTHERS][secret], one / (7 * EACH), 1e-12, "one %zu",
                 secret);
  }
  assay_outcomes_clear (&outcomes);
}

/* Ten secrets of which one is brighter by half a deviation of a pixel: it is told by its mean with
 * p below 1e-9, and the paper's form has the same mean p, 1/2, for any release without ties. */
Test (ks, what_the_paper_tests_shows_nothing)
{
  static const float brighter[] = { 0, 0.5f, 100 };
  AssayOutcomes first = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (brighter); i++) {
    g_auto (Case) c = make_case (10, 100, brighter[i], 3 + i);
    AssayOutcomes outcomes = measure ("", &c);

    cr_expect (i == 0 || outcomes.series[CORRECTED_P][0] < 1e-9);
    cr_expect (i == 0 || (outcomes.series[TOLD_APART][0] == 1 && outcomes.series[BY_MEAN][0] == 1));
    /* N = 1000 ranks, and twice (the share as extreme): 1/2 + O (1 / N). */
    assert_near (mean_of (&outcomes, ONE_IN_ALL), 0.5, 0.005, "one in all, %zu", i);
    if (i == 0)
      first = outcomes;
    assert_near (mean_of (&outcomes, ONE_IN_ALL), mean_of (&first, ONE_IN_ALL), 1e-12, "%zu", i);
    if (i > 0)
      assay_outcomes_clear (&outcomes);
  }
  assay_outcomes_clear (&first);
}

/* Mixtures without a mask, of ten secrets with one bright one, by the defense itself; and whatever
 * the number of threads. */
Test (ks, unmasked_mixtures_leak)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_mixup.plugin, "k=4 epochs=100");
  g_autoptr (AssayMatrix) secrets = fixture_normal (10, COLS, 9);
  AssaySecrets of = { .rows = assay_matrix_view (secrets),
                      .geometry = { .height = SIDE, .width = SIDE, .channels = 1 } };
  g_auto (Case) c = { .guess = assay_guess_new () };
  AssayOutcomes outcomes[2];
  g_autoptr (GError) error = NULL;

  for (gsize j = 0; j < COLS; j++)
    assay_matrix_row (secrets, 0)[j] += 3;
  cr_assert (assay_step_protect (&assay_defense_mixup,
                                 &(AssayProtecting){ .settings = settings,
                                                     .stream = key_of (1),
                                                     .common = key_of (1),
                                                     .knowledge = &(AssayKnowledge){ 0 } },
                                 &of, &c.release, &c.truth, &error),
             "%s", error != NULL ? error->message : "");
  for (guint t = 0; t < 2; t++) {
    assay_parallel_set_threads (1 + 2 * t);
    outcomes[t] = measure ("", &c);
  }
  cr_assert (outcomes[0].series[TOLD_APART][0] == 1 && outcomes[0].series[CORRECTED_P][0] < 1e-6,
             "%g", outcomes[0].series[CORRECTED_P][0]);
  for (guint s = 0; s < N_SERIES; s++)
    cr_assert_arr_eq (outcomes[0].series[s], outcomes[1].series[s], 10 * sizeof (double));
  for (guint t = 0; t < 2; t++)
    assay_outcomes_clear (&outcomes[t]);
}

/* Random signs hide brightness from x~, not from |x~|. */
Test (ks, absolute_values_see_through_signs)
{
  g_auto (Case) c = make_case (10, 100, 1.5f, 20);
  const AssayArray *array = assay_arrays_get (&c.release->arrays, "images");
  AssayMatrix *masked = assay_matrix_copy (assay_array_view (array), NULL);
  AssayStream stream = assay_stream (key_of (2), 0);
  AssayOutcomes plain, absolute;

  for (gsize i = 0; i < masked->rows * COLS; i++)
    masked->data[i] *= assay_stream_below (&stream, 2) == 0 ? -1 : 1;
  assay_arrays_take (&c.release->arrays, "images", assay_array_take_matrix (masked));
  plain = measure ("", &c);
  absolute = measure ("absolute=yes", &c);
  /* The mean of |x| moves by 0.76, five deviations of the mean of 16 pixels (0.15). */
  cr_expect (absolute.series[BY_MEAN][0] == 1 && absolute.series[CORRECTED_P][0] < 1e-12);
  cr_expect (absolute.series[DISTANCE][0] > plain.series[DISTANCE][0]);
  assay_outcomes_clear (&plain);
  assay_outcomes_clear (&absolute);
}

/* ---- What is refused ---- */

static void
check_refused (const Case *c, const char *message)
{
  const AssayMetric *metric = &assay_metric_ks_test;
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, "");
  AssayOutcomes outcomes = { 0 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!assay_step_measure (
                 metric,
                 &(AssayMetricContext){ .settings = settings->values, .release = c->release },
                 c->truth, c->guess, &outcomes, &error),
             "%s", message);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, message, NULL, &why), "%s", why);
}

static void
set_owner (Case *c, gsize from, gsize count, gint64 owner)
{
  const AssayArray *array = assay_arrays_get (&c->truth->arrays, "owners");
  gint64 *owners = g_memdup2 (assay_array_int64 (array), count * sizeof *owners);

  owners[from] = owner;
  assay_arrays_take (&c->truth->arrays, "owners",
                     assay_array_take (ASSAY_INT64, 1, &count, owners));
}

Test (ks, refused)
{
  g_auto (Case) c = make_case (3, 1, 0, 4);
  g_auto (Case) one = make_case (1, 8, 0, 4);

  check_refused (&one,
                 "metric ks-test: one secret cannot be told from others; expected at least 2");
  set_owner (&c, 1, 3, 0);
  check_refused (&c, "metric ks-test: no image was made for secret 1; expected one or more");
  set_owner (&c, 1, 3, 3);
  check_refused (&c, "metric ks-test: image 1 was made for secret 3; expected one of 3");
  set_owner (&c, 1, 2, 1);
  check_refused (&c, "metric ks-test: the truth has 2 owners, but the release has 3 images");
  c.release->geometry.width = 5;
  check_refused (&c, "metric ks-test: released images have 16 numbers, expected 4 x 5 x 1");
  c.release->geometry.height = 0;
  check_refused (&c, "metric ks-test: the release does not say what images it holds; expected its "
                     "geometry, for the total variation");
}

/* It applies to mixtures alone, and only with the release. */
Test (ks, needs_the_release)
{
  const AssayMetric *metric = &assay_metric_ks_test;
  g_auto (Case) c = make_case (3, 2, 0, 4);
  g_autoptr (AssayRelease) vectors = assay_release_new (ASSAY_RELEASE_VECTORS, "made");

  cr_assert (assay_metric_applies (metric, NULL, c.release, c.truth, c.guess));
  cr_assert (!assay_metric_applies (metric, NULL, NULL, c.truth, c.guess));
  cr_assert (!assay_metric_applies (metric, NULL, vectors, c.truth, c.guess));
}
