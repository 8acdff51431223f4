/* The utility of matching on pairs of pictures that are made here: keypoints of a photograph, the
 * same keypoints in a view of it, and descriptors that say which is which. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/parallel.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/view-case.h"
#include "tests/unit/seeds.h"

extern const AssayUtility assay_utility_matching;

enum { PRECISION, SCORE, WITHIN_1, WITHIN_3, WITHIN_5, WITHIN_10, CORNER_ERROR, MATCHES, INLIERS };

static gboolean
assess (const ViewCase *of, const char *assignments, AssayOutcomes *ret_outcomes, GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_utility_matching.plugin, assignments);
  const AssayUtilityContext context = { .settings = settings->values,
                                        .dataset = &of->dataset,
                                        .stream = assay_stream_key (7, 0, "metric", "") };
  const AssayReceived received = { of->release, of->truth };

  return assay_utility_matching.assess (&context, &received, ret_outcomes, error);
}

static AssayOutcomes
outcomes_of (const ViewCase *of, const char *assignments)
{
  AssayOutcomes outcomes = { 0 };
  GError *error = NULL;

  cr_assert (assess (of, assignments, &outcomes, &error), "%s", error ? error->message : "");
  for (guint s = 0; s < assay_utility_matching.n_series; s++)
    for (gsize i = 0; i < outcomes.n; i++)
      cr_assert (isfinite (outcomes.series[s][i]));
  return outcomes;
}

static void
check_error (const ViewCase *of, const char *assignments, gint code, const char *message)
{
  AssayOutcomes outcomes = { 0 };
  GError *error = NULL;
  g_autofree char *why = NULL;

  cr_assert (!assess (of, assignments, &outcomes, &error), "%s", message);
  cr_assert (fixture_error_is (&error, code, message, NULL, &why), "%s", why);
  assay_outcomes_clear (&outcomes);
}

/* ---- By hand ---- */

/* The view is 10 px to the right. Descriptors 0, 10, 20, 31, 40 were released; the last, at 391,
 * leaves the view, which ends at 399.5. Of the view: 1 at the right place of 0; 11 is 3.5 px beside
 * that of 10, 21 2.5 px beside that of 20; 41 is 2 px beside where 40 would be; 100 is elsewhere.
 * Nearest are 0-1, 10-11, 20-21, 31-41 (31-21 is as far, but 41 comes first) and 40-41, mutual all
 * but 31-41. Right within 3 px are 0, 20 and 40, of four visible keypoints 0 and 20. */
Test (matching, by_hand)
{
  static const double right_by_10[1][9] = { { 1, 0, 10, 0, 1, 0, 0, 0, 1 } };
  static const float values[] = { 0, 10, 20, 31, 40 };
  static const float frames[]
      = { 50, 50, 5, 0, 100, 60, 5, 0, 150, 200, 5, 0, 60, 250, 5, 0, 391, 100, 5, 0 };
  static const float others[] = { 41, 1, 21, 100, 11 };
  static const float other_frames[]
      = { 399, 100, 5, 0, 60, 50, 5, 0, 160, 202.5, 5, 0, 300, 290, 5, 0, 110, 63.5, 5, 0 };
  static const gint64 groups[5] = { 0 };
  AssayMatrix a = { 5, 1, (float *) values }, b = { 5, 1, (float *) others };
  g_auto (ViewCase) of = view_case_of (right_by_10, 1, (ViewSide){ 5, &a, frames, groups },
                              (ViewSide){ 5, &b, other_frames, groups });
  static const struct {
    const char *settings;
    double precision, score, matches;
  } cases[] = {
    { "filter=mutual-nearest", 3.0 / 4, 2.0 / 4, 4 }, { "filter=none", 3.0 / 5, 2.0 / 4, 5 },
    { "filter=both", 3.0 / 4, 2.0 / 4, 4 },           { "filter=ratio ratio=0.04", 0, 0, 0 },
    { "threshold=3.5", 4.0 / 4, 3.0 / 4, 4 },         { "threshold=2.4", 2.0 / 4, 1.0 / 4, 4 },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    AssayOutcomes outcomes = outcomes_of (&of, cases[c].settings);

    cr_assert_eq (outcomes.n, 1);
    assert_near (outcomes.series[PRECISION][0], cases[c].precision, 1e-15, "%s", cases[c].settings);
    assert_near (outcomes.series[SCORE][0], cases[c].score, 1e-15, "%s", cases[c].settings);
    assert_near (outcomes.series[MATCHES][0], cases[c].matches, 0, "%s", cases[c].settings);
    assay_outcomes_clear (&outcomes);
  }
}

