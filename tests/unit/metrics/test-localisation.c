/* Localisation on maps that are made here: keypoints of photographs at which points are seen by a
 * known camera, with descriptors that say which is which. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/parallel.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/view-case.h"
#include "tests/unit/seeds.h"

extern const AssayUtility assay_utility_localisation;

enum { FINE, MEDIUM, COARSE, METRES, DEGREES, MATCHES, PRECISION, INLIERS };

enum { PHOTOS = 2, EACH = 80, N = PHOTOS * EACH, D = 16 };

/* Both cameras have a focal length of 300 pixels; the first stands at the origin, the second 1 m to
 * the right of it and 2 m back, and is turned by 90 degrees about its own axis. */
static const double cameras[PHOTOS][15]
    = { { 300, 200, 150, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 },
        { 300, 200, 150, 0, -1, 0, 1, 0, 0, 0, 0, 1, 0, -1, 2 } };

/* Of each photograph the first @n_right rows of the map have the descriptors of keypoints that are
 * seen there, the others those of keypoints elsewhere. */
static ViewCase
photographs (gsize n_right)
{
  g_auto (ViewKeypoints) points = view_keypoints (N, D, 21);
  AssayStream stream = assay_stream (assay_stream_key (6, 0, "depths", ""), 0);
  float space[3 * N];
  double homographies[PHOTOS][9];
  ViewCase made;

  for (gsize i = 0; i < N; i++) {
    const gsize photo = i / EACH;
    const double *camera = cameras[photo], *r = camera + 3, *t = camera + 12;
    const double depth = assay_stream_between (&stream, 4, 12);
    const float *frame
        = points.frames + 4 * (i % EACH < n_right ? i : photo * EACH + (i * 7 + 3) % EACH);
    const double p[3] = { (frame[0] - camera[1]) / camera[0] * depth - t[0],
                          (frame[1] - camera[2]) / camera[0] * depth - t[1], depth - t[2] };

    points.groups[i] = (gint64) photo;
    for (gsize c = 0; c < 3; c++)
      space[3 * i + c] = (float) (r[c] * p[0] + r[3 + c] * p[1] + r[6 + c] * p[2]);
  }
  memset (homographies, 0, sizeof homographies);
  made = view_case_of (homographies, PHOTOS, points.side, points.side);
  g_clear_pointer (&made.dataset.homographies, assay_array_free);
  g_clear_pointer (&made.dataset.test_data.frames, assay_array_free);
  g_clear_pointer (&made.dataset.test_data.photos, g_ptr_array_unref);
  made.dataset.test_data.points = view_floats (N, 3, space);
  made.dataset.cameras = assay_array_take (ASSAY_FLOAT64, 2, (const gsize[]){ PHOTOS, 15 },
                                           g_memdup2 (cameras, sizeof cameras));
  return made;
}

static gboolean
assess (const ViewCase *of, const char *assignments, AssayOutcomes *ret_outcomes, GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_utility_localisation.plugin, assignments);
  const AssayUtilityContext context = { .settings = settings->values,
                                        .dataset = &of->dataset,
                                        .stream = assay_stream_key (7, 0, "metric", "") };

  return assay_utility_localisation.assess (&context, &(AssayReceived){ of->release, of->truth },
                                            ret_outcomes, error);
}

static AssayOutcomes
outcomes_of (const ViewCase *of, const char *assignments)
{
  AssayOutcomes outcomes = { 0 };
  GError *error = NULL;

  cr_assert (assess (of, assignments, &outcomes, &error), "%s", error ? error->message : "");
  cr_assert_eq (outcomes.n, PHOTOS);
  return outcomes;
}

/* Exact matches, of which some or half are wrong. A wrong one that is within 3 pixels by chance
 * counts as right, and moves the camera by up to 3 pixels in 300 at 4 m over their number. */
Test (localisation, of_right_matches)
{
  static const gsize right[] = { EACH, 3 * EACH / 4, EACH / 2 };

  for (gsize c = 0; c < G_N_ELEMENTS (right); c++) {
    g_auto (ViewCase) of = photographs (right[c]);
    AssayOutcomes outcomes = outcomes_of (&of, "");

    for (gsize i = 0; i < PHOTOS; i++) {
      assert_near (outcomes.series[MATCHES][i], EACH, 0, "matches");
      for (guint s = FINE; s <= COARSE; s++)
        assert_near (outcomes.series[s][i], 1, 0, "case %zu: within", c);
      assert_near (outcomes.series[METRES][i], 0, 0.02, "case %zu: metres", c);
      assert_near (outcomes.series[DEGREES][i], 0, 0.1, "case %zu: degrees", c);
      assert_near (outcomes.series[PRECISION][i], (double) right[c] / EACH, 2.0 / EACH, "right");
      assert_near (outcomes.series[INLIERS][i], outcomes.series[PRECISION][i], 1e-12, "inliers");
    }
    assay_outcomes_clear (&outcomes);
  }
}

/* The map has moved since, or the camera was not where the truth has it: 0.3 m and 0.6 m away, 4
 * and 8 degrees turned, by hand in the order of the thresholds. */
