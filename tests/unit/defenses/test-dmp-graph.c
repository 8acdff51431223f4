/* dmp-graph: the sensitivity of its motifs, the graphs that attain it, what runs tell, and its
 * noise. */
#include <stdlib.h>

#include "core/data/kinds/graph.h"
#include "core/graph/edge-array.h"
#include "core/graph/interactions.h"
#include "core/stats/gaussian-privacy.h"
#include "defenses/graphs/dmp-mechanism.h"
#include "defenses/graphs/dmp-noise.h"
#include "defenses/graphs/dmp-pairs.h"
#include "runner/run/steps.h"
#include "tests/reference/naive-graph.h"
#include "tests/unit/mechanism-case.h"
#include "tests/unit/seeds.h"

static DmpGraph
settings_of (const char *assignments)
{
  g_autoptr (AssaySettings) settings = fixture_settings (
      assay_registry_find (ASSAY_PLUGIN_DEFENSE, "dmp-graph", NULL), assignments);

  return *(const DmpGraph *) settings->values;
}

/* ---- Sensitivity ---- */

static void
fill_naive (const DmpGraph *settings, gsize n, const guint8 *matrix, double *ret_motifs)
{
  const AssayClipping clipping = { .rank = dmp_pair_rank (settings),
                                   .pruning = (AssayPruning) settings->pruning,
                                   .bound = (gsize) settings->bound };
  g_autofree guint8 *clipped = naive_graph_clip (n, matrix, &clipping);
  gsize k = 0;

  for (gsize i = 0; i < n; i++)
    for (gsize j = i + 1; j < n; j++, k++)
      ret_motifs[k] = clipped[i * n + j]
                          ? (double) naive_graph_common (n, clipped, i, j) + 2 * settings->convexity
                          : 0;
}