/* ---- Kinds of release ---- */

static const double tilted[1][9] = { { 0.9, 0.05, 20, -0.04, 0.95, 10, 1e-4, -5e-5, 1 } };

/* The release of @of becomes subspaces of dimension @m in random directions through its vectors. */
static void
lift (ViewCase *of, gsize m, guint64 trial)
{
  const AssayView vectors = assay_array_view (assay_arrays_get (&of->release->arrays, "vectors"));
  const gsize n = vectors.rows, d = vectors.cols;
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_SUBSPACES, "test");
  g_autoptr (AssayMatrix) basis = fixture_normal (n * m, d, trial);

  /* Directions along axes of their own: orthonormal without any computation. */
  memset (basis->data, 0, n * m * d * sizeof (float));
  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (assay_stream_key (4, trial, "axes", ""), i);
    gsize axes[16];

    assay_stream_choose (&stream, d, m, axes);
    for (gsize j = 0; j < m; j++)
      basis->data[(i * m + j) * d + axes[j]] = 1;
  }
  assay_arrays_take (&release->arrays, "translation",
                     assay_array_copy (assay_arrays_get (&of->release->arrays, "vectors")));
  assay_arrays_take (&release->arrays, "basis",
                     assay_array_take (ASSAY_FLOAT32, 3, (const gsize[]){ n, m, d },
                                       g_memdup2 (basis->data, n * m * d * sizeof (float))));
  assay_release_free (of->release);
  of->release = release;
}

/* The release becomes sets of 2 of a dictionary that holds every vector and as many others; the set
 * of each has its own vector, first or second. */
static void
make_sets (ViewCase *of, guint64 trial)
{
  const AssayView vectors = assay_array_view (assay_arrays_get (&of->release->arrays, "vectors"));
  const gsize n = vectors.rows, d = vectors.cols;
  g_autoptr (AssayMatrix) entries = fixture_normal (2 * n, d, trial);
  g_autofree gint64 *sets = g_new (gint64, 2 * n);
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_VECTOR_SETS, "test");

  memcpy (entries->data, vectors.data, n * d * sizeof (float));
  for (gsize i = 0; i < n; i++) {
    sets[2 * i + i % 2] = (gint64) i;
    sets[2 * i + 1 - i % 2] = (gint64) (n + i);
  }
  assay_arrays_take (
      &release->arrays, "sets",
      assay_array_take (ASSAY_INT64, 2, (const gsize[]){ n, 2 }, g_steal_pointer (&sets)));
  assay_arrays_take (&release->arrays, "dictionary", view_floats (2 * n, d, entries->data));
  assay_release_free (of->release);
  of->release = release;
}

/* The view has the same descriptors where the homography puts them: every kind of release, matched
 * either way, has all matches right and the homography to what float32 frames leave of it. One set
 * by itself matches a second time, by its other member, so that a mutual filter is not certain to
 * leave right matches alone; the true one is at 0 and always there. */
