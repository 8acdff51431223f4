/* The Kolmogorov-Smirnov test against enumeration and closed forms. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/stats/ks.h"
#include "tests/unit/assert-near.h"

static guint64
steps_of (guint order, gsize m, gsize n)
{
  guint64 most = 0, i = 0, j = 0;

  for (gsize s = 0; s < m + n; s++) {
    i += order >> s & 1;
    j += !(order >> s & 1);
    most = MAX (most, i * n > j * m ? i * n - j * m : j * m - i * n);
  }
  return most;
}

/* Large samples that hardly differ: at t = 0.1 the limit is not summed, and is 1; at t = 0.25 its
 * other form is 1 - sqrt (2 pi) / t sum exp (-(2 j - 1)^2 pi^2 / (8 t^2)). */
Test (ks, hardly_any_distance)
{
  cr_assert_eq (assay_ks_p (1000000, 1000000, 141421356), 1);
  assert_near (assay_ks_p (1000000, 1000000, 353553391), 1 - 2.6823810084829858e-8, 1e-12,
               "t = 0.25");
}

/* Every order of two samples, for all sizes up to 7 and all distances. */
Test (ks, enumeration)
{
  for (gsize m = 1; m <= 7; m++)
    for (gsize n = 1; n <= 7; n++)
      for (guint64 k = 0; k <= m * n; k++) {
        gsize n_orders = 0, n_reached = 0;

        for (guint order = 0; order < 1u << (m + n); order++) {
          if ((gsize) __builtin_popcount (order) != m)
            continue;
          n_orders++;
          n_reached += steps_of (order, m, n) >= k;
        }
        assert_near (assay_ks_p (m, n, k), (double) n_reached / (double) n_orders, 1e-14,
                     "%zu, %zu, %d steps", m, n, (int) k);
      }
}

/* Equal sizes (Gnedenko and Korolyuk 1951): P (D >= h / n) = 2 sum_j (-1)^(j - 1) C (2n, n - j h) /
 * C (2n, n). Down to 1e-115, relatively to 1e-9: lgamma loses 4 digits. */
Test (ks, equal_sizes)
{
  static const gsize sizes[] = { 20, 50, 400 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (gsize h = 1; h <= sizes[i]; h += 1 + sizes[i] / 40) {
      const double n = (double) sizes[i];
      double p = 0;

      for (gsize j = 1; j * h <= sizes[i]; j++) {
        const double of = (double) (j * h);
        const double term = exp (2 * lgamma (n + 1) - lgamma (n - of + 1) - lgamma (n + of + 1));

        p += j % 2 == 1 ? 2 * term : -2 * term;
      }
      assert_near (assay_ks_p (sizes[i], sizes[i], h * sizes[i]) / p, 1, 1e-9, "%zu, %zu", sizes[i],
                   h);
    }
}

/* The share of paths that stay inside, place by place, from the other side: 1 - p. */
static double
naive_p (gsize m, gsize n, guint64 steps)
{
  g_autofree double *inside = g_new0 (double, (m + 1) * (n + 1));

  for (guint64 i = 0; i <= m; i++)
    for (guint64 j = 0; j <= n; j++) {
      const double length = (double) (i + j);
      double share = i + j == 0;

      if (i > 0)
        share += (double) i / length * inside[(i - 1) * (n + 1) + j];
      if (j > 0)
        share += (double) j / length * inside[i * (n + 1) + j - 1];
      inside[i * (n + 1) + j] = MAX (i * n, j * m) - MIN (i * n, j * m) >= steps ? 0 : share;
    }
  return 1 - inside[(m + 1) * (n + 1) - 1];
}

Test (ks, unequal_sizes)
{
  static const gsize sizes[][2] = { { 12, 35 }, { 40, 360 }, { 50, 1234 }, { 400, 3600 } };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 1; k <= 20; k++) {
      const gsize m = sizes[i][0], n = sizes[i][1];
      /* t from 0.2 to 4 */
      const guint64 steps = MIN ((guint64) (0.2 * k * sqrt ((double) (m * n * (m + n)))), m * n);

      assert_near (assay_ks_p (m, n, steps), naive_p (m, n, steps), 1e-12, "%zu, %zu, %u", m, n, k);
      cr_assert (assay_ks_p (m, n, steps) == assay_ks_p (n, m, steps));
    }
}

