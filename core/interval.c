/* One number with an interval from the outcomes of many units. Quantiles of distributions come from
 * libRmath, which stays right where others do not (n = 10^9). */
#include "core/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

/* Groups from which on the cluster bootstrap is used for rates and means. */
#define MANY_GROUPS 30

double
assay_binomial_lower (double x, double n, double a)
{
  return x <= 0 ? 0 : qbeta (a, x, n - x + 1, TRUE, FALSE);
}

double
assay_binomial_upper (double x, double n, double a)
{
  return x >= n ? 1 : qbeta (a, x + 1, n - x, FALSE, FALSE);
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static gboolean
is_quantile (AssayStatistic statistic, double *ret_p)
{
  static const double p[] = { [ASSAY_STATISTIC_LOWER_QUARTILE] = 0.25,
                              [ASSAY_STATISTIC_MEDIAN] = 0.5,
                              [ASSAY_STATISTIC_UPPER_QUARTILE] = 0.75 };

  if (statistic == ASSAY_STATISTIC_RATE || statistic == ASSAY_STATISTIC_MEAN)
    return FALSE;
  *ret_p = p[statistic];
  return TRUE;
}

static double
mean_of (const double *values, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i];
  return sum / (double) n;
}

static double
sorted_quantile (const double *sorted, gsize n, double p)
{
  const double place = p * (double) (n - 1);
  const gsize below = (gsize) place;
  const gsize above = MIN (below + 1, n - 1);

  return sorted[below] + (place - (double) below) * (sorted[above] - sorted[below]);
}

static double *
sorted_copy (const double *values, gsize n)
{
  double *sorted = g_memdup2 (values, n * sizeof (double));

  qsort (sorted, n, sizeof *sorted, compare_doubles);
  return sorted;
}

/* Both ends of the middle @confidence of the sorted resamples. */
static void
percentiles (double *resampled, gsize count, double confidence, AssayInterval *interval)
{
  qsort (resampled, count, sizeof *resampled, compare_doubles);
  interval->lower = sorted_quantile (resampled, count, (1 - confidence) / 2);
  interval->upper = sorted_quantile (resampled, count, (1 + confidence) / 2);
}

/* ---- Independent units ---- */

static void
bootstrap_mean (const double *values, gsize n, double confidence, AssayStreamKey key,
                AssayInterval *interval)
{
  g_autofree double *resampled = g_new (double, ASSAY_RESAMPLES);

  for (gsize b = 0; b < ASSAY_RESAMPLES; b++) {
    AssayStream stream = assay_stream (key, b);
    double sum = 0;

    for (gsize i = 0; i < n; i++)
      sum += values[assay_stream_below (&stream, n)];
    resampled[b] = sum / (double) n;
  }
  percentiles (resampled, ASSAY_RESAMPLES, confidence, interval);
  interval->method = "percentile-bootstrap-2000";
}

/* Order statistics: the number of values below the p-quantile is Binomial (n, p). Where n is too
 * small for the confidence, the range of the measure closes the interval. */
static void
order_statistics (const AssayMeasure *measure, const double *sorted, gsize n, double p,
                  double confidence, AssayInterval *interval)
{
  const double a = (1 - confidence) / 2;
  const double low = qbinom (a, (double) n, p, TRUE, FALSE);
  const double high = qbinom (a, (double) n, p, FALSE, FALSE) + 1;

  interval->lower = low < 1 ? measure->low : sorted[(gsize) low - 1];
  interval->upper = high > (double) n ? measure->high : sorted[(gsize) high - 1];
  interval->method = "order-statistics";
}

static void
independent_interval (const AssayMeasure *measure, const double *values, gsize n,
                      double confidence, AssayStreamKey key, AssayInterval *interval)
{
  double p;

  if (is_quantile (measure->statistic, &p)) {
    g_autofree double *sorted = sorted_copy (values, n);

    interval->estimate = sorted_quantile (sorted, n, p);
    order_statistics (measure, sorted, n, p, confidence, interval);
    return;
  }
  interval->estimate = mean_of (values, n);
  if (measure->statistic == ASSAY_STATISTIC_RATE) {
    const double count = interval->estimate * (double) n;

    interval->lower = assay_binomial_lower (round (count), (double) n, (1 - confidence) / 2);
    interval->upper = assay_binomial_upper (round (count), (double) n, (1 - confidence) / 2);
    interval->method = "clopper-pearson";
  } else if (n == 1) {
    /* Resampling one unit gives that unit, and an interval without width. */
    interval->lower = measure->low;
    interval->upper = measure->high;
    interval->method = "one-unit";
  } else {
    bootstrap_mean (values, n, confidence, key, interval);
  }
}

/* ---- Units in groups ---- */

typedef struct {
  double value;
  gsize group; /* 0 .. n_groups - 1 */
} Unit;

static int
compare_units (gconstpointer a, gconstpointer b)
{
  const Unit *x = a, *y = b;

  if (x->value != y->value)
    return x->value > y->value ? 1 : -1;
  return x->group < y->group ? -1 : x->group > y->group;
}

/* Units by value, with the groups renumbered in order of first appearance. */
static Unit *
sorted_units (const double *values, const gint64 *groups, gsize n, gsize *ret_n_groups)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_int64_hash, g_int64_equal);
  Unit *units = g_new (Unit, n);

  for (gsize i = 0; i < n; i++) {
    gpointer known = NULL;

    if (!g_hash_table_lookup_extended (numbers, &groups[i], NULL, &known)) {
      known = GSIZE_TO_POINTER (g_hash_table_size (numbers));
      g_hash_table_insert (numbers, (gpointer) &groups[i], known);
    }
    units[i] = (Unit){ values[i], GPOINTER_TO_SIZE (known) };
  }
  *ret_n_groups = g_hash_table_size (numbers);
  qsort (units, n, sizeof *units, compare_units);
  return units;
}

