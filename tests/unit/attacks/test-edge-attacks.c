/* Attacks on private graphs, on releases of dmp-graph: what is released without noise is found, and
 * what has nothing to do with the graph tells nothing. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/kinds/graph.h"
#include "core/games/control.h"
#include "core/games/guesses/edge.h"
#include "core/graph/edge-array.h"
#include "core/graph/interactions.h"
#include "core/graph/likeness.h"
#include "core/plugin/registry.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { N = 160, COLS = 8, FIRST = 5 };

typedef struct {
  AssayMatrix *rows;
  AssayArray *edges;
  AssayRelease *release;
  AssayTruth *truth;
} Played;

static Played
play_defense (const char *assignments, guint64 graph)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, "dmp-graph", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, assignments);
  AssayStream stream = assay_stream (assay_stream_key (graph, 0, "graph", ""), 0);
  g_autoptr (AssayGraph) drawn = assay_interactions_draw (
      &(AssayInteractions){ .n = N, .mean_degree = 16, .exponent = 2.5 }, &stream, NULL);
  const AssayStreamKey key = assay_stream_key (5, 0, "release", "");
  const AssayKnowledge nothing = { .database = NULL };
  const AssayProtecting how
      = { .settings = settings, .stream = key, .common = key, .knowledge = &nothing };
  Played played
      = { .rows = fixture_normal (N, COLS, 9), .edges = assay_edge_array_new (drawn, NULL) };
  const AssaySecrets secrets
      = { .rows = assay_matrix_view (played.rows), .edges = played.edges, .first_cols = FIRST };

  cr_assert (assay_step_protect ((const AssayDefense *) plugin, &how, &secrets, &played.release,
                                 &played.truth, NULL));
  return played;
}

static void
played_clear (Played *played)
{
  assay_matrix_free (played->rows);
  assay_array_free (played->edges);
  assay_release_free (played->release);
  assay_truth_free (played->truth);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Played, played_clear)

static AssayGuess *
guess_of (const Played *played, const char *attack, const char *assignments, guint grants,
          GError **error)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_ATTACK, attack, NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, assignments);
  const AssayKnowledge nothing = { .database = NULL };
  const AssayGranted granted = {
    .grants = grants, .release = played->release, .knowledge = &nothing, .truth = played->truth
  };
  AssayGuess *guess = NULL;

  if (!assay_step_attack ((const AssayAttack *) plugin, settings,
                          assay_stream_key (6, 0, "attack", ""), &granted, &guess, error))
    return NULL;
  return guess;
}

static double
area_of (const Played *played, const char *attack, const char *assignments, guint grants)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = guess_of (played, attack, assignments, grants, &error);
  AssayControlOutcome outcome = { 0 };

  cr_assert (guess != NULL, "%s: %s", attack, error != NULL ? error->message : "");
  cr_assert (assay_edge_judge (played->truth, guess, &outcome, NULL));
  return outcome.share;
}

#define KNOWS (ASSAY_GRANT_FEATURES | ASSAY_GRANT_KNOWN_EDGES)

/* Without noise and clipping every edge in a triangle has a weight above that of all others. */
Test (edge_attacks, without_noise_the_graph_is_found)
{
  g_auto (Played) played = play_defense ("noise=no bound=150", 1);

  cr_assert_gt (area_of (&played, "graph-link", "", 0), 0.85);
  cr_assert_gt (area_of (&played, "combined-link", "", KNOWS), 0.85);
  /* Features have nothing to do with the graph. */
  assert_near (area_of (&played, "feature-link", "", ASSAY_GRANT_FEATURES), 0.5, 0.05, "floor");
  assert_near (area_of (&played, "combined-link", "release=no", KNOWS), 0.5, 0.08, "floor");
  assert_near (area_of (&played, "recompute", "", ASSAY_GRANT_FEATURES), 0.5, 0.05, "floor");
}

