/* edge-recovery: areas, precision and gain by counting, and what secrets do to them by taking a
 * little weight off each. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/graph/graph.h"
#include "core/graph/likeness.h"
#include "core/plugin/plugin.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayMetric assay_metric_edge_recovery;

enum { N = 14, COLS = 5, PAIRS = N * (N - 1) / 2 };
enum { AREA, WITHIN, PRECISION, FLOOR, FLOOR_WITHIN, FLOOR_PRECISION, GAIN, GAIN_WITHIN };

typedef struct {
  AssayTruth *truth;
  AssayGuess *guess;
  gint64 labels[N];
  guint8 joined[N][N];
  float scores[N][N], alike[N][N];
} Pairs;

static void
draw_pairs (Pairs *pairs, gboolean has_ties, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "edges", ""), 0);
  AssayMatrix *rows = fixture_normal (N, COLS, seed);
  g_autoptr (AssayMatrix) alike
      = assay_likeness_rows (assay_matrix_view (rows), 2, ASSAY_SIMILARITY_JOINT, NULL);
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (gint64));
  float *scores = g_new (float, PAIRS);

  for (gint64 i = 0; i < N; i++) {
    pairs->labels[i] = i % 3;
    for (gint64 j = i + 1; j < N; j++) {
      const double score = assay_stream_normal (&stream);
      const gint64 pair[] = { i, j };

      pairs->joined[i][j] = score + assay_stream_normal (&stream) > 0.8;
      pairs->scores[i][j] = has_ties ? (float) floor (2 * score) : (float) score;
      pairs->alike[i][j] = (float) assay_likeness_of_pair (alike, (gsize) i, (gsize) j);
      scores[assay_pair_number (N, (gsize) i, (gsize) j)] = pairs->scores[i][j];
      if (pairs->joined[i][j])
        g_array_append_vals (edges, pair, 2);
    }
  }
  pairs->truth = assay_truth_new ();
  pairs->guess = assay_guess_new ();
  assay_arrays_take_matrix (&pairs->truth->arrays, "secrets", &rows);
  assay_arrays_take_rows (&pairs->truth->arrays, "edges", ASSAY_INT64, edges->len / 2, 2,
                          g_memdup2 (edges->data, edges->len * sizeof (gint64)));
  assay_arrays_take (&pairs->truth->arrays, "modalities",
                     assay_array_take (ASSAY_INT64, 1, (const gsize[]){ 2 },
                                       g_memdup2 ((const gint64[]){ 2, 3 }, 16)));
  assay_arrays_take (&pairs->truth->arrays, "labels",
                     assay_array_take (ASSAY_INT64, 1, (const gsize[]){ N },
                                       g_memdup2 (pairs->labels, sizeof pairs->labels)));
  assay_arrays_take (&pairs->guess->arrays, "edge-scores",
                     assay_array_take (ASSAY_FLOAT32, 1, (const gsize[]){ PAIRS }, scores));
}

static void
clear_pairs (Pairs *pairs)
{
  assay_truth_free (pairs->truth);
  assay_guess_free (pairs->guess);
}

static gboolean
measure (const Pairs *pairs, AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayMetricContext context = { .settings = NULL };

  return assay_metric_edge_recovery.measure (&context, pairs->truth, pairs->guess, ret_outcomes,
                                             error);
}

/* The area by all pairs of an edge and another pair, each of the weight of its secrets. */
static double
naive_area (const Pairs *pairs, const float (*scores)[N], gboolean within, const double *weights)
{
  double won = 0, all = 0;

  for (gsize e = 0; e < N * N; e++)
    for (gsize f = 0; f < N * N; f++) {
      const gsize i = e / N, j = e % N, k = f / N, l = f % N;
      const double weight = weights[i] * weights[j] * weights[k] * weights[l];

      if (i >= j || k >= l || !pairs->joined[i][j] || pairs->joined[k][l]
          || (within
              && (pairs->labels[i] != pairs->labels[j] || pairs->labels[k] != pairs->labels[l])))
        continue;
      all += weight;
      won += weight * (scores[i][j] > scores[k][l] ? 1 : scores[i][j] == scores[k][l] ? 0.5 : 0);
    }
  return won / all;
}

static double
mean_of (const AssayOutcomes *outcomes, guint series)
{
  double sum = 0;

  for (gsize i = 0; i < outcomes->n; i++)
    sum += outcomes->series[series][i] / (double) outcomes->n;
  return sum;
}

Test (edge_recovery, areas_are_counted)
{
  for (guint64 seed = 1; seed <= 6; seed++) {
    Pairs pairs = { 0 };
    AssayOutcomes outcomes = { 0 };
    double weights[N];

    for (gsize i = 0; i < N; i++)
      weights[i] = 1;
    draw_pairs (&pairs, seed % 2 == 0, seed);
    cr_assert (measure (&pairs, &outcomes, NULL));
    cr_assert_eq (outcomes.n, N);
    for (guint part = 0; part < 2; part++) {
      const double area = naive_area (&pairs, pairs.scores, part == 1, weights);
      const double floor = naive_area (&pairs, pairs.alike, part == 1, weights);

      assert_near (mean_of (&outcomes, AREA + part), area, 1e-12, "part %u", part);
      assert_near (mean_of (&outcomes, FLOOR + part), floor, 1e-12, "part %u", part);
      assert_near (mean_of (&outcomes, GAIN + part), area - floor, 1e-12, "part %u", part);
      /* What each secret does to it. */
      for (gsize i = 0; i < N; i++) {
        double change;

        weights[i] = 1 + 1e-5;
        change = (naive_area (&pairs, pairs.scores, part == 1, weights) - area) / 1e-5;
        weights[i] = 1;
        assert_near (outcomes.series[AREA + part][i], area + N * change, 1e-3, "secret %zu", i);
      }
    }
    assay_outcomes_clear (&outcomes);
    clear_pairs (&pairs);
  }
}