Test (localisation, thresholds)
{
  static const struct {
    double metres, degrees, expected[3];
  } cases[] = { { 0.2, 1.5, { 1, 1, 1 } }, { 0.3, 1.5, { 0, 1, 1 } }, { 0.2, 4, { 0, 1, 1 } },
                { 0.6, 1, { 0, 0, 1 } },   { 0.1, 8, { 0, 0, 1 } },   { 4.9, 9.9, { 0, 0, 1 } },
                { 5.1, 1, { 0, 0, 0 } },   { 0, 10.1, { 0, 0, 0 } } };
  g_auto (ViewCase) of = photographs (EACH);

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const double angle = cases[c].degrees * G_PI / 180, turned = sin (angle);
    double *camera = (double *) of.dataset.cameras->data;
    const double changed[12] = { cos (angle), 0,
                                 turned,      0,
                                 1,           0,
                                 -turned,     0,
                                 cos (angle), -cos (angle) * cases[c].metres,
                                 0,           turned * cases[c].metres };
    AssayOutcomes outcomes;

    memcpy (camera + 3, changed, sizeof changed);
    outcomes = outcomes_of (&of, "");
    assert_near (outcomes.series[METRES][0], cases[c].metres, 1e-3, "case %zu", c);
    assert_near (outcomes.series[DEGREES][0], cases[c].degrees, 1e-2, "case %zu", c);
    for (gsize k = 0; k < 3; k++)
      assert_near (outcomes.series[FINE + k][0], cases[c].expected[k], 0, "case %zu: %zu", c, k);
    assay_outcomes_clear (&outcomes);
  }
}

Test (localisation, of_wrong_matches)
{
  g_auto (ViewCase) of = photographs (0);
  AssayOutcomes outcomes = outcomes_of (&of, "");

  for (gsize i = 0; i < PHOTOS; i++) {
    assert_near (outcomes.series[COARSE][i], 0, 0, "not found");
    assert_near (outcomes.series[METRES][i], 100, 0, "metres");
    assert_near (outcomes.series[DEGREES][i], 180, 0, "degrees");
    cr_assert (outcomes.series[PRECISION][i] <= 3.0 / EACH);
  }
  assay_outcomes_clear (&outcomes);
}

/* A half of the map of the first place is said to be of the second: with the map of a place alone
 * the first is seen by what is left, with that of all places each keypoint has its match again, and
 * those in the other place, 1,000 m off, are wrong. The map of all says what that of the place does
 * where nothing is moved. */
Test (localisation, map_of_all_places)
{
  g_auto (ViewCase) of = photographs (EACH);
  gint64 *places = (gint64 *) of.dataset.test_data.pictures->data;
  AssayOutcomes place = outcomes_of (&of, "map=place"), all = outcomes_of (&of, "map=all");

  for (guint s = FINE; s <= INLIERS; s++)
    assert_near (all.series[s][0], place.series[s][0], 1e-4, "series %u, nothing moved", s);
  assay_outcomes_clear (&place);
  assay_outcomes_clear (&all);
  for (gsize i = 0; i < EACH / 2; i++)
    places[i] = 1;
  place = outcomes_of (&of, "map=place");
  all = outcomes_of (&of, "map=all");
  cr_assert (place.series[MATCHES][0] >= 1 && place.series[MATCHES][0] <= EACH / 2);
  assert_near (all.series[MATCHES][0], EACH, 0, "matches");
  assert_near (all.series[PRECISION][0], 0.5, 1e-12, "right");
  assert_near (all.series[FINE][0], 1, 0, "within");
  assay_outcomes_clear (&place);
  assay_outcomes_clear (&all);
}

Test (localisation, threads_change_nothing)
{
  TEST_OF_RESULTS ();

  g_auto (ViewCase) of = photographs (20);
  AssayOutcomes one, three;

  assay_parallel_set_threads (1);
  one = outcomes_of (&of, "filter=none");
  assay_parallel_set_threads (3);
  three = outcomes_of (&of, "filter=none");
  for (guint s = 0; s < assay_utility_localisation.n_series; s++)
    cr_assert_arr_eq (one.series[s], three.series[s], PHOTOS * sizeof (double));
  assay_outcomes_clear (&one);
  assay_outcomes_clear (&three);
}

static void
check_error (const ViewCase *of, const char *assignments, const char *message)
{
  AssayOutcomes outcomes = { 0 };
  GError *error = NULL;
  g_autofree char *why = NULL;

  cr_assert (!assess (of, assignments, &outcomes, &error), "%s", message);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, message, NULL, &why), "%s", why);
  assay_outcomes_clear (&outcomes);
}

Test (localisation, errors)
{
  g_auto (ViewCase) of = photographs (EACH);

  check_error (&of, "mode=vocabulary",
               "mode = vocabulary: a release of vectors has no words; expected vector-sets, or "
               "mode = point");
  g_clear_pointer (&of.dataset.test_data.points, assay_array_free);
  check_error (&of, "", "points of the map's rows: found none, expected float32, 160 x 3");
  g_clear_pointer (&of.dataset.cameras, assay_array_free);
  check_error (&of, "", "there is no map to match with; expected a dataset with one");
}
