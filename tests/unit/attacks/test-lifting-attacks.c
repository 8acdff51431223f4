/* The attacks on lifted releases against their definitions. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/games/control.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-attacks.h"
#include "tests/reference/naive-scan.h"
#include "tests/unit/attacks/lifting-case.h"
#include "tests/unit/seeds.h"

/* Estimates are made of float32 rows, translation and basis, of lengths of order 1 to 20, in
 * double, with weights from distances that the scan has to 1e-6 of the lengths. */
static void
check_estimate (const AssayGuess *guess, gsize index, const NaiveGuess *naive, gsize cols,
                const char *what)
{
  const AssayView estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  double length = 0;

  for (gsize j = 0; j < cols; j++)
    length += naive->estimate[j] * naive->estimate[j];
  for (gsize j = 0; j < cols; j++)
    cr_assert (fabs (assay_view_row (estimates, index)[j] - naive->estimate[j])
                   <= 2e-5 * (1 + sqrt (length)),
               "%s, secret %zu, column %zu: %g instead of %g", what, index, j,
               (double) assay_view_row (estimates, index)[j], naive->estimate[j]);
}

/* Where a choice was no clearer than float32 can see, the two may differ: it must be rare. */
#define CLEAR_SHARE 0.8

static double
margin_of (const LiftingScene *scene)
{
  return 1e-5 * (scene->release->is_unit_norm ? 1 : sqrt ((double) scene->subspaces.cols));
}

static const LiftingCase cases[] = {
  { "variant=hybrid dimension=4", FALSE, 40, 700, 24 },
  { "variant=hybrid dimension=8", TRUE, 40, 700, 24 },
  { "variant=hybrid dimension=2 normalize=no", TRUE, 30, 500, 128 },
  { "variant=sub-hybrid dimension=6", TRUE, 30, 600, 32 },
  { "variant=adversarial dimension=3", FALSE, 40, 300, 16 },
  { "variant=adversarial dimension=5 normalize=no", TRUE, 40, 400, 20 },
  { "variant=random dimension=4", FALSE, 40, 700, 24 },
  { "variant=random dimension=3 normalize=no", TRUE, 40, 300, 16 },
  { "variant=random dimension=1", TRUE, 40, 300, 8 },
};

Test (attacks, nearest_is_its_definition)
{
  for (gsize c = 0; c <= G_N_ELEMENTS (cases); c++)
    for (gboolean project = FALSE; project <= TRUE; project++) {
      const LiftingCase *problem
          = c < G_N_ELEMENTS (cases) ? &cases[c] : &(const LiftingCase){ NULL, TRUE, 50, 400, 24 };
      g_auto (LiftingScene) scene = { 0 };
      g_autoptr (AssayGuess) guess = NULL;
      g_autofree char *what = g_strdup_printf ("%s, project %d", problem->lifting, project);
      gsize clear = 0;

      lifting_scene_make (problem, &scene);
      guess = lifting_scene_attack (&assay_attack_nearest, project ? "project=yes" : "project=no",
                                    &scene);
      for (gsize i = 0; i < problem->n; i++) {
        g_auto (NaiveGuess) naive = naive_nearest_attack (&scene.subspaces, i, scene.database->data,
                                                          problem->rows, project);
        /* Adversarial rows all lie in D; among them the scan takes the first, the reference that
         * with the smallest rounding error. */
        if (naive.margin < margin_of (&scene))
          continue;
        clear++;
        check_estimate (guess, i, &naive, problem->cols, what);
      }
      if (problem->lifting == NULL || strstr (problem->lifting, "random") != NULL)
        cr_assert ((double) clear >= CLEAR_SHARE * (double) problem->n, "%s: %zu", what, clear);
    }
}

static gsize
adversarial_of (const LiftingCase *problem, gsize dimension)
{
  return strstr (problem->lifting, "variant=random") != NULL        ? 0
         : strstr (problem->lifting, "variant=adversarial") != NULL ? dimension
                                                                    : dimension / 2;
}