/* Of as many pairs as there are edges, those that score highest; ties by their share. */
Test (edge_recovery, precision_is_counted)
{
  for (guint64 seed = 1; seed <= 6; seed++) {
    Pairs pairs = { 0 };
    AssayOutcomes outcomes = { 0 };
    gsize edges = 0;
    double expected = 0;

    draw_pairs (&pairs, seed % 2 == 0, seed);
    cr_assert (measure (&pairs, &outcomes, NULL));
    for (gsize i = 0; i < N; i++)
      for (gsize j = i + 1; j < N; j++)
        edges += pairs.joined[i][j];
    for (gsize i = 0; i < N; i++)
      for (gsize j = i + 1; j < N; j++) {
        gsize above = 0, on = 0;

        for (gsize k = 0; k < N; k++)
          for (gsize l = k + 1; l < N; l++) {
            above += pairs.scores[k][l] > pairs.scores[i][j];
            on += pairs.scores[k][l] == pairs.scores[i][j];
          }
        if (pairs.joined[i][j] && above < edges)
          expected += fmin (1, (double) (edges - above) / (double) on) / (double) edges;
      }
    assert_near (mean_of (&outcomes, PRECISION), expected, 1e-12, "seed %zu", (gsize) seed);
    assay_outcomes_clear (&outcomes);
    clear_pairs (&pairs);
  }
}

/* The interval over secrets covers as one over graphs that are drawn anew would: the deviation of
 * the area of many graphs is that which the outcomes of one of them say. */
Test (edge_recovery, secrets_tell_the_deviation)
{
  enum { DRAWS = 200 };
  double mean = 0, squares = 0, told = 0;

  for (guint64 seed = 1; seed <= DRAWS; seed++) {
    Pairs pairs = { 0 };
    AssayOutcomes outcomes = { 0 };
    double area, variance = 0;

    draw_pairs (&pairs, FALSE, 100 + seed);
    cr_assert (measure (&pairs, &outcomes, NULL));
    area = mean_of (&outcomes, AREA);
    for (gsize i = 0; i < N; i++)
      variance += pow (outcomes.series[AREA][i] - area, 2) / (N * (N - 1.0));
    mean += area / DRAWS;
    squares += area * area / DRAWS;
    told += variance / DRAWS;
    assay_outcomes_clear (&outcomes);
    clear_pairs (&pairs);
  }
  /* Pairs are independent here but for the secrets that they share, so that what is told is too
   * large: of each pair both of its secrets are told the whole. Never too small. */
  cr_assert_geq (sqrt (told), 0.9 * sqrt (squares - mean * mean));
  cr_assert_leq (sqrt (told), 2 * sqrt (squares - mean * mean));
}

Test (edge_recovery, guesses_of_some_pairs)
{
  static const gint64 named[] = { 0, 1, 0, 2, 1, 2, 3, 5 };
  static const gint64 wrong[] = { 1, 0, 0, 2, 1, 2, 3, 5 };
  Pairs pairs = { 0 };
  AssayOutcomes outcomes = { 0 };
  g_autoptr (GError) error = NULL;
  float scores[] = { 4, 3, 2, 1 };

  draw_pairs (&pairs, FALSE, 3);
  assay_arrays_take_rows (&pairs.truth->arrays, "edges", ASSAY_INT64, 2, 2,
                          g_memdup2 ((const gint64[]){ 0, 2, 3, 5 }, 4 * sizeof (gint64)));
  assay_arrays_take (
      &pairs.guess->arrays, "edge-scores",
      assay_array_take (ASSAY_FLOAT32, 1, (const gsize[]){ 4 }, g_memdup2 (scores, sizeof scores)));
  cr_assert (!measure (&pairs, &outcomes, &error));
  cr_assert_str_eq (error->message,
                    "expected edge-scores of all 91 pairs of 14 secrets, or as many "
                    "as there are edge-pairs (e x 2); found 4");
  g_clear_error (&error);
  assay_arrays_take_rows (&pairs.guess->arrays, "edge-pairs", ASSAY_INT64, 4, 2,
                          g_memdup2 (wrong, sizeof wrong));
  cr_assert (!measure (&pairs, &outcomes, &error));
  cr_assert_str_eq (error->message, "pair 0 of edge-pairs is of secrets 1 and 0; expected two of "
                                    "14, the lower one first");
  g_clear_error (&error);
  assay_arrays_take_rows (&pairs.guess->arrays, "edge-pairs", ASSAY_INT64, 4, 2,
                          g_memdup2 (named, sizeof named));
  cr_assert (measure (&pairs, &outcomes, &error));
  /* Edges score 3 and 1, others 4 and 2. */
  assert_near (mean_of (&outcomes, AREA), 0.25, 1e-12, "area");
  assert_near (mean_of (&outcomes, PRECISION), 0.5, 1e-12, "precision");
  cr_assert_null (outcomes.series[WITHIN]); /* no two of one class */
  cr_assert_str_eq (outcomes.omitted[WITHIN],
                    "inside classes there are only edges, or none: expected some of either");
  assay_outcomes_clear (&outcomes);
  clear_pairs (&pairs);
}
