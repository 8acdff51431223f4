/* Defenses that make images coarser, against the definition of each. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/games/control-case.h"
#include "tests/reference/fixtures.h"

extern const AssayDefense assay_defense_pixelation;
extern const AssayDefense assay_defense_gaussian_blur;
extern const AssayDefense assay_defense_quantisation;

enum { H = 7, W = 9, C = 2, COLS = H * W * C, N = 5 };

static AssayMatrix *
make_images (void)
{
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "images", ""), 0);
  AssayMatrix *images = assay_control_normals (N, COLS, &stream, NULL);

  for (gsize i = 0; i < N * COLS; i++)
    images->data[i] = fabsf (images->data[i]) - floorf (fabsf (images->data[i]));
  return images;
}

static AssayMatrix *
filter (const AssayDefense *defense, const char *assignments, AssayView images,
        AssayGeometry geometry, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  const AssayDefenseContext context = { .settings = settings->values, .geometry = geometry };
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_VECTORS, defense->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();

  if (!defense->protect (&context, images, release, truth, error))
    return NULL;
  return assay_matrix_copy (assay_array_view (assay_arrays_get (&release->arrays, "vectors")),
                            NULL);
}

static const AssayGeometry sides
    = { .height = H, .width = W, .channels = C, .black = 0, .white = 1 };

static float
pixel (const AssayMatrix *images, gsize i, gsize y, gsize x, gsize c)
{
  return images->data[i * COLS + (y * W + x) * C + c];
}

/* The mean of all pixels of the cell, looked for anew for every pixel. */
Test (image_filters, a_pixelated_image_has_the_means_of_its_cells)
{
  g_autoptr (AssayMatrix) images = make_images ();
  g_autoptr (AssayMatrix) found = filter (&assay_defense_pixelation, "cells=3",
                                          assay_matrix_view (images), sides, NULL);

  for (gsize i = 0; i < N; i++)
    for (gsize y = 0; y < H; y++)
      for (gsize x = 0; x < W; x++)
        for (gsize c = 0; c < C; c++) {
          double sum = 0, count = 0;

          for (gsize v = 0; v < H; v++)
            for (gsize u = 0; u < W; u++)
              if (v * 3 / H == y * 3 / H && u * 3 / W == x * 3 / W) {
                sum += (double) pixel (images, i, v, u, c);
                count++;
              }
          cr_assert_float_eq ((double) pixel (found, i, y, x, c), sum / count, 1e-6);
        }
}

/* As many cells as pixels leave the image as it is, and more are no error. */
Test (image_filters, small_cells_change_nothing)
{
  g_autoptr (AssayMatrix) images = make_images ();
  const AssayGeometry square = { .height = 3, .width = 3, .channels = 14, .white = 1 };
  g_autoptr (AssayMatrix) found = filter (&assay_defense_pixelation, "cells=64",
                                          assay_matrix_view (images), square, NULL);

  cr_assert_eq (memcmp (images->data, found->data, N * COLS * sizeof (float)), 0);
}

/* The whole filter in two dimensions, at once. */
Test (image_filters, a_blurred_image_is_a_gaussian_mean)
{
  g_autoptr (AssayMatrix) images = make_images ();
  g_autoptr (AssayMatrix) found = filter (&assay_defense_gaussian_blur, "sigma=1.5",
                                          assay_matrix_view (images), sides, NULL);
  const int radius = 5;

  for (gsize y = 0; y < H; y++)
    for (gsize x = 0; x < W; x++) {
      double sum = 0, weights = 0;

      for (int v = -radius; v <= radius; v++)
        for (int u = -radius; u <= radius; u++) {
          const double weight = exp (-(u * u + v * v) / (2 * 1.5 * 1.5));

          sum += weight
                 * (double) pixel (images, 2, (gsize) CLAMP ((int) y + v, 0, H - 1),
                                   (gsize) CLAMP ((int) x + u, 0, W - 1), 1);
          weights += weight;
        }
      cr_assert_float_eq ((double) pixel (found, 2, y, x, 1), sum / weights, 1e-6);
    }
}

Test (image_filters, a_quantised_image_has_so_many_levels_and_the_nearest_ones)
{
  g_autoptr (AssayMatrix) images = make_images ();
  g_autoptr (AssayMatrix) found = filter (&assay_defense_quantisation, "bits=2",
                                          assay_matrix_view (images), sides, NULL);
  gsize counts[4] = { 0 };

  for (gsize i = 0; i < N * COLS; i++) {
    const double level = 3 * (double) found->data[i];

    cr_assert_float_eq (level, round (level), 1e-6);
    cr_assert_leq (fabs ((double) found->data[i] - (double) images->data[i]), 1 / 6.0 + 1e-6);
    counts[lround (level)]++;
  }
  for (guint l = 0; l < 4; l++)
    cr_assert_gt (counts[l], 0);
}

/* Images with a scale of their own: from their least to their largest number. */
Test (image_filters, levels_of_images_with_a_scale_of_their_own)
{
  g_autoptr (AssayMatrix) images = make_images ();
  const AssayGeometry own = { .height = H, .width = W, .channels = C };
  g_autoptr (AssayMatrix) found = NULL;
  float low = G_MAXFLOAT, high = -G_MAXFLOAT;

  for (gsize i = 0; i < N * COLS; i++)
    images->data[i] = 10 * images->data[i] - 3;
  found = filter (&assay_defense_quantisation, "bits=1", assay_matrix_view (images), own, NULL);
  for (gsize j = 0; j < COLS; j++) {
    low = MIN (low, images->data[j]);
    high = MAX (high, images->data[j]);
  }
  for (gsize j = 0; j < COLS; j++)
    cr_assert (fabsf (found->data[j] - low) < 1e-5F || fabsf (found->data[j] - high) < 1e-5F);
}

Test (image_filters, rows_that_are_no_images_are_refused)
{
  const AssayDefense *const all[] = { &assay_defense_pixelation, &assay_defense_gaussian_blur,
                                      &assay_defense_quantisation };
  g_autoptr (AssayMatrix) images = make_images ();

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    const AssayShape shape = { .cols = COLS }, unknown = { .cols = 0 };
    g_autoptr (GError) error = NULL;

    cr_assert_null (
        filter (all[i], "", assay_matrix_view (images), (AssayGeometry){ 0 }, &error));
    cr_assert_str_eq (error->message, "the secrets are rows of 126 numbers; expected images");
    cr_assert_not (all[i]->check (NULL, &shape, NULL));
    cr_assert (all[i]->check (NULL, &unknown, NULL));
  }
}
