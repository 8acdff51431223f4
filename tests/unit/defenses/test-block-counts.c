/* block-counts: its weights without noise, counted by hand; its mechanism; its controls. block-mh:
 * what its codes have of the numbers. */
#include "core/data/codes.h"
#include "core/data/kinds/graph.h"
#include "core/data/kinds/paired-codes.h"
#include "core/graph/edge-array.h"
#include "core/stats/gaussian-privacy.h"
#include "runner/run/steps.h"
#include "tests/unit/mechanism-case.h"

enum { N = 30 };

/* Three clusters far apart: items i, i + 3, ... */
static AssayMatrix *
make_items (void)
{
  AssayMatrix *items = fixture_normal (N, 4, 3);

  for (gsize i = 0; i < N; i++)
    assay_matrix_row (items, i)[i % 3] += 100;
  return items;
}

static gboolean
release_with (const char *assignments, gboolean has_graph, AssayRelease **ret_release,
              GError **error)
{
  static const gint64 edges[] = { 0, 3, 0, 6, 3, 9, 0, 1, 1, 2, 4, 5, 2, 8 };
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, "block-counts", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, assignments);
  g_autoptr (AssayMatrix) items = make_items ();
  g_autoptr (AssayArray) graph
      = assay_array_take (ASSAY_INT64, 2, (const gsize[]){ 7, 2 }, g_memdup2 (edges, sizeof edges));
  const AssayStreamKey key = assay_stream_key (4, 0, "release", "");
  const AssayKnowledge nothing = { .database = NULL };
  const AssaySecrets secrets
      = { .rows = assay_matrix_view (items), .edges = has_graph ? graph : NULL };
  g_autoptr (AssayTruth) truth = NULL;

  return assay_step_protect (
      (const AssayDefense *) plugin,
      &(AssayProtecting){
          .settings = settings, .stream = key, .common = key, .knowledge = &nothing },
      &secrets, ret_release, &truth, error);
}

/* Clusters 0, 1, 2 of ten items each: 3 edges inside 0 and 1 inside 2; 1 between 0 and 1, 2 between
 * 1 and 2. */
Test (block_counts, weights_are_shares_of_pairs)
{
  static const double edges[3][3] = { { 3, 1, 0 }, { 1, 0, 2 }, { 0, 2, 1 } };
  g_autoptr (AssayRelease) release = NULL;
  AssayWeightedGraph graph;
  double share[3][3], mean = 0, most = 0;

  cr_assert (release_with ("clusters=3 noise=no", TRUE, &release, NULL));
  graph = assay_release_graph (release);
  for (guint a = 0; a < 3; a++)
    for (guint b = 0; b < 3; b++) {
      share[a][b] = edges[a][b] / (a == b ? 45 : 100);
      mean += b >= a ? share[a][b] / 6 : 0;
    }
  for (guint a = 0; a < 9; a++)
    most = fmax (most, log1p (share[a / 3][a % 3] / mean));
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < N; j++)
      if (i != j)
        assert_near ((double) assay_weighted_graph_at (&graph, i, j),
                     log1p (share[i % 3][j % 3] / mean) / most, 1e-6, "%zu, %zu", i, j);
}

/* The control has no edges: without noise nothing is left. */
Test (block_counts, control_has_no_edges)
{
  g_autoptr (AssayRelease) release = NULL;
  AssayWeightedGraph graph;

  cr_assert (release_with ("clusters=3 noise=no edges=no", TRUE, &release, NULL));
  graph = assay_release_graph (release);
  for (gint64 s = 0; s < graph.indptr[N]; s++)
    cr_assert_eq (graph.weights[s], 0);
}

/* The other control has clusters alone, without noise. */
Test (block_counts, control_of_clusters)
{
  g_autoptr (AssayRelease) release = NULL;
  AssayWeightedGraph graph;

  cr_assert (release_with ("clusters=3 edges=clusters", TRUE, &release, NULL));
  graph = assay_release_graph (release);
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < N; j++)
      if (i != j)
        assert_near ((double) assay_weighted_graph_at (&graph, i, j), i % 3 == j % 3 ? 1 : 0, 1e-6,
                     "%zu, %zu", i, j);
}

Test (block_counts, needs_a_graph)
{
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (GError) error = NULL;

  cr_assert (!release_with ("", FALSE, &release, &error));
  cr_assert_str_eq (error->message, "defense block-counts: expected a dataset with a private graph "
                                    "between the secrets (such as interactions)");
}

