/* Metrics of the games link and pair against naive forms. */
#include <criterion/criterion.h>

#include "core/games/pair-scores.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/measurement.h"

extern const AssayMetric assay_metric_cumulative_match;
extern const AssayMetric assay_metric_link_excess;
extern const AssayMetric assay_metric_link_rank;
extern const AssayMetric assay_metric_pair_auc;

static AssayArray *
numbers (gsize rows, gsize cols, const gint64 *values)
{
  return assay_array_take (ASSAY_INT64, 2, (const gsize[]){ rows, cols },
                           g_memdup2 (values, rows * cols * sizeof *values));
}

/* ---- Link ---- */

/* Three items with two partners each, of 5 candidates. */
Test (link_rank, known_ranks)
{
  static const gint64 partners[] = { 7, 3, 4, 9, 1, 2 };
  static const gint64 candidates[] = { 3, 0, 7, 1, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  static const struct {
    const char *name;
    double expected[3];
  } expected[] = {
    { "partner-rank-median", { 3, 6, 6 } }, /* of the partners 7, 9 and 1: place i mod 2 */
    { "partner-rank-mean", { 2, 5.5, 6 } }, { "partner-hit-at-1", { 1, 0, 0 } },
    { "partner-hit-at-10", { 1, 1, 0 } },   { "partner-hit-at-m", { 1, 1, 0 } },
    { "partners-found", { 0.5, 0, 0 } },
  };
  g_auto (Measurement) measured = measurement_new ();
  const AssayDataset twenty_one = { .public_rows = fixture_normal_rows (21, 2, 1) };

  assay_arrays_take (&measured.truth->arrays, "partners", numbers (3, 2, partners));
  assay_arrays_take (&measured.guess->arrays, "candidates", numbers (3, 5, candidates));
  measurement_take (&assay_metric_link_rank, "m=5", &measured);
  cr_assert (measured.outcomes.n == 3);
  for (gsize e = 0; e < G_N_ELEMENTS (expected); e++)
    for (gsize i = 0; i < 3; i++)
      assert_near (measurement_series (&assay_metric_link_rank, expected[e].name, &measured)[i],
                   expected[e].expected[i], 0, "%s of item %zu", expected[e].name, i);
  /* Of 21 public rows, one that is not named is somewhere from 6 to 21. */
  measured.dataset = &twenty_one;
  measurement_take (&assay_metric_link_rank, "m=50", &measured);
  measured.dataset = NULL;
  assay_rows_unref (twenty_one.public_rows);
  for (gsize i = 0; i < 3; i++) {
    assert_near (measurement_series (&assay_metric_link_rank, "partner-rank-median", &measured)[i],
                 ((double[]){ 3, 13.5, 13.5 })[i], 0, "item %zu", i);
    assert_near (measurement_series (&assay_metric_link_rank, "partner-hit-at-m", &measured)[i],
                 i < 2, 0, "item %zu", i);
  }
  /* Of the first item one of 19 other rows stands before one of its two partners. */
  assert_near (measurement_series (&assay_metric_link_rank, "partner-auc", &measured)[0],
               1 - 0.5 / 19, 1e-12, "area");
  assay_arrays_take (&measured.guess->arrays, "candidates", numbers (1, 5, candidates));
  measurement_refused (
      &assay_metric_link_rank, "", &measured, ASSAY_ERROR_MISMATCH,
      "candidates are 1 x 5, but partners 3 x 2; expected some of each for the same items");
}

/* Four items of one partner each, and 12 public rows of which 8 belong to nobody: the first
 * candidates are right twice, another item's once and nobody's once. */
Test (link_excess, beside_a_naive_count)
{
  static const gint64 partners[] = { 0, 1, 2, 3 };
  static const gint64 candidates[] = { 0, 5, 6, 1, 0, 2, 3, 2, 4, 9, 9, 3 };
  static const double control[] = { 0, 0, 0, 1 / 8. };
  g_auto (Measurement) measured = measurement_new ();
  const AssayDataset twelve = { .public_rows = fixture_normal_rows (12, 2, 1) };
  const double *excess;

  assay_arrays_take (&measured.truth->arrays, "partners", numbers (4, 1, partners));
  assay_arrays_take (&measured.guess->arrays, "candidates", numbers (4, 3, candidates));
  measured.dataset = &twelve;
  measurement_take (&assay_metric_link_excess, "", &measured);
  for (gsize i = 0; i < 4; i++) {
    const AssayMetric *metric = &assay_metric_link_excess;

    assert_near (measurement_series (metric, "partner-baseline-at-1", &measured)[i], 1 / 12.,
                 1e-12, "baseline of item %zu", i);
    assert_near (measurement_series (metric, "partner-control-at-1", &measured)[i], control[i],
                 1e-12, "control of item %zu", i);
    /* Three candidates are named, of which each counts once. */
    assert_near (measurement_series (metric, "partner-baseline-at-10", &measured)[i], 3 / 12.,
                 1e-12, "baseline of item %zu", i);
  }
  excess = measurement_series (&assay_metric_link_excess, "partner-excess-at-1", &measured);
  assert_near ((excess[0] + excess[1] + excess[2] + excess[3]) / 4,
               (0.5 - 1 / 32.) / (1 - 1 / 32.), 1e-12, "excess");
  /* 8 others are too few for 10 candidates. */
  cr_assert_null (measured.outcomes.series[6]);
  cr_assert_str_eq (measured.outcomes.omitted[6],
                    "8 of 12 public rows belong to no released item; expected 11 at least, of "
                    "people who are not in the release");
  assay_rows_unref (twelve.public_rows);
  measured.dataset = NULL;
}

/* Four items of two partners each among 12 public rows: found first, third, fifth, never. */
Test (cumulative_match, counts_ranks_beside_chance)
{
  static const gint64 partners[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
  static const gint64 candidates[]
      = { 1, 8, 9, 10, 0, 8, 9, 2, 10, 3, 8, 9, 10, 11, 4, 8, 9, 10, 11, 0 };
  static const struct {
    const char *name;
    double hits[4];
  } expected[] = {
    { "partner-cmc-at-1", { 1, 0, 0, 0 } },
    { "partner-cmc-at-3", { 1, 1, 0, 0 } },
    { "partner-cmc-at-10", { 1, 1, 1, 0 } }, /* of the five that are named */
  };
  const AssayMetric *metric = &assay_metric_cumulative_match;
  const AssayDataset twelve = { .public_rows = fixture_normal_rows (12, 2, 1) };
  g_auto (Measurement) measured = measurement_new ();

  assay_arrays_take (&measured.truth->arrays, "partners", numbers (4, 2, partners));
  assay_arrays_take (&measured.guess->arrays, "candidates", numbers (4, 5, candidates));
  measurement_take (metric, "", &measured);
  cr_assert_str_eq (measured.outcomes.omitted[5],
                    "how many public rows there are is not known here");
  measured.dataset = &twelve;
  measurement_take (metric, "", &measured);
  for (gsize e = 0; e < G_N_ELEMENTS (expected); e++)
    for (gsize i = 0; i < 4; i++)
      assert_near (measurement_series (metric, expected[e].name, &measured)[i], expected[e].hits[i],
                   0, "%s of item %zu", expected[e].name, i);
  /* Neither of two is among 1, 3 and 5 of 12. */
  assert_near (measurement_series (metric, "partner-cmc-chance-at-1", &measured)[0],
               1 - 11. * 10 / (12 * 11), 1e-12, "chance");
  assert_near (measurement_series (metric, "partner-cmc-chance-at-3", &measured)[3],
               1 - 9. * 8 / (12 * 11), 1e-12, "chance");
  assert_near (measurement_series (metric, "partner-cmc-chance-at-10", &measured)[0],
               1 - 7. * 6 / (12 * 11), 1e-12, "chance");
  /* The first 30 of 12 rows are all. */
  cr_assert_null (measured.outcomes.series[3]);
  cr_assert_str_eq (measured.outcomes.omitted[3], "so many candidates are all public rows");
  assay_rows_unref (twelve.public_rows);
  measured.dataset = NULL;
}

/* ---- Pairs ---- */

enum { ITEMS = 40, SECRETS = 12, PAIRS = ITEMS * (ITEMS - 1) / 2 };

/* Two sources each, and scores with ties that lean towards pairs with a common one. */
static void
make_pairs (Measurement *measured, float lean)
{
  gint64 sources[ITEMS][2], pairs[PAIRS][2];
  float *scores = g_new (float, PAIRS);
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "pairs", ""), 0);
  gsize next = 0;

  for (gsize i = 0; i < ITEMS; i++) {
    sources[i][0] = (gint64) assay_stream_below (&stream, SECRETS);
    sources[i][1]
        = (sources[i][0] + 1 + (gint64) assay_stream_below (&stream, SECRETS - 1)) % SECRETS;
  }
  assay_arrays_take (&measured->truth->arrays, "sources", numbers (ITEMS, 2, *sources));
  for (gsize i = 0; i < ITEMS; i++)
    for (gsize j = i + 1; j < ITEMS; j++) {
      pairs[next][0] = (gint64) i;
      pairs[next][1] = (gint64) j;
      scores[next] = (float) assay_stream_below (&stream, 50);
      if (assay_pair_shared (assay_arrays_get (&measured->truth->arrays, "sources"), (gint64) i,
                             (gint64) j)
          >= 0)
        scores[next] += lean;
      next++;
    }
  assay_arrays_take (&measured->guess->arrays, "pairs", numbers (PAIRS, 2, *pairs));
  assay_arrays_take (&measured->guess->arrays, "scores",
                     assay_array_take (ASSAY_FLOAT32, 1, (const gsize[]){ PAIRS }, scores));
}

