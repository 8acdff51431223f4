/* The attack `whitened` on images whose pixels depend on one another; its control; its errors. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/mixtures/mixture-windows.h"
#include "attacks/whitened/whitening.h"
#include "core/base/parallel.h"
#include "core/games/control.h"
#include "tests/reference/fixtures.h"

extern const AssayAttack assay_attack_whitened;

/* ---- What it finds ---- */

enum { SIDE = 12, N = 100, M = 300, PUBLIC = 2, WAVES = 5 };

/* Images of a few waves, of which low ones are large, as those of photographs are; their mixtures
 * of two secret and two public ones. */
typedef struct {
  AssayMatrix *images;
  AssayRelease *release;
  gsize partners[N * PUBLIC];
} Smooth;

static void
draw_smooth (AssayStream *stream, float *ret_image)
{
  for (gsize a = 0; a < SIDE * SIDE; a++)
    ret_image[a] = (float) (0.5 + 0.15 * assay_stream_normal (stream));
  for (gsize wave = 0; wave < WAVES * WAVES; wave++) {
    const gsize y = wave / WAVES, x = wave % WAVES;
    const double size = assay_stream_normal (stream) / (1 + (double) (y * y + x * x) / 2);
    const double phase = assay_stream_between (stream, 0, 2 * G_PI);

    for (gsize a = 0; a < SIDE * SIDE; a++)
      ret_image[a]
          += (float) (size * cos (phase + G_PI / SIDE * (double) (a / SIDE * y + a % SIDE * x)));
  }
}

/* Public images are mixed as windows of them that are moved by up to @shift pixels, and mirrored
 * or not; by 0, as they are. */
static void
smooth_make_moved (Smooth *smooth, gboolean has_mask, gsize shift)
{
  const AssayGeometry geometry
      = { .height = SIDE, .width = SIDE, .channels = 1, .black = -3, .white = 3 };
  const AssayStreamKey key = assay_stream_key (11, 0, "smooth", "");
  const WhiteningShares shares = { 4, 0.65 };
  AssayMatrix *mixtures = assay_matrix_new (N, SIDE * SIDE, NULL);

  smooth->images = assay_matrix_new (M, SIDE * SIDE, NULL);
  for (gsize s = 0; s < M; s++) {
    AssayStream stream = assay_stream (key, s);

    draw_smooth (&stream, assay_matrix_row (smooth->images, s));
  }
  for (gsize i = 0; i < N; i++) {
    AssayStream stream = assay_stream (key, M + i);
    float *mixture = assay_matrix_row (mixtures, i), secret[SIDE * SIDE], window[SIDE * SIDE];
    double l[4];

    whitening_draw_shares (&shares, &stream, l);
    assay_stream_choose (&stream, M, PUBLIC, smooth->partners + i * PUBLIC);
    for (gsize j = 0; j < 4; j++) {
      const float *image = secret;

      if (j < PUBLIC)
        image = assay_matrix_row (smooth->images, smooth->partners[i * PUBLIC + j]);
      else
        draw_smooth (&stream, secret);
      if (j < PUBLIC && shift > 0) {
        mixture_window_take (&geometry, shift,
                             assay_stream_below (&stream, mixture_windows_count (shift)), image,
                             window);
        image = window;
      }
      for (gsize a = 0; a < SIDE * SIDE; a++)
        mixture[a] += (float) (l[j] * image[a]);
    }
    for (gsize a = 0; a < SIDE * SIDE && has_mask; a++)
      mixture[a] *= assay_stream_below (&stream, 2) == 1 ? -1.0f : 1.0f;
  }
  smooth->release = assay_release_new (ASSAY_RELEASE_MIXTURES, "test");
  smooth->release->geometry = geometry;
  assay_arrays_take (&smooth->release->arrays, "images", assay_array_take_matrix (mixtures));
}

static void
smooth_make (Smooth *smooth, gboolean has_mask)
{
  smooth_make_moved (smooth, has_mask, 0);
}

static void
smooth_clear (Smooth *smooth)
{
  g_clear_pointer (&smooth->images, assay_matrix_free);
  g_clear_pointer (&smooth->release, assay_release_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Smooth, smooth_clear)

static AssayGuess *
run_attack (const char *assignments, const AssayRelease *release, AssayRows *public_rows,
            GError **error)
{
  const AssayAttack *attack = &assay_attack_whitened;
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (9, 0, "attack", "") };
  const AssayObservation seen = { .release = release, .public_rows = public_rows };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  return assay_attack_run (attack, &context, &seen, guess, error) ? g_steal_pointer (&guess) : NULL;
}