Test (matching, the_same_descriptors_elsewhere)
{
  enum { N = 120, D = 24 };
  static const struct {
    gsize m;
    gboolean has_sets;
    const char *settings;
    double least_precision;
  } cases[] = {
    { 0, FALSE, "", 1 },
    { 0, FALSE, "filter=none", 1 },
    { 0, FALSE, "filter=both", 1 },
    { 2, FALSE, "", 1 },
    { 4, FALSE, "filter=ratio", 1 },
    { 2, FALSE, "mode=subspace lifting=random", 1 },
    { 3, FALSE, "mode=subspace lifting=adversarial", 1 },
    { 4, FALSE, "mode=subspace", 1 },
    { 0, TRUE, "sets=nearest", 1 },
    { 0, TRUE, "sets=nearest filter=both", 1 },
    { 0, TRUE, "", 1 },
    { 0, TRUE, "filter=none", 0.45 },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_auto (ViewKeypoints) points = view_keypoints (N, D, 1);
    g_autofree float *frames = g_memdup2 (points.frames, 4 * N * sizeof (float));
    g_auto (ViewCase) of = { 0 };
    AssayOutcomes outcomes;

    view_project_frames (tilted[0], N, points.frames, frames);
    of = view_case_of (tilted, 1, points.side, (ViewSide){ N, points.rows, frames, points.groups });
    of.dataset.database = fixture_normal_rows (500, D, 2);
    if (cases[c].m > 0)
      lift (&of, cases[c].m, 3);
    if (cases[c].has_sets)
      make_sets (&of, 4);
    outcomes = outcomes_of (&of, cases[c].settings);
    cr_assert (outcomes.series[PRECISION][0] >= cases[c].least_precision, "case %zu: precision %g",
               c, outcomes.series[PRECISION][0]);
    assert_near (outcomes.series[SCORE][0], 1, 0, "case %zu: score", c);
    assert_near (outcomes.series[WITHIN_1][0], 1, 0, "case %zu: within 1 px", c);
    assert_near (outcomes.series[CORNER_ERROR][0], 0, 1e-3, "case %zu: corner error", c);
    cr_assert (outcomes.series[MATCHES][0] >= N, "case %zu", c);
    cr_assert (outcomes.series[INLIERS][0] >= cases[c].least_precision, "case %zu", c);
    assay_outcomes_clear (&outcomes);
  }
}

/* Rows of the view belong to other keypoints than their descriptors say: a match is right if it
 * happens to lie within 3 px, with probability 9 pi / (400 x 300) or less (near the rim), or is one
 * of the fixed points of a random permutation, of which there is 1 on average. Of 400, 1.1 are
 * expected, and more than 11 of a Poisson variable of 1.1 have probability 3e-9. */
Test (matching, permuted_descriptors_match_by_chance)
{
  enum { N = 400, D = 16 };
  g_auto (ViewKeypoints) points = view_keypoints (N, D, 5);
  g_autoptr (AssayMatrix) permuted = assay_matrix_new (N, D, NULL);
  AssayStream stream = assay_stream (assay_stream_key (8, 0, "order", ""), 0);
  gsize order[N];
  g_auto (ViewCase) of = { 0 };
  AssayOutcomes outcomes;

  assay_stream_permutation (&stream, N, order);
  for (gsize i = 0; i < N; i++)
    memcpy (permuted->data + i * D, points.rows->data + order[i] * D, D * sizeof (float));
  of = view_case_of (view_identity, 1, points.side,
                     (ViewSide){ N, permuted, points.frames, points.groups });
  outcomes = outcomes_of (&of, "");
  assert_near (outcomes.series[MATCHES][0], N, 0, "matches");
  cr_assert (outcomes.series[PRECISION][0] * N <= 11, "%g", outcomes.series[PRECISION][0]);
  assert_near (outcomes.series[SCORE][0], outcomes.series[PRECISION][0], 1e-12, "all are visible");
  assert_near (outcomes.series[WITHIN_10][0], 0, 0, "no homography");
  assert_near (outcomes.series[CORNER_ERROR][0], 500, 1e-9, "the diagonal of 400 x 300");
  assert_near (outcomes.series[INLIERS][0], 0, 0, "inliers of none");
  assay_outcomes_clear (&outcomes);
}

/* Rows of the view are as many times longer as their number says; a release of unit vectors is
 * matched with unit vectors, and one that does not say so goes to the short ones. */
