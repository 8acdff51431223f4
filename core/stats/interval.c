/* One number with an interval from the outcomes of many units. Quantiles of distributions come from
 * libRmath, which stays right where others do not (n = 10^9). */
#include "core/stats/interval.h"

#include <math.h>

#include "core/stats/binomial.h"
#include "core/stats/crossed.h"
#include "core/stats/epsilon.h"
#include "core/stats/excess.h"

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

/* @count is the number of independent observations of the share @rate. */
static void
clopper_pearson (double rate, double count, double a, AssayInterval *interval)
{
  interval->lower = assay_binomial_lower (round (rate * count), count, a);
  interval->upper = assay_binomial_upper (round (rate * count), count, a);
  interval->method = "clopper-pearson";
}

/* Order statistics: the number of values below the p-quantile is Binomial (n, p). Where n is too
 * small for the confidence, the range of the measure closes the interval. */
static void
order_statistics (const AssaySample *sample, double a, AssayInterval *interval)
{
  const double n = (double) sample->n;
  const double low = qbinom (a, n, sample->p, TRUE, FALSE);
  const double high = qbinom (a, n, sample->p, FALSE, FALSE) + 1;

  interval->lower = low < 1 ? sample->measure->low : sample->units[(gsize) low - 1].value;
  interval->upper = high > n ? sample->measure->high : sample->units[(gsize) high - 1].value;
  interval->method = "order-statistics";
}

static void
percentile_bootstrap (const AssaySample *sample, double a, AssayStreamKey stream,
                      AssayInterval *interval)
{
  g_autofree double *resampled = assay_sample_resample (sample, stream);

  interval->lower = assay_sorted_quantile (resampled, ASSAY_RESAMPLES, a);
  interval->upper = assay_sorted_quantile (resampled, ASSAY_RESAMPLES, 1 - a);
  interval->method = sample->method == ASSAY_SAMPLE_BOOTSTRAP ? "percentile-bootstrap-2000"
                                                              : "cluster-bootstrap-2000";
}

/* The groups' means, or quantiles, as a sample of their own. */
static void
t_on_groups (const AssaySample *sample, double a, AssayInterval *interval)
{
  const double half
      = qt (a, (double) (sample->n_groups - 1), FALSE, FALSE) * assay_sample_group_error (sample);

  interval->lower = MAX (sample->estimate - half, sample->measure->low);
  interval->upper = MIN (sample->estimate + half, sample->measure->high);
  interval->method = sample->p >= 0 ? "t-on-group-quantiles" : "t-on-group-means";
}

AssayInterval
assay_sample_interval (const AssaySample *sample, double confidence, AssayStreamKey stream)
{
  const double a = (1 - confidence) / 2;
  AssayInterval interval
      = { .n = sample->n, .n_groups = sample->n_groups, .estimate = sample->estimate };

  switch (sample->method) {
  case ASSAY_SAMPLE_BINOMIAL:
    clopper_pearson (sample->estimate, (double) sample->n, a, &interval);
    break;
  case ASSAY_SAMPLE_EXTREME:
    clopper_pearson (sample->estimate, (double) assay_sample_n_independent (sample), a, &interval);
    if (sample->n_groups > 0)
      interval.method = "clopper-pearson-on-groups";
    break;
  case ASSAY_SAMPLE_ORDER:
    order_statistics (sample, a, &interval);
    break;
  case ASSAY_SAMPLE_BOOTSTRAP:
  case ASSAY_SAMPLE_GROUP_BOOTSTRAP:
    percentile_bootstrap (sample, a, stream, &interval);
    break;
  case ASSAY_SAMPLE_GROUP_T:
    t_on_groups (sample, a, &interval);
    break;
  case ASSAY_SAMPLE_CROSSED:
    assay_crossed_interval (sample, a, &interval);
    break;
  case ASSAY_SAMPLE_EXCESS:
    assay_excess_interval (sample, a, &interval);
    break;
  case ASSAY_SAMPLE_TOO_SMALL:
    interval.lower = sample->measure->low;
    interval.upper = sample->measure->high;
    interval.method = sample->n_groups == 1 ? "one-group" : "one-unit";
    break;
  case ASSAY_SAMPLE_AUDIT:
    interval.lower = assay_epsilon_lower (&sample->audit, 2 * a);
    interval.upper = sample->measure->high;
    interval.method = sample->audit.kind == ASSAY_AUDIT_ONE_RUN ? "one-run-bound"
                                                                : "clopper-pearson-two-inputs";
    break;
  }
  return interval;
}

AssayInterval
assay_interval (const AssayMeasure *measure, const double *values, const gint64 *groups, gsize n,
                double confidence, AssayStreamKey stream)
{
  g_autoptr (AssaySample) sample = assay_sample_new (measure, values, groups, n);

  return assay_sample_interval (sample, confidence, stream);
}
