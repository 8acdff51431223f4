/* Attacks on mixed images: against naive forms, and what theory says of Gaussian images. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"
#include "core/base/parallel.h"
#include "core/games/control.h"
#include "core/games/pair-scores.h"
#include "core/math/image-quality.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

#define DEVIATIONS 5.0 /* of a normal: exceeded with chance 6e-7 */

extern const AssayAttack assay_attack_inner_product;
extern const AssayAttack assay_attack_inner_product_pair;
extern const AssayAttack assay_attack_inner_product_subtract;
extern const AssayAttack assay_attack_braverman;
extern const AssayAttack assay_attack_averaging;
extern const AssayAttack assay_attack_similarity_search;

static double
naive_dot (const float *a, const float *b, gsize n)
{
  double sum = 0;

  for (gsize j = 0; j < n; j++)
    sum += (double) a[j] * b[j];
  return sum;
}

static double
naive_length (const float *a, gsize n)
{
  return sqrt (naive_dot (a, a, n));
}

/* What float32 sums of @d products may be off by. */
static double
tolerance_of (const float *a, const float *b, gsize d)
{
  return (double) d * 1.2e-7 * naive_length (a, d) * naive_length (b, d);
}

/* ---- Attacks on Gaussian images ---- */

typedef struct {
  AssayControlCase made;
  AssayGuess *guess;
} Game;

static void
game_clear (Game *game)
{
  assay_control_case_clear (&game->made);
  assay_guess_free (game->guess);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Game, game_clear)

static gboolean
try_attack (const AssayAttack *attack, const char *assignments, gboolean with_groups, Game *game,
            GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (9, 0, "attack", "") };
  const AssayObservation seen = { .release = game->made.release,
                                  .public_rows = game->made.public_rows,
                                  .groups = with_groups ? game->made.groups : NULL };

  g_clear_pointer (&game->guess, assay_guess_free);
  game->guess = assay_guess_new ();
  return assay_attack_run (attack, &context, &seen, game->guess, error);
}

static void
play (const AssayAttack *attack, const char *assignments, gboolean with_groups, Game *game)
{
  g_autoptr (GError) error = NULL;

  cr_assert (try_attack (attack, assignments, with_groups, game, &error), "%s %s: %s", attack->id,
             assignments, error->message);
}

static void
make_case (const MixtureControl *control, guint64 seed, Game *game)
{
  cr_assert (
      mixture_control_make (control, assay_stream_key (seed, 0, "case", ""), &game->made, NULL));
  cr_assert (assay_release_check (game->made.release, NULL)
             && assay_truth_check (game->made.truth, NULL));
}

static const AssayArray *
array_of (const AssayArrays *arrays, const char *name)
{
  const AssayArray *array = assay_arrays_get (arrays, name);

  cr_assert (array != NULL, "%s", name);
  return array;
}

/* Ranks, from 1, of all partners of all items. */
static double *
ranks_of (const Game *game, gsize *ret_n)
{
  const AssayArray *candidates = array_of (&game->guess->arrays, "candidates");
  const AssayArray *partners = array_of (&game->made.truth->arrays, "partners");
  const gsize n = partners->shape[0], p = partners->shape[1], c = candidates->shape[1];
  double *ranks = g_new0 (double, n *p);

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < p; j++)
      for (gsize k = 0; k < c; k++)
        if (assay_array_int64 (candidates)[i * c + k] == assay_array_int64 (partners)[i * p + j])
          ranks[i * p + j] = (double) k + 1;
  *ret_n = n * p;
  return ranks;
}

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median_rank (const Game *game)
{
  gsize n;
  g_autofree double *ranks = ranks_of (game, &n);

  qsort (ranks, n, sizeof *ranks, compare_doubles);
  return 0.5 * (ranks[(n - 1) / 2] + ranks[n / 2]);
}

static double
mean_rank (const Game *game)
{
  gsize n;
  g_autofree double *ranks = ranks_of (game, &n);
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += ranks[i] / (double) n;
  return sum;
}

