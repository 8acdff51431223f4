/* Homographies from matches of which many are wrong: RANSAC. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/rng.h"
#include "metrics/matching/homography.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/homography-matches.h"

/* Issue 4: 60 % of the matches wrong. Of the right ones with noise of 1 pixel 1 - exp (-4.5) =
 * 0.98889 are within 3 pixels of the truth, of the wrong ones pi 9 / (639 479): of 8000, with
 * standard deviation 9.4, and of 12000, 1.1 expected. 5 standard deviations, and 10 of a Poisson
 * variable, are passed with a chance below 1e-6; to the former come a few that the error of the
 * estimate makes: less than 0.1 in quadrature, 0.002 of the matches. */
Test (homography_search, agrees_with_the_truth_at_sixty_percent_wrong)
{
  enum { N = 200, RIGHT = 80, SEEDS = 100 };
  gsize n_agree = 0, n_close = 0, n_right = 0, n_wrong = 0;

  for (guint64 seed = 0; seed < SEEDS; seed++) {
    AssayStream stream = homography_stream (1000 + seed);
    AssayMatch matches[N];
    gboolean is_inlier[N];
    double truth[9], h[9], error;

    homography_random (&stream, truth);
    homography_matches (&stream, truth, N, RIGHT, 1, matches);
    if (!homography_search (matches, N, seed, h, is_inlier))
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

Test (homography_search, exact_matches_are_found_exactly)
{
  g_autofree AssayMatch *matches = g_new (AssayMatch, MOST);
  g_autofree gboolean *is_inlier = g_new (gboolean, MOST);

  for (guint64 seed = 0; seed < 40; seed++) {
    AssayStream stream = homography_stream (2000 + seed);
    const gsize n = 4 + seed * seed, n_right = seed < 20 ? n : n / 2;
    double truth[9], h[9];

    homography_random (&stream, truth);
    homography_matches (&stream, truth, n, n_right, 0, matches);
    cr_assert (homography_search (matches, n, seed, h, is_inlier), "%zu of %zu", n_right, n);
    cr_assert (h[8] == 1);
    for (gsize i = 0; i < n_right; i++)
      cr_assert (is_inlier[i], "%zu of %zu of %zu", i, n_right, n);
    if (n_right == n)
      assert_near (assay_homography_corner_error (h, truth, WIDTH, HEIGHT), 0, 1e-6, "of %zu", n);
  }
}

/* The result is the least sum of squares over the matches that agree with it. */
Test (homography_search, result_is_refined_on_those_that_agree)
{
  enum { N = 150 };

  for (guint64 seed = 0; seed < 20; seed++) {
    AssayStream stream = homography_stream (4000 + seed);
    AssayMatch matches[N], agree[N];
    gboolean is_inlier[N];
    double truth[9], h[9], again[9];
    gsize n = 0;

    homography_random (&stream, truth);
    homography_matches (&stream, truth, N, 100, 1, matches);
    cr_assert (homography_search (matches, N, seed, h, is_inlier));
    for (gsize i = 0; i < N; i++)
      if (is_inlier[i])
        agree[n++] = matches[i];
    cr_assert (assay_homography_fit (agree, n, again));
    cr_assert (assay_homography_refine (agree, n, again));
    assert_near (assay_homography_corner_error (h, again, WIDTH, HEIGHT), 0, 1e-4, "%zu", seed);
  }
}

/* 20 of 200: 90 % wrong takes 69,000 samples for a confidence of 0.999. */
Test (homography_search, few_right_ones_are_found)
{
  enum { N = 200, RIGHT = 20 };
  AssayStream stream = homography_stream (7);
  AssayMatch matches[N];
  gboolean is_inlier[N];
  double truth[9], h[9];

  homography_random (&stream, truth);
  homography_matches (&stream, truth, N, RIGHT, 0.3, matches);
  cr_assert (assay_homography_ransac (&(AssayRansac){ 2, 0.999, 100000, FALSE },
                                      matches, N, &stream, h, is_inlier));
  assert_near (assay_homography_corner_error (h, truth, WIDTH, HEIGHT), 0, 3, "corners");
  for (gsize i = 0; i < RIGHT; i++)
    cr_assert (is_inlier[i], "%zu", i);
}

/* No two right matches have a homography in common, or there are none. By its rule a result comes
 * of at most one in 1000 of these; more than 5 of 200 have a chance below 1e-6. Within 20 pixels
 * some 9 of 100 agree with the best of thousands of models. */
Test (homography_search, no_consensus_is_no_result)
{
  static const gsize sizes[] = { 10, 30, 100, 200 };
  AssayMatch matches[200];
  gsize n_found = 0;

  for (guint64 seed = 0; seed < 200; seed++) {
    AssayStream stream = homography_stream (3000 + seed);
    const gsize n = sizes[seed % 4];
    const double threshold = seed < 100 ? 3 : 20;
    double h[9];

    for (gsize i = 0; i < n; i++) {
      homography_random (&stream, h);
      homography_matches (&stream, h, 1, i % 10 == 0, 0, &matches[i]);
    }
    n_found += assay_homography_ransac (&(AssayRansac){ threshold, 0.999, 5000, FALSE }, matches, n,
                                        &stream, h, NULL);
  }
  cr_assert (n_found <= 5, "%zu of 200", n_found);
}

/* A picture in a mirror has an exact homography, but not one that a camera in front sees. */
Test (homography_search, mirrored_pictures_do_not_agree)
{
  enum { N = 100 };
  AssayStream stream = homography_stream (8);
  AssayMatch matches[N];
  double truth[9], h[9];

  homography_random (&stream, truth);
  homography_matches (&stream, truth, N, N, 0, matches);
  for (gsize i = 0; i < N; i++)
    matches[i].u = WIDTH - matches[i].u;
  cr_assert (!homography_search (matches, N, 1, h, NULL));
  cr_assert (assay_homography_fit (matches, N, h), "though it is one");
  assert_near (homography_sum_of_squares (matches, N, h), 0, 1e-12, "of the fit");
}

/* Points behind the horizon do not agree, though the formula maps them. */
Test (homography_search, what_is_behind_the_horizon_does_not_agree)
{
  enum { N = 100, BEHIND = 10 };
  static const double truth[9] = { 1, 0, 0, 0, 1, 0, 0.005, 0, 1 }; /* w = 0 at x = -200 */
  AssayStream stream = homography_stream (9);
  AssayMatch matches[N];
  gboolean is_inlier[N];
  double h[9];

  homography_matches (&stream, truth, N, N, 0, matches);
  for (gsize i = 0; i < BEHIND; i++) {
    matches[i].x = -300 - 10 * (double) i;
    homography_map (truth, matches[i].x, matches[i].y, &matches[i].u, &matches[i].v);
  }
  cr_assert (homography_search (matches, N, 1, h, is_inlier));
  assert_near (assay_homography_corner_error (h, truth, WIDTH, HEIGHT), 0, 1e-6, "corners");
  for (gsize i = 0; i < N; i++)
    cr_assert (is_inlier[i] == (i >= BEHIND), "%zu", i);
}

/* Among 600 exact matches one that is 2.9 pixels off hardly moves the result. */
Test (homography_search, threshold_is_a_distance_in_pixels)
{
  enum { N = 600 };
  static const double offsets[] = { 0, 2.9, 3.1, -2.9, -3.1 };
  AssayStream stream = homography_stream (10);
  g_autofree AssayMatch *matches = g_new (AssayMatch, N);
  g_autofree gboolean *is_inlier = g_new (gboolean, N);
  double truth[9], h[9];

  homography_random (&stream, truth);
  homography_matches (&stream, truth, N, N, 0, matches);
  for (gsize i = 0; i < 5; i++) {
    matches[i].u += 0.6 * offsets[i];
    matches[i].v -= 0.8 * offsets[i];
  }
  cr_assert (homography_search (matches, N, 1, h, is_inlier));
  for (gsize i = 0; i < N; i++)
    cr_assert (is_inlier[i] == (i >= 5 || fabs (offsets[i]) < 3), "%zu", i);
}

/* Each match twice: the same homography, of twice as many. */
Test (homography_search, duplicates_change_nothing)
{
  enum { N = 100 };
  AssayStream stream = homography_stream (11);
  AssayMatch matches[2 * N];
  gboolean is_inlier[2 * N];
  double truth[9], once[9], twice[9];

  homography_random (&stream, truth);
  homography_matches (&stream, truth, N, 60, 0.5, matches);
  memcpy (matches + N, matches, N * sizeof *matches);
  cr_assert (homography_search (matches, N, 1, once, NULL));
  cr_assert (homography_search (matches, 2 * N, 2, twice, is_inlier));
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
Test (homography_search, sampling_ends_when_confident)
{
  enum { N = 200 };
  static const double confidences[] = { 0.9, 0.99, 0.999 };

  for (gsize i = 0; i < 9; i++) {
    const gsize n_right = 60 + 50 * (i / 3);
    AssayStream data = homography_stream (12 + i);
    const AssayStream before = homography_stream (1);
    AssayStream stream = before, again = before;
    AssayMatch matches[N];
    gboolean is_inlier[N];
    double truth[9], h[9], same[9], share = 0;

    homography_random (&data, truth);
    homography_matches (&data, truth, N, n_right, 0, matches);
    cr_assert (assay_homography_ransac (&(AssayRansac){ 3, confidences[i % 3], 5000, FALSE },
                                        matches, N, &stream, h, is_inlier));
    for (gsize j = 0; j < N; j++)
      share += is_inlier[j] / (double) N;
    assert_near ((double) count_samples (before, &stream, N),
                 ceil (log (1 - confidences[i % 3]) / log (1 - pow (share, 4))), 0, "case %zu", i);
    cr_assert (assay_homography_ransac (&(AssayRansac){ 3, confidences[i % 3], 5000, FALSE },
                                        matches, N, &again, same, NULL));
    cr_assert (memcmp (h, same, sizeof h) == 0, "case %zu", i);
    cr_assert (
        !assay_homography_ransac (&(AssayRansac){ .threshold = 3, .confidence = 0.9 }, matches, N,
                                  &again, same, NULL),
        "no samples");
  }
}

/* A sample of four noisy matches alone finds fewer that agree than there are, and so asks for more
 * samples than the number that do asks for: fits to those that agree make up for it. */
Test (homography_search, fits_while_sampling_save_samples)
{
  enum { N = 200, RIGHT = 80 };
  double samples = 0, needed = 0;

  for (guint64 seed = 0; seed < 50; seed++) {
    AssayStream data = homography_stream (5000 + seed);
    const AssayStream before = homography_stream (seed);
    AssayStream stream = before;
    AssayMatch matches[N];
    gboolean is_inlier[N];
    double truth[9], h[9], share = 0;

    homography_random (&data, truth);
    homography_matches (&data, truth, N, RIGHT, 1, matches);
    cr_assert (assay_homography_ransac (&(AssayRansac){ 3, 0.99, 5000, FALSE },
                                        matches, N, &stream, h, is_inlier));
    for (gsize j = 0; j < N; j++)
      share += is_inlier[j] / (double) N;
    samples += (double) count_samples (before, &stream, N);
    needed += ceil (log (1 - 0.99) / log (1 - pow (share, 4)));
  }
  cr_assert (samples <= 1.1 * needed, "%g samples, %g needed", samples, needed);
}
