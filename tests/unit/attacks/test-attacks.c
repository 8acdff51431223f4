/* The attacks against their definitions, and what an attack gets to see. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/games/control.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-attacks.h"
#include "tests/reference/naive-scan.h"

extern const AssayDefense assay_defense_affine_lifting;
extern const AssayDefense assay_defense_none;
extern const AssayAttack assay_attack_database;
extern const AssayAttack assay_attack_nearest;
extern const AssayAttack assay_attack_verbatim;

static const AssayStreamKey key = { { 1, 2 } };

typedef struct {
  const char *lifting; /* settings of the defense; NULL: none */
  gboolean is_clustered;
  gsize n, rows, cols;
} Case;

typedef struct {
  AssayMatrix *database; /* as the attack sees it: scaled where the release is */
  AssayRows *rows;
  AssayRelease *release;
  AssayTruth *truth;
  AssaySubspaces subspaces;
} Scene;

static void
scene_clear (Scene *scene)
{
  g_clear_pointer (&scene->database, assay_matrix_free);
  g_clear_pointer (&scene->rows, assay_rows_unref);
  g_clear_pointer (&scene->release, assay_release_free);
  g_clear_pointer (&scene->truth, assay_truth_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_clear)

/* Normal rows, or rows around 12 centres with a deviation of 0.15. */
static AssayMatrix *
make_points (const Case *problem, gsize rows, guint64 trial)
{
  AssayMatrix *points = fixture_normal (rows, problem->cols, trial);
  g_autoptr (AssayMatrix) centres = fixture_normal (12, problem->cols, 99);

  for (gsize i = 0; problem->is_clustered && i < rows * problem->cols; i++)
    points->data[i] = 0.15f * points->data[i]
                      + centres->data[i / problem->cols % 12 * problem->cols + i % problem->cols];
  return points;
}

static void
make_scene (const Case *problem, Scene *scene)
{
  const AssayDefense *defense
      = problem->lifting != NULL ? &assay_defense_affine_lifting : &assay_defense_none;
  g_autoptr (AssaySettings) settings
      = fixture_settings (&defense->plugin, problem->lifting != NULL ? problem->lifting : "");
  g_autoptr (AssayMatrix) secrets = make_points (problem, problem->n, 1);
  g_autoptr (GError) error = NULL;

  scene->database = make_points (problem, problem->rows, 2);
  scene->rows = fixture_rows (scene->database);
  cr_assert (fixture_protect (defense, settings, key, assay_matrix_view (secrets), scene->rows,
                              &scene->release, &scene->truth, &error),
             "%s", error != NULL ? error->message : "");
  assay_rows_read (scene->rows, 0, problem->rows,
                   scene->release->is_unit_norm ? ASSAY_SCALE_UNIT : ASSAY_SCALE_NONE,
                   scene->database->data);
  scene->subspaces = assay_release_subspaces (scene->release);
}

static AssayGuess *
attack (const AssayAttack *plugin, const char *assignments, const Scene *scene)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&plugin->plugin, assignments);
  const AssayKnowledge knowledge = { .database = scene->rows, .public_rows = scene->rows };
  g_autoptr (GError) error = NULL;
  AssayGuess *guess = NULL;

  cr_assert (assay_step_attack (plugin, settings, key, scene->release,
                                &(AssayGranted){ .grants = plugin->needs, .knowledge = &knowledge },
                                &guess, &error),
             "%s %s: %s", plugin->id, assignments, error != NULL ? error->message : "");
  return guess;
}

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
margin_of (const Scene *scene)
{
  return 1e-5 * (scene->release->is_unit_norm ? 1 : sqrt ((double) scene->subspaces.cols));
}