/* The rows of step 2 in any order: all lie in D, so rounding orders them. */
static void
check_adversarial (const AssayGuess *guess, const AssayTruth *truth, gsize index,
                   const NaiveGuess *naive, const char *what)
{
  const AssayArray *named = assay_arrays_get (&guess->arrays, "adversarial");
  const gsize count = naive->n_adversarial;
  const gint64 *drawn;

  cr_assert ((named != NULL) == (count > 0), "%s", what);
  if (count == 0)
    return;
  cr_assert (named->shape[1] == count, "%s: %zu", what, named->shape[1]);
  drawn = assay_array_int64 (assay_arrays_get (&truth->arrays, "adversarial")) + index * count;
  for (gsize i = 0; i < count; i++) {
    const gint64 row = assay_array_int64 (named)[index * count + i];
    gboolean is_naive = FALSE, is_true = FALSE;

    for (gsize j = 0; j < count; j++) {
      is_naive |= (gint64) naive->adversarial[j] == row;
      is_true |= drawn[j] == row;
    }
    cr_assert (is_naive && is_true, "%s, secret %zu: row %d", what, index, (int) row);
  }
}

static void
check_database (const LiftingCase *problem, const LiftingScene *scene, const gsize size[2],
                const char *adversarial, gboolean is_ratio)
{
  g_autofree char *assignments
      = g_strdup_printf ("neighbours=%zu averaged=%zu adversarial=%s selection=%s", size[0],
                         size[1], adversarial, is_ratio ? "ratio" : "far");
  g_autofree char *what = g_strdup_printf ("%s; %s", problem->lifting, assignments);
  g_autoptr (AssayGuess) guess = lifting_scene_attack (&assay_attack_database, assignments, scene);
  const NaiveDatabase settings = { adversarial_of (problem, scene->subspaces.dimension), size[0],
                                   size[1], is_ratio };
  gsize clear = 0;

  for (gsize i = 0; i < problem->n; i++) {
    g_auto (NaiveGuess) naive = naive_database_attack (&scene->subspaces, i, scene->database->data,
                                                       problem->rows, &settings);

    if (naive.margin < margin_of (scene))
      continue;
    clear++;
    check_adversarial (guess, scene->truth, i, &naive, what);
    check_estimate (guess, i, &naive, problem->cols, what);
  }
  cr_assert ((double) clear >= CLEAR_SHARE * (double) problem->n, "%s: %zu clear", what, clear);
}

Test (attacks, database_is_its_definition)
{
  static const gsize sizes[][2] = { { 1, 1 }, { 20, 1 }, { 20, 7 }, { 100, 10 }, { 5000, 30 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const gsize count = strstr (cases[c].lifting, "random") != NULL        ? 1
                        : strstr (cases[c].lifting, "adversarial") != NULL ? 3
                                                                           : 2;
    static const char *const names[] = { "", "none", "half", "all" };
    g_auto (LiftingScene) scene = { 0 };

    lifting_scene_make (&cases[c], &scene);
    for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
      check_database (&cases[c], &scene, sizes[s], "counted", FALSE);
      check_database (&cases[c], &scene, sizes[s], names[count], FALSE);
      check_database (&cases[c], &scene, sizes[s], "counted", TRUE);
    }
  }
}

