/* Signs by messages against closed forms and sums over all of them; the attack `whitened-removal`
 * against itself without removal; its errors. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/mixtures/mixture-control.h"
#include "attacks/whitened/mask-signs.h"
#include "core/base/parallel.h"
#include "core/games/control.h"
#include "core/math/linalg.h"
#include "core/math/mixture.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/seeds.h"

extern const AssayAttack assay_attack_whitened_removal;

/* ---- Signs ---- */

enum { D = 64 };

#define RHO 0.9
#define SPREAD 0.4

/* A prior without images, in which neighbouring pixels have the correlation @rho and the mean of
 * all is 0.3: an autoregression. */
static void
make_prior (double rho, ImagePrior *ret_prior)
{
  double covariance[D * D], values[D];
  g_autofree double *vectors = g_new (double, D *D);

  for (gsize i = 0; i < D * D; i++)
    covariance[i] = pow (rho, fabs ((double) (i / D) - (double) (i % D)));
  cr_assert (assay_linalg_symmetric_eigen (D, D, covariance, values, vectors, NULL));
  *ret_prior = (ImagePrior){ .cols = D, .unit = 2 };
  ret_prior->image = g_new (float, D);
  ret_prior->values = g_new (float, D);
  ret_prior->vectors = g_new (float, D *D);
  for (gsize i = 0; i < D * D; i++)
    ret_prior->vectors[i] = (float) vectors[i];
  for (gsize i = 0; i < D; i++) {
    ret_prior->values[i] = (float) values[i];
    ret_prior->image[i] = 0.3f;
  }
}

/* q - m from the @steps of the autoregression, and z - q from others, scaled. */
static void
draw_walk (double rho, AssayStream *stream, double scale, double *ret_walk)
{
  for (gsize a = 0; a < D; a++) {
    const double step = scale * assay_stream_normal (stream);

    ret_walk[a] = a == 0 ? step : rho * ret_walk[a - 1] + sqrt (1 - rho * rho) * step;
  }
}

/* Its coordinates. */
static void
features_of (const ImagePrior *prior, const double *walk, float *ret_features)
{
  for (gsize i = 0; i < D; i++) {
    double sum = 0;

    for (gsize a = 0; a < D; a++)
      sum += (double) prior->vectors[i * D + a] * walk[a];
    ret_features[i] = (float) sum;
  }
}

static void
play (MaskSigns *signs, const float *mixture, const float *known, double spread, gsize rounds,
      double *ret_evidence)
{
  mask_signs_open (signs, (AssayView){ 1, D, D, mixture });
  memcpy (signs->known, known, D * sizeof (float));
  signs->spread[0] = spread;
  signs->ridge = 0;
  mask_signs_forget (signs);
  for (gsize round = 0; round < rounds; round++) {
    mask_signs_observe (signs);
    mask_signs_expect (signs, ret_evidence);
  }
}

static double
density (double x, double mean, double variance)
{
  return exp (-(x - mean) * (x - mean) / 2 / variance) / sqrt (2 * G_PI * variance);
}

/* Of independent pixels one round is exact: e tanh (e q / t), and the evidence is the probability
 * of both signs, but for (2 pi)^(-d / 2). */
Test (mask_signs, independent_pixels_are_those_of_bayes)
{
  AssayStream stream = assay_stream (assay_stream_key (8, 0, "draws", ""), 0);
  g_auto (ImagePrior) prior = { 0 };
  g_auto (AssayArena) arena = { 0 };
  MaskSigns signs;
  double walk[D], evidence, expected = 0.5 * D * log (2 * G_PI);
  float mixture[D], known[D];

  make_prior (0, &prior);
  draw_walk (0, &stream, 1, walk);
  features_of (&prior, walk, known);
  for (gsize a = 0; a < D; a++)
    mixture[a] = (float) (2 * assay_stream_normal (&stream));
  cr_assert (mask_signs_init (&prior, FALSE, &arena, &signs, NULL));
  play (&signs, mixture, known, 0.7, 3, &evidence);
  for (gsize a = 0; a < D; a++) {
    const double e = fabs ((double) mixture[a]) / 2, q = walk[a] + (double) prior.image[a];

    /* tanh is within 1e-4. */
    assert_near (signs.expected[a], e * tanh (e * q / 0.7), 4e-4, "pixel %zu", a);
    expected += log (density (e, q, 0.7) + density (-e, q, 0.7));
  }
  assert_near (evidence, expected, 2e-2, "evidence");
}

