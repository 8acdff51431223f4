/* The clustering attack: against its definition, its control, its metric and its errors. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/games/control.h"
#include "core/plugin/registry.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-clustering.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/shared-points.h"

extern const AssayAttack assay_attack_clustering;
extern const AssayMetric assay_metric_intersections;

/* ---- The attack ---- */

static AssayGuess *
attack (const char *assignments, const AssayRelease *release, AssayRows *public_rows)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_clustering.plugin, assignments);
  const AssayKnowledge knowledge = { .public_rows = public_rows };
  g_autoptr (GError) error = NULL;
  AssayGuess *guess = NULL;

  cr_assert (assay_step_attack (&assay_attack_clustering, settings, key,
                                &(AssayGranted){ .release = release,
                                                 .grants = assay_attack_clustering.needs,
                                                 .knowledge = &knowledge },
                                &guess, &error),
             "%s: %s", assignments, error != NULL ? error->message : "");
  return guess;
}

static const struct {
  const char *lifting;
  gsize database, d;
  NaiveClustering settings;
} attack_cases[] = {
  { "variant=hybrid dimension=2", 20, 24, { 30, 2, 20, 3, FALSE } },
  { "variant=hybrid dimension=4", 30, 32, { 24, 3, 50, 1, FALSE } },
  { "variant=hybrid dimension=4", 1000000, 32, { 24, 3, 50, 2, FALSE } }, /* nothing in common */
  { "variant=hybrid dimension=8 normalize=no", 60, 40, { 40, 5, 20, 2, FALSE } },
  { "variant=adversarial dimension=3", 25, 16, { 20, 4, 20, 2, FALSE } },
  { "variant=hybrid dimension=4", 30, 32, { 24, 3, 50, 1, TRUE } },
};

/* Estimates are made of float32 numbers of order 1 with weights from distances that the scan has to
 * 1e-6; where a choice was no clearer than 1e-5 the two may differ, which must be rare. */
Test (clustering, attack_is_its_definition)
{
  for (gsize c = 0; c < G_N_ELEMENTS (attack_cases); c++) {
    const NaiveClustering *settings = &attack_cases[c].settings;
    const gsize n = 40, d = attack_cases[c].d;
    const gboolean is_alone = attack_cases[c].database > 1000;
    g_autofree char *assignments = g_strdup_printf (
        "neighbours=%zu clusters=%zu rounds=%zu starts=%zu start=%s", settings->neighbours,
        settings->clusters, settings->rounds, settings->starts,
        settings->is_farthest_first ? "farthest-first" : "random");
    g_auto (SharedPoints) scene = { 0 };
    g_autoptr (AssayGuess) guess = NULL;
    gsize n_clear = 0, n_meetings = 0;
    AssayView estimates;

    shared_points_make (attack_cases[c].lifting, n, is_alone ? 20000 : attack_cases[c].database, d,
                        1, &scene);
    guess = attack (assignments, scene.release, scene.public_rows);
    estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
    for (gsize i = 0; i < n; i++) {
      gsize meeting[40], n_meeting = 0;
      g_auto (NaiveGuess) naive = { 0 };

      for (gsize j = 0; j < n; j++)
        if (j != i && shared_points_count (&scene, i, j) > 0)
          meeting[n_meeting++] = j;
      n_meetings += n_meeting;
      cr_assert (assay_array_int64 (assay_arrays_get (&guess->arrays, "intersecting"))[i]
                     == (gint64) n_meeting,
                 "%s, secret %zu", attack_cases[c].lifting, i);
      naive = naive_clustering_attack (&scene.subspaces, i, scene.public_matrix->data, 400,
                                       settings, key, meeting, n_meeting);
      if (naive.margin < 1e-5)
        continue;
      n_clear++;
      for (gsize j = 0; j < d; j++)
        assert_near (assay_view_row (estimates, i)[j], naive.estimate[j], 5e-5,
                     "%s; %s, secret %zu, column %zu", attack_cases[c].lifting, assignments, i, j);
    }
    cr_assert (2 * n_clear >= n, "%s: %zu clear", attack_cases[c].lifting, n_clear);
    cr_assert (is_alone ? n_meetings < n / 2 : n_meetings > n, "%s: %zu meetings",
               attack_cases[c].lifting, n_meetings);
  }
}

