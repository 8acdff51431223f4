/* Painted pictures: photographs painted from their own descriptors, and what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/plugin/plugin.h"
#include "datasets/generated/dead-leaves.h"
#include "datasets/photographs/sift.h"
#include "core/math/painting/paint.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/seeds.h"

extern const AssayMetric assay_metric_reconstruction;

enum { MAE, SSIM, PSNR };

/* ---- Photographs ---- */

typedef struct {
  AssayDataset dataset;
  AssayTruth *truth;
  AssayGuess *guess;
  gsize n;
} Scenes;

static AssayPhoto *
render (guint64 number)
{
  const AssayCamera camera = { .width = 160, .height = 120, .blur = 0.4, .noise = 2 };
  AssayStream stream = assay_stream (assay_stream_key (11, 0, "test", "reconstruction"), number);
  g_autoptr (AssayScene) scene = assay_scene_new (160, 120, &stream, NULL);

  return assay_scene_render (scene, NULL, &camera, &stream, NULL);
}

typedef struct {
  GArray *rows;   /* of float[128] */
  GArray *frames; /* of AssayPaintFrame */
  GArray *pictures;
} Features;

static void
describe (const AssayPhoto *photo, gint64 picture, Features *features)
{
  g_autoptr (AssaySift) sift = assay_sift_new (photo->width, photo->height, NULL);
  g_autoptr (AssayPhoto) grey = assay_photo_grey (photo, NULL);
  g_autoptr (GArray) keypoints = assay_sift_detect (sift, grey, NULL);

  for (guint i = 0; i < keypoints->len; i++) {
    const AssayKeypoint *k = &g_array_index (keypoints, AssayKeypoint, i);
    const AssayPaintFrame frame = { k->x, k->y, k->size, k->angle };
    guint8 bytes[ASSAY_SIFT_LENGTH];
    float row[ASSAY_SIFT_LENGTH];

    assay_sift_describe (sift, k, bytes);
    for (gsize j = 0; j < ASSAY_SIFT_LENGTH; j++)
      row[j] = bytes[j];
    g_array_append_vals (features->rows, row, 1);
    g_array_append_val (features->frames, frame);
    g_array_append_val (features->pictures, picture);
  }
}

static Features
features_new (void)
{
  return (Features){ g_array_new (FALSE, FALSE, ASSAY_SIFT_LENGTH * sizeof (float)),
                     g_array_new (FALSE, FALSE, sizeof (AssayPaintFrame)),
                     g_array_new (FALSE, FALSE, sizeof (gint64)) };
}

static AssayArray *
take (GArray *values, AssayType type, gsize cols)
{
  const gsize shape[] = { values->len, cols };

  return assay_array_take (type, cols > 0 ? 2 : 1, shape, g_array_free (values, FALSE));
}

/* @n private photographs, groups 0 .. n - 1, whose own descriptors are public if @is_oracle, beside
 * those of two others. The estimates are the secrets. */
static Scenes
make_scenes (gsize n, gboolean is_oracle)
{
  Features private = features_new (), public = features_new ();
  AssayArray *rows;
  Scenes scenes = { .truth = assay_truth_new (), .guess = assay_guess_new () };

  scenes.dataset.secret_data.photos
      = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_photo_free);
  scenes.dataset.public_data.photos
      = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_photo_free);
  for (gsize i = 0; i < n + 2; i++) {
    if (i < n) {
      g_ptr_array_add (scenes.dataset.secret_data.photos, render (i));
      describe (scenes.dataset.secret_data.photos->pdata[i], (gint64) i, &private);
    }
    g_ptr_array_add (scenes.dataset.public_data.photos, render (i));
    if (i >= n || is_oracle)
      describe (scenes.dataset.public_data.photos->pdata[i], (gint64) i, &public);
  }
  scenes.n = private.frames->len;
  rows = take (public.rows, ASSAY_FLOAT32, ASSAY_SIFT_LENGTH);
  scenes.dataset.public_rows = assay_rows_from_array (rows);
  assay_array_free (rows);
  scenes.dataset.public_data.frames = take (public.frames, ASSAY_FLOAT32, 4);
  scenes.dataset.public_data.pictures = take (public.pictures, ASSAY_INT64, 0);
  rows = take (private.rows, ASSAY_FLOAT32, ASSAY_SIFT_LENGTH);
  assay_arrays_take (&scenes.guess->arrays, "estimates", assay_array_copy (rows));
  assay_arrays_take (&scenes.truth->arrays, "secrets", rows);
  assay_arrays_take (&scenes.truth->arrays, "frames", take (private.frames, ASSAY_FLOAT32, 4));
  assay_arrays_take (&scenes.truth->arrays, "groups", take (private.pictures, ASSAY_INT64, 0));
  return scenes;
}

