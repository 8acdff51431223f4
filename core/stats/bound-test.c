/* Is a statistic above or below a stated bound? */
#include "core/stats/bound-test.h"

#include <math.h>
#include <stdlib.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#include "core/base/vectors.h"
#include "core/stats/crossed.h"
#include "core/stats/epsilon.h"
#include "core/stats/excess.h"
#include "core/stats/fraction-test.h"
#include "core/stats/interval.h"

/* More units than anybody would collect. */
#define MOST_UNITS 1e15

#define LEAST_RESAMPLED_P (1.0 / (ASSAY_RESAMPLES + 1))

/* P (X >= x) of X ~ Binomial (n, p). */
static double
upper_tail (double x, double n, double p)
{
  return x <= 0 ? 1 : pbinom (x - 1, n, p, FALSE, FALSE);
}

static AssayBoundTest
binomial_test (double x, double n, double bound)
{
  return (AssayBoundTest){ .p_above = upper_tail (x, n, bound),
                           .p_below = pbinom (x, n, bound, TRUE, FALSE) };
}

/* If the p-quantile is at most b, at most a share 1 - p of values is above b. */
static AssayBoundTest
sign_test (const AssaySample *sample, double bound)
{
  const double n = (double) sample->n;
  gsize below, above;

  assay_sample_count (sample, bound, &below, &above);
  return (AssayBoundTest){ .p_above = upper_tail ((double) above, n, 1 - sample->p),
                           .p_below = upper_tail ((double) below, n, sample->p) };
}

/* No sample shows that epsilon is small: there may always be a better event. */
static AssayBoundTest
audit_test (const AssayAudit *audit, double bound)
{
  return (AssayBoundTest){ .p_above = assay_epsilon_p_value (audit, bound), .p_below = 1 };
}

/* What an audit of this size would have counted at best. */
static AssayAudit
perfect_audit (const AssayAudit *audit)
{
  AssayAudit perfect = *audit;

  perfect.hits = audit->runs;
  if (audit->kind == ASSAY_AUDIT_TWO_INPUTS)
    perfect.mistakes = 0;
  return perfect;
}

double
assay_bound_floor_p (const AssaySample *sample)
{
  const gboolean is_resampled
      = sample->method == ASSAY_SAMPLE_BOOTSTRAP || sample->method == ASSAY_SAMPLE_GROUP_BOOTSTRAP;

  return is_resampled && !assay_fraction_is_tested (sample) ? LEAST_RESAMPLED_P : 0;
}

double
assay_bound_least_p (const AssaySample *sample, double bound, gboolean is_above)
{
  const AssayAudit perfect = perfect_audit (&sample->audit);
  const double count = (double) assay_sample_n_independent (sample);

  if (assay_fraction_is_tested (sample))
    return assay_fraction_least_p (sample, bound, is_above);
  switch (sample->method) {
  case ASSAY_SAMPLE_TOO_SMALL:
    return 1;
  case ASSAY_SAMPLE_BINOMIAL:
  case ASSAY_SAMPLE_EXTREME:
    return pow (is_above ? bound : 1 - bound, count);
  case ASSAY_SAMPLE_ORDER:
    return pow (is_above ? 1 - sample->p : sample->p, count);
  case ASSAY_SAMPLE_CROSSED:
    return assay_crossed_least_p (sample, bound, is_above);
  case ASSAY_SAMPLE_EXCESS:
    return assay_excess_least_p (sample, bound, is_above);
  case ASSAY_SAMPLE_AUDIT:
    return is_above ? audit_test (&perfect, bound).p_above : 1;
  case ASSAY_SAMPLE_GROUP_T:
    return sample->p >= 0 ? pow (is_above ? 1 - sample->p : sample->p, count) : 0;
  case ASSAY_SAMPLE_BOOTSTRAP:
  case ASSAY_SAMPLE_GROUP_BOOTSTRAP:
    break;
  }
  return assay_bound_floor_p (sample);
}

