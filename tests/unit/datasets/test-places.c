/* Generated places: whether cameras, walls, photographs and maps agree with each other. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/parallel.h"
#include "datasets/generated/place.h"
#include "datasets/photographs/sift.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayDatasetPlugin assay_dataset_places;

enum { WIDTH = 240, HEIGHT = 180 };

static AssayStream
place_stream (guint64 item)
{
  return assay_stream (assay_stream_key (5, 0, "test", "places"), item);
}

/* By the definition, from the 15 numbers of a camera. */
static gboolean
project (const double *numbers, const double point[3], double *ret_x, double *ret_y)
{
  double p[3];

  for (gsize i = 0; i < 3; i++)
    p[i] = numbers[3 + 3 * i] * point[0] + numbers[4 + 3 * i] * point[1]
           + numbers[5 + 3 * i] * point[2] + numbers[12 + i];
  *ret_x = numbers[0] * p[0] / p[2] + numbers[1];
  *ret_y = numbers[0] * p[1] / p[2] + numbers[2];
  return p[2] > 0;
}

static void
numbers_of (const AssayPlaceCamera *camera, double ret_numbers[15])
{
  const double lens[3] = { camera->focal, camera->cx, camera->cy };

  memcpy (ret_numbers, lens, sizeof lens);
  memcpy (ret_numbers + 3, camera->turn, sizeof camera->turn);
  memcpy (ret_numbers + 12, camera->shift, sizeof camera->shift);
}

/* Cameras are rotations and stand where they are said to; the point of a pixel is seen at it. */
Test (places, points_are_seen_at_their_pixels)
{
  for (guint64 trial = 0; trial < 20; trial++) {
    AssayStream stream = place_stream (trial);
    g_autoptr (AssayPlace) place = assay_place_new (WIDTH, HEIGHT, &stream, NULL);
    const AssayPlaceCamera camera = assay_place_draw_camera (place, &stream);
    const double *r = camera.turn, *t = camera.shift;
    static const double most[3] = { 2, 0.5, 1.5 };
    double numbers[15];

    numbers_of (&camera, numbers);
    for (gsize i = 0; i < 3; i++) {
      const double stand = -r[i] * t[0] - r[3 + i] * t[1] - r[6 + i] * t[2];

      cr_assert (fabs (stand) <= most[i], "stands at %g", stand);
      for (gsize j = 0; j < 3; j++)
        assert_near (r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1]
                         + r[3 * i + 2] * r[3 * j + 2],
                     i == j, 1e-12, "R R'");
    }
    assert_near (r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6])
                     + r[2] * (r[3] * r[7] - r[4] * r[6]),
                 1, 1e-12, "det R");
    for (gsize k = 0; k < 50; k++) {
      const double x = assay_stream_between (&stream, 0, WIDTH);
      const double y = assay_stream_between (&stream, 0, HEIGHT);
      double point[3], u, v;

      cr_assert (assay_place_point (place, &camera, x, y, point));
      cr_assert (project (numbers, point, &u, &v));
      assert_near (u, x, 1e-8, "x");
      assert_near (v, y, 1e-8, "y");
      cr_assert (point[2] > 0 && point[2] < 40 && fabs (point[0]) < 25, "%g, %g", point[0],
                 point[2]);
    }
  }
}

/* A point that two cameras see has one colour: photographs without blur and noise, compared at the
 * pixels nearest to it. Shapes of other photographs have nothing to do with each other. */
Test (places, photographs_show_one_place)
{
  const AssayCamera film = { .width = WIDTH, .height = HEIGHT };
  double apart = 0, by_chance = 0;
  gsize n = 0;

  for (guint64 trial = 0; trial < 4; trial++) {
    AssayStream stream = place_stream (100 + trial), noise = place_stream (0);
    g_autoptr (AssayPlace) place = assay_place_new (WIDTH, HEIGHT, &stream, NULL);
    AssayPlaceCamera cameras[2];
    AssayPhoto *photos[2];
    double numbers[15];

    for (gsize i = 0; i < 2; i++) {
      cameras[i] = assay_place_draw_camera (place, &stream);
      photos[i] = assay_place_render (place, &cameras[i], &film, &noise, NULL);
    }
    numbers_of (&cameras[1], numbers);
    for (gsize y = 5; y < HEIGHT - 5; y += 5)
      for (gsize x = 5; x < WIDTH - 5; x += 5) {
        double point[3], other[3], u, v;
        const float *a, *b, *c;

        cr_assert (assay_place_point (place, &cameras[0], (double) x, (double) y, point));
        if (!project (numbers, point, &u, &v) || u < 0 || v < 0 || u > WIDTH - 1 || v > HEIGHT - 1
            || !assay_place_point (place, &cameras[1], u, v, other)
            || hypot (point[0] - other[0], point[2] - other[2]) > 0.01)
          continue;
        a = assay_photo_pixel (photos[0], x, y);
        b = assay_photo_pixel (photos[1], (gsize) (u + 0.5), (gsize) (v + 0.5));
        c = assay_photo_pixel (photos[1], (gsize) (WIDTH - 1 - u), (gsize) (HEIGHT - 1 - v));
        apart += fabs (a[1] - b[1]);
        by_chance += fabs (a[1] - c[1]);
        n++;
      }
    assay_photo_free (photos[0]);
    assay_photo_free (photos[1]);
  }
  cr_assert (n > 2000, "%zu points", n);
  cr_assert (apart < 0.35 * by_chance, "%g apart, %g by chance", apart / (double) n,
             by_chance / (double) n);
}

