/* The two-sample test of Kolmogorov and Smirnov.
 *
 * Samples of m and n values put into one order are a path from (0, 0) to (m, n) by steps (1, 0) and
 * (0, 1); at (i, j) the distribution functions differ by |i / m - j / n|. If the distributions are
 * the same and continuous, every path has the same chance, and p is the share of paths that
 * somewhere reach
 *
 *   |i n - j m| >= k,   k = m n D.
 *
 * With C(i, j) the share of the paths to (i, j) that did: C = 1 where it is reached, and elsewhere
 *
 *   C(i, j) = i / (i + j) C(i - 1, j) + j / (i + j) C(i, j - 1),   C(0, 0) = 0
 *
 * (Hodges 1958, "The significance probability of the Smirnov two-sample test", Arkiv foer Matematik
 * 3, section 2; counted from the reached side as in Viehmann 2021, "Numerically more stable
 * computation of the p-values for the two-sample Kolmogorov-Smirnov test"). No term is negative, so
 * that small p are as exact as large ones. Only the about 2 k places between the bounds are
 * computed. Where these are over MOST_PLACES, both samples are large and p is Kolmogorov's limit
 *
 *   2 sum_{j >= 1} (-1)^(j - 1) exp (-2 j^2 t^2),   t = D sqrt (m n / (m + n)). */
#include "core/stats/ks.h"

#include <math.h>

#define MOST_PLACES 20000000
#define MOST_TERMS 100
#define SMALLEST_T 0.2 /* below it the limit is 1 to 12 digits */

static double
limit_p (gsize m, gsize n, guint64 steps)
{
  const double product = (double) m * (double) n;
  const double t = (double) steps / product * sqrt (product / (double) (m + n));
  double sum = 0;

  if (t < SMALLEST_T)
    return 1;
  for (guint j = 1; j <= MOST_TERMS; j++) {
    const double term = exp (-2 * (double) (j * j) * t * t);

    sum += j % 2 == 1 ? term : -term;
    if (term <= 1e-17 * sum)
      break;
  }
  return MIN (1, 2 * sum);
}

/* The share of paths that reach @steps. */
static double
exact_p (gsize m, gsize n, guint64 steps)
{
  g_autofree double *reached = g_new (double, n + 1); /* C(i, .); 1 right of the bounds */

  for (gsize j = 0; j <= n; j++)
    reached[j] = 1;
  for (gsize i = 0; i <= m; i++) {
    const guint64 at = (guint64) i * n;
    const gsize first = at < steps ? 0 : (gsize) ((at - steps) / m) + 1;
    const gsize last = MIN (n, (gsize) ((at + steps - 1) / m));
    double left = 1;

    for (gsize j = first; j <= last; j++) {
      const double length = i + j > 0 ? (double) (i + j) : 1;

      left = ((double) i * reached[j] + (double) j * left) / length;
      reached[j] = left;
    }
  }
  return reached[n];
}

double
assay_ks_p (gsize n_first, gsize n_second, guint64 steps)
{
  const gsize m = MIN (n_first, n_second), n = MAX (n_first, n_second);

  g_return_val_if_fail (m > 0 && steps <= (guint64) m * n, 1);
  if (steps == 0)
    return 1;
  return steps > MOST_PLACES / 2 ? limit_p (m, n, steps) : exact_p (m, n, steps);
}

AssayKs
assay_ks_test (const double *first, gsize n_first, const double *second, gsize n_second)
{
  guint64 steps = 0;
  gsize i = 0, j = 0;

  g_return_val_if_fail (n_first > 0 && n_second > 0, ((AssayKs){ 0, 1 }));
  while (i < n_first && j < n_second) {
    const double value = MIN (first[i], second[j]);
    guint64 a, b;

    while (i < n_first && first[i] <= value)
      i++;
    while (j < n_second && second[j] <= value)
      j++;
    a = (guint64) i * n_second;
    b = (guint64) j * n_first;
    steps = MAX (steps, a > b ? a - b : b - a);
  }
  return (AssayKs){ .distance = (double) steps / ((double) n_first * (double) n_second),
                    .p = assay_ks_p (n_first, n_second, steps) };
}

/* Reached from below at @below values and left above at the rest: any place among the n has the
 * same chance, and n - k + 1 places on either side are as extreme. */
double
assay_ks_value_p (gsize n, gsize below, gsize above)
{
  const gsize steps = MAX (below, above);

  return MIN (1, 2 * (double) (n - steps + 1) / (double) (n + 1));
}