/* The statistic of the units, each counted as often as its group was drawn. */
static double
weighted_statistic (const AssayMeasure *measure, const Unit *units, gsize n, const gsize *weights)
{
  double p, sum = 0, place, below = 0;
  gsize total = 0, seen = 0;

  for (gsize i = 0; i < n; i++) {
    total += weights[units[i].group];
    sum += (double) weights[units[i].group] * units[i].value;
  }
  if (!is_quantile (measure->statistic, &p))
    return sum / (double) total;
  place = p * (double) (total - 1);
  for (gsize i = 0; i < n; i++) {
    const gsize before = seen;

    seen += weights[units[i].group];
    if (seen == before)
      continue;
    if ((gsize) place >= before && (gsize) place < seen)
      below = units[i].value;
    if (MIN ((gsize) place + 1, total - 1) < seen)
      return below + (place - floor (place)) * (units[i].value - below);
  }
  return below;
}

static void
cluster_bootstrap (const AssayMeasure *measure, const Unit *units, gsize n, gsize n_groups,
                   double confidence, AssayStreamKey key, AssayInterval *interval)
{
  g_autofree double *resampled = g_new (double, ASSAY_RESAMPLES);
  g_autofree gsize *weights = g_new (gsize, n_groups);

  for (gsize g = 0; g < n_groups; g++)
    weights[g] = 1;
  interval->estimate = weighted_statistic (measure, units, n, weights);
  for (gsize b = 0; b < ASSAY_RESAMPLES; b++) {
    AssayStream stream = assay_stream (key, b);

    memset (weights, 0, n_groups * sizeof *weights);
    for (gsize g = 0; g < n_groups; g++)
      weights[assay_stream_below (&stream, n_groups)]++;
    resampled[b] = weighted_statistic (measure, units, n, weights);
  }
  percentiles (resampled, ASSAY_RESAMPLES, confidence, interval);
  interval->method = "cluster-bootstrap-2000";
}

/* The group means as a sample of their own. */
static void
t_on_group_means (const AssayMeasure *measure, const Unit *units, gsize n, gsize n_groups,
                  double confidence, AssayInterval *interval)
{
  g_autofree double *sums = g_new0 (double, n_groups);
  g_autofree double *sizes = g_new0 (double, n_groups);
  double square = 0, half;

  for (gsize i = 0; i < n; i++) {
    sums[units[i].group] += units[i].value;
    sizes[units[i].group] += 1;
  }
  for (gsize g = 0; g < n_groups; g++)
    sums[g] /= sizes[g];
  interval->estimate = mean_of (sums, n_groups);
  for (gsize g = 0; g < n_groups; g++)
    square += (sums[g] - interval->estimate) * (sums[g] - interval->estimate);
  half = qt ((1 - confidence) / 2, (double) (n_groups - 1), FALSE, FALSE)
         * sqrt (square / (double) (n_groups - 1) / (double) n_groups);
  interval->lower = MAX (interval->estimate - half, measure->low);
  interval->upper = MIN (interval->estimate + half, measure->high);
  interval->method = "t-on-group-means";
}

/* Every outcome is 0, or every outcome is 1: what @n_independent observations of that kind say. A
 * mean of values in [0, 1] is at most as uncertain as a rate. */
static gboolean
extreme_interval (const AssayMeasure *measure, const double *values, gsize n, gsize n_independent,
                  double confidence, AssayInterval *interval)
{
  const double a = (1 - confidence) / 2, count = (double) n_independent;
  double p;

  if (is_quantile (measure->statistic, &p) || measure->low != 0 || measure->high != 1
      || (values[0] != 0 && values[0] != 1))
    return FALSE;
  for (gsize i = 1; i < n; i++)
    if (values[i] != values[0])
      return FALSE;
  interval->estimate = values[0];
  interval->lower = assay_binomial_lower (values[0] * count, count, a);
  interval->upper = assay_binomial_upper (values[0] * count, count, a);
  interval->method = interval->n_groups > 0 ? "clopper-pearson-on-groups" : "clopper-pearson";
  return TRUE;
}

AssayInterval
assay_interval (const AssayMeasure *measure, const double *values, const gint64 *groups, gsize n,
                double confidence, AssayStreamKey stream)
{
  AssayInterval interval = { .n = n };
  g_autofree Unit *units = NULL;
  double p;

  g_assert (n >= 1);
  if (groups == NULL) {
    if (!extreme_interval (measure, values, n, n, confidence, &interval))
      independent_interval (measure, values, n, confidence, stream, &interval);
    return interval;
  }
  units = sorted_units (values, groups, n, &interval.n_groups);
  if (extreme_interval (measure, values, n, interval.n_groups, confidence, &interval)) {
    /* Nothing to resample. */
  } else if (interval.n_groups == 1) {
    const gsize once = 1;

    interval.estimate = weighted_statistic (measure, units, n, &once);
    interval.lower = measure->low;
    interval.upper = measure->high;
    interval.method = "one-group";
  } else if (interval.n_groups < MANY_GROUPS && !is_quantile (measure->statistic, &p)) {
    t_on_group_means (measure, units, n, interval.n_groups, confidence, &interval);
  } else {
    cluster_bootstrap (measure, units, n, interval.n_groups, confidence, stream, &interval);
  }
  return interval;
}