static void
open_places (const char *changes, AssayDataset *dataset)
{
  g_autofree char *all = g_strconcat ("private_images=3 references=2 database_images=2 width=160 "
                                      "height=120 per_image=60 ",
                                      changes, NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_dataset_places.plugin, all);
  const AssayDatasetContext context
      = { .settings = settings->values, .stream = assay_stream_key (9, 0, "data", "places") };
  g_autoptr (GError) error = NULL;
  AssayProbe probe = { 0 };

  *dataset = (AssayDataset){ 0 };
  cr_assert (assay_dataset_places.open (&context, dataset, &error), "%s",
             error != NULL ? error->message : "");
  cr_assert (assay_dataset_places.probe (&context, &probe, NULL));
  cr_assert (assay_rows_count (dataset->secrets) <= probe.n_secrets
             && assay_rows_count (dataset->test) <= probe.n_test
             && assay_rows_count (dataset->database) <= probe.n_database
             && dataset->n_groups <= probe.n_groups);
  cr_assert_eq (probe.holdings, assay_dataset_holdings (dataset));
}

/* The rows of a map look like secrets whose keypoints are seen where their points are: of pairs
 * of a group with descriptors within 0.35 of each other most are within 3 pixels. Without a map
 * that is right they would be anywhere. */
Test (places, maps_lead_to_the_keypoints)
{
  AssayDataset dataset;
  gsize n_like = 0, n_near = 0;

  open_places ("", &dataset);
  for (gsize i = 0; i < assay_rows_count (dataset.secrets); i++)
    for (gsize j = 0; j < assay_rows_count (dataset.test); j++) {
      const double *camera = (const double *) dataset.cameras->data + 15 * dataset.groups[i];
      const float *frame = (const float *) dataset.secret_data.frames->data + 4 * i;
      const float *point = (const float *) dataset.test_data.points->data + 3 * j;
      float a[ASSAY_SIFT_LENGTH], b[ASSAY_SIFT_LENGTH];
      double square = 0, x, y;

      if (assay_array_int64 (dataset.test_data.pictures)[j] != dataset.groups[i])
        continue;
      assay_rows_read (dataset.secrets, i, 1, ASSAY_SCALE_UNIT, a);
      assay_rows_read (dataset.test, j, 1, ASSAY_SCALE_UNIT, b);
      for (gsize k = 0; k < ASSAY_SIFT_LENGTH; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
      if (square > 0.35 * 0.35)
        continue;
      n_like++;
      n_near += project (camera, (const double[3]){ point[0], point[1], point[2] }, &x, &y)
                && hypot (x - frame[0], y - frame[1]) < 3;
    }
  cr_assert (n_like >= 20 && n_near * 10 > n_like * 7, "%zu of %zu", n_near, n_like);
  assay_dataset_clear (&dataset);
}

/* Other numbers of images, and of threads, change no secret; database images of the same places
 * change the database alone. */
Test (places, roles_and_threads)
{
  AssayDataset one, other, same, more;

  assay_parallel_set_threads (1);
  open_places ("", &one);
  assay_parallel_set_threads (3);
  open_places ("", &other);
  open_places ("database_places=same", &same);
  open_places ("references=3 database_images=1", &more);
  cr_assert_str_eq (one.sha256, other.sha256);
  cr_assert_str_neq (one.sha256, same.sha256);
  cr_assert_eq (assay_rows_count (one.secrets), assay_rows_count (more.secrets));
  cr_assert (assay_rows_count (more.test) > assay_rows_count (one.test));
  for (gsize i = 0; i < assay_rows_count (one.secrets); i++) {
    float a[ASSAY_SIFT_LENGTH], b[ASSAY_SIFT_LENGTH], c[ASSAY_SIFT_LENGTH];

    assay_rows_read (one.secrets, i, 1, ASSAY_SCALE_NONE, a);
    assay_rows_read (more.secrets, i, 1, ASSAY_SCALE_NONE, b);
    assay_rows_read (same.secrets, i, 1, ASSAY_SCALE_NONE, c);
    cr_assert (memcmp (a, b, sizeof a) == 0 && memcmp (a, c, sizeof a) == 0, "row %zu", i);
  }
  assay_dataset_clear (&one);
  assay_dataset_clear (&other);
  assay_dataset_clear (&same);
  assay_dataset_clear (&more);
}
