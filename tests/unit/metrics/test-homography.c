/* Homographies from matches: exact ones are found again, noise is averaged, wrong matches are told
 * from right ones, and what does not determine a homography is refused. */
#include <string.h>

#include "core/base/rng.h"
#include "metrics/matching/homography.h"
#include "tests/unit/assert-near.h"

enum { WIDTH = 640, HEIGHT = 480, MOST = 2000 };

static AssayStream
stream_of (guint64 item)
{
  return assay_stream (assay_stream_key (41, 0, "test", "homography"), item);
}

/* From WIDTH x HEIGHT to a quadrangle whose corners are up to a fifth of the sides away: by the
 * equations of its four corners, which are solved here by Gauss and Jordan. */
static void
random_homography (AssayStream *stream, double ret_h[9])
{
  double rows[8][9];

  for (gsize i = 0; i < 4; i++) {
    const double x = i % 2 == 0 ? 0 : WIDTH - 1, y = i / 2 == 0 ? 0 : HEIGHT - 1;
    const double u = x + assay_stream_between (stream, -0.2, 0.2) * WIDTH;
    const double v = y + assay_stream_between (stream, -0.2, 0.2) * HEIGHT;
    const double pair[2][9]
        = { { x, y, 1, 0, 0, 0, -u * x, -u * y, u }, { 0, 0, 0, x, y, 1, -v * x, -v * y, v } };

    memcpy (rows[2 * i], pair, sizeof pair);
  }
  for (gsize i = 0; i < 8; i++) {
    gsize pivot = i;

    for (gsize j = i; j < 8; j++)
      if (fabs (rows[j][i]) > fabs (rows[pivot][i]))
        pivot = j;
    for (gsize k = 0; k < 9; k++) {
      const double held = rows[i][k];

      rows[i][k] = rows[pivot][k];
      rows[pivot][k] = held;
    }
    for (gsize j = 0; j < 8; j++) {
      const double part = rows[j][i] / rows[i][i];

      for (gsize k = 0; j != i && k < 9; k++)
        rows[j][k] -= part * rows[i][k];
    }
  }
  for (gsize i = 0; i < 8; i++)
    ret_h[i] = rows[i][8] / rows[i][i];
  ret_h[8] = 1;
}

/* By the definition. */
static void
map (const double h[9], double x, double y, double *ret_u, double *ret_v)
{
  const double w = h[6] * x + h[7] * y + h[8];

  *ret_u = (h[0] * x + h[1] * y + h[2]) / w;
  *ret_v = (h[3] * x + h[4] * y + h[5]) / w;
}

/* The first @n_right of @n matches follow @h up to @noise; the others are anything. */
static void
random_matches (AssayStream *stream, const double h[9], gsize n, gsize n_right, double noise,
                AssayMatch *ret_matches)
{
  for (gsize i = 0; i < n; i++) {
    AssayMatch *m = &ret_matches[i];

    m->x = assay_stream_between (stream, 0, WIDTH - 1);
    m->y = assay_stream_between (stream, 0, HEIGHT - 1);
    m->u = assay_stream_between (stream, 0, WIDTH - 1);
    m->v = assay_stream_between (stream, 0, HEIGHT - 1);
    if (i >= n_right)
      continue;
    map (h, m->x, m->y, &m->u, &m->v);
    m->u += noise * assay_stream_normal (stream);
    m->v += noise * assay_stream_normal (stream);
  }
}

static gboolean
search (const AssayMatch *matches, gsize n, guint64 item, double ret_h[9], gboolean *ret_is_inlier)
{
  AssayStream stream = stream_of (item);

  return assay_homography_ransac (matches, n, 3, 0.999, 5000, &stream, ret_h, ret_is_inlier);
}

/* ---- Maps ---- */

Test (homography, maps_as_by_hand)
{
  static const double h[9] = { 2, 0, 1, 0, 3, -1, 0.5, 0, 1 };
  double u = 7, v = 7;

  cr_assert (assay_homography_apply (h, 2, 1, &u, &v)); /* w = 2 */
  cr_assert (u == 2.5 && v == 1, "(%g, %g)", u, v);
  cr_assert (!assay_homography_apply (h, -2, 1, &u, &v), "to infinity");
  cr_assert (u == 2.5 && v == 1, "touched");
}