/* Weights of another graph, or with as much noise as epsilon 0.01 asks for, say nothing. */
Test (edge_attacks, silence_is_silence)
{
  g_auto (Played) noisy = play_defense ("epsilon=0.01 bound=20", 1);
  g_auto (Played) played = play_defense ("noise=no bound=150", 1);
  g_auto (Played) other = play_defense ("noise=no bound=150", 2);

  assert_near (area_of (&noisy, "graph-link", "", 0), 0.5, 0.04, "noise");
  assert_near (area_of (&noisy, "combined-link", "", KNOWS), 0.5, 0.08, "noise");
  assay_release_free (played.release);
  played.release = g_steal_pointer (&other.release);
  other.release = assay_release_new (ASSAY_RELEASE_GRAPH, "none");
  /* Activities differ, so that hubs of one graph are none of the other. */
  assert_near (area_of (&played, "graph-link", "", 0), 0.5, 0.06, "another graph");
}

/* Where the graph is made of features, who has them has the graph. */
Test (edge_attacks, features_are_recomputed)
{
  g_auto (Played) played = play_defense ("graph=features bound=12", 1);
  g_autoptr (AssayGuess) guess = guess_of (&played, "recompute", "", ASSAY_GRANT_FEATURES, NULL);
  const float *scores = assay_array_view (assay_arrays_get (&guess->arrays, "edge-scores")).data;
  g_autoptr (AssayGraph) clipped
      = assay_edge_array_graph (N, assay_arrays_get (&played.truth->arrays, "clipped-edges"), NULL);

  for (gsize i = 0; i < N; i++)
    for (gsize j = i + 1; j < N; j++)
      cr_assert_eq (scores[assay_pair_number (N, i, j)] > 0,
                    assay_graph_find (clipped, i, j) != ASSAY_GRAPH_NONE, "%zu, %zu", i, j);
}

/* Scores are the weights, of one modality or the mean of both. */
Test (edge_attacks, scores_are_what_they_say)
{
  g_auto (Played) played = play_defense ("bound=20", 1);
  g_autoptr (AssayGuess) link = guess_of (&played, "graph-link", "", 0, NULL);
  g_autoptr (AssayGuess) first
      = guess_of (&played, "feature-link", "similarity=first", ASSAY_GRANT_FEATURES, NULL);
  g_autoptr (AssayGuess) second
      = guess_of (&played, "feature-link", "similarity=second", ASSAY_GRANT_FEATURES, NULL);
  g_autoptr (AssayGuess) joint = guess_of (&played, "feature-link", "", ASSAY_GRANT_FEATURES, NULL);
  const AssayWeightedGraph graph = assay_release_graph (played.release);
  const AssayGuess *guesses[] = { link, first, second, joint };
  const float *scores[4];

  for (guint k = 0; k < 4; k++)
    scores[k] = assay_array_view (assay_arrays_get (&guesses[k]->arrays, "edge-scores")).data;
  for (gsize i = 0; i < N; i++)
    for (gsize j = i + 1; j < N; j++) {
      const gsize pair = assay_pair_number (N, i, j);

      cr_assert_eq (scores[0][pair], assay_weighted_graph_at (&graph, i, j));
      assert_near ((double) scores[3][pair],
                   ((double) scores[1][pair] + (double) scores[2][pair]) / 2, 1e-6, "pair %zu",
                   pair);
    }
}

/* Minus the four distances between the codes of two items, by their bits. */
Test (edge_attacks, codes_are_compared_by_bits)
{
  enum { ITEMS = 6, BITS = 11, BYTES = 2 };
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_ATTACK, "code-link", NULL);
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_PAIRED_CODES, "made-up");
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  AssayStream stream = assay_stream (assay_stream_key (7, 0, "codes", ""), 0);
  const AssayObservation seen = { .release = release };
  guint8 bits[2][ITEMS][BITS];

  release->bits = BITS;
  for (guint m = 0; m < 2; m++) {
    guint8 *codes = g_new0 (guint8, ITEMS * BYTES);

    for (gsize i = 0; i < ITEMS; i++)
      for (gsize b = 0; b < BITS; b++) {
        bits[m][i][b] = assay_stream_u32 (&stream) & 1;
        codes[i * BYTES + b / 8] |= (guint8) (bits[m][i][b] << (b % 8));
      }
    assay_arrays_take_rows (&release->arrays, m == 0 ? "image-codes" : "text-codes", ASSAY_UINT8,
                            ITEMS, BYTES, codes);
  }
  cr_assert (assay_release_check (release, NULL));
  cr_assert (assay_attack_run ((const AssayAttack *) plugin,
                               &(AssayAttackContext){ .settings = NULL }, &seen, guess, NULL));
  for (gsize i = 0; i < ITEMS; i++)
    for (gsize j = i + 1; j < ITEMS; j++) {
      int sum = 0;

      for (guint m = 0; m < 4; m++)
        for (gsize b = 0; b < BITS; b++)
          sum += bits[m / 2][i][b] != bits[m % 2][j][b];
      cr_assert_eq (assay_array_view (assay_arrays_get (&guess->arrays, "edge-scores"))
                        .data[assay_pair_number (ITEMS, i, j)],
                    (float) -sum);
    }
}