static void
clear_scenes (Scenes *scenes)
{
  assay_dataset_clear (&scenes->dataset);
  assay_truth_free (scenes->truth);
  assay_guess_free (scenes->guess);
}

static void
set_estimates (Scenes *scenes, AssayMatrix *estimates)
{
  assay_arrays_take (&scenes->guess->arrays, "estimates", assay_array_take_matrix (estimates));
}

static AssayView
secrets_of (const Scenes *scenes)
{
  return assay_array_view (assay_arrays_get (&scenes->truth->arrays, "secrets"));
}

static gboolean
try_measure (const Scenes *scenes, const AssayDataset *dataset, AssayOutcomes *outcomes,
             GError **error)
{
  g_autoptr (AssaySettings) settings = assay_settings_new (
      assay_metric_reconstruction.parameters, assay_metric_reconstruction.settings_size);
  const AssayMetricContext context = { .settings = settings->values, .dataset = dataset };

  *outcomes = (AssayOutcomes){ 0 };
  return assay_metric_reconstruction.measure (&context, scenes->truth, scenes->guess, outcomes,
                                              error);
}

static AssayOutcomes
measure (const Scenes *scenes)
{
  g_autoptr (GError) error = NULL;
  AssayOutcomes outcomes;

  cr_assert (try_measure (scenes, &scenes->dataset, &outcomes, &error), "%s",
             error != NULL ? error->message : "");
  return outcomes;
}

static double
mean_of (const Scenes *scenes, guint series)
{
  AssayOutcomes outcomes = measure (scenes);
  double sum = 0;

  for (gsize i = 0; i < outcomes.n; i++)
    sum += outcomes.series[series][i] / (double) outcomes.n;
  assay_outcomes_clear (&outcomes);
  return sum;
}

static gboolean
show (const Scenes *scenes, gsize unit, AssayPhoto **ret_original, AssayPhoto **ret_recovered,
      GError **error)
{
  g_autoptr (AssaySettings) settings = assay_settings_new (
      assay_metric_reconstruction.parameters, assay_metric_reconstruction.settings_size);
  const AssayMetricContext context = { .settings = settings->values, .dataset = &scenes->dataset };

  AssayPictures pictures;

  if (!assay_metric_reconstruction.show (&context, scenes->truth, scenes->guess, unit, &pictures,
                                         error))
    return FALSE;
  *ret_original = pictures.original;
  *ret_recovered = pictures.recovered;
  return TRUE;
}

static AssayMatrix *
permuted (AssayView rows)
{
  AssayStream stream = assay_stream (assay_stream_key (12, 0, "test", "permutation"), 0);
  AssayMatrix *matrix = assay_matrix_new (rows.rows, rows.cols, NULL);
  g_autofree gsize *order = g_new (gsize, rows.rows);

  assay_stream_choose (&stream, rows.rows, rows.rows, order);
  for (gsize i = 0; i < rows.rows; i++)
    memcpy (assay_matrix_row (matrix, i), assay_view_row (rows, order[i]),
            rows.cols * sizeof (float));
  return matrix;
}

static AssayMatrix *
noisy (AssayView rows, double sigma)
{
  AssayStream stream = assay_stream (assay_stream_key (13, 0, "test", "noise"), 0);
  AssayMatrix *matrix = assay_matrix_copy (rows, NULL);

  for (gsize i = 0; i < rows.rows * rows.cols; i++)
    matrix->data[i] += (float) (sigma * assay_stream_normal (&stream));
  return matrix;
}

/* A photograph whose own descriptors are public is painted with its own patches where they belong:
 * whole inside of them, as far as holes let it. Those of a random permutation show others. */