/* Every positive against every negative, by the lowest number of the secret that is shared. */
Test (pair_auc, outcomes_are_those_of_a_naive_count)
{
  g_auto (Measurement) measured = measurement_new ();
  const AssayArray *sources;
  const float *scores;
  const gint64 *pairs;
  gsize unit = 0;

  make_pairs (&measured, 20);
  measurement_take (&assay_metric_pair_auc, "false_positives=0.1", &measured);
  sources = assay_arrays_get (&measured.truth->arrays, "sources");
  scores = assay_array_view (assay_arrays_get (&measured.guess->arrays, "scores")).data;
  pairs = assay_array_int64 (assay_arrays_get (&measured.guess->arrays, "pairs"));
  for (gint64 secret = 0; secret < SECRETS; secret++) {
    double won = 0, compared = 0, told = 0, positives = 0, negatives = 0;

    for (gsize i = 0; i < PAIRS; i++) {
      double above = 0;

      if (assay_pair_shared (sources, pairs[2 * i], pairs[2 * i + 1]) != secret)
        continue;
      positives++;
      negatives = 0;
      for (gsize j = 0; j < PAIRS; j++) {
        if (assay_pair_shared (sources, pairs[2 * j], pairs[2 * j + 1]) >= 0)
          continue;
        negatives++;
        won += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
        above += scores[j] >= scores[i];
      }
      compared += negatives;
      /* Above the threshold: were it one of its kind, at most a tenth would be as high or higher.
       * */
      told += above <= 0.1 * negatives;
    }
    if (positives == 0)
      continue;
    cr_assert (unit < measured.outcomes.n);
    assert_near (measurement_series (&assay_metric_pair_auc, "pair-auc", &measured)[unit],
                 won / compared, 1e-12, "area of secret %d", (int) secret);
    assert_near (
        measurement_series (&assay_metric_pair_auc, "pair-true-positives", &measured)[unit],
        told / positives, 1e-12, "rate of secret %d", (int) secret);
    unit++;
  }
  cr_assert (unit == measured.outcomes.n && unit > SECRETS / 2);
}