/* Codes without bits beyond the last, of as many bytes as the bits take; layers that fit. */
Test (edge_attacks, paired_codes_are_checked)
{
  static const struct {
    gsize bits, rows1, rows2, cols2;
    guint8 last;
    const char *message;
  } cases[] = {
    { 11, 0, 0, 0, 7, NULL },
    { 11, 4, 11, 5, 7, NULL },
    { 11, 11, 0, 0, 7, NULL },
    { 11, 0, 0, 0, 8, "image-codes: code 0 has a bit set beyond its 11" },
    { 17, 0, 0, 0, 7, "codes of 17 bits have 2 bytes; expected 3" },
    { 11, 4, 0, 0, 7, "image-layer1 has 4 rows; expected one for each of 11 bits" },
    { 11, 0, 11, 5, 7, "expected image-layer1 beside image-layer2" },
    { 11, 4, 11, 4, 7, "image-layer2 is 11 x 4; expected 11 x 5" },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_PAIRED_CODES, "made-up");
    g_autoptr (GError) error = NULL;

    release->bits = cases[k].bits;
    for (guint m = 0; m < 2; m++) {
      guint8 *codes = g_new0 (guint8, 4);

      codes[1] = codes[3] = cases[k].last;
      assay_arrays_take_rows (&release->arrays, m == 0 ? "image-codes" : "text-codes", ASSAY_UINT8,
                              2, 2, codes);
    }
    if (cases[k].rows1 > 0)
      assay_arrays_take_rows (&release->arrays, "image-layer1", ASSAY_FLOAT32, cases[k].rows1, 3,
                              g_new0 (float, cases[k].rows1 * 3));
    if (cases[k].rows2 > 0)
      assay_arrays_take_rows (&release->arrays, "image-layer2", ASSAY_FLOAT32, cases[k].rows2,
                              cases[k].cols2, g_new0 (float, cases[k].rows2 *cases[k].cols2));
    cr_assert_eq (assay_release_check (release, &error), cases[k].message == NULL, "case %zu", k);
    if (cases[k].message != NULL)
      cr_assert (strstr (error->message, cases[k].message) != NULL, "%s", error->message);
  }
}

/* Nobody sees what was not granted; edges are known among the first half alone. */
Test (edge_attacks, knowledge_is_what_is_granted)
{
  g_auto (Played) played = play_defense ("bound=20", 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = NULL;

  cr_assert_null (guess_of (&played, "feature-link", "", 0, &error));
  cr_assert (strstr (error->message, "needs 'features', which was not granted"), "%s",
             error->message);
  g_clear_error (&error);
  cr_assert_null (guess_of (&played, "combined-link", "", ASSAY_GRANT_FEATURES, &error));
  cr_assert (strstr (error->message, "needs 'known-edges', which was not granted"), "%s",
             error->message);
  guess = guess_of (&played, "combined-link", "", KNOWS, NULL);
  for (gsize k = 0; k < assay_pair_count (N / 2); k++)
    cr_assert_geq (assay_array_int64 (assay_arrays_get (&guess->arrays, "edge-pairs"))[2 * k],
                   N / 2);
}

/* Similarity of one modality needs two. */
Test (edge_attacks, one_modality_has_no_second)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (4, 3, 1);
  g_autoptr (GError) error = NULL;

  cr_assert_null (
      assay_likeness_rows (assay_matrix_view (rows), 0, ASSAY_SIMILARITY_SECOND, &error));
  cr_assert_str_eq (error->message, "similarity = second: expected items of two modalities");
}