/* E z of all 2^d signs: forwards and backwards along the autoregression. */
static void
sum_over_signs (const double *e, const double *q, double *ret_mean)
{
  const double step = SPREAD * (1 - RHO * RHO);
  double forward[D][2], backward[D][2];

  for (gsize a = 0; a < D; a++) {
    double sum = 0;

    for (gsize s = 0; s < 2; s++) {
      const double x = (s == 0 ? e[a] : -e[a]) - q[a];

      forward[a][s] = a == 0 ? density (x, 0, SPREAD) : 0;
      for (gsize l = 0; l < 2 && a > 0; l++)
        forward[a][s] += forward[a - 1][l]
                         * density (x, RHO * ((l == 0 ? e[a - 1] : -e[a - 1]) - q[a - 1]), step);
      sum += forward[a][s];
    }
    for (gsize s = 0; s < 2; s++)
      forward[a][s] /= sum;
  }
  for (gsize a = D; a-- > 0;) {
    double sum = 0;

    for (gsize s = 0; s < 2; s++) {
      const double x = (s == 0 ? e[a] : -e[a]) - q[a];

      backward[a][s] = a == D - 1 ? 1 : 0;
      for (gsize l = 0; l < 2 && a < D - 1; l++)
        backward[a][s] += backward[a + 1][l]
                          * density ((l == 0 ? e[a + 1] : -e[a + 1]) - q[a + 1], RHO * x, step);
      sum += backward[a][s];
    }
    for (gsize s = 0; s < 2; s++)
      backward[a][s] /= sum;
    ret_mean[a] = e[a] * (forward[a][0] * backward[a][0] - forward[a][1] * backward[a][1])
                  / (forward[a][0] * backward[a][0] + forward[a][1] * backward[a][1]);
  }
}

/* Of pixels that depend on one another messages are an approximation: over 100 draws from the prior
 * they have less than half of the squared error, against the exact mean, of the formula for pixels
 * by themselves. */
Test (mask_signs, messages_come_close_to_sums_over_all_signs)
{
  AssayStream stream = assay_stream (assay_stream_key (8, 0, "draws", ""), 0);
  g_auto (ImagePrior) prior = { 0 };
  g_auto (AssayArena) arena = { 0 };
  MaskSigns signs;
  double by_messages = 0, by_pixels = 0;

  make_prior (RHO, &prior);
  cr_assert (mask_signs_init (&prior, FALSE, &arena, &signs, NULL));
  for (gsize trial = 0; trial < 100; trial++) {
    double walk[D], rest[D], e[D], q[D], exact[D];
    float mixture[D], known[D];

    draw_walk (RHO, &stream, 1, walk);
    draw_walk (RHO, &stream, sqrt (SPREAD), rest);
    features_of (&prior, walk, known);
    for (gsize a = 0; a < D; a++) {
      q[a] = walk[a] + (double) prior.image[a];
      mixture[a] = (float) (2 * (q[a] + rest[a]));
      e[a] = fabs (q[a] + rest[a]);
    }
    sum_over_signs (e, q, exact);
    play (&signs, mixture, known, SPREAD, 20, NULL);
    for (gsize a = 0; a < D; a++) {
      by_messages += pow (signs.expected[a] - exact[a], 2);
      by_pixels += pow (e[a] * tanh (e[a] * q[a] / SPREAD) - exact[a], 2);
    }
  }
  cr_log_info ("squared error: messages %g, pixels %g", by_messages, by_pixels);
  cr_assert (by_messages < by_pixels / 2, "%g of %g", by_messages, by_pixels);
}

/* ---- The attack ---- */

