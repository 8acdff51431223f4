/* Binomial tails by summation, and statistics of expanded samples. */
#include "tests/reference/naive-interval.h"

#include <math.h>

#define BISECTIONS 200

double
naive_binomial_term (guint64 x, guint64 n, double p)
{
  const long double k = (long double) x, size = (long double) n, chance = (long double) p;

  return (double) expl (lgammal (size + 1) - lgammal (k + 1) - lgammal (size - k + 1)
                        + k * logl (chance) + (size - k) * log1pl (-chance));
}

/* The terms from x on, each from the one before it, until they no longer count. */
double
naive_binomial_at_least (guint64 x, guint64 n, double p)
{
  const double odds = p / (1 - p);
  double term, sum = 0;

  if (x == 0)
    return 1;
  term = naive_binomial_term (x, n, p);
  for (guint64 i = x; i <= n; i++) {
    const double next = term * odds * (double) (n - i) / (double) (i + 1);

    sum += term;
    if (next <= term && next <= 1e-18 * sum)
      break;
    term = next;
  }
  return sum;
}

double
naive_binomial_at_most (guint64 x, guint64 n, double p)
{
  const double odds = (1 - p) / p;
  double term, sum = 0;

  if (x == n)
    return 1;
  term = naive_binomial_term (x, n, p);
  for (guint64 i = x;; i--) {
    const double next = term * odds * (double) i / (double) (n - i + 1);

    sum += term;
    if (i == 0 || (next <= term && next <= 1e-18 * sum))
      break;
    term = next;
  }
  return sum;
}

/* In the logarithm of p, because bounds may be as small as 1e-21. */
double
naive_binomial_lower (guint64 x, guint64 n, double a)
{
  double low = log (1e-300), high = log ((double) x / (double) n);

  if (x == 0)
    return 0;
  if (x == n)
    return pow (a, 1 / (double) n);
  for (guint i = 0; i < BISECTIONS; i++) {
    const double middle = (low + high) / 2;

    if (naive_binomial_at_least (x, n, exp (middle)) < a)
      low = middle;
    else
      high = middle;
  }
  return exp (low);
}

double
naive_binomial_upper (guint64 x, guint64 n, double a)
{
  double low = x > 0 ? log ((double) x / (double) n) : log (1e-300), high = log1p (-1e-16);

  if (x == n)
    return 1;
  for (guint i = 0; i < BISECTIONS; i++) {
    const double middle = (low + high) / 2;

    if (naive_binomial_at_most (x, n, exp (middle)) > a)
      low = middle;
    else
      high = middle;
  }
  return exp (low);
}

double
naive_weighted_mean (const double *values, const gsize *weights, gsize n)
{
  double sum = 0;
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    for (gsize w = 0; w < weights[i]; w++) {
      sum += values[i];
      count++;
    }
  return sum / (double) count;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

double
naive_weighted_quantile (const double *values, const gsize *weights, gsize n, double p)
{
  g_autoptr (GArray) sample = g_array_new (FALSE, FALSE, sizeof (double));
  double place;
  guint below;

  for (gsize i = 0; i < n; i++)
    for (gsize w = 0; w < weights[i]; w++)
      g_array_append_val (sample, values[i]);
  g_array_sort (sample, compare);
  place = p * (double) (sample->len - 1);
  below = (guint) floor (place);
  if (below + 1 == sample->len)
    return g_array_index (sample, double, below);
  return g_array_index (sample, double, below)
         + (place - below)
               * (g_array_index (sample, double, below + 1)
                  - g_array_index (sample, double, below));
}
