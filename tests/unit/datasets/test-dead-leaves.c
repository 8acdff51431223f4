/* Generated photographs: the law of sizes, the same numbers from the same stream, views of one
 * scene, the camera. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "datasets/generated/dead-leaves.h"

static AssayStream
stream_of (guint64 number)
{
  return assay_stream (assay_stream_key (3, 0, "test", "dead-leaves"), number);
}

static AssayScene *
scene_of (guint64 number, double width, double height)
{
  AssayStream stream = stream_of (number);
  AssayScene *scene = assay_scene_new (width, height, &stream, NULL);

  cr_assert_not_null (scene);
  return scene;
}

static AssayPhoto *
render (const AssayScene *scene, const double *homography, gsize width, gsize height, double blur,
        double noise)
{
  const AssayCamera camera = { .width = width, .height = height, .blur = blur, .noise = noise };
  AssayStream stream = stream_of (1000);
  AssayPhoto *photo
      = assay_scene_render (scene, homography, &camera, &stream, NULL);

  cr_assert_not_null (photo);
  return photo;
}

/* Mean of ln r for the density k r^-(k + 1) / (a^-k - b^-k) on [a, b]. */
static double
mean_log (double k, double a, double b)
{
  const double at_a = pow (a, -k), at_b = pow (b, -k);

  return ((log (a) + 1 / k) * at_a - (log (b) + 1 / k) * at_b) / (at_a - at_b);
}

/* The maximum-likelihood exponent solves sum E[ln r] = sum ln r. Without the upper end its
 * deviation at n sizes is k / sqrt (n) with k = 2; 20 scenes give some 41,000 sizes, and if the
 * upper end takes half of their information, 4 deviations are below 0.06. */
Test (dead_leaves, sizes_follow_the_inverse_cube)
{
  double low = 0.5, high = 5, least[20], most[20], sum = 0, n[20];

  for (guint s = 0; s < 20; s++) {
    g_autoptr (AssayScene) scene = scene_of (s, 320, 240);
    gsize count;
    const AssayLeaf *leaves = assay_scene_leaves (scene, &count);

    assay_scene_sizes (scene, &least[s], &most[s]);
    n[s] = 0;
    for (gsize i = 0; i + 1 < count; i++) /* the last is the ground */
      if (!leaves[i].is_copy) {
        cr_assert_geq (leaves[i].size, least[s]);
        cr_assert_leq (leaves[i].size, most[s]);
        sum += log (leaves[i].size);
        n[s]++;
      }
    cr_expect_geq (n[s], 50, "scene %u", s);
  }
  while (high - low > 1e-6) {
    const double k = (low + high) / 2;
    double expected = 0;

    for (guint s = 0; s < 20; s++)
      expected += n[s] * mean_log (k, least[s], most[s]);
    if (expected > sum) /* larger k: smaller sizes */
      low = k;
    else
      high = k;
  }
  cr_log_info ("exponent %.3f", low + 1);
  cr_expect_float_eq (low + 1, 3, 0.06, "exponent %g", low + 1);
}

Test (dead_leaves, same_stream_same_photograph)
{
  g_autoptr (AssayScene) one = scene_of (5, 100, 80), same = scene_of (5, 100, 80);
  g_autoptr (AssayScene) other = scene_of (6, 100, 80);
  g_autoptr (AssayPhoto) a = render (one, NULL, 100, 80, 0.5, 3);
  g_autoptr (AssayPhoto) b = render (same, NULL, 100, 80, 0.5, 3);
  g_autoptr (AssayPhoto) c = render (other, NULL, 100, 80, 0.5, 3);
  gsize n_equal = 0;

  cr_expect_arr_eq (a->data, b->data, 100 * 80 * 3 * sizeof (float));
  for (gsize i = 0; i < 100 * 80 * 3; i++)
    n_equal += fabsf (a->data[i] - c->data[i]) < 0.5f;
  cr_expect_lt (n_equal, 100 * 80 * 3 / 5);
}

/* Every pixel is covered (an uncovered one would be black), and the pictures have contrast. */
Test (dead_leaves, covers_the_plane)
{
  for (guint s = 0; s < 12; s++) {
    /* Odd sizes: the last tiles reach over the border. */
    g_autoptr (AssayScene) scene = scene_of (s, 131, 77);
    g_autoptr (AssayPhoto) photo = render (scene, NULL, 131, 77, 0, 0);
    double sum = 0, squares = 0;
    const double n = 131 * 77;
    gsize n_black = 0;

    for (gsize i = 0; i < 131 * 77; i++) {
      const double green = photo->data[3 * i + 1];

      n_black += green < 1;
      sum += green;
      squares += green * green;
    }
    cr_expect_lt ((double) n_black, 0.03 * n, "scene %u: %zu black pixels", s, n_black);
    cr_expect_gt (sum / n, 20, "scene %u: mean %g", s, sum / n);
    cr_expect_gt (sqrt (squares / n - sum * sum / n / n), 12, "scene %u", s);
  }
}