/* 70 smooth images, more than a panel, each in one mixture with two public ones. */
static void
make_case (gboolean is_open, gsize n_public, AssayControlCase *ret_case)
{
  const MixtureControl smooth = { .n_secrets = 70,
                                  .n_public = n_public,
                                  .side = 20,
                                  .n_sources = 2,
                                  .n_partners = 2,
                                  .has_mask = !is_open,
                                  .window = 7,
                                  .is_single = TRUE };

  cr_assert (mixture_control_make (&smooth, assay_stream_key (5, 0, "case", ""), ret_case, NULL));
}

static AssayGuess *
run_attack (const char *assignments, const AssayControlCase *of, GError **error)
{
  const AssayAttack *attack = &assay_attack_whitened_removal;
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (9, 0, "attack", "") };
  const AssayObservation seen = { .release = of->release, .public_rows = of->public_rows };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  return assay_attack_run (attack, &context, &seen, guess, error) ? g_steal_pointer (&guess) : NULL;
}

/* How many secrets have a relative error of at most 0.6 in the estimate of their place. */
static gsize
count_near (const AssayControlCase *of, const char *assignments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = run_attack (assignments, of, &error);
  const AssayView secrets = assay_array_view (assay_arrays_get (&of->truth->arrays, "secrets"));
  AssayView estimates;
  gsize near = 0;

  cr_assert (guess != NULL, "%s: %s", assignments, error != NULL ? error->message : "");
  estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  cr_assert (estimates.rows == secrets.rows && estimates.cols == secrets.cols);
  for (gsize i = 0; i < secrets.rows; i++) {
    double gap = 0, length = 0;

    for (gsize a = 0; a < secrets.cols; a++) {
      const double x = assay_view_row (secrets, i)[a];

      gap += pow (assay_view_row (estimates, i)[a] - x, 2);
      length += x * x;
    }
    near += gap <= 0.36 * length;
  }
  return near;
}

/* Without a mask nearly all come back, under it most, without removal hardly any. Of 70 mixtures
 * attacks that are as good as one another lead by more than 35 with a chance below
 * exp (-35^2 / 140) < 2e-4 (Hoeffding's inequality). */
Test (whitened_removal, private_images_come_back)
{
  AssayControlCase masked = { 0 }, open = { 0 };
  gsize removed, kept, plain, plain_kept;

  make_case (FALSE, 600, &masked);
  make_case (TRUE, 600, &open);
  removed = count_near (&masked, "");
  kept = count_near (&masked, "partners=0");
  plain = count_near (&open, "transform=plain");
  plain_kept = count_near (&open, "transform=plain partners=0");
  cr_log_info ("near: %zu, without removal %zu, plain %zu, without %zu", removed, kept, plain,
               plain_kept);
  cr_assert (removed > kept + 35, "%zu, %zu", removed, kept);
  cr_assert (plain > plain_kept + 35, "%zu, %zu", plain, plain_kept);
  cr_assert (plain > 63, "%zu", plain);
  assay_control_case_clear (&masked);
  assay_control_case_clear (&open);
}

/* The mixtures of @of anew, with windows of their public images, shares of .45, .3 and .25, and
 * signs. */
static void
mix_windows (AssayControlCase *of)
{
  const AssayView secrets = assay_array_view (assay_arrays_get (&of->truth->arrays, "secrets"));
  const gint64 *partners = assay_array_int64 (assay_arrays_get (&of->truth->arrays, "partners"));
  float *images = (float *) assay_arrays_get (&of->release->arrays, "images")->data;
  g_autoptr (AssayMatrix) rows = assay_rows_matrix (of->public_rows, ASSAY_SCALE_NONE, NULL);
  g_autofree float *window = g_new (float, rows->cols);
  AssayStream stream = assay_stream (assay_stream_key (6, 0, "windows", ""), 0);

  for (gsize i = 0; i < secrets.rows; i++) {
    float *image = images + i * rows->cols;

    for (gsize a = 0; a < rows->cols; a++)
      image[a] = 0.45F * assay_view_row (secrets, i)[a];
    for (gsize j = 0; j < 2; j++) {
      const gint64 down = (gint64) assay_stream_below (&stream, 3) - 1;
      const gint64 right = (gint64) assay_stream_below (&stream, 3) - 1;
      const gboolean is_flipped = assay_stream_below (&stream, 2) == 1;

      assay_mixture_window (&of->release->geometry, down, right, is_flipped,
                            assay_matrix_row (rows, (gsize) partners[2 * i + j]), window);
      for (gsize a = 0; a < rows->cols; a++)
        image[a] += (j == 0 ? 0.3F : 0.25F) * window[a];
    }
    for (gsize a = 0; a < rows->cols; a++)
      image[a] *= assay_stream_below (&stream, 2) == 1 ? -1 : 1;
  }
}