Test (reconstruction, own_descriptors_give_the_photograph)
{
  Scenes scenes = make_scenes (3, TRUE);
  AssayOutcomes own = measure (&scenes);

  cr_assert_eq (own.n, 3);
  for (gsize i = 0; i < own.n; i++) {
    cr_expect (own.series[SSIM][i] > 0.9, "SSIM %g", own.series[SSIM][i]);
    cr_expect (own.series[PSNR][i] > 25, "PSNR %g", own.series[PSNR][i]);
    cr_expect (own.series[MAE][i] < 0.03, "MAE %g", own.series[MAE][i]);
  }
  set_estimates (&scenes, permuted (secrets_of (&scenes)));
  cr_expect (mean_of (&scenes, SSIM) < 0.45, "SSIM %g", mean_of (&scenes, SSIM));
  cr_expect (mean_of (&scenes, PSNR) < 17, "PSNR %g", mean_of (&scenes, PSNR));
  assay_outcomes_clear (&own);
  clear_scenes (&scenes);
}

static void
reverse (Scenes *scenes, AssayArrays *arrays, const char *name, gsize cols, AssayType type)
{
  const gsize shape[] = { scenes->n, cols }, size = MAX (cols, 1) * assay_type_size (type);
  const guint8 *from = assay_arrays_get (arrays, name)->data;
  guint8 *to = g_malloc (scenes->n * size);

  for (gsize i = 0; i < scenes->n; i++)
    memcpy (to + (scenes->n - 1 - i) * size, from + i * size, size);
  assay_arrays_take (arrays, name, assay_array_take (type, cols > 0 ? 2 : 1, shape, to));
}

/* The rows of a cell are in no order. Sums over patches are taken in another one: rounding moves a
 * few of the 19,200 pixels by one grey level, 1 / (255 * 19200) each. */
Test (reconstruction, rows_may_come_in_any_order)
{
  Scenes scenes = make_scenes (2, TRUE);
  AssayOutcomes forwards = measure (&scenes), backwards;

  reverse (&scenes, &scenes.truth->arrays, "secrets", ASSAY_SIFT_LENGTH, ASSAY_FLOAT32);
  reverse (&scenes, &scenes.truth->arrays, "frames", 4, ASSAY_FLOAT32);
  reverse (&scenes, &scenes.truth->arrays, "groups", 0, ASSAY_INT64);
  reverse (&scenes, &scenes.guess->arrays, "estimates", ASSAY_SIFT_LENGTH, ASSAY_FLOAT32);
  backwards = measure (&scenes);
  for (gsize i = 0; i < 2; i++) {
    assert_near (backwards.series[MAE][i], forwards.series[MAE][i], 20 / (255 * 19200.0),
                 "photograph %zu", i);
    cr_expect (backwards.series[SSIM][i] > 0.9, "SSIM %g", backwards.series[SSIM][i]);
  }
  assay_outcomes_clear (&forwards);
  assay_outcomes_clear (&backwards);
  clear_scenes (&scenes);
}

/* The measures are those of the pictures that are shown, in ascending order of groups. */
Test (reconstruction, shows_what_it_measures)
{
  Scenes scenes = make_scenes (3, FALSE);
  g_autofree gint64 *groups = g_new (gint64, scenes.n);
  const AssayArray *given = assay_arrays_get (&scenes.truth->arrays, "groups");
  AssayOutcomes outcomes;

  /* Group 1 is not in this cell, and the secrets of group 2 are of the photograph of group 0. */
  for (gsize i = 0; i < scenes.n; i++)
    groups[i] = assay_array_int64 (given)[i] == 0 ? 2 : 0;
  assay_arrays_take (&scenes.truth->arrays, "groups",
                     assay_array_take (ASSAY_INT64, 1, &scenes.n, g_steal_pointer (&groups)));
  outcomes = measure (&scenes);
  cr_assert_eq (outcomes.n, 2);
  for (gsize unit = 0; unit < 2; unit++) {
    g_autoptr (AssayPhoto) original = NULL;
    g_autoptr (AssayPhoto) recovered = NULL;
    const AssayPhoto *photo = scenes.dataset.secret_data.photos->pdata[2 * unit];
    g_autoptr (AssayPhoto) a = NULL;
    g_autoptr (AssayPhoto) b = NULL;
    double sum = 0;

    cr_assert (show (&scenes, unit, &original, &recovered, NULL));
    cr_assert_arr_eq (original->data, photo->data, 160 * 120 * 3 * sizeof (float));
    cr_assert_eq (recovered->channels, 3);
    a = assay_photo_grey (original, NULL);
    b = assay_photo_grey (recovered, NULL);
    for (gsize i = 0; i < 160 * 120; i++)
      sum += fabs ((double) a->data[i] - (double) b->data[i]);
    assert_near (outcomes.series[MAE][unit], sum / (160 * 120 * 255.0), 1e-12, "unit %zu", unit);
  }
  assay_outcomes_clear (&outcomes);
  clear_scenes (&scenes);
}