/* One number differs by 1, so that the claim is tight; runs are numbers of edges with its noise. */
Test (block_counts, claim_is_tight)
{
  static const double counts[2][3] = { { 1, 0, 0 }, { 1, 4, 1 } };
  g_auto (Case) c = case_of ("block-counts", "epsilon=2", 4);
  const double sigma = 1 / assay_gaussian_distance (2, 1e-5);
  const gsize runs = 20000;

  cr_assert_eq (c.n_outputs, 3);
  for (guint index = 0; index < 2; index++) {
    float first[6], second[6];
    g_autofree float *outputs = NULL;
    double gap = 0;

    case_pair (&c, index, first, second);
    for (guint p = 0; p < 6; p++)
      gap += fabs ((double) first[p] - (double) second[p]);
    cr_assert_eq (gap, 1);
    outputs = case_run (&c, "runs", first, runs);
    for (guint b = 0; b < 3; b++) {
      double sum = 0, squares = 0;

      for (gsize i = 0; i < runs; i++) {
        const double noise = (double) outputs[3 * i + b] - counts[index][b];

        sum += noise / (double) runs;
        squares += noise * noise / (double) runs;
      }
      assert_near (sum, 0, 5 * sigma / sqrt ((double) runs), "block %u", b);
      assert_near (squares / (sigma * sigma), 1, 7 / sqrt ((double) runs), "block %u", b);
    }
    /* At a distance of one number that is 1, its density alone. */
    assert_near (case_log_ratio (&c, first, second, outputs),
                 ((index == 0 ? (double) outputs[0] - 0.5 : (double) outputs[1] - 3.5))
                     / (sigma * sigma),
                 1e-6, "pair %u", index);
  }
  assert_near (assay_gaussian_epsilon (1 / sigma, 1e-5), 2, 1e-9, "epsilon");
}

/* ---- block-mh ---- */

/* Releases of the same items, whose columns are both modalities, or the first @first_cols of them
 * one, with edges between all items of a cluster; @key may be NULL. */
static AssayRelease *
codes_with (const char *assignments, gsize first_cols, const AssayRelease *key, GError **error)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, "block-mh", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, assignments);
  g_autoptr (AssayMatrix) once = make_items (), items = assay_matrix_new (N, 8, NULL);
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (AssayArray) edges = NULL;
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_PAIRED_CODES, "block-mh");
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  AssayDefenseContext context = { .settings = settings->values,
                                  .stream = assay_stream_key (4, 0, "release", ""),
                                  .common_stream = assay_stream_key (4, 0, "common", ""),
                                  .first_cols = first_cols,
                                  .key_of = key };

  for (gsize i = 0; i < N * 8; i++)
    items->data[i] = once->data[i / 8 * 4 + i % 4];
  for (gint64 i = 0; i < N; i++)
    for (gint64 j = i + 3; j < N; j += 3)
      g_array_append_vals (links, ((const gint64[]){ i, j }), 2);
  edges = assay_array_take (ASSAY_INT64, 2, (const gsize[]){ links->len / 2, 2 },
                            g_memdup2 (links->data, links->len * sizeof (gint64)));
  context.edges = edges;
  if (!((const AssayDefense *) plugin)
           ->protect (&context, assay_matrix_view (items), release, truth, error))
    return NULL;
  cr_assert (assay_release_check (release, NULL));
  return g_steal_pointer (&release);
}

/* Share of bits in which image and text of two items of one cluster, or of two, differ. */
static double
differing (const AssayRelease *release, gboolean is_same)
{
  const AssayPairedCodes codes = assay_release_paired_codes (release);
  double sum = 0, count = 0;

  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < N; j++)
      for (gsize b = 0; i != j && (i % 3 == j % 3) == is_same && b < codes.bits; b++, count++)
        sum += assay_code_bit (codes.first + i * codes.bytes, b)
               != assay_code_bit (codes.second + j * codes.bytes, b);
  return sum / count;
}

/* With edges inside clusters alone and without noise, W^ is 1 there and 0 between them: codes of an
 * image and a text of one cluster are alike, and of two far apart. Without edges W^ is 0, and even
 * those of one cluster are apart. */
Test (block_mh, codes_are_those_of_the_numbers)
{
  static const char *const training = "clusters=3 noise=no bits=16 steps=150 learning_rate=0.03";
  g_autofree char *silent = g_strconcat (training, " edges=no", NULL);
  g_autoptr (AssayRelease) joined = codes_with (training, 4, NULL, NULL);
  g_autoptr (AssayRelease) control = codes_with (silent, 4, NULL, NULL);

  cr_assert_lt (differing (joined, TRUE), 0.05, "%g", differing (joined, TRUE));
  cr_assert_gt (differing (joined, FALSE), 0.4, "%g", differing (joined, FALSE));
  cr_assert_gt (differing (control, TRUE), 0.2, "%g", differing (control, TRUE));
}

/* The functions of a key are taken, and no graph is counted for them. */
Test (block_mh, keys_give_the_functions)
{
  g_autoptr (AssayRelease) release = codes_with ("bits=9 steps=5", 4, NULL, NULL);
  g_autoptr (AssayRelease) again = codes_with ("bits=9 steps=5 noise=no", 4, release, NULL);

  cr_assert (memcmp (assay_release_paired_codes (release).first,
                     assay_release_paired_codes (again).first, 2 * N)
             == 0);
}

Test (block_mh, needs_two_modalities)
{
  g_autoptr (GError) error = NULL;

  cr_assert_null (codes_with ("", 0, NULL, &error));
  cr_assert (strstr (error->message, "expected a dataset with rows of two modalities"), "%s",
             error->message);
}