/* Kolmogorov's limit where the samples are large, here 200,000 each: from above, as close as 0.2 %
 * (Gnedenko and Korolyuk's first term, whose logarithm lgamma knows to 1e-9). And at sizes that are
 * still exact it is at most 15 % above p while p > 1e-6, and never below. */
Test (ks, limit)
{
  const double n = 200000;

  for (guint64 k = 80000; k <= 200000; k += 20000) {
    const double t = (double) k / 1440000.0 * sqrt (360);
    const double limit = 2 * (exp (-2 * t * t) - exp (-8 * t * t) + exp (-18 * t * t));
    const double share = assay_ks_p (400, 3600, k) / limit;

    cr_assert (share <= 1 && share >= 0.85, "%d steps: %g", (int) k, share);
  }
  for (guint64 h = 800; h <= 1400; h += 200) {
    const double of = (double) h;
    const double p = 2 * exp (2 * lgamma (n + 1) - lgamma (n - of + 1) - lgamma (n + of + 1));

    assert_near (assay_ks_p (200000, 200000, h * 200000) / p, 1, 2e-3, "%d", (int) h);
  }
}

/* Between, where many terms count: the same function by its other series, of Jacobi's theta,
 *   1 - sqrt (2 pi) / t sum_{k >= 1} exp (-(2 k - 1)^2 pi^2 / (8 t^2)). */
Test (ks, limit_by_the_other_series)
{
  const gsize n = 1000000;

  for (double wanted = 0.25; wanted < 2; wanted += 0.05) {
    const guint64 steps = (guint64) (wanted * sqrt (2.0 / (double) n) * (double) n * (double) n);
    const double t = (double) steps / ((double) n * (double) n) * sqrt ((double) n / 2);
    double below = 0;

    for (int k = 1; k < 20; k++)
      below += exp (-(2 * k - 1) * (2 * k - 1) * G_PI * G_PI / (8 * t * t));
    assert_near (assay_ks_p (n, n, steps), 1 - sqrt (2 * G_PI) / t * below, 1e-12, "t %g", t);
  }
}

Test (ks, distances_and_ties)
{
  static const double first[] = { 1, 2, 2, 5 }, second[] = { 2, 3, 3, 4, 6 };
  const AssayKs found = assay_ks_test (first, 4, second, 5);
  const AssayKs same = assay_ks_test (first, 4, first, 4);

  /* At 2: 3/4 against 1/5. */
  assert_near (found.distance, 0.55, 1e-15, "distance");
  assert_near (found.p, assay_ks_p (4, 5, 11), 0, "p");
  cr_assert (same.distance == 0 && same.p == 1);
}

/* Each by hand: all of one sample below the other, either way round, and one within the other. What
 * stands behind the end of a sample is not looked at. */
Test (ks, samples_of_few)
{
  static const double one[] = { 1, -5 }, higher[] = { 2, 3, -5 }, around[] = { 1, 4 };

  assert_near (assay_ks_test (one, 1, higher, 2).distance, 1, 0, "below");
  assert_near (assay_ks_test (higher, 2, one, 1).distance, 1, 0, "above");
  assert_near (assay_ks_test (around, 2, higher, 2).distance, 0.5, 0, "around");
  assert_near (assay_ks_test (higher, 2, around, 2).distance, 0.5, 0, "within");
}

/* Up to ten million steps p is exact (Gnedenko and Korolyuk, the first terms), beyond it is the
 * limit, which is off by a tenth there. */
Test (ks, exact_where_it_is_fast)
{
  const double n = 10000, t = 1500 * sqrt (1 / (2 * n));
  double exact = 2;

  for (gsize k = 0; k < 900; k++) /* C (2n, n - h) / C (2n, n) */
    exact *= (n - (double) k) / (n + 900 - (double) k);
  assert_near (assay_ks_p (10000, 10000, 9000000), exact, 1e-9 * exact, "exact");
  assert_near (assay_ks_p (10000, 10000, 15000000), 2 * exp (-2 * t * t),
               1e-9 * exp (-2 * t * t), "the limit");
}

Test (ks, one_value)
{
  for (gsize n = 1; n <= 9; n++)
    for (gsize below = 0; below <= n; below++)
      assert_near (assay_ks_value_p (n, below, n - below),
                   assay_ks_p (1, n, MAX (below, n - below)), 1e-14, "%zu of %zu", below, n);
}