static const Case cases[] = {
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
      const Case *problem
          = c < G_N_ELEMENTS (cases) ? &cases[c] : &(const Case){ NULL, TRUE, 50, 400, 24 };
      g_auto (Scene) scene = { 0 };
      g_autoptr (AssayGuess) guess = NULL;
      g_autofree char *what = g_strdup_printf ("%s, project %d", problem->lifting, project);
      gsize clear = 0;

      make_scene (problem, &scene);
      guess = attack (&assay_attack_nearest, project ? "project=yes" : "project=no", &scene);
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
adversarial_of (const Case *problem, gsize dimension)
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
check_database (const Case *problem, const Scene *scene, gsize neighbours, gsize averaged,
                const char *adversarial)
{
  g_autofree char *assignments = g_strdup_printf ("neighbours=%zu averaged=%zu adversarial=%s",
                                                  neighbours, averaged, adversarial);
  g_autofree char *what = g_strdup_printf ("%s; %s", problem->lifting, assignments);
  g_autoptr (AssayGuess) guess = attack (&assay_attack_database, assignments, scene);
  const gsize count = adversarial_of (problem, scene->subspaces.dimension);
  gsize clear = 0;

  for (gsize i = 0; i < problem->n; i++) {
    g_auto (NaiveGuess) naive = naive_database_attack (&scene->subspaces, i, scene->database->data,
                                                       problem->rows, count, neighbours, averaged);

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
    g_auto (Scene) scene = { 0 };

    make_scene (&cases[c], &scene);
    for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
      check_database (&cases[c], &scene, sizes[s][0], sizes[s][1], "from-release");
      check_database (&cases[c], &scene, sizes[s][0], sizes[s][1], names[count]);
    }
  }
}

