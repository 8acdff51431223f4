/* The clustering attack: which subspaces meet, and what is made of it. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attacks/lifting/intersections.h"
#include "attacks/lifting/k-means.h"
#include "core/base/parallel.h"
#include "core/games/control.h"
#include "core/math/linalg.h"
#include "core/plugin/registry.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-clustering.h"
#include "tests/unit/assert-near.h"

extern const AssayDefense assay_defense_affine_lifting;
extern const AssayAttack assay_attack_clustering;
extern const AssayMetric assay_metric_intersections;

static const AssayStreamKey key = { { 5, 6 } };
static const double factor = 4; /* the default tolerance */

/* ---- Distances of two subspaces ---- */

typedef struct {
  gsize n, m, d;
  float *translation, *basis;
} Made;

static void
made_clear (Made *made)
{
  g_free (made->translation);
  g_free (made->basis);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Made, made_clear)

static AssaySubspaces
subspaces_of (const Made *made)
{
  return (AssaySubspaces){ .count = made->n,
                           .dimension = made->m,
                           .cols = made->d,
                           .translation = made->translation,
                           .basis = made->basis };
}

/* Random subspaces; each holds points 0 to @shared (with the last) of @points, so that it is
 * spanned by @shared differences and m - @shared random directions. No points: wherever they
 * come to lie. */
static Made
make_subspaces (gsize n, gsize m, gsize d, const AssayMatrix *points, gsize shared)
{
  Made made = { n, m, d, g_new0 (float, n *d), g_new0 (float, n *m *d + 1) };
  g_autofree double *span = g_new (double, m *d + 1);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, 1000 * m + i);
    float *t = made.translation + i * d;

    for (gsize r = 0; r < m; r++)
      for (gsize j = 0; j < d; j++)
        span[r * d + j] = r < shared ? (double) points->data[(r + 1) * d + j] - points->data[j]
                                     : assay_stream_normal (&stream);
    cr_assert (assay_linalg_orthonormalize (span, m, d, NULL));
    for (gsize j = 0; j < d; j++)
      t[j] = points != NULL ? points->data[j] : (float) assay_stream_normal (&stream);
    for (gsize r = 0; r < m; r++) {
      const double shift = assay_stream_between (&stream, -1, 1);

      for (gsize j = 0; j < d; j++) {
        t[j] += (float) (shift * span[r * d + j]);
        made.basis[(i * m + r) * d + j] = (float) span[r * d + j];
      }
    }
  }
  return made;
}

/* Of subspaces in general position: both computations in double, of numbers of order 10, with
 * sines between them that are far from 0. */
Test (clustering, distance_is_that_of_the_stacked_bases)
{
  static const gsize sizes[][2]
      = { { 0, 3 }, { 1, 3 }, { 1, 64 }, { 2, 5 }, { 3, 9 }, { 4, 128 }, { 8, 40 }, { 16, 128 } };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
    g_auto (Made) made = make_subspaces (6, sizes[s][0], sizes[s][1], NULL, 0);
    const AssaySubspaces subspaces = subspaces_of (&made);
    g_autoptr (Frames) frames = frames_new (&subspaces, NULL);

    cr_assert (frames != NULL);
    for (gsize a = 0; a < 6; a++)
      for (gsize b = 0; b < 6; b++) {
        const double found = frames_distance (frames, a, b, factor);

        assert_near (found, a == b ? 0 : naive_intersection_distance (&subspaces, a, b, 1e-5),
                     1e-11, "m %zu, d %zu: (%zu, %zu)", sizes[s][0], sizes[s][1], a, b);
        assert_near (frames_distance (frames, b, a, factor), found, 1e-11, "m %zu, d %zu",
                     sizes[s][0], sizes[s][1]);
      }
  }
}

/* With 1, 2 and 3 points in common the stack has rank 2m, 2m - 1 and 2m - 2, up to rounding. The
 * reference cuts singular values, which does not turn the shared direction the same way: either is
 * within the bound of 0. */
Test (clustering, shared_points_are_at_no_distance)
{
  for (gsize m = 2; m <= 16; m += 2)
    for (gsize shared = 0; shared <= 2; shared++) {
      g_autoptr (AssayMatrix) points = fixture_normal (3, 128, 7);
      g_auto (Made) made = make_subspaces (5, m, 128, points, shared);
      const AssaySubspaces subspaces = subspaces_of (&made);
      g_autoptr (Frames) frames = frames_new (&subspaces, NULL);

      for (gsize a = 0; a < 5; a++)
        for (gsize b = 0; b < a; b++) {
          const double bound = frames_rounding (frames, a, b, 14); /* sqrt (128) and a little */

          assert_near (frames_distance (frames, a, b, factor), 0, bound, "m %zu, shared %zu", m,
                       shared + 1);
          assert_near (naive_intersection_distance (&subspaces, a, b, 1e-5), 0, 2 * bound,
                       "reference, m %zu, shared %zu", m, shared + 1);
        }
    }
}

