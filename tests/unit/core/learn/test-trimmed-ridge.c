/* Ridge regression of the rows that go together: which rows it leaves out, and what it learns. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "core/learn/learner.h"
#include "core/learn/trimmed-ridge.h"
#include "tests/reference/fixtures.h"

enum { N = 600, COLS = 6, NEW = 100 };

static AssayStreamKey
key_of (guint64 seed)
{
  return assay_stream_key (seed, 0, "test", "");
}

/* y = x turned about, with noise of a tenth; the last NEW rows are not learned from. */
typedef struct {
  AssayMatrix *x, *y;
} Scene;

ASSAY_LOCAL_CLEAR (Scene, scene_clear, assay_matrix_free (self->x), assay_matrix_free (self->y))

static Scene
scene_of (void)
{
  Scene scene = { fixture_normal (N + NEW, COLS, 1), fixture_normal (N + NEW, COLS, 2) };

  for (gsize i = 0; i < N + NEW; i++)
    for (gsize j = 0; j < COLS; j++) {
      float *y = assay_matrix_row (scene.y, i) + j;

      *y = 0.1F * *y + assay_matrix_row (scene.x, i)[(j + 1) % COLS] * (j % 2 == 0 ? 1 : -1);
    }
  return scene;
}

/* Rows of every @nth are @times as far out. */
static void
stretch (AssayMatrix *rows, gsize nth, float times)
{
  for (gsize i = 0; i < N; i += nth)
    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (rows, i)[j] *= times;
}

static double
error_of (const AssayMatrix *predicted, const Scene *scene)
{
  double sum = 0;

  for (gsize i = 0; i < NEW * COLS; i++)
    sum += pow ((double) predicted->data[i] - (double) scene->y->data[N * COLS + i], 2);
  return sqrt (sum / (NEW * COLS));
}

static AssayView
learned (const AssayMatrix *rows)
{
  return assay_view_rows (assay_matrix_view (rows), 0, N);
}

static AssayView
others (const AssayMatrix *rows)
{
  return assay_view_rows (assay_matrix_view (rows), N, NEW);
}

/* Of rows that are as others are, all are kept, and it is ridge regression. */
Test (trimmed_ridge, keeps_what_is_near)
{
  g_auto (Scene) scene = scene_of ();
  g_autoptr (AssayTrimmedRidge) trimmed
      = assay_trimmed_ridge_new (learned (scene.x), learned (scene.y), FALSE, key_of (1), NULL);
  g_autoptr (AssayRidge) ridge
      = assay_ridge_new (learned (scene.x), learned (scene.y), key_of (1), NULL);
  g_autoptr (AssayMatrix) found = assay_trimmed_ridge_predict (trimmed, others (scene.x), NULL);
  g_autoptr (AssayMatrix) plain = assay_ridge_predict (ridge, others (scene.x), NULL);

  cr_assert_eq (trimmed->kept, N);
  cr_assert_float_eq (error_of (found, &scene), error_of (plain, &scene), 0.02);
}

/* One row in fifty is released farther out: from those least squares learn, and from the others
 * alone what is true of these. A row that is not much farther out than others betrays itself by how
 * far it is missed. */
Test (trimmed_ridge, leaves_out_rows_that_are_far_out)
{
  static const float times[] = { 6, 100, 1e6F };

  for (gsize t = 0; t < G_N_ELEMENTS (times); t++) {
    g_auto (Scene) scene = scene_of ();
    g_autoptr (AssayTrimmedRidge) trimmed = NULL;
    g_autoptr (AssayRidge) ridge = NULL;
    g_autoptr (AssayMatrix) found = NULL, plain = NULL;

    stretch (scene.x, 50, times[t]);
    trimmed
        = assay_trimmed_ridge_new (learned (scene.x), learned (scene.y), FALSE, key_of (1), NULL);
    ridge = assay_ridge_new (learned (scene.x), learned (scene.y), key_of (1), NULL);
    found = assay_trimmed_ridge_predict (trimmed, others (scene.x), NULL);
    plain = assay_ridge_predict (ridge, others (scene.x), NULL);
    cr_assert_eq (trimmed->kept, N - N / 50, "times %g: %zu kept", (double) times[t],
                  trimmed->kept);
    cr_assert_lt (error_of (found, &scene), 0.12, "times %g", (double) times[t]);
    cr_assert_gt (error_of (plain, &scene), 0.25, "times %g", (double) times[t]);
  }
}

