/* Gaffke's test of shares and quantiles in groups: against binomial tails, partial fractions and
 * products, by its exact level, and against itself looking ahead. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/rng.h"
#include "core/stats/bound-test.h"
#include "core/stats/fraction-test.h"
#include "tests/reference/naive-interval.h"
#include "tests/unit/assert-near.h"

static const AssayMeasure share = { .statistic = ASSAY_STATISTIC_MEAN, .low = 0, .high = 1 };
static const AssayMeasure quantiles[] = {
  { .statistic = ASSAY_STATISTIC_LOWER_QUARTILE, .low = -1e9, .high = 1e9 },
  { .statistic = ASSAY_STATISTIC_MEDIAN, .low = -1e9, .high = 1e9 },
  { .statistic = ASSAY_STATISTIC_UPPER_QUARTILE, .low = -1e9, .high = 1e9 },
};

static AssayStreamKey
key_of (const char *role, guint64 trial)
{
  return assay_stream_key (23, trial, role, "test-share-test");
}

/* Groups of @sizes units (or of @size each) of which means[g] of each are 1 in value. */
static AssaySample *
grouped (const AssayMeasure *measure, const double *means, const gsize *sizes, gsize size,
         gsize n_groups)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (gsize g = 0; g < n_groups; g++)
    for (gsize i = 0; i < (sizes != NULL ? sizes[g] : size); i++) {
      const gint64 number = (gint64) g;

      g_array_append_val (values, means[g]);
      g_array_append_val (groups, number);
    }
  return assay_sample_new (measure, (const double *) (void *) values->data,
                           (const gint64 *) (void *) groups->data, values->len);
}

static double
p_of (const AssaySample *sample, double bound, gboolean is_above)
{
  const AssayBoundTest test = assay_bound_test (sample, bound, key_of ("unused", 0));

  return is_above ? test.p_above : test.p_below;
}