Test (homography, corner_error_is_the_mean_distance)
{
  static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  static const double shift[9] = { 1, 0, 3, 0, 1, 4, 0, 0, 1 };
  static const double larger[9] = { 2, 0, 0, 0, 2, 0, 0, 0, 2 };
  static const double stretched[9] = { 1.5, 0, 0, 0, 1, 0, 0, 0, 1 };
  static const double horizon[9] = { 1, 0, 0, 0, 1, 0, 1, 0, -9 };

  cr_assert (assay_homography_corner_error (shift, identity, WIDTH, HEIGHT) == 5);
  cr_assert (assay_homography_corner_error (larger, identity, WIDTH, HEIGHT) == 0, "scale");
  /* Two corners move by half of 100. */
  cr_assert (assay_homography_corner_error (stretched, identity, 101, 7) == 25);
  cr_assert (assay_homography_corner_error (horizon, identity, 10, 7) == INFINITY);
  cr_assert (assay_homography_corner_error (identity, horizon, 10, 7) == INFINITY);
}

/* ---- Fits ---- */

Test (homography, exact_matches_are_fitted_exactly)
{
  static const gsize sizes[] = { 4, 5, 8, 50, 500 };
  g_autofree AssayMatch *matches = g_new (AssayMatch, MOST);
  AssayStream stream = stream_of (2);

  for (gsize i = 0; i < 200; i++) {
    const gsize n = sizes[i % G_N_ELEMENTS (sizes)];
    double truth[9], h[9];

    random_homography (&stream, truth);
    random_matches (&stream, truth, n, n, 0, matches);
    cr_assert (assay_homography_fit (matches, n, h), "%zu", i);
    cr_assert (h[8] == 1);
    assert_near (assay_homography_corner_error (h, truth, WIDTH, HEIGHT), 0, 1e-6, "fit %zu of %zu",
                 i, n);
    cr_assert (assay_homography_refine (matches, n, h), "%zu", i);
    assert_near (assay_homography_corner_error (h, truth, WIDTH, HEIGHT), 0, 1e-6,
                 "refined %zu of %zu", i, n);
  }
}

/* Moving and scaling the coordinates of both pictures moves the fit along: what normalisation is
 * for. Without it a fit of noisy matches to coordinates of 10^4 is another one. */
Test (homography, fit_does_not_depend_on_coordinates)
{
  enum { N = 40 };
  AssayStream stream = stream_of (3);
  AssayMatch matches[N], moved[N];
  double truth[9], h[9], far[9], u, v, far_u, far_v;

  random_homography (&stream, truth);
  random_matches (&stream, truth, N, N, 2, matches);
  for (gsize i = 0; i < N; i++)
    moved[i] = (AssayMatch){ 8 * matches[i].x + 1e4, 8 * matches[i].y - 3e4, 4 * matches[i].u - 2e4,
                             4 * matches[i].v + 1e4 };
  cr_assert (assay_homography_fit (matches, N, h));
  cr_assert (assay_homography_fit (moved, N, far));
  cr_assert (assay_homography_apply (h, 100, 200, &u, &v));
  cr_assert (assay_homography_apply (far, 8 * 100 + 1e4, 8 * 200 - 3e4, &far_u, &far_v));
  assert_near (far_u, 4 * u - 2e4, 1e-6, "u");
  assert_near (far_v, 4 * v + 1e4, 1e-6, "v");
}

static double
sum_of_squares (const AssayMatch *matches, gsize n, const double h[9])
{
  double sum = 0;

  for (gsize i = 0; i < n; i++) {
    double u, v;

    map (h, matches[i].x, matches[i].y, &u, &v);
    sum += (u - matches[i].u) * (u - matches[i].u) + (v - matches[i].v) * (v - matches[i].v);
  }
  return sum;
}

/* At the least sum of squares no number can be changed to advantage, and with normal noise of
 * variance 1 that sum is chi-square of 2 n - 8 degrees of freedom: mean 392, variance 784; 5
 * standard deviations are passed with a chance below 1e-6. */
