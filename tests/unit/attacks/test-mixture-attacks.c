/* Attacks on single mixtures and on pairs: against naive forms, and what theory says of
 * Gaussian images. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/mixtures/mixture-control.h"
#include "core/base/parallel.h"
#include "core/games/control.h"
#include "core/games/pair-scores.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/mixture-game.h"
#include "tests/unit/attacks/naive-products.h"

extern const AssayAttack assay_attack_inner_product;
extern const AssayAttack assay_attack_inner_product_pair;
extern const AssayAttack assay_attack_braverman;

/* 3,025 = 55^2 pixels and 9,000 public images, of which two are in each of 60 mixtures of k = 4. */
Test (mixture_attacks, theory_on_gaussian_images, .timeout = 110)
{
  enum { PUBLIC = 4000, ITEMS = 60, PARTNERS = 2 };
  MixtureControl control = { .n_secrets = ITEMS,
                             .n_public = PUBLIC,
                             .side = 55,
                             .n_sources = 2,
                             .n_partners = PARTNERS,
                             .n_epochs = 1,
                             .has_mask = TRUE };
  /* A rank that is uniform has the mean (M + 1) / 2 and a deviation of M / sqrt (12); the mean of
   * 120 of them, two an item and at most fully dependent. */
  const double chance = (PUBLIC + 1) / 2.0;
  const double gap = DEVIATIONS * PUBLIC / sqrt (12.0 * ITEMS);
  double braverman;

  {
    g_auto (MixtureGame) game = { 0 };

    mixture_game_make (&control, 1, &game);
    mixture_game_play (&assay_attack_braverman, "", FALSE, &game);
    braverman = mixture_game_median_rank (&game);
    cr_assert (braverman <= 3, "Braverman: median rank %g", braverman);
    mixture_game_play (&assay_attack_inner_product, "", FALSE, &game);
    assert_near (mixture_game_mean_rank (&game), chance, gap, "inner products under a mask");
  }
  control.has_mask = FALSE;
  {
    g_auto (MixtureGame) game = { 0 };

    mixture_game_make (&control, 1, &game);
    mixture_game_play (&assay_attack_inner_product, "", FALSE, &game);
    cr_assert (mixture_game_median_rank (&game) <= 2, "inner products: median rank %g",
               mixture_game_median_rank (&game));
  }
}

/* v_s = <x~^2, s^2> - ||x~||^2 ||s||^2 / d, in double, falls along the candidates. */
Test (mixture_attacks, braverman_ranks_by_its_score)
{
  const MixtureControl control = { .n_secrets = 8,
                                   .n_public = 90,
                                   .side = 12,
                                   .n_sources = 1,
                                   .n_partners = 2,
                                   .n_epochs = 1,
                                   .has_mask = TRUE };
  g_auto (MixtureGame) game = { 0 };
  const gsize d = 144;
  const AssayArray *candidates;
  AssayView images;
  float other[144];

  mixture_game_make (&control, 2, &game);
  mixture_game_play (&assay_attack_braverman, "", FALSE, &game);
  candidates = mixture_game_array (&game.guess->arrays, "candidates");
  cr_assert (candidates->shape[0] == 8 && candidates->shape[1] == 90);
  images = assay_array_view (mixture_game_array (&game.made.release->arrays, "images"));
  for (gsize i = 0; i < 8; i++) {
    double last = INFINITY;

    for (gsize k = 0; k < 90; k++) {
      const float *image = assay_view_row (images, i);
      double of_both = 0, of_image = 0, of_other = 0, score;

      assay_rows_read (game.made.public_rows, (gsize) assay_array_int64 (candidates)[i * 90 + k], 1,
                       ASSAY_SCALE_NONE, other);
      for (gsize j = 0; j < d; j++) {
        const double x = (double) image[j] * image[j], s = (double) other[j] * other[j];

        of_both += x * s;
        of_image += x;
        of_other += s;
      }
      score = of_both - of_image * of_other / (double) d;
      cr_assert (score <= last + 1e-3, "item %zu, place %zu: %g after %g", i, k, score, last);
      last = score;
    }
  }
}