/* How many of the public images of each mixture are among as many first candidates; returns the
 * share of all. */
static double
count_found (const Smooth *smooth, const AssayArray *candidates, gint *ret_found)
{
  gint sum = 0;

  for (gsize i = 0; i < N; i++) {
    ret_found[i] = 0;
    for (gsize j = 0; j < PUBLIC; j++)
      for (gsize c = 0; c < PUBLIC; c++)
        ret_found[i] += assay_array_int64 (candidates)[i * candidates->shape[1] + c]
                        == (gint64) smooth->partners[i * PUBLIC + j];
    sum += ret_found[i];
  }
  return sum / (double) (N * PUBLIC);
}

static double
share_of_attack (const Smooth *smooth, const char *assignments, gint *ret_found)
{
  g_autoptr (AssayRows) public_rows = fixture_rows (smooth->images);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = run_attack (assignments, smooth->release, public_rows, &error);

  cr_assert (guess != NULL, "%s: %s", assignments, error->message);
  return count_found (smooth, assay_arrays_get (&guess->arrays, "candidates"), ret_found);
}

/* Braverman's score, <x^2, s^2> - |x|^2 |s|^2 / d, in double. */
static double
share_of_braverman (const Smooth *smooth, gint *ret_found)
{
  const gsize d = SIDE * SIDE;
  const AssayView mixtures
      = assay_array_view (assay_arrays_get (&smooth->release->arrays, "images"));
  gint sum = 0;

  for (gsize i = 0; i < N; i++) {
    const float *x = assay_view_row (mixtures, i);
    double scores[M];

    for (gsize s = 0; s < M; s++) {
      const float *image = assay_matrix_row (smooth->images, s);
      double product = 0, left = 0, right = 0;

      for (gsize a = 0; a < d; a++) {
        product += (double) x[a] * x[a] * image[a] * image[a];
        left += (double) x[a] * x[a];
        right += (double) image[a] * image[a];
      }
      scores[s] = product - left * right / (double) d;
    }
    ret_found[i] = 0;
    for (gsize j = 0; j < PUBLIC; j++) {
      gsize rank = 1;

      for (gsize s = 0; s < M; s++)
        rank += scores[s] > scores[smooth->partners[i * PUBLIC + j]];
      ret_found[i] += rank <= PUBLIC;
    }
    sum += ret_found[i];
  }
  return sum / (double) (N * PUBLIC);
}

/* Of mixtures in which one attack finds more than the other, as many would go to either if they
 * were as good as one another: by Hoeffding's inequality a lead of 5.3 sqrt (W + L) has the chance
 * exp (-14) < 1e-6. */
static void
assert_finds_more (const gint *found, const gint *than, const char *what)
{
  gint won = 0, lost = 0;

  for (gsize i = 0; i < N; i++) {
    won += found[i] > than[i];
    lost += found[i] < than[i];
  }
  cr_assert (won - lost > 5.3 * sqrt (won + lost), "%s: more in %d mixtures, fewer in %d", what,
             won, lost);
}

Test (whitened, finds_what_bravermans_score_does_not)
{
  g_auto (Smooth) smooth = { 0 };
  gint by_braverman[N], by_squares[N], by_shares[N], by_signs[N];
  double braverman, squares, shares, signs;

  smooth_make (&smooth, TRUE);
  braverman = share_of_braverman (&smooth, by_braverman);
  squares = share_of_attack (&smooth, "template=squares refine=0", by_squares);
  shares = share_of_attack (&smooth, "refine=0", by_shares);
  signs = share_of_attack (&smooth, "refine=2", by_signs);
  cr_log_info ("found: Braverman %g, squares %g, shares %g, signs %g", braverman, squares, shares,
               signs);
  assert_finds_more (by_squares, by_braverman, "squares");
  assert_finds_more (by_shares, by_braverman, "shares");
  assert_finds_more (by_signs, by_squares, "shares and signs");
}

/* All signs and the whole set together find more than squares do: a lead of 4 sqrt (W + L) has the
 * chance exp (-8) < 4e-4. Without a mask more are found than the mask leaves to be found. */