Test (homography, refined_is_the_least_sum_of_squares)
{
  enum { N = 200 };
  AssayStream stream = stream_of (4);
  AssayMatch matches[N];

  for (gsize trial = 0; trial < 20; trial++) {
    double truth[9], h[9], linear, least;

    random_homography (&stream, truth);
    random_matches (&stream, truth, N, N, 1, matches);
    cr_assert (assay_homography_fit (matches, N, h));
    linear = sum_of_squares (matches, N, h);
    cr_assert (assay_homography_refine (matches, N, h));
    least = sum_of_squares (matches, N, h);
    cr_assert (least <= linear && least < sum_of_squares (matches, N, truth), "%zu: %g, %g", trial,
               least, linear);
    assert_near (least, 392, 5 * 28, "trial %zu", trial);
    for (gsize j = 0; j < 16; j++) {
      double moved[9];

      memcpy (moved, h, sizeof moved);
      moved[j / 2] *= 1 + (j % 2 == 0 ? 1e-4 : -1e-4);
      cr_assert (sum_of_squares (matches, N, moved) > least, "%zu: number %zu", trial, j / 2);
    }
  }
}

/* One far match: the linear fit is far off, and refinement comes to the same from there. */
Test (homography, refinement_comes_from_afar)
{
  enum { N = 30 };
  AssayStream stream = stream_of (5);
  AssayMatch matches[N];
  double truth[9], h[9], far[9];

  random_homography (&stream, truth);
  random_matches (&stream, truth, N, N, 0.5, matches);
  cr_assert (assay_homography_fit (matches, N, h));
  cr_assert (assay_homography_refine (matches, N, h));
  matches[0].u += 200;
  cr_assert (assay_homography_fit (matches, N, far));
  matches[0].u -= 200;
  cr_assert (assay_homography_corner_error (far, h, WIDTH, HEIGHT) > 10);
  cr_assert (assay_homography_refine (matches, N, far));
  assert_near (assay_homography_corner_error (far, h, WIDTH, HEIGHT), 0, 1e-3, "corners");
}

static void
check_undetermined (const AssayMatch *matches, gsize n, const char *what)
{
  double h[9] = { 7 };

  cr_assert (!assay_homography_fit (matches, n, h), "fit: %s", what);
  cr_assert (!search (matches, n, 1, h, NULL), "ransac: %s", what);
  cr_assert (h[0] == 7, "touched: %s", what);
}

Test (homography, what_is_not_determined_is_refused)
{
  enum { N = 60 };
  AssayStream stream = stream_of (6);
  AssayMatch matches[N], line[N];
  double truth[9];

  random_homography (&stream, truth);
  random_matches (&stream, truth, N, N, 0, matches);
  for (gsize n = 0; n < 4; n++)
    check_undetermined (matches, n, "fewer than four");
  for (gsize i = 0; i < N; i++) {
    line[i] = (AssayMatch){ .x = 3 * (double) i + 5, .y = 200 - 2 * (double) i };
    map (truth, line[i].x, line[i].y, &line[i].u, &line[i].v);
  }
  check_undetermined (line, N, "all on a line");
  check_undetermined (line, 4, "four on a line");
  line[9] = matches[0];
  check_undetermined (line, N, "all but one on a line");
  check_undetermined (line + 6, 4, "three of four on a line");
  for (gsize i = 0; i < N; i++) {
    line[i].u = matches[i].u;
    line[i].v = matches[i].v;
  }
  check_undetermined (line, 4, "on a line in the first picture");
  line[3].y += 50;
  check_undetermined (line, 4, "three on a line in the first picture");
  for (gsize i = 0; i < N; i++)
    line[i] = matches[i % 3];
  check_undetermined (line, N, "three of them, again and again");
  for (gsize i = 0; i < N; i++)
    line[i] = matches[0];
  check_undetermined (line, N, "one, again and again");
  matches[1].u = NAN;
  check_undetermined (matches, 4, "not a number");
}

/* ---- RANSAC ---- */