Test (matching, references_are_scaled_as_the_release)
{
  enum { N = 60, D = 12 };
  g_auto (ViewKeypoints) points = view_keypoints (N, D, 6);
  g_autoptr (AssayMatrix) longer = assay_matrix_copy (assay_matrix_view (points.rows), NULL);
  g_auto (ViewCase) of = { 0 };
  AssayOutcomes unit, raw;

  for (gsize i = 0; i < N; i++) {
    double length = 0;

    for (gsize j = 0; j < D; j++)
      length += (double) points.rows->data[i * D + j] * points.rows->data[i * D + j];
    for (gsize j = 0; j < D; j++) {
      points.rows->data[i * D + j] /= (float) sqrt (length);
      longer->data[i * D + j] = points.rows->data[i * D + j] * (float) (i + 2);
    }
  }
  of = view_case_of (view_identity, 1, points.side,
                     (ViewSide){ N, longer, points.frames, points.groups });
  of.release->is_unit_norm = TRUE;
  unit = outcomes_of (&of, "filter=none");
  of.release->is_unit_norm = FALSE;
  raw = outcomes_of (&of, "filter=none");
  assert_near (unit.series[PRECISION][0], 1, 0, "unit");
  cr_assert (raw.series[PRECISION][0] < 0.5, "%g", raw.series[PRECISION][0]);
  assay_outcomes_clear (&unit);
  assay_outcomes_clear (&raw);
}

/* ---- Units ---- */

/* Four photographs, of which the secrets of the cell are of three, in any order: one has a single
 * keypoint, one has a view without keypoints, one three keypoints. Too few for a homography. */
Test (matching, small_photographs)
{
  static const float values[] = { 5, 1, 7, 2, 3 };
  static const float frames[]
      = { 9, 9, 5, 0, 50, 50, 5, 0, 80, 90, 5, 0, 200, 50, 5, 0, 90, 150, 5, 0 };
  static const gint64 groups[] = { 1, 3, 0, 3, 3 };
  static const float others[] = { 1, 2, 3, 5, 4 };
  static const float other_frames[]
      = { 50, 50, 5, 0, 200, 50, 5, 0, 90, 150, 5, 0, 9, 9, 5, 0, 1, 1, 5, 0 };
  static const gint64 other_groups[] = { 3, 3, 3, 1, 2 };
  static const double expected[][3]
      = { [PRECISION] = { 0, 1, 1 }, [SCORE] = { 0, 1, 1 },   [WITHIN_10] = { 0, 0, 0 },
          [MATCHES] = { 0, 1, 3 },   [INLIERS] = { 0, 0, 0 }, [CORNER_ERROR] = { 500, 500, 500 } };
  double homographies[4][9];
  AssayMatrix a = { 5, 1, (float *) values }, b = { 5, 1, (float *) others };
  g_auto (ViewCase) of = { 0 };
  AssayOutcomes outcomes;

  for (gsize i = 0; i < 4; i++)
    memcpy (homographies[i], view_identity[0], sizeof homographies[i]);
  of = view_case_of (homographies, 4, (ViewSide){ 5, &a, frames, groups },
                (ViewSide){ 5, &b, other_frames, other_groups });
  outcomes = outcomes_of (&of, "");
  cr_assert_eq (outcomes.n, 3);
  for (guint s = 0; s < G_N_ELEMENTS (expected); s++)
    for (gsize i = 0; i < 3; i++)
      assert_near (outcomes.series[s][i], expected[s][i], 1e-9, "series %u of unit %zu", s, i);
  assay_outcomes_clear (&outcomes);
}