/* They differ on no more mixtures than both have in all, some 34: that either leads by more than 22
 * of these has a chance below exp (-22^2 / 68) < 1e-3. */
Test (whitened_removal, windows_are_found)
{
  AssayControlCase of = { 0 };
  gsize with, without;

  make_case (FALSE, 200, &of);
  mix_windows (&of);
  without = count_near (&of, "");
  with = count_near (&of, "all_windows=yes shift=1 candidates=100 components=0");
  cr_log_info ("near: %zu, all windows %zu", without, with);
  cr_assert (with > without + 22, "%zu, %zu", with, without);
  assay_control_case_clear (&of);
}

Test (whitened_removal, threads_change_nothing)
{
  TEST_OF_RESULTS ();

  AssayControlCase of = { 0 };
  g_autoptr (AssayGuess) one = NULL;
  g_autoptr (AssayGuess) three = NULL;
  const AssayArray *a, *b;

  make_case (FALSE, 600, &of);
  assay_parallel_set_threads (1);
  one = run_attack ("starts=1", &of, NULL);
  assay_parallel_set_threads (3);
  three = run_attack ("starts=1 k=4 partners=2", &of, NULL);
  assay_parallel_set_threads (0);
  a = assay_arrays_get (&one->arrays, "estimates");
  b = assay_arrays_get (&three->arrays, "estimates");
  cr_assert (memcmp (a->data, b->data, assay_array_count (a) * sizeof (float)) == 0);
  assay_control_case_clear (&of);
}

Test (whitened_removal, control_is_won)
{
  static const char *const cases[]
      = { "", "all_windows=yes", "transform=plain", "k=6", "transform=plain partners=3" };
  const gsize n = test_seeds (1) > 1 ? G_N_ELEMENTS (cases) : 2;

  for (gsize i = 0; i < n; i++) {
    g_autoptr (AssaySettings) settings
        = fixture_settings (&assay_attack_whitened_removal.plugin, cases[i]);
    AssayControlOutcome outcome;

    cr_assert (assay_control_run (&assay_attack_whitened_removal, settings, 1, &outcome, NULL));
    cr_assert (outcome.is_won, "%s: %g", cases[i], outcome.share);
  }
}

/* Whatever is drawn: where public images could have small shares, four seeds of six lost it. The
 * first seed is played above, the others in the long tier. */
Test (whitened_removal, control_of_windows_is_won_for_any_seed)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_whitened_removal.plugin, "all_windows=yes");
  const guint64 seeds = test_seeds (1);

  if (seeds < 2)
    cr_skip_test ("of more seeds than one");
  for (guint64 seed = 2; seed <= seeds; seed++) {
    AssayControlOutcome outcome;

    cr_assert (assay_control_run (&assay_attack_whitened_removal, settings, seed, &outcome, NULL));
    cr_log_info ("seed %" G_GUINT64_FORMAT ": %g", seed, outcome.share);
    cr_assert (outcome.is_won, "seed %" G_GUINT64_FORMAT ": %g", seed, outcome.share);
  }
}

/* The attack with a search that looks for public images upside down: no window of them is in any
 * mixture, and the prior of images, smooth either way, is what it was. */