/* Issue 4: 60 % of the matches wrong. Of the right ones with noise of 1 pixel 1 - exp (-4.5) =
 * 0.98889 are within 3 pixels of the truth, of the wrong ones pi 9 / (639 479): of 8000, with
 * standard deviation 9.4, and of 12000, 1.1 expected. 5 standard deviations, and 10 of a Poisson
 * variable, are passed with a chance below 1e-6; to the former come a few that the error of the
 * estimate makes: less than 0.1 in quadrature, 0.002 of the matches. */
Test (homography, agrees_with_the_truth_at_sixty_percent_wrong)
{
  enum { N = 200, RIGHT = 80, SEEDS = 100 };
  gsize n_agree = 0, n_close = 0, n_right = 0, n_wrong = 0;

  for (guint64 seed = 0; seed < SEEDS; seed++) {
    AssayStream stream = stream_of (1000 + seed);
    AssayMatch matches[N];
    gboolean is_inlier[N];
    double truth[9], h[9], error;

    random_homography (&stream, truth);
    random_matches (&stream, truth, N, RIGHT, 1, matches);
    if (!search (matches, N, seed, h, is_inlier))
      continue;
    error = assay_homography_corner_error (h, truth, WIDTH, HEIGHT);
    n_agree += error < 3;
    n_close += error < 1;
    for (gsize i = 0; i < N; i++) {
      n_right += i < RIGHT && is_inlier[i];
      n_wrong += i >= RIGHT && is_inlier[i];
    }
  }
  cr_assert (n_agree >= 99, "%zu of 100 within 3 pixels", n_agree);
  cr_assert (n_close >= 90, "%zu of 100 within a pixel", n_close);
  assert_near ((double) n_right, 0.98889 * SEEDS * RIGHT, 0.002 * SEEDS * RIGHT + 5 * 9.4, "right");
  cr_assert (n_wrong <= 10, "%zu wrong ones", n_wrong);
}

Test (homography, exact_matches_are_found_exactly)
{
  g_autofree AssayMatch *matches = g_new (AssayMatch, MOST);
  g_autofree gboolean *is_inlier = g_new (gboolean, MOST);

  for (guint64 seed = 0; seed < 40; seed++) {
    AssayStream stream = stream_of (2000 + seed);
    const gsize n = 4 + seed * seed, n_right = seed < 20 ? n : n / 2;
    double truth[9], h[9];

    random_homography (&stream, truth);
    random_matches (&stream, truth, n, n_right, 0, matches);
    cr_assert (search (matches, n, seed, h, is_inlier), "%zu of %zu", n_right, n);
    cr_assert (h[8] == 1);
    for (gsize i = 0; i < n_right; i++)
      cr_assert (is_inlier[i], "%zu of %zu of %zu", i, n_right, n);
    if (n_right == n)
      assert_near (assay_homography_corner_error (h, truth, WIDTH, HEIGHT), 0, 1e-6, "of %zu", n);
  }
}

/* The result is the least sum of squares over the matches that agree with it. */
Test (homography, result_is_refined_on_those_that_agree)
{
  enum { N = 150 };

  for (guint64 seed = 0; seed < 20; seed++) {
    AssayStream stream = stream_of (4000 + seed);
    AssayMatch matches[N], agree[N];
    gboolean is_inlier[N];
    double truth[9], h[9], again[9];
    gsize n = 0;

    random_homography (&stream, truth);
    random_matches (&stream, truth, N, 100, 1, matches);
    cr_assert (search (matches, N, seed, h, is_inlier));
    for (gsize i = 0; i < N; i++)
      if (is_inlier[i])
        agree[n++] = matches[i];
    cr_assert (assay_homography_fit (agree, n, again));
    cr_assert (assay_homography_refine (agree, n, again));
    assert_near (assay_homography_corner_error (h, again, WIDTH, HEIGHT), 0, 1e-4, "%zu", seed);
  }
}

