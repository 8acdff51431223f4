/* Noisy max, right and broken, and the pairs of queries: how often outputs come against closed
 * forms with the papers' noise, and what that says about epsilon.
 *
 * Shares of n runs are compared within Bernstein's bound at 1e-9 a comparison. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "defenses/mechanisms/query-pairs.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/defenses/query-answers.h"
#include "tests/unit/seeds.h"

/* ---- Query pairs ---- */

static const QueryCategory in_order[QUERY_CATEGORIES] = { 0, 1, 2, 3, 4, 5, 6, 7 };

Test (broken_mechanisms, query_pairs_are_those_of_the_paper)
{
  static const float expected[QUERY_CATEGORIES][2][5] = {
    { { 1, 1, 1, 1, 1 }, { 2, 1, 1, 1, 1 } }, { { 1, 1, 1, 1, 1 }, { 0, 1, 1, 1, 1 } },
    { { 1, 1, 1, 1, 1 }, { 2, 0, 0, 0, 0 } }, { { 1, 1, 1, 1, 1 }, { 0, 2, 2, 2, 2 } },
    { { 1, 1, 1, 1, 1 }, { 0, 0, 0, 2, 2 } }, { { 1, 1, 1, 1, 1 }, { 2, 2, 2, 2, 2 } },
    { { 1, 1, 1, 1, 1 }, { 0, 0, 0, 0, 0 } }, { { 1, 1, 0, 0, 0 }, { 0, 0, 1, 1, 1 } },
  };

  for (guint i = 0; i < QUERY_CATEGORIES; i++) {
    float first[5], second[5];

    query_pairs_fill ((QueryPairs){ in_order, 1 }, 5, i, NULL, first, second);
    cr_assert (memcmp (first, expected[i][0], sizeof first) == 0
                   && memcmp (second, expected[i][1], sizeof second) == 0,
               "category %u", i);
  }
}

/* For any number of queries, with the centre rounded; the random ones are not all the same. */
Test (broken_mechanisms, query_pairs_are_neighbours)
{
  static const double centres[] = { 1, 0.4, 999999.6 };

  for (gsize c = 0; c < G_N_ELEMENTS (centres); c++)
    for (gsize cols = 1; cols <= 9; cols++) {
      gsize n_up = 0, n_down = 0, n_kept = 0;

      for (guint index = 0; index < QUERY_CATEGORIES + 100; index++) {
        AssayStream stream = query_stream (index);
        float first[9], second[9];
        gsize n_apart = 0;

        query_pairs_fill ((QueryPairs){ in_order, centres[c] }, cols, index, &stream, first,
                          second);
        for (gsize j = 0; j < cols; j++) {
          const double step = (double) second[j] - (double) first[j];

          cr_assert (step == 0 || step == 1 || step == -1, "%zu queries, %u: %g", cols, index,
                     step);
          cr_assert (fabs (first[j] - rint (centres[c])) <= 2 && floorf (first[j]) == first[j]);
          n_apart += step != 0;
          n_up += index >= QUERY_CATEGORIES && step > 0;
          n_down += index >= QUERY_CATEGORIES && step < 0;
          n_kept += index >= QUERY_CATEGORIES && step == 0;
        }
        cr_assert (n_apart > 0, "%zu queries, %u: equal", cols, index);
      }
      cr_assert (n_up > 20 && n_down > 20 && (n_kept > 20 || cols == 1), "%zu, %zu, %zu", n_up,
                 n_down, n_kept);
    }
}