static AssayBoundTest
bootstrap_test (const AssaySample *sample, double bound, AssayStreamKey stream)
{
  g_autofree double *resampled = assay_sample_resample (sample, stream);
  gsize at_most = 0, at_least = 0;

  for (gsize b = 0; b < ASSAY_RESAMPLES; b++) {
    at_most += resampled[b] <= bound;
    at_least += resampled[b] >= bound;
  }
  return (AssayBoundTest){ .p_above = (double) (at_most + 1) / (ASSAY_RESAMPLES + 1),
                           .p_below = (double) (at_least + 1) / (ASSAY_RESAMPLES + 1) };
}

static AssayBoundTest
t_test (const AssaySample *sample, double bound)
{
  /* Equal group means: not divided by zero. */
  const double error = MAX (assay_sample_group_error (sample), 1e-12);
  const double t = (sample->estimate - bound) / error;
  const double freedom = (double) (sample->n_groups - 1);

  /* t knows only the variation that was seen, and quantiles that are all alike have none. */
  return (AssayBoundTest){
    .p_above = MAX (pt (t, freedom, FALSE, FALSE), assay_bound_least_p (sample, bound, TRUE)),
    .p_below = MAX (pt (t, freedom, TRUE, FALSE), assay_bound_least_p (sample, bound, FALSE)),
  };
}

static AssayBoundTest
share_test (const AssaySample *sample, double bound)
{
  return (AssayBoundTest){ .p_above = assay_fraction_p (sample, bound, TRUE),
                           .p_below = assay_fraction_p (sample, bound, FALSE) };
}

AssayBoundTest
assay_bound_test (const AssaySample *sample, double bound, AssayStreamKey stream)
{
  const double count = (double) assay_sample_n_independent (sample);

  if (assay_fraction_is_tested (sample))
    return share_test (sample, bound);
  switch (sample->method) {
  case ASSAY_SAMPLE_BINOMIAL:
  case ASSAY_SAMPLE_EXTREME:
    return binomial_test (round (sample->estimate * count), count, bound);
  case ASSAY_SAMPLE_ORDER:
    return sign_test (sample, bound);
  case ASSAY_SAMPLE_BOOTSTRAP:
  case ASSAY_SAMPLE_GROUP_BOOTSTRAP:
    return bootstrap_test (sample, bound, stream);
  case ASSAY_SAMPLE_GROUP_T:
    return t_test (sample, bound);
  case ASSAY_SAMPLE_CROSSED:
    return (AssayBoundTest){ .p_above = assay_crossed_p (sample, bound, TRUE),
                             .p_below = assay_crossed_p (sample, bound, FALSE) };
  case ASSAY_SAMPLE_EXCESS:
    return (AssayBoundTest){ .p_above = assay_excess_p (sample, bound, TRUE),
                             .p_below = assay_excess_p (sample, bound, FALSE) };
  case ASSAY_SAMPLE_AUDIT:
    return audit_test (&sample->audit, bound);
  case ASSAY_SAMPLE_TOO_SMALL:
    break;
  }
  return (AssayBoundTest){ .p_above = 1, .p_below = 1 };
}

void
assay_holm (const double *p, gsize n, double *ret_adjusted)
{
  g_autofree AssayRanked *ranked = g_new (AssayRanked, n);
  double largest = 0;

  for (gsize i = 0; i < n; i++)
    ranked[i] = (AssayRanked){ p[i], i };
  assay_rank (ranked, n);
  for (gsize i = 0; i < n; i++) {
    largest = MAX (largest, MIN (1, (double) (n - i) * ranked[i].value));
    ret_adjusted[ranked[i].place] = largest;
  }
}

/* Counts that can be told from @bound begin at the one returned, as a rate; NAN: none can. */
static double
detectable_rate (double count, double bound, gboolean is_above, double alpha)
{
  double x = qbinom (alpha, count, bound, !is_above, FALSE);

  if (is_above) {
    while (x <= count && upper_tail (x, count, bound) >= alpha)
      x++;
    return x <= count ? x / count : NAN;
  }
  while (x >= 0 && pbinom (x, count, bound, TRUE, FALSE) >= alpha)
    x--;
  return x >= 0 ? x / count : NAN;
}