Test (pair_auc, perfect_scores_and_reversed_ones)
{
  for (gint sign = -1; sign <= 1; sign += 2) {
    g_auto (Measurement) measured = measurement_new ();

    make_pairs (&measured, (float) (sign * 100));
    measurement_take (&assay_metric_pair_auc, "", &measured);
    for (gsize i = 0; i < measured.outcomes.n; i++) {
      assert_near (measured.outcomes.series[0][i], sign > 0, 0, "area, %d", sign);
      assert_near (measured.outcomes.series[1][i], sign > 0, 0, "rate, %d", sign);
    }
  }
}

/* A rate of less than one negative has no threshold; the area is that of any other rate. */
Test (pair_auc, too_few_negatives_leave_the_rate_out)
{
  g_auto (Measurement) measured = measurement_new ();
  g_autofree double *areas = NULL;
  g_autofree char *expected = NULL;
  gsize n, n_negative = 0;

  make_pairs (&measured, 20);
  for (gint64 i = 0; i < ITEMS; i++)
    for (gint64 j = i + 1; j < ITEMS; j++)
      n_negative
          += assay_pair_shared (assay_arrays_get (&measured.truth->arrays, "sources"), i, j) < 0;
  measurement_take (&assay_metric_pair_auc, "false_positives=0.1", &measured);
  cr_assert_null (measured.outcomes.omitted[1]);
  n = measured.outcomes.n;
  areas = g_memdup2 (measured.outcomes.series[0], n * sizeof (double));
  measurement_take (&assay_metric_pair_auc, "false_positives=0.001", &measured);
  cr_assert (measured.outcomes.n == n && n > SECRETS / 2);
  cr_assert_arr_eq (measured.outcomes.series[0], areas, n * sizeof (double));
  expected = g_strdup_printf ("false_positives = 0.001 of %zu pairs that share no secret is less "
                              "than one: expected more pairs, or a higher rate",
                              n_negative);
  cr_assert_str_eq (measured.outcomes.omitted[1], expected);
  cr_assert (measured.outcomes.series[1] == NULL && measured.outcomes.series[2] != NULL);
}

Test (pair_auc, bad_input)
{
  g_auto (Measurement) measured = measurement_new ();
  gint64 alike[ITEMS][2], apart[ITEMS][2];

  make_pairs (&measured, 0);
  for (gsize i = 0; i < ITEMS; i++) {
    alike[i][0] = alike[i][1] = 3;
    apart[i][0] = apart[i][1] = (gint64) i;
  }
  assay_arrays_take (&measured.truth->arrays, "sources", numbers (ITEMS, 2, *apart));
  measurement_refused (
      &assay_metric_pair_auc, "", &measured, ASSAY_ERROR_DATA,
      "none of the 780 pairs that were scored shares a secret; expected some that do and some "
      "that do not");
  assay_arrays_take (&measured.truth->arrays, "sources", numbers (ITEMS, 2, *alike));
  measurement_refused (
      &assay_metric_pair_auc, "", &measured, ASSAY_ERROR_DATA,
      "each of the 780 pairs that were scored shares a secret; expected some that do and some "
      "that do not");
  assay_arrays_take (&measured.truth->arrays, "sources", numbers (2, 2, *apart));
  measurement_refused (&assay_metric_pair_auc, "", &measured, ASSAY_ERROR_MISMATCH,
                       "pair 1 is of items 0 and 2, expected two of 2");
}