/* ---- Pairs ---- */

static double
area_of (const MixtureGame *game)
{
  const AssayArray *pairs = mixture_game_array (&game->guess->arrays, "pairs");
  const AssayArray *sources = mixture_game_array (&game->made.truth->arrays, "sources");
  const AssayView scores = assay_array_view (mixture_game_array (&game->guess->arrays, "scores"));
  const gsize n = pairs->shape[0];
  double won = 0, compared = 0;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++) {
      const gint64 *a = assay_array_int64 (pairs) + 2 * i, *b = assay_array_int64 (pairs) + 2 * j;

      if (assay_pair_shared (sources, a[0], a[1]) < 0
          || assay_pair_shared (sources, b[0], b[1]) >= 0)
        continue;
      compared++;
      won += scores.data[i] > scores.data[j] ? 1 : scores.data[i] == scores.data[j] ? 0.5 : 0;
    }
  return won / compared;
}

Test (mixture_attacks, pairs_of_mixup_are_told_and_of_instahide_only_by_absolute_values)
{
  MixtureControl control = { .n_secrets = 20, .side = 40, .n_sources = 2, .n_epochs = 4 };
  g_auto (MixtureGame) plain = { 0 };
  g_auto (MixtureGame) masked = { 0 };

  mixture_game_make (&control, 3, &plain);
  mixture_game_play (&assay_attack_inner_product_pair, "", FALSE, &plain);
  cr_assert (mixture_game_array (&plain.guess->arrays, "pairs")->shape[0] == 80 * 79 / 2);
  cr_assert (area_of (&plain) > 0.99, "Mixup: %g", area_of (&plain));
  control.has_mask = TRUE;
  mixture_game_make (&control, 3, &masked);
  mixture_game_play (&assay_attack_inner_product_pair, "", FALSE, &masked);
  /* Under the mask the scores of any pairs that form no cycle are independent: the variance of the
   * area over about 600 positives is 1 / (12 600), and five deviations are 0.06. */
  assert_near (area_of (&masked), 0.5, 0.06, "InstaHide");
  mixture_game_play (&assay_attack_inner_product_pair, "absolute=yes", FALSE, &masked);
  cr_assert (area_of (&masked) > 0.9, "InstaHide, absolute: %g", area_of (&masked));
}

/* Of more pairs than asked for, those of a subset: no pair twice, and as many as fit. */
Test (mixture_attacks, pairs_are_bounded)
{
  const MixtureControl control = { .n_secrets = 20, .side = 12, .n_sources = 2, .n_epochs = 2 };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (MixtureGame) game = { 0 };
  AssayView images, scores;
  const AssayArray *pairs;

  mixture_game_make (&control, 4, &game);
  mixture_game_play (&assay_attack_inner_product_pair, "pairs=100", FALSE, &game);
  pairs = mixture_game_array (&game.guess->arrays, "pairs");
  cr_assert (pairs->shape[0] == 91, "%zu pairs", pairs->shape[0]); /* 14 x 13 / 2 */
  images = assay_array_view (mixture_game_array (&game.made.release->arrays, "images"));
  scores = assay_array_view (mixture_game_array (&game.guess->arrays, "scores"));
  for (gsize i = 0; i < 91; i++) {
    const gint64 *pair = assay_array_int64 (pairs) + 2 * i;
    const float *a = assay_view_row (images, (gsize) pair[0]);
    const float *b = assay_view_row (images, (gsize) pair[1]);

    assert_near (scores.data[i], naive_dot (a, b, 144), tolerance_of (a, b, 144), "pair %zu", i);
    cr_assert (g_hash_table_add (seen, g_strdup_printf ("%d %d", (int) pair[0], (int) pair[1])));
  }
}

/* ---- Bad input ---- */

static void
refused (const AssayAttack *attack, const char *assignments, MixtureGame *game, AssayErrorCode code,
         const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!mixture_game_try (attack, assignments, FALSE, game, &error), "%s", message);
  cr_assert (fixture_error_is (&error, (gint) code, message, NULL, &why), "%s", why);
}