/* 20 of 200: 90 % wrong takes 69,000 samples for a confidence of 0.999. */
Test (homography, few_right_ones_are_found)
{
  enum { N = 200, RIGHT = 20 };
  AssayStream stream = stream_of (7);
  AssayMatch matches[N];
  gboolean is_inlier[N];
  double truth[9], h[9];

  random_homography (&stream, truth);
  random_matches (&stream, truth, N, RIGHT, 0.3, matches);
  cr_assert (assay_homography_ransac (matches, N, 2, 0.999, 100000, &stream, h, is_inlier));
  assert_near (assay_homography_corner_error (h, truth, WIDTH, HEIGHT), 0, 3, "corners");
  for (gsize i = 0; i < RIGHT; i++)
    cr_assert (is_inlier[i], "%zu", i);
}

/* No two right matches have a homography in common, or there are none. By its rule a result comes
 * of at most one in 1000 of these; more than 5 of 200 have a chance below 1e-6. Within 20 pixels
 * some 9 of 100 agree with the best of thousands of models. */
Test (homography, no_consensus_is_no_result)
{
  static const gsize sizes[] = { 10, 30, 100, 200 };
  AssayMatch matches[200];
  gsize n_found = 0;

  for (guint64 seed = 0; seed < 200; seed++) {
    AssayStream stream = stream_of (3000 + seed);
    const gsize n = sizes[seed % 4];
    const double threshold = seed < 100 ? 3 : 20;
    double h[9];

    for (gsize i = 0; i < n; i++) {
      random_homography (&stream, h);
      random_matches (&stream, h, 1, i % 10 == 0, 0, &matches[i]);
    }
    n_found += assay_homography_ransac (matches, n, threshold, 0.999, 5000, &stream, h, NULL);
  }
  cr_assert (n_found <= 5, "%zu of 200", n_found);
}

/* A picture in a mirror has an exact homography, but not one that a camera in front sees. */
Test (homography, mirrored_pictures_do_not_agree)
{
  enum { N = 100 };
  AssayStream stream = stream_of (8);
  AssayMatch matches[N];
  double truth[9], h[9];

  random_homography (&stream, truth);
  random_matches (&stream, truth, N, N, 0, matches);
  for (gsize i = 0; i < N; i++)
    matches[i].u = WIDTH - matches[i].u;
  cr_assert (!search (matches, N, 1, h, NULL));
  cr_assert (assay_homography_fit (matches, N, h), "though it is one");
  assert_near (sum_of_squares (matches, N, h), 0, 1e-12, "of the fit");
}

/* Points behind the horizon do not agree, though the formula maps them. */
Test (homography, what_is_behind_the_horizon_does_not_agree)
{
  enum { N = 100, BEHIND = 10 };
  static const double truth[9] = { 1, 0, 0, 0, 1, 0, 0.005, 0, 1 }; /* w = 0 at x = -200 */
  AssayStream stream = stream_of (9);
  AssayMatch matches[N];
  gboolean is_inlier[N];
  double h[9];

  random_matches (&stream, truth, N, N, 0, matches);
  for (gsize i = 0; i < BEHIND; i++) {
    matches[i].x = -300 - 10 * (double) i;
    map (truth, matches[i].x, matches[i].y, &matches[i].u, &matches[i].v);
  }
  cr_assert (search (matches, N, 1, h, is_inlier));
  assert_near (assay_homography_corner_error (h, truth, WIDTH, HEIGHT), 0, 1e-6, "corners");
  for (gsize i = 0; i < N; i++)
    cr_assert (is_inlier[i] == (i >= BEHIND), "%zu", i);
}

/* Among 600 exact matches one that is 2.9 pixels off hardly moves the result. */
Test (homography, threshold_is_a_distance_in_pixels)
{
  enum { N = 600 };
  static const double offsets[] = { 0, 2.9, 3.1, -2.9, -3.1 };
  AssayStream stream = stream_of (10);
  g_autofree AssayMatch *matches = g_new (AssayMatch, N);
  g_autofree gboolean *is_inlier = g_new (gboolean, N);
  double truth[9], h[9];

  random_homography (&stream, truth);
  random_matches (&stream, truth, N, N, 0, matches);
  for (gsize i = 0; i < 5; i++) {
    matches[i].u += 0.6 * offsets[i];
    matches[i].v -= 0.8 * offsets[i];
  }
  cr_assert (search (matches, N, 1, h, is_inlier));
  for (gsize i = 0; i < N; i++)
    cr_assert (is_inlier[i] == (i >= 5 || fabs (offsets[i]) < 3), "%zu", i);
}

