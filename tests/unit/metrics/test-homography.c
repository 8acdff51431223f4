/* Homographies from matches that are right: exact ones are found again, noise is averaged, and what
 * does not determine a homography is refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/rng.h"
#include "metrics/matching/homography.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/homography-matches.h"

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
  AssayStream stream = homography_stream (2);

  for (gsize i = 0; i < 200; i++) {
    const gsize n = sizes[i % G_N_ELEMENTS (sizes)];
    double truth[9], h[9];

    homography_random (&stream, truth);
    homography_matches (&stream, truth, n, n, 0, matches);
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
  AssayStream stream = homography_stream (3);
  AssayMatch matches[N], moved[N];
  double truth[9], h[9], far[9], u, v, far_u, far_v;

  homography_random (&stream, truth);
  homography_matches (&stream, truth, N, N, 2, matches);
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

/* At the least sum of squares no number can be changed to advantage, and with normal noise of
 * variance 1 that sum is chi-square of 2 n - 8 degrees of freedom: mean 392, variance 784; 5
 * standard deviations are passed with a chance below 1e-6. */
Test (homography, refined_is_the_least_sum_of_squares)
{
  enum { N = 200 };
  AssayStream stream = homography_stream (4);
  AssayMatch matches[N];

  for (gsize trial = 0; trial < 20; trial++) {
    double truth[9], h[9], linear, least;

    homography_random (&stream, truth);
    homography_matches (&stream, truth, N, N, 1, matches);
    cr_assert (assay_homography_fit (matches, N, h));
    linear = homography_sum_of_squares (matches, N, h);
    cr_assert (assay_homography_refine (matches, N, h));
    least = homography_sum_of_squares (matches, N, h);
    cr_assert (least <= linear && least < homography_sum_of_squares (matches, N, truth),
               "%zu: %g, %g", trial, least, linear);
    assert_near (least, 392, 5 * 28, "trial %zu", trial);
    for (gsize j = 0; j < 16; j++) {
      double moved[9];

      memcpy (moved, h, sizeof moved);
      moved[j / 2] *= 1 + (j % 2 == 0 ? 1e-4 : -1e-4);
      cr_assert (homography_sum_of_squares (matches, N, moved) > least, "%zu: number %zu", trial,
                 j / 2);
    }
  }
}

/* One far match: the linear fit is far off, and refinement comes to the same from there. */
Test (homography, refinement_comes_from_afar)
{
  enum { N = 30 };
  AssayStream stream = homography_stream (5);
  AssayMatch matches[N];
  double truth[9], h[9], far[9];

  homography_random (&stream, truth);
  homography_matches (&stream, truth, N, N, 0.5, matches);
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
  cr_assert (!homography_search (matches, n, 1, h, NULL), "ransac: %s", what);
  cr_assert (h[0] == 7, "touched: %s", what);
}

Test (homography, what_is_not_determined_is_refused)
{
  enum { N = 60 };
  AssayStream stream = homography_stream (6);
  AssayMatch matches[N], line[N];
  double truth[9];

  homography_random (&stream, truth);
  homography_matches (&stream, truth, N, N, 0, matches);
  for (gsize n = 0; n < 4; n++)
    check_undetermined (matches, n, "fewer than four");
  for (gsize i = 0; i < N; i++) {
    line[i] = (AssayMatch){ .x = 3 * (double) i + 5, .y = 200 - 2 * (double) i };
    homography_map (truth, line[i].x, line[i].y, &line[i].u, &line[i].v);
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