/* Every category is proposed once, whatever the settings; sparse vector moves them to T. */
Test (broken_mechanisms, every_category_is_proposed)
{
  static const char *const cases[][2] = {
    { "sparse-vector", "" },
    { "sparse-vector", "variant=values-released" },
    { "sparse-vector", "threshold=7" },
    { "noisy-max", "" },
    { "noisy-max", "releases=value" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const float shift = g_str_equal (cases[i][1], "threshold=7") ? 6 : 0;
    guint seen = 0;

    cr_assert (query_defense (cases[i][0])->mechanism->n_proposed == QUERY_CATEGORIES);
    for (guint index = 0; index < QUERY_CATEGORIES; index++) {
      float first[5], second[5];

      query_propose (cases[i][0], cases[i][1], 5, index, first, second);
      for (guint k = 0; k < QUERY_CATEGORIES; k++) {
        float x[5], y[5];

        query_pairs_fill ((QueryPairs){ in_order, 1 + shift }, 5, k, NULL, x, y);
        if (memcmp (first, x, sizeof x) == 0 && memcmp (second, y, sizeof y) == 0)
          seen |= 1u << k;
      }
    }
    cr_assert (seen == (1u << QUERY_CATEGORIES) - 1, "%s %s: %x", cases[i][0], cases[i][1], seen);
  }
}

/* ---- Noisy max ---- */

/* Two queries @gap apart, b = 2 / 0.6: the difference of two Laplace variables is above g > 0 with
 * probability exp (-g / b) (1 + g / (2 b)) / 2, of two exponential ones with exp (-g / b) / 2. */
Test (broken_mechanisms, noisy_max_index_of_two_queries)
{
  enum { RUNS = 400000 };
  static const char *const noises[] = { "laplace", "exponential" };
  static const float second = 1;
  const double b = 2 / 0.6;

  for (gsize i = 0; i < 2; i++)
    for (gint gap = 0; gap <= 3; gap++) {
      const float answers[2] = { 1 + (float) gap, 1 };
      const double p = exp (-gap / b) / 2 * (i == 0 ? 1 + gap / (2 * b) : 1);
      g_autofree char *assignments = g_strdup_printf ("epsilon=0.6 noise=%s", noises[i]);
      g_autofree float *outputs = query_run ("noisy-max", assignments, answers, 2, RUNS);

      assert_near (query_share (outputs, &second, 1, RUNS), p, query_slack (p, RUNS), "%s, gap %d",
                   noises[i], gap);
    }
}

/* P (max <= t) is the product of the distribution functions. */
static double
largest_laplace_cdf (double t)
{
  return query_laplace_cdf (t - 1, 2) * query_laplace_cdf (t + 1, 2)
         * query_laplace_cdf (t - 2.5, 2);
}

static double
largest_exponential_cdf (double t)
{
  return t <= 2.5 ? 0 : expm1 ((1 - t) / 2) * expm1 (-(t + 1) / 2) * -expm1 ((2.5 - t) / 2);
}

Test (broken_mechanisms, noisy_max_values_have_their_distribution)
{
  enum { RUNS = 100000 };
  static const float answers[3] = { 1, -1, 2.5f };
  static const char *const cases[] = { "releases=value", "releases=value noise=exponential" };

  for (gsize i = 0; i < 2; i++) {
    g_autofree float *outputs = query_run ("noisy-max", cases[i], answers, 3, RUNS);
    g_autofree double *values = g_new (double, RUNS);
    double distance;

    for (gsize r = 0; r < RUNS; r++)
      values[r] = outputs[r];
    distance
        = sample_ks_distance (values, RUNS, i == 0 ? largest_laplace_cdf : largest_exponential_cdf);
    cr_assert (distance <= sample_ks_bound (RUNS, 1e-9), "%s: %g", cases[i], distance);
  }
}

static double
share_up_to (const float *outputs, gsize n, float limit)
{
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    count += outputs[i] <= limit;
  return (double) count / (double) n;
}

/* Pair 0, n = 5 answers that all rise by 1. Laplace: with F (x) = exp (x / 2) / 2 below 0,
 * P (max <= 1) is 2^-5 and 2^-5 exp (-5 / 2): epsilon is 5 / 2 at least. Exponential: a maximum of
 * at most 2 comes with (1 - exp (-1 / 2))^5, and then never. */
Test (broken_mechanisms, noisy_max_values_are_not_private)
{
  enum { COLS = 5, RUNS = 400000 };
  float first[COLS], second[COLS];
  g_autofree float *a = NULL;
  g_autofree float *b = NULL;
  double p, q, seen_p, seen_q;

  query_propose ("noisy-max", "releases=value", COLS, 0, first, second);
  a = query_run ("noisy-max", "releases=value", first, COLS, RUNS);
  b = query_run ("noisy-max", "releases=value", second, COLS, RUNS);
  p = pow (0.5, 5);
  q = p * exp (-2.5);
  seen_p = share_up_to (a, RUNS, 1);
  seen_q = share_up_to (b, RUNS, 1);
  assert_near (seen_p, p, query_slack (p, RUNS), "first");
  assert_near (seen_q, q, query_slack (q, RUNS), "second");
  cr_assert (log ((seen_p - query_slack (p, RUNS)) / (seen_q + query_slack (q, RUNS))) > 2);

  g_clear_pointer (&a, g_free);
  g_clear_pointer (&b, g_free);
  a = query_run ("noisy-max", "releases=value noise=exponential", first, COLS, RUNS);
  b = query_run ("noisy-max", "releases=value noise=exponential", second, COLS, RUNS);
  p = pow (-expm1 (-0.5), 5);
  assert_near (share_up_to (a, RUNS, 2), p, query_slack (p, RUNS), "first");
  cr_assert (share_up_to (b, RUNS, 1.999999f) == 0);
}

/* Of the right ones no output of any pair tells more than epsilon. */
Test (broken_mechanisms, noisy_max_indices_are_private)
{
  TEST_OF_CHANCE ();

  enum { COLS = 5, RUNS = 200000 };
  static const char *const cases[] = { "", "noise=exponential" };
  gsize n_apart = 0;

  for (gsize i = 0; i < 2; i++)
    for (guint pair = 0; pair < QUERY_CATEGORIES; pair++) {
      float first[COLS], second[COLS];
      g_autofree float *a = NULL;
      g_autofree float *b = NULL;

      query_propose ("noisy-max", cases[i], COLS, pair, first, second);
      a = query_run ("noisy-max", cases[i], first, COLS, RUNS);
      b = query_run ("noisy-max", cases[i], second, COLS, RUNS);
      for (gsize j = 0; j < COLS; j++) {
        const float index = (float) j;
        const double p = query_share (a, &index, 1, RUNS), q = query_share (b, &index, 1, RUNS);
        const double loose = query_slack (p, RUNS) + M_E * query_slack (q, RUNS);

        cr_assert (p <= M_E * q + loose && q <= M_E * p + loose, "%s, pair %u: %g, %g", cases[i],
                   pair, p, q);
        n_apart += fabs (p - q) > loose;
      }
    }
  cr_assert (n_apart > 20, "%zu", n_apart); /* and they do tell something */
}

/* ---- Claims ---- */

/* Known to be broken or not, what is claimed is the setting. */
Test (broken_mechanisms, all_claim_epsilon)
{
  static const char *const cases[][2] = {
    { "sparse-vector", "epsilon=0.3" },
    { "sparse-vector", "epsilon=0.3 variant=no-query-noise" },
    { "noisy-max", "epsilon=0.3 releases=value" },
    { "noisy-histogram", "epsilon=0.3 noise=inverted" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const AssayDefense *defense = query_defense (cases[i][0]);
    g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, cases[i][1]);
    const AssayBudget budget = defense->mechanism->budget (settings->values, 4);

    cr_assert (budget.epsilon == 0.3 && budget.delta == 0 && defense->claim != NULL, "%s",
               defense->id);
  }
}

/* Rows of a query mechanism are released one by one as `run` gives them. (That values which are not
 * finite are refused before is a test of all defenses, in test-plugins-run.c.) */
Test (broken_mechanisms, protect_runs_on_each_row)
{
  static const char *const ids[] = { "sparse-vector", "noisy-max" };
  g_autoptr (AssayMatrix) secrets = fixture_normal (6, 4, 1);

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    const AssayDefense *defense = query_defense (ids[i]);
    g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, "");
    const AssayStreamKey key = assay_stream_key (7, 0, "defense", "");
    const AssayDefenseContext context
        = { .settings = settings->values, .stream = key, .mechanism = defense->mechanism };
    g_autoptr (AssayRelease) release = assay_release_new (defense->produces, defense->id);
    g_autoptr (AssayTruth) truth = assay_truth_new ();
    AssayView vectors;

    cr_assert (defense->protect (&context, assay_matrix_view (secrets), release, truth, NULL));
    vectors = assay_array_view (assay_arrays_get (&release->arrays, "vectors"));
    cr_assert (vectors.rows == 6 && vectors.cols == (i == 0 ? 4 : 1));
    for (gsize r = 0; r < 6; r++) {
      AssayStream stream = assay_stream (key, r);
      float expected[4];

      defense->mechanism->run (settings->values, 4, &stream, assay_matrix_row (secrets, r), 1,
                               expected);
      cr_assert (memcmp (expected, assay_view_row (vectors, r), vectors.cols * sizeof (float))
                 == 0);
    }
  }
}
