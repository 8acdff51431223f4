/* Outcomes of units, prepared for one statistic. */
#include "core/stats/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vectors.h"
#include "core/stats/epsilon.h"

/* Groups from which on the cluster bootstrap is used; with fewer it covers too seldom. */
#define MANY_GROUPS 30

static int
compare_units (gconstpointer a, gconstpointer b)
{
  const AssayUnit *x = a, *y = b;

  if (x->value != y->value)
    return x->value > y->value ? 1 : -1;
  return x->group < y->group ? -1 : x->group > y->group;
}

double
assay_sorted_quantile (const double *sorted, gsize n, double p)
{
  const double place = p * (double) (n - 1);
  const gsize below = (gsize) place;
  const gsize above = MIN (below + 1, n - 1);

  return sorted[below] + (place - (double) below) * (sorted[above] - sorted[below]);
}

static double
quantile_of (AssayStatistic statistic)
{
  switch (statistic) {
  case ASSAY_STATISTIC_LOWER_QUARTILE:
    return 0.25;
  case ASSAY_STATISTIC_MEDIAN:
    return 0.5;
  case ASSAY_STATISTIC_UPPER_QUARTILE:
    return 0.75;
  case ASSAY_STATISTIC_RATE:
  case ASSAY_STATISTIC_MEAN:
  case ASSAY_STATISTIC_EXCESS:
  case ASSAY_STATISTIC_EPSILON:
    break;
  }
  return -1;
}

/* @group by the order of first appearance. */
static gsize
renumber (GHashTable *numbers, const gint64 *group)
{
  gpointer known = NULL;

  if (!g_hash_table_lookup_extended (numbers, group, NULL, &known)) {
    known = GSIZE_TO_POINTER (g_hash_table_size (numbers));
    g_hash_table_insert (numbers, (gpointer) group, known);
  }
  return GPOINTER_TO_SIZE (known);
}

/* Units by value, with the groups renumbered in order of first appearance. @control may be NULL. */
static void
fill_units (AssaySample *sample, const double *values, const gint64 *groups, const double *control)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_int64_hash, g_int64_equal);

  sample->units = g_new0 (AssayUnit, sample->n);
  for (gsize i = 0; i < sample->n; i++) {
    sample->units[i].value = values[i];
    sample->units[i].control = control != NULL ? control[i] : 0;
    sample->units[i].group = groups != NULL ? renumber (numbers, &groups[i]) : 0;
  }
  sample->n_groups = g_hash_table_size (numbers);
  qsort (sample->units, sample->n, sizeof *sample->units, compare_units);
}

/* Every outcome of a share is 0, or every outcome is 1. */
static gboolean
is_extreme (const AssaySample *sample)
{
  const double first = sample->units[0].value, last = sample->units[sample->n - 1].value;

  return sample->p < 0 && sample->measure->low == 0 && sample->measure->high == 1 && first == last
         && (first == 0 || first == 1);
}

static AssaySampleMethod
choose_method (const AssaySample *sample)
{
  if (is_extreme (sample))
    return ASSAY_SAMPLE_EXTREME;
  if (sample->n_groups == 1)
    return ASSAY_SAMPLE_TOO_SMALL;
  if (sample->n_groups > 0)
    return sample->n_groups < MANY_GROUPS ? ASSAY_SAMPLE_GROUP_T : ASSAY_SAMPLE_GROUP_BOOTSTRAP;
  if (sample->p >= 0)
    return ASSAY_SAMPLE_ORDER;
  if (sample->measure->statistic == ASSAY_STATISTIC_RATE)
    return ASSAY_SAMPLE_BINOMIAL;
  return sample->n == 1 ? ASSAY_SAMPLE_TOO_SMALL : ASSAY_SAMPLE_BOOTSTRAP;
}

/* The statistic of the units, each counted as often as its group (or itself, where @weights counts
 * units) was drawn. */