/* A third of the rows is of something else: none is far out, and all are missed. */
Test (trimmed_ridge, leaves_out_rows_of_something_else)
{
  g_auto (Scene) scene = scene_of ();
  g_autoptr (AssayTrimmedRidge) trimmed = NULL;
  g_autoptr (AssayMatrix) found = NULL;

  stretch (scene.x, 3, -1);
  trimmed = assay_trimmed_ridge_new (learned (scene.x), learned (scene.y), FALSE, key_of (1), NULL);
  found = assay_trimmed_ridge_predict (trimmed, others (scene.x), NULL);
  cr_assert (trimmed->kept >= N * 2 / 3 - 5 && trimmed->kept <= N * 2 / 3 + 10, "%zu",
             trimmed->kept);
  cr_assert_lt (error_of (found, &scene), 0.13);
}

/* Fewer than four rows for each input: errors of rows that were not learned from tell little, and
 * distances alone decide. */
Test (trimmed_ridge, of_few_rows_goes_by_distances)
{
  g_autoptr (AssayMatrix) x = fixture_normal (100, 40, 1);
  g_autoptr (AssayTrimmedRidge) trimmed = NULL;

  for (gsize j = 0; j < 40; j++)
    assay_matrix_row (x, 7)[j] *= 1000;
  trimmed = assay_trimmed_ridge_new (assay_matrix_view (x), assay_matrix_view (x), FALSE,
                                     key_of (1), NULL);
  cr_assert_eq (trimmed->kept, 99);
}

/* What is predicted of rows that are far out lies where outputs are. */
Test (trimmed_ridge, draws_predictions_back)
{
  g_auto (Scene) scene = scene_of ();
  g_autoptr (AssayTrimmedRidge) trimmed
      = assay_trimmed_ridge_new (learned (scene.x), learned (scene.y), FALSE, key_of (1), NULL);
  const float far[] = { 100, 1e10F, FLT_MAX };

  for (gsize f = 0; f < G_N_ELEMENTS (far); f++) {
    const float row[COLS] = { far[f], far[f], far[f] };
    g_autoptr (AssayMatrix) found = assay_trimmed_ridge_predict (
        trimmed, (AssayView){ .rows = 1, .cols = COLS, .stride = COLS, .data = row }, NULL);
    double distance = 0;

    for (gsize j = 0; j < COLS; j++)
      distance += pow ((double) found->data[j] - trimmed->mean[j], 2);
    cr_assert_leq (sqrt (distance), trimmed->radius * 1.0001, "%g: %g", (double) far[f],
                   sqrt (distance));
  }
  cr_assert (trimmed->radius > 3 && trimmed->radius < 6, "%g", trimmed->radius);
}

/* Held-out rows are far out as well, and the race is won all the same. */
Test (trimmed_ridge, wins_the_race_where_rows_are_far_out)
{
  g_auto (Scene) scene = scene_of ();
  const AssayExamples examples = { .inputs = learned (scene.x), .outputs = learned (scene.y) };
  g_autoptr (AssayLearner) learner = NULL;
  g_autoptr (AssayMatrix) found = NULL;
  g_autofree char *says = NULL;

  stretch (scene.x, 50, 1e6F);
  learner = assay_learner_new (ASSAY_LEARNER_BEST, &examples, key_of (1), NULL);
  cr_assert_eq (assay_learner_expects (learner)->kind, ASSAY_LEARNER_TRIMMED_RIDGE);
  says = assay_learner_describe (learner);
  cr_assert (g_str_has_prefix (says, "trimmed-ridge, from 600 pairs: expected relative error 0.1"),
             "%s", says);
  found = assay_learner_predict (learner, others (scene.x), NULL);
  cr_assert_lt (error_of (found, &scene), 0.12);
}

/* Each row is released at a length of its own, from a tenth to ten times that of the secret, so
 * that least squares, and what is nearest, go by the longest. */
Test (trimmed_ridge, directions_where_lengths_say_nothing)
{
  g_auto (Scene) scene = scene_of ();
  g_autoptr (AssayMatrix) plain = assay_matrix_copy (assay_matrix_view (scene.x), NULL);
  const AssayExamples examples = { .inputs = learned (scene.x), .outputs = learned (scene.y) };
  g_autoptr (AssayLearner) learner = NULL;
  AssayStream stream = assay_stream (key_of (3), 0);

  for (gsize i = 0; i < N + NEW; i++) {
    const double times = pow (10, 2 * assay_stream_uniform (&stream) - 1);

    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (scene.x, i)[j] *= (float) times;
  }
  cr_assert (assay_trimmed_ridge_has_lengths (learned (scene.x)));
  cr_assert_not (assay_trimmed_ridge_has_lengths (learned (plain)));
  learner = assay_learner_new (ASSAY_LEARNER_BEST, &examples, key_of (1), NULL);
  cr_assert_eq (assay_learner_expects (learner)->kind, ASSAY_LEARNER_DIRECTIONS);
  cr_assert_lt (assay_learner_expects (learner)->error, 0.35);
}
