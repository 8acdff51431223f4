/* Linkability of scores whose distributions are known. */
#include <criterion/criterion.h>
#include <math.h>

#include "metrics/inference/score-ratio.h"
#include "tests/reference/fixtures.h"

extern const AssayMetric assay_metric_linkability;

enum { AREA, EQUAL_ERRORS, FIRST, D_SYS };

typedef struct {
  double means[4];
  double errors[4]; /* standard errors, by the outcomes */
} Found;

/* Scores of n x n pairs: normal with variance 1 around 0, and of mates around @gap. */
static AssayArray *
draw_scores (gsize n, gsize m, double gap, const gint64 *mates, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "scores", ""), 0);
  float *scores = g_new (float, n * m);

  for (gsize i = 0; i < n * m; i++)
    scores[i] = (float) (assay_stream_normal (&stream)
                         + (mates[i % m] == (gint64) (i / m) ? gap : 0));
  return assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ n, m }, scores);
}

/* m items of the second release, of n secrets: item j is of secret 7 j modulo n. */
static gint64 *
make_mates (gsize n, gsize m)
{
  gint64 *mates = g_new (gint64, m);

  for (gsize j = 0; j < m; j++)
    mates[j] = (gint64) (7 * j % n);
  return mates;
}

static Found
measure (gsize n, gsize m, double gap, guint64 seed, const char *assignments)
{
  const AssayMetric *metric = &assay_metric_linkability;
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, assignments);
  const AssayMetricContext context = { .settings = settings->values };
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  gint64 *mates = make_mates (n, m);
  g_autoptr (GError) error = NULL;
  AssayOutcomes outcomes = { 0 };
  Found found = { 0 };

  assay_arrays_take (&guess->arrays, "cross-scores", draw_scores (n, m, gap, mates, seed));
  assay_arrays_take (&truth->arrays, "mates", assay_array_take (ASSAY_INT64, 1, &m, mates));
  cr_assert (metric->measure (&context, truth, guess, &outcomes, &error), "%s", error->message);
  cr_assert_eq (outcomes.n, m);
  for (guint s = AREA; s <= D_SYS; s++) {
    double square = 0;

    for (gsize j = 0; j < m; j++)
      found.means[s] += outcomes.series[s][j] / (double) m;
    for (gsize j = 0; j < m; j++)
      square += pow (outcomes.series[s][j] - found.means[s], 2);
    found.errors[s] = sqrt (square / (double) (m - 1) / (double) m);
  }
  assay_outcomes_clear (&outcomes);
  return found;
}

static double
normal_below (double x)
{
  return erfc (-x / sqrt (2)) / 2;
}

/* D_sys of two normal densities @gap apart, by the trapezoid rule on its definition. */
static double
closed_d_sys (double gap, double omega)
{
  const double step = 1e-4;
  double sum = 0;

  for (double s = -10; s < gap + 10; s += step) {
    const double near = exp (-(s - gap) * (s - gap) / 2), far = exp (-s * s / 2);

    sum += near / sqrt (2 * G_PI) * MAX (0, (omega * near - far) / (omega * near + far)) * step;
  }
  return sum;
}

/* The paper's own estimate (its published script): densities by bins of equal width, put into the
 * definition. */
static double
naive_d_sys (const float *mates, gsize n_mates, const float *others, gsize n_others, guint bins)
{
  double low = INFINITY, high = -INFINITY, sum = 0;

  for (gsize i = 0; i < n_mates + n_others; i++) {
    const double score = (double) (i < n_mates ? mates[i] : others[i - n_mates]);

    low = MIN (low, score);
    high = MAX (high, score);
  }
  for (guint b = 0; b < bins; b++) {
    const double from = low + (high - low) * b / bins, to = low + (high - low) * (b + 1) / bins;
    double near = 0, far = 0;

    for (gsize i = 0; i < n_mates; i++)
      near += ((double) mates[i] >= from && (double) mates[i] < to) / (double) n_mates;
    for (gsize i = 0; i < n_others; i++)
      far += ((double) others[i] >= from && (double) others[i] < to) / (double) n_others;
    if (near > far)
      sum += near * 2 * near / (near + far) - near;
  }
  return sum;
}

Test (linkability, two_normal_densities_give_the_closed_forms)
{
  for (guint g = 0; g <= 4; g++) {
    const double gap = g;
    const Found found = measure (700, 700, gap, 3 + g, "");

    cr_assert (fabs (found.means[AREA] - normal_below (gap / sqrt (2)))
                   < 4 * found.errors[AREA] + 1e-3,
               "gap %g: area %g", gap, found.means[AREA]);
    cr_assert (fabs (found.means[EQUAL_ERRORS] - normal_below (-gap / 2))
                   < 4 * found.errors[EQUAL_ERRORS] + 2e-3,
               "gap %g: equal errors %g", gap, found.means[EQUAL_ERRORS]);
    cr_assert (fabs (found.means[D_SYS] - closed_d_sys (gap, 1)) < 3 * found.errors[D_SYS] + 0.01,
               "gap %g: D_sys %g of %g", gap, found.means[D_SYS], closed_d_sys (gap, 1));
    cr_assert (found.errors[D_SYS] < 0.04);
  }
}