/* Noise of 40 a component is a distance of 453 in norms of 512. */
Test (reconstruction, noise_shows_less)
{
  Scenes scenes = make_scenes (4, TRUE);
  const double raw = mean_of (&scenes, SSIM);
  double some, much;

  set_estimates (&scenes, noisy (secrets_of (&scenes), 40));
  some = mean_of (&scenes, SSIM);
  set_estimates (&scenes, noisy (secrets_of (&scenes), 120));
  much = mean_of (&scenes, SSIM);
  cr_expect (raw > some && some > much + 0.05, "SSIM %g, %g, %g", raw, some, much);
  clear_scenes (&scenes);
}

/* Unit secrets against bytes of norm 512: without scaling the public rows, the nearest would be the
 * shortest, whatever the estimate. */
Test (reconstruction, unit_secrets_meet_unit_rows)
{
  Scenes scenes = make_scenes (2, TRUE);
  const double raw = mean_of (&scenes, SSIM);
  AssayMatrix *unit = assay_matrix_copy (secrets_of (&scenes), NULL);

  for (gsize i = 0; i < unit->rows; i++) {
    float *row = assay_matrix_row (unit, i);
    double square = 0;

    for (gsize j = 0; j < unit->cols; j++)
      square += (double) row[j] * (double) row[j];
    for (gsize j = 0; j < unit->cols; j++)
      row[j] = (float) ((double) row[j] / sqrt (square));
  }
  set_estimates (&scenes, assay_matrix_copy (assay_matrix_view (unit), NULL));
  assay_arrays_take (&scenes.truth->arrays, "secrets", assay_array_take_matrix (unit));
  assert_near (mean_of (&scenes, SSIM), raw, 1e-6, "unit norm");
  clear_scenes (&scenes);
}

Test (reconstruction, threads_change_nothing)
{
  TEST_OF_RESULTS ();

  Scenes scenes = make_scenes (3, FALSE);
  AssayOutcomes one, three;

  assay_parallel_set_threads (1);
  one = measure (&scenes);
  assay_parallel_set_threads (3);
  three = measure (&scenes);
  assay_parallel_set_threads (0);
  for (guint s = 0; s < 3; s++)
    cr_assert_arr_eq (one.series[s], three.series[s], 3 * sizeof (double), "series %u", s);
  assay_outcomes_clear (&one);
  assay_outcomes_clear (&three);
  clear_scenes (&scenes);
}

/* ---- What is refused ---- */

static void
expect_error (const Scenes *scenes, const AssayDataset *dataset, AssayErrorCode code,
              const char *what)
{
  g_autoptr (GError) error = NULL;
  AssayOutcomes outcomes;

  cr_expect_not (try_measure (scenes, dataset, &outcomes, &error), "%s", what);
  cr_assert (g_error_matches (error, ASSAY_ERROR, (gint) code), "%s: %s", what,
             error != NULL ? error->message : "no error");
  cr_expect_not_null (strstr (error->message, what), "%s: %s", what, error->message);
  assay_outcomes_clear (&outcomes);
}

Test (reconstruction, datasets_without_photographs_are_refused)
{
  Scenes scenes = make_scenes (2, FALSE);
  AssayDataset poor = scenes.dataset;

  expect_error (&scenes, NULL, ASSAY_ERROR_MISMATCH, "photographs are needed");
  poor.public_rows = NULL;
  expect_error (&scenes, &poor, ASSAY_ERROR_MISMATCH, "the dataset has no public rows");
  poor = scenes.dataset;
  poor.public_data.photos = NULL;
  expect_error (&scenes, &poor, ASSAY_ERROR_MISMATCH, "no photographs of the public rows");
  poor = scenes.dataset;
  poor.secret_data.photos = NULL;
  expect_error (&scenes, &poor, ASSAY_ERROR_MISMATCH, "no photographs of the secrets");
  poor = scenes.dataset;
  poor.public_data.frames = NULL;
  expect_error (&scenes, &poor, ASSAY_ERROR_MISMATCH, "keypoints of the public rows: not there");
  poor = scenes.dataset;
  poor.public_data.pictures = scenes.dataset.public_data.frames;
  expect_error (&scenes, &poor, ASSAY_ERROR_MISMATCH, "photographs' numbers of the public rows");
  clear_scenes (&scenes);
}