/* Each match twice: the same homography, of twice as many. */
Test (homography, duplicates_change_nothing)
{
  enum { N = 100 };
  AssayStream stream = stream_of (11);
  AssayMatch matches[2 * N];
  gboolean is_inlier[2 * N];
  double truth[9], once[9], twice[9];

  random_homography (&stream, truth);
  random_matches (&stream, truth, N, 60, 0.5, matches);
  memcpy (matches + N, matches, N * sizeof *matches);
  cr_assert (search (matches, N, 1, once, NULL));
  cr_assert (search (matches, 2 * N, 2, twice, is_inlier));
  assert_near (assay_homography_corner_error (twice, once, WIDTH, HEIGHT), 0, 1e-3, "corners");
  for (gsize i = 0; i < N; i++)
    cr_assert (is_inlier[i] == is_inlier[N + i], "%zu", i);
}

/* How often four were chosen of @n from @before to @after. */
static gsize
count_samples (AssayStream before, const AssayStream *after, gsize n)
{
  gsize samples = 0, chosen[4];

  while (samples < 10000 && (before.block != after->block || before.left != after->left)) {
    assay_stream_choose (&before, n, 4, chosen);
    samples++;
  }
  return samples;
}

/* log (1 - confidence) / log (1 - share^4) samples, and the same result of the same stream. */
Test (homography, sampling_ends_when_confident)
{
  enum { N = 200 };
  static const double confidences[] = { 0.9, 0.99, 0.999 };

  for (gsize i = 0; i < 9; i++) {
    const gsize n_right = 60 + 50 * (i / 3);
    AssayStream data = stream_of (12 + i);
    const AssayStream before = stream_of (1);
    AssayStream stream = before, again = before;
    AssayMatch matches[N];
    gboolean is_inlier[N];
    double truth[9], h[9], same[9], share = 0;

    random_homography (&data, truth);
    random_matches (&data, truth, N, n_right, 0, matches);
    cr_assert (
        assay_homography_ransac (matches, N, 3, confidences[i % 3], 5000, &stream, h, is_inlier));
    for (gsize j = 0; j < N; j++)
      share += is_inlier[j] / (double) N;
    assert_near ((double) count_samples (before, &stream, N),
                 ceil (log (1 - confidences[i % 3]) / log (1 - pow (share, 4))), 0, "case %zu", i);
    cr_assert (
        assay_homography_ransac (matches, N, 3, confidences[i % 3], 5000, &again, same, NULL));
    cr_assert (memcmp (h, same, sizeof h) == 0, "case %zu", i);
    cr_assert (!assay_homography_ransac (matches, N, 3, 0.9, 0, &again, same, NULL), "no samples");
  }
}

/* A sample of four noisy matches alone finds fewer that agree than there are, and so asks for more
 * samples than the number that do asks for: fits to those that agree make up for it. */
Test (homography, fits_while_sampling_save_samples)
{
  enum { N = 200, RIGHT = 80 };
  double samples = 0, needed = 0;

  for (guint64 seed = 0; seed < 50; seed++) {
    AssayStream data = stream_of (5000 + seed);
    const AssayStream before = stream_of (seed);
    AssayStream stream = before;
    AssayMatch matches[N];
    gboolean is_inlier[N];
    double truth[9], h[9], share = 0;

    random_homography (&data, truth);
    random_matches (&data, truth, N, RIGHT, 1, matches);
    cr_assert (assay_homography_ransac (matches, N, 3, 0.99, 5000, &stream, h, is_inlier));
    for (gsize j = 0; j < N; j++)
      share += is_inlier[j] / (double) N;
    samples += (double) count_samples (before, &stream, N);
    needed += ceil (log (1 - 0.99) / log (1 - pow (share, 4)));
  }
  cr_assert (samples <= 1.1 * needed, "%g samples, %g needed", samples, needed);
}