static double
weighted_statistic (const AssaySample *sample, const gsize *weights, gboolean by_unit)
{
  const double p = sample->p;
  double sum = 0, place, below = 0;
  gsize total = 0, seen = 0;

  for (gsize i = 0; i < sample->n; i++) {
    const gsize weight = weights[by_unit ? i : sample->units[i].group];

    total += weight;
    sum += (double) weight * sample->units[i].value;
  }
  if (p < 0)
    return sum / (double) total;
  place = p * (double) (total - 1);
  for (gsize i = 0; i < sample->n; i++) {
    const gsize before = seen;

    seen += weights[by_unit ? i : sample->units[i].group];
    if (seen == before)
      continue;
    if ((gsize) place >= before && (gsize) place < seen)
      below = sample->units[i].value;
    if (MIN ((gsize) place + 1, total - 1) < seen)
      return below + (place - floor (place)) * (sample->units[i].value - below);
  }
  return below;
}

/* The statistic of each group by itself: its mean, or its quantile. */
static double *
group_statistics (const AssaySample *sample)
{
  const gsize n_groups = sample->n_groups;
  g_autofree gsize *sizes = g_new0 (gsize, n_groups);
  g_autofree gsize *starts = g_new0 (gsize, n_groups);
  g_autofree double *values = g_new (double, sample->n); /* group after group, each ascending */
  double *statistics = g_new0 (double, n_groups);

  for (gsize i = 0; i < sample->n; i++)
    sizes[sample->units[i].group]++;
  for (gsize g = 1; g < n_groups; g++)
    starts[g] = starts[g - 1] + sizes[g - 1];
  for (gsize i = 0; i < sample->n; i++)
    values[starts[sample->units[i].group]++] = sample->units[i].value;
  for (gsize g = 0; g < n_groups; g++) {
    const double *own = values + starts[g] - sizes[g];

    for (gsize i = 0; i < sizes[g]; i++)
      statistics[g] += own[i];
    statistics[g] /= (double) sizes[g];
    if (sample->p >= 0)
      statistics[g] = assay_sorted_quantile (own, sizes[g], sample->p);
  }
  return statistics;
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
estimate_of (const AssaySample *sample)
{
  g_autofree double *statistics = NULL;
  g_autofree gsize *once = NULL;

  if (sample->method == ASSAY_SAMPLE_GROUP_T) {
    statistics = group_statistics (sample);
    return mean_of (statistics, sample->n_groups);
  }
  once = g_new (gsize, sample->n);
  for (gsize i = 0; i < sample->n; i++)
    once[i] = 1;
  return weighted_statistic (sample, once, TRUE);
}

AssaySample *
assay_sample_new (const AssayMeasure *measure, const double *values, const gint64 *groups, gsize n)
{
  AssaySample *sample = g_new0 (AssaySample, 1);

  g_assert (n >= 1);
  sample->measure = measure;
  sample->n = n;
  sample->p = quantile_of (measure->statistic);
  fill_units (sample, values, groups, NULL);
  sample->method = choose_method (sample);
  sample->estimate = estimate_of (sample);
  return sample;
}

AssaySample *
assay_sample_new_crossed (const AssayMeasure *measure, const double *values, const gint64 *groups,
                          const gint64 *others, gboolean is_of_one_kind, gsize n)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) other_numbers = g_hash_table_new (g_int64_hash, g_int64_equal);
  AssaySample *sample = g_new0 (AssaySample, 1);

  g_assert (n >= 1);
  sample->measure = measure;
  sample->n = n;
  sample->p = quantile_of (measure->statistic);
  sample->units = g_new0 (AssayUnit, n);
  for (gsize i = 0; i < n; i++)
    sample->units[i]
        = (AssayUnit){ .value = values[i],
                       .group = renumber (numbers, &groups[i]),
                       .other = renumber (is_of_one_kind ? numbers : other_numbers, &others[i]) };
  sample->n_groups = g_hash_table_size (numbers);
  sample->n_others = g_hash_table_size (other_numbers);
  qsort (sample->units, n, sizeof *sample->units, compare_units);
  sample->method = sample->n_groups < 3 || (!is_of_one_kind && sample->n_others < 2)
                       ? ASSAY_SAMPLE_TOO_SMALL
                       : ASSAY_SAMPLE_CROSSED;
  sample->estimate = estimate_of (sample);
  return sample;
}