/* What show_near adds: the rows that the guess names, and then those nearest to the subspace. */
Test (attacks, database_shows_what_it_found)
{
  g_auto (Scene) scene = { 0 };
  g_autoptr (AssayGuess) guess = NULL;
  const AssayArray *named, *forming, *near;

  make_scene (&cases[1], &scene);
  guess = attack (&assay_attack_database, "neighbours=60 show_near=yes", &scene);
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
  static const char *const assignments[]
      = { "neighbours=30 averaged=3", "neighbours=200 averaged=20", "neighbours=7 averaged=7" };
  g_autofree float *first[3] = { NULL, NULL, NULL };

  for (guint round = 0; round < 3; round++) {
    g_auto (Scene) scene = { 0 };

    assay_parallel_set_threads (round + 1);
    make_scene (&cases[0], &scene);
    for (guint i = 0; i < 3; i++) {
      const guint which = (i * 2 + round) % 3;
      g_autoptr (AssayGuess) guess = attack (&assay_attack_database, assignments[which], &scene);
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
  g_auto (Scene) scene = { 0 };
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_affine_lifting.plugin, "variant=random dimension=2");
  g_autoptr (AssayGuess) guess = NULL;
  AssayView estimates;

  scene.database = fixture_normal (200, 16, 1);
  scene.rows = fixture_rows (scene.database);
  cr_assert (fixture_protect (&assay_defense_affine_lifting, settings, key,
                              assay_view_rows (assay_matrix_view (scene.database), 0, 20), NULL,
                              &scene.release, &scene.truth, NULL));
  guess = attack (&assay_attack_database, "averaged=10", &scene);
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
  g_auto (Scene) scene = { 0 };
  g_autoptr (AssayGuess) exact = NULL;
  const AssayArray *expected;

  make_scene (&cases[0], &scene);
  exact = attack (&assay_attack_database, "lists=30 probes=1", &scene);
  expected = assay_arrays_get (&exact->arrays, "estimates");
  cr_assert (assay_arrays_get (&exact->arrays, "recall") == NULL);
  for (guint i = 0; i < G_N_ELEMENTS (searches); i++) {
    g_autoptr (AssayGuess) guess = attack (&assay_attack_database, searches[i], &scene);
    const AssayArray *estimates = assay_arrays_get (&guess->arrays, "estimates");
    const AssayArray *recall = assay_arrays_get (&guess->arrays, "recall");
    gint64 n_found = 0;

    cr_assert (recall->shape[0] == cases[0].n && recall->shape[1] == 3);
    for (gsize s = 0; s < cases[0].n; s++) {
      cr_assert_eq (assay_array_int64 (recall)[3 * s + 2], 102);
      n_found += assay_array_int64 (recall)[3 * s + 1];
    }
    cr_assert ((n_found == 102 * (gint64) cases[0].n) == (i == 0), "%s", searches[i]);
    cr_assert (
        (memcmp (estimates->data, expected->data, assay_array_count (expected) * sizeof (float))
         == 0)
            == (i == 0),
        "%s", searches[i]);
  }
}

/* Lists that cannot be are found when a scenario is loaded, or where rows are not known then. */
Test (attacks, lists_that_cannot_be)
{
  static const struct {
    const char *assignments;
    gsize rows;
    const char *message; /* NULL: it can */
  } cases_of[] = {
    { "search=exact lists=5000 probes=6000", 700, NULL },
    { "search=approximate", 700, NULL },
    { "search=approximate lists=700 probes=700", 700, NULL },
    { "search=approximate lists=701 probes=1", 700,
      "lists = 701: expected at most 700, the number of rows that they are made of" },
    { "search=approximate lists=40 probes=41", 700,
      "probes = 41: expected 1 to 40, the number of lists that 700 rows are in" },
    { "search=approximate probes=44", 700,
      "probes = 44: expected 1 to 43, the number of lists that 700 rows are in" },
    { "search=approximate lists=701", 0, NULL },
    { "search=approximate probes=1025", 10000000,
      "probes = 1025: expected at most 1024, or of how many: lists = N" },
    { "search=approximate probes=1025 lists=2000", 10000000, NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases_of); i++) {
    g_autoptr (AssaySettings) settings
        = fixture_settings (&assay_attack_database.plugin, cases_of[i].assignments);
    const AssayShape shape
        = { .n_secrets = 10, .dimension = 4, .cols = 24, .n_database = cases_of[i].rows };
    g_autoptr (GError) error = NULL;

    cr_assert (assay_attack_database.check (settings->values, &shape, &error)
                   == (cases_of[i].message == NULL),
               "%s", cases_of[i].assignments);
    cr_assert_str_eq (error != NULL ? error->message : "",
                      cases_of[i].message != NULL ? cases_of[i].message : "");
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
                                             "adversarial=none",
                                             "adversarial=half",
                                             "adversarial=all",
                                             "averaged=100",
                                             "search=approximate",
                                             "search=approximate averaged=100",
                                             "search=approximate lists=2000 probes=100",
                                             "search=approximate probes=200" };

  for (gsize i = 0; i < G_N_ELEMENTS (assignments); i++)
    for (guint64 seed = 0; seed < 10; seed++) {
      g_autoptr (AssaySettings) settings
          = fixture_settings (&assay_attack_database.plugin, assignments[i]);
      AssayControlOutcome outcome;

      cr_assert (assay_control_run (&assay_attack_database, settings, seed, &outcome, NULL)
                     && outcome.is_won,
                 "%s, seed %d: recovered %g", assignments[i], (int) seed, outcome.share);
    }
}

Test (attacks, verbatim_is_what_was_released)
{
  for (gsize c = 0; c < 2; c++) {
    const Case problem = { c == 0 ? NULL : "dimension=2", FALSE, 20, 50, 8 };
    g_auto (Scene) scene = { 0 };
    g_autoptr (AssayGuess) guess = NULL;
    const AssayArray *estimates;

    make_scene (&problem, &scene);
    guess = attack (&assay_attack_verbatim, "", &scene);
    estimates = assay_arrays_get (&guess->arrays, "estimates");
    cr_assert (memcmp (estimates->data, scene.subspaces.translation, 20 * 8 * sizeof (float)) == 0);
  }
}

/* ---- What an attack gets to see ---- */

static AssayObservation recorded;
static gboolean recorded_settings; /* whether how the release was made could be read */
static float recorded_first;       /* of the release's first array */
static gsize spy_rows;
static float spy_value;

static gboolean
spy_attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
            GError **error)
{
  AssayMatrix *estimates = assay_matrix_new (spy_rows, 8, error);

  (void) context;
  recorded = *seen;
  recorded_settings = !g_str_equal (seen->release->settings, "{}");
  recorded_first = assay_release_subspaces (seen->release).translation[0];
  estimates->data[0] = spy_value;
  assay_arrays_take (&ret_guess->arrays, "estimates", assay_array_take_matrix (estimates));
  return TRUE;
}

static const AssayAttack spy = { .id = "spy",
                                 .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES,
                                 .game = ASSAY_GAME_RECONSTRUCT,
                                 .attack = spy_attack };

static gboolean
run (const AssayAttack *plugin, const Scene *scene, guint grants, const AssayKnowledge *knowledge,
     const gint64 *groups, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&plugin->plugin, "");
  g_autoptr (AssayGuess) guess = NULL;
  const AssayGranted granted = { .grants = grants, .knowledge = knowledge, .groups = groups };

  return assay_step_attack (plugin, settings, key, scene->release, &granted, &guess, error);
}

