/* Adjusted mutual information against all ways to divide few rows, and by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/rng.h"
#include "core/stats/mutual-information.h"
#include "tests/unit/assert-near.h"

enum { N = 8, PARTS = 3 };

/* H (one) + H (other) - H (both), of weighted rows. */
static double
naive_entropy (const gint64 *parts, gsize n, const double *weights)
{
  double sum = 0, all = 0;

  for (gsize i = 0; i < n; i++)
    all += weights[i];
  for (gint64 p = 0; p < PARTS * PARTS; p++) {
    double in = 0;

    for (gsize i = 0; i < n; i++)
      in += parts[i] == p ? weights[i] : 0;
    sum -= in > 0 ? in / all * log (in / all) : 0;
  }
  return sum;
}

static double
naive_information (const gint64 *one, const gint64 *other, gsize n, const double *weights)
{
  gint64 both[64];

  for (gsize i = 0; i < n; i++)
    both[i] = PARTS * one[i] + other[i];
  return naive_entropy (one, n, weights) + naive_entropy (other, n, weights)
         - naive_entropy (both, n, weights);
}

/* The sum over all orders of the rows from @place on; @ret_count: how many. */
static double
sum_orders (const gint64 *one, gint64 *other, gsize place, gsize *ret_count)
{
  static const double ones[N] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  double sum = 0;

  if (place == N) {
    (*ret_count)++;
    return naive_information (one, other, N, ones);
  }
  for (gsize i = place; i < N; i++) {
    gint64 kept = other[place];

    other[place] = other[i];
    other[i] = kept;
    sum += sum_orders (one, other, place + 1, ret_count);
    kept = other[place];
    other[place] = other[i];
    other[i] = kept;
  }
  return sum;
}

static void
draw_parts (AssayStream *stream, gsize n, gint64 *ret_parts)
{
  for (gsize i = 0; i < n; i++)
    ret_parts[i] = (gint64) assay_stream_below (stream, PARTS);
}

/* The same halves: 1. Halves across: of the 6 ways to choose two of four rows 2 give ln 2 and 4
 * give 0, so that E = ln 2 / 3, and AMI = (0 - 1/3) / (1 - 1/3) = -1/2. One part alone: 0. */
Test (mutual_information, by_hand)
{
  static const gint64 halves[] = { 0, 0, 1, 1 }, across[] = { 0, 1, 0, 1 }, one[] = { 0, 0, 0, 0 };
  AssayPartitions partitions = { halves, across, 4, 2, 3 };
  const AssayMutualInformation found = assay_mutual_information (&partitions);

  assert_near (found.information, 0, 1e-15, "MI");
  assert_near (found.expected, log (2) / 3, 1e-15, "E");
  assert_near (found.entropy_one, log (2), 1e-15, "H");
  for (guint norm = 0; norm < 2; norm++) {
    partitions.other = across;
    assert_near (assay_adjusted_information (&partitions, norm, NULL), -0.5, 1e-14, "across");
    partitions.other = halves;
    assert_near (assay_adjusted_information (&partitions, norm, NULL), 1, 1e-14, "same");
    partitions.other = one;
    assert_near (assay_adjusted_information (&partitions, norm, NULL), 0, 1e-14, "one part");
    partitions.one = one;
    assert_near (assay_adjusted_information (&partitions, norm, NULL), 1, 0, "one part each");
    partitions.one = halves;
  }
}

/* Parts of one row each: both entropies and what they share are ln n, and by chance no less. */
Test (mutual_information, parts_of_one_row)
{
  static const gint64 own[] = { 0, 1, 2 };
  const AssayPartitions partitions = { own, own, 3, 3, 3 };
  const AssayMutualInformation found = assay_mutual_information (&partitions);

  assert_near (found.entropy_one, log (3), 1e-15, "H");
  assert_near (found.entropy_other, log (3), 1e-15, "G");
  assert_near (found.information, log (3), 1e-15, "MI");
  assert_near (found.expected, log (3), 1e-14, "E");
}

/* E is the mean over all 8! orders of the rows of one side. */
Test (mutual_information, expected_is_the_mean_over_all_orders)
{
  for (guint64 trial = 0; trial < 6; trial++) {
    AssayStream stream = assay_stream (assay_stream_key (5, 0, "test", "information"), trial);
    gint64 one[N], other[N];
    const AssayPartitions partitions = { one, other, N, PARTS, PARTS };
    AssayMutualInformation found;
    double mean;
    gsize count = 0;

    draw_parts (&stream, N, one);
    draw_parts (&stream, N, other);
    found = assay_mutual_information (&partitions);
    mean = sum_orders (one, other, 0, &count);
    cr_assert_eq (count, 40320);
    assert_near (found.expected, mean / (double) count, 1e-10, "trial %d", (int) trial);
  }
}

/* With E held, by differences of weights; and the mean of influences is the measure. */
Test (mutual_information, influences_are_derivatives)
{
  enum { ROWS = 60 };

  for (guint64 trial = 0; trial < 10; trial++) {
    AssayStream stream = assay_stream (assay_stream_key (6, 0, "test", "information"), trial);
    const AssayInformationNorm norm = trial % 2;
    gint64 one[ROWS], other[ROWS];
    const AssayPartitions partitions = { one, other, ROWS, PARTS, PARTS };
    AssayMutualInformation found;
    double influences[ROWS], weights[ROWS], mean = 0, adjusted;

    draw_parts (&stream, ROWS, one);
    draw_parts (&stream, ROWS, other);
    for (gsize i = 0; i < ROWS; i++) {
      other[i] = i % 3 == 0 ? one[i] : other[i];
      weights[i] = 1;
    }
    found = assay_mutual_information (&partitions);
    adjusted = assay_adjusted_information (&partitions, norm, influences);
    cr_assert (adjusted > 0.02 && adjusted < 0.9, "%g", adjusted);
    for (gsize i = 0; i < ROWS; i++) {
      double sides[2];

      for (guint s = 0; s < 2; s++) {
        double h, g, most;

        weights[i] = s == 0 ? 1 - 1e-5 : 1 + 1e-5;
        h = naive_entropy (one, ROWS, weights);
        g = naive_entropy (other, ROWS, weights);
        most = norm == ASSAY_INFORMATION_MAX ? MAX (h, g) : (h + g) / 2;
        sides[s] = (naive_information (one, other, ROWS, weights) - found.expected)
                   / (most - found.expected);
      }
      weights[i] = 1;
      assert_near (influences[i], adjusted + ROWS * (sides[1] - sides[0]) / 2e-5, 1e-6,
                   "trial %d, row %zu", (int) trial, i);
      mean += influences[i] / ROWS;
    }
    assert_near (mean, adjusted, 1e-12, "mean of trial %d", (int) trial);
  }
}