/* || q - q' ||^2 of graphs that differ in one edge, by full matrices. */
static double
square_between (const DmpGraph *settings, gsize n, const guint8 *first, const guint8 *second)
{
  g_autofree double *a = g_new (double, assay_pair_count (n));
  g_autofree double *b = g_new (double, assay_pair_count (n));
  double sum = 0;

  fill_naive (settings, n, first, a);
  fill_naive (settings, n, second, b);
  for (gsize k = 0; k < assay_pair_count (n); k++)
    sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

static double
square_of_proposed (const DmpGraph *settings)
{
  const gsize n = dmp_pair_nodes (settings), pairs = assay_pair_count (n);
  g_autofree float *edges = g_new (float, 2 * pairs);
  g_autofree guint8 *matrices = g_new0 (guint8, 2 * n * n);
  gsize differ = 0;

  dmp_pair_fill (settings, 0, NULL, edges, edges + pairs);
  for (guint side = 0; side < 2; side++)
    for (gsize i = 0; i < n; i++)
      for (gsize j = i + 1; j < n; j++)
        matrices[side * n * n + i * n + j] = matrices[side * n * n + j * n + i]
            = edges[side * pairs + assay_pair_number (n, i, j)] == 1;
  for (gsize k = 0; k < pairs; k++)
    differ += edges[k] != edges[pairs + k];
  cr_assert_eq (differ, 1);
  return square_between (settings, n, matrices, matrices + n * n);
}

/* Closed forms of the pairs that are proposed (dmp-pairs.c). */
Test (dmp_graph, pairs_attain_their_closed_forms)
{
  static const struct {
    const char *settings;
    double square;
  } cases[] = {
    { "bound=2", 6 },
    { "bound=3", 16 },
    { "bound=4", 11 * 3 },
    { "bound=10", 29 * 9 },
    { "bound=20", 59 * 19 },
    { "bound=10 rank=number", 29 * 9 },
    { "bound=3 rank=hash", 16 },
    { "bound=10 rank=hash", 29 * 9 },
    { "bound=10 relation=clipped", 99 },
    { "bound=10 relation=clipped rank=hash pruning=greedy", 99 },
    { "bound=10 convexity=5", 3 * 19 * 19 + 2 * 9 },
    { "bound=9 pruning=greedy", 20 * (16 + 8) },
    { "bound=10 pruning=greedy", 20 * (16 + 8) },
    { "bound=9 pruning=greedy nodes=51", 10 * (16 + 8) },
    { "bound=10 rank=neighbours", 2 * 10 * 81 },
    { "bound=3 rank=neighbours", 2 * 3 * 4 },
    { "bound=3 pruning=none", 12 * 12 + 2 * 12 },
    { "bound=9 sensitivity=local", 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const DmpGraph settings = settings_of (cases[i].settings);

    cr_assert_eq (square_of_proposed (&settings), cases[i].square, "%s: %g instead of %g",
                  cases[i].settings, square_of_proposed (&settings), cases[i].square);
  }
}

/* One edge more or less of any graph, under any public rank, moves no more than `input` says. The
 * search goes uphill: an edge that is turned stays so where the pair is then no less far apart. */
Test (dmp_graph, no_pair_is_beyond_the_input_sensitivity)
{
  for (guint64 start = 0; start < 4 * test_seeds (10); start++) {
    g_autofree char *text = g_strdup_printf ("bound=%d rank=%s", 2 + (int) (start % 3),
                                             start % 2 == 0 ? "number" : "hash");
    const DmpGraph settings = settings_of (text);
    const double sensitivity = dmp_sensitivity (&settings, 0);
    AssayStream stream = assay_stream (assay_stream_key (31, 0, "climb", ""), start);
    const gsize n = 6 + assay_stream_below (&stream, 4);
    g_autofree guint8 *first = naive_graph_draw (n, 0.5, &stream);
    g_autofree guint8 *second = g_memdup2 (first, n * n);
    double best = 0;

    first[1] = first[n] = 1;
    second[1] = second[n] = 0;
    for (guint step = 0; step < 600; step++) {
      const gsize i = assay_stream_below (&stream, n), j = assay_stream_below (&stream, n);
      double square;

      if (i == j || i + j == 1)
        continue;
      first[i * n + j] = first[j * n + i] ^= 1;
      second[i * n + j] = second[j * n + i] ^= 1;
      square = square_between (&settings, n, first, second);
      cr_assert_leq (square, sensitivity * sensitivity + 1e-9, "%s: %g", text, square);
      if (square < best) {
        first[i * n + j] = first[j * n + i] ^= 1;
        second[i * n + j] = second[j * n + i] ^= 1;
      } else
        best = square;
    }
  }
}

/* ---- Noise ---- */

static double
epsilon_of (const char *assignments)
{
  const DmpGraph settings = settings_of (assignments);

  return dmp_true_epsilon (&settings);
}

/* The table of docs/papers/dmp-mh.md, at epsilon 2 where nothing else is said, and delta 1e-5. */
Test (dmp_graph, true_epsilon_of_theorem_1)
{
  static const struct {
    const char *settings;
    double epsilon;
  } cases[] = {
    { "bound=10 sensitivity=degree", 3.44 },
    { "bound=100 sensitivity=degree", 3.69 },
    { "bound=10 sensitivity=clipped", 3.46 },
    { "bound=100 sensitivity=clipped", 3.69 },
    { "bound=10", 2 },
    { "bound=100", 2 },
    { "bound=3", 2 },
    { "bound=2", 2 },
    { "bound=10 sensitivity=clipped relation=clipped", 2 },
    { "bound=10 sensitivity=degree relation=clipped", 1.99 },
    { "bound=9 pruning=greedy", 3.20 },
    { "bound=10 rank=neighbours", 5.68 },
    { "bound=10 composition=no", 7.54 },
    { "bound=10 convexity=5", 4.53 },
    { "bound=10 calibration=paper-1", 2.40 },
    { "bound=10 calibration=paper-2", 1.63 },
    { "bound=10 calibration=paper-1 epsilon=10", 16.3 },
    { "bound=10 calibration=paper-2 epsilon=10", 10.5 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_near (epsilon_of (cases[i].settings), cases[i].epsilon,
                 cases[i].epsilon < 10 ? 0.0051 : 0.051, "%s", cases[i].settings);
}

/* Delta and epsilon are each other's inverse, by the formula as it is written down. */
Test (dmp_graph, gaussian_privacy_is_that_of_the_formula)
{
  for (double epsilon = 0.1; epsilon < 12; epsilon *= 1.7)
    for (double delta = 1e-9; delta < 0.2; delta *= 30) {
      const double m = assay_gaussian_distance (epsilon, delta);
      const double first = erfc ((epsilon / m - m / 2) / sqrt (2)) / 2;
      const double second = erfc ((epsilon / m + m / 2) / sqrt (2)) / 2;

      assert_near ((first - exp (epsilon) * second) / delta, 1, 1e-6, "epsilon %g", epsilon);
      assert_near (assay_gaussian_epsilon (m, delta), epsilon, 1e-6 * epsilon, "delta %g", delta);
    }
}

/* ---- Runs ---- */

/* What is looked at tells as much as the whole vector: the log-likelihood ratio of a run on all
 * pairs is that of its columns for touched pairs. */
Test (dmp_graph, touched_pairs_are_sufficient)
{
  static const char *const defenses[] = { "bound=4", "bound=3 pruning=greedy nodes=10",
                                          "bound=4 convexity=0.5", "bound=4 statistic=codegree" };

  for (gsize k = 0; k < G_N_ELEMENTS (defenses); k++) {
    g_autofree char *all_of_it = g_strconcat (defenses[k], " audited=all", NULL);
    g_auto (Case) touched = case_of ("dmp-graph", defenses[k], 2);
    g_auto (Case) all = case_of ("dmp-graph", all_of_it, 2);
    g_autofree float *few = g_new (float, 2 * touched.n_inputs);
    g_autofree float *many = g_new (float, 2 * all.n_inputs);
    g_autofree float *outputs = NULL, *part = g_new (float, touched.n_outputs);
    const gsize pairs = all.n_inputs;

    case_pair (&touched, 0, few, few + touched.n_inputs);
    case_pair (&all, 0, many, many + all.n_inputs);
    cr_assert_arr_eq (few, many, pairs * sizeof (float));
    cr_assert_lt (touched.n_outputs, all.n_outputs);
    outputs = case_run (&all, "runs", many, 200);
    for (gsize i = 0; i < 200; i++) {
      const float *output = outputs + i * all.n_outputs;

      for (gsize c = 0; c < touched.n_outputs; c++)
        part[c] = few[pairs + 1 + c] >= 0 ? output[(gsize) few[pairs + 1 + c]] : 0;
      assert_near (case_log_ratio (&touched, few, few + touched.n_inputs, part),
                   case_log_ratio (&all, many, many + all.n_inputs, output), 1e-9, "%s",
                   defenses[k]);
    }
  }
}

/* Means and deviations of the columns; what is stored under a private support; sigma. */
Test (dmp_graph, runs_are_motifs_and_noise)
{
  g_auto (Case) c = case_of ("dmp-graph", "bound=4 audited=all", 2);
  g_autofree float *pair = g_new (float, 2 * c.n_inputs), *outputs = NULL;
  const gsize runs = 20000, n = 7;
  g_autofree guint8 *matrix = g_new0 (guint8, n * n);
  g_autofree double *motifs = g_new (double, c.n_inputs);
  const DmpGraph *settings = c.settings->values;
  const double sigma = dmp_sigma_of_mean (settings, 2, 0);

  case_pair (&c, 0, pair, pair + c.n_inputs);
  for (gsize i = 0; i < n; i++)
    for (gsize j = i + 1; j < n; j++)
      matrix[i * n + j] = matrix[j * n + i] = pair[assay_pair_number (n, i, j)] == 1;
  fill_naive (settings, n, matrix, motifs);
  outputs = case_run (&c, "runs", pair, runs);
  for (gsize k = 0; k < c.n_outputs; k++) {
    double sum = 0, squares = 0;

    for (gsize i = 0; i < runs; i++) {
      const double gap = (double) outputs[i * c.n_outputs + k] - motifs[k];

      sum += gap;
      squares += gap * gap;
    }
    assert_near (sum / (double) runs, 0, 5 * sigma / sqrt ((double) runs), "pair %zu", k);
    assert_near (squares / (double) runs / (sigma * sigma), 1, 7 / sqrt ((double) runs), "pair %zu",
                 k);
  }
}

Test (dmp_graph, mistakes_are_seen_in_single_runs)
{
  g_auto (Case) support = case_of ("dmp-graph", "bound=10 support=private", 2);
  g_auto (Case) local = case_of ("dmp-graph", "bound=9 sensitivity=local", 2);
  g_autofree float *pair = g_new (float, 2 * MAX (support.n_inputs, local.n_inputs));
  const double mu = assay_gaussian_distance (2, 1e-5);

  case_pair (&support, 0, pair, pair + support.n_inputs);
  for (guint side = 0; side < 2; side++) {
    g_autofree float *outputs = case_run (&support, "runs", pair + side * support.n_inputs, 50);
    gsize absent = 0;

    for (gsize k = 0; k < support.n_outputs; k++)
      absent += outputs[k] == 0;
    for (gsize k = 0; k < 50 * support.n_outputs; k++)
      cr_assert_eq (outputs[k] == 0, outputs[k % support.n_outputs] == 0);
    /* Without the edge u-v, which is stored with it, all but that are; with it, u-w, v-w' and the
     * pairs of w and w' with S are not in triangles, but in the clipped graph these stay. */
    cr_assert_eq (absent, side == 0 ? 2 : 1);
  }
  case_pair (&local, 0, pair, pair + local.n_inputs);
  for (guint side = 0; side < 2; side++) {
    g_autofree float *outputs = case_run (&local, "runs", pair + side * local.n_inputs, 2);

    assert_near ((double) outputs[local.n_outputs - 1] * mu, side == 0 ? sqrt (99) : sqrt (80),
                 1e-4, "sigma");
  }
}

/* ---- Releases ---- */

static AssayRelease *
release_of (const char *assignments, AssayTruth **ret_truth)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, "dmp-graph", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, assignments);
  g_autoptr (AssayMatrix) rows = fixture_normal (40, 6, 3);
  g_autoptr (GError) error = NULL;
  AssayStream stream = assay_stream (assay_stream_key (34, 0, "graph", ""), 0);
  g_autoptr (AssayGraph) graph = assay_interactions_draw (
      &(AssayInteractions){ .n = 40, .mean_degree = 14, .exponent = 2.5 }, &stream, NULL);
  g_autoptr (AssayArray) edges = assay_edge_array_new (graph, NULL);
  const AssaySecrets known = { .rows = assay_matrix_view (rows), .edges = edges, .first_cols = 4 };
  const AssayStreamKey key = assay_stream_key (33, 0, "release", "");
  const AssayKnowledge nothing = { .database = NULL };
  AssayRelease *release;

  cr_assert (assay_step_protect (
                 (const AssayDefense *) plugin,
                 &(AssayProtecting){
                     .settings = settings, .stream = key, .common = key, .knowledge = &nothing },
                 &known, &release, ret_truth, &error),
             "%s", error != NULL ? error->message : "");
  cr_assert (assay_release_check (release, &error), "%s", error != NULL ? error->message : "");
  return release;
}

/* Without noise, W^ orders the pairs as their triangles do, and a private support is the clipped
 * graph. */
Test (dmp_graph, release_without_noise_is_the_motifs)
{
  g_autoptr (AssayTruth) truth = NULL;
  g_autoptr (AssayRelease) release = release_of ("noise=no rounds=3000 bound=8 step=0.02", &truth);
  const AssayArray *edges = assay_arrays_get (&truth->arrays, "clipped-edges");
  const AssayWeightedGraph graph = assay_release_graph (release);
  g_autofree guint8 *matrix = g_new0 (guint8, 40 * 40);
  gsize most = 0;

  for (gsize e = 0; e < edges->shape[0]; e++) {
    const gint64 *ends = assay_array_int64 (edges) + 2 * e;

    matrix[ends[0] * 40 + ends[1]] = matrix[ends[1] * 40 + ends[0]] = 1;
  }
  for (gsize i = 0; i < 40; i++)
    for (gsize j = 0; j < 40; j++)
      most = MAX (most, matrix[i * 40 + j] ? naive_graph_common (40, matrix, i, j) : 0);
  cr_assert_gt (most, 2);
  for (gsize i = 0; i < 40; i++)
    for (gsize j = 0; j < 40; j++) {
      const double motif = matrix[i * 40 + j] ? (double) naive_graph_common (40, matrix, i, j) : 0;

      /* Where there is no triangle KL comes near 0 as 1 / t does. */
      if (i != j)
        assert_near ((double) assay_weighted_graph_at (&graph, i, j),
                     log1p (motif) / log1p ((double) most), 0.02, "%zu, %zu", i, j);
    }
}

Test (dmp_graph, private_support_is_the_clipped_graph)
{
  g_autoptr (AssayTruth) truth = NULL;
  g_autoptr (AssayRelease) release = release_of ("support=private bound=5", &truth);
  const AssayArray *edges = assay_arrays_get (&truth->arrays, "clipped-edges");
  const AssayWeightedGraph graph = assay_release_graph (release);

  cr_assert_gt (edges->shape[0], 0);
  cr_assert_lt (edges->shape[0], assay_arrays_get (&truth->arrays, "edges")->shape[0]);
  cr_assert_eq (graph.indptr[graph.n], 2 * (gint64) edges->shape[0]);
  for (gsize e = 0; e < edges->shape[0]; e++) {
    const gint64 *ends = assay_array_int64 (edges) + 2 * e;

    cr_assert_gt (assay_weighted_graph_at (&graph, (gsize) ends[0], (gsize) ends[1]), 0);
  }
}

/* All pairs are edges, and features say which stay: noise or not, the clipped graph is one. */
Test (dmp_graph, features_make_the_same_graph_always)
{
  g_autoptr (AssayTruth) truth = NULL, other = NULL;
  g_autoptr (AssayRelease) first = release_of ("graph=features bound=5", &truth);
  g_autoptr (AssayRelease) second = release_of ("graph=features bound=5 noise=no", &other);
  const AssayArray *a = assay_arrays_get (&truth->arrays, "clipped-edges");
  const AssayArray *b = assay_arrays_get (&other->arrays, "clipped-edges");

  cr_assert_eq (assay_release_graph (first).n, assay_release_graph (second).n);
  cr_assert_eq (assay_arrays_get (&truth->arrays, "edges")->shape[0], a->shape[0]);
  cr_assert_eq (a->shape[0], b->shape[0]);
  cr_assert_arr_eq (a->data, b->data, 2 * a->shape[0] * sizeof (gint64));
}
