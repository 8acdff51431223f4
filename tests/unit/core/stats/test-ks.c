/* The Kolmogorov-Smirnov test against enumeration and closed forms, and the metric made of it:
 * statistics by hand, chance levels without a leak, and what it finds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/stats/ks.h"
#include "metrics/images/image-statistics.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
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

/* ---- The test ---- */

static guint64
steps_of (guint order, gsize m, gsize n)
{
  guint64 most = 0, i = 0, j = 0;

  for (gsize s = 0; s < m + n; s++) {
    i += order >> s & 1;
    j += !(order >> s & 1);
    most = MAX (most, i * n > j * m ? i * n - j * m : j * m - i * n);
  }
  return most;
}

/* Large samples that hardly differ: at t = 0.1 the limit is not summed, and is 1; at t = 0.25 its
 * other form is 1 - sqrt (2 pi) / t sum exp (-(2 j - 1)^2 pi^2 / (8 t^2)). */
Test (ks, hardly_any_distance)
{
  cr_assert_eq (assay_ks_p (1000000, 1000000, 141421356), 1);
  assert_near (assay_ks_p (1000000, 1000000, 353553391), 1 - 2.6823810084829858e-8, 1e-12,
               "t = 0.25");
}

/* Every order of two samples, for all sizes up to 7 and all distances. */
Test (ks, enumeration)
{
  for (gsize m = 1; m <= 7; m++)
    for (gsize n = 1; n <= 7; n++)
      for (guint64 k = 0; k <= m * n; k++) {
        gsize n_orders = 0, n_reached = 0;

        for (guint order = 0; order < 1u << (m + n); order++) {
          if ((gsize) __builtin_popcount (order) != m)
            continue;
          n_orders++;
          n_reached += steps_of (order, m, n) >= k;
        }
        assert_near (assay_ks_p (m, n, k), (double) n_reached / (double) n_orders, 1e-14,
                     "%zu, %zu, %d steps", m, n, (int) k);
      }
}

/* Equal sizes (Gnedenko and Korolyuk 1951): P (D >= h / n) = 2 sum_j (-1)^(j - 1) C (2n, n - j h) /
 * C (2n, n). Down to 1e-115, relatively to 1e-9: lgamma loses 4 digits. */
Test (ks, equal_sizes)
{
  static const gsize sizes[] = { 20, 50, 400 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (gsize h = 1; h <= sizes[i]; h += 1 + sizes[i] / 40) {
      const double n = (double) sizes[i];
      double p = 0;

      for (gsize j = 1; j * h <= sizes[i]; j++) {
        const double of = (double) (j * h);
        const double term = exp (2 * lgamma (n + 1) - lgamma (n - of + 1) - lgamma (n + of + 1));

        p += j % 2 == 1 ? 2 * term : -2 * term;
      }
      assert_near (assay_ks_p (sizes[i], sizes[i], h * sizes[i]) / p, 1, 1e-9, "%zu, %zu", sizes[i],
                   h);
    }
}

/* The share of paths that stay inside, place by place, from the other side: 1 - p. */
static double
naive_p (gsize m, gsize n, guint64 steps)
{
  g_autofree double *inside = g_new0 (double, (m + 1) * (n + 1));

  for (guint64 i = 0; i <= m; i++)
    for (guint64 j = 0; j <= n; j++) {
      const double length = (double) (i + j);
      double share = i + j == 0;

      if (i > 0)
        share += (double) i / length * inside[(i - 1) * (n + 1) + j];
      if (j > 0)
        share += (double) j / length * inside[i * (n + 1) + j - 1];
      inside[i * (n + 1) + j] = MAX (i * n, j * m) - MIN (i * n, j * m) >= steps ? 0 : share;
    }
  return 1 - inside[(m + 1) * (n + 1) - 1];
}

Test (ks, unequal_sizes)
{
  static const gsize sizes[][2] = { { 12, 35 }, { 40, 360 }, { 50, 1234 }, { 400, 3600 } };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 1; k <= 20; k++) {
      const gsize m = sizes[i][0], n = sizes[i][1];
      /* t from 0.2 to 4 */
      const guint64 steps = MIN ((guint64) (0.2 * k * sqrt ((double) (m * n * (m + n)))), m * n);

      assert_near (assay_ks_p (m, n, steps), naive_p (m, n, steps), 1e-12, "%zu, %zu, %u", m, n, k);
      cr_assert (assay_ks_p (m, n, steps) == assay_ks_p (n, m, steps));
    }
}

/* Kolmogorov's limit where the samples are large, here 200,000 each: from above, as close as 0.2 %
 * (Gnedenko and Korolyuk's first term, whose logarithm lgamma knows to 1e-9). And at sizes that are
 * still exact it is at most 15 % above p while p > 1e-6, and never below. */
