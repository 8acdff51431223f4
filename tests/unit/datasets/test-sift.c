/* SIFT against descriptors that OpenCV 4.6 made of the same photographs, and by its symmetries;
 * photographs as arrays. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attacks/photographs/keypoint-mirror.h"
#include "core/base/error.h"
#include "datasets/generated/dead-leaves.h"
#include "datasets/photographs/sift.h"

/* ---- Help ---- */

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
quantile (GArray *values, double part)
{
  g_array_sort (values, compare_doubles);
  return g_array_index (values, double, (guint) (part * (values->len - 1) + 0.5));
}

/* Distance of the unit forms of two descriptors; @reversed: with b's directions run backwards. */
static double
distance (const guint8 *a, const guint8 *b, gboolean reversed)
{
  double aa = 0, bb = 0, ab = 0;

  for (gsize i = 0; i < ASSAY_SIFT_LENGTH; i++) {
    const gsize j = reversed ? i / 8 * 8 + (8 - i % 8) % 8 : i;

    aa += a[i] * a[i];
    bb += b[j] * b[j];
    ab += a[i] * b[j];
  }
  return sqrt (MAX (0.0, 2.0 - 2.0 * ab / sqrt (aa * bb)));
}

static double
angle_between (double a, double b)
{
  return fabs (remainder (a - b, 360.0));
}

typedef struct {
  GArray *keypoints;
  guint8 *descriptors;
} Features;

static Features
extract (AssaySift *sift, const AssayPhoto *grey)
{
  g_autoptr (GError) error = NULL;
  Features features = { .keypoints = assay_sift_detect (sift, grey, &error) };

  cr_assert_not_null (features.keypoints, "%s", error != NULL ? error->message : "");
  features.descriptors = g_malloc (features.keypoints->len * ASSAY_SIFT_LENGTH + 1);
  for (guint i = 0; i < features.keypoints->len; i++)
    assay_sift_describe (sift, &g_array_index (features.keypoints, AssayKeypoint, i),
                         features.descriptors + i * ASSAY_SIFT_LENGTH);
  return features;
}

static void
clear_features (Features *features)
{
  g_array_unref (features->keypoints);
  g_free (features->descriptors);
}

/* The keypoint nearest to @wanted within @radius pixels, a ratio of sizes and an angle, or -1. */
static gint
find (const Features *features, const AssayKeypoint *wanted, double radius, double ratio,
      double degrees)
{
  gint found = -1;

  for (guint i = 0; i < features->keypoints->len; i++) {
    const AssayKeypoint *k = &g_array_index (features->keypoints, AssayKeypoint, i);
    const double d = hypot (k->x - wanted->x, k->y - wanted->y);

    if (d <= radius && fabs (log (k->size / wanted->size)) <= log (ratio)
        && angle_between (k->angle, wanted->angle) <= degrees) {
      radius = d;
      found = (gint) i;
    }
  }
  return found;
}

static AssayPhoto *
picture (gsize width, gsize height, guint64 number)
{
  const AssayStreamKey key = assay_stream_key (1, 0, "test", "sift");
  const AssayCamera camera = { .width = width, .height = height, .blur = 0.5, .noise = 1 };
  AssayStream stream = assay_stream (key, number);
  g_autoptr (AssayScene) scene = assay_scene_new ((double) width, (double) height, &stream, NULL);
  g_autoptr (AssayPhoto) photo
      = assay_scene_render (scene, NULL, &camera, &stream, NULL);

  return assay_photo_grey (photo, NULL);
}

/* ---- Against OpenCV ---- */

static char *
data_folder (void)
{
  const char *folder = g_getenv ("ASSAY_DATA"), *source = g_getenv ("ASSAY_SOURCE");

  return folder != NULL ? g_strdup (folder)
                        : g_build_filename (source != NULL ? source : ".", "..", "shared", "data",
                                            NULL);
}

typedef struct {
  char photo[64];
  AssayKeypoint keypoint;
} Reference;