/* Shifted by whole pixels and turned by a quarter, a view shows the very same numbers. */
Test (dead_leaves, views_show_the_same_scene)
{
  const double shift[9] = { 1, 0, 24, 0, 1, 10, 0, 0, 1 };
  const double turn[9] = { 0, 1, 0, -1, 0, 99, 0, 0, 1 }; /* (x, y) sees (y, 99 - x) */
  const double scaled[9] = { 7, 0, 168, 0, 7, 70, 0, 0, 7 };
  g_autoptr (AssayScene) scene = scene_of (7, 120, 100);
  g_autoptr (AssayPhoto) whole = render (scene, NULL, 120, 100, 0, 0);
  g_autoptr (AssayPhoto) part = render (scene, shift, 60, 50, 0, 0);
  g_autoptr (AssayPhoto) same = render (scene, scaled, 60, 50, 0, 0);
  g_autoptr (AssayPhoto) turned = render (scene, turn, 100, 120, 0, 0);

  cr_expect_arr_eq (part->data, same->data, 60 * 50 * 3 * sizeof (float),
                    "a homography's scale has no meaning");
  for (gsize y = 0; y < 50; y++)
    for (gsize x = 0; x < 60; x++)
      cr_assert_arr_eq (assay_photo_pixel (part, x, y), assay_photo_pixel (whole, x + 24, y + 10),
                        3 * sizeof (float), "pixel %zu, %zu", x, y);
  for (gsize y = 0; y < 120; y++)
    for (gsize x = 0; x < 100; x++)
      cr_assert_arr_eq (assay_photo_pixel (turned, x, y), assay_photo_pixel (whole, y, 99 - x),
                        3 * sizeof (float), "pixel %zu, %zu", x, y);
}

/* Mean square of second differences along rows, one unit apart, seen with the given footprint. */
static double
roughness (const AssayScene *scene, double footprint)
{
  double sum = 0;

  for (gsize y = 0; y < 80; y++)
    for (gsize x = 1; x < 99; x++) {
      float colours[3][3];

      for (gsize i = 0; i < 3; i++)
        assay_scene_colour (scene, (double) (x + i) - 1, (double) y, footprint, colours[i]);
      sum += pow ((double) (colours[0][1] - 2 * colours[1][1] + colours[2][1]), 2) / (80 * 98);
    }
  return sum;
}

/* Edges fade over the footprint, and textures that are finer vanish. */
Test (dead_leaves, details_fade_with_the_footprint)
{
  double at_1 = 0, at_3 = 0, at_8 = 0;

  for (guint s = 0; s < 6; s++) {
    g_autoptr (AssayScene) scene = scene_of (s, 100, 80);

    at_1 += roughness (scene, 1);
    at_3 += roughness (scene, 3);
    at_8 += roughness (scene, 8);
  }
  cr_log_info ("footprint 1: %.0f, 3: %.0f, 8: %.0f", at_1, at_3, at_8);
  cr_expect_lt (at_3, 0.7 * at_1);
  cr_expect_lt (at_8, 0.3 * at_1);
}

/* A homography that sends pixels to infinity still gives finite colours. */
Test (dead_leaves, survives_a_horizon)
{
  const double horizon[9] = { 1, 0, 0, 0, 1, 0, 0, 0.02, -1 };
  g_autoptr (AssayScene) scene = scene_of (8, 100, 100);
  g_autoptr (AssayPhoto) photo = render (scene, horizon, 100, 100, 0, 0);

  for (gsize i = 0; i < 100 * 100 * 3; i++)
    cr_assert (photo->data[i] >= 0 && photo->data[i] <= 255, "value %zu: %g", i, photo->data[i]);
}

/* The variance of the noise is level^2 (1 + light) / 2, and 1/12 more by rounding. With some
 * 40,000 pixels its deviation is 0.7 %. */
Test (dead_leaves, noise_has_its_level)
{
  g_autoptr (AssayScene) scene = scene_of (9, 300, 240);
  g_autoptr (AssayPhoto) clean = render (scene, NULL, 300, 240, 0, 0);
  g_autoptr (AssayPhoto) noisy = render (scene, NULL, 300, 240, 0, 10);
  double measured = 0, expected = 0;
  gsize n = 0;

  for (gsize i = 0; i < 300 * 240; i++) {
    const double before = clean->data[3 * i + 1];

    if (before < 60 || before > 195) /* six deviations from being cut off */
      continue;
    measured += pow ((double) noisy->data[3 * i + 1] - before, 2);
    expected += 100 * (0.5 + 0.5 * before / 255) + 2.0 / 12;
    n++;
  }
  cr_assert_gt (n, 10000);
  cr_expect_float_eq (measured / expected, 1, 0.06, "%g over %zu pixels", measured / expected, n);
}