Test (reconstruction, arrays_that_do_not_fit_are_refused)
{
  Scenes scenes = make_scenes (2, FALSE);
  const AssayArray *frames = assay_arrays_get (&scenes.truth->arrays, "frames");
  const gsize short_frames[] = { scenes.n - 1, 4 };
  g_autofree char *count = g_strdup_printf ("expected float32 %zu x 4", scenes.n);
  AssayMatrix *estimates = assay_matrix_copy (secrets_of (&scenes), NULL);
  gint64 *groups = g_new0 (gint64, scenes.n);
  AssayPaintFrame *bad = g_memdup2 (frames->data, scenes.n * sizeof (AssayPaintFrame));
  AssayPhoto *small = assay_photo_new (160, 10, 3, NULL);

  estimates->data[3 * ASSAY_SIFT_LENGTH + 7] = NAN;
  set_estimates (&scenes, estimates);
  expect_error (&scenes, &scenes.dataset, ASSAY_ERROR_NUMERIC, "estimates");
  set_estimates (&scenes, assay_matrix_new (scenes.n - 1, ASSAY_SIFT_LENGTH, NULL));
  expect_error (&scenes, &scenes.dataset, ASSAY_ERROR_MISMATCH, "estimates are");
  set_estimates (&scenes, assay_matrix_copy (secrets_of (&scenes), NULL));

  bad[5].size = 0;
  assay_arrays_take (&scenes.truth->arrays, "frames",
                     assay_array_take (ASSAY_FLOAT32, 2, (gsize[]){ scenes.n, 4 }, bad));
  expect_error (&scenes, &scenes.dataset, ASSAY_ERROR_DATA, "the keypoint of secret 5 is");
  assay_arrays_take (
      &scenes.truth->arrays, "frames",
      assay_array_take (ASSAY_FLOAT32, 2, short_frames, g_new0 (float, 4 * scenes.n)));
  expect_error (&scenes, &scenes.dataset, ASSAY_ERROR_MISMATCH, count);
  clear_scenes (&scenes);

  scenes = make_scenes (2, FALSE);
  assay_photo_free (scenes.dataset.secret_data.photos->pdata[1]);
  scenes.dataset.secret_data.photos->pdata[1] = small;
  expect_error (&scenes, &scenes.dataset, ASSAY_ERROR_MISMATCH, "photograph of group 1: ");
  groups[4] = 7;
  assay_arrays_take (&scenes.truth->arrays, "groups",
                     assay_array_take (ASSAY_INT64, 1, &scenes.n, groups));
  expect_error (&scenes, &scenes.dataset, ASSAY_ERROR_MISMATCH, "group 7 has no photograph");
  clear_scenes (&scenes);
}

/* Public rows are looked at where they are used. */
Test (reconstruction, broken_public_rows_are_refused)
{
  Scenes scenes = make_scenes (1, FALSE);
  gint64 *pictures = (gint64 *) scenes.dataset.public_data.pictures->data;
  AssayPaintFrame *frames = (AssayPaintFrame *) scenes.dataset.public_data.frames->data;
  const gsize n = assay_rows_count (scenes.dataset.public_rows);
  AssayPhoto *original = NULL, *recovered = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < n; i++)
    frames[i].angle = NAN;
  expect_error (&scenes, &scenes.dataset, ASSAY_ERROR_DATA, "the keypoint of public row");
  for (gsize i = 0; i < n; i++)
    pictures[i] = 3;
  expect_error (&scenes, &scenes.dataset, ASSAY_ERROR_MISMATCH,
                "is of photograph 3, expected one of the 3 that are there");
  cr_expect_not (show (&scenes, 1, &original, &recovered, &error));
  cr_expect_str_eq (error->message, "there is no photograph number 1, expected one below 1");
  cr_expect (original == NULL && recovered == NULL);
  clear_scenes (&scenes);
}