Test (whitened, joint_sets_find_more)
{
  g_auto (Smooth) masked = { 0 }, open = { 0 };
  gint by_squares[N], jointly[N], by_signs[N], openly[N], won = 0, lost = 0;
  double squares, joint, plain;

  smooth_make (&masked, TRUE);
  smooth_make (&open, FALSE);
  squares = share_of_attack (&masked, "refine=0", by_squares);
  joint = share_of_attack (&masked, "refine=2 starts=2", jointly);
  share_of_attack (&masked, "refine=2", by_signs);
  plain = share_of_attack (&open, "transform=plain refine=2 starts=1", openly);
  cr_log_info ("found: squares %g, jointly %g, plain %g", squares, joint, plain);
  for (gsize i = 0; i < N; i++) {
    won += jointly[i] > by_squares[i];
    lost += jointly[i] < by_squares[i];
  }
  cr_assert (won - lost > 4 * sqrt (won + lost), "more in %d mixtures, fewer in %d", won, lost);
  assert_finds_more (openly, by_signs, "plain pixels, jointly");
}

/* Without a mask more are found than the mask leaves to be found. */
Test (whitened, finds_unmasked_images_in_plain_pixels)
{
  g_auto (Smooth) smooth = { 0 };
  gint by_squares[N], by_pixels[N], refined[N];
  double squares, pixels, later;

  smooth_make (&smooth, FALSE);
  squares = share_of_attack (&smooth, "refine=0", by_squares);
  pixels = share_of_attack (&smooth, "transform=plain refine=0", by_pixels);
  later = share_of_attack (&smooth, "transform=plain refine=2", refined);
  cr_log_info ("found: squares %g, pixels %g, refined %g", squares, pixels, later);
  assert_finds_more (by_pixels, by_squares, "pixels");
  assert_finds_more (refined, by_squares, "refined");
}

Test (whitened, leading_components_find_images_too)
{
  g_auto (Smooth) smooth = { 0 };
  gint by_leading[N], by_all[N], as_many[N], by_braverman[N];

  smooth_make (&smooth, TRUE);
  share_of_attack (&smooth, "refine=0", by_all);
  share_of_attack (&smooth, "components=144 refine=0", as_many);
  cr_assert (memcmp (by_all, as_many, sizeof by_all) == 0);
  share_of_attack (&smooth, "components=110 refine=0", by_leading);
  share_of_braverman (&smooth, by_braverman);
  assert_finds_more (by_leading, by_braverman, "components = 110");
}

/* Crops defeat who compares with the images as they are, and not who tries all windows; windows by
 * no pixel are the image and its mirror image. */
Test (whitened, windows_find_what_was_cropped)
{
  g_auto (Smooth) moved = { 0 };
  gint as_they_are[N], by_windows[N], few[N];
  double blind, sighted;

  smooth_make_moved (&moved, TRUE, 2);
  blind = share_of_attack (&moved, "refine=0", as_they_are);
  sighted = share_of_attack (&moved, "refine=0 all_windows=yes shift=2", by_windows);
  cr_log_info ("found: as they are %g, by windows %g", blind, sighted);
  assert_finds_more (by_windows, as_they_are, "windows");
  share_of_attack (&moved, "refine=0 all_windows=yes shift=0", few);
  assert_finds_more (by_windows, few, "all windows");
}

Test (whitened, threads_and_keep_change_nothing)
{
  g_auto (Smooth) smooth = { 0 };
  g_autoptr (AssayRows) public_rows = NULL;
  g_autoptr (AssayGuess) one = NULL;
  g_autoptr (AssayGuess) three = NULL;
  g_autoptr (AssayGuess) few = NULL;
  const AssayArray *a, *b, *c;

  smooth_make (&smooth, TRUE);
  public_rows = fixture_rows (smooth.images);
  assay_parallel_set_threads (1);
  one = run_attack ("", smooth.release, public_rows, NULL);
  assay_parallel_set_threads (3);
  three = run_attack ("k=4", smooth.release, public_rows, NULL);
  few = run_attack ("keep=7", smooth.release, public_rows, NULL);
  assay_parallel_set_threads (0);
  a = assay_arrays_get (&one->arrays, "candidates");
  b = assay_arrays_get (&three->arrays, "candidates");
  c = assay_arrays_get (&few->arrays, "candidates");
  cr_assert (a->shape[1] == M && c->shape[1] == 7);
  cr_assert (memcmp (assay_array_int64 (a), assay_array_int64 (b), N * M * sizeof (gint64)) == 0);
  for (gsize i = 0; i < N; i++)
    cr_assert (
        memcmp (assay_array_int64 (a) + i * M, assay_array_int64 (c) + i * 7, 7 * sizeof (gint64))
        == 0);
}