/* Axes of a space of 8. Two planes with the direction e0 in common and e5 between them: at 0.25
 * from each other, whatever rounding does to the e0 of one. A cut of rank at double precision takes
 * that rounding for a direction, along which the gap could be closed. */
Test (clustering, a_shared_direction_is_one)
{
  float basis[2 * 2 * 8] = { 0 }, translation[2 * 8] = { 0 };
  const AssaySubspaces subspaces
      = { .count = 2, .dimension = 2, .cols = 8, .translation = translation, .basis = basis };
  g_autoptr (Frames) frames = NULL;

  basis[0] = basis[8 + 1] = 1;
  basis[16] = basis[24 + 2] = 1;
  basis[16 + 5] = 1e-7f;
  translation[8 + 5] = 0.25f;
  translation[8] = 2; /* along the directions: of no consequence */
  translation[8 + 2] = 3;
  frames = frames_new (&subspaces, NULL);
  assert_near (frames_distance (frames, 0, 1, factor), 0.25, 1e-6, "with the cut");
  assert_near (frames_distance (frames, 0, 1, 0), 0, 1e-6, "without");
}

Test (clustering, subspaces_that_always_meet_are_refused)
{
  g_auto (Made) made = make_subspaces (2, 4, 8, NULL, 0);
  const AssaySubspaces subspaces = subspaces_of (&made);
  GError *error = NULL;
  g_autofree char *why = NULL;

  cr_assert (frames_new (&subspaces, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "subspaces of dimension 4 in 8 columns always meet each other; "
                               "expected a dimension under half of the columns",
                               NULL, &why),
             "%s", why);
}

/* ---- Releases of the defense ---- */

typedef struct {
  AssayMatrix *public_matrix; /* as the attack sees it */
  AssayRows *public_rows, *database;
  AssayRelease *release;
  AssayTruth *truth;
  AssaySubspaces subspaces;
} Scene;

static void
scene_clear (Scene *scene)
{
  g_clear_pointer (&scene->public_matrix, assay_matrix_free);
  g_clear_pointer (&scene->public_rows, assay_rows_unref);
  g_clear_pointer (&scene->database, assay_rows_unref);
  g_clear_pointer (&scene->release, assay_release_free);
  g_clear_pointer (&scene->truth, assay_truth_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_clear)

/* Points around 12 centres, of length @length or so, and non-negative as those of SIFT are. */
static AssayMatrix *
make_points (gsize rows, gsize d, double length, guint64 trial)
{
  AssayMatrix *points = fixture_normal (rows, d, trial);
  g_autoptr (AssayMatrix) centres = fixture_normal (12, d, 99);

  for (gsize i = 0; i < rows * d; i++)
    points->data[i]
        = (float) (length / sqrt ((double) d)
                   * fabs (0.3 * (double) points->data[i] + centres->data[i / d % 12 * d + i % d]));
  return points;
}

static void
make_scene (const char *lifting, gsize n, gsize n_database, gsize d, double length, Scene *scene)
{
  const AssayDefense *defense = &assay_defense_affine_lifting;
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, lifting);
  g_autoptr (AssayMatrix) secrets = make_points (n, d, length, 1);
  g_autoptr (AssayMatrix) database = make_points (n_database, d, length, 2);
  g_autoptr (GError) error = NULL;

  scene->public_matrix = make_points (400, d, length, 3);
  scene->public_rows = fixture_rows (scene->public_matrix);
  scene->database = fixture_rows (database);
  cr_assert (fixture_protect (defense, settings, key, assay_matrix_view (secrets),
                              scene->database, &scene->release, &scene->truth, &error),
             "%s", error != NULL ? error->message : "");
  assay_rows_read (scene->public_rows, 0, 400,
                   scene->release->is_unit_norm ? ASSAY_SCALE_UNIT : ASSAY_SCALE_NONE,
                   scene->public_matrix->data);
  scene->subspaces = assay_release_subspaces (scene->release);
}