/* Clusters are m/2 + 1 unless they are set. */
Test (clustering, clusters_follow_the_dimension)
{
  g_auto (SharedPoints) scene = { 0 };
  g_autoptr (AssayGuess) follow = NULL;
  g_autoptr (AssayGuess) set = NULL;
  const AssayArray *x, *y;

  shared_points_make ("dimension=6", 30, 40, 32, 1, &scene);
  follow = attack ("", scene.release, scene.public_rows);
  set = attack ("clusters=4", scene.release, scene.public_rows);
  x = assay_arrays_get (&follow->arrays, "estimates");
  y = assay_arrays_get (&set->arrays, "estimates");
  cr_assert (memcmp (x->data, y->data, assay_array_count (x) * sizeof (float)) == 0);
}

Test (clustering, threads_change_nothing)
{
  g_autofree float *first = NULL;

  for (guint threads = 1; threads <= 3; threads++) {
    g_auto (SharedPoints) scene = { 0 };
    g_autoptr (AssayGuess) guess = NULL;
    const AssayArray *estimates;

    assay_parallel_set_threads (threads);
    shared_points_make ("dimension=4", 150, 80, 48, 1, &scene);
    guess = attack ("neighbours=60", scene.release, scene.public_rows);
    estimates = assay_arrays_get (&guess->arrays, "estimates");
    if (first == NULL)
      first = g_memdup2 (estimates->data, assay_array_count (estimates) * sizeof (float));
    cr_assert (memcmp (first, estimates->data, assay_array_count (estimates) * sizeof (float)) == 0,
               "%u threads", threads);
  }
}

/* ---- The control ---- */

Test (clustering, control_is_won_with_any_settings)
{
  static const char *const assignments[] = { "neighbours=3",
                                             "neighbours=12",
                                             "neighbours=1000 starts=1",
                                             "clusters=1",
                                             "clusters=2",
                                             "clusters=9",
                                             "rounds=1",
                                             "tolerance=1",
                                             "tolerance=1000",
                                             "clusters=20 neighbours=200",
                                             "start=farthest-first" };

  for (gsize i = 0; i < G_N_ELEMENTS (assignments); i++)
    for (guint64 seed = 0; seed < 10; seed++) {
      g_autoptr (AssaySettings) settings
          = fixture_settings (&assay_attack_clustering.plugin, assignments[i]);
      AssayControlOutcome outcome;

      cr_assert (assay_control_run (&assay_attack_clustering, settings, seed, &outcome, NULL)
                     && outcome.is_won,
                 "%s, seed %d: recovered %g", assignments[i], (int) seed, outcome.share);
    }
}

/* The control's secrets, each attacked as if it were the only one: nothing meets it, and the guess
 * is a database descriptor's surroundings. */
Test (clustering, control_is_lost_without_the_other_releases)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_attack_clustering.plugin, "");
  AssayControlCase made = { 0 };
  AssaySubspaces all;
  AssayView secrets;
  gsize n_recovered = 0;

  cr_assert (assay_attack_clustering.control.make (settings->values, key, &made, NULL));
  all = assay_release_subspaces (made.release);
  secrets = assay_array_view (assay_arrays_get (&made.truth->arrays, "secrets"));
  for (gsize i = 0; i < all.count; i++) {
    const gsize m = all.dimension, d = all.cols;
    g_autoptr (AssayRelease) one = assay_release_new (ASSAY_RELEASE_SUBSPACES, "one");
    g_autoptr (AssayGuess) guess = NULL;
    double square = 0, length = 0;

    assay_arrays_take (&one->arrays, "translation",
                       assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ 1, d },
                                         g_memdup2 (all.translation + i * d, d * sizeof (float))));
    assay_arrays_take (
        &one->arrays, "basis",
        assay_array_take (ASSAY_FLOAT32, 3, (const gsize[]){ 1, m, d },
                          g_memdup2 (all.basis + i * m * d, m * d * sizeof (float))));
    guess = attack ("", one, made.public_rows);
    cr_assert (assay_array_int64 (assay_arrays_get (&guess->arrays, "intersecting"))[0] == 0);
    for (gsize j = 0; j < d; j++) {
      const double secret = assay_view_row (secrets, i)[j];
      const double estimate
          = assay_array_view (assay_arrays_get (&guess->arrays, "estimates")).data[j];

      square += (estimate - secret) * (estimate - secret);
      length += secret * secret;
    }
    n_recovered += square <= 0.3 * 0.3 * length;
  }
  cr_assert (n_recovered == 0, "%zu of %zu", n_recovered, all.count);
  assay_control_case_clear (&made);
}