/* 3,025 = 55^2 pixels and 9,000 public images, of which two are in each of 60 mixtures of k = 4. */
Test (mixture_attacks, theory_on_gaussian_images, .timeout = 110)
{
  enum { PUBLIC = 9000, ITEMS = 60, PARTNERS = 2 };
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
    g_auto (Game) game = { 0 };

    make_case (&control, 1, &game);
    play (&assay_attack_braverman, "", FALSE, &game);
    braverman = median_rank (&game);
    cr_assert (braverman <= 3, "Braverman: median rank %g", braverman);
    play (&assay_attack_inner_product, "", FALSE, &game);
    assert_near (mean_rank (&game), chance, gap, "inner products under a mask");
  }
  control.has_mask = FALSE;
  {
    g_auto (Game) game = { 0 };

    make_case (&control, 1, &game);
    play (&assay_attack_inner_product, "", FALSE, &game);
    cr_assert (median_rank (&game) <= 2, "inner products: median rank %g", median_rank (&game));
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
  g_auto (Game) game = { 0 };
  const gsize d = 144;
  const AssayArray *candidates;
  AssayView images;
  float other[144];

  make_case (&control, 2, &game);
  play (&assay_attack_braverman, "", FALSE, &game);
  candidates = array_of (&game.guess->arrays, "candidates");
  cr_assert (candidates->shape[0] == 8 && candidates->shape[1] == 90);
  images = assay_array_view (array_of (&game.made.release->arrays, "images"));
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
area_of (const Game *game)
{
  const AssayArray *pairs = array_of (&game->guess->arrays, "pairs");
  const AssayArray *sources = array_of (&game->made.truth->arrays, "sources");
  const AssayView scores = assay_array_view (array_of (&game->guess->arrays, "scores"));
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
  g_auto (Game) plain = { 0 };
  g_auto (Game) masked = { 0 };

  make_case (&control, 3, &plain);
  play (&assay_attack_inner_product_pair, "", FALSE, &plain);
  cr_assert (array_of (&plain.guess->arrays, "pairs")->shape[0] == 80 * 79 / 2);
  cr_assert (area_of (&plain) > 0.99, "Mixup: %g", area_of (&plain));
  control.has_mask = TRUE;
  make_case (&control, 3, &masked);
  play (&assay_attack_inner_product_pair, "", FALSE, &masked);
  /* Under the mask the scores of any pairs that form no cycle are independent: the variance of the
   * area over about 600 positives is 1 / (12 600), and five deviations are 0.06. */
  assert_near (area_of (&masked), 0.5, 0.06, "InstaHide");
  play (&assay_attack_inner_product_pair, "absolute=yes", FALSE, &masked);
  cr_assert (area_of (&masked) > 0.9, "InstaHide, absolute: %g", area_of (&masked));
}

/* Of more pairs than asked for, those of a subset: no pair twice, and as many as fit. */
Test (mixture_attacks, pairs_are_bounded)
{
  const MixtureControl control = { .n_secrets = 20, .side = 12, .n_sources = 2, .n_epochs = 2 };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (Game) game = { 0 };
  AssayView images, scores;
  const AssayArray *pairs;

  make_case (&control, 4, &game);
  play (&assay_attack_inner_product_pair, "pairs=100", FALSE, &game);
  pairs = array_of (&game.guess->arrays, "pairs");
  cr_assert (pairs->shape[0] == 91, "%zu pairs", pairs->shape[0]); /* 14 x 13 / 2 */
  images = assay_array_view (array_of (&game.made.release->arrays, "images"));
  scores = assay_array_view (array_of (&game.guess->arrays, "scores"));
  for (gsize i = 0; i < 91; i++) {
    const gint64 *pair = assay_array_int64 (pairs) + 2 * i;
    const float *a = assay_view_row (images, (gsize) pair[0]);
    const float *b = assay_view_row (images, (gsize) pair[1]);

    assert_near (scores.data[i], naive_dot (a, b, 144), tolerance_of (a, b, 144), "pair %zu", i);
    cr_assert (g_hash_table_add (seen, g_strdup_printf ("%d %d", (int) pair[0], (int) pair[1])));
  }
}

/* ---- Reconstruction ---- */

/* Root mean square over secrets of ||x^ - x|| / ||x||. */
static double
mean_error (const Game *game)
{
  const AssayView secrets = assay_array_view (array_of (&game->made.truth->arrays, "secrets"));
  const AssayView estimates = assay_array_view (array_of (&game->guess->arrays, "estimates"));
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
Test (mixture_attacks, averages_of_known_groups_converge)
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
    g_auto (Game) game = { 0 };
    double error;

    make_case (&control, 5, &game);
    play (&assay_attack_averaging, "centre=no", TRUE, &game);
    error = mean_error (&game);
    /* The variance of the coefficients adds at most 4 * 0.15^2 / T; 10 % for 12 x 256 numbers. */
    cr_assert (error >= 0.9 * sqrt (1 / t) && error <= 1.1 * sqrt (1.18 / t), "T = %zu: %g",
               epochs[e], error);
  }
}