/* What show_near adds: the rows that the guess names, and then those nearest to the subspace. */
Test (attacks, database_shows_what_it_found)
{
  g_auto (LiftingScene) scene = { 0 };
  g_autoptr (AssayGuess) guess = NULL;
  const AssayArray *named, *forming, *near;

  lifting_scene_make (&cases[1], &scene);
  guess = lifting_scene_attack (&assay_attack_database, "neighbours=60 show_near=yes", &scene);
  named = assay_arrays_get (&guess->arrays, "adversarial");
  forming = assay_arrays_get (&guess->arrays, "forming");
  near = assay_arrays_get (&guess->arrays, "near");
  cr_assert (forming->shape[1] == 4 && near->shape[1] == 50 && near->shape[2] == 24);
  for (gsize i = 0; i < cases[1].n; i++) {
    g_autofree double *distances
        = naive_scan_distances (&scene.subspaces, i, scene.database->data, cases[1].rows);

    for (gsize a = 0; a < 4; a++)
      cr_assert (
          memcmp ((const float *) forming->data + (i * 4 + a) * 24,
                  assay_matrix_row (scene.database, (gsize) assay_array_int64 (named)[i * 4 + a]),
                  24 * sizeof (float))
              == 0,
          "secret %zu, adversarial row %zu", i, a);
    for (gsize r = 0; r < 50; r++) {
      const double distance = naive_scan_distance (&scene.subspaces, i,
                                                   (const float *) near->data + (i * 50 + r) * 24);
      gsize n_nearer = 0;

      /* Float32 may exchange neighbours in the list that are equal to it. */
      for (gsize j = 0; j < cases[1].rows; j++)
        n_nearer += distances[j] < distance - margin_of (&scene);
      cr_assert (n_nearer <= 4 + r, "secret %zu: %zu rows are nearer than number %zu", i, n_nearer,
                 r);
      n_nearer = 0;
      for (gsize j = 0; j < cases[1].rows; j++)
        n_nearer += distances[j] < distance + margin_of (&scene);
      cr_assert (n_nearer > 4 + r, "secret %zu: %zu rows are nearer than number %zu", i, n_nearer,
                 r);
    }
  }
}

/* A release that keeps what was found near its subspaces: the order of settings changes nothing. */
Test (attacks, earlier_attacks_and_threads_change_nothing)
{
  TEST_OF_RESULTS ();

  static const char *const assignments[]
      = { "neighbours=30 averaged=3", "neighbours=200 averaged=20", "neighbours=7 averaged=7" };
  g_autofree float *first[3] = { NULL, NULL, NULL };

  for (guint round = 0; round < 3; round++) {
    g_auto (LiftingScene) scene = { 0 };

    assay_parallel_set_threads (round + 1);
    lifting_scene_make (&cases[0], &scene);
    for (guint i = 0; i < 3; i++) {
      const guint which = (i * 2 + round) % 3;
      g_autoptr (AssayGuess) guess
          = lifting_scene_attack (&assay_attack_database, assignments[which], &scene);
      const AssayArray *estimates = assay_arrays_get (&guess->arrays, "estimates");
      const gsize bytes = assay_array_count (estimates) * sizeof (float);

      if (first[which] == NULL)
        first[which] = g_memdup2 (estimates->data, bytes);
      cr_assert (memcmp (first[which], estimates->data, bytes) == 0, "%s in round %u",
                 assignments[which], round);
    }
  }
  g_free (first[1]);
  g_free (first[2]);
}

/* A secret that stands in the database lies at distance 0 from D: its weight is large, but finite.
 * It is at least 1 / tolerance, that of nine others at most 1 / next, and they are no more than 2
 * away. */
Test (attacks, a_distance_of_zero_has_a_finite_weight)
{
  g_auto (LiftingScene) scene = { 0 };
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_affine_lifting.plugin, "variant=random dimension=2");
  g_autoptr (AssayGuess) guess = NULL;
  AssayView estimates;

  scene.database = fixture_normal (200, 16, 1);
  scene.rows = fixture_rows (scene.database);
  cr_assert (fixture_protect (&assay_defense_affine_lifting, settings, key,
                              assay_view_rows (assay_matrix_view (scene.database), 0, 20), NULL,
                              &scene.release, &scene.truth, NULL));
  guess = lifting_scene_attack (&assay_attack_database, "averaged=10", &scene);
  estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  assay_rows_read (scene.rows, 0, 200, ASSAY_SCALE_UNIT, scene.database->data);
  scene.subspaces = assay_release_subspaces (scene.release);
  for (gsize i = 0; i < 20; i++) {
    const float *secret = assay_matrix_row (scene.database, i);
    double next = INFINITY;

    for (gsize r = 0; r < 200; r++)
      if (r != i)
        next = MIN (
            next, naive_scan_distance (&scene.subspaces, i, assay_matrix_row (scene.database, r)));
    for (gsize j = 0; j < 16; j++)
      cr_assert (fabs ((double) assay_view_row (estimates, i)[j] - secret[j])
                     <= 9 * 2 * assay_scan_tolerance (16, 2, 1) / next,
                 "secret %zu, column %zu", i, j);
  }
}

