/* Attacks that average groups of mixtures, take away public images, or search for what is alike. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/mixtures/mixture-control.h"
#include "core/math/image-quality.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/mixture-game.h"

/* ---- Reconstruction ---- */

/* Root mean square over secrets of ||x^ - x|| / ||x||. */
static double
mean_error (const MixtureGame *game)
{
  const AssayView secrets
      = assay_array_view (mixture_game_array (&game->made.truth->arrays, "secrets"));
  const AssayView estimates
      = assay_array_view (mixture_game_array (&game->guess->arrays, "estimates"));
  double gap = 0, length = 0;

  cr_assert (estimates.rows == secrets.rows && estimates.cols == secrets.cols);
  for (gsize i = 0; i < secrets.rows; i++)
    for (gsize j = 0; j < secrets.cols; j++) {
      const double x = assay_view_row (secrets, i)[j];

      gap += (assay_view_row (estimates, i)[j] - x) * (assay_view_row (estimates, i)[j] - x);
      length += x * x;
    }
  return sqrt (gap / length);
}

/* With one secret and one public image in each mixture, x^ - x is (g mean (lambda) - 1) x and
 * noise of variance g^2 E[lambda_2^2] / T, g = 2; lambda is between 0.35 and 0.65 and symmetric
 * about 1/2, so that E[lambda_2^2] is between 1/4 and 1/4 + 0.15^2. */
Test (mixture_groups, averages_of_known_groups_converge)
{
  static const gsize epochs[] = { 10, 40, 160 };

  for (gsize e = 0; e < G_N_ELEMENTS (epochs); e++) {
    const MixtureControl control = { .n_secrets = 12,
                                     .n_public = 4000,
                                     .side = 16,
                                     .n_sources = 1,
                                     .n_partners = 1,
                                     .n_epochs = epochs[e] };
    const double t = (double) epochs[e];
    g_auto (MixtureGame) game = { 0 };
    double error;

    mixture_game_make (&control, 5, &game);
    mixture_game_play (&assay_attack_averaging, "centre=no", TRUE, &game);
    error = mean_error (&game);
    /* The variance of the coefficients adds at most 4 * 0.15^2 / T; 10 % for 12 x 256 numbers. */
    cr_assert (error >= 0.9 * sqrt (1 / t) && error <= 1.1 * sqrt (1.18 / t), "T = %zu: %g",
               epochs[e], error);
  }
}

/* x^ = m + g (mean - m), in double. */
Test (mixture_groups, averages_are_those_of_their_definition)
{
  enum { N = 6, EPOCHS = 5, D = 144 };
  const MixtureControl control = { .n_secrets = N, .side = 12, .n_sources = 3, .n_epochs = EPOCHS };
  g_auto (MixtureGame) game = { 0 };
  AssayView images, estimates;

  mixture_game_make (&control, 6, &game);
  mixture_game_play (&assay_attack_averaging, "absolute=yes gain=2.5", TRUE, &game);
  images = assay_array_view (mixture_game_array (&game.made.release->arrays, "images"));
  estimates = assay_array_view (mixture_game_array (&game.guess->arrays, "estimates"));
  cr_assert (estimates.rows == N);
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < D; j++) {
      double all = 0, own = 0;

      for (gsize t = 0; t < N * EPOCHS; t++)
        all += fabs ((double) assay_view_row (images, t)[j]) / (N * EPOCHS);
      for (gsize t = 0; t < EPOCHS; t++)
        own += fabs ((double) assay_view_row (images, t * N + i)[j]) / EPOCHS;
      assert_near (assay_view_row (estimates, i)[j], all + 2.5 * (own - all), 1e-5,
                   "secret %zu, pixel %zu", i, j);
    }
}

/* Without groups, every mixture with those of its own secret: the same as with groups. */
Test (mixture_groups, groups_are_found)
{
  static const char *const similarities[] = { "inner-product", "correlation", "ssim" };
  const MixtureControl control = {
    .n_secrets = 8, .n_public = 2000, .side = 40, .n_sources = 1, .n_partners = 1, .n_epochs = 4
  };

  for (gsize s = 0; s < G_N_ELEMENTS (similarities); s++) {
    g_autofree char *settings
        = g_strdup_printf ("similar=3 grouping=found similarity=%s", similarities[s]);
    g_auto (MixtureGame) known = { 0 };
    g_auto (MixtureGame) found = { 0 };
    AssayView a, b;

    mixture_game_make (&control, 7, &known);
    mixture_game_make (&control, 7, &found);
    mixture_game_play (&assay_attack_averaging, "", TRUE, &known);
    mixture_game_play (&assay_attack_averaging, settings, TRUE, &found);
    a = assay_array_view (mixture_game_array (&known.guess->arrays, "estimates"));
    b = assay_array_view (mixture_game_array (&found.guess->arrays, "estimates"));
    cr_assert (a.rows == 8 && b.rows == 32);
    for (gsize i = 0; i < 32; i++)
      for (gsize j = 0; j < a.cols; j++)
        assert_near (assay_view_row (b, i)[j], assay_view_row (a, i % 8)[j], 1e-4,
                     "%s: mixture %zu", similarities[s], i);
  }
}

/* Least squares on the right images: each coefficient is off by about lambda_1 / sqrt (d), so that
 * the estimate is off by sqrt (p / d) of its length, and its scale by as much. */
