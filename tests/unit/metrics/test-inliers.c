/* What inliers tell, on photographs that are made here: three of as many keypoints, each with a
 * view of which it is known which keypoints it shows. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/parallel.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/view-case.h"

extern const AssayUtility assay_utility_inliers;

enum { AUC, FIRST, OWN, OTHER, EXPLAINED, REVEALED, RIGHT };

enum { PHOTOS = 3, EACH = 60, N = PHOTOS * EACH, D = 16 };

static const double tilted[9] = { 0.9, 0.05, 20, -0.04, 0.95, 10, 1e-4, -5e-5, 1 };

/* The view of photograph g shows the first @n_shown keypoints of photograph (g + @turn) mod 3,
 * their descriptors @factor times as long; its other rows are of nothing. */
static ViewCase
photographs (gsize n_shown, gsize turn, float factor)
{
  g_auto (ViewKeypoints) points = view_keypoints (N, D, 11);
  g_autoptr (AssayMatrix) shown = fixture_normal (N, D, 12);
  g_auto (ViewKeypoints) elsewhere = view_keypoints (N, D, 13);
  g_autofree float *projected = g_memdup2 (points.frames, 4 * N * sizeof (float));
  double homographies[PHOTOS][9];
  ViewCase made;

  view_project_frames (tilted, N, points.frames, projected);
  for (gsize g = 0; g < PHOTOS; g++) {
    memcpy (homographies[g], tilted, sizeof tilted);
    for (gsize i = 0; i < EACH; i++) {
      const gsize own = g * EACH + i, seen = (g + turn) % PHOTOS * EACH + i;

      points.groups[own] = (gint64) g;
      if (i >= n_shown)
        continue;
      memcpy (elsewhere.frames + 4 * own, projected + 4 * seen, 4 * sizeof (float));
      for (gsize j = 0; j < D; j++)
        shown->data[own * D + j] = factor * points.rows->data[seen * D + j];
    }
  }
  made = view_case_of (homographies, PHOTOS, points.side,
                       (ViewSide){ N, shown, elsewhere.frames, points.groups });
  assay_arrays_take (&made.truth->arrays, "secrets", view_floats (N, D, points.rows->data));
  return made;
}

static AssayOutcomes
outcomes_of (const ViewCase *of, const char *assignments)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_utility_inliers.plugin, assignments);
  const AssayUtilityContext context = { .settings = settings->values,
                                        .dataset = &of->dataset,
                                        .stream = assay_stream_key (7, 0, "metric", "") };
  AssayOutcomes outcomes = { 0 };
  GError *error = NULL;

  cr_assert (assay_utility_inliers.assess (&context, &(AssayReceived){ of->release, of->truth },
                                           &outcomes, &error),
             "%s", error ? error->message : "");
  cr_assert_eq (outcomes.n, PHOTOS);
  return outcomes;
}

static void
check_all (const AssayOutcomes *outcomes, guint series, double expected, const char *what)
{
  for (gsize i = 0; i < PHOTOS; i++)
    assert_near (outcomes->series[series][i], expected, 1e-12, "%s of photograph %zu", what, i);
}

/* Whatever is shown by the view is an inlier, and given back by it. Of another scene four matches
 * agree always, and more by chance: of 60 at random places of 400 x 300 pixels, each within 3
 * pixels with probability 2e-4, hardly any. */
Test (inliers, of_the_own_view)
{
  g_auto (ViewCase) of = photographs (EACH, 0, 1);
  AssayOutcomes outcomes = outcomes_of (&of, "");

  check_all (&outcomes, AUC, 1, "AUC");
  check_all (&outcomes, FIRST, 1, "first");
  check_all (&outcomes, OWN, EACH, "inliers");
  check_all (&outcomes, EXPLAINED, 1, "explained");
  check_all (&outcomes, REVEALED, 1, "revealed");
  check_all (&outcomes, RIGHT, 1, "right");
  for (gsize i = 0; i < PHOTOS; i++)
    cr_assert (outcomes.series[OTHER][i] >= 4 && outcomes.series[OTHER][i] < 12, "%g",
               outcomes.series[OTHER][i]);
  assay_outcomes_clear (&outcomes);
}

/* The foreground is not in the view: a third of the keypoints stays hidden. A wrong match of it
 * agrees by chance with probability 2e-4. */
Test (inliers, of_a_view_that_shows_the_background_alone)
{
  g_auto (ViewCase) of = photographs (40, 0, 1);
  AssayOutcomes outcomes = outcomes_of (&of, "");

  check_all (&outcomes, FIRST, 1, "first");
  check_all (&outcomes, EXPLAINED, 40.0 / EACH, "explained");
  check_all (&outcomes, REVEALED, 40.0 / EACH, "revealed");
  assay_outcomes_clear (&outcomes);
}

/* The views are of the next photograph: "own" is one of the wrong scenes, and of the two others one
 * is right. With one other view at a time, chosen at random, the rest is a coin. */