/* Distances between our descriptors and the reference's, for keypoints that both have. */
static void
compare_with_reference (const char *folder, char **lines, const guint8 *rows, GArray *straight,
                        GArray *reversed, guint *ret_ours)
{
  g_autoptr (AssaySift) sift = NULL;
  Features ours = { 0 };
  char current[64] = "";

  *ret_ours = 0;
  for (gsize i = 0; lines[i + 1] != NULL && *lines[i + 1] != '\0'; i++) {
    const guint8 *row = rows + i * (4 + ASSAY_SIFT_LENGTH) + 4;
    Reference reference;
    double to_ours, backwards;
    gint match;

    cr_assert_eq (sscanf (lines[i + 1], "%63[^,],%f,%f,%f,%f", reference.photo,
                          &reference.keypoint.x, &reference.keypoint.y, &reference.keypoint.size,
                          &reference.keypoint.angle),
                  5, "line %zu", i + 2);
    if (strcmp (reference.photo, current) != 0) {
      g_autofree char *file = g_build_filename (folder, "photos", "imagenet60", "private10",
                                                reference.photo, NULL);
      g_autoptr (AssayPhoto) photo = assay_photo_load (file, NULL);
      g_autoptr (AssayPhoto) grey = NULL;

      cr_assert_not_null (photo, "%s", file);
      grey = assay_photo_grey (photo, NULL);
      if (ours.keypoints != NULL)
        clear_features (&ours);
      g_clear_pointer (&sift, assay_sift_free);
      sift = assay_sift_new (grey->width, grey->height, NULL);
      ours = extract (sift, grey);
      *ret_ours += ours.keypoints->len;
      g_strlcpy (current, reference.photo, sizeof current);
    }
    match = find (&ours, &reference.keypoint, 1.0, 1.12, 10.0);
    if (match < 0)
      continue;
    to_ours = distance (ours.descriptors + match * ASSAY_SIFT_LENGTH, row, FALSE);
    backwards = distance (ours.descriptors + match * ASSAY_SIFT_LENGTH, row, TRUE);
    g_array_append_val (straight, to_ours);
    g_array_append_val (reversed, backwards);
  }
  clear_features (&ours);
}

Test (sift, agrees_with_opencv_on_photographs)
{
  g_autofree char *folder = data_folder ();
  g_autofree char *csv
      = g_build_filename (folder, "sift", "sift_private_queries_keypoints.csv", NULL);
  g_autofree char *bvecs = g_build_filename (folder, "sift", "sift_private_queries.bvecs", NULL);
  g_autoptr (GArray) straight = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) reversed = g_array_new (FALSE, FALSE, sizeof (double));
  g_autofree char *text = NULL, *rows = NULL;
  g_auto (GStrv) lines = NULL;
  gsize length = 0;
  guint ours, count;

  if (!g_file_get_contents (csv, &text, NULL, NULL)
      || !g_file_get_contents (bvecs, &rows, &length, NULL))
    cr_skip_test ("no reference data: %s is missing (ASSAY_DATA names the folder)", csv);
  count = (guint) (length / (4 + ASSAY_SIFT_LENGTH));
  lines = g_strsplit (text, "\n", 0);
  compare_with_reference (folder, lines, (const guint8 *) rows, straight, reversed, &ours);
  cr_log_info ("%u keypoints, OpenCV has %u, %.1f %% of them found; distance of descriptors 25 %% "
               "%.4f, median %.4f, 75 %% %.4f, 95 %% %.4f; directions backwards: median %.4f",
               ours, count, 100.0 * straight->len / count, quantile (straight, 0.25),
               quantile (straight, 0.5), quantile (straight, 0.75), quantile (straight, 0.95),
               quantile (reversed, 0.5));
  /* Measured: 6,233 and 6,165 keypoints, 97.5 % found, median 0.055, 95 % 0.108, backwards 0.89. */
  cr_expect_gt (straight->len, 0.95 * count);
  cr_expect_lt (fabs ((double) ours - count), 0.03 * count);
  cr_expect_lt (quantile (straight, 0.5), 0.08);
  cr_expect_lt (quantile (straight, 0.95), 0.2);
  cr_expect_gt (quantile (reversed, 0.5), 0.5);
}

/* ---- Known answers ---- */

/* A Gaussian blob of deviation s, in a scale space that adds sigma^2 less the assumed 0.5^2 and the
 * 3/16 of the interpolation, is an extremum of the difference of levels sigma and k sigma,
 * k = 2^(1/3), where sigma^2 = (s^2 - 1/16) / k: differentiate sigma^2 / ((s^2 + sigma^2) (s^2 +
 * k^2 sigma^2)). The place comes out 1/4 pixel behind, as in OpenCV. */