double
assay_bound_detectable (const AssaySample *sample, double bound, gboolean is_above, double alpha,
                        AssayStreamKey stream)
{
  const AssayMeasure *measure = sample->measure;
  AssayInterval interval;
  double moved;

  if (sample->method == ASSAY_SAMPLE_AUDIT)
    return is_above ? assay_epsilon_ceiling (&sample->audit, alpha) : NAN;
  if (assay_bound_least_p (sample, bound, is_above) >= alpha)
    return NAN;
  /* A sample without any variation does not say what others would have. */
  if (sample->method == ASSAY_SAMPLE_BINOMIAL || sample->method == ASSAY_SAMPLE_EXTREME)
    return detectable_rate ((double) assay_sample_n_independent (sample), bound, is_above, alpha);
  if (assay_fraction_is_tested (sample))
    return assay_fraction_detectable (sample, bound, is_above, alpha);
  interval = assay_sample_interval (sample, 1 - 2 * alpha, stream);
  moved = is_above ? bound + (interval.estimate - interval.lower)
                   : bound - (interval.upper - interval.estimate);
  return moved >= measure->low && moved <= measure->high ? moved : NAN;
}

/* The p-value of @n units of which a share @rate, rounded towards the bound, are 1. */
static double
p_of_rate (double rate, double n, double bound)
{
  const double x = rate * n, slack = 1e-12 * (x + 1);

  return rate > bound ? binomial_test (floor (x + slack), n, bound).p_above
                      : binomial_test (ceil (x - slack), n, bound).p_below;
}

/* The smallest n at which a rate that stays at @rate is told from @bound; 0: none. */
static double
units_for_rate (double rate, double bound, double alpha)
{
  double enough = 1;

  while (enough < MOST_UNITS && p_of_rate (rate, enough, bound) >= alpha)
    enough *= 2;
  if (enough >= MOST_UNITS)
    return 0;
  for (guint64 step = (guint64) (enough / 4); step >= 1; step /= 2)
    if (p_of_rate (rate, enough - (double) step, bound) < alpha)
      enough -= (double) step;
  return enough;
}

double
assay_bound_units_needed (const AssaySample *sample, double bound, double alpha,
                          AssayStreamKey stream)
{
  const gboolean is_above = sample->estimate > bound;
  const double n = (double) sample->n;
  const double count = (double) assay_sample_n_independent (sample);
  AssayBoundTest test;
  double least, now, needed;

  if (sample->estimate == bound || sample->method == ASSAY_SAMPLE_TOO_SMALL)
    return 0;
  if (assay_fraction_is_tested (sample))
    return assay_fraction_units_needed (sample, bound, is_above, alpha);
  if (sample->method == ASSAY_SAMPLE_BINOMIAL || sample->method == ASSAY_SAMPLE_EXTREME)
    return ceil (units_for_rate (sample->estimate, bound, alpha) / count * n);
  if (sample->method == ASSAY_SAMPLE_AUDIT)
    return is_above ? assay_epsilon_runs_needed (&sample->audit, bound, alpha) : 0;
  if (assay_bound_floor_p (sample) >= alpha)
    return 0;
  test = assay_bound_test (sample, bound, stream);
  now = is_above ? test.p_above : test.p_below;
  least = assay_bound_least_p (sample, bound, is_above);
  /* As clear as this many groups can be: the floor falls as a power of their number. */
  if (now <= least && now >= alpha)
    return ceil (n * log (alpha) / log (least));
  now = qnorm (now, 0, 1, FALSE, FALSE);
  needed = qnorm (alpha, 0, 1, FALSE, FALSE);
  if (!(now > 0))
    return 0;
  return ceil (n * (needed / now) * (needed / now));
}