AssaySample *
assay_sample_new_audit (const AssayMeasure *measure, const AssayAudit *audit)
{
  AssaySample *sample = g_new0 (AssaySample, 1);

  sample->measure = measure;
  sample->n = (gsize) audit->runs;
  sample->p = -1;
  sample->method = ASSAY_SAMPLE_AUDIT;
  sample->audit = *audit;
  sample->estimate = assay_epsilon_estimate (audit);
  return sample;
}

/* The means of successes and controls, of groups where a sample of few is judged by these. */
static double
excess_of (const AssaySample *sample)
{
  const gsize n = assay_sample_n_independent (sample);
  const gboolean by_group = sample->n_groups > 0 && sample->n_groups < MANY_GROUPS;
  g_autofree gsize *sizes = g_new0 (gsize, n);
  double success = 0, control = 0, total = 0;

  for (gsize i = 0; by_group && i < sample->n; i++)
    sizes[sample->units[i].group]++;
  for (gsize i = 0; i < sample->n; i++) {
    const double weight = by_group ? 1 / (double) sizes[sample->units[i].group] : 1;

    success += weight * sample->units[i].value;
    control += weight * sample->units[i].control;
    total += weight;
  }
  return (success - control) / (total - control);
}

AssaySample *
assay_sample_new_excess (const AssayMeasure *measure, const double *success, const double *control,
                         const gint64 *groups, gsize n)
{
  AssaySample *sample = g_new0 (AssaySample, 1);

  g_assert (n >= 1);
  sample->measure = measure;
  sample->n = n;
  sample->p = -1;
  fill_units (sample, success, groups, control);
  sample->method
      = assay_sample_n_independent (sample) > 1 ? ASSAY_SAMPLE_EXCESS : ASSAY_SAMPLE_TOO_SMALL;
  sample->estimate = excess_of (sample);
  return sample;
}

AssaySample *
assay_sample_new_difference (const AssayMeasure *measure, const double *differences,
                             const gint64 *groups, gsize n)
{
  AssaySample *sample = assay_sample_new (measure, differences, groups, n);

  sample->is_difference = TRUE;
  return sample;
}

ASSAY_FREE_FUNC (AssaySample, assay_sample_free, g_free (self->units))

gsize
assay_sample_n_independent (const AssaySample *sample)
{
  if (sample->n_others > 0)
    return MIN (sample->n_groups, sample->n_others);
  return sample->n_groups > 0 ? sample->n_groups : sample->n;
}

double *
assay_sample_resample (const AssaySample *sample, AssayStreamKey key)
{
  const gboolean by_unit = sample->method == ASSAY_SAMPLE_BOOTSTRAP;
  const gsize n = by_unit ? sample->n : sample->n_groups;
  double *resampled = g_new (double, ASSAY_RESAMPLES);
  g_autofree gsize *weights = g_new (gsize, n);

  for (gsize b = 0; b < ASSAY_RESAMPLES; b++) {
    AssayStream stream = assay_stream (key, b);

    memset (weights, 0, n * sizeof *weights);
    for (gsize i = 0; i < n; i++)
      weights[assay_stream_below (&stream, n)]++;
    resampled[b] = weighted_statistic (sample, weights, by_unit);
  }
  qsort (resampled, ASSAY_RESAMPLES, sizeof *resampled, assay_compare_doubles);
  return resampled;
}

double
assay_sample_group_error (const AssaySample *sample)
{
  const double count = (double) sample->n_groups;
  g_autofree double *statistics = group_statistics (sample);
  double square = 0;

  for (gsize g = 0; g < sample->n_groups; g++)
    square += (statistics[g] - sample->estimate) * (statistics[g] - sample->estimate);
  return sqrt (square / (count - 1) / count);
}

void
assay_sample_count (const AssaySample *sample, double bound, gsize *ret_below, gsize *ret_above)
{
  gsize below = 0, above = 0;

  for (gsize i = 0; i < sample->n; i++) {
    below += sample->units[i].value < bound;
    above += sample->units[i].value > bound;
  }
  *ret_below = below;
  *ret_above = above;
}