/* How many adversarial descriptors the two have in common. */
static gsize
count_shared (const Scene *scene, gsize a, gsize b)
{
  const AssayArray *rows = assay_arrays_get (&scene->truth->arrays, "adversarial");
  const gsize count = rows->shape[1];
  const gint64 *drawn = assay_array_int64 (rows);
  gsize shared = 0;

  for (gsize i = 0; i < count; i++)
    for (gsize j = 0; j < count; j++)
      shared += drawn[a * count + i] == drawn[b * count + j];
  return shared;
}

/* From m = 2 to 16, at length 1 and at SIFT's own: what float32 leaves of 0 is within the bound by
 * itself, and what is not shared is a thousand times as far as the tolerance. */
Test (clustering, the_tolerance_separates_shared_from_unshared)
{
  for (guint scale = 0; scale < 2; scale++)
    for (gsize m = 2; m <= 16; m += 2) {
      const double length = scale == 0 ? 1 : 512;
      g_autofree char *lifting = g_strdup_printf ("variant=hybrid dimension=%zu normalize=%s", m,
                                                  scale == 0 ? "yes" : "no");
      g_auto (Scene) scene = { 0 };
      g_autoptr (Frames) frames = NULL;
      double most_shared = 0, least_other = INFINITY;
      gsize n_shared[3] = { 0 };

      make_scene (lifting, 100, 20 * m, 128, length, &scene);
      frames = frames_new (&scene.subspaces, NULL);
      for (gsize a = 0; a < 100; a++)
        for (gsize b = 0; b < a; b++) {
          const gsize shared = count_shared (&scene, a, b);
          const double ratio = frames_distance (frames, a, b, factor)
                               / frames_rounding (frames, a, b, 1.5 * length);

          n_shared[MIN (shared, 2)]++;
          if (shared > 0)
            most_shared = MAX (most_shared, ratio);
          else
            least_other = MIN (least_other, ratio);
        }
      printf ("length %g, m %zu: shared up to %.3f of the bound, unshared from %.0f; %zu, %zu and "
              "%zu pairs with 0, 1 and more\n",
              length, m, most_shared, least_other, n_shared[0], n_shared[1], n_shared[2]);
      cr_assert (n_shared[1] > 50 && (m < 8 || n_shared[2] > 5));
      cr_assert (most_shared <= 1, "length %g, m %zu: %g", length, m, most_shared);
      cr_assert (least_other >= 1000 * factor, "length %g, m %zu: %g", length, m, least_other);
    }
}

