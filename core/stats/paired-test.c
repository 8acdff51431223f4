/* Did an outcome get worse on the same units? */
#include "core/stats/paired-test.h"

#include "core/stats/bound-test.h"

#include <math.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

/* Exact McNemar: of the units that changed, how many changed for the worse. */
static double
mcnemar (const double *before, const double *after, gsize n, gboolean higher_is_worse)
{
  gsize worse = 0, changed = 0;

  for (gsize i = 0; i < n; i++) {
    changed += before[i] != after[i];
    worse += higher_is_worse ? after[i] > before[i] : after[i] < before[i];
  }
  return worse == 0 ? 1 : pbinom ((double) worse - 1, (double) changed, 0.5, FALSE, FALSE);
}

/* The units or groups in which anything changed. */
static gsize
n_changed (const AssaySample *sample)
{
  const gsize n = assay_sample_n_independent (sample);
  g_autofree gboolean *is_changed = g_new0 (gboolean, n + 1);
  gsize count = 0;

  for (gsize i = 0; i < sample->n; i++)
    is_changed[sample->n_groups > 0 ? sample->units[i].group : i] |= sample->units[i].value != 0;
  for (gsize i = 0; i < n; i++)
    count += is_changed[i];
  return count;
}

/* No sample is stronger than one in which all that changed changed to one side, which chance alone
 * makes in 2^-k of k changed units or groups: those that stayed as they were say nothing. */
static double
least_p (const AssaySample *sample)
{
  return pow (0.5, (double) n_changed (sample));
}

/* One-sided t test of the differences, or of their group means, against 0. */
static double
t_tail (const AssaySample *sample, gboolean is_above)
{
  const gsize n = assay_sample_n_independent (sample);
  g_autofree double *sums = g_new0 (double, n);
  g_autofree double *sizes = g_new0 (double, n);
  double mean = 0, square = 0, t;

  for (gsize i = 0; i < sample->n; i++) {
    const gsize place = sample->n_groups > 0 ? sample->units[i].group : i;

    sums[place] += sample->units[i].value;
    sizes[place] += 1;
  }
  for (gsize i = 0; i < n; i++) {
    sums[i] /= sizes[i];
    mean += sums[i] / (double) n;
  }
  for (gsize i = 0; i < n; i++)
    square += (sums[i] - mean) * (sums[i] - mean);
  t = mean / MAX (sqrt (square / (double) (n - 1) / (double) n), 1e-300);
  return pt (t, (double) (n - 1), !is_above, FALSE);
}

/* A bootstrap p-value cannot fall below 1 / (resamples + 1), which Holm's correction over a hundred
 * comparisons turns into "never". Where no resample reached 0, the tail is that of t. */
static double
resampled_p (const AssaySample *sample, double p, gboolean is_above)
{
  const gboolean is_at_floor = p <= 1.0 / (ASSAY_RESAMPLES + 1);

  return MAX (is_at_floor ? MIN (p, t_tail (sample, is_above)) : p, least_p (sample));
}

/* Groups that all changed by the same have no deviation for t to divide by, and two of them would
 * be certain of anything; where some did not change at all, their means are far from normal. Both
 * show what the number of changed groups does. */
static double
grouped_p (const AssaySample *sample, double p)
{
  const gboolean is_alike = assay_sample_group_error (sample) <= 1e-9 * fabs (sample->estimate);
  const gboolean is_sparse = n_changed (sample) < assay_sample_n_independent (sample);

  return is_alike || is_sparse ? MAX (p, least_p (sample)) : p;
}

AssayPairedTest
assay_paired_test (const AssayMeasure *measure, const double *before, const double *after,
                   const gint64 *groups, gsize n, AssayStreamKey stream)
{
  const AssayMeasure change = { .name = measure->name,
                                .statistic = ASSAY_STATISTIC_MEAN,
                                .low = -G_MAXDOUBLE,
                                .high = G_MAXDOUBLE };
  g_autofree double *differences = g_new (double, n);
  g_autoptr (AssaySample) sample = NULL;
  AssayPairedTest result = { .n = n };
  AssayBoundTest test;

  for (gsize i = 0; i < n; i++)
    differences[i] = after[i] - before[i];
  sample = assay_sample_new (&change, differences, groups, n);
  result.difference = sample->estimate;
  if (groups == NULL && measure->statistic == ASSAY_STATISTIC_RATE) {
    result.p_worse = mcnemar (before, after, n, measure->higher_is_worse);
    result.method = "mcnemar";
    return result;
  }
  test = assay_bound_test (sample, 0, stream);
  result.p_worse = measure->higher_is_worse ? test.p_above : test.p_below;
  if (sample->method == ASSAY_SAMPLE_BOOTSTRAP || sample->method == ASSAY_SAMPLE_GROUP_BOOTSTRAP)
    result.p_worse = resampled_p (sample, result.p_worse, measure->higher_is_worse);
  if (sample->method == ASSAY_SAMPLE_GROUP_T)
    result.p_worse = grouped_p (sample, result.p_worse);
  result.method = sample->method == ASSAY_SAMPLE_GROUP_T           ? "t-on-group-means"
                  : sample->method == ASSAY_SAMPLE_GROUP_BOOTSTRAP ? "cluster-bootstrap-2000"
                                                                   : "paired-bootstrap-2000";
  return result;
}

/* The log ratio that an audit estimates, and the variance of that estimate. */
static double
log_ratio (const AssayAudit *audit, double *ret_variance)
{
  const double n = (double) audit->runs + 1;
  const double hit = ((double) audit->hits + 0.5) / n;
  double mistake, signal;

  if (audit->kind == ASSAY_AUDIT_ONE_RUN) {
    *ret_variance = 1 / (hit * (1 - hit) * n);
    return log (hit / (1 - hit));
  }
  mistake = ((double) audit->mistakes + 0.5) / n;
  signal = MAX (hit - audit->delta, 0.5 / n);
  *ret_variance = hit * (1 - hit) / (signal * signal * n) + (1 - mistake) / (mistake * n);
  return log (signal / mistake);
}

AssayPairedTest
assay_audit_test (const AssayAudit *before, const AssayAudit *after)
{
  double variance_before, variance_after;
  const double difference
      = -log_ratio (before, &variance_before) + log_ratio (after, &variance_after);
  const double error = sqrt (variance_before + variance_after);

  return (AssayPairedTest){ .difference = difference,
                            .p_worse = pnorm (difference / error, 0, 1, FALSE, FALSE),
                            .n = (gsize) after->runs,
                            .method = "log-ratio-normal" };
}