Test (attacks, what_is_not_granted_is_not_there)
{
  const Case problem = { "dimension=2", FALSE, 4, 20, 8 };
  static const gint64 groups[] = { 1, 1, 2, 2 };
  g_autoptr (AssayRows) public_rows = fixture_normal_rows (5, 8, 3);
  g_auto (Scene) scene = { 0 };
  AssayKnowledge knowledge;

  make_scene (&problem, &scene);
  knowledge = (AssayKnowledge){ .database = scene.rows, .public_rows = public_rows };
  spy_rows = 4;
  for (guint grants = 0; grants < 16; grants++) {
    cr_assert (run (&spy, &scene, grants, &knowledge, groups, NULL), "%u", grants);
    cr_assert (!recorded_settings, "%u", grants);
    cr_assert (recorded_first == scene.subspaces.translation[0], "%u", grants);
    cr_assert (recorded.database == (grants & ASSAY_GRANT_DATABASE ? scene.rows : NULL), "%u",
               grants);
    cr_assert (recorded.public_rows == (grants & ASSAY_GRANT_PUBLIC ? public_rows : NULL), "%u",
               grants);
    cr_assert (recorded.groups == (grants & ASSAY_GRANT_GROUPS ? groups : NULL), "%u", grants);
    cr_assert (recorded.other_releases
                   == (grants & ASSAY_GRANT_OTHER_RELEASES ? recorded.release : NULL),
               "%u", grants);
  }
}

#define check_error(call, code, message)                                                           \
  do {                                                                                             \
    GError *error = NULL;                                                                          \
    g_autofree char *why = NULL;                                                                   \
                                                                                                   \
    cr_assert (!(call), "%s", message);                                                            \
    cr_assert (fixture_error_is (&error, code, message, NULL, &why), "%s", why);                   \
  } while (0)

Test (attacks, errors)
{
  const Case problem = { "dimension=2", FALSE, 4, 20, 8 }, plain = { NULL, FALSE, 4, 20, 8 };
  g_autoptr (AssayRows) narrow = fixture_normal_rows (5, 7, 3);
  g_autoptr (AssayRows) single = fixture_normal_rows (1, 8, 3);
  const AssayKnowledge nothing = { 0 }, of_seven = { narrow, narrow };
  const AssayKnowledge of_one = { .database = single };
  g_auto (Scene) scene = { 0 };
  g_auto (Scene) vectors = { 0 };
  AssayKnowledge all;

  make_scene (&problem, &scene);
  make_scene (&plain, &vectors);
  all = (AssayKnowledge){ scene.rows, scene.rows };
  check_error (run (&assay_attack_database, &vectors, G_MAXUINT, &all, NULL, &error),
               ASSAY_ERROR_MISMATCH,
               "attack 'database' reads subspaces, but the release of 'none' holds vectors");
  check_error (run (&assay_attack_database, &scene, ASSAY_GRANT_PUBLIC, &all, NULL, &error),
               ASSAY_ERROR_MISMATCH, "attack 'database' needs 'database', which was not granted");
  check_error (run (&assay_attack_nearest, &scene, ASSAY_GRANT_PUBLIC, &nothing, NULL, &error),
               ASSAY_ERROR_MISMATCH, "attack 'nearest' needs 'public', which was not granted");
  check_error (run (&assay_attack_database, &scene, ASSAY_GRANT_DATABASE, &of_seven, NULL, &error),
               ASSAY_ERROR_MISMATCH, "the database has 7 columns, but the release has 8");
  check_error (run (&assay_attack_nearest, &scene, ASSAY_GRANT_PUBLIC, &of_seven, NULL, &error),
               ASSAY_ERROR_MISMATCH, "the public set has 7 columns, but the release has 8");
  check_error (run (&assay_attack_database, &scene, ASSAY_GRANT_DATABASE, &of_one, NULL, &error),
               ASSAY_ERROR_MISMATCH,
               "attack database: the database has 1 rows, expected more than the 1 adversarial "
               "ones of a subspace");
  spy_rows = 3;
  check_error (run (&spy, &scene, 0, &nothing, NULL, &error), ASSAY_ERROR_MISMATCH,
               "attack spy: expected an estimate for each of 4 secrets");
  spy_rows = 4;
  spy_value = NAN;
  check_error (run (&spy, &scene, 0, &nothing, NULL, &error), ASSAY_ERROR_NUMERIC,
               "attack spy: guess: estimates: row 0, column 0 is not a finite number");
}