Test (ks, limit)
{
  const double n = 200000;

  for (guint64 k = 80000; k <= 200000; k += 20000) {
    const double t = (double) k / 1440000.0 * sqrt (360);
    const double limit = 2 * (exp (-2 * t * t) - exp (-8 * t * t) + exp (-18 * t * t));
    const double share = assay_ks_p (400, 3600, k) / limit;

    cr_assert (share <= 1 && share >= 0.85, "%d steps: %g", (int) k, share);
  }
  for (guint64 h = 800; h <= 1400; h += 200) {
    const double of = (double) h;
    const double p = 2 * exp (2 * lgamma (n + 1) - lgamma (n - of + 1) - lgamma (n + of + 1));

    assert_near (assay_ks_p (200000, 200000, h * 200000) / p, 1, 2e-3, "%d", (int) h);
  }
}

/* Between, where many terms count: the same function by its other series, of Jacobi's theta,
 *   1 - sqrt (2 pi) / t sum_{k >= 1} exp (-(2 k - 1)^2 pi^2 / (8 t^2)). */
Test (ks, limit_by_the_other_series)
{
  const gsize n = 1000000;

  for (double wanted = 0.25; wanted < 2; wanted += 0.05) {
    const guint64 steps = (guint64) (wanted * sqrt (2.0 / (double) n) * (double) n * (double) n);
    const double t = (double) steps / ((double) n * (double) n) * sqrt ((double) n / 2);
    double below = 0;

    for (int k = 1; k < 20; k++)
      below += exp (-(2 * k - 1) * (2 * k - 1) * G_PI * G_PI / (8 * t * t));
    assert_near (assay_ks_p (n, n, steps), 1 - sqrt (2 * G_PI) / t * below, 1e-12, "t %g", t);
  }
}

Test (ks, distances_and_ties)
{
  static const double first[] = { 1, 2, 2, 5 }, second[] = { 2, 3, 3, 4, 6 };
  const AssayKs found = assay_ks_test (first, 4, second, 5);
  const AssayKs same = assay_ks_test (first, 4, first, 4);

  /* At 2: 3/4 against 1/5. */
  assert_near (found.distance, 0.55, 1e-15, "distance");
  assert_near (found.p, assay_ks_p (4, 5, 11), 0, "p");
  cr_assert (same.distance == 0 && same.p == 1);
}

/* Each by hand: all of one sample below the other, either way round, and one within the other. What
 * stands behind the end of a sample is not looked at. */
Test (ks, samples_of_few)
{
  static const double one[] = { 1, -5 }, higher[] = { 2, 3, -5 }, around[] = { 1, 4 };

  assert_near (assay_ks_test (one, 1, higher, 2).distance, 1, 0, "below");
  assert_near (assay_ks_test (higher, 2, one, 1).distance, 1, 0, "above");
  assert_near (assay_ks_test (around, 2, higher, 2).distance, 0.5, 0, "around");
  assert_near (assay_ks_test (higher, 2, around, 2).distance, 0.5, 0, "within");
}

/* Up to ten million steps p is exact (Gnedenko and Korolyuk, the first terms), beyond it is the
 * limit, which is off by a tenth there. */
Test (ks, exact_where_it_is_fast)
{
  const double n = 10000, t = 1500 * sqrt (1 / (2 * n));
  double exact = 2;

  for (gsize k = 0; k < 900; k++) /* C (2n, n - h) / C (2n, n) */
    exact *= (n - (double) k) / (n + 900 - (double) k);
  assert_near (assay_ks_p (10000, 10000, 9000000), exact, 1e-9 * exact, "exact");
  assert_near (assay_ks_p (10000, 10000, 15000000), 2 * exp (-2 * t * t),
               1e-9 * exp (-2 * t * t), "the limit");
}

Test (ks, one_value)
{
  for (gsize n = 1; n <= 9; n++)
    for (gsize below = 0; below <= n; below++)
      assert_near (assay_ks_value_p (n, below, n - below),
                   assay_ks_p (1, n, MAX (below, n - below)), 1e-14, "%zu of %zu", below, n);
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

enum { SIDE = 4, COLS = SIDE * SIDE };

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
  AssayGuess *guess;
} Case;

static void
case_clear (Case *c)
{
  assay_release_free (c->release);
  assay_truth_free (c->truth);
  assay_guess_free (c->guess);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

/* @each normal encodings of each of @n secrets, in turn; those of secret 0 are brighter. */
static Case
make_case (gsize n, gsize each, float brighter, guint64 trial)
{
  const gsize total = n * each;
  AssayMatrix *images = fixture_normal (total, COLS, trial);
  gint64 *owners = g_new (gint64, total);
  Case c = { .release = assay_release_new (ASSAY_RELEASE_MIXTURES, "made"),
             .truth = assay_truth_new (),
             .guess = assay_guess_new () };

  for (gsize i = 0; i < total; i++) {
    owners[i] = (gint64) (i % n);
    for (gsize j = 0; owners[i] == 0 && j < COLS; j++)
      assay_matrix_row (images, i)[j] += brighter;
  }
  c.release->geometry = (AssayGeometry){ .height = SIDE, .width = SIDE, .channels = 1 };
  assay_arrays_take (&c.release->arrays, "images", assay_array_take_matrix (images));
  assay_arrays_take (&c.truth->arrays, "secrets",
                     assay_array_take_matrix (fixture_normal (n, COLS, trial + 1)));
  assay_arrays_take (&c.truth->arrays, "owners", assay_array_take (ASSAY_INT64, 1, &total, owners));
  return c;
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