Test (linkability, another_omega_is_another_closed_form)
{
  const Found rare = measure (700, 700, 2, 5, "omega=0.1");
  const Found equal = measure (700, 700, 2, 5, "");

  cr_assert (fabs (rare.means[D_SYS] - closed_d_sys (2, 0.1)) < 3 * rare.errors[D_SYS] + 0.01,
             "%g of %g", rare.means[D_SYS], closed_d_sys (2, 0.1));
  cr_assert_lt (closed_d_sys (2, 0.1), closed_d_sys (2, 1) - 0.2);
  cr_assert_lt (rare.means[D_SYS], equal.means[D_SYS] - 0.2);
}

/* The naive estimate is near where there is much to see, and above 0 where there is nothing: there
 * ours is 0 in the mean. */
Test (linkability, the_naive_estimate_agrees_but_for_what_it_sees_in_noise)
{
  enum { N = 150, SEEDS = 40 };
  double naive = 0, ours = 0, square = 0;

  for (guint64 seed = 1; seed <= SEEDS; seed++) {
    AssayStream stream = assay_stream (assay_stream_key (seed, 0, "naive", ""), 0);
    const double found = measure (N, N, 0, seed, "").means[D_SYS];
    float mates[N], others[20 * N];

    for (gsize i = 0; i < N; i++)
      mates[i] = (float) assay_stream_normal (&stream);
    for (gsize i = 0; i < 20 * N; i++)
      others[i] = (float) assay_stream_normal (&stream);
    naive += naive_d_sys (mates, N, others, 20 * N, N / 10) / SEEDS;
    ours += found / SEEDS;
    square += found * found / SEEDS;
  }
  cr_assert_gt (naive, 0.03);
  cr_assert (ours < 3 * sqrt (square / SEEDS) && ours > -0.03, "%g", ours);
  {
    AssayStream stream = assay_stream (assay_stream_key (1, 0, "naive", ""), 1);
    g_autofree float *mates = g_new (float, 5000);
    g_autofree float *others = g_new (float, 50000);

    for (gsize i = 0; i < 5000; i++)
      mates[i] = (float) (2 + assay_stream_normal (&stream));
    for (gsize i = 0; i < 50000; i++)
      others[i] = (float) assay_stream_normal (&stream);
    cr_assert (fabs (naive_d_sys (mates, 5000, others, 50000, 100) - closed_d_sys (2, 1)) < 0.02);
  }
}

/* The first columns' secrets alone are in the second release. */
Test (linkability, fewer_items_in_the_second_release)
{
  const Found found = measure (500, 200, 8, 4, "");

  cr_assert_gt (found.means[AREA], 0.999);
  cr_assert_gt (found.means[FIRST], 0.99);
  cr_assert_gt (found.means[D_SYS], 0.97);
  cr_assert_lt (found.means[EQUAL_ERRORS], 0.001);
}

Test (linkability, equal_scores_say_nothing)
{
  const AssayMetric *metric = &assay_metric_linkability;
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, "");
  const AssayMetricContext context = { .settings = settings->values };
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  const gsize n = 40, few = 10;
  const double expected[] = { 0.5, 0.5, 1 / 40.0, 0 };
  g_autoptr (GError) error = NULL;
  AssayOutcomes outcomes = { 0 };

  assay_arrays_take_rows (&guess->arrays, "cross-scores", ASSAY_FLOAT32, n, n,
                          g_new0 (float, n * n));
  assay_arrays_take (&truth->arrays, "mates",
                     assay_array_take (ASSAY_INT64, 1, &n, make_mates (n, n)));
  cr_assert (metric->measure (&context, truth, guess, &outcomes, NULL));
  for (guint s = AREA; s <= D_SYS; s++)
    for (gsize j = 0; j < n; j++)
      cr_assert_float_eq (outcomes.series[s][j], expected[s], 1e-9, "%u: %g", s,
                          outcomes.series[s][j]);
  assay_outcomes_clear (&outcomes);
  assay_arrays_take (&truth->arrays, "mates",
                     assay_array_take (ASSAY_INT64, 1, &few, make_mates (n, few)));
  cr_assert_not (metric->measure (&context, truth, guess, &outcomes, &error));
  cr_assert (strstr (error->message, "cross-scores are 40 x 40; expected a column for each of 10"));
}

/* Steps of a small example by hand: 1 (other), 2 (mate), 3 (other), 4 (mate), 5 (mate). */
Test (linkability, steps_pool_what_falls)
{
  const float mates[] = { 2, 4, 5 }, others[] = { 1, 3 };
  g_auto (ScoreRatio) ratio
      = score_ratio ((ScoreSample){ mates, 3 }, (ScoreSample){ others, 2 }, 1);

  cr_assert_eq (ratio.n_steps, 3);
  cr_assert_float_eq (score_ratio_at (&ratio, 0), -1, 1e-12);
  cr_assert_float_eq (score_ratio_at (&ratio, 2.5F), (1 / 3.0 - 1 / 2.0) / (1 / 3.0 + 1 / 2.0),
                      1e-12);
  cr_assert_float_eq (score_ratio_at (&ratio, 3.6F), 1, 1e-12);
}