Test (whitened, control_is_won)
{
  static const char *const cases[] = { "", "transform=plain", "components=300 refine=0", "k=3" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssaySettings) settings = fixture_settings (&assay_attack_whitened.plugin, cases[i]);
    AssayControlOutcome outcome;

    cr_assert (assay_control_run (&assay_attack_whitened, settings, 1, &outcome, NULL));
    cr_assert (outcome.is_won, "%s: %g", cases[i], outcome.share);
  }
}

/* ---- Errors ---- */

static void
assert_check (const char *assignments, const AssayShape *shape, const char *message)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_whitened.plugin, assignments);
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;
  const gboolean is_fine = assay_attack_whitened.check (settings->values, shape, &error);

  if (message == NULL)
    cr_assert (is_fine, "%s: %s", assignments, error->message);
  else
    cr_assert (!is_fine && fixture_error_is (&error, ASSAY_ERROR_PARAMETER, message, NULL, &why),
               "%s: %s", assignments, why);
}

Test (whitened, settings_that_cannot_be_met_are_refused)
{
  const AssayShape shape = { .n_public = 300, .cols = 3072 };

  assert_check ("k=4", &shape, NULL);
  assert_check ("components=99", &(AssayShape){ .n_public = 300, .cols = 64 }, NULL);
  assert_check ("all_windows=yes", &shape,
                "all_windows = yes with refine = 2 and starts = 0: expected 0 of both");
  assert_check ("all_windows=yes refine=0 shift=33",
                &(AssayShape){
                    .n_public = 300,
                    .cols = 3072,
                    .geometry = { .height = 32, .width = 32, .channels = 3, .white = 1 } },
                "shift = 33: images are 32 x 32 pixels; expected no more than their shorter side");
  assert_check ("k=1", &shape, "k = 1: expected 2 to 64 images in each mixture");
  assert_check ("k=4 max_coefficient=0.25", &shape,
                "max_coefficient = 0.25: expected at least 0.3, 1.2 / k, for mixtures of k = 4 "
                "images");
  assert_check ("components=99", &shape,
                "components = 99: expected 0, for all 3072, or at least 100, because fewer tell "
                "images hardly apart");
  assert_check ("transform=plain components=300", &shape,
                "components = 300: expected 0, for all, or fewer than the 300 public images, whose "
                "plain pixels vary in no more");
  assert_check ("k=4 refine=4 starts=1", &shape,
                "refine = 4: with starts expected at most 3, as one of k = 4 images is private");
  assert_check ("starts=301", &shape, "starts = 301: expected at most the 300 public images");
  assert_check ("refine=3", &(AssayShape){ .n_public = 2, .cols = 64 },
                "refine = 3: expected at most the 2 public images");
}

Test (whitened, public_images_that_do_not_fit_are_refused)
{
  g_auto (Smooth) smooth = { 0 };
  g_autoptr (AssayRows) small = fixture_normal_rows (20, 64, 1);
  g_autoptr (AssayMatrix) same = assay_matrix_new (5, SIDE * SIDE, NULL);
  g_autoptr (AssayRows) alike = fixture_rows (same);
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;

  smooth_make (&smooth, TRUE);
  cr_assert (run_attack ("", smooth.release, small, &error) == NULL);
  cr_assert (
      fixture_error_is (
          &error, ASSAY_ERROR_MISMATCH,
          "attack whitened: public images have 64 numbers; expected 144, as the mixtures have",
          NULL, &why),
      "%s", why);
  cr_assert (run_attack ("", smooth.release, alike, &error) == NULL);
  cr_assert (
      fixture_error_is (
          &error, ASSAY_ERROR_NUMERIC,
          "attack whitened: the 5 public images are all alike; expected several, from which to "
          "learn how their mixtures vary",
          NULL, &why),
      "%s", why);
}