/* The search against the truth, over the borders of its blocks (53 and 181 subspaces at m = 2). */
Test (clustering, search_finds_those_that_share)
{
  static const struct {
    const char *lifting;
    gsize n, database, d;
  } cases[] = { { "variant=hybrid dimension=2", 200, 60, 32 },
                { "variant=sub-hybrid dimension=4 sub_databases=4", 120, 200, 24 },
                { "variant=adversarial dimension=3", 70, 90, 16 },
                { "variant=hybrid dimension=16", 60, 80, 128 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    for (gsize n_others = 1; n_others <= 4096; n_others *= 16) {
      g_auto (Scene) scene = { 0 };
      g_autoptr (Frames) frames = NULL;
      g_autoptr (GPtrArray) found = NULL;
      g_autofree double *lengths = g_new (double, cases[c].n);

      make_scene (cases[c].lifting, cases[c].n, cases[c].database, cases[c].d, 1, &scene);
      for (gsize i = 0; i < cases[c].n; i++)
        lengths[i] = 1;
      frames = frames_new (&scene.subspaces, NULL);
      found = frames_find_intersections (frames, n_others, lengths, factor, NULL);
      cr_assert (found->len == cases[c].n);
      for (gsize a = 0; a < cases[c].n; a++) {
        const GArray *others = found->pdata[a];
        gsize place = 0;

        for (gsize b = 0; b < MIN (n_others, cases[c].n); b++)
          if (a != b && count_shared (&scene, a, b) > 0) {
            cr_assert (place < others->len && g_array_index (others, gsize, place) == b,
                       "%s, %zu others: %zu meets %zu", cases[c].lifting, n_others, a, b);
            place++;
          }
        cr_assert (place == others->len, "%s, %zu others: %zu meets %u, not %zu", cases[c].lifting,
                   n_others, a, others->len, place);
      }
    }
}

/* ---- k-means ---- */

/* Nine rows at the corners of three triangles of side sqrt (6) (each row at 2 from its mean,
 * squared): the sum is 18, and rows of a triangle stand together. */
Test (clustering, k_means_finds_what_is_apart)
{
  float rows[9 * 3] = { 0 };
  gsize labels[9];
  AssayStream stream = assay_stream (key, 0);

  for (gsize i = 0; i < 9; i++) {
    rows[i * 3 + i % 3] = (float) sqrt (3.0);
    rows[i * 3] += 100.0f * (float) (i / 3);
  }
  assert_near (k_means (&(KMeans){ rows, 9, 3, 3, 50, 5 }, &stream, labels), 18, 1e-3, "sum");
  for (gsize i = 0; i < 9; i++)
    for (gsize j = 0; j < 9; j++)
      cr_assert ((labels[i] == labels[j]) == (i / 3 == j / 3), "%zu and %zu", i, j);
  assert_near (k_means (&(KMeans){ rows, 9, 3, 9, 50, 1 }, &stream, labels), 0, 0,
               "as many as rows");
  assert_near (k_means (&(KMeans){ rows, 9, 3, 1, 50, 1 }, &stream, labels), 18 + 6 * 1e4, 0.1,
               "one");
  memset (rows, 0, sizeof rows);
  assert_near (k_means (&(KMeans){ rows, 9, 3, 4, 50, 2 }, &stream, labels), 0, 0, "equal rows");
}

/* ---- The attack ---- */

static AssayGuess *
attack (const char *assignments, const AssayRelease *release, AssayRows *public_rows)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_clustering.plugin, assignments);
  const AssayKnowledge knowledge = { .public_rows = public_rows };
  g_autoptr (GError) error = NULL;
  AssayGuess *guess = NULL;

  cr_assert (assay_step_attack (&assay_attack_clustering, settings, key, release,
                                &(AssayGranted){ .grants = assay_attack_clustering.needs,
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
  { "variant=hybrid dimension=2", 20, 24, { 30, 2, 20, 3 } },
  { "variant=hybrid dimension=4", 30, 32, { 24, 3, 50, 1 } },
  { "variant=hybrid dimension=4", 1000000, 32, { 24, 3, 50, 2 } }, /* nothing in common */
  { "variant=hybrid dimension=8 normalize=no", 60, 40, { 40, 5, 20, 2 } },
  { "variant=adversarial dimension=3", 25, 16, { 20, 4, 20, 2 } },
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
        "neighbours=%zu clusters=%zu rounds=%zu starts=%zu", settings->neighbours,
        settings->clusters, settings->rounds, settings->starts);
    g_auto (Scene) scene = { 0 };
    g_autoptr (AssayGuess) guess = NULL;
    gsize n_clear = 0, n_meetings = 0;
    AssayView estimates;

    make_scene (attack_cases[c].lifting, n, is_alone ? 20000 : attack_cases[c].database, d, 1,
                &scene);
    guess = attack (assignments, scene.release, scene.public_rows);
    estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
    for (gsize i = 0; i < n; i++) {
      gsize meeting[40], n_meeting = 0;
      g_auto (NaiveGuess) naive = { 0 };

      for (gsize j = 0; j < n; j++)
        if (j != i && count_shared (&scene, i, j) > 0)
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
  g_auto (Scene) scene = { 0 };
  g_autoptr (AssayGuess) follow = NULL;
  g_autoptr (AssayGuess) set = NULL;
  const AssayArray *x, *y;

  make_scene ("dimension=6", 30, 40, 32, 1, &scene);
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
    g_auto (Scene) scene = { 0 };
    g_autoptr (AssayGuess) guess = NULL;
    const AssayArray *estimates;

    assay_parallel_set_threads (threads);
    make_scene ("dimension=4", 150, 80, 48, 1, &scene);
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
                                             "clusters=20 neighbours=200" };

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
  cr_assert (
      assay_step_measure (&assay_metric_intersections, settings, NULL, NULL, truth, guess,
                          &outcomes, NULL)
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
  g_auto (Scene) scene = { 0 };
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_attack_clustering.plugin, "");
  const AssayAttack *plugin = &assay_attack_clustering;
  AssayGuess *guess = NULL;
  AssayKnowledge knowledge;
  GError *error = NULL;
  g_autofree char *why = NULL;
  g_autofree char *why_settings = NULL;
  g_autoptr (AssaySettings) many = fixture_settings (&plugin->plugin, "clusters=5 neighbours=4");

  make_scene ("dimension=4", 10, 40, 24, 1, &scene);
  knowledge = (AssayKnowledge){ .public_rows = scene.public_rows };
  cr_assert (!assay_step_attack (
      plugin, settings, key, scene.release,
      &(AssayGranted){ .grants = ASSAY_GRANT_PUBLIC, .knowledge = &knowledge }, &guess, &error));
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