Test (sift, finds_a_blob_at_its_place_and_scale)
{
  const double deviations[] = { 2.0, 3.7, 6.0, 9.5 };
  const double x = 63.3, y = 57.6;

  for (gsize i = 0; i < G_N_ELEMENTS (deviations); i++) {
    const double s = deviations[i], size = 2.0 * sqrt ((s * s - 0.0625) / cbrt (2.0));
    g_autoptr (AssayPhoto) grey = assay_photo_new (128, 112, 1, NULL);
    g_autoptr (AssaySift) sift = assay_sift_new (128, 112, NULL);
    Features features;

    for (gsize row = 0; row < 112; row++)
      for (gsize column = 0; column < 128; column++) {
        const double r = hypot ((double) column - x, (double) row - y);

        *assay_photo_pixel (grey, column, row) = (float) (60 + 120 * exp (-0.5 * r * r / (s * s)));
      }
    features = extract (sift, grey);
    cr_assert_geq (features.keypoints->len, 1, "s %g", s);
    for (guint k = 0; k < features.keypoints->len; k++) {
      const AssayKeypoint *keypoint = &g_array_index (features.keypoints, AssayKeypoint, k);

      cr_expect_float_eq (keypoint->x, x + 0.25, 0.03 * s, "s %g: x %g", s, keypoint->x);
      cr_expect_float_eq (keypoint->y, y + 0.25, 0.03 * s, "s %g: y %g", s, keypoint->y);
      cr_expect_float_eq (keypoint->size, size, 0.03 * size, "s %g: size %g, not %g", s,
                          keypoint->size, size);
    }
    clear_features (&features);
  }
}

/* Turned by a quarter (x -> width - 1 - y, y -> x) the doubled picture is turned exactly, so
 * keypoints of the first octave are the same; of the others samples are dropped unevenly. */
Test (sift, turns_with_the_picture)
{
  const gsize side = 200;
  g_autoptr (AssayPhoto) grey = picture (side, side, 0);
  g_autoptr (AssayPhoto) turned = assay_photo_new (side, side, 1, NULL);
  g_autoptr (AssaySift) first = assay_sift_new (side, side, NULL);
  g_autoptr (AssaySift) second = assay_sift_new (side, side, NULL);
  g_autoptr (GArray) distances = g_array_new (FALSE, FALSE, sizeof (double));
  Features before, after;
  guint n = 0;

  for (gsize y = 0; y < side; y++)
    for (gsize x = 0; x < side; x++)
      *assay_photo_pixel (turned, side - 1 - y, x) = *assay_photo_pixel (grey, x, y);
  before = extract (first, grey);
  after = extract (second, turned);
  for (guint i = 0; i < before.keypoints->len; i++) {
    const AssayKeypoint *k = &g_array_index (before.keypoints, AssayKeypoint, i);
    AssayKeypoint wanted = { .x = (float) side - 0.5f - k->y, .y = k->x, .size = k->size };
    double d;
    gint match;

    if (k->octave != -1)
      continue;
    n++;
    wanted.angle = k->angle + 90;
    match = find (&after, &wanted, 0.02, 1.005, 1.0);
    if (match < 0)
      continue;
    d = distance (before.descriptors + i * ASSAY_SIFT_LENGTH,
                  after.descriptors + match * ASSAY_SIFT_LENGTH, FALSE);
    g_array_append_val (distances, d);
  }
  cr_log_info ("%u of %u keypoints; median distance %.4f, 95 %% %.4f", distances->len, n,
               quantile (distances, 0.5), quantile (distances, 0.95));
  cr_expect_geq (n, 50);
  cr_expect_geq (distances->len, 0.97 * n);
  cr_expect_lt (quantile (distances, 0.5), 0.02);
  cr_expect_lt (quantile (distances, 0.95), 0.05);
  clear_features (&before);
  clear_features (&after);
}

/* Distance of a descriptor from one of the mirrored picture, when attacks have mirrored it. */
static double
distance_in_mirror (const guint8 *before, const guint8 *after)
{
  g_autoptr (AssayMatrix) row = assay_matrix_new (1, ASSAY_SIFT_LENGTH, NULL);
  g_autoptr (AssayMatrix) mirrored = NULL;
  guint8 bytes[ASSAY_SIFT_LENGTH];

  for (gsize j = 0; j < ASSAY_SIFT_LENGTH; j++)
    row->data[j] = before[j];
  mirrored = keypoint_mirror (row, NULL);
  for (gsize j = 0; j < ASSAY_SIFT_LENGTH; j++)
    bytes[j] = (guint8) mirrored->data[j];
  return distance (bytes, after, FALSE);
}