/* Three secrets in the plane with two candidates each: the nearer was chosen; the farther; both are
 * as near. The second is met by nothing. With tau = 0.75 the first, which is at the origin, has no
 * candidate within reach; the second has one at distance 1 of 1.06, and another, at 2.8, is the
 * guess; the third has both. */
Test (clustering, metric_on_paper)
{
  const float secrets[] = { 0, 0, 1, 1, 5, 5 }, estimates[] = { 1, 0, 3, 3, 5, 4 };
  const float candidates[] = { 1, 0, 2, 0, 1, 2, 3, 3, 4, 5, 5, 4 };
  const gint64 counts[] = { 3, 0, 1 };
  const double meet[] = { 1, 0, 1 }, nearest[] = { 1, 0, 1 };
  const double recoverable[] = { 0, 1, 1 }, free_of[] = { 1, 0, 1 };
  const gsize shape[] = { 3, 2, 2 };
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_metric_intersections.plugin, "tau=0.75");
  AssayOutcomes outcomes = { 0 };

  assay_arrays_take (
      &truth->arrays, "secrets",
      assay_array_take (ASSAY_FLOAT32, 2, shape, g_memdup2 (secrets, sizeof secrets)));
  assay_arrays_take (
      &guess->arrays, "estimates",
      assay_array_take (ASSAY_FLOAT32, 2, shape, g_memdup2 (estimates, sizeof estimates)));
  cr_assert (!assay_metric_applies (&assay_metric_intersections, NULL, NULL, truth, guess));
  assay_arrays_take (&guess->arrays, "intersecting",
                     assay_array_take (ASSAY_INT64, 1, shape, g_memdup2 (counts, sizeof counts)));
  assay_arrays_take (
      &guess->arrays, "considered",
      assay_array_take (ASSAY_FLOAT32, 3, shape, g_memdup2 (candidates, sizeof candidates)));
  cr_assert (assay_guess_check (guess, assay_registry_guess_arrays (), NULL));
  cr_assert (assay_step_measure (&assay_metric_intersections,
                                 &(AssayMetricContext){ .settings = settings->values }, truth,
                                 guess, &outcomes, NULL)
             && outcomes.n == 3);
  for (gsize i = 0; i < 3; i++) {
    assert_near (outcomes.series[0][i], meet[i], 0, "intersecting, secret %zu", i);
    assert_near (outcomes.series[1][i], nearest[i], 0, "nearest candidate, secret %zu", i);
    assert_near (outcomes.series[2][i], recoverable[i], 0, "recoverable, secret %zu", i);
    assert_near (outcomes.series[3][i], free_of[i], 0, "collision-free, secret %zu", i);
  }
  assay_outcomes_clear (&outcomes);
}

Test (clustering, errors)
{
  g_auto (SharedPoints) scene = { 0 };
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_attack_clustering.plugin, "");
  const AssayAttack *plugin = &assay_attack_clustering;
  AssayGuess *guess = NULL;
  AssayKnowledge knowledge;
  GError *error = NULL;
  g_autofree char *why = NULL;
  g_autofree char *why_settings = NULL;
  g_autoptr (AssaySettings) many = fixture_settings (&plugin->plugin, "clusters=5 neighbours=4");

  shared_points_make ("dimension=4", 10, 40, 24, 1, &scene);
  knowledge = (AssayKnowledge){ .public_rows = scene.public_rows };
  cr_assert (!assay_step_attack (plugin, settings, key,
                                 &(AssayGranted){ .release = scene.release,
                                                  .grants = ASSAY_GRANT_PUBLIC,
                                                  .knowledge = &knowledge },
                                 &guess, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "attack 'clustering' needs 'other-releases', which was not granted",
                               NULL, &why),
             "%s", why);
  cr_assert (!plugin->check (many->values, &(AssayShape){ 0 }, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "clusters = 5: expected at most neighbours = 4", NULL,
                               &why_settings),
             "%s", why_settings);
}