/* Means of numbers from 0 to 1, differences, and quantiles in many groups. */
Test (share_test, which_samples_are_tested)
{
  static const AssayMeasure wide = { .low = -1, .high = 1 }, high = { .low = 0, .high = 2 },
                            influence = { .low = 0, .high = 1, .is_influence = TRUE };
  static const struct {
    AssaySample sample;
    gboolean is_tested;
  } cases[] = {
    { { .method = ASSAY_SAMPLE_BOOTSTRAP, .p = -1, .measure = &share }, TRUE },
    { { .method = ASSAY_SAMPLE_BOOTSTRAP, .p = -1, .measure = &wide }, FALSE },
    { { .method = ASSAY_SAMPLE_BOOTSTRAP, .p = -1, .measure = &high }, FALSE },
    { { .method = ASSAY_SAMPLE_BOOTSTRAP, .p = -1, .measure = &influence }, FALSE },
    { { .method = ASSAY_SAMPLE_BOOTSTRAP, .p = -1, .measure = &wide, .is_difference = TRUE },
      TRUE },
    { { .method = ASSAY_SAMPLE_GROUP_T, .p = -1, .measure = &share, .n_groups = 3 }, TRUE },
    { { .method = ASSAY_SAMPLE_GROUP_T, .p = -1, .measure = &high, .n_groups = 3 }, FALSE },
    { { .method = ASSAY_SAMPLE_GROUP_T, .p = 0.5, .measure = &share, .n_groups = 3 }, FALSE },
    { { .method = ASSAY_SAMPLE_GROUP_BOOTSTRAP, .p = -1, .measure = &share }, TRUE },
    { { .method = ASSAY_SAMPLE_GROUP_BOOTSTRAP, .p = -1, .measure = &wide }, FALSE },
    { { .method = ASSAY_SAMPLE_GROUP_BOOTSTRAP, .p = 0.5, .measure = &wide }, TRUE },
    { { .method = ASSAY_SAMPLE_EXTREME, .p = -1, .measure = &share }, FALSE },
    { { .method = ASSAY_SAMPLE_EXTREME, .p = -1, .measure = &share, .n_groups = 1 }, TRUE },
    { { .method = ASSAY_SAMPLE_BINOMIAL, .p = -1, .measure = &share }, FALSE },
    { { .method = ASSAY_SAMPLE_ORDER, .p = 0.5, .measure = &share }, FALSE },
    { { .method = ASSAY_SAMPLE_TOO_SMALL, .p = -1, .measure = &share }, FALSE },
    { { .method = ASSAY_SAMPLE_CROSSED, .p = -1, .measure = &share }, FALSE },
    { { .method = ASSAY_SAMPLE_EXCESS, .p = -1, .measure = &share }, FALSE },
    { { .method = ASSAY_SAMPLE_AUDIT, .p = -1, .measure = &share }, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    cr_assert_eq (assay_fraction_is_tested (&cases[i].sample), cases[i].is_tested, "case %zu", i);
}

/* Groups of one size that succeed or fail as a whole are units of a rate. The tails go down to
 * 1e-90, far below what 2,000 resamples can say. */
Test (share_test, whole_groups_are_units)
{
  static const gsize counts[] = { 2, 12, 29, 30, 40, 200 };
  static const double bounds[] = { 0.02, 0.1, 0.5, 0.9 };
  double means[200];

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    for (gsize x = 0; x <= counts[i]; x += 1 + counts[i] / 13) {
      g_autoptr (AssaySample) sample = NULL;

      for (gsize g = 0; g < counts[i]; g++)
        means[g] = g < x;
      sample = grouped (&share, means, NULL, 3, counts[i]);
      for (gsize j = 0; j < G_N_ELEMENTS (bounds); j++) {
        const double above = naive_binomial_at_least (x, counts[i], bounds[j]);
        const double below = naive_binomial_at_most (x, counts[i], bounds[j]);

        assert_near (p_of (sample, bounds[j], TRUE), above, 1e-9 * above + 1e-300,
                     "%zu of %zu at %g", x, counts[i], bounds[j]);
        assert_near (p_of (sample, bounds[j], FALSE), below, 1e-9 * below + 1e-300,
                     "%zu of %zu at %g", x, counts[i], bounds[j]);
      }
    }
}

/* P (sum a_i E_i > 0) for different a_i by partial fractions: sum over a_i > 0 of prod_(j != i)
 * a_i / (a_i - a_j). The last is that of the added group. */
static double
naive_gaffke (const double *means, const gsize *sizes, gsize n, double bound, gboolean is_above)
{
  double a[12], largest = 0, sum = 0;

  for (gsize g = 0; g < n; g++) {
    a[g] = (double) sizes[g] * (is_above ? bound - means[g] : means[g] - bound);
    largest = fmax (largest, (double) sizes[g]);
  }
  a[n] = largest * (is_above ? bound : 1 - bound);
  for (gsize i = 0; i <= n; i++) {
    double product = a[i] > 0;

    for (gsize j = 0; j <= n; j++)
      product *= j != i ? a[i] / (a[i] - a[j]) : 1;
    sum += product;
  }
  return sum;
}

/* Partial fractions of so few groups cancel to about 1e-9. Few groups count alike, whatever their
 * sizes; independent units are groups of one. */
Test (share_test, shares_have_the_tail_of_partial_fractions)
{
  static const double means[] = { 0.05, 0.93, 0.31, 0.62, 0.17, 0.48 };
  static const gsize ones[] = { 1, 1, 1, 1, 1, 1 };
  static const gsize sizes[] = { 1, 3, 2, 3, 5, 1 };
  g_autoptr (AssaySample) few = grouped (&share, means, sizes, 0, 6);
  g_autoptr (AssaySample) units = assay_sample_new (&share, means, NULL, 6);

  cr_assert (few->method == ASSAY_SAMPLE_GROUP_T && units->method == ASSAY_SAMPLE_BOOTSTRAP);
  for (double bound = 0.013; bound < 1; bound += 0.09)
    for (gint is_above = 0; is_above < 2; is_above++) {
      const double expected = naive_gaffke (means, ones, 6, bound, is_above);
      const double least = assay_bound_least_p (few, bound, is_above);

      assert_near (p_of (units, bound, is_above), expected, 1e-8, "units at %g", bound);
      assert_near (p_of (few, bound, is_above), fmax (expected, least), 1e-8, "groups at %g",
                   bound);
    }
}

/* 40 groups of 1 to 5 units, all below the bound but one: a product of simple factors for each, and
 * one partial fraction more. Sizes weigh: a large group may be missing. */
Test (share_test, many_groups_weigh_by_size)
{
  double means[40], product = 1, least = 1;
  gsize sizes[40];
  g_autoptr (AssaySample) below = NULL, none = NULL;

  for (gsize g = 0; g < 40; g++) {
    sizes[g] = 1 + g % 5;
    means[g] = 0.002 * (double) g;
    product /= 1 + (double) sizes[g] / 5 * (0.1 - means[g]) / 0.9;
    least /= 1 + (double) sizes[g] / 5 * 0.1 / 0.9;
  }
  below = grouped (&share, means, sizes, 0, 40);
  cr_assert (below->method == ASSAY_SAMPLE_GROUP_BOOTSTRAP);
  assert_near (p_of (below, 0.1, FALSE), product, 1e-12, "all below");
  assert_near (assay_bound_least_p (below, 0.1, FALSE), least, 1e-12, "least");
  memset (means, 0, sizeof means);
  none = grouped (&share, means, sizes, 0, 40);
  cr_assert (none->method == ASSAY_SAMPLE_EXTREME);
  assert_near (p_of (none, 0.1, FALSE), least, 1e-12, "none");
  cr_assert (p_of (none, 0, FALSE) == 1 && p_of (none, 0, TRUE) == 1);
}

/* P (p <= level) when group means have three values, added up over all samples of 12 groups: no
 * simulation. The third and the fourth are the worst of 4,000 distributions, drawn and improved at
 * random, of 10 groups. */
Test (share_test, level_is_held_for_any_distribution)
{
  enum { N = 12 };
  static const struct {
    double values[3], chances[3];
  } cases[] = {
    { { 0, 0.5, 1 }, { 0.6, 0.3, 0.1 } },        { { 0.05, 0.1, 1 }, { 0.5, 0.45, 0.05 } },
    { { 1, 0.362, 1 }, { 0.39, 0.493, 0.117 } }, { { 0.338, 1, 1 }, { 0.501, 0.38, 0.119 } },
    { { 0, 0.9, 1 }, { 0.05, 0.9, 0.05 } },      { { 0.1, 1, 1 }, { 0.779, 0.22, 0.001 } },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const double *values = cases[c].values, *q = cases[c].chances;
    const double bound = values[0] * q[0] + values[1] * q[1] + values[2] * q[2];

    for (gint is_above = 0; is_above < 2; is_above++) {
      double wrong[3] = { 0 };

      for (gsize i = 0; i <= N; i++)
        for (gsize j = 0; i + j <= N; j++) {
          const double chance = naive_binomial_term (i, N, q[0])
                                * naive_binomial_term (j, N - i, q[1] / (q[1] + q[2]));
          g_autoptr (AssaySample) sample = NULL;
          double means[N], p;

          for (gsize g = 0; g < N; g++)
            means[g] = values[g < i ? 0 : g < i + j ? 1 : 2];
          sample = grouped (&share, means, NULL, 1, N);
          p = p_of (sample, bound, is_above);
          for (gsize k = 0; k < 3; k++)
            wrong[k] += p <= pow (10, -1 - (double) k) / 2 ? chance : 0;
        }
      for (gsize k = 0; k < 3; k++)
        cr_assert (wrong[k] <= pow (10, -1 - (double) k) / 2 * (1 + 1e-9),
                   "case %zu, above %d: %g at %g", c, is_above, wrong[k],
                   pow (10, -1 - (double) k) / 2);
    }
  }
}

/* Differences of another range are the shares that they are scaled to, looking ahead too. */
Test (share_test, differences_are_scaled_shares)
{
  const AssayMeasure wide = { .statistic = ASSAY_STATISTIC_MEAN, .low = -2, .high = 2 };
  double differences[40], shares[40];
  g_autoptr (AssaySample) sample = NULL;
  g_autoptr (AssaySample) scaled = NULL;

  for (gsize i = 0; i < 40; i++) {
    differences[i] = (double) (i % 7) / 5 - 0.5;
    shares[i] = (differences[i] + 2) / 4;
  }
  sample = assay_sample_new_difference (&wide, differences, NULL, 40);
  scaled = assay_sample_new (&share, shares, NULL, 40);
  for (double bound = -0.5; bound < 1; bound += 0.3)
    for (guint side = 0; side < 2; side++) {
      cr_assert_float_eq (assay_fraction_p (sample, bound, side == 0),
                          assay_fraction_p (scaled, (bound + 2) / 4, side == 0), 1e-9);
      cr_assert_float_eq (
          assay_fraction_detectable (sample, bound, side == 0, 0.05),
          4 * assay_fraction_detectable (scaled, (bound + 2) / 4, side == 0, 0.05) - 2, 1e-5);
    }
  cr_assert (assay_fraction_is_tested (sample));
}

/* A quantile in many groups is above b if more than a share 1 - p is: the test of that share. */
Test (share_test, quantiles_in_groups_are_shares)
{
  enum { N = 120, GROUPS = 40 };
  AssayStream stream = assay_stream (key_of ("group-sign", 0), 0);
  double values[N], beyond[2][N];
  gint64 groups[N];

  for (gsize i = 0; i < N; i++) {
    groups[i] = (gint64) (i < GROUPS ? i : assay_stream_below (&stream, GROUPS));
    values[i] = (double) assay_stream_below (&stream, 30) / 30 + (double) (groups[i] % 3);
  }
  for (gsize q = 0; q < 3; q++) {
    g_autoptr (AssaySample) sample = assay_sample_new (&quantiles[q], values, groups, N);
    const double p = 0.25 * (double) (q + 1);

    cr_assert (sample->method == ASSAY_SAMPLE_GROUP_BOOTSTRAP);
    for (double bound = 0.1; bound < 3; bound += 0.3) {
      g_autoptr (AssaySample) above = NULL, below = NULL;

      for (gsize i = 0; i < N; i++) {
        beyond[0][i] = values[i] > bound;
        beyond[1][i] = values[i] < bound;
      }
      above = assay_sample_new (&share, beyond[0], groups, N);
      below = assay_sample_new (&share, beyond[1], groups, N);
      assert_near (p_of (sample, bound, TRUE), p_of (above, 1 - p, TRUE), 1e-9, "%g above %g", p,
                   bound);
      assert_near (p_of (sample, bound, FALSE), p_of (below, p, TRUE), 1e-9, "%g below %g", p,
                   bound);
    }
    cr_assert (assay_bound_floor_p (sample) == 0);
  }
}

/* A sample is told from the bound exactly if its estimate is beyond what is detectable; and as many
 * groups again as are needed decide, one copy of the sample fewer does not. */
Test (share_test, looking_ahead_agrees_with_the_p_value)
{
  static const double levels[] = { 0.05, 0.01, 0.0001 };
  guint n_told = 0, n_open = 0;

  for (guint64 trial = 0; trial < 30; trial++) {
    AssayStream stream = assay_stream (key_of ("ahead", trial), 0);
    const gsize n_groups = trial % 2 == 0 ? 12 : 36;
    const double a = levels[trial % 3], bound = 0.3;
    const AssayStreamKey key = key_of ("unused", 0);
    double means[36 * 8], estimate, needed;

    for (gsize g = 0; g < n_groups; g++)
      means[g] = assay_stream_uniform (&stream) * (double) (trial % 5) / 4;
    for (gsize g = n_groups; g < 36 * 8; g++)
      means[g] = means[g % n_groups];
    for (gint is_above = 0; is_above < 2; is_above++) {
      g_autoptr (AssaySample) sample = grouped (&share, means, NULL, 5, n_groups);
      const double detectable = assay_bound_detectable (sample, bound, is_above, a, key);
      const gboolean is_told = p_of (sample, bound, is_above) < a;

      estimate = sample->estimate;
      cr_assert (isnan (detectable) == (assay_bound_least_p (sample, bound, is_above) >= a));
      cr_assert (
          isnan (detectable)
              ? !is_told
              : is_told == (is_above ? estimate > detectable - 2e-6 : estimate < detectable + 2e-6),
          "trial %d: %g, %g", (int) trial, estimate, detectable);
      is_told ? n_told++ : n_open++;
      if (is_above != (estimate > bound))
        continue;
      needed = assay_bound_units_needed (sample, bound, a, key) / 5;
      cr_assert (is_told == (needed <= (double) n_groups), "trial %d: %g", (int) trial, needed);
      for (gsize copies = 1; copies * n_groups <= 36 * 8 && n_groups == 36; copies++) {
        g_autoptr (AssaySample) more = grouped (&share, means, NULL, 5, copies * n_groups);

        cr_assert ((p_of (more, bound, is_above) < a) == (needed <= (double) (copies * n_groups)),
                   "trial %d, %zu copies: %g", (int) trial, copies, needed);
      }
    }
  }
  cr_assert (n_told >= 10 && n_open >= 10);
}

/* The bound moved by as far as the estimate is from the last outcome that it is told from. */
Test (share_test, detectable_quantile_inverts_the_test)
{
  double values[60], limit = -1e9;
  gint64 groups[60];
  g_autoptr (AssaySample) sample = NULL;

  for (gsize i = 0; i < 60; i++) {
    values[i] = (double) (i * 7 % 60);
    groups[i] = (gint64) (i % 30);
  }
  sample = assay_sample_new (&quantiles[1], values, groups, 60);
  for (gint value = 0; value < 60; value++)
    if (p_of (sample, value, TRUE) < 0.05)
      limit = value;
  cr_assert (limit > 0 && limit < sample->estimate);
  assert_near (assay_bound_detectable (sample, 100, TRUE, 0.05, key_of ("unused", 0)),
               100 + sample->estimate - limit, 1e-12, "median");
}

/* ---- Sizes, ends and samples of one group ---- */

static double
told_by (const double *means, const gsize *sizes, gsize n, double shift, double bound,
         gboolean is_above)
{
  g_autofree double *moved = g_new (double, n);
  g_autoptr (AssaySample) sample = NULL;

  for (gsize g = 0; g < n; g++)
    moved[g] = CLAMP (means[g] + shift, 0, 1);
  sample = grouped (&share, moved, sizes, 0, n);
  return assay_fraction_p (sample, bound, is_above);
}

/* The largest group is the first: each weighs by its share of it, on both sides. */
Test (share_test, the_largest_group_may_be_the_first)
{
  double means[40], below = 1, above = 1;
  gsize sizes[40];
  g_autoptr (AssaySample) sample = NULL;

  for (gsize g = 0; g < 40; g++) {
    const double weight = g == 0 ? 1 : 0.25 * (double) (1 + g % 3);

    sizes[g] = g == 0 ? 4 : 1 + g % 3;
    means[g] = 0.001 * (double) g;
    below /= 1 + weight * (0.1 - means[g]) / 0.9;
    above /= 1 + weight * 0.9 / 0.1;
  }
  sample = grouped (&share, means, sizes, 0, 40);
  assert_near (assay_fraction_p (sample, 0.1, FALSE), below, 1e-12, "all below");
  assert_near (assay_fraction_least_p (sample, 0.1, TRUE), above, 1e-12 * above, "least above");
  cr_assert_eq (assay_fraction_p (sample, 0, TRUE), 0, "one is above 0");
  cr_assert_eq (assay_fraction_p (sample, 1, FALSE), 0, "one is below 1");
}

/* All of a thousand units fail together, or not: one unit of a rate. */
Test (share_test, one_group_is_one_unit)
{
  g_autofree double *values = g_new0 (double, 1000);
  g_autofree gint64 *groups = g_new0 (gint64, 1000);
  g_autoptr (AssaySample) zeros = assay_sample_new (&share, values, groups, 1000);
  g_autoptr (AssaySample) ones = NULL;

  for (gsize i = 0; i < 1000; i++)
    values[i] = 1;
  ones = assay_sample_new (&share, values, groups, 1000);
  cr_assert (zeros->method == ASSAY_SAMPLE_EXTREME && ones->method == ASSAY_SAMPLE_EXTREME);
  assert_near (assay_fraction_p (zeros, 0.1, FALSE), 0.9, 1e-12, "none");
  assert_near (assay_fraction_p (ones, 0.3, TRUE), 0.3, 1e-12, "all");
}

/* What is detectable is the mean of the groups, moved within 0 and 1, at which the test turns:
 * found here by the test of samples that were moved so. Few groups count alike whatever their
 * sizes. */
Test (share_test, detectable_is_where_moved_groups_are_told)
{
  for (gsize n = 12; n <= 40; n += 28)
    for (gint is_above = 0; is_above < 2; is_above++) {
      double means[40], low = -1, high = 1, sum = 0, total = 0;
      gsize sizes[40];
      g_autoptr (AssaySample) sample = NULL;

      for (gsize g = 0; g < n; g++) {
        sizes[g] = 1 + (g + 2) % 4;
        means[g] = g % 2 == 0 ? 0.03 : 0.96;
      }
      while (high - low > 1e-9) {
        const double middle = (low + high) / 2;
        const gboolean is_told = told_by (means, sizes, n, middle, 0.5, is_above) < 0.01;

        *(is_told == is_above ? &high : &low) = middle;
      }
      for (gsize g = 0; g < n; g++) {
        const double size = n < 30 ? 1 : (double) sizes[g];

        sum += size * CLAMP (means[g] + low, 0, 1);
        total += size;
      }
      sample = grouped (&share, means, sizes, 0, n);
      cr_assert (is_above ? low > 0.04 : low < -0.03, "a clamp is tried: %g", low);
      assert_near (assay_fraction_detectable (sample, 0.5, is_above, 0.01), sum / total, 2e-6,
                   "%zu groups, above %d", n, is_above);
    }
}

/* Where nothing is on the wrong side the p-value is (1 - b)^G. */
Test (share_test, fewest_groups_by_closed_form)
{
  static const double zeros[36], near[36] = { 0.4 };
  g_autoptr (AssaySample) none = grouped (&share, zeros, NULL, 5, 36);
  g_autoptr (AssaySample) some = grouped (&share, near, NULL, 5, 36);

  /* ln 0.05 / ln 0.9 is 28.4. */
  cr_assert_eq (assay_fraction_units_needed (none, 0.1, FALSE, 0.05), 29 * 5);
  cr_assert_eq (assay_fraction_units_needed (none, 0.99, FALSE, 0.05), 5, "one group");
  cr_assert_eq (assay_fraction_units_needed (some, 0.1, TRUE, 0.05), 0, "it is not above");
}

/* 30 groups of one unit: of the median "more than i of 30 are beyond" is a binomial tail. 1 unit
 * that is not beyond it has 31 / 2^30, 2 have 466 / 2^30. No value is an end of the range. */
Test (share_test, detectable_quantile_by_the_binomial)
{
  const AssayMeasure median = { .statistic = ASSAY_STATISTIC_MEDIAN, .low = 0, .high = 31 };
  double values[30];
  gint64 groups[30];
  g_autoptr (AssaySample) sample = NULL;

  for (gsize i = 0; i < 30; i++) {
    values[i] = (double) i + 1;
    groups[i] = (gint64) i;
  }
  sample = assay_sample_new (&median, values, groups, 30);
  cr_assert_eq (sample->estimate, 15.5);
  cr_assert_eq (assay_fraction_detectable (sample, 10, TRUE, 1e-7), 24.5, "one");
  cr_assert_eq (assay_fraction_detectable (sample, 10, TRUE, 1e-6), 23.5, "two");
  cr_assert_eq (assay_fraction_detectable (sample, 20, FALSE, 1e-7), 5.5, "one");
  cr_assert_eq (assay_fraction_detectable (sample, 20, FALSE, 1e-6), 6.5, "two");
  cr_assert_eq (assay_fraction_detectable (sample, 16.5, TRUE, 1e-7), 31, "the end");
  cr_assert_eq (assay_fraction_detectable (sample, 14.5, FALSE, 1e-7), 0, "the end");
  cr_assert (isnan (assay_fraction_detectable (sample, 17, TRUE, 1e-7)), "beyond the range");
  cr_assert (isnan (assay_fraction_detectable (sample, 14, FALSE, 1e-7)), "beyond the range");
}