/* x^ = m + g (mean - m), in double. */
Test (mixture_attacks, averages_are_those_of_their_definition)
{
  enum { N = 6, EPOCHS = 5, D = 144 };
  const MixtureControl control = { .n_secrets = N, .side = 12, .n_sources = 3, .n_epochs = EPOCHS };
  g_auto (Game) game = { 0 };
  AssayView images, estimates;

  make_case (&control, 6, &game);
  play (&assay_attack_averaging, "absolute=yes gain=2.5", TRUE, &game);
  images = assay_array_view (array_of (&game.made.release->arrays, "images"));
  estimates = assay_array_view (array_of (&game.guess->arrays, "estimates"));
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
Test (mixture_attacks, groups_are_found)
{
  static const char *const similarities[] = { "inner-product", "correlation", "ssim" };
  const MixtureControl control = {
    .n_secrets = 8, .n_public = 2000, .side = 40, .n_sources = 1, .n_partners = 1, .n_epochs = 4
  };

  for (gsize s = 0; s < G_N_ELEMENTS (similarities); s++) {
    g_autofree char *settings
        = g_strdup_printf ("similar=3 grouping=found similarity=%s", similarities[s]);
    g_auto (Game) known = { 0 };
    g_auto (Game) found = { 0 };
    AssayView a, b;

    make_case (&control, 7, &known);
    make_case (&control, 7, &found);
    play (&assay_attack_averaging, "", TRUE, &known);
    play (&assay_attack_averaging, settings, TRUE, &found);
    a = assay_array_view (array_of (&known.guess->arrays, "estimates"));
    b = assay_array_view (array_of (&found.guess->arrays, "estimates"));
    cr_assert (a.rows == 8 && b.rows == 32);
    for (gsize i = 0; i < 32; i++)
      for (gsize j = 0; j < a.cols; j++)
        assert_near (assay_view_row (b, i)[j], assay_view_row (a, i % 8)[j], 1e-4,
                     "%s: mixture %zu", similarities[s], i);
  }
}

/* Least squares on the right images: each coefficient is off by about lambda_1 / sqrt (d), so that
 * the estimate is off by sqrt (p / d) of its length, and its scale by as much. */
Test (mixture_attacks, public_images_are_subtracted)
{
  const MixtureControl control = {
    .n_secrets = 20, .n_public = 400, .side = 50, .n_sources = 1, .n_partners = 2, .n_epochs = 3
  };
  g_auto (Game) game = { 0 };
  double each;

  make_case (&control, 8, &game);
  play (&assay_attack_inner_product_subtract, "partners=2", TRUE, &game);
  each = mean_error (&game);
  cr_assert (each <= 2.5 * sqrt (2 * 2.0 / 2500), "relative error %g", each);
  play (&assay_attack_inner_product_subtract, "partners=2", FALSE, &game);
  cr_assert (array_of (&game.guess->arrays, "estimates")->shape[0] == 60);
  /* Nothing found, nothing subtracted: with 1 of 2 images the error is that of the other one. */
  play (&assay_attack_inner_product_subtract, "partners=1", TRUE, &game);
  cr_assert (mean_error (&game) > 3 * each, "one of two: %g", mean_error (&game));
}

/* ---- Similarity search ---- */

/* The public images are moved after they were mixed: only windows find them again. */
Test (mixture_attacks, crops_find_what_was_moved)
{
  enum { PUBLIC = 60, SIDE = 24, D = SIDE * SIDE };
  const MixtureControl control = { .n_secrets = 20,
                                   .n_public = PUBLIC,
                                   .side = SIDE,
                                   .n_sources = 1,
                                   .n_partners = 2,
                                   .n_epochs = 1 };
  g_auto (Game) game = { 0 };
  g_autoptr (AssayMatrix) moved = assay_matrix_new (PUBLIC, D, NULL);
  float picture[D];

  make_case (&control, 9, &game);
  play (&assay_attack_similarity_search, "", FALSE, &game);
  cr_assert (median_rank (&game) <= 2, "%g", median_rank (&game));
  for (gsize i = 0; i < PUBLIC; i++) {
    assay_rows_read (game.made.public_rows, i, 1, ASSAY_SCALE_NONE, picture);
    for (gsize y = 0; y < SIDE; y++)
      for (gsize x = 0; x < SIDE; x++)
        assay_matrix_row (moved, i)[y * SIDE + x] = picture[y * SIDE + (x + 1) % SIDE];
  }
  g_clear_pointer (&game.made.public_rows, assay_rows_unref);
  game.made.public_rows = assay_rows_take_matrix (g_steal_pointer (&moved));
  play (&assay_attack_similarity_search, "", FALSE, &game);
  assert_near (mean_rank (&game), (PUBLIC + 1) / 2.0, DEVIATIONS * PUBLIC / sqrt (12.0 * 20),
               "moved by a pixel");
  /* A window is moved back by one pixel and not mirrored with chance 1 / 18: 90 miss it with chance
   * 0.6 %. */
  play (&assay_attack_similarity_search, "crops=90 shift=1", FALSE, &game);
  cr_assert (median_rank (&game) <= 3, "windows: %g", median_rank (&game));
}

Test (mixture_attacks, similarity_falls_along_the_candidates)
{
  const MixtureControl control = { .n_secrets = 5,
                                   .n_public = 40,
                                   .side = 14,
                                   .n_sources = 1,
                                   .n_partners = 2,
                                   .n_epochs = 1,
                                   .has_mask = TRUE };
  AssaySsim ssim = { .shape = { 14, 14, 1 } };
  g_auto (Game) game = { 0 };
  g_autoptr (AssayMatrix) others = assay_matrix_new (40, 196, NULL);
  float most = 0, least = INFINITY, image[196];

  make_case (&control, 10, &game);
  play (&assay_attack_similarity_search, "absolute=yes keep=17", FALSE, &game);
  assay_rows_read (game.made.public_rows, 0, 40, ASSAY_SCALE_NONE, others->data);
  for (gsize j = 0; j < 40 * 196; j++) {
    others->data[j] = fabsf (others->data[j]);
    most = MAX (most, others->data[j]);
    least = MIN (least, others->data[j]);
  }
  ssim.range = (double) most - least;
  for (gsize i = 0; i < 5; i++) {
    const AssayView images = assay_array_view (array_of (&game.made.release->arrays, "images"));
    const AssayArray *candidates = array_of (&game.guess->arrays, "candidates");
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

/* ---- Bad input ---- */

static void
refused (const AssayAttack *attack, const char *assignments, Game *game, AssayErrorCode code,
         const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!try_attack (attack, assignments, FALSE, game, &error), "%s", message);
  cr_assert (fixture_error_is (&error, (gint) code, message, NULL, &why), "%s", why);
}

Test (mixture_attacks, bad_input)
{
  const MixtureControl control = {
    .n_secrets = 1, .n_public = 3, .side = 12, .n_sources = 1, .n_partners = 1, .n_epochs = 1
  };
  g_auto (Game) game = { 0 };

  make_case (&control, 11, &game);
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
