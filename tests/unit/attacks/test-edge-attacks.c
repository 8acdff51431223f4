/* Attacks on private graphs, on releases of dmp-graph: what is released without noise is found, and
 * what has nothing to do with the graph tells nothing. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/kinds/graph.h"
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