Test (mixture_attacks, bad_input)
{
  const MixtureControl control = {
    .n_secrets = 1, .n_public = 3, .side = 12, .n_sources = 1, .n_partners = 1, .n_epochs = 1
  };
  g_auto (MixtureGame) game = { 0 };

  mixture_game_make (&control, 11, &game);
  refused (&assay_attack_inner_product_pair, "", &game, ASSAY_ERROR_MISMATCH,
           "attack inner-product-pair: a release of 1 mixture has no pair; expected 2 or more");
  refused (&assay_attack_similarity_search, "crops=1 shift=13", &game, ASSAY_ERROR_PARAMETER,
           "attack similarity-search: shift = 13: images are 12 x 12 pixels; expected no more than "
           "their shorter side");
  game.made.release->geometry.height = 0;
  refused (&assay_attack_similarity_search, "", &game, ASSAY_ERROR_MISMATCH,
           "attack similarity-search: the release does not say what images its rows are; expected "
           "its geometry");
  refused (
      &assay_attack_averaging, "similarity=ssim", &game, ASSAY_ERROR_MISMATCH,
      "attack averaging: similarity = ssim: the release does not say what images its rows are");
  g_clear_pointer (&game.made.public_rows, assay_rows_unref);
  game.made.public_rows = fixture_normal_rows (1, 144, 1);
  refused (&assay_attack_inner_product, "whiten=yes centre=yes", &game, ASSAY_ERROR_NUMERIC,
           "attack inner-product: whiten: the images to learn the covariance from are all alike");
  g_clear_pointer (&game.made.public_rows, assay_rows_unref);
  game.made.public_rows = assay_rows_new (144);
  refused (&assay_attack_braverman, "", &game, ASSAY_ERROR_MISMATCH,
           "attack braverman: the public set is empty; expected public images");
}

/* Controls are won with settings other than the defaults too. */
Test (mixture_attacks, controls_are_won_with_other_settings, .timeout = 110)
{
  static const struct {
    const AssayAttack *attack;
    const char *settings;
  } cases[] = {
    { &assay_attack_inner_product, "absolute=yes" },
    { &assay_attack_inner_product, "whiten=yes centre=yes unit=yes" },
    { &assay_attack_inner_product, "level=yes keep=1" },
    { &assay_attack_inner_product_pair, "absolute=yes" },
    { &assay_attack_inner_product_pair, "whiten=yes centre=yes unit=yes" },
    { &assay_attack_inner_product_pair, "absolute=yes whiten=yes" },
    { &assay_attack_inner_product_pair, "absolute=yes whiten=yes centre=yes shrinkage=0.001" },
    { &assay_attack_inner_product_pair, "absolute=yes whiten=yes unit=yes pairs=10000" },
    { &assay_attack_inner_product_subtract, "partners=5 whiten=yes" },
    { &assay_attack_inner_product_subtract, "partners=1" },
    { &assay_attack_braverman, "centre=yes unit=yes" },
    { &assay_attack_averaging, "grouping=found" },
    { &assay_attack_averaging, "grouping=found absolute=yes similarity=correlation" },
    { &assay_attack_averaging, "grouping=found similarity=ssim" },
    { &assay_attack_averaging, "absolute=yes" },
    { &assay_attack_averaging, "rounds=5" },
    { &assay_attack_similarity_search, "absolute=yes" },
    { &assay_attack_similarity_search, "crops=3" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint64 seed = 0; seed < 1; seed++) {
      g_autoptr (AssaySettings) settings
          = fixture_settings (&cases[i].attack->plugin, cases[i].settings);
      g_autoptr (GError) error = NULL;
      AssayControlOutcome outcome;

      cr_assert (assay_control_run (cases[i].attack, settings, seed, &outcome, &error), "%s: %s",
                 cases[i].settings, error->message);
      cr_assert (outcome.is_won, "%s %s, seed %d: %g", cases[i].attack->id, cases[i].settings,
                 (int) seed, outcome.share);
    }
}