static gboolean
search_upside_down (const AssayAttackContext *context, const AssayObservation *seen,
                    AssayGuess *ret_guess, GError **error)
{
  g_autoptr (AssayMatrix) rows = assay_rows_matrix (seen->public_rows, ASSAY_SCALE_NONE, error);
  const gsize width = seen->release->geometry.width, height = seen->release->geometry.height;
  g_autoptr (AssayMatrix) turned = assay_matrix_copy (assay_matrix_view (rows), error);
  g_autoptr (AssayRows) public_rows = NULL;
  AssayObservation other = *seen;

  for (gsize i = 0; i < rows->rows; i++)
    for (gsize y = 0; y < height; y++)
      memcpy (assay_matrix_row (turned, i) + y * width,
              assay_matrix_row (rows, i) + (height - 1 - y) * width, width * sizeof (float));
  other.public_rows = public_rows = fixture_rows (turned);
  return assay_attack_whitened_removal.attack (context, &other, ret_guess, error);
}

/* What control_of_windows_is_won_for_any_seed asserts is worth something because of this. */
Test (whitened_removal, control_of_windows_is_lost_by_a_broken_search)
{
  AssayAttack broken = assay_attack_whitened_removal;
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_whitened_removal.plugin, "all_windows=yes");
  AssayControlOutcome outcome;

  if (test_seeds (1) < 2)
    cr_skip_test ("in the long tier, as the seeds above");
  broken.attack = search_upside_down;
  cr_assert (assay_control_run (&broken, settings, 1, &outcome, NULL));
  cr_assert (!outcome.is_won && outcome.share < 0.1, "%g", outcome.share);
}

/* ---- Errors ---- */

static void
assert_refused (const char *assignments, const AssayShape *shape, const char *message)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_whitened_removal.plugin, assignments);
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;
  const gboolean is_fine = assay_attack_whitened_removal.check (settings->values, shape, &error);

  if (message == NULL)
    cr_assert (is_fine, "%s: %s", assignments, error->message);
  else
    cr_assert (!is_fine && fixture_error_is (&error, ASSAY_ERROR_PARAMETER, message, NULL, &why),
               "%s: %s", assignments, why);
}

Test (whitened_removal, settings_that_cannot_be_met_are_refused)
{
  const AssayShape shape = { .n_public = 3, .cols = 3072 };

  assert_refused ("", &shape, NULL);
  assert_refused ("k=4 partners=3", &shape, NULL);
  assert_refused ("k=1", &shape, NULL);
  assert_refused ("k=1 partners=1", &shape,
                  "partners = 1: expected at most 0, as one of k = 1 images is private");
  assert_refused ("k=4 partners=4", &shape,
                  "partners = 4: expected at most 3, as one of k = 4 images is private");
  assert_refused ("k=4 max_coefficient=0.25", &shape,
                  "max_coefficient = 0.25: expected at least 0.3, 1.2 / k, for mixtures of k = 4 "
                  "images");
  assert_refused ("k=6", &shape, "partners = 4, starts = 1: expected at most the 3 public images");
  assert_refused ("starts=4", &shape,
                  "partners = 0, starts = 4: expected at most the 3 public images");
  assert_refused ("all_windows=yes transform=plain", &shape,
                  "all_windows = yes: expected transform = squared, partners other than 0, and "
                  "candidates = 300 of at least starts = 1");
  assert_refused ("all_windows=yes candidates=2 starts=3", &shape,
                  "all_windows = yes: expected transform = squared, partners other than 0, and "
                  "candidates = 2 of at least starts = 3");
}

Test (whitened_removal, public_images_that_do_not_fit_are_refused)
{
  g_autoptr (AssayRows) small = fixture_normal_rows (20, 64, 1);
  g_autoptr (AssayMatrix) same = assay_matrix_new (5, 400, NULL);
  g_autoptr (AssayRows) alike = fixture_rows (same);
  AssayControlCase of = { 0 };
  AssayControlCase wrong;
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;

  make_case (TRUE, 600, &of);
  wrong = of;
  wrong.public_rows = small;
  cr_assert (run_attack ("", &wrong, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "attack whitened-removal: public images have 64 numbers; expected "
                               "400, as the mixtures have",
                               NULL, &why),
             "%s", why);
  wrong.public_rows = alike;
  cr_assert (run_attack ("transform=plain", &wrong, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_NUMERIC,
                               "attack whitened-removal: the 5 public images are all alike; "
                               "expected several, from which to learn how their mixtures vary",
                               NULL, &why),
             "%s", why);
  assay_control_case_clear (&of);
}