Test (inliers, of_views_of_other_scenes)
{
  g_auto (ViewCase) of = photographs (EACH, 1, 1);
  AssayOutcomes outcomes = outcomes_of (&of, "");

  check_all (&outcomes, FIRST, 0, "first");
  for (gsize i = 0; i < PHOTOS; i++)
    cr_assert (outcomes.series[AUC][i] <= 0.5 && outcomes.series[OWN][i] < 12
                   && outcomes.series[OTHER][i] >= (EACH + 4) / 2,
               "photograph %zu", i);
  check_all (&outcomes, REVEALED, 0, "revealed");
  check_all (&outcomes, RIGHT, 0, "right");
  assay_outcomes_clear (&outcomes);
}

/* ||1.2 d - d|| = 0.2 ||d||. */
Test (inliers, give_back_what_is_within_tau)
{
  static const struct {
    const char *settings;
    double revealed;
  } cases[] = { { "tau=0.21", 1 }, { "tau=0.19", 0 } };
  g_auto (ViewCase) of = photographs (EACH, 0, 1.2f);

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    AssayOutcomes outcomes = outcomes_of (&of, cases[c].settings);

    check_all (&outcomes, EXPLAINED, 1, "explained");
    check_all (&outcomes, REVEALED, cases[c].revealed, cases[c].settings);
    check_all (&outcomes, RIGHT, cases[c].revealed, cases[c].settings);
    assay_outcomes_clear (&outcomes);
  }
}

/* Sets of two words, one of which is the keypoint's own row. */
Test (inliers, of_words)
{
  g_auto (ViewCase) of = photographs (EACH, 0, 1);
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_VECTOR_SETS, "test");
  gint64 sets[2 * N];
  AssayOutcomes outcomes;

  for (gsize i = 0; i < N; i++) {
    sets[2 * i + i % 2] = (gint64) i;
    sets[2 * i + 1 - i % 2] = (gint64) ((i + 7) % N);
  }
  assay_arrays_take (
      &release->arrays, "sets",
      assay_array_take (ASSAY_INT64, 2, (const gsize[]){ N, 2 }, g_memdup2 (sets, sizeof sets)));
  assay_arrays_take (&release->arrays, "dictionary",
                     assay_array_copy (assay_arrays_get (&of.truth->arrays, "secrets")));
  assay_release_free (of.release);
  of.release = release;
  for (gsize c = 0; c < 2; c++) {
    outcomes = outcomes_of (&of, c == 0 ? "mode=vocabulary" : "mode=point");
    check_all (&outcomes, FIRST, 1, "first");
    check_all (&outcomes, EXPLAINED, 1, "explained");
    check_all (&outcomes, REVEALED, 1, "revealed");
    assay_outcomes_clear (&outcomes);
  }
}

Test (inliers, threads_change_nothing)
{
  g_auto (ViewCase) of = photographs (20, 0, 1.1f);
  AssayOutcomes one, three;

  assay_parallel_set_threads (1);
  one = outcomes_of (&of, "others=1");
  assay_parallel_set_threads (3);
  three = outcomes_of (&of, "others=1");
  for (guint s = 0; s < assay_utility_inliers.n_series; s++)
    cr_assert_arr_eq (one.series[s], three.series[s], PHOTOS * sizeof (double));
  assay_outcomes_clear (&one);
  assay_outcomes_clear (&three);
}

static void
check_error (const ViewCase *of, const char *assignments, const char *message)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_utility_inliers.plugin, assignments);
  const AssayUtilityContext context = { .settings = settings->values, .dataset = &of->dataset };
  AssayOutcomes outcomes = { 0 };
  GError *error = NULL;
  g_autofree char *why = NULL;

  cr_assert (!assay_utility_inliers.assess (&context, &(AssayReceived){ of->release, of->truth },
                                            &outcomes, &error),
             "%s", message);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, message, NULL, &why), "%s", why);
  assay_outcomes_clear (&outcomes);
}

Test (inliers, errors)
{
  static const gint64 of_one[N] = { 0 };
  g_auto (ViewCase) of = photographs (EACH, 0, 1);

  check_error (&of, "mode=vocabulary",
               "mode = vocabulary: a release of vectors has no words; expected vector-sets, or "
               "mode = point");
  assay_arrays_take (&of.truth->arrays, "groups", view_numbers (N, of_one));
  check_error (&of, "",
               "secrets of one photograph: there is no view of another scene to compare with; "
               "expected those of two photographs or more");
}

/* What a server learns is no use: each measure says that it leaks. */
Test (inliers, measures_are_leaks)
{
  const AssayMeasuring *inliers = assay_measuring_of (&assay_utility_inliers.plugin);
  gsize n = 0;

  for (const AssayMeasure *measure = inliers->measures; measure->name != NULL; measure++, n++)
    cr_assert_str_eq (assay_measure_direction (inliers, measure),
                      g_str_equal (measure->name, "inliers-other") ? "lower leaks more"
                                                                   : "higher leaks more",
                      "%s", measure->name);
  cr_assert_eq (n, 7);
}