/* x -> width - 1 - x: descriptors are those that the attacker's mirror says. Left as they are, and
 * with directions alone run backwards, they are far from it. */
Test (sift, mirrors_with_the_picture)
{
  const gsize side = 200;
  g_autoptr (AssayPhoto) grey = picture (side, side, 0);
  g_autoptr (AssayPhoto) mirrored = assay_photo_new (side, side, 1, NULL);
  g_autoptr (AssaySift) first = assay_sift_new (side, side, NULL);
  g_autoptr (AssaySift) second = assay_sift_new (side, side, NULL);
  g_autoptr (GArray) distances = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) unchanged = g_array_new (FALSE, FALSE, sizeof (double));
  Features before, after;

  for (gsize y = 0; y < side; y++)
    for (gsize x = 0; x < side; x++)
      *assay_photo_pixel (mirrored, side - 1 - x, y) = *assay_photo_pixel (grey, x, y);
  before = extract (first, grey);
  after = extract (second, mirrored);
  for (guint i = 0; i < before.keypoints->len; i++) {
    const AssayKeypoint *k = &g_array_index (before.keypoints, AssayKeypoint, i);
    const guint8 *descriptor = before.descriptors + i * ASSAY_SIFT_LENGTH;
    const AssayKeypoint wanted
        = { .x = (float) side - 0.5f - k->x, .y = k->y, .size = k->size, .angle = 180 - k->angle };
    const gint match = k->octave == -1 ? find (&after, &wanted, 0.02, 1.005, 1.0) : -1;

    if (match >= 0) {
      const guint8 *other = after.descriptors + match * ASSAY_SIFT_LENGTH;
      const double d = distance_in_mirror (descriptor, other);
      const double same
          = MIN (distance (descriptor, other, FALSE), distance (descriptor, other, TRUE));

      g_array_append_val (distances, d);
      g_array_append_val (unchanged, same);
    }
  }
  cr_assert_geq (distances->len, 50);
  cr_expect_lt (quantile (distances, 0.5), 0.02);
  cr_expect_lt (quantile (distances, 0.95), 0.05);
  cr_expect_gt (quantile (unchanged, 0.5), 0.3);
  clear_features (&before);
  clear_features (&after);
}

Test (sift, forgets_the_picture_before)
{
  g_autoptr (AssayPhoto) one = picture (120, 90, 1), two = picture (120, 90, 2);
  g_autoptr (AssaySift) used = assay_sift_new (120, 90, NULL);
  g_autoptr (AssaySift) fresh = assay_sift_new (120, 90, NULL);
  Features unused = extract (used, one), again = extract (used, two), once = extract (fresh, two);

  cr_assert_gt (once.keypoints->len, 20);
  cr_assert_eq (again.keypoints->len, once.keypoints->len);
  cr_expect_arr_eq (again.keypoints->data, once.keypoints->data,
                    once.keypoints->len * sizeof (AssayKeypoint));
  cr_expect_arr_eq (again.descriptors, once.descriptors,
                    once.keypoints->len * ASSAY_SIFT_LENGTH);
  clear_features (&unused);
  clear_features (&again);
  clear_features (&once);
}

Test (sift, finds_nothing_in_a_flat_picture)
{
  g_autoptr (AssayPhoto) flat = assay_photo_new (64, 64, 1, NULL);
  g_autoptr (AssaySift) sift = assay_sift_new (64, 64, NULL);
  g_autoptr (GArray) keypoints = assay_sift_detect (sift, flat, NULL);

  cr_assert_not_null (keypoints);
  cr_expect_eq (keypoints->len, 0);
}