/* With all lists the guess is the exact one, to the bit, and says so; with few it may be another,
 * and its recall says that it is. */
Test (attacks, an_approximate_search_says_what_it_missed)
{
  static const char *const searches[]
      = { "search=approximate lists=30 probes=30", "search=approximate lists=30 probes=1" };
  g_auto (LiftingScene) scene = { 0 };
  g_autoptr (AssayGuess) exact = NULL;
  const AssayArray *expected;

  lifting_scene_make (&cases[0], &scene);
  exact = lifting_scene_attack (&assay_attack_database, "lists=30 probes=1", &scene);
  expected = assay_arrays_get (&exact->arrays, "estimates");
  cr_assert (assay_arrays_get (&exact->arrays, "recall") == NULL);
  for (guint i = 0; i < G_N_ELEMENTS (searches); i++) {
    g_autoptr (AssayGuess) guess
        = lifting_scene_attack (&assay_attack_database, searches[i], &scene);
    const AssayArray *estimates = assay_arrays_get (&guess->arrays, "estimates");
    const AssayArray *recall = assay_arrays_get (&guess->arrays, "recall");
    gint64 n_found = 0;

    cr_assert (recall->shape[0] == cases[0].n && recall->shape[1] == 3);
    for (gsize s = 0; s < cases[0].n; s++) {
      cr_assert_eq (assay_array_int64 (recall)[3 * s + 2], 104);
      n_found += assay_array_int64 (recall)[3 * s + 1];
    }
    cr_assert ((n_found == 104 * (gint64) cases[0].n) == (i == 0), "%s", searches[i]);
    cr_assert (
        (memcmp (estimates->data, expected->data, assay_array_count (expected) * sizeof (float))
         == 0)
            == (i == 0),
        "%s", searches[i]);
  }
}

/* The lists, and the sample that they are learned from, stand in the estimate. */
Test (attacks, an_approximate_search_is_estimated)
{
  const AssayShape shape
      = { .n_secrets = 1000, .dimension = 4, .cols = 128, .n_database = 10000000 };
  g_autoptr (AssaySettings) exact = fixture_settings (&assay_attack_database.plugin, "");
  g_autoptr (AssaySettings) some
      = fixture_settings (&assay_attack_database.plugin, "search=approximate");
  const guint64 bytes = assay_attack_database.memory (exact->values, &shape);
  const guint64 more = assay_attack_database.memory (some->values, &shape);

  /* 8 bytes a row; 262,144 rows of the sample as floats. */
  cr_assert (more >= 8 * shape.n_database + (128u << 20) && more < bytes + (1u << 30),
             "%" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, bytes, more);
}

/* Whatever its settings, as long as they can work: the control says that the attack does. */
Test (attacks, database_wins_its_control_with_any_settings)
{
  static const char *const assignments[] = { "neighbours=1 averaged=1",
                                             "neighbours=2 averaged=1",
                                             "neighbours=5 averaged=2",
                                             "neighbours=40 averaged=39",
                                             "neighbours=1000 averaged=30",
                                             "selection=ratio",
                                             "selection=ratio neighbours=1000 averaged=3",
                                             "adversarial=none",
                                             "adversarial=half",
                                             "adversarial=all",
                                             "averaged=100",
                                             "search=approximate",
                                             "search=approximate averaged=100",
                                             "search=approximate lists=2000 probes=100",
                                             "search=approximate probes=200" };

  for (gsize i = 0; i < G_N_ELEMENTS (assignments); i++)
    for (guint64 seed = 0; seed < test_seeds (2); seed++) {
      g_autoptr (AssaySettings) settings
          = fixture_settings (&assay_attack_database.plugin, assignments[i]);
      AssayControlOutcome outcome;

      cr_assert (assay_control_run (&assay_attack_database, settings, seed, &outcome, NULL)
                     && outcome.is_won,
                 "%s, seed %d: recovered %g", assignments[i], (int) seed, outcome.share);
    }
}