/* Three photographs of noisy keypoints, lifted: all outcomes, to the bit. */
Test (matching, threads_change_nothing)
{
  TEST_OF_RESULTS ();

  enum { N = 150, D = 16 };
  g_auto (ViewKeypoints) points = view_keypoints (N, D, 9);
  g_autoptr (AssayMatrix) noise = fixture_normal (N, D, 10);
  double homographies[3][9];
  g_auto (ViewCase) of = { 0 };
  AssayOutcomes outcomes[2];

  for (gsize i = 0; i < N; i++)
    points.groups[i] = (gint64) (i % 3);
  for (gsize i = 0; i < N * D; i++)
    noise->data[i] = points.rows->data[i] + noise->data[i] * 1.5f;
  for (gsize i = 0; i < 3; i++)
    memcpy (homographies[i], view_identity[0], sizeof homographies[i]);
  of = view_case_of (homographies, 3, points.side,
                     (ViewSide){ N, noise, points.frames, points.groups });
  lift (&of, 3, 11);
  for (guint run = 0; run < 2; run++) {
    assay_parallel_set_threads (run == 0 ? 1 : 4);
    outcomes[run] = outcomes_of (&of, "mode=subspace lifting=random");
  }
  cr_assert_eq (outcomes[0].n, 3);
  cr_assert (outcomes[0].series[PRECISION][0] < 1 && outcomes[0].series[PRECISION][0] > 0);
  for (guint s = 0; s < assay_utility_matching.n_series; s++)
    cr_assert (memcmp (outcomes[0].series[s], outcomes[1].series[s], 3 * sizeof (double)) == 0);
  assay_outcomes_clear (&outcomes[0]);
  assay_outcomes_clear (&outcomes[1]);
}

/* ---- What cannot be matched ---- */

Test (matching, what_does_not_fit)
{
  g_auto (ViewKeypoints) points = view_keypoints (3, 5, 12);
  g_auto (ViewCase) of = view_case_of (view_identity, 1, points.side, points.side);
  g_autofree gint64 *groups = g_memdup2 (points.groups, 3 * sizeof (gint64));
  AssayArray *kept;

  of.release->kind = ASSAY_RELEASE_STATISTICS;
  check_error (&of, "", ASSAY_ERROR_MISMATCH,
               "a release of statistics cannot be matched; expected vectors, subspaces or "
               "vector-sets");
  of.release->kind = ASSAY_RELEASE_VECTORS;
  groups[1] = 1;
  assay_arrays_take (&of.truth->arrays, "groups", view_numbers (3, groups));
  check_error (&of, "", ASSAY_ERROR_DATA, "secret 1 is of group 1, expected 0 to 0");
  assay_arrays_take (&of.truth->arrays, "groups", view_numbers (2, groups));
  check_error (&of, "", ASSAY_ERROR_MISMATCH,
               "groups of the secrets: found int64 2, expected int64, 3 x 1");
  assay_arrays_take (&of.truth->arrays, "groups", view_numbers (3, points.groups));
  assay_arrays_take (&of.truth->arrays, "frames", view_floats (3, 3, points.frames));
  check_error (&of, "", ASSAY_ERROR_MISMATCH,
               "frames of the secrets: found float32 3 x 3, expected float32, 3 x 4");
  assay_arrays_take (&of.truth->arrays, "frames", view_floats (3, 4, points.frames));
  g_ptr_array_set_size (of.dataset.test_data.photos, 0);
  check_error (&of, "", ASSAY_ERROR_MISMATCH,
               "the dataset has 0 views, expected one for each of its 1 groups");
  g_ptr_array_add (of.dataset.test_data.photos, assay_photo_new (1, 1, 1, NULL));
  lift (&of, 2, 13);
  check_error (&of, "mode=subspace", ASSAY_ERROR_MISMATCH,
               "photograph 0: lifting the descriptors of the other view takes 1 distinct database "
               "rows each, but the dataset has 0; expected as many, or lifting = random");
  kept = g_steal_pointer (&of.dataset.homographies);
  check_error (&of, "", ASSAY_ERROR_MISMATCH,
               "there is no other view to match with; expected a dataset with views");
  of.dataset.homographies = kept;
}

Test (matching, subspaces_that_always_meet_are_refused_early)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_utility_matching.plugin, "mode=subspace");
  const AssayShape fits = { .dimension = 4, .cols = 9 }, meets = { .dimension = 4, .cols = 8 };
  GError *error = NULL;
  g_autofree char *why = NULL;

  cr_assert (assay_utility_matching.check (settings->values, &fits, NULL));
  cr_assert (!assay_utility_matching.check (settings->values, &meets, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "mode = subspace: two subspaces of dimension 4 in 8 columns always "
                               "meet; expected a dimension under half of the columns, or mode = "
                               "point",
                               NULL, &why),
             "%s", why);
}