Test (sift, refuses_wrong_sizes)
{
  const gsize sides[][2] = { { 11, 100 }, { 100, 0 }, { 1 << 20, 1 << 20 } };
  g_autoptr (AssaySift) sift = assay_sift_new (64, 48, NULL);
  g_autoptr (AssayPhoto) turned = assay_photo_new (48, 64, 1, NULL);
  g_autoptr (AssayPhoto) coloured = assay_photo_new (64, 48, 3, NULL);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++) {
    cr_expect_null (assay_sift_new (sides[i][0], sides[i][1], &error), "case %zu", i);
    cr_expect (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "case %zu", i);
    g_clear_error (&error);
  }
  cr_expect_null (assay_sift_detect (sift, turned, &error));
  cr_expect (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MISMATCH));
  cr_expect_not_null (strstr (error->message, "64 x 48"), "%s", error->message);
  g_clear_error (&error);
  cr_expect_null (assay_sift_detect (sift, coloured, &error));
  cr_expect (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MISMATCH));
}

/* ---- Photographs as arrays ---- */

/* What cvtColor gives for pure colours and for (10, 200, 90): 2.99 + 117.4 + 10.26 = 130.65. */
Test (photo, grey_is_opencvs)
{
  const float colours[][4] = { { 255, 0, 0, 76 },     { 0, 255, 0, 150 },  { 0, 0, 255, 29 },
                               { 255, 255, 255, 255 }, { 10, 200, 90, 131 }, { 0, 0, 0, 0 } };
  g_autoptr (AssayPhoto) photo = assay_photo_new (G_N_ELEMENTS (colours), 1, 3, NULL);
  g_autoptr (AssayPhoto) grey = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (colours); i++)
    memcpy (assay_photo_pixel (photo, i, 0), colours[i], 3 * sizeof (float));
  grey = assay_photo_grey (photo, NULL);
  cr_assert_eq (grey->channels, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (colours); i++)
    cr_expect_float_eq (grey->data[i], colours[i][3], 0, "colour %zu: %g", i, grey->data[i]);
}

/* 5 x 2 to at most 3: 3 x 1. Column 0 is the mean of pixels 0 and 2/3 of 1 in both rows. */
Test (photo, shrinks_by_area)
{
  const float values[] = { 30, 60, 90, 120, 200, 30, 60, 90, 120, 200 };
  g_autoptr (AssayPhoto) photo = assay_photo_new (5, 2, 1, NULL);
  g_autoptr (AssayPhoto) small = NULL, same = NULL;

  memcpy (photo->data, values, sizeof values);
  small = assay_photo_shrink (photo, 3, NULL);
  cr_assert_eq (small->width, 3);
  cr_assert_eq (small->height, 1);
  cr_expect_float_eq (small->data[0], 42, 0);  /* (30 + 2/3 60) / (5/3) */
  cr_expect_float_eq (small->data[1], 90, 0);  /* (1/3 60 + 90 + 1/3 120) / (5/3) */
  cr_expect_float_eq (small->data[2], 168, 0); /* (2/3 120 + 200) / (5/3) */
  same = assay_photo_shrink (photo, 5, NULL);
  cr_expect_eq (same->width, 5);
  cr_expect_arr_eq (same->data, values, sizeof values);
}

/* A Gaussian that is cut off at 3 deviations has 0.9733 of its variance. */
Test (photo, blur_has_unit_sum_and_its_variance)
{
  g_autoptr (AssayPhoto) photo = assay_photo_new (41, 41, 1, NULL);
  double sum = 0, second = 0;

  *assay_photo_pixel (photo, 20, 20) = 1000;
  cr_assert (assay_photo_blur (photo, 3.0, NULL));
  for (gsize y = 0; y < 41; y++)
    for (gsize x = 0; x < 41; x++) {
      sum += (double) *assay_photo_pixel (photo, x, y) / 1000;
      second += (double) *assay_photo_pixel (photo, x, y) / 1000 * pow ((double) x - 20, 2);
    }
  cr_expect_float_eq (sum, 1, 1e-5, "%g", sum);
  cr_expect_float_eq (second, 0.9733 * 9, 0.02 * 9, "%g", second);
}

Test (photo, errors_name_the_file)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-photo-XXXXXX", NULL);
  g_autofree char *broken = g_build_filename (folder, "broken.jpg", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing.png", NULL);
  const char *files[] = { broken, missing };

  cr_assert (g_file_set_contents (broken, "\xff\xd8\xff\xe0 this is no picture", -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autoptr (GError) error = NULL;

    cr_expect_null (assay_photo_load (files[i], &error), "%s", files[i]);
    cr_expect (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", files[i]);
    cr_expect (g_str_has_prefix (error->message, files[i]), "%s", error->message);
  }
  remove (broken);
  remove (folder);
}
