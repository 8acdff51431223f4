/* Units of two groups each. */
#include "core/stats/crossed.h"

#include <math.h>

#include "core/stats/binomial.h"

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

/* How many there are that count as independent: of pairs the matchings, of rows and trainings the
 * fewer. */
static double
count_independent (const AssaySample *sample)
{
  return sample->n_others > 0 ? (double) MIN (sample->n_groups, sample->n_others)
                              : floor ((double) sample->n_groups / 2);
}

static double
correction (gsize groups)
{
  return groups > 1 ? (double) groups / (double) (groups - 1) : 1;
}

double
assay_crossed_error (const AssaySample *sample, const double *values, double *ret_freedom)
{
  const gsize n = sample->n, n_groups = sample->n_groups, n_others = sample->n_others;
  g_autofree double *sums = g_new0 (double, n_groups + n_others);
  double mean = 0, square = 0, own = 0, others = 0, variance;

  for (gsize i = 0; i < n; i++)
    mean += values[i] / (double) n;
  for (gsize i = 0; i < n; i++) {
    const AssayUnit *unit = &sample->units[i];
    const double residual = values[i] - mean;

    square += residual * residual;
    sums[unit->group] += residual;
    /* A unit that is of one group alone counts once in it: nothing is to be taken from it below. */
    if (n_others > 0 || unit->other != unit->group)
      sums[(n_others > 0 ? n_groups : 0) + unit->other] += residual;
    else
      own += residual * residual;
  }
  for (gsize g = 0; g < n_groups; g++)
    own += sums[g] * sums[g] * correction (n_groups);
  for (gsize g = 0; g < n_others; g++)
    others += sums[n_groups + g] * sums[n_groups + g] * correction (n_others);
  variance = MAX (own + others - square, square);
  *ret_freedom = (double) n_groups - 1;
  if (n_others > 0) {
    variance = MAX (variance, MAX (own, others));
    if (own + others > 0)
      *ret_freedom
          = (own + others) * (own + others)
            / (own * own / (double) (n_groups - 1) + others * others / (double) (n_others - 1));
  }
  return sqrt (variance) / (double) n;
}

/* The share of units beyond @bound, and its error. */
static double
share_error (const AssaySample *sample, double bound, gboolean is_above, double *ret_share,
             double *ret_freedom)
{
  g_autofree double *beyond = g_new (double, sample->n);

  *ret_share = 0;
  for (gsize i = 0; i < sample->n; i++) {
    beyond[i] = is_above ? sample->units[i].value > bound : sample->units[i].value < bound;
    *ret_share += beyond[i] / (double) sample->n;
  }
  return assay_crossed_error (sample, beyond, ret_freedom);
}

static double
error_of_mean (const AssaySample *sample, double *ret_freedom)
{
  g_autofree double *values = g_new (double, sample->n);

  for (gsize i = 0; i < sample->n; i++)
    values[i] = sample->units[i].value;
  return assay_crossed_error (sample, values, ret_freedom);
}

/* The value below which a share @p of the units lies; beyond all of them the range's end. */
static double
quantile_at (const AssaySample *sample, double p, const double *sorted)
{
  if (p <= 0)
    return sample->measure->low;
  if (p >= 1)
    return sample->measure->high;
  return assay_sorted_quantile (sorted, sample->n, p);
}

/* All units of a share are 0, or all are 1. */
static gboolean
is_extreme (const AssaySample *sample)
{
  const double least = sample->units[0].value, most = sample->units[sample->n - 1].value;

  return sample->p < 0 && sample->measure->low == 0 && sample->measure->high == 1 && least == most
         && (least == 0 || least == 1);
}

void
assay_crossed_interval (const AssaySample *sample, double a, AssayInterval *interval)
{
  const double count = count_independent (sample);
  g_autofree double *sorted = g_new (double, sample->n);
  double half, share, freedom;

  if (is_extreme (sample)) {
    interval->lower = assay_binomial_lower (sample->estimate * count, count, a);
    interval->upper = assay_binomial_upper (sample->estimate * count, count, a);
    interval->method = "clopper-pearson-on-groups";
    return;
  }
  interval->method = "t-on-crossed-groups";
  half = sample->p < 0 ? error_of_mean (sample, &freedom)
                       : share_error (sample, sample->estimate, FALSE, &share, &freedom);
  half *= qt (a, freedom, FALSE, FALSE);
  if (sample->p < 0) {
    interval->lower = MAX (sample->estimate - half, sample->measure->low);
    interval->upper = MIN (sample->estimate + half, sample->measure->high);
    return;
  }
  for (gsize i = 0; i < sample->n; i++)
    sorted[i] = sample->units[i].value;
  interval->lower = quantile_at (sample, sample->p - half, sorted);
  interval->upper = quantile_at (sample, sample->p + half, sorted);
}

double
assay_crossed_least_p (const AssaySample *sample, double bound, gboolean is_above)
{
  const double count = count_independent (sample);

  if (sample->p >= 0)
    return pow (is_above ? 1 - sample->p : sample->p, count);
  if (sample->measure->low != 0 || sample->measure->high != 1)
    return 0;
  return pow (is_above ? bound : 1 - bound, count);
}

double
assay_crossed_p (const AssaySample *sample, double bound, gboolean is_above)
{
  const double least = assay_crossed_least_p (sample, bound, is_above);
  double share, error, gap, freedom;

  if (sample->p < 0) {
    error = error_of_mean (sample, &freedom);
    gap = is_above ? sample->estimate - bound : bound - sample->estimate;
  } else {
    /* If the p-quantile is at most b, at most a share 1 - p of values is above b. */
    error = share_error (sample, bound, is_above, &share, &freedom);
    gap = share - (is_above ? 1 - sample->p : sample->p);
  }
  return CLAMP (pt (gap / MAX (error, 1e-12), freedom, FALSE, FALSE), least, 1);
}