Test (mixture_groups, public_images_are_subtracted)
{
  const MixtureControl control = {
    .n_secrets = 20, .n_public = 400, .side = 50, .n_sources = 1, .n_partners = 2, .n_epochs = 3
  };
  g_auto (MixtureGame) game = { 0 };
  double each;

  mixture_game_make (&control, 8, &game);
  mixture_game_play (&assay_attack_inner_product_subtract, "partners=2", TRUE, &game);
  each = mean_error (&game);
  cr_assert (each <= 2.5 * sqrt (2 * 2.0 / 2500), "relative error %g", each);
  mixture_game_play (&assay_attack_inner_product_subtract, "partners=2", FALSE, &game);
  cr_assert (mixture_game_array (&game.guess->arrays, "estimates")->shape[0] == 60);
  /* Nothing found, nothing subtracted: with 1 of 2 images the error is that of the other one. */
  mixture_game_play (&assay_attack_inner_product_subtract, "partners=1", TRUE, &game);
  cr_assert (mean_error (&game) > 3 * each, "one of two: %g", mean_error (&game));
}

/* ---- Similarity search ---- */

/* The public images are moved after they were mixed: only windows find them again. */
Test (mixture_groups, crops_find_what_was_moved)
{
  enum { PUBLIC = 60, SIDE = 24, D = SIDE * SIDE };
  const MixtureControl control = { .n_secrets = 20,
                                   .n_public = PUBLIC,
                                   .side = SIDE,
                                   .n_sources = 1,
                                   .n_partners = 2,
                                   .n_epochs = 1 };
  g_auto (MixtureGame) game = { 0 };
  g_autoptr (AssayMatrix) moved = assay_matrix_new (PUBLIC, D, NULL);
  float picture[D];

  mixture_game_make (&control, 9, &game);
  mixture_game_play (&assay_attack_similarity_search, "", FALSE, &game);
  cr_assert (mixture_game_median_rank (&game) <= 2, "%g", mixture_game_median_rank (&game));
  for (gsize i = 0; i < PUBLIC; i++) {
    assay_rows_read (game.made.public_rows, i, 1, ASSAY_SCALE_NONE, picture);
    for (gsize y = 0; y < SIDE; y++)
      for (gsize x = 0; x < SIDE; x++)
        assay_matrix_row (moved, i)[y * SIDE + x] = picture[y * SIDE + (x + 1) % SIDE];
  }
  g_clear_pointer (&game.made.public_rows, assay_rows_unref);
  game.made.public_rows = assay_rows_take_matrix (g_steal_pointer (&moved));
  mixture_game_play (&assay_attack_similarity_search, "", FALSE, &game);
  assert_near (mixture_game_mean_rank (&game), (PUBLIC + 1) / 2.0,
               DEVIATIONS * PUBLIC / sqrt (12.0 * 20), "moved by a pixel");
  /* A window is moved back by one pixel and not mirrored with chance 1 / 18: 90 miss it with chance
   * 0.6 %. */
  mixture_game_play (&assay_attack_similarity_search, "crops=90 shift=1", FALSE, &game);
  cr_assert (mixture_game_median_rank (&game) <= 3, "windows: %g",
             mixture_game_median_rank (&game));
  /* Of all windows none is missed; without a shift they are the picture and its mirror image. */
  mixture_game_play (&assay_attack_similarity_search, "all_windows=yes shift=1", FALSE, &game);
  cr_assert (mixture_game_median_rank (&game) <= 3, "all windows: %g",
             mixture_game_median_rank (&game));
  mixture_game_play (&assay_attack_similarity_search, "all_windows=yes shift=0", FALSE, &game);
  assert_near (mixture_game_mean_rank (&game), (PUBLIC + 1) / 2.0,
               DEVIATIONS * PUBLIC / sqrt (12.0 * 20), "windows that do not move");
}

Test (mixture_groups, similarity_falls_along_the_candidates)
{
  const MixtureControl control = { .n_secrets = 5,
                                   .n_public = 40,
                                   .side = 14,
                                   .n_sources = 1,
                                   .n_partners = 2,
                                   .n_epochs = 1,
                                   .has_mask = TRUE };
  AssaySsim ssim = { .shape = { 14, 14, 1 } };
  g_auto (MixtureGame) game = { 0 };
  g_autoptr (AssayMatrix) others = assay_matrix_new (40, 196, NULL);
  float most = 0, least = INFINITY, image[196];

  mixture_game_make (&control, 10, &game);
  mixture_game_play (&assay_attack_similarity_search, "absolute=yes keep=17", FALSE, &game);
  assay_rows_read (game.made.public_rows, 0, 40, ASSAY_SCALE_NONE, others->data);
  for (gsize j = 0; j < 40 * 196; j++) {
    others->data[j] = fabsf (others->data[j]);
    most = MAX (most, others->data[j]);
    least = MIN (least, others->data[j]);
  }
  ssim.range = (double) most - least;
  for (gsize i = 0; i < 5; i++) {
    const AssayView images
        = assay_array_view (mixture_game_array (&game.made.release->arrays, "images"));
    const AssayArray *candidates = mixture_game_array (&game.guess->arrays, "candidates");
    double last = 1;

    cr_assert (candidates->shape[1] == 17);
    for (gsize j = 0; j < 196; j++)
      image[j] = fabsf (assay_view_row (images, i)[j]);
    for (gsize k = 0; k < 17; k++) {
      const gsize row = (gsize) assay_array_int64 (candidates)[i * 17 + k];
      double found;

      cr_assert (assay_image_ssim (&ssim, image, assay_matrix_row (others, row), &found, NULL));
      cr_assert (found <= last + 1e-6, "item %zu, place %zu", i, k);
      last = found;
    }
  }
}
